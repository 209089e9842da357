//! BEAM: chats of a user and an assistant, and questions on ten abilities of a memory.
//!
//! A numbered folder is a group. A session is a batch, `batch-<number>`; a turn is called by its message id. The
//! index that ends many messages of the user (`->-> 2,7`) is cut off. Gold is every message id in `source_chat_ids`,
//! however nested, or the batches of those messages. Questions are called `<n>::<ability>-<i>`, from 0 in their
//! ability, which is the category; those on abstention are excluded.

use aforesaid::types::{Draft, Granularity};
use serde::Deserialize;
use serde_json::{Map, Value};

use super::{
    Benchmark, DataError, DataSet,
    files::Files,
    intake::{Evidence, Intake, Label, LabelledQuestion},
    times::with_month_name,
    turn::Session,
    value::wrong,
};

const CHAT: &str = "a BEAM chat: an array of batches with batch_number and turns";
const QUESTIONS: &str = "an object of abilities, each with an array of questions";

#[derive(Deserialize)]
struct Batch {
    batch_number: u64,
    #[serde(default)]
    time_anchor: Option<String>,
    turns: Vec<Vec<Message>>,
}

#[derive(Deserialize)]
struct Message {
    role: String,
    id: u64,
    #[serde(default)]
    time_anchor: Option<String>,
    content: String,
}

#[derive(Deserialize)]
struct Probe {
    question: String,
    #[serde(default)]
    source_chat_ids: Value,
}

pub(super) fn load(files: &Files, unit: Granularity) -> Result<Benchmark, DataError> {
    let mut intake = Intake::new(DataSet::Beam, unit);
    for pair in files.names().chunks_exact(2) {
        let [chat, questions] = pair else { continue };
        let group = group_of(files, chat);
        let turns = read_chat(files, chat, &group, &mut intake)?;
        intake.open(group, turns, &files.label(chat))?;
        read_questions(files, questions, &mut intake)?;
    }
    intake.finish(files)
}

/// The folder of a chat.
fn group_of(files: &Files, chat: &str) -> String {
    match chat.split_once('/') {
        Some((folder, _)) => folder.to_owned(),
        None => files.root().file_name().map_or_else(|| "1".to_owned(), |name| name.to_string_lossy().into_owned()),
    }
}

fn read_chat(files: &Files, name: &str, group: &str, intake: &mut Intake) -> Result<Vec<Draft>, DataError> {
    let place = files.label(name);
    let mut turns = Vec::new();
    for batch in files.json::<Vec<Batch>>(name, CHAT)? {
        let id = format!("batch-{}", batch.batch_number);
        let messages: Vec<Message> = batch.turns.into_iter().flatten().collect();
        let anchor = messages.first().and_then(|first| first.time_anchor.as_ref()).or(batch.time_anchor.as_ref());
        let said_at = anchor.and_then(|anchor| with_month_name(anchor));
        if let (Some(anchor), None) = (anchor, said_at) {
            intake.remark("time not understood", format!("{group}::{id}: {anchor:?}"));
        }
        let session = Session::new(group, &id, said_at, &place)?;
        for message in messages {
            let text = match message.role.as_str() {
                "user" => without_index(message.content),
                _ => message.content,
            };
            turns.push(session.turn(message.id.to_string(), message.role, text, &place)?);
        }
    }
    Ok(turns)
}

/// The text without the `->-> 2,7` that ends it.
///
/// Some indexes are `2,N/A`, `2,22, 24` or end in a parenthesis; what holds other words is no index.
fn without_index(mut text: String) -> String {
    if let Some((said, index)) = text.rsplit_once("->->")
        && index.trim_start().starts_with(|first: char| first.is_ascii_digit())
        && index.chars().all(|c| c.is_ascii_digit() || c.is_whitespace() || ",N/A)".contains(c))
    {
        text.truncate(said.trim_end().len());
    }
    text
}

fn read_questions(files: &Files, name: &str, intake: &mut Intake) -> Result<(), DataError> {
    for (ability, probes) in files.json::<Map<String, Value>>(name, QUESTIONS)? {
        let place = format!("{}, {ability}", files.label(name));
        let Value::Array(probes) = probes else { return Err(wrong(&ability, &probes, "an array", &place)) };
        for (index, probe) in probes.into_iter().enumerate() {
            let place = format!("{place} {index}");
            let probe: Probe = serde_json::from_value(probe).map_err(|error| DataError::Wrong {
                place: place.clone(),
                what: "the question".to_owned(),
                found: error.to_string(),
                expected: "an object with question and source_chat_ids".to_owned(),
            })?;
            let mut ids = Vec::new();
            collect(&probe.source_chat_ids, &mut ids, &place)?;
            let gold = if ability == "abstention" {
                Label::Abstention
            } else {
                Label::Evidence(ids.into_iter().map(|id| resolve(id.to_string(), intake)).collect())
            };
            let category = Some(ability.clone());
            let asked = LabelledQuestion {
                name: format!("{ability}-{index}"),
                text: probe.question,
                category,
                before: None,
                now: None,
                gold,
                answer: None,
            };
            intake.ask(asked, &place)?;
        }
    }
    Ok(())
}

/// Every whole number in lists and objects of lists.
fn collect(value: &Value, ids: &mut Vec<u64>, place: &str) -> Result<(), DataError> {
    match value {
        Value::Null => Ok(()),
        Value::Array(items) => items.iter().try_for_each(|item| collect(item, ids, place)),
        Value::Object(fields) => fields.values().try_for_each(|item| collect(item, ids, place)),
        other => {
            ids.push(other.as_u64().ok_or_else(|| wrong("source_chat_ids", other, "message ids in lists", place))?);
            Ok(())
        }
    }
}

fn resolve(message: String, intake: &Intake) -> Evidence {
    let units = match intake.unit() {
        Granularity::Turn => vec![message.clone()],
        Granularity::Session => intake.history().session_of(&message).map(str::to_owned).into_iter().collect(),
    };
    Evidence { written: message, units }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_an_index_at_the_end_is_cut_off() {
        for (text, said) in [
            ("why? ->-> 2,7", "why?"),
            ("why?  ->-> 2,N/A ", "why?"),
            ("why? ->-> 1,5)", "why?"),
            ("why? ->-> 2,22, 24", "why?"),
            ("a ->-> b ->-> 3,4", "a ->-> b"),
            ("a ->-> b", "a ->-> b"),
            ("a ->-> 3 pears", "a ->-> 3 pears"),
            ("a ->->", "a ->->"),
            ("plain", "plain"),
        ] {
            assert_eq!(without_index(text.to_owned()), said);
        }
    }
}
