//! Labelled questions on data sets whose text is not in this repository.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

use aforesaid_eval::datasets::{Benchmark, Group, Question};
use serde::Deserialize;

use super::histories::Kind;
use crate::StudyError;

/// The questions of a folder, by the name of their file: one JSON object a line, as in datasets/questions.
pub(super) struct LabelledQuestions(BTreeMap<String, (PathBuf, Vec<Labelled>)>);

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Labelled {
    id: String,
    query: String,
    gold_ids: Vec<String>,
    category: String,
}

impl LabelledQuestions {
    /// Reads all files of a folder; there are none where it is not there.
    ///
    /// # Errors
    /// When a file cannot be read or a line of it is no question.
    pub(super) fn read(folder: &Path) -> Result<Self, StudyError> {
        if !folder.is_dir() {
            return Ok(Self(BTreeMap::new()));
        }
        let failed = |path: &Path, found: String| StudyError::Data { path: path.to_owned(), found };
        let mut all = BTreeMap::new();
        for entry in fs::read_dir(folder).map_err(|error| failed(folder, error.to_string()))? {
            let path = entry.map_err(|error| failed(folder, error.to_string()))?.path();
            if path.extension().is_none_or(|end| end != "jsonl") {
                continue;
            }
            let text = fs::read_to_string(&path).map_err(|error| failed(&path, error.to_string()))?;
            let read = |(number, line): (usize, &str)| {
                serde_json::from_str(line).map_err(|error| failed(&path, format!("line {}: {error}", number + 1)))
            };
            let questions = text.lines().enumerate().map(read).collect::<Result<Vec<Labelled>, StudyError>>()?;
            let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            all.insert(name, (path, questions));
        }
        Ok(Self(all))
    }

    /// The histories that have questions, with these alone; `file` is the name of a history's file.
    ///
    /// # Errors
    /// When a history lacks the gold of a question.
    pub(super) fn kind(
        &self,
        name: &'static str,
        mut benchmark: Benchmark,
        file: impl Fn(&Group) -> &str,
    ) -> Result<Option<Kind>, StudyError> {
        for group in &mut benchmark.groups {
            let Some((path, labelled)) = self.0.get(file(group)) else {
                group.questions.clear();
                continue;
            };
            let questions: Result<Vec<Question>, StudyError> =
                labelled.iter().map(|labelled| labelled.on(group, path)).collect();
            group.questions = questions?;
        }
        benchmark.groups.retain(|group| !group.questions.is_empty());
        Ok((!benchmark.groups.is_empty()).then_some(Kind { name, benchmark, most: usize::MAX }))
    }
}

impl Labelled {
    fn on(&self, group: &Group, file: &Path) -> Result<Question, StudyError> {
        let there = |id: &String| group.memories.iter().any(|draft| draft.id().is_some_and(|of| of.as_str() == id));
        if let Some(id) = self.gold_ids.iter().find(|id| !there(id)) {
            let found = format!("question {}: gold {id} is no turn of {}", self.id, group.id);
            return Err(StudyError::Data { path: file.to_owned(), found });
        }
        Ok(Question {
            id: format!("{}::{}", group.id, self.id),
            text: self.query.clone(),
            gold: self.gold_ids.clone(),
            category: Some(self.category.clone()),
            before: None,
            now: None,
            answer: None,
        })
    }
}

#[cfg(test)]
mod tests {
    use aforesaid::types::{ConversationId, Draft, MemoryId, SessionId, Turn};

    use super::*;

    fn group() -> Group {
        let turn = |id: &str| {
            let session = SessionId::new("s1").unwrap();
            let turn = Turn::new(ConversationId::new("c").unwrap(), session, "Ann".to_owned(), "We moved.".to_owned());
            Draft::Turn(Turn { id: Some(MemoryId::new(id).unwrap()), ..turn })
        };
        Group { id: "c".to_owned(), memories: ["s1:1", "s1:2"].map(turn).to_vec(), questions: Vec::new() }
    }

    fn labelled(gold_ids: &[&str]) -> Labelled {
        let gold_ids = gold_ids.iter().map(|id| (*id).to_owned()).collect();
        Labelled { id: "1".to_owned(), query: "Where?".to_owned(), gold_ids, category: "plain".to_owned() }
    }

    #[test]
    fn gold_that_a_history_lacks_is_an_error_and_a_question_that_nothing_answers_is_none() {
        let asked = labelled(&["s1:2", "s1:1"]).on(&group(), Path::new("c.jsonl")).unwrap();
        assert_eq!((asked.id.as_str(), asked.gold.len()), ("c::1", 2));
        let error = labelled(&["s1:2", "s9:1"]).on(&group(), Path::new("c.jsonl")).unwrap_err().to_string();
        assert!(error.contains("question 1") && error.contains("s9:1"), "{error}");
        assert!(labelled(&[]).on(&group(), Path::new("c.jsonl")).unwrap().gold.is_empty());
    }

    #[test]
    fn a_line_that_is_no_question_is_named() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("c.jsonl"), "{\"id\": \"1\"}\n").unwrap();
        let error = LabelledQuestions::read(folder.path()).err().unwrap().to_string();
        assert!(error.contains("c.jsonl") && error.contains("line 1") && error.contains("query"), "{error}");
        assert!(LabelledQuestions::read(&folder.path().join("none")).unwrap().0.is_empty());
        fs::rename(folder.path().join("c.jsonl"), folder.path().join("README.md")).unwrap();
        assert!(LabelledQuestions::read(folder.path()).unwrap().0.is_empty(), "only .jsonl files have questions");
    }
}
