//! Cues of the store over any backend.

use super::{
    cues,
    store::{change_in, look, look_in, missing},
};
use crate::{
    error::StoreError,
    store::{
        backend::{Backend, ChangeKind},
        cues::{CueStats, CueStore, DroppedCues, NewCues, UnembeddedCue},
        lookup::Audience,
        version::Version,
    },
    types::{CueId, CueSource, Cues, EncoderId, Namespace, Record, Scope, Seq, Vectors},
};

impl<B: Backend> CueStore for B {
    fn put_cues(
        &self,
        namespace: &Namespace,
        source: &CueSource,
        encoder: Option<&EncoderId>,
        new: &[NewCues],
    ) -> Result<u64, StoreError> {
        let put = change_in(self, ("store cues", ChangeKind::Lasting), namespace, |tables| {
            cues::put(tables, namespace, source, encoder, new)
        });
        Ok(put?.0)
    }

    fn cues(&self, namespace: &Namespace, positions: &[Seq]) -> Result<Vec<Option<Cues>>, StoreError> {
        let cues = look(self, "read cues", namespace, |tables| tables.cues(positions))?;
        Ok(cues.unwrap_or_else(|| vec![None; positions.len()]))
    }

    fn questions(&self, namespace: &Namespace, ids: &[CueId]) -> Result<Vec<(CueId, String)>, StoreError> {
        Ok(look(self, "read cues", namespace, |tables| tables.questions(ids))?.unwrap_or_default())
    }

    fn uncued(
        &self,
        namespace: &Namespace,
        scope: &Scope,
        audience: Audience,
        after: Seq,
        limit: usize,
    ) -> Result<Vec<Record>, StoreError> {
        look_in(self, "find memories without cues", namespace, |tables| tables.uncued(scope, audience, after, limit))
    }

    fn drop_cues(&self, namespace: &Namespace, scope: &Scope) -> Result<DroppedCues, StoreError> {
        let kind = ("drop cues", ChangeKind::Erases);
        Ok(change_in(self, kind, namespace, |tables| cues::drop_within(tables, scope))?.0)
    }

    fn cue_stats(&self, namespace: &Namespace) -> Result<CueStats, StoreError> {
        look_in(self, "count cues", namespace, |tables| tables.cue_stats())
    }

    fn unembedded_cues(
        &self,
        namespace: &Namespace,
        encoder: &EncoderId,
        audience: Audience,
        after: CueId,
        limit: usize,
    ) -> Result<Vec<UnembeddedCue>, StoreError> {
        look_in(self, "find cues without vectors", namespace, |tables| {
            tables.unembedded_cues(encoder, audience, after, limit)
        })
    }

    fn embed_cues(
        &self,
        namespace: &Namespace,
        encoder: &EncoderId,
        vectors: &[(CueId, &[f32])],
    ) -> Result<(), StoreError> {
        let kind = ("store vectors of cues", ChangeKind::Lasting);
        change_in(self, kind, namespace, |tables| cues::embed(tables, encoder, vectors)).map(|(done, _)| done)
    }

    fn cue_vectors(
        &self,
        namespace: &Namespace,
        encoder: &EncoderId,
        ids: &[CueId],
        at: Version,
    ) -> Result<Vectors, StoreError> {
        let read = look_in(self, "fetch vectors of cues", namespace, |tables| {
            Ok((tables.cue_vectors(encoder, ids)?, tables.state()?.version))
        });
        let (found, now) = read?;
        found.ok_or_else(|| missing(self, namespace, (now, at), &format!("a vector of a cue by {encoder}")))
    }
}
