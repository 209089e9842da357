//! LongMemEval's distractor sessions: what was asked and answered, and the questions that were written for their turns. The data
//! set's own questions and their evidence are not read.

use std::{collections::BTreeSet, path::Path};

use aforesaid::models::training::TrainingSet;
use serde::Deserialize;

use super::{
    parse, replies,
    sessions::{Cues, Session},
    text_of,
};
use crate::{StudyError, shippable::is_evidence};

/// The file of the questions.
const FILE: &str = "distractors.jsonl";
/// Of this many sessions one is looked at and not learned from.
const HELD_OUT: usize = 5;

#[derive(Deserialize)]
struct Distractor {
    session_id: String,
    turns: Vec<Turn>,
}

#[derive(Deserialize)]
struct Turn {
    role: String,
    content: String,
}

/// The sessions without evidence, and the names of those that are held out.
fn sessions(folder: &Path) -> Result<(Vec<Session>, BTreeSet<String>), StudyError> {
    let path = folder.join("full_sessions.json");
    let mut found: Vec<Distractor> = parse(&path, &text_of(&path)?)?;
    // Sessions with evidence are among them, and their names say so.
    found.retain(|session| !is_evidence(&session.session_id));
    let session = |found: Distractor| Session {
        id: found.session_id,
        said: found.turns.into_iter().map(|turn| (turn.role == "assistant", turn.content)).collect(),
    };
    let sessions: Vec<Session> = found.into_iter().map(session).collect();
    let held_out = sessions.iter().skip(HELD_OUT - 1).step_by(HELD_OUT).map(|session| session.id.clone()).collect();
    Ok((sessions, held_out))
}

/// Requests with their answers, and where `cues` has a file, its questions; without the sessions held out.
pub(super) fn sets(folder: &Path, cues: &Path) -> Result<Vec<TrainingSet>, StudyError> {
    let (mut sessions, held_out) = sessions(folder)?;
    let cued = match Cues::read(cues.join(FILE))? {
        Some(cues) => Some(cues.set("longmemeval-cues".to_owned(), &sessions, |id| !held_out.contains(id))?),
        None => None,
    };
    sessions.retain(|session| !held_out.contains(&session.id));
    Ok([replies::set("longmemeval-replies".to_owned(), &sessions, 1.0)].into_iter().chain(cued).collect())
}

/// The questions on the sessions held out, asked among all sessions. Each is answered by any turn of its session.
pub(super) fn dev(folder: &Path, cues: &Path) -> Result<Option<TrainingSet>, StudyError> {
    let Some(cues) = Cues::read(cues.join(FILE))? else { return Ok(None) };
    let (sessions, held_out) = sessions(folder)?;
    cues.set("longmemeval".to_owned(), &sessions, |id| held_out.contains(id)).map(Some)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn sessions_with_evidence_stay_out() {
        let folder = tempfile::tempdir().unwrap();
        let session = |id: &str, topic: &str| {
            format!(
                r#"{{"session_id": "{id}", "turns": [
                    {{"role": "user", "content": "How should I begin with {topic} this year, please?"}},
                    {{"role": "assistant", "content": "Begin with {topic} by reading a short book on it, then try one small thing a week."}}]}}"#
            )
        };
        let sessions = format!("[{}, {}]", session("answer_1", "judo"), session("chat_7", "sewing"));
        fs::write(folder.path().join("full_sessions.json"), sessions).unwrap();
        let cues =
            "{\"id\": \"chat_7:1\", \"q\": [\"What did you say of sewing?\", \"How many small things a week?\"]}";
        fs::write(folder.path().join(FILE), cues).unwrap();

        let found = sets(folder.path(), folder.path()).unwrap();
        let counts: Vec<_> = found.iter().map(|set| (set.name.as_str(), set.passages.len(), set.pairs.len())).collect();
        assert_eq!(counts, [("longmemeval-replies", 2, 1), ("longmemeval-cues", 2, 2)]);
        let has_judo = |set: &TrainingSet| set.passages.concat().iter().any(|text| text.contains("judo"));
        assert!(!found.iter().any(has_judo));

        let cues = "{\"id\": \"answer_1:1\", \"q\": [\"What of judo?\"]}";
        fs::write(folder.path().join(FILE), cues).unwrap();
        let refused = sets(folder.path(), folder.path()).unwrap_err().to_string();
        assert!(refused.contains("answer_1:1"), "{refused}");
        assert_eq!(sets(folder.path(), &folder.path().join("none")).unwrap().len(), 1);
    }

    #[test]
    fn no_session_is_both_learned_from_and_looked_at() {
        let folder = tempfile::tempdir().unwrap();
        let text = "a little about it, in words that are enough to be an answer to what was asked";
        let session = |i: usize| {
            format!(
                r#"{{"session_id": "chat_{i}", "turns": [
                    {{"role": "user", "content": "Tell me of subject {i}, which I like"}},
                    {{"role": "assistant", "content": "Subject {i}: {text}"}}]}}"#
            )
        };
        let sessions = (0..10).map(session).collect::<Vec<_>>().join(",");
        fs::write(folder.path().join("full_sessions.json"), format!("[{sessions}]")).unwrap();
        let cues: String = (0..10).map(|i| format!("{{\"id\": \"chat_{i}:1\", \"q\": [\"Of {i}?\"]}}\n")).collect();
        fs::write(folder.path().join(FILE), cues).unwrap();

        let asked = |set: &TrainingSet| set.pairs.iter().map(|pair| pair.passage / 2).collect::<Vec<_>>();
        let dev = dev(folder.path(), folder.path()).unwrap().unwrap();
        assert_eq!((asked(&dev), dev.passages.len()), (vec![4, 9], 20));
        let [replies, cued] = sets(folder.path(), folder.path()).unwrap().try_into().unwrap();
        assert_eq!(asked(&cued), [0, 1, 2, 3, 5, 6, 7, 8]);
        assert!(
            replies.passages.len() == 16 && !replies.passages.concat().iter().any(|text| text.contains("subject 4"))
        );
    }
}
