//! LongMemEval in its official format: an array of questions, each with a history of its own.
//!
//! A question is a group, called by its `question_id`; the question itself is `<question_id>::q0`. Turns are called
//! `<session id>:<n>`, from 1. Session gold is `answer_session_ids`, turn gold the turns with `has_answer`.
//! Questions with `_abs` in their id are excluded, as the official script leaves them out of its means.
//!
//! Two differences from the official retrieval script: it indexes the turns of the user alone, here every turn of
//! both sides is a candidate; and its histories are drawn with replacement, so that a filler session can be there
//! twice: here the second, which says the same, is left out and remarked.

use std::collections::HashMap;

use aforesaid::types::{Draft, Granularity};
use serde::Deserialize;
use serde_json::Value;

use super::{
    Benchmark, DataError, DataSet,
    files::Files,
    intake::{Evidence, Intake, Label, LabelledQuestion},
    times::with_weekday,
    turn::Session,
    value::labels,
};

const DOCUMENT: &str = "an array of LongMemEval questions, each with its haystack_sessions";

#[derive(Deserialize)]
struct Item {
    question_id: String,
    #[serde(default)]
    question_type: Option<String>,
    question: String,
    #[serde(default)]
    question_date: Option<String>,
    #[serde(default)]
    answer_session_ids: Value,
    haystack_session_ids: Vec<String>,
    haystack_dates: Vec<String>,
    haystack_sessions: Vec<Vec<Utterance>>,
}

/// What somebody said.
#[derive(Debug, PartialEq, Deserialize)]
struct Utterance {
    role: String,
    content: String,
    #[serde(default)]
    has_answer: Option<bool>,
}

/// The history of one question.
#[derive(Default)]
struct Haystack {
    turns: Vec<Draft>,
    /// Ids of the turns that hold the answer.
    answers: Vec<String>,
}

pub(super) fn load(files: &Files, unit: Granularity) -> Result<Benchmark, DataError> {
    let mut intake = Intake::new(DataSet::LongMemEval, unit);
    for name in files.names() {
        for (number, item) in files.json::<Vec<Item>>(name, DOCUMENT)?.into_iter().enumerate() {
            let place = format!("{}, item {}, {}", files.label(name), number + 1, item.question_id);
            read_item(item, &mut intake, &place)?;
        }
    }
    intake.finish(files)
}

/// Whether the right answer is that nobody said so; the test of the official script.
pub(super) fn is_abstention(question_id: &str) -> bool {
    question_id.contains("_abs")
}

fn read_item(mut item: Item, intake: &mut Intake, place: &str) -> Result<(), DataError> {
    let haystack = read_haystack(&mut item, intake, place)?;
    intake.open(item.question_id.clone(), haystack.turns, place)?;
    let evidence = match intake.unit() {
        Granularity::Turn => haystack.answers,
        Granularity::Session => labels(&item.answer_session_ids, "answer_session_ids", place)?,
    };
    let gold = if is_abstention(&item.question_id) {
        Label::Abstention
    } else {
        Label::Evidence(evidence.into_iter().map(Evidence::named).collect())
    };
    let now = asked_at(item.question_date.as_deref(), &item.question_id, intake);
    let (name, category) = ("q0".to_owned(), item.question_type);
    let asked = LabelledQuestion { name, text: item.question, category, before: None, now, gold, answer: None };
    intake.ask(asked, place)
}

/// When a question is asked, in ISO 8601; a date that is not understood is remarked.
pub(super) fn asked_at(date: Option<&str>, question: &str, intake: &mut Intake) -> Option<String> {
    let date = date?;
    let moment = with_weekday(date);
    if moment.is_none() {
        intake.remark("time not understood", format!("{question}: {date:?}"));
    }
    moment.map(|moment| moment.to_string())
}

fn read_haystack(item: &mut Item, intake: &mut Intake, place: &str) -> Result<Haystack, DataError> {
    let (ids, dates) = (&item.haystack_session_ids, &item.haystack_dates);
    let sessions = std::mem::take(&mut item.haystack_sessions);
    if ids.len() != sessions.len() || dates.len() != sessions.len() {
        return Err(DataError::Wrong {
            place: place.to_owned(),
            what: "the haystack".to_owned(),
            found: format!("{} ids, {} dates and {} sessions", ids.len(), dates.len(), sessions.len()),
            expected: "as many of each".to_owned(),
        });
    }
    let repeats = repeats(ids, &sessions, place)?;
    let mut haystack = Haystack::default();
    for (index, ((id, date), utterances)) in ids.iter().zip(dates).zip(sessions).enumerate() {
        if repeats.contains(&index) {
            intake.remark("repeated session", format!("{}::{id}", item.question_id));
            continue;
        }
        let said_at = with_weekday(date);
        if said_at.is_none() {
            intake.remark("time not understood", format!("{}::{id}: {date:?}", item.question_id));
        }
        let session = Session::new(&item.question_id, id, said_at, place)?;
        for (index, utterance) in utterances.into_iter().enumerate() {
            let turn = format!("{id}:{}", index + 1);
            if utterance.has_answer == Some(true) {
                haystack.answers.push(turn.clone());
            }
            haystack.turns.push(session.turn(turn, utterance.role, utterance.content, place)?);
        }
    }
    Ok(haystack)
}

/// Places of the sessions that say what an earlier one of the same id says.
fn repeats(ids: &[String], sessions: &[Vec<Utterance>], place: &str) -> Result<Vec<usize>, DataError> {
    let mut first = HashMap::new();
    let mut repeats = Vec::new();
    for (index, (id, session)) in ids.iter().zip(sessions).enumerate() {
        match first.insert(id, session) {
            None => {}
            Some(earlier) if earlier == session => repeats.push(index),
            Some(_) => {
                return Err(DataError::Repeated {
                    place: place.to_owned(),
                    what: "session",
                    id: id.clone(),
                    first: Some("with other turns".to_owned()),
                });
            }
        }
    }
    Ok(repeats)
}
