//! A namespace that is too large to hold is searched in the store: an index of candidates takes the place of the whole.

use aforesaid_core::{
    StoreError,
    analysis::SpeakerName,
    index::{CollectionStatistics, CueQuestions, Index},
    store::{CandidateQuery, Store},
    types::Unmatched,
};

use super::{EncodedQuery, PreparedQuery};
use crate::{answer::Warning, encoder::LazyEncoder, error::Error, memory::Memory};

impl Memory {
    /// An index of the candidates of a query; `None` for a namespace that is held.
    pub(super) fn candidate_index(
        &self,
        store: &dyn Store,
        posed: &PreparedQuery<'_>,
        ready: &EncodedQuery,
    ) -> Result<Option<Index>, Error> {
        // What lists everything is not answered by candidates.
        let Some(source) = store.candidate_source().filter(|_| posed.query.unmatched == Unmatched::Exclude) else {
            return Ok(None);
        };
        let query = CandidateQuery {
            analyzer: posed.pipeline.analyzer,
            terms: &posed.question.terms,
            vector: ready.spec.encoder.as_ref().zip(ready.vector.as_deref().ok()),
            unit: posed.query.unit,
            scope: &posed.part.scope,
            before: posed.part.before,
            include: posed.include,
            fits: self.indexes.fits(ready.dim),
        };
        let mut index = Index::new(ready.spec.clone(), ready.dim);
        let Some(found) = source.candidates(&posed.query.namespace, &query, &mut index)? else { return Ok(None) };
        index.set_version(found.version);
        index.note_speakers(found.speakers.iter().map(String::as_str));
        if let Some(collection) = found.collection {
            index.set_collection(collection);
        }
        Ok(Some(index))
    }

    /// The question of a query without the names of those who said something in a namespace that is not held.
    pub(super) fn without_names_in_store(
        &self,
        posed: &PreparedQuery<'_>,
        encoder: &LazyEncoder,
    ) -> Result<Option<String>, StoreError> {
        let Some(source) = self.store.candidate_source().filter(|_| posed.query.unmatched == Unmatched::Exclude) else {
            return Ok(None);
        };
        let fits = self.indexes.fits(encoder.dim());
        let names = source.speakers(&posed.query.namespace, posed.pipeline.analyzer, fits)?;
        let speakers = |names: Vec<String>| names.iter().map(|name| SpeakerName::new(name)).collect::<Vec<_>>();
        Ok(names.map(|names| posed.question.without_names(&speakers(names))))
    }
}

/// What the search of a namespace that is not held left out.
pub(super) fn left_out(collection: Option<&CollectionStatistics>) -> Option<Warning> {
    let has_cues = collection.is_some_and(|collection| collection.cues == CueQuestions::LeftOut);
    has_cues.then_some(Warning::CuesNotSearched)
}
