//! The best row of each text: of its cue questions, or of another kind of rows.

use std::sync::Arc;

use crate::{
    dense::{Rescore, Scan},
    error::StoreError,
    index::{Index, OwnedRows},
    pipeline::scope::Candidates,
    types::{CueId, Granularity},
};

/// The best row of each text, by text position.
#[derive(Debug)]
pub(super) struct BestRows {
    /// Its score, or [`NONE`].
    scores: Vec<f64>,
    /// Its place, or [`OWN`].
    rows: Vec<u32>,
}

/// The score of a text without any row: negative infinity, so that the maximum needs no branch.
const NONE: f64 = f64::NEG_INFINITY;
/// In the place of a row: the text's own vector is the best.
const OWN: u32 = u32::MAX;

/// Best scores by one signal.
#[derive(Debug)]
pub(super) struct Best {
    texts: Arc<BestRows>,
    /// In unit order, with a neutral score for who has none.
    pub(super) units: Vec<f64>,
    neutral: Neutral,
}

/// Gives scores where there are none.
type Neutral = fn(Vec<Option<f64>>) -> Vec<f64>;

/// Scores with the mean of the others where there is none: neutral.
pub(super) fn fill(scores: Vec<Option<f64>>) -> Vec<f64> {
    let (sum, count) = scores.iter().flatten().fold((0.0, 0.0), |(sum, count), score| (sum + score, count + 1.0));
    let mean = if count > 0.0 { sum / count } else { 0.0 };
    scores.into_iter().map(|score| score.unwrap_or(mean)).collect()
}

/// A text without a cue question shares no word with the query there.
pub(super) fn zero(scores: Vec<Option<f64>>) -> Vec<f64> {
    scores.into_iter().map(|score| score.unwrap_or(0.0)).collect()
}

impl BestRows {
    /// No text has any yet.
    pub(super) fn none(index: &Index) -> Self {
        let texts = index.documents().len();
        Self { scores: vec![NONE; texts], rows: vec![OWN; texts] }
    }

    /// Takes a row of a text if it is better than those before it.
    pub(super) fn take(&mut self, text: u32, row: u32, score: f64) {
        let (best, of) = (&mut self.scores[text as usize], &mut self.rows[text as usize]);
        let better = score > *best;
        *best = if better { score } else { *best };
        *of = if better { row } else { *of };
    }

    /// The score of a text's best row.
    pub(super) fn score(&self, text: u32) -> Option<f64> {
        Some(self.scores[text as usize]).filter(|score| *score > NONE)
    }

    /// The place and the score of a text's best row.
    pub(super) fn best(&self, text: u32) -> Option<(u32, f64)> {
        Some((self.rows[text as usize], self.score(text)?))
    }

    /// Gives texts without a row the cosine of their own vector, where they have one.
    pub(super) fn fill_with_own(&mut self, texts: &[u32], own: &[Option<f64>]) {
        for (&text, own) in texts.iter().zip(own) {
            if let (None, Some(own)) = (self.score(text), own) {
                self.scores[text as usize] = *own;
            }
        }
    }

    /// Those of rows whose vectors were compared; with the query's vector, so many of the best by their real ones.
    pub(super) fn by_cosine(
        index: &Index,
        rows: &OwnedRows,
        scan: &Scan<'_>,
        (query, n): (&[f32], usize),
        rescore: &Rescore<'_>,
    ) -> Result<Self, StoreError> {
        let (mut best, owners) = (Self::none(index), rows.owners());
        scan.each(|row, cosine| cosine.into_iter().for_each(|cosine| best.take(owners[row as usize], row, cosine)));
        if let Some(dense) = rows.dense() {
            let known = best.scores.iter().copied().enumerate().filter(|(_, score)| *score > NONE);
            let real = dense.rescored((query, n), known, |text| best.rows[text], rescore)?;
            real.into_iter().for_each(|(text, score)| best.scores[text] = score);
        }
        Ok(best)
    }
}

impl Best {
    pub(super) fn of(
        texts: Arc<BestRows>,
        index: &Index,
        candidates: &Candidates,
        unit: Granularity,
        neutral: Neutral,
    ) -> Self {
        let best = |turns: &[u32]| {
            let scores = turns.iter().filter_map(|&text| texts.score(text));
            scores.reduce(|best, next| if next > best { next } else { best })
        };
        let found = match unit {
            Granularity::Turn => candidates.texts.iter().map(|&text| texts.score(text)).collect(),
            Granularity::Session => {
                candidates.sessions.iter().map(|&session| best(candidates.turns_of(index, session))).collect()
            }
        };
        Self { texts, units: neutral(found), neutral }
    }

    /// Scores of some texts, neutral for those that have none.
    pub(super) fn of_texts(&self, texts: &[u32]) -> Vec<f64> {
        (self.neutral)(texts.iter().map(|&text| self.texts.score(text)).collect())
    }

    /// The cue question with the best score of some texts, the first of equals; `None` where that score is not above 0,
    /// or the text's own vector is the best.
    pub(super) fn cue(&self, index: &Index, texts: &[u32]) -> Option<CueId> {
        Some(CueId(index.cues()?.questions().rows().id(self.row(texts)?)))
    }

    fn row(&self, texts: &[u32]) -> Option<u32> {
        let known = texts.iter().filter_map(|&text| Some((self.texts.score(text)?, text)));
        let (score, text) = known.reduce(|best, next| if next.0 > best.0 { next } else { best })?;
        Some(self.texts.rows[text as usize]).filter(|&row| score > 0.0 && row != OWN)
    }
}

/// Rows whose vectors are compared: those of texts that may be found.
pub(super) fn compared(index: &Index, rows: &OwnedRows, candidates: &Candidates) -> Vec<u32> {
    let (all, texts) = (0..rows.len() as u32, index.documents().len());
    if candidates.texts.len() == texts {
        return all.collect();
    }
    let mut may_be_found = vec![false; texts];
    candidates.texts.iter().for_each(|&text| may_be_found[text as usize] = true);
    all.filter(|&row| may_be_found[rows.owners()[row as usize] as usize]).collect()
}
