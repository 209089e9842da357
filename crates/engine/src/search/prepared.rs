//! A query that is about to be answered: its terms, its scope, its vector.

use std::{borrow::Cow, num::NonZeroUsize, sync::Arc};

use aforesaid_core::{
    analysis::Question,
    encoder::Encoder,
    error::StoreError,
    index::{Index, IndexSpec},
    pipeline::{
        Detail, Pipeline, QUERY_ADAPTER, Request,
        candidate::{CandidateStage, Misfit},
        corrected, unsaid_codes,
    },
    time::Times,
    types::{Query, Scope, Seq, Unmatched},
};

use crate::{
    answer::{NoHits, Warning},
    error::Error,
    no_vectors::NoVectors,
};

/// The dense side of one query.
pub(super) struct Encoded {
    pub(super) vector: Result<Vec<f32>, NoVectors>,
    pub(super) millis: f64,
    pub(super) loading_millis: Option<f64>,
}

/// How a query will be reranked.
#[derive(Debug, Clone, Copy)]
pub(super) struct RerankPlan {
    /// How many turns the reranker is shown.
    pub(super) depth: NonZeroUsize,
    /// Whether its scores say how sure the search is: then it is not too unsure before.
    pub(super) is_calibrated: bool,
}

impl RerankPlan {
    /// For who only wants to know what a reranker would be shown.
    pub(super) fn to(depth: NonZeroUsize) -> Self {
        Self { depth, is_calibrated: false }
    }
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
    /// What made the vector.
    pub(super) encoder: Option<Arc<dyn Encoder>>,
}

impl EncodedQuery {
    /// Says that the query adapter that a pipeline names was not there. The one that ships is there for who never asked for one,
    /// as the ranker that ships is, and not missed where the model has an adapter of its own.
    pub(super) fn read_plainly(&self, posed: &PreparedQuery<'_>) -> Option<Warning> {
        let (encoder, adapter) = (self.encoder.as_deref()?, posed.pipeline.query_adapter()?);
        if adapter == QUERY_ADAPTER && (posed.detail != Detail::Explained || encoder.id().has_adapter()) {
            return None;
        }
        let missing =
            || Warning::QueryAdapterMissing { adapter: adapter.to_owned(), encoder: encoder.id().to_string() };
        encoder.query_adapter(adapter).is_none().then(missing)
    }
}

impl PreparedQuery<'_> {
    /// The question in terms that the index has, where some are not known, and what was changed.
    pub(super) fn corrected(&self, index: &Index, encoder: Option<&dyn Encoder>) -> (Cow<'_, Question>, Vec<Warning>) {
        let is_word = |word: &str| encoder?.has_word(word);
        let most = self.pipeline.spelling();
        let (question, corrections) = match corrected(&self.question, index, most, &is_word) {
            None => (Cow::Borrowed(&self.question), Vec::new()),
            Some((question, corrections)) => (Cow::Owned(question), corrections),
        };
        let unsaid = if most == 0 { Vec::new() } else { unsaid_codes(&self.question, index, &corrections) };
        let unsaid = unsaid.into_iter().map(|written| Warning::Unsaid { written });
        (question, corrections.into_iter().map(Warning::from).chain(unsaid).collect())
    }

    pub(super) fn request<'r>(&self, question: &'r Question, vector: &'r Result<Vec<f32>, NoVectors>) -> Request<'r> {
        Request {
            question,
            vector: vector.as_deref().ok(),
            unit: self.query.unit,
            k: self.rerank.map_or(self.query.k, |rerank| self.query.k.max(rerank.depth)),
            unmatched: self.query.unmatched,
            // A reranker is shown where each hit stands in each leg.
            detail: if self.rerank.is_some() { self.detail.max(Detail::BestTurns) } else { self.detail },
        }
    }

    /// Says why the candidate ranker was left out. The one that ships is there for who never asked for one, and rests
    /// wherever it does not fit: that is told with the explanations alone.
    pub(super) fn left_out(&self, misfit: Option<Misfit>) -> Option<Warning> {
        let is_shipped = self.pipeline.stage.as_ref().is_some_and(CandidateStage::is_shipped);
        let told = misfit.filter(|_| !is_shipped || self.detail == Detail::Explained)?;
        Some(Warning::RankerSkipped { reason: told.to_string() })
    }

    /// Whether the search says how sure it is before it is reranked.
    pub(super) fn is_sure_at_once(&self) -> bool {
        !self.rerank.is_some_and(|rerank| rerank.is_calibrated)
    }

    /// What the question says of time.
    pub(super) fn times(&self) -> Times {
        self.question.times.clone().unwrap_or_default()
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
    /// How it is reranked, if it is.
    pub(super) rerank: Option<RerankPlan>,
    pub(super) part: QueryScope,
    /// A memory that is looked at in any case.
    pub(super) include: Option<Seq>,
    pub(super) question: Question,
    pub(super) detail: Detail,
}
