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
    dev: BTreeSet<String>,
}

/// A question of the dev side. Further questions name their side, the others are on that of their conversation.
#[derive(Deserialize)]
struct Query {
    query: String,
    gold_ids: Vec<String>,
    side: Option<String>,
}

/// A conversation with the questions of its dev side.
pub(super) struct DevConversation {
    pub(super) set: TrainingSet,
    pub(super) has_assistant: bool,
}

/// Further questions for a turn.
#[derive(Deserialize)]
struct Cues {
    id: String,
    q: Vec<String>,
}

/// One set a conversation of the train side, with the questions of `cues/NAME.jsonl` where there are.
pub(super) fn sets(folder: &Path, cues: &Path) -> Result<Vec<TrainingSet>, StudyError> {
    let train: BTreeSet<String> = splits(folder)?.into_iter().flat_map(|split| split.train).collect();
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

fn splits(folder: &Path) -> Result<Vec<Split>, StudyError> {
    let path = folder.join("splits.json");
    parse::<BTreeMap<String, Split>>(&path, &text_of(&path)?).map(|splits| splits.into_values().collect())
}

/// The conversations of the dev side.
pub(super) fn dev(folder: &Path) -> Result<Vec<DevConversation>, StudyError> {
    let dev: BTreeSet<String> = splits(folder)?.into_iter().flat_map(|split| split.dev).collect();
    dev.iter().map(|name| dev_of(folder, name)).collect()
}

fn dev_of(folder: &Path, name: &str) -> Result<DevConversation, StudyError> {
    let lines: Vec<Line> = lines_of(&folder.join(format!("{name}.jsonl")))?;
    let set = TrainingSet {
        name: name.to_owned(),
        pairs: asked(folder, name, &lines)?,
        passages: lines.iter().map(forms).collect(),
        ..TrainingSet::default()
    };
    Ok(DevConversation { set, has_assistant: lines.iter().any(|line| line.speaker == "Assistant") })
}

/// The labelled questions of a conversation that are on the dev side.
fn asked(folder: &Path, name: &str, lines: &[Line]) -> Result<Vec<TrainingPair>, StudyError> {
    let places: HashMap<&str, usize> =
        lines.iter().enumerate().map(|(place, line)| (line.id.as_str(), place)).collect();
    let speakers = speakers(lines);
    let mut pairs = Vec::new();
    for path in ["questions", "further"].map(|kind| folder.join(format!("{name}.{kind}.jsonl"))) {
        let queries = if path.is_file() { lines_of::<Query>(&path)? } else { Vec::new() };
        for query in queries.iter().filter(|query| query.side.as_ref().is_none_or(|side| side == "dev")) {
            let place = |id: &String| places.get(id.as_str()).copied().ok_or_else(|| unknown(&path, id));
            let gold: Vec<usize> = query.gold_ids.iter().map(place).collect::<Result<_, _>>()?;
            if let [passage, also @ ..] = gold.as_slice() {
                // Searches leave names out.
                let questions = forms_of(&query.query, &speakers).into_iter().rev().collect();
                pairs.push(TrainingPair { questions, passage: *passage, also: also.to_vec() });
            }
        }
    }
    Ok(pairs)
}

/// One set a conversation of a folder that is all to learn from: its cue questions and the labelled ones.
pub(super) fn further(folder: &Path) -> Result<Vec<TrainingSet>, StudyError> {
    let set = |name: String| {
        let lines: Vec<Line> = lines_of(&folder.join(format!("{name}.jsonl")))?;
        let mut set = self::set(&name, &lines);
        set.pairs.extend(asked(folder, &name, &lines)?);
        Ok(set)
    };
    let name = |path: PathBuf| path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let of_turns = |name: &String| ![".questions", ".further"].iter().any(|end| name.ends_with(end));
    files_in(folder, "jsonl")?.into_iter().map(name).filter(of_turns).map(set).collect()
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

fn speakers(lines: &[Line]) -> Vec<SpeakerName> {
    let names: BTreeSet<&str> = lines.iter().map(|line| line.speaker.as_str()).collect();
    names.into_iter().map(SpeakerName::new).collect()
}

/// A turn with who said it and without.
fn forms(line: &Line) -> Vec<String> {
    vec![passage(Some(&line.speaker), &line.text, None), line.text.clone()]
}

fn set(name: &str, lines: &[Line]) -> TrainingSet {
    let speakers = speakers(lines);
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
        ..TrainingSet::default()
    }
}
