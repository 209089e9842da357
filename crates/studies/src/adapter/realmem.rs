//! RealMem's dialogues: what was asked and answered, and the labelled queries of some personas.

use std::{
    collections::{BTreeMap, HashSet},
    path::{Path, PathBuf},
};

use aforesaid::{
    analysis::Analyzer,
    models::training::{TrainingPair, TrainingSet},
    types::passage,
};
use serde::Deserialize;
use serde_json::Value;

use super::{files_in, lines_of, parse, replies, text_of, unknown};
use crate::StudyError;

/// The personas that are learned from; the others are what is measured on.
const LEARNED: [&str; 3] = ["Adeleke_Okonjo", "Kim_Ji_young", "Liam_O_Connor"];
/// How often pairs of a request and its answer are drawn, beside a conversation of the dialogues.
const REPLIES: f64 = 0.5;
/// How often labelled queries are drawn.
const QUERIES: f64 = 2.0;
/// How often written questions are drawn where there are many; where there are fewer, less often in proportion.
const CUES: f64 = 1.0;
/// How many are many.
const MANY_CUES: f64 = 150.0;

#[derive(Deserialize)]
struct Persona {
    dialogues: Vec<Session>,
}

#[derive(Deserialize)]
struct Session {
    session_uuid: String,
    dialogue_turns: Vec<Turn>,
}

#[derive(Deserialize)]
struct Turn {
    speaker: String,
    content: String,
    /// Whether it is a labelled query; of an answer, where it is text, it says nothing.
    #[serde(default)]
    is_query: Value,
    /// On the answer of a query: what of earlier sessions it goes back to, as JSON or as Python prints it.
    #[serde(default)]
    memory_used: Value,
    #[serde(default)]
    memory_session_uuids: Value,
}

impl Turn {
    fn by_assistant(&self) -> bool {
        self.speaker.eq_ignore_ascii_case("assistant")
    }
}

/// Questions for a turn, named by its session and its place there.
#[derive(Deserialize)]
struct Cues {
    id: String,
    q: Vec<String>,
}

pub(super) fn sets(folder: &Path, cues: &Path) -> Result<Vec<TrainingSet>, StudyError> {
    let learned = |path: &PathBuf| LEARNED.iter().any(|name| path.file_stem().is_some_and(|stem| stem == *name));
    let mut sets = Vec::new();
    for path in files_in(folder, "json")?.into_iter().filter(learned) {
        let persona: Persona = parse(&path, &text_of(&path)?)?;
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let said: Vec<replies::Said> = persona.dialogues.iter().map(said).collect();
        sets.push(replies::set(format!("{name}-replies"), &said, REPLIES));
        sets.push(queries(format!("{name}-queries"), &persona.dialogues));
        let path = cues.join(format!("{name}.jsonl"));
        if path.is_file() {
            sets.push(cued(format!("{name}-cues"), &persona.dialogues, &lines_of(&path)?, &path)?);
        }
    }
    Ok(sets)
}

fn said(session: &Session) -> replies::Said {
    session.dialogue_turns.iter().map(|turn| (turn.by_assistant(), turn.content.clone())).collect()
}

/// Labelled queries, each with the turn of its sessions that holds most of what the answer goes back to.
fn queries(name: String, sessions: &[Session]) -> TrainingSet {
    let (passages, places) = turns(sessions);
    let terms: Vec<HashSet<String>> = passages.iter().map(|forms| terms_of(&forms[1])).collect();
    let mut set = TrainingSet { name, passages, weight: QUERIES, ..TrainingSet::default() };
    for session in sessions {
        for pair in session.dialogue_turns.windows(2) {
            let [asked, answer] = pair else { continue };
            if asked.is_query != Value::Bool(true) {
                continue;
            }
            let gold = printed(&answer.memory_session_uuids);
            let of_gold: Vec<usize> = quoted(&gold).filter_map(|uuid| places.get(uuid)).flatten().copied().collect();
            let sought = terms_of(&printed(&answer.memory_used));
            // Of what holds the same number of words the shortest says it plainest.
            let held = |place: &&usize| {
                (terms[**place].intersection(&sought).count(), std::cmp::Reverse(terms[**place].len()))
            };
            if let Some(best) = of_gold.iter().max_by_key(held) {
                let questions = vec![asked.content.clone()];
                set.pairs.push(TrainingPair { questions, passage: *best, also: of_gold.clone() });
            }
        }
    }
    set
}

/// The questions that were written for turns. What else was said in a turn's session is never a wrong answer: in a chat with
/// an assistant a session is about one thing.
fn cued(name: String, sessions: &[Session], cues: &[Cues], path: &Path) -> Result<TrainingSet, StudyError> {
    let (passages, places) = turns(sessions);
    let mut pairs = Vec::new();
    for cue in cues {
        let (session, place) = cue.id.split_once(':').ok_or_else(|| unknown(path, &cue.id))?;
        let of_session = places.get(session).ok_or_else(|| unknown(path, &cue.id))?;
        let passage = place.parse().ok().and_then(|place: usize| of_session.get(place));
        let passage = *passage.ok_or_else(|| unknown(path, &cue.id))?;
        let pair =
            |question: &String| TrainingPair { questions: vec![question.clone()], passage, also: of_session.clone() };
        pairs.extend(cue.q.iter().map(pair));
    }
    let weight = CUES * (pairs.len() as f64 / MANY_CUES).min(1.0);
    Ok(TrainingSet { name, passages, pairs, weight, negatives: 0 })
}

/// All turns in the forms that they are searched in, and the places of each session's.
fn turns(sessions: &[Session]) -> (Vec<Vec<String>>, BTreeMap<&str, Vec<usize>>) {
    let mut passages = Vec::new();
    let mut places: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for session in sessions {
        for turn in &session.dialogue_turns {
            places.entry(&session.session_uuid).or_default().push(passages.len());
            let speaker = if turn.by_assistant() { "Assistant" } else { "User" };
            passages.push(vec![passage(Some(speaker), &turn.content, None), turn.content.clone()]);
        }
    }
    (passages, places)
}

fn terms_of(text: &str) -> HashSet<String> {
    Analyzer::English.query_terms(text).into_iter().collect()
}

fn printed(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// What stands between quotes of either kind.
fn quoted(text: &str) -> impl Iterator<Item = &str> {
    text.split(['\'', '"']).skip(1).step_by(2)
}
