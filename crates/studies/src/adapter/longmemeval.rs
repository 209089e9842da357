//! LongMemEval's distractor sessions, all in one set; its questions and their evidence are not read.

use std::path::Path;

use aforesaid::models::training::TrainingSet;
use serde::Deserialize;

use super::{parse, replies, text_of};
use crate::StudyError;

#[derive(Deserialize)]
struct Session {
    session_id: String,
    turns: Vec<Turn>,
}

#[derive(Deserialize)]
struct Turn {
    role: String,
    content: String,
}

pub(super) fn sets(folder: &Path) -> Result<Vec<TrainingSet>, StudyError> {
    let path = folder.join("full_sessions.json");
    let mut sessions: Vec<Session> = parse(&path, &text_of(&path)?)?;
    // Sessions with evidence are among them, and their names say so.
    sessions.retain(|session| !session.session_id.contains("answer"));
    let said = |session: Session| {
        session.turns.into_iter().map(|turn| (turn.role == "assistant", turn.content)).collect::<replies::Said>()
    };
    Ok(vec![replies::set("longmemeval".to_owned(), &sessions.into_iter().map(said).collect::<Vec<_>>(), 1.0)])
}
