//! What was said around hits.

use aforesaid_core::{
    store::MemoryRef,
    types::{Granularity, MemoryId, Query},
};

use crate::{answer::SearchResponse, error::Error, memory::Memory};

impl Memory {
    /// Puts up to `around` turns of the session before and after each hit into the response of a search for `query`.
    ///
    /// What lies outside the times of the query, or after the moment it asks from, is left out. A hit that is gone since
    /// stays as it is, as do sessions and notes.
    ///
    /// # Errors
    /// When the store fails.
    pub fn surround(&self, response: &mut SearchResponse, query: &Query, around: u32) -> Result<(), Error> {
        if response.unit == Granularity::Session || around == 0 {
            return Ok(());
        }
        let scope = self.resolve_scope(&query.namespace, &query.scope)?;
        let end = self.place_of(query, &scope)?;
        for hit in &mut response.hits {
            let id = MemoryRef { id: MemoryId::new(&*hit.id)?, conversation: hit.conversation.clone() };
            let shown = match self.show(&query.namespace, &id, around, around) {
                Err(
                    Error::UnknownMemory { .. } | Error::Store(aforesaid_core::StoreError::UnknownNamespace { .. }),
                ) => {
                    continue;
                }
                shown => shown?,
            };
            (hit.before, hit.after) = (shown.before, shown.after);
            for others in [&mut hit.before, &mut hit.after] {
                others.retain(|other| end.is_none_or(|end| other.seq < end) && scope.covers(other.said_at));
            }
        }
        Ok(())
    }
}
