//! Turns of the dialogues with the questions that they answer, as their authors wrote them.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
};

use aforesaid::{
    analysis::SpeakerName,
    models::training::{TrainingPair, TrainingSet},
    types::passage,
};
use serde::Deserialize;

use super::{forms_of, lines_of, parse, text_of};
use crate::StudyError;

#[derive(Deserialize)]
struct Line {
    speaker: String,
    text: String,
    #[serde(default)]
    q: Vec<String>,
}

#[derive(Deserialize)]
struct Split {
    train: BTreeSet<String>,
}

/// One set a conversation of the train side.
pub(super) fn sets(folder: &Path) -> Result<Vec<TrainingSet>, StudyError> {
    let path = folder.join("splits.json");
    let splits: BTreeMap<String, Split> = parse(&path, &text_of(&path)?)?;
    let train: BTreeSet<String> = splits.into_values().flat_map(|split| split.train).collect();
    train.iter().map(|name| set(name, &folder.join(format!("{name}.jsonl")))).collect()
}

fn set(name: &str, path: &Path) -> Result<TrainingSet, StudyError> {
    let lines: Vec<Line> = lines_of(path)?;
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
    Ok(TrainingSet {
        name: name.to_owned(),
        pairs: lines.iter().enumerate().flat_map(pair).collect(),
        passages: lines.iter().map(forms).collect(),
        weight: 1.0,
    })
}
