//! What a leg is: one kind of evidence, one file, one trait.

use std::{any::Any, fmt, sync::Arc};

use super::{
    form::call::Call,
    matches::{FeatureMatch, TermMatch},
    request::{LegHit, SearchContext},
    shared::{SharedReads, TermWeights},
    vectors::VectorUse,
};
use crate::{
    analysis::Analyzer, error::StoreError, explain::Explain, index::Index, types::CueId, windows::NumberedWindow,
};

/// One kind of evidence about candidates, with its parameters.
///
/// A leg fills a [`Column`] of the table of signals. Search, fusion, boosts, explanations, `why` and the JSON read the
/// table; none of them knows a leg by name. To add one, implement this trait and put it into a [`super::Pipeline`].
pub trait Leg: fmt::Debug + Any + Send + Sync {
    /// Its name: the column's, and the key in JSON. Unique within a pipeline.
    fn name(&self) -> &'static str;

    /// How it is written in a pipeline, such as `dense(max)`; `analyzer` is the pipeline's.
    fn form(&self, analyzer: Analyzer) -> String;

    /// Scores the candidates of `input`; `None` where the leg has nothing to go by, such as no vectors.
    ///
    /// # Errors
    /// When the store fails.
    fn score(&self, input: &LegInput<'_>) -> Result<Option<Box<dyn Column>>, StoreError>;

    /// Whether its best candidates enter the pool that is fused. One that does not is scored on the pool only.
    fn feeds_pool(&self) -> bool {
        true
    }

    /// Which vectors it compares with the query's; `None` for none.
    fn vectors(&self) -> Option<VectorUse<'_>> {
        None
    }

    /// How it weighs terms, for other legs that score words; `None` where it scores none.
    fn term_weights(&self) -> Option<TermWeights> {
        None
    }

    /// The most edits at which another term takes the place of one of the query that nothing holds; 0 for none.
    fn spelling(&self) -> u8 {
        0
    }

    /// The leg for a history without cue questions; `None` where it is the same.
    fn without_cues(&self) -> Option<Arc<dyn Leg>> {
        None
    }
}

/// What a leg scores, and what it reads.
#[derive(Clone, Copy)]
pub struct LegInput<'a> {
    /// The request and the index.
    pub context: SearchContext<'a>,
    /// Candidates to score: text positions of turns and notes, or session numbers; ascending.
    pub units: &'a [u32],
    pub(super) shared: &'a dyn SharedReads,
}

/// The scores of one leg for the candidates of one request.
///
/// A place is that of a candidate among the [`LegInput::units`] the column was made for.
pub trait Column: Send + Sync {
    /// One score a candidate, by place.
    fn scores(&self) -> &[f64];

    /// The least a score can be; `None` where that depends on the candidates.
    fn floor(&self) -> Option<f64> {
        None
    }

    /// Whether a score is evidence enough to be a hit.
    fn is_evidence(&self, score: f64) -> bool {
        self.floor().is_none_or(|floor| score > floor)
    }

    /// Whether a score alone is a reason to show a candidate, where the leg feeds the pool.
    fn suffices(&self, score: f64) -> bool {
        self.is_evidence(score)
    }

    /// Whether a score can bring a candidate into the pool, where the leg feeds it.
    fn enters_pool(&self, _score: f64) -> bool {
        true
    }

    /// Whether a vector speaks for a candidate; `None` where the leg compares none.
    fn has_vector(&self, _place: usize) -> Option<bool> {
        None
    }

    /// The leg's scores of the turns of one session, by text position, to choose those shown with it; `None` where it
    /// scores no turns.
    fn turn_scores(&self, _turns: &[u32]) -> Option<Vec<f64>> {
        None
    }

    /// The cosine of a turn and the query, by text position.
    fn cosine(&self, _context: SearchContext<'_>, _turn: u32) -> Option<f64> {
        None
    }

