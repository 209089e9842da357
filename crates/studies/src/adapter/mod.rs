//! The adapter that ships: what it is learned from.

mod dev;
mod dialogues;
mod longmemeval;
mod qmsum;
mod realmem;
mod replies;
mod sessions;
mod windows;

use std::{fs, path::Path};

use aforesaid::{
    analysis::{Analyzer, Question, SpeakerName},
    models::training::TrainingSet,
};
use serde::de::DeserializeOwned;

pub use self::dev::adapter_dev_sets;
use crate::{ShippableData, StudyError};

/// All sets that may be learned from, by name: the dialogues' train side, RealMem, LongMemEval's sessions, QMSum.
///
/// LoCoMo and BEAM, whose licences do not allow a checkpoint, are none of them. Of the dialogues, conversations on the test
/// side are not read, and no test question is; of LongMemEval four fifths of the distractor sessions are. Of RealMem three
/// personas are learned from, with their labelled queries: what is learned is measured on the other personas alone.
///
/// # Errors
/// When the files of a folder that is there cannot be read. A data set whose folder is not there is left out.
pub fn adapter_sets(sources: ShippableData<'_>) -> Result<Vec<TrainingSet>, StudyError> {
    let mut sets = dialogues::sets(sources.dialogues, &sources.cues.join("dialogues"))?;
    if sources.conversations.is_dir() {
        sets.extend(dialogues::further(sources.conversations)?);
    }
    let [realmem_cues, longmemeval_cues] = ["realmem", "longmemeval"].map(|folder| sources.cues.join(folder));
    let readers: [(&str, &Reader<'_>); 3] = [
        ("realmem", &|folder| realmem::sets(folder, &realmem_cues)),
        ("longmemeval", &|folder| longmemeval::sets(folder, &longmemeval_cues)),
        ("qmsum", &qmsum::sets),
    ];
    for (folder, read) in readers {
        let folder = sources.data.join(folder);
        if folder.is_dir() {
            sets.extend(read(&folder)?);
        }
    }
    Ok(sets.into_iter().map(windows::split).collect())
}

/// Reads the sets of a data set's folder.
type Reader<'a> = dyn Fn(&Path) -> Result<Vec<TrainingSet>, StudyError> + 'a;

/// A question for a turn that there is not.
fn unknown(path: &Path, id: &str) -> StudyError {
    let found = format!("questions for {id:?}, expected the id of a turn of its conversation");
    StudyError::Data { path: path.to_owned(), found }
}

/// The forms of a question: as it is, and without the names of the speakers.
fn forms_of(question: &str, speakers: &[SpeakerName]) -> Vec<String> {
    let bare = Question::new(question, Analyzer::English).without_names(speakers);
    if bare == question { vec![bare] } else { vec![question.to_owned(), bare] }
}

/// A file's text.
fn text_of(path: &Path) -> Result<String, StudyError> {
    fs::read_to_string(path).map_err(|source| StudyError::Data { path: path.to_owned(), found: source.to_string() })
}

fn parse<T: DeserializeOwned>(path: &Path, text: &str) -> Result<T, StudyError> {
    serde_json::from_str(text).map_err(|error| StudyError::Data { path: path.to_owned(), found: error.to_string() })
}

/// The lines of a file of JSON lines.
fn lines_of<T: DeserializeOwned>(path: &Path) -> Result<Vec<T>, StudyError> {
    text_of(path)?.lines().filter(|line| !line.trim().is_empty()).map(|line| parse(path, line)).collect()
}

/// The files in a folder with an extension, by name.
fn files_in(folder: &Path, extension: &str) -> Result<Vec<std::path::PathBuf>, StudyError> {
    let unreadable = |source: std::io::Error| StudyError::Data { path: folder.to_owned(), found: source.to_string() };
    let entries = fs::read_dir(folder).map_err(unreadable)?;
    let mut paths =
        entries.map(|entry| entry.map(|entry| entry.path())).collect::<Result<Vec<_>, _>>().map_err(unreadable)?;
    paths.retain(|path| path.extension().is_some_and(|found| found == extension));
    paths.sort();
    Ok(paths)
}
