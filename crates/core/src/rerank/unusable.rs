//! A reranker that could not be had.

use std::num::NonZeroUsize;

use super::{RerankCandidate, RerankError, Reranker};
use crate::encoder::Locality;

/// Stands for a reranker that could not be loaded: every search goes on without it and says why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnusableReranker {
    /// What was asked for.
    pub name: String,
    /// Why there is none, and what to do.
    pub reason: String,
}

impl Reranker for UnusableReranker {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn locality(&self) -> Locality {
        Locality::Local
    }

    fn default_depth(&self) -> NonZeroUsize {
        NonZeroUsize::MIN
    }

    fn score(&self, _query: &str, _candidates: &[RerankCandidate]) -> Result<Vec<Option<f64>>, RerankError> {
        Err(RerankError::Failed(format!("{}: {}", self.name, self.reason)))
    }
}
