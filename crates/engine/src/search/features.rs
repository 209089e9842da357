//! The features of candidates, for who learns to rank them.

use aforesaid_core::{
    pipeline::{
        Detail, Pipeline,
        candidate::{FEATURE_COUNT, FeatureTable},
        candidate_features,
    },
    types::{Query, Unmatched},
};

use super::with_exact;
use crate::{error::Error, memory::Memory};

/// The best candidates of one query, with what a ranker learns from.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct CandidateFeatures {
    /// Ids of the turns and notes, in the order of the first stage.
    pub ids: Vec<String>,
    /// Their features, in the same order.
    pub table: FeatureTable,
}

impl CandidateFeatures {
    /// Values of each candidate; as many as there are features.
    pub fn width(&self) -> usize {
        FEATURE_COUNT
    }
}

impl Memory {
    /// The features of the best turns and notes for a query, matched or not.
    ///
    /// # Errors
    /// As [`Memory::rank`].
    pub fn candidate_features(&self, query: &Query, pipeline: &Pipeline) -> Result<CandidateFeatures, Error> {
        let query = Query { unmatched: Unmatched::Include, ..query.clone() };
        let posed = self.pose(&query, pipeline, Detail::Scores, None)?;
        if posed.unanswerable().is_some() {
            return Ok(CandidateFeatures::default());
        }
        let ready = self.make_ready(&posed)?;
        let (seqs, table) = self.in_index(&posed, &ready, |index| {
            let candidates = self.candidates(&*self.store, index, &posed)?;
            let (question, _) = posed.corrected(index, ready.encoder.as_deref());
            let request = posed.request(&question, &ready.vector);
            let found = with_exact(&*self.store, index, &query, |exact| {
                candidate_features(index, pipeline, &candidates, &request, exact)
            })?;
            let seqs = found.candidates.iter().map(|&text| index.documents().seq(text)).collect::<Vec<_>>();
            Ok((seqs, found))
        })?;
        let ids = self.store.ids(&query.namespace, &seqs)?.into_iter().map(String::from).collect();
        Ok(CandidateFeatures { ids, table })
    }
}
