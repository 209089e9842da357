//! What a store does for a namespace that is too large to hold: it picks candidates, and it counts.

use super::{sink::IndexSink, version::Version};
use crate::{
    analysis::Analyzer,
    error::StoreError,
    index::CollectionStatistics,
    types::{EncoderId, Granularity, Namespace, Scope, Seq},
};

/// One query to a namespace that is not held.
#[derive(Debug, Clone, Copy)]
pub struct CandidateQuery<'a> {
    /// What made the terms.
    pub analyzer: Analyzer,
    /// Terms of the query.
    pub terms: &'a [String],
    /// Its vector, where vectors are compared, and whose.
    pub vector: Option<(&'a EncoderId, &'a [f32])>,
    /// What is ranked.
    pub unit: Granularity,
    /// What may be found.
    pub scope: &'a Scope,
    /// Nothing from this place on.
    pub before: Option<Seq>,
    /// A memory that is among the candidates in any case.
    pub include: Option<Seq>,
    /// Memories that can be held: a namespace that has no more needs no candidates.
    pub fits: u64,
}

/// What was told to a sink in answer to a [`CandidateQuery`].
#[derive(Debug, Clone, PartialEq)]
pub struct CandidateSet {
    /// The state of the namespace.
    pub version: Version,
    /// Counts of the whole namespace; `None` where every text came that term weights are measured on.
    pub collection: Option<CollectionStatistics>,
    /// Names of everyone who said something in the namespace.
    pub speakers: Vec<String>,
}

/// Searches namespaces that are too large to hold. It picks and counts; it scores nothing.
pub trait CandidateSource: Send + Sync {
    /// Names of everyone who said something; `None` for a namespace that is to be held.
    ///
    /// # Errors
    /// When the backend fails.
    fn speakers(&self, namespace: &Namespace, analyzer: Analyzer, fits: u64)
    -> Result<Option<Vec<String>>, StoreError>;

    /// Shows the best candidates of a query to `sink`, each with its whole session, as rows and titles are shown to an
    /// index that is made anew; one consistent view. `None`, and nothing shown, for a namespace that is to be held.
    ///
    /// # Errors
    /// What the sink answers, [`StoreError::Outdated`] where others keep writing meanwhile, or when the backend fails.
    fn candidates(
        &self,
        namespace: &Namespace,
        query: &CandidateQuery<'_>,
        sink: &mut dyn IndexSink,
    ) -> Result<Option<CandidateSet>, StoreError>;
}
