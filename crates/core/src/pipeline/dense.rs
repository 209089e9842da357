//! The dense leg: cosines of turns, pooled into sessions.

use super::{cues::BestRows, preset::Votes, scope::Candidates};
use crate::{
    dense::{DenseIndex, Pooling},
    index::Index,
    types::Unit,
};

/// Cosines of one query, by text position, and the unit scores made of them.
pub(super) struct DenseScores {
    /// By text position, for sessions only; `None` outside the candidates or without a vector.
    pub(super) turns: Vec<Option<f64>>,
    /// In unit order. A candidate without a vector that speaks for it takes the mean of the others: neutral.
    pub(super) units: Vec<f64>,
    /// In unit order: whether a vector speaks for it, its own or one of its cues where those vote.
    pub(super) known: Vec<bool>,
}

/// `own` are the cosines of the candidate texts, `others` those of what else may speak for texts.
pub(super) fn score(
    dense: &DenseIndex,
    (pooling, votes): (Pooling, Votes),
    index: &Index,
    candidates: &Candidates,
    unit: Unit,
    (own, others): (&[Option<f64>], Option<&BestRows>),
) -> DenseScores {
    let mut found = own.to_vec();
    if let Some(others) = others {
        for (&text, score) in candidates.texts.iter().zip(&mut found) {
            let other = others.score(text);
            *score = match votes {
                Votes::Text => *score,
                Votes::Passage => other.or(*score),
                Votes::Questions => score.zip(other).map(|(own, other)| own.max(other)).or(*score).or(other),
            };
        }
    }
    if unit == Unit::Turn {
        return DenseScores::new(Vec::new(), found);
    }
    let mut turns = vec![None; index.documents().len()];
    for (&text, similarity) in candidates.texts.iter().zip(&found) {
        turns[text as usize] = *similarity;
    }
    let mut similarities = Vec::new();
    let pool = |&session: &u32| {
        let members = candidates.turns_of(index, session);
        similarities.clear();
        similarities.extend(members.iter().filter_map(|&text| turns[text as usize]));
        pooling.pool(&mut similarities, || dense.mean_norm(members))
    };
    let units = candidates.sessions.iter().map(pool).collect();
    DenseScores::new(turns, units)
}

impl DenseScores {
    fn new(turns: Vec<Option<f64>>, units: Vec<Option<f64>>) -> Self {
        let known = units.iter().map(Option::is_some).collect();
        Self { turns, units: fill(units), known }
    }
}

/// Scores with the mean of the others where there is none: neutral.
pub(super) fn fill(scores: Vec<Option<f64>>) -> Vec<f64> {
    let (sum, count) = scores.iter().flatten().fold((0.0, 0.0), |(sum, count), score| (sum + score, count + 1.0));
    let mean = if count > 0.0 { sum / count } else { 0.0 };
    scores.into_iter().map(|score| score.unwrap_or(mean)).collect()
}
