//! The scores of the lexical leg.

use super::{
    bm25_scores::Bm25Scores,
    features::{AnswerFeatures, ExpectedFeatures, TurnFeatures},
    leg::LexicalLeg,
};
use crate::{
    analysis::Question,
    fusion::mean_and_deviation_with,
    index::Index,
    pipeline::{cue_terms::CueTerms, scope::Candidates},
    ranking::{Ranking, Scored, best_places},
    types::Granularity,
};

/// Scores of one query over an index.
pub(super) struct LexicalScores {
    /// Of each turn by text position, without its session.
    pub(super) turns: Vec<f64>,
    /// Of each candidate, in unit order.
    pub(super) units: Vec<f64>,
    pub(super) bm25: Bm25Scores,
    pub(super) expected: ExpectedFeatures,
    pub(super) scales: Scales,
}

/// What signals are divided by; 1 where they are not.
#[derive(Debug, Clone, Copy)]
pub(super) struct Scales {
    /// BM25 of a turn.
    pub(super) turn: f64,
    /// BM25 of a session.
    pub(super) session: f64,
    /// Score of a session's best turn.
    pub(super) best: f64,
}

/// Texts with the best BM25 that confidence looks at.
const BEST_TEXTS: usize = 30;

impl LexicalScores {
    /// The candidate texts with the best BM25, whoever said them, best first; at most 30, none without a word.
    pub(super) fn best_texts(&self, candidates: &Candidates) -> Vec<u32> {
        let scored = candidates.texts.iter().map(|&text| (text as usize, self.bm25.texts[text as usize]));
        let best = best_places(scored.filter(|(_, score)| *score > 0.0), BEST_TEXTS);
        let scored = best.into_iter().map(|text| Scored { candidate: text as u32, score: self.bm25.texts[text] });
        // Scores that are no numbers are refused where hits are ranked.
        let ranking = Ranking::top(scored.collect(), BEST_TEXTS).unwrap_or_default();
        ranking.iter().map(|scored| scored.candidate).collect()
    }

    /// The turn with the best score, the first of equals.
    pub(super) fn best_turn(&self, turns: &[u32]) -> Option<u32> {
        let score = |turn: u32| self.turns[turn as usize];
        turns.iter().copied().max_by(|&a, &b| score(a).total_cmp(&score(b)).then(b.cmp(&a)))
    }
}

impl LexicalLeg {
    pub(super) fn candidate_scores(
        &self,
        index: &Index,
        candidates: &Candidates,
        (question, cue_terms): (&Question, &CueTerms<'_>),
        unit: Granularity,
    ) -> LexicalScores {
        let weights = self.unit_weights(unit);
        let bm25 = self.score_words(index, candidates, (&question.terms, cue_terms), weights);
        let expected = self.features.of(question, index);
        let mut scales = Scales { turn: 1.0, session: 1.0, best: 1.0 };
        let [texts, sessions] = [Granularity::Turn, Granularity::Session].map(|unit| candidates.count_in(index, unit));
        // Scores of one kind need no common scale with another.
        let both_count = weights.session > 0.0 && weights.turn > 0.0;
        if both_count || self.features != AnswerFeatures::NONE {
            scales.turn = deviation(texts, candidates.texts.iter().map(|&text| bm25.texts[text as usize]));
        }
        let mut turns = vec![0.0; bm25.texts.len()];
        for &text in &candidates.texts {
            let of = (bm25.texts[text as usize] / scales.turn, bm25.context_weights[text as usize]);
            turns[text as usize] = self.turn(index, text, of, &expected).0;
        }
        let documents = index.documents();
        let session = |number: u32| bm25.sessions[number as usize];
        let units = match unit {
            Granularity::Turn => {
                let of = |text: u32| documents.session_of(text).map_or(0.0, session);
                if both_count {
                    scales.session = deviation(texts, candidates.texts.iter().map(|&text| of(text)));
                }
                let score = |&text: &u32| {
                    weights.session * bm25.context_weights[text as usize] * of(text) / scales.session
                        + weights.turn * turns[text as usize]
                };
                candidates.texts.iter().map(score).collect()
            }
            Granularity::Session => {
                let best = |&number: &u32| {
                    candidates.turns_of(index, number).iter().map(|&text| turns[text as usize]).fold(0.0, f64::max)
                };
                let best: Vec<f64> = candidates.sessions.iter().map(best).collect();
                if both_count {
                    scales.session = deviation(sessions, candidates.sessions.iter().map(|&number| session(number)));
                    scales.best = deviation(sessions, best.iter().copied());
                }
                let parts = candidates.sessions.iter().zip(&best);
                parts
                    .map(|(&number, best)| {
                        weights.session * session(number) / scales.session + weights.turn * best / scales.best
                    })
                    .collect()
            }
        };
        LexicalScores { turns, units, bm25, expected, scales }
    }

    /// A turn's score without its session, and what its features add.
    pub(super) fn turn(
        &self,
        index: &Index,
        text: u32,
        (bm25, context_weight): (f64, f64),
        expected: &ExpectedFeatures,
    ) -> (f64, TurnFeatures) {
        // Features do not make an answer of a turn without a term of the query.
        if bm25 <= 0.0 || self.features == AnswerFeatures::NONE {
            return (bm25, TurnFeatures::default());
        }
        let features = expected.of_turn(index, text, context_weight);
        // A turn that was found stays found, in the order of BM25.
        ((bm25 + features.total()).max(LEAST * bm25), features)
    }
}

/// The share of a turn's BM25 that it keeps whatever its features take.
pub(super) const LEAST: f64 = 1e-3;

/// A constant signal orders nothing, whatever it is divided by. Candidates that are not held have no term of the query.
fn deviation(candidates: usize, scores: impl Iterator<Item = f64>) -> f64 {
    let scores: Vec<f64> = scores.collect();
    mean_and_deviation_with(&scores, candidates.saturating_sub(scores.len())).1.unwrap_or(1.0)
}
