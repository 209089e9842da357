//! Where one turn, note or session stands among the hits of a search, as the search shows them.

use aforesaid::{NoHits, SearchResponse, Warning, Why};
use serde::Serialize;

/// A place among hits.
#[derive(Debug, Serialize)]
pub(crate) struct Searched {
    /// Its rank, from 1; `None` where it is not among the first `of`.
    pub(crate) rank: Option<usize>,
    /// How many of the best were looked at: the hits, and what else a reranker reads.
    pub(crate) of: usize,
    /// Why there are no hits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) reason: Option<NoHits>,
    /// What put the hits in their order after the stages of the pipeline.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) reranker: Option<String>,
    /// Its score by that; not there for what it did not score.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) rerank_score: Option<f64>,
    /// The first hit, where that supersedes it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) superseded_by: Option<String>,
}

impl Searched {
    /// The place of what `why` is about in a response of the `reranker`, if there is one. One that failed put nothing in order.
    pub(crate) fn new(response: &SearchResponse, why: &Why, reranker: Option<String>) -> Self {
        let is_it = |id: &str, conversation| id == why.id && conversation == &why.conversation;
        let place = response.hits.iter().position(|hit| is_it(&hit.id, &hit.conversation));
        let first = response.hits.first().filter(|first| place != Some(0) && first.supersedes.contains(&why.id));
        let was_skipped = response.warnings.iter().any(|warning| matches!(warning, Warning::RerankSkipped { .. }));
        Self {
            rank: place.map(|place| place + 1),
            of: response.hits.len(),
            reason: response.reason,
            reranker: reranker.filter(|_| !was_skipped),
            rerank_score: place.and_then(|place| response.hits[place].rerank_score),
            superseded_by: first.map(|first| first.id.clone()),
        }
    }
}
