//! Turns of the dialogues with the questions that they answer, as their authors wrote them.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    path::{Path, PathBuf},
};

use aforesaid::{
    analysis::SpeakerName,
    models::training::{TrainingPair, TrainingSet},
    types::passage,
};
use serde::Deserialize;

use super::{files_in, forms_of, lines_of, parse, text_of, unknown};
use crate::StudyError;

/// Hard passages of a step: a third as many as it has questions.
const NEGATIVES: usize = 16;

#[derive(Deserialize)]
struct Line {
    id: String,
    speaker: String,
    text: String,
    #[serde(default)]
    q: Vec<String>,
}

#[derive(Deserialize)]
struct Split {
    train: BTreeSet<String>,
}

/// Further questions for a turn.
#[derive(Deserialize)]
struct Cues {
    id: String,
    q: Vec<String>,
}

/// One set a conversation of the train side, with the questions of `cues/NAME.jsonl` where there are.
pub(super) fn sets(folder: &Path, cues: &Path) -> Result<Vec<TrainingSet>, StudyError> {
    let path = folder.join("splits.json");
    let splits: BTreeMap<String, Split> = parse(&path, &text_of(&path)?)?;
    let train: BTreeSet<String> = splits.into_values().flat_map(|split| split.train).collect();
    let set = |name: &String| {
        let mut lines: Vec<Line> = lines_of(&folder.join(format!("{name}.jsonl")))?;
        let path = cues.join(format!("{name}.jsonl"));
        if path.is_file() {
            add(&lines_of::<Cues>(&path)?, &mut lines, &path)?;
        }
        Ok(self::set(name, &lines))
    };
    train.iter().map(set).collect()
}

/// One set a conversation, from files that have its turns.
pub(super) fn further(folder: &Path) -> Result<Vec<TrainingSet>, StudyError> {
    let set = |path: &PathBuf| {
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        Ok(self::set(&name, &lines_of::<Line>(path)?))
    };
    files_in(folder, "jsonl")?.iter().map(set).collect()
}

/// Gives the questions to the turns that they are for.
fn add(cues: &[Cues], lines: &mut [Line], path: &Path) -> Result<(), StudyError> {
    let places: HashMap<String, usize> =
        lines.iter().enumerate().map(|(place, line)| (line.id.clone(), place)).collect();
    for cue in cues {
        let place = places.get(&cue.id).ok_or_else(|| unknown(path, &cue.id))?;
        lines[*place].q.extend(cue.q.iter().cloned());
    }
    Ok(())
}

fn set(name: &str, lines: &[Line]) -> TrainingSet {
    let speakers: BTreeSet<&str> = lines.iter().map(|line| line.speaker.as_str()).collect();
    let speakers: Vec<SpeakerName> = speakers.into_iter().map(SpeakerName::new).collect();
    let forms = |line: &Line| vec![passage(Some(&line.speaker), &line.text, None), line.text.clone()];
    let pair = |(place, line): (usize, &Line)| {
        let of_question = |question: &String| TrainingPair {
            questions: forms_of(question, &speakers),
            passage: place,
            also: Vec::new(),
        };
        line.q.iter().map(of_question).collect::<Vec<_>>()
    };
    TrainingSet {
        name: name.to_owned(),
        pairs: lines.iter().enumerate().flat_map(pair).collect(),
        passages: lines.iter().map(forms).collect(),
        weight: 1.0,
        negatives: NEGATIVES,
    }
}
