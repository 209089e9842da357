//! One request, and what is said of a hit.

use std::num::NonZeroUsize;

use serde::{Serialize, Serializer};

use super::{
    legs::{DateLeg, MentionLeg, TimeOrderLeg, TitleLeg, WishLeg},
    scope::Candidates,
};
use crate::{
    analysis::Question,
    dense::Rescore,
    error::StoreError,
    index::Index,
    ranking::NotANumber,
    types::{Granularity, Unmatched, Vectors},
};

/// A search failed; there is no partial answer.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SearchError {
    /// A stage made a score that is not a number.
    #[error(transparent)]
    NotANumber(#[from] NotANumber),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// One query, analysed and encoded.
#[derive(Debug, Clone, Copy)]
pub struct Request<'a> {
    /// Its terms, and what it says about the answer.
    pub question: &'a Question,
    /// Its unit-length vector, by the index's encoder.
    pub vector: Option<&'a [f32]>,
    /// What to return.
    pub unit: Granularity,
    /// How many at the most.
    pub k: NonZeroUsize,
    /// Whether candidates without evidence are listed.
    pub unmatched: Unmatched,
    /// What is reported of a hit besides its score.
    pub detail: Detail,
}

/// What is reported of a hit; each includes the ones before.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Detail {
    /// Its score.
    Scores,
    /// Also the best turns of a session, and its rank in each leg.
    BestTurns,
    /// Also how the score came about.
    Explained,
}

/// One request on one index.
#[derive(Clone, Copy)]
pub struct SearchContext<'a> {
    /// What is searched.
    pub index: &'a Index,
    /// What may be found.
    pub candidates: &'a Candidates,
    /// What is asked for.
    pub request: &'a Request<'a>,
}

impl<'a> SearchContext<'a> {
    /// All candidates: text positions of turns and notes, or session numbers; ascending.
    pub fn units(&self) -> &'a [u32] {
        self.candidates.units(self.request.unit)
    }

    /// How many candidates there are, with those that an index of a part does not hold.
    pub fn candidate_count(&self) -> usize {
        self.candidates.count_in(self.index, self.request.unit)
    }

    /// The texts of a candidate: itself, or the turns of the session.
    pub fn texts_of<'c>(&self, unit: &'c u32) -> &'c [u32]
    where
        'a: 'c,
    {
        match self.request.unit {
            Granularity::Turn => std::slice::from_ref(unit),
            Granularity::Session => self.candidates.turns_of(self.index, *unit),
        }
    }
}

/// Where a candidate stands in one leg, or after one stage.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct LegHit {
    /// From 1.
    pub rank: usize,
    /// The leg's own score, or that of the stage.
    pub score: f64,
}

/// Where a candidate stands in each leg that found it, by the leg's name, in the order of the pipeline.
///
/// Serializes as a map: `{"lexical": {"rank": 1, "score": 7.5}, "dense": {"rank": 3, "score": 0.4}}`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Legs(pub(crate) Vec<(&'static str, LegHit)>);

impl Legs {
    /// Where it stands in the leg of that name.
    pub fn get(&self, leg: &str) -> Option<LegHit> {
        self.0.iter().find(|(name, _)| *name == leg).map(|(_, hit)| *hit)
    }

    /// How well it meets the conditions that the question states beside its matter: the times that it names, the order in time
    /// that it asks for, the title that it names. The sum of what those legs say of it, 0 where there is none.
    pub fn conditions_met(&self) -> f64 {
        let legs = [DateLeg::NAME, TimeOrderLeg::NAME, MentionLeg::NAME, TitleLeg::NAME];
        legs.into_iter().filter_map(|leg| self.get(leg)).map(|hit| hit.score).sum()
    }

    /// How much it has of what a request to an assistant must heed, in [0, 1]; 0 where none is asked.
    pub fn heeded(&self) -> f64 {
        self.get(WishLeg::NAME).map_or(0.0, |hit| hit.score)
    }

    /// Every leg that found it.
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, LegHit)> + '_ {
        self.0.iter().copied()
    }
}

impl Serialize for Legs {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.iter())
    }
}

/// Fetches real vectors, for scans over codes: of texts, and of the rows of [`Index::windows`] and
/// [`crate::index::CueIndex`].
#[derive(Clone, Copy)]
pub struct Exact<'a> {
    /// Of the first windows of texts.
    pub texts: &'a Rescore<'a>,
    /// Of their other windows.
    pub windows: &'a Rescore<'a>,
    /// Of single questions.
    pub questions: &'a Rescore<'a>,
    /// Of texts with all their questions.
    pub passages: &'a Rescore<'a>,
}

impl Exact<'_> {
    /// For an index that holds its vectors as they are.
    pub fn none() -> Self {
        let nothing: &Rescore<'static> = &|_| Ok(Vectors::default());
        Self { texts: nothing, windows: nothing, questions: nothing, passages: nothing }
    }
}
