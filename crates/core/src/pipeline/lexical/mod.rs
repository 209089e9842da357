//! The lexical leg: what the words of turns and of their sessions say, and what is expected of an answer.

mod evidence;
mod expectation;
mod explain;
mod holders;
mod in_context;
mod words;

pub use evidence::{Expects, Met, Word, WordPlace};
pub use expectation::Expectation;

use self::{
    expectation::{Expected, TurnMet},
    words::Words,
};
use super::{cues::Asked, scope::Candidates};
use crate::{
    analysis::Question,
    fusion::mean_and_deviation,
    index::Index,
    lexical::{Bm25, Context},
    ranking::{Ranking, Scored, best_places},
    types::Unit,
};

/// Weights of what is said of sessions and of turns; not negative.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Mix {
    /// Weight in, or of, the session's BM25.
    pub session: f64,
    /// Weight in, or of, the (best) turn's score.
    pub turn: f64,
}

/// How texts are scored by their words.
///
/// A turn's BM25 in its context, divided by its standard deviation over the candidates, plus what it
/// [meets](Expectation) of what is expected; plus the session's BM25, as many deviations. A session has
/// its best turn's score in place of the turn's. Where neither session nor expectations count, BM25 stays
/// as it is. A candidate without any query word scores exactly 0, every other above.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LexicalLeg {
    /// BM25 parameters of turns and sessions.
    pub bm25: Bm25,
    /// Weight of the BM25 of neighbouring query words that stand side by side; not negative.
    pub pairs: f64,
    /// How the words of its neighbours count for a turn.
    pub context: Context,
    /// How the words of their cue questions count for a session and for a turn, beside their own; not negative.
    pub cues: Mix,
    /// What is expected of a turn besides words.
    pub expectation: Expectation,
    /// Signals of a session's score.
    pub sessions: Mix,
    /// Signals of a turn's score.
    pub turns: Mix,
}

/// Scores of one query over an index.
pub(super) struct LexicalScores {
    /// Of each turn by text position, its session left out.
    pub(super) turns: Vec<f64>,
    /// Of each candidate, in unit order.
    pub(super) units: Vec<f64>,
    words: Words,
    expected: Expected,
    scales: Scales,
}

/// What signals are divided by; 1 where they are not.
#[derive(Debug, Clone, Copy)]
struct Scales {
    /// BM25 of a turn.
    words: f64,
    /// BM25 of a session.
    session: f64,
    /// A session's best turn.
    best: f64,
}

/// Texts that are looked at for what they say alone.
const BY_WORDS: usize = 30;

impl LexicalScores {
    /// The candidate texts with the best BM25, whoever said them, best first; at most 30, none without a word.
    pub(super) fn best_by_words(&self, candidates: &Candidates) -> Vec<u32> {
        let scored = candidates.texts.iter().map(|&text| (text as usize, self.words.texts[text as usize]));
        let best = best_places(scored.filter(|(_, score)| *score > 0.0), BY_WORDS);
        let scored = best.into_iter().map(|text| Scored { candidate: text as u32, score: self.words.texts[text] });
        // Scores that are no numbers are refused where hits are ranked.
        let ranking = Ranking::top(scored.collect(), BY_WORDS).unwrap_or_default();
        ranking.iter().map(|scored| scored.candidate).collect()
    }

    /// The turn of the best score, the first of equals.
    fn best_turn(&self, turns: &[u32]) -> Option<u32> {
        let score = |turn: u32| self.turns[turn as usize];
        turns.iter().copied().max_by(|&a, &b| score(a).total_cmp(&score(b)).then(b.cmp(&a)))
    }
}

impl LexicalLeg {
    /// BM25 of the unit itself, nothing else.
    pub(super) const PLAIN: LexicalLeg = LexicalLeg {
        bm25: Bm25 { k1: 1.5, b: 0.75 },
        pairs: 0.0,
        context: Context::NONE,
        cues: Mix { session: 0.0, turn: 0.0 },
        expectation: Expectation::NONE,
        sessions: Mix { session: 1.0, turn: 0.0 },
        turns: Mix { session: 0.0, turn: 1.0 },
    };

    pub(super) fn score(
        &self,
        index: &Index,
        candidates: &Candidates,
        (question, asked): (&Question, &Asked<'_>),
        unit: Unit,
    ) -> LexicalScores {
        let mix = self.mix(unit);
        let words = self.score_words(index, candidates, (&question.terms, asked), mix);
        let expected = self.expectation.of(question, index);
        let mut scales = Scales { words: 1.0, session: 1.0, best: 1.0 };
        // Scores of one kind need no common measure with another.
        let mixes = mix.session > 0.0 && mix.turn > 0.0;
        if mixes || self.expectation != Expectation::NONE {
            scales.words = deviation(candidates.texts.iter().map(|&text| words.texts[text as usize]));
        }
        let mut turns = vec![0.0; words.texts.len()];
        for &text in &candidates.texts {
            let of = (words.texts[text as usize] / scales.words, words.openness[text as usize]);
            turns[text as usize] = self.turn(index, text, of, &expected).0;
        }
        let documents = index.documents();
        let session = |number: u32| words.sessions[number as usize];
        let units = match unit {
            Unit::Turn => {
                let of = |text: u32| documents.session_of(text).map_or(0.0, session);
                if mixes {
                    scales.session = deviation(candidates.texts.iter().map(|&text| of(text)));
                }
                let score = |&text: &u32| {
                    mix.session * words.openness[text as usize] * of(text) / scales.session
                        + mix.turn * turns[text as usize]
                };
                candidates.texts.iter().map(score).collect()
            }
            Unit::Session => {
                let best = |&number: &u32| {
                    candidates.turns_of(index, number).iter().map(|&text| turns[text as usize]).fold(0.0, f64::max)
                };
                let best: Vec<f64> = candidates.sessions.iter().map(best).collect();
                if mixes {
                    scales.session = deviation(candidates.sessions.iter().map(|&number| session(number)));
                    scales.best = deviation(best.iter().copied());
                }
                let parts = candidates.sessions.iter().zip(&best);
                parts
                    .map(|(&number, best)| {
                        mix.session * session(number) / scales.session + mix.turn * best / scales.best
                    })
                    .collect()
            }
        };
        LexicalScores { turns, units, words, expected, scales }
    }

    fn mix(&self, unit: Unit) -> Mix {
        match unit {
            Unit::Turn => self.turns,
            Unit::Session => self.sessions,
        }
    }

    /// A turn's score without its session, and what it met of the expectations.
    fn turn(&self, index: &Index, text: u32, (words, openness): (f64, f64), expected: &Expected) -> (f64, TurnMet) {
        // Who says nothing of the topic is not made an answer by being the right speaker.
        if words <= 0.0 || self.expectation == Expectation::NONE {
            return (words, TurnMet::default());
        }
        let met = expected.met_by(index, text, openness);
        // Words that were found stay found, in their order.
        ((words + met.total()).max(LEAST * words), met)
    }
}

/// What is left at the least of a turn's BM25 when it disappoints all expectations.
const LEAST: f64 = 1e-3;

/// A constant signal orders nothing, whatever it is divided by.
fn deviation(scores: impl Iterator<Item = f64>) -> f64 {
    mean_and_deviation(&scores.collect::<Vec<_>>()).1.unwrap_or(1.0)
}
