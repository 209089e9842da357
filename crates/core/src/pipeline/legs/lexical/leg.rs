//! Parameters of the lexical leg.

use super::features::AnswerFeatures;
use crate::{
    lexical::{Bm25, Neighbours},
    types::Granularity,
};

/// Weights of sessions and of turns; not negative.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct UnitWeights {
    /// Weight of the session's BM25.
    pub session: f64,
    /// Weight of the turn's score.
    pub turn: f64,
}

/// How texts are scored by their words.
///
/// A turn's score is its BM25 with its neighbours, divided by its standard deviation over the candidates, plus what its
/// [features](AnswerFeatures) add, plus the BM25 of its session, as many deviations. A session has the score of its best
/// turn in place of the turn's. Where neither sessions nor features count, BM25 stays as it is. A candidate without any
/// term of the query scores exactly 0, every other above.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LexicalLeg {
    /// BM25 parameters of turns and sessions.
    pub bm25: Bm25,
    /// Weight of the BM25 of two neighbouring terms of the query that stand side by side; not negative.
    pub bigrams: f64,
    /// How the words of its neighbours count for a turn.
    pub neighbours: Neighbours,
    /// How the words of their cue questions count for a session and for a turn, beside their own; not negative.
    pub cues: UnitWeights,
    /// Features of the turn that answers, besides words.
    pub features: AnswerFeatures,
    /// Weights in a session's score.
    pub sessions: UnitWeights,
    /// Weights in a turn's score.
    pub turns: UnitWeights,
    /// The most edits at which another term takes the place of one that nothing holds, for the whole pipeline; 0 for none.
    pub spelling: u8,
}

impl LexicalLeg {
    /// The leg's name.
    pub const NAME: &'static str = "lexical";

    /// BM25 of the unit itself, nothing else.
    pub const PLAIN: LexicalLeg = LexicalLeg {
        bm25: Bm25 { k1: 1.5, b: 0.75 },
        bigrams: 0.0,
        neighbours: Neighbours::NONE,
        cues: UnitWeights { session: 0.0, turn: 0.0 },
        features: AnswerFeatures::NONE,
        sessions: UnitWeights { session: 1.0, turn: 0.0 },
        turns: UnitWeights { session: 0.0, turn: 1.0 },
        spelling: 0,
    };

    /// Its weights of sessions and turns where these are ranked.
    pub(super) fn unit_weights(&self, unit: Granularity) -> UnitWeights {
        match unit {
            Granularity::Turn => self.turns,
            Granularity::Session => self.sessions,
        }
    }
}
