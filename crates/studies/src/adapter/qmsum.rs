//! QMSum's questions on meetings, and in the span that answers each the turn that holds most of its answer.

use std::{collections::HashSet, path::Path};

use aforesaid::{
    analysis::Analyzer,
    models::training::{TrainingPair, TrainingSet},
    types::passage,
};
use serde::Deserialize;

use super::lines_of;
use crate::StudyError;

/// Meetings of a set.
const TOGETHER: usize = 8;
/// How often such a set is drawn, beside a conversation of the dialogues.
const WEIGHT: f64 = 0.15;
/// Words of a turn that may be one.
const LEAST_WORDS: usize = 12;

#[derive(Deserialize)]
struct Meeting {
    specific_query_list: Vec<Query>,
    meeting_transcripts: Vec<Turn>,
}

#[derive(Deserialize)]
struct Query {
    query: String,
    answer: String,
    relevant_text_span: Vec<[String; 2]>,
}

#[derive(Deserialize)]
struct Turn {
    speaker: String,
    content: String,
}

/// One set of several meetings each: a meeting alone has six questions.
pub(super) fn sets(folder: &Path) -> Result<Vec<TrainingSet>, StudyError> {
    let meetings: Vec<Meeting> = lines_of(&folder.join("train.jsonl"))?;
    let set = |(number, meetings): (usize, &[Meeting])| {
        let mut set = TrainingSet { name: format!("qmsum-{number}"), weight: WEIGHT, ..TrainingSet::default() };
        meetings.iter().for_each(|meeting| add(meeting, &mut set));
        set
    };
    Ok(meetings.chunks(TOGETHER).enumerate().map(set).collect())
}

fn add(meeting: &Meeting, set: &mut TrainingSet) {
    let first = set.passages.len();
    let turns = &meeting.meeting_transcripts;
    let forms = |turn: &Turn| vec![passage(Some(&turn.speaker), &turn.content, None), turn.content.clone()];
    set.passages.extend(turns.iter().map(forms));
    let terms = |text: &str| Analyzer::English.query_terms(text).into_iter().collect::<HashSet<String>>();
    let held: Vec<HashSet<String>> = turns.iter().map(|turn| terms(&turn.content)).collect();
    for query in &meeting.specific_query_list {
        let sought = terms(&query.answer);
        let in_span: Vec<usize> = query.relevant_text_span.iter().flat_map(|span| range(span, turns.len())).collect();
        let is_long = |place: &&usize| turns[**place].content.split_whitespace().count() >= LEAST_WORDS;
        let best = in_span.iter().filter(is_long).max_by_key(|place| held[**place].intersection(&sought).count());
        if let Some(best) = best {
            let also = in_span.iter().map(|place| first + place).collect();
            set.pairs.push(TrainingPair { questions: vec![query.query.clone()], passage: first + best, also });
        }
    }
}

/// The turns of a span, those that there are.
fn range([from, to]: &[String; 2], turns: usize) -> std::ops::Range<usize> {
    match (from.trim().parse::<usize>(), to.trim().parse::<usize>()) {
        (Ok(from), Ok(to)) if from <= to => from.min(turns)..to.saturating_add(1).min(turns),
        _ => 0..0,
    }
}
