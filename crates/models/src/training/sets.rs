//! What is learned from: questions and the passages that answer them.

use std::collections::HashMap;

use crate::bert::Sequence;

/// Questions with the passages of one history, among which each is looked for.
#[derive(Debug, Clone, Default)]
pub struct TrainingSet {
    /// Its name in reports.
    pub name: String,
    /// What is searched. Each has one form or several, of which every step takes one.
    pub passages: Vec<Vec<String>>,
    /// The questions.
    pub pairs: Vec<TrainingPair>,
    /// How often it is drawn, beside other sets.
    pub weight: f64,
    /// Passages more of each step on it: those that the model takes for its questions' own most easily. They are looked for
    /// once, before the first step.
    pub negatives: usize,
    /// The part of what is learned from it that the model itself teaches, as it was before the first step: how it ranks
    /// the passages of a batch is that part of the target. In [0, 1]; more of it forgets less.
    pub base_share: f32,
}

/// A question and the passage that answers it.
#[derive(Debug, Clone, Default)]
pub struct TrainingPair {
    /// The question. It has one form or several, of which every step takes one.
    pub questions: Vec<String>,
    /// The passage that answers it, by its place.
    pub passage: usize,
    /// Passages that answer it too: they are never taken for wrong ones.
    pub also: Vec<usize>,
}

/// A set as tokens.
pub(super) struct ReadSet {
    pub(super) passages: Vec<Vec<Sequence>>,
    pub(super) questions: Vec<Vec<Sequence>>,
    pub(super) targets: Vec<usize>,
    pub(super) also: Vec<Vec<usize>>,
    pub(super) weight: f64,
    pub(super) negatives: usize,
    pub(super) base_share: f32,
    /// Of each question, hard passages that do not answer it.
    pub(super) hard: Vec<Vec<usize>>,
    /// The vectors of passages that keep theirs, `[passages, dim]`; empty where they get others.
    pub(super) fixed: Vec<f32>,
}

impl ReadSet {
    /// Whether a passage answers a question.
    pub(super) fn answers(&self, question: usize, passage: usize) -> bool {
        self.targets[question] == passage || self.also[question].contains(&passage)
    }
}

/// Of each pair the passages that answer its question too: what it says, and the passages of pairs with the same question.
pub(super) fn all_answers(set: &TrainingSet) -> Vec<Vec<usize>> {
    let mut asked: HashMap<&str, Vec<usize>> = HashMap::new();
    for pair in &set.pairs {
        asked.entry(pair.questions.first().map_or("", String::as_str)).or_default().push(pair.passage);
    }
    let of_pair = |pair: &TrainingPair| {
        let same = pair.questions.first().and_then(|question| asked.get(question.as_str()));
        let mut also = pair.also.clone();
        also.extend(same.into_iter().flatten().filter(|place| **place != pair.passage));
        also
    };
    set.pairs.iter().map(of_pair).collect()
}
