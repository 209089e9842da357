//! Namespaces that are too large to hold are searched in the database.

use std::cell::Cell;

use aforesaid_core::{
    StoreError,
    analysis::Analyzer,
    store::{
        CandidateQuery, CandidateSet, CandidateSource, Change, ChangeKind, Extent, IndexSink, MissingNamespace, View,
    },
    types::{EncoderId, Namespace},
};

use crate::{
    halves,
    lexical::{self, ANALYZER},
    store::PostgresStore,
    tables::NamespaceTables,
};

/// How often what is derived is brought up to date because others add meanwhile.
const ATTEMPTS: usize = 20;

/// What a namespace is to a query that would be answered in the database.
enum Answer<T> {
    /// It is to be held.
    Held,
    /// Terms or vectors are to be derived first.
    Behind,
    Given(T),
}

impl PostgresStore {
    /// Whether a namespace is searched in the database.
    fn is_large(&self, tables: &NamespaceTables<'_>, analyzer: Analyzer, fits: u64) -> bool {
        analyzer == ANALYZER && tables.derived.memories > self.options().held_memories.unwrap_or(fits)
    }

    /// Answers in one view, after what is derived was brought up to date.
    fn in_view<T>(
        &self,
        namespace: &Namespace,
        (analyzer, fits): (Analyzer, u64),
        encoder: Option<&EncoderId>,
        answer: &mut dyn FnMut(&NamespaceTables<'_>) -> Result<T, StoreError>,
    ) -> Result<Option<T>, StoreError> {
        let view = View { namespace, action: "search in the database", extent: Extent::Rows };
        for _ in 0..ATTEMPTS {
            let looked = self.read_tables(view, |tables| {
                Ok(match () {
                    () if !self.is_large(tables, analyzer, fits) => Answer::Held,
                    () if tables.is_behind(encoder)? => Answer::Behind,
                    () => Answer::Given(answer(tables)?),
                })
            })?;
            match looked {
                None | Some(Answer::Held) => return Ok(None),
                Some(Answer::Given(given)) => return Ok(Some(given)),
                Some(Answer::Behind) if self.is_steady() => return Ok(None),
                Some(Answer::Behind) => self.derive(namespace, encoder)?,
            }
        }
        Err(StoreError::Outdated { namespace: namespace.clone() })
    }

    /// Derives terms and vectors of half precision that are missing, some in a transaction.
    fn derive(&self, namespace: &Namespace, encoder: Option<&EncoderId>) -> Result<(), StoreError> {
        let change = Change {
            namespace,
            action: "derive what a search in the database reads",
            missing: MissingNamespace::Report,
            kind: ChangeKind::SavesWork,
        };
        loop {
            let more = self.write_tables(change, |tables| {
                if !tables.has_terms() {
                    tables.derive_terms(lexical::AT_ONCE)?;
                } else if let Some(encoder) = encoder.filter(|_| tables.connection.pgvector().is_some())
                    && let Some(known) = tables.encoder(encoder)?
                    && !tables.has_halves(known.number)
                {
                    tables.derive_halves(encoder, halves::AT_ONCE)?;
                }
                tables.is_behind(encoder)
            })?;
            match more {
                aforesaid_core::store::Written::Kept(true, _) => {}
                _ => return Ok(()),
            }
        }
    }
}

impl NamespaceTables<'_> {
    /// Whether terms are missing, or vectors of half precision by an encoder where the database can compare them.
    fn is_behind(&self, encoder: Option<&EncoderId>) -> Result<bool, StoreError> {
        if !self.has_terms() {
            return Ok(true);
        }
        let Some(encoder) = encoder.filter(|_| self.connection.pgvector().is_some()) else { return Ok(false) };
        Ok(self.encoder(encoder)?.is_some_and(|known| !self.has_halves(known.number)))
    }
}

impl CandidateSource for PostgresStore {
    fn speakers(
        &self,
        namespace: &Namespace,
        analyzer: Analyzer,
        fits: u64,
    ) -> Result<Option<Vec<String>>, StoreError> {
        self.in_view(namespace, (analyzer, fits), None, &mut |tables| tables.speaker_names())
    }

    fn candidates(
        &self,
        namespace: &Namespace,
        query: &CandidateQuery<'_>,
        sink: &mut dyn IndexSink,
    ) -> Result<Option<CandidateSet>, StoreError> {
        let encoder = query.vector.map(|(encoder, _)| encoder);
        let (depth, tending) = (self.options().candidates, Cell::new(None));
        let found = self.in_view(namespace, (query.analyzer, query.fits), encoder, &mut |tables| {
            tables.pick(query, depth, &tending, sink)
        })?;
        if let Some((index, state, memories)) = tending.take().filter(|_| !self.is_steady()) {
            self.tend(index, (state, memories));
        }
        Ok(found)
    }
}
