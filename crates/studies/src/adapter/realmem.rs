//! RealMem's dialogues: what was asked and answered, and the labelled queries of some personas.

use std::{collections::HashSet, path::Path};

use aforesaid::{
    analysis::Analyzer,
    models::training::{TrainingPair, TrainingSet},
};
use serde::Deserialize;
use serde_json::Value;

use super::{
    parse, replies,
    sessions::{Cues, Session, turns},
    text_of,
};
use crate::{StudyError, shippable::LEARNED_PERSONAS};

/// The persona that a training looks at.
const DEV: &str = "Sophie_Dubois";
/// How often pairs of a request and its answer are drawn, beside a conversation of the dialogues.
const REPLIES: f64 = 0.5;
/// How often labelled queries are drawn.
const QUERIES: f64 = 2.0;

#[derive(Deserialize)]
struct Persona {
    dialogues: Vec<Dialogue>,
}

#[derive(Deserialize)]
struct Dialogue {
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

/// The sets of the personas that are learned from; written questions stand in files of `cues` that have their names.
pub(super) fn sets(folder: &Path, cues: &Path) -> Result<Vec<TrainingSet>, StudyError> {
    let mut sets = Vec::new();
    for name in LEARNED_PERSONAS {
        let path = folder.join(format!("{name}.json"));
        if !path.is_file() {
            continue;
        }
        let dialogues = dialogues(&path)?;
        let sessions: Vec<Session> = dialogues.iter().map(session).collect();
        sets.push(replies::set(format!("{name}-replies"), &sessions, REPLIES));
        sets.push(queries(format!("{name}-queries"), &dialogues));
        if let Some(cues) = Cues::read(cues.join(format!("{name}.jsonl")))? {
            sets.push(cues.set(format!("{name}-cues"), &sessions, |_| true)?);
        }
    }
    Ok(sets)
}

/// The labelled queries of the persona that is looked at, each of whose answers is any turn of its sessions.
pub(super) fn dev(folder: &Path) -> Result<Option<TrainingSet>, StudyError> {
    let path = folder.join(format!("{DEV}.json"));
    if !path.is_file() {
        return Ok(None);
    }
    Ok(Some(queries("realmem".to_owned(), &dialogues(&path)?)))
}

fn dialogues(path: &Path) -> Result<Vec<Dialogue>, StudyError> {
    parse::<Persona>(path, &text_of(path)?).map(|persona| persona.dialogues)
}

fn session(dialogue: &Dialogue) -> Session {
    let said = dialogue.dialogue_turns.iter().map(|turn| (turn.by_assistant(), turn.content.clone())).collect();
    Session { id: dialogue.session_uuid.clone(), said }
}

/// Labelled queries, each with the turn of its sessions that holds most of what the answer goes back to.
fn queries(name: String, dialogues: &[Dialogue]) -> TrainingSet {
    let sessions: Vec<Session> = dialogues.iter().map(session).collect();
    let (passages, places) = turns(&sessions);
    let terms: Vec<HashSet<String>> = passages.iter().map(|forms| terms_of(&forms[1])).collect();
    let mut set = TrainingSet { name, passages, weight: QUERIES, ..TrainingSet::default() };
    for dialogue in dialogues {
        for pair in dialogue.dialogue_turns.windows(2) {
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
