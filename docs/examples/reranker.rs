//! A reranker of your own, in one file: of the best turns, those that repeat the query's longest word come first.
//!
//! Give it to a search by `memory.search_reranked(&query, &pipeline, Explanations::Omit, Reranking::new(&LongestWord))`. A
//! reranker only scores what it is shown: the hits stay the same set, and what comes after them stays as it is. The tests
//! of this project compile and run this file.

use std::num::NonZeroUsize;

use aforesaid::{
    Locality,
    rerank::{RerankCandidate, RerankError, Reranker},
};

/// Counts the longest word of the query in each candidate.
#[derive(Debug, Clone, Copy)]
pub struct LongestWord;

impl Reranker for LongestWord {
    fn name(&self) -> String {
        "longest-word".to_owned()
    }

    fn locality(&self) -> Locality {
        Locality::Local
    }

    fn default_depth(&self) -> NonZeroUsize {
        NonZeroUsize::MIN.saturating_add(9)
    }

    fn score(&self, query: &str, candidates: &[RerankCandidate]) -> Result<Vec<Option<f64>>, RerankError> {
        let longest = query.split(|c: char| !c.is_alphanumeric()).max_by_key(|word| word.chars().count());
        let Some(longest) = longest.filter(|word| !word.is_empty()).map(str::to_lowercase) else {
            return Err(RerankError::Failed("the query has no word".to_owned()));
        };
        let count = |candidate: &RerankCandidate| candidate.text.to_lowercase().matches(&longest).count();
        Ok(candidates.iter().map(|candidate| Some(count(candidate) as f64)).collect())
    }
}
