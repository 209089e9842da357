//! Recorded cue questions: generative indexing measured without a model at hand.

use std::{collections::BTreeMap, fs, path::Path};

use aforesaid::{
    CueDraft,
    models::{checksum, files::read_regular},
    types::{CueSource, MemoryId},
};
use serde::Deserialize;

use super::{
    DataError,
    files::{MOST_BYTES, text_lines},
};

/// The word that names the folder `cues` beside the data.
pub const RECORDED: &str = "recorded";

/// Cue questions of the groups of a data set: a folder with a file `<group>.jsonl` each, a line `{"id", "q"}` a memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordedCues {
    by_group: BTreeMap<String, Vec<CueDraft>>,
    sha256: String,
}

/// A line of a file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    id: String,
    q: Vec<String>,
}

impl RecordedCues {
    /// Reads every `.jsonl` file of a folder.
    ///
    /// # Errors
    /// When there is none, or one cannot be read, or a line of it is no memory's questions.
    pub fn read(folder: &Path) -> Result<Self, DataError> {
        let list = || DataError::io("list the folder of cues", folder);
        let mut paths = Vec::new();
        for entry in fs::read_dir(folder).map_err(list())? {
            let path = entry.map_err(list())?.path();
            if path.extension().is_some_and(|end| end == "jsonl") {
                paths.push(path);
            }
        }
        paths.sort();
        let mut by_group = BTreeMap::new();
        let mut manifest = String::new();
        for path in paths {
            let bytes = read_regular(&path, MOST_BYTES).map_err(DataError::io("read the file", &path))?;
            let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            manifest.push_str(&format!("{}  {name}.jsonl\n", checksum::sha256_of_bytes(&bytes)));
            by_group.insert(name, drafts(&path.display().to_string(), &bytes)?);
        }
        if by_group.is_empty() {
            return Err(DataError::Wrong {
                place: folder.display().to_string(),
                what: "the folder of cues".to_owned(),
                found: "no .jsonl file".to_owned(),
                expected: "one a group, named after it".to_owned(),
            });
        }
        Ok(Self::new(by_group, &manifest))
    }

    /// Cue questions by group; the manifest is what `sha256sum` prints for their files.
    pub(super) fn new(by_group: BTreeMap<String, Vec<CueDraft>>, manifest: &str) -> Self {
        Self { by_group, sha256: checksum::sha256_of_bytes(manifest.as_bytes()) }
    }

    /// The questions of one memory.
    pub(super) fn draft(id: String, questions: Vec<String>, place: &str) -> Result<CueDraft, DataError> {
        let id = MemoryId::new(id).map_err(|error| DataError::Wrong {
            place: place.to_owned(),
            what: "id".to_owned(),
            found: error.to_string(),
            expected: "the id of a memory".to_owned(),
        })?;
        Ok(CueDraft { id, conversation: None, questions })
    }

    /// The sha256, in hex, of what `sha256sum` prints for the files when called in their folder.
    pub fn sha256(&self) -> &str {
        &self.sha256
    }

    /// What of a group's memories was recorded.
    pub fn of(&self, group: &str) -> &[CueDraft] {
        self.by_group.get(group).map_or(&[], Vec::as_slice)
    }

    /// The same with at most so many questions a memory, the first ones.
    pub fn at_most(mut self, questions: usize) -> Self {
        self.by_group.values_mut().flatten().for_each(|draft| draft.questions.truncate(questions));
        self
    }

    /// Where they come from, as a store keeps it.
    pub fn source() -> CueSource {
        CueSource { model: RECORDED.to_owned(), prompt: "contextual".to_owned() }
    }
}

fn drafts(file: &str, bytes: &[u8]) -> Result<Vec<CueDraft>, DataError> {
    const EXPECTED: &str = "a line of a cue file, {\"id\": ..., \"q\": [...]}";
    let draft = |(number, line): (usize, String)| {
        let Line { id, q } =
            serde_json::from_str(&line).map_err(|error| DataError::json(&error, file, number - 1, EXPECTED))?;
        RecordedCues::draft(id, q, &format!("{file}, line {number}"))
    };
    text_lines(file, bytes)?.into_iter().map(draft).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_a_group() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
        write("one.jsonl", "{\"id\": \"D1:1\", \"q\": [\"Who?\", \"What?\"]}\r\n\n{\"id\": \"D1:2\", \"q\": []}\n");
        write("two.jsonl", "");
        write("notes.txt", "not read");
        let cues = RecordedCues::read(folder.path()).unwrap();
        assert_eq!(cues.of("one").len(), 2);
        assert_eq!(cues.of("one")[0].questions, ["Who?", "What?"]);
        assert!(cues.of("two").is_empty() && cues.of("three").is_empty());
        let few = cues.clone().at_most(1);
        assert_eq!((few.of("one")[0].questions.len(), few.sha256()), (1, cues.sha256()));
        write("two.jsonl", "\n");
        assert_ne!(RecordedCues::read(folder.path()).unwrap().sha256(), cues.sha256());

        write("two.jsonl", "{\"id\": \"D1:1\", \"q\": [\"Who?\"]}\n{\"id\": \"D1:2\", \"q\": \"What?\"}\n");
        let error = RecordedCues::read(folder.path()).unwrap_err().to_string();
        assert!(error.contains("two.jsonl, line 2") && error.contains("cue file"), "{error}");
    }

    #[test]
    fn an_empty_folder_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        assert!(RecordedCues::read(folder.path()).unwrap_err().to_string().contains("no .jsonl file"));
        assert!(RecordedCues::read(&folder.path().join("nowhere")).is_err());
    }
}
