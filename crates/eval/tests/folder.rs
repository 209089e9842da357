//! Folders of data for tests.

use std::{
    fs,
    path::{Path, PathBuf},
};

use aforesaid::types::{Draft, Granularity};
use aforesaid_eval::datasets::{Benchmark, DataSet, Question};
use tempfile::TempDir;

/// A fixture that is kept beside the tests.
pub(crate) fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(name)
}

/// A folder that lasts as long as its test.
pub(crate) struct Folder(TempDir);

impl Folder {
    pub(crate) fn with(files: &[(&str, &str)]) -> Self {
        let folder = Self(tempfile::tempdir().unwrap());
        for (name, text) in files {
            let path = folder.path(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        folder
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }
}

/// The error of loading these files; it has to hold all of `parts`.
#[track_caller]
pub(crate) fn assert_refused(dataset: DataSet, unit: Granularity, files: &[(&str, &str)], parts: &[&str]) {
    let folder = Folder::with(files);
    let message = dataset.load(&folder.path(""), unit).expect_err("an error").to_string();
    assert!(parts.iter().all(|part| message.contains(part)), "{message}");
}

pub(crate) fn question<'b>(benchmark: &'b Benchmark, id: &str) -> &'b Question {
    benchmark.questions().find(|question| question.id == id).expect("a measured question of that id")
}

/// Ids of the excluded questions of one reason.
pub(crate) fn excluded<'b>(benchmark: &'b Benchmark, reason: &str) -> Vec<&'b str> {
    let excluded = benchmark.ledger.excluded.get(reason);
    excluded.into_iter().flatten().map(|question| question.question.as_str()).collect()
}

pub(crate) fn remarks<'b>(benchmark: &'b Benchmark, kind: &str) -> Vec<&'b str> {
    benchmark.ledger.remarks.get(kind).into_iter().flatten().map(String::as_str).collect()
}

/// Question and evidence of everything unresolved.
pub(crate) fn unresolved(benchmark: &Benchmark) -> Vec<(&str, &str)> {
    benchmark.ledger.unresolved.iter().map(|item| (item.question.as_str(), item.evidence.as_str())).collect()
}

/// `<session>/<id>@<time> speaker: passage` of every memory of a group.
pub(crate) fn memories(benchmark: &Benchmark, group: &str) -> Vec<String> {
    let group = benchmark.groups.iter().find(|known| known.id == group).expect("a group of that id");
    let line = |memory: &Draft| match memory {
        Draft::Turn(turn) => {
            let at = turn.said_at.map(|at| format!("@{at}")).unwrap_or_default();
            let id = turn.id.as_ref().unwrap();
            assert_eq!(turn.conversation.as_str(), group.id);
            format!("{}/{id}{at} {}", turn.session, memory.passage())
        }
        Draft::Note(note) => {
            assert_eq!(note.conversation.as_ref().unwrap().as_str(), group.id);
            format!("{} {}", note.id.as_ref().unwrap(), memory.passage())
        }
    };
    group.memories.iter().map(line).collect()
}
