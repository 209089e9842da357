//! RealMem: personas whose dialogue with an assistant asks for what earlier sessions held.
//!
//! A file is a group, called by its `person_name`. A turn is called `<session uuid>:<n>`, from 1. A turn with
//! `is_query` is a question, `<person>::<query_id>`; its gold is the sessions in `memory_session_uuids` of the turn
//! of the assistant that follows. It sees only the sessions before its own, in the order of the file: the times of
//! some personas are not in order.

use aforesaid::types::{Draft, Granularity, MemoryId};
use serde::Deserialize;
use serde_json::Value;

use super::{
    Benchmark, DataError, DataSet,
    files::Files,
    intake::{Evidence, Intake, Label, LabelledQuestion},
    times::with_weekday,
    turn::{Session, memory_id},
    value::{label, labels},
};

const DOCUMENT: &str = "a RealMem persona: an object with _metadata and dialogues";

#[derive(Deserialize)]
struct Document {
    #[serde(rename = "_metadata")]
    metadata: Metadata,
    dialogues: Vec<Dialogue>,
}

#[derive(Deserialize)]
struct Metadata {
    person_name: String,
}

#[derive(Deserialize)]
struct Dialogue {
    session_uuid: String,
    current_time: String,
    dialogue_turns: Vec<Utterance>,
}

#[derive(Deserialize)]
struct Utterance {
    speaker: String,
    content: String,
    #[serde(default)]
    is_query: Option<bool>,
    #[serde(default)]
    query_id: Value,
    #[serde(default)]
    category_name: Option<String>,
    #[serde(default)]
    memory_session_uuids: Value,
}

pub(super) fn load(files: &Files, unit: Granularity) -> Result<Benchmark, DataError> {
    let mut intake = Intake::new(DataSet::RealMem, unit);
    for name in files.names() {
        let document: Document = files.json(name, DOCUMENT)?;
        let (person, file) = (document.metadata.person_name, files.label(name));
        let mut turns = Vec::new();
        let mut questions = Vec::new();
        for dialogue in document.dialogues {
            let place = format!("{file}, session {}", dialogue.session_uuid);
            read_questions(&dialogue, &place, &mut questions)?;
            turns.extend(read_turns(dialogue, &person, &mut intake, &place)?);
        }
        intake.open(person, turns, &file)?;
        questions.into_iter().try_for_each(|(asked, place)| intake.ask(asked, &place))?;
    }
    intake.finish(files)
}

fn read_questions(
    dialogue: &Dialogue,
    place: &str,
    questions: &mut Vec<(LabelledQuestion, String)>,
) -> Result<(), DataError> {
    let turns = &dialogue.dialogue_turns;
    for (index, turn) in turns.iter().enumerate().filter(|(_, turn)| turn.is_query == Some(true)) {
        let place = format!("{place}, turn {}", index + 1);
        let Some(name) = label(&turn.query_id) else {
            return Err(DataError::Missing { place, field: "query_id", expected: "the query's id" });
        };
        let answer = turns.get(index + 1).filter(|next| next.speaker.eq_ignore_ascii_case("assistant"));
        let sessions = match answer {
            Some(answer) => labels(&answer.memory_session_uuids, "memory_session_uuids", &place)?,
            None => Vec::new(),
        };
        let asked = LabelledQuestion {
            name,
            text: turn.content.clone(),
            category: turn.category_name.clone(),
            before: Some(first_turn(dialogue, &place)?),
            now: with_weekday(&dialogue.current_time).map(|moment| moment.to_string()),
            gold: Label::Evidence(sessions.into_iter().map(Evidence::named).collect()),
            answer: None,
        };
        questions.push((asked, place));
    }
    Ok(())
}

/// The first turn of a session that is there: blank ones are left out.
fn first_turn(dialogue: &Dialogue, place: &str) -> Result<MemoryId, DataError> {
    let blank = dialogue.dialogue_turns.iter().take_while(|turn| turn.content.trim().is_empty()).count();
    memory_id(turn_name(dialogue, blank), place)
}

fn turn_name(dialogue: &Dialogue, index: usize) -> String {
    format!("{}:{}", dialogue.session_uuid, index + 1)
}

fn read_turns(dialogue: Dialogue, person: &str, intake: &mut Intake, place: &str) -> Result<Vec<Draft>, DataError> {
    let said_at = with_weekday(&dialogue.current_time);
    if said_at.is_none() {
        let what = format!("{person}::{}: {:?}", dialogue.session_uuid, dialogue.current_time);
        intake.remark("time not understood", what);
    }
    let session = Session::new(person, &dialogue.session_uuid, said_at, place)?;
    let names: Vec<String> = (0..dialogue.dialogue_turns.len()).map(|index| turn_name(&dialogue, index)).collect();
    let turns = names.into_iter().zip(dialogue.dialogue_turns);
    turns.map(|(name, turn)| session.turn(name, turn.speaker, turn.content, place)).collect()
}
