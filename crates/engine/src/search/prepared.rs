//! A query that is about to be answered: its terms, its scope, its vector.

use std::num::NonZeroUsize;

use aforesaid_core::{
    analysis::Question,
    error::StoreError,
    index::IndexSpec,
    pipeline::{Detail, Pipeline, Request},
    types::{Query, Scope, Seq, Unmatched},
};

use crate::{answer::NoHits, error::Error, no_vectors::NoVectors};

/// The dense side of one query.
pub(super) struct Encoded {
    pub(super) vector: Result<Vec<f32>, NoVectors>,
    pub(super) millis: f64,
    pub(super) loading_millis: Option<f64>,
}

/// The part of a namespace that a query is about, with its names resolved.
pub(super) struct QueryScope {
    pub(super) scope: Scope,
    /// Nothing from this place on.
    pub(super) before: Option<Seq>,
}

/// A query whose vector, if it has one, is made.
pub(super) struct EncodedQuery {
    pub(super) spec: IndexSpec,
    pub(super) dim: usize,
    pub(super) vector: Result<Vec<f32>, NoVectors>,
    pub(super) encoding_millis: f64,
    pub(super) loading_millis: Option<f64>,
}

impl PreparedQuery<'_> {
    pub(super) fn request<'r>(&'r self, vector: &'r Result<Vec<f32>, NoVectors>) -> Request<'r> {
        Request {
            question: &self.question,
            vector: vector.as_deref().ok(),
            unit: self.query.unit,
            k: self.depth.map_or(self.query.k, |depth| self.query.k.max(depth)),
            unmatched: self.query.unmatched,
            // A reranker is shown where each hit stands in each leg.
            detail: if self.depth.is_some() { self.detail.max(Detail::BestTurns) } else { self.detail },
        }
    }

    /// What is looked for keeps changing.
    pub(super) fn never_at_rest(&self) -> Error {
        Error::Store(StoreError::Outdated { namespace: self.query.namespace.clone() })
    }

    /// Why there is nothing to look for, if so.
    pub(super) fn unanswerable(&self) -> Option<NoHits> {
        match () {
            () if self.query.text.trim().is_empty() => Some(NoHits::EmptyQuery),
            // Everything can be listed without a word to go by.
            () if self.question.terms.is_empty() && self.query.unmatched == Unmatched::Exclude => {
                Some(NoHits::OnlyStopWords)
            }
            () => None,
        }
    }
}

/// A query that is about to be answered.
pub(super) struct PreparedQuery<'a> {
    pub(super) query: &'a Query,
    pub(super) pipeline: &'a Pipeline,
    /// How many turns a reranker is shown, if there is one.
    pub(super) depth: Option<NonZeroUsize>,
    pub(super) part: QueryScope,
    pub(super) question: Question,
    pub(super) detail: Detail,
}
