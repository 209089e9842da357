//! Sessions of chats with an assistant, and the questions that were written for their turns.

use std::{collections::BTreeMap, path::PathBuf};

use aforesaid::{
    models::training::{TrainingPair, TrainingSet},
    types::passage,
};
use serde::Deserialize;

use super::{lines_of, replies::Said, unknown};
use crate::StudyError;

/// How often written questions are drawn where there are many; where there are fewer, less often in proportion.
const CUES: f64 = 1.0;
/// How many are many.
const MANY_CUES: f64 = 150.0;

/// A session by its name.
pub(super) struct Session {
    pub(super) id: String,
    pub(super) said: Said,
}

/// Questions for a turn.
pub(super) struct Cues {
    /// The file that they stand in.
    path: PathBuf,
    lines: Vec<Line>,
}

/// A turn is named by its session and its place there, from 0, with a colon between.
#[derive(Deserialize)]
struct Line {
    id: String,
    q: Vec<String>,
}

impl Cues {
    /// Reads a file of questions. Where there is no such file there are none.
    pub(super) fn read(path: PathBuf) -> Result<Option<Self>, StudyError> {
        if !path.is_file() {
            return Ok(None);
        }
        Ok(Some(Self { lines: lines_of(&path)?, path }))
    }

    /// The set of these questions among all turns of the sessions; of the questions those on sessions that `asks` names.
    ///
    /// What else was said in a turn's session is never a wrong answer: in a chat with an assistant a session is about one thing.
    pub(super) fn set(
        &self,
        name: String,
        sessions: &[Session],
        asks: impl Fn(&str) -> bool,
    ) -> Result<TrainingSet, StudyError> {
        let (passages, places) = turns(sessions);
        let mut pairs = Vec::new();
        for line in &self.lines {
            let (session, of_session, passage) =
                found(&line.id, &places).ok_or_else(|| unknown(&self.path, &line.id))?;
            if !asks(session) {
                continue;
            }
            let pair = |question: &String| TrainingPair {
                questions: vec![question.clone()],
                passage,
                also: of_session.to_vec(),
            };
            pairs.extend(line.q.iter().map(pair));
        }
        let weight = CUES * (pairs.len() as f64 / MANY_CUES).min(1.0);
        Ok(TrainingSet { name, passages, pairs, weight, ..TrainingSet::default() })
    }
}

/// A turn's session, the places of the session's turns, and its own.
fn found<'a>(id: &'a str, places: &'a BTreeMap<&str, Vec<usize>>) -> Option<(&'a str, &'a [usize], usize)> {
    let (session, place) = id.rsplit_once(':')?;
    let of_session = places.get(session)?;
    let passage = of_session.get(place.parse::<usize>().ok()?)?;
    Some((session, of_session, *passage))
}

/// All turns in the forms that they are searched in, and the places of each session's.
pub(super) fn turns(sessions: &[Session]) -> (Vec<Vec<String>>, BTreeMap<&str, Vec<usize>>) {
    let mut passages = Vec::new();
    let mut places: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for session in sessions {
        for (by_assistant, text) in &session.said {
            places.entry(&session.id).or_default().push(passages.len());
            passages.push(forms(*by_assistant, text));
        }
    }
    (passages, places)
}

/// A turn with who said it and without.
pub(super) fn forms(by_assistant: bool, text: &str) -> Vec<String> {
    let speaker = if by_assistant { "Assistant" } else { "User" };
    vec![passage(Some(speaker), text, None), text.to_owned()]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sessions() -> [Session; 2] {
        let session = |id: &str, said: &[(bool, &str)]| Session {
            id: id.to_owned(),
            said: said.iter().map(|(by_assistant, text)| (*by_assistant, (*text).to_owned())).collect(),
        };
        [
            session("tea", &[(false, "Which tea is mild?"), (true, "Silver needle.")]),
            session("a:b", &[(false, "How do I prune figs?"), (true, "In late winter.")]),
        ]
    }

    fn cues(lines: &str) -> Cues {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("cues.jsonl");
        std::fs::write(&path, lines).unwrap();
        Cues::read(path).unwrap().unwrap()
    }

    #[test]
    fn questions_find_their_turn_and_spare_its_session() {
        let lines = "{\"id\": \"a:b:1\", \"q\": [\"When are figs cut?\", \"And when were they?\"]}\n\n\
                     {\"id\": \"tea:0\", \"q\": [\"What did I want of tea?\"]}\n";
        let set = cues(lines).set("chats".to_owned(), &sessions(), |_| true).unwrap();
        assert_eq!(set.passages[3], ["Assistant: In late winter.", "In late winter."]);
        let found: Vec<_> = set.pairs.iter().map(|pair| (pair.passage, pair.also.as_slice())).collect();
        assert_eq!(found, [(3, [2, 3].as_slice()), (3, &[2, 3]), (0, &[0, 1])]);
        assert_eq!((set.name.as_str(), set.weight), ("chats", 3.0 / 150.0));
        let of_tea = cues(lines).set(String::new(), &sessions(), |session| session == "tea").unwrap();
        assert_eq!((of_tea.pairs.len(), of_tea.pairs[0].passage, of_tea.passages.len()), (1, 0, 4));
    }

    #[test]
    fn questions_for_what_there_is_not_are_refused_by_name() {
        for id in ["tea:2", "tea", "tea:x", "coffee:0"] {
            let refused =
                cues(&format!("{{\"id\": {id:?}, \"q\": []}}")).set(String::new(), &sessions(), |_| true).unwrap_err();
            assert!(refused.to_string().contains(&format!("{id:?}")), "{refused}");
        }
        assert!(Cues::read("/nowhere/cues.jsonl".into()).unwrap().is_none());
    }
}