    /// The window of a text that the leg finds best; `None` where the text has one, or the leg compares none.
    fn best_window(&self, _index: &Index, _text: u32) -> Option<NumberedWindow> {
        None
    }

    /// The texts with the best words, best first, whoever said them.
    fn best_texts(&self, _context: SearchContext<'_>) -> Vec<u32> {
        Vec::new()
    }

    /// The cue question that speaks most for some texts, or that none does; `None` where the leg reads no cue questions.
    fn best_cue(&self, _context: SearchContext<'_>, _texts: &[u32]) -> Option<Option<CueId>> {
        None
    }

    /// How a candidate came to its score; `None` where there is no more to say than the score and its rank.
    fn explain(&self, _context: SearchContext<'_>, _place: usize, _hit: Option<LegHit>) -> Option<Explain> {
        None
    }

    /// The query's terms as a candidate sees them.
    fn terms(&self, _context: SearchContext<'_>, _place: usize) -> Vec<TermMatch> {
        Vec::new()
    }

    /// The features of an answer that the query leads one to expect, and whether a candidate has them.
    fn features(&self, _context: SearchContext<'_>, _place: usize) -> Vec<FeatureMatch> {
        Vec::new()
    }

    /// What speaks for a hit, as a fragment such as `it holds "kite"`; `None` says its rank.
    fn strength(&self, _context: SearchContext<'_>, _place: usize) -> Option<String> {
        None
    }

    /// What a candidate lacks beside the one at place `cut`, as a fragment such as `it lacks "kite"`.
    fn weakness(&self, _context: SearchContext<'_>, _place: usize, _cut: usize) -> Option<String> {
        None
    }

    /// The signals that its scores are made from, each with one value a place; empty where the score is the only one.
    ///
    /// They are computed only when somebody asks.
    fn signals(&self, _context: SearchContext<'_>, _places: &[usize]) -> Vec<(&'static str, Vec<f64>)> {
        Vec::new()
    }
}

/// A column of plain scores.
#[derive(Debug, Clone, PartialEq)]
pub struct Scores {
    scores: Vec<f64>,
    floor: Option<f64>,
}

impl Scores {
    /// One score a candidate, by place, and the least a score can be: a candidate that has it was not found.
    pub fn new(scores: Vec<f64>, floor: Option<f64>) -> Self {
        Self { scores, floor }
    }
}

impl Column for Scores {
    fn scores(&self) -> &[f64] {
        &self.scores
    }

    fn floor(&self) -> Option<f64> {
        self.floor
    }
}

/// Reads a leg from the text form of a pipeline.
#[derive(Debug, Clone, Copy)]
pub struct LegReader {
    /// The word in front of the bracket.
    pub word: &'static str,
    /// Reads the arguments; what is wrong with them is an error in one sentence.
    pub read: fn(&Call<'_>) -> Result<ReadLeg, String>,
}

/// A leg that was read.
#[derive(Debug, Clone)]
pub struct ReadLeg {
    /// The leg.
    pub leg: Arc<dyn Leg>,
    /// The analyzer it names, if any.
    pub analyzer: Option<Analyzer>,
}

impl LegReader {
    /// A leg without parameters.
    ///
    /// # Errors
    /// When there are any.
    pub fn plain(call: &Call<'_>, leg: impl Leg) -> Result<ReadLeg, String> {
        match call.arguments.first() {
            None => Ok(ReadLeg { leg: Arc::new(leg), analyzer: None }),
            Some(argument) => Err(format!("{} has no parameters, found {:?}", call.name, argument.text)),
        }
    }
}

impl PartialEq for dyn Leg {
    /// Two legs are equal when they are written alike.
    fn eq(&self, other: &Self) -> bool {
        self.name() == other.name() && self.form(Analyzer::English) == other.form(Analyzer::English)
    }
}

impl dyn Leg {
    /// The leg, if it is of type `L`.
    pub fn downcast<L: Leg>(&self) -> Option<&L> {
        (self as &dyn Any).downcast_ref()
    }
}
