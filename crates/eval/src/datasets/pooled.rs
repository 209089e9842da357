//! LongMemEval pooled: the evidence of all its questions, with distractors, as one history. This set is ours.
//!
//! One group, `pooled`. Evidence session i (from 0) of a question is called `<question_id>/e<i>`, a turn of it
//! `<question_id>/e<i>:<n>` (from 1); a distractor session keeps its id, and its turns are `<session id>:<n>`.
//! Sessions come in the order of their dates. Gold is the evidence sessions, or all their turns; an evidence
//! session that equals another in date and words is there once, and is the gold of both questions. A distractor
//! turn that says what an evidence turn says is left out. Questions with `_abs` in their id are excluded, but
//! their evidence stays in the history.

use std::collections::{HashMap, HashSet};

use aforesaid::types::{Draft, Granularity, Timestamp};
use serde::Deserialize;

use super::{
    Benchmark, DataError, DataSet,
    files::Files,
    intake::{Evidence, Intake, Label, LabelledQuestion},
    longmemeval::{asked_at, is_abstention},
    times::with_weekday,
    turn::Session,
};

const GROUP: &str = "pooled";
const EVIDENCE: &str = "an object with questions, each with its evidence_sessions";
const DISTRACTORS: &str = "an array of sessions with session_id, date and turns";

#[derive(Deserialize)]
struct Document {
    questions: Vec<Item>,
}

#[derive(Deserialize)]
struct Item {
    question_id: String,
    #[serde(default)]
    question_type: Option<String>,
    question: String,
    #[serde(default)]
    question_date: Option<String>,
    evidence_sessions: Vec<Dated>,
}

#[derive(Deserialize)]
struct Distractor {
    session_id: String,
    #[serde(flatten)]
    dated: Dated,
}

/// Equal where date and words are.
#[derive(Clone, PartialEq, Eq, Hash, Deserialize)]
struct Dated {
    date: String,
    turns: Vec<Utterance>,
}

#[derive(Clone, PartialEq, Eq, Hash, Deserialize)]
struct Utterance {
    role: String,
    content: String,
}

/// The history while it grows.
#[derive(Default)]
struct Pool {
    sessions: Vec<(Option<Timestamp>, Vec<Draft>)>,
    /// The name under which an evidence session is there.
    names: HashMap<Dated, String>,
}

pub(super) fn load(files: &Files, unit: Granularity) -> Result<Benchmark, DataError> {
    let mut intake = Intake::new(DataSet::LongMemEvalPooled, unit);
    let [evidence, distractors] = files.names() else { return intake.finish(files) };
    let document: Document = files.json(evidence, EVIDENCE)?;
    let mut pool = Pool::default();
    let mut asked = Vec::new();
    for item in document.questions {
        let place = format!("{}, {}", files.label(evidence), item.question_id);
        asked.push((pool.add_question(item, &mut intake, &place)?, place));
    }
    let spoken: HashSet<String> =
        pool.names.keys().flat_map(|dated| &dated.turns).map(|turn| turn.content.clone()).collect();
    for session in files.json::<Vec<Distractor>>(distractors, DISTRACTORS)? {
        let place = format!("{}, {}", files.label(distractors), session.session_id);
        pool.add(&session.session_id, &session.dated, &spoken, &mut intake, &place)?;
    }
    pool.sessions.sort_by_key(|(date, _)| *date);
    let turns = pool.sessions.into_iter().flat_map(|(_, turns)| turns).collect();
    intake.open(GROUP.to_owned(), turns, &files.shown())?;
    for (asked, place) in asked {
        intake.ask(asked, &place)?;
    }
    intake.finish(files)
}

impl Pool {
    fn add_question(&mut self, item: Item, intake: &mut Intake, place: &str) -> Result<LabelledQuestion, DataError> {
        let mut gold = Vec::new();
        for (index, dated) in item.evidence_sessions.into_iter().enumerate() {
            let written = format!("{}/e{index}", item.question_id);
            let name = match self.names.get(&dated).cloned() {
                Some(shared) => {
                    intake.remark("shared evidence session", format!("{written} is {shared}"));
                    shared
                }
                None => {
                    self.add(&written, &dated, &HashSet::new(), intake, place)?;
                    self.names.insert(dated.clone(), written.clone());
                    written.clone()
                }
            };
            let units = match intake.unit() {
                Granularity::Session => vec![name],
                Granularity::Turn => (1..=dated.turns.len()).map(|n| format!("{name}:{n}")).collect(),
            };
            gold.push(Evidence { written, units });
        }
        let gold = if is_abstention(&item.question_id) { Label::Abstention } else { Label::Evidence(gold) };
        let now = asked_at(item.question_date.as_deref(), &item.question_id, intake);
        let (name, text, category) = (item.question_id, item.question, item.question_type);
        Ok(LabelledQuestion { name, text, category, before: None, now, gold, answer: None })
    }

    /// Adds a session without the turns that are in `spoken`.
    fn add(
        &mut self,
        id: &str,
        dated: &Dated,
        spoken: &HashSet<String>,
        intake: &mut Intake,
        place: &str,
    ) -> Result<(), DataError> {
        let said_at = with_weekday(&dated.date);
        if said_at.is_none() {
            intake.remark("time not understood", format!("{GROUP}::{id}: {:?}", dated.date));
        }
        let session = Session::new(GROUP, id, said_at, place)?;
        let mut turns = Vec::with_capacity(dated.turns.len());
        for (index, turn) in dated.turns.iter().enumerate() {
            let name = format!("{id}:{}", index + 1);
            if spoken.contains(&turn.content) {
                intake.remark("distractor turn equal to evidence", format!("{GROUP}::{name}"));
                continue;
            }
            turns.push(session.turn(name, turn.role.clone(), turn.content.clone(), place)?);
        }
        self.sessions.push((said_at, turns));
        Ok(())
    }
}
