//! The store over any backend.

use std::{path::Path, sync::atomic::AtomicBool};

use super::{append, encoders, forget, identity, indexes, prefixes, update};
use crate::{
    error::StoreError,
    store::{
        backend::{Backend, Change, ChangeKind, Extent, MissingNamespace, View, Written},
        batch::{AppendOutcome, Batch, Fingerprint, NewVectors, OnConflict},
        browse::{SessionSummary, SpeakerSummary},
        candidates::CandidateSource,
        check::{BackedUp, CheckDepth, Existing, Finding, Salvaged},
        contract::Store,
        deletion::{DeleteReport, DeleteTarget, Erasure},
        lookup::{Audience, MemoryRef, NamespaceStats, Unembedded, WindowRef},
        segment::{Segment, SnapshotName, SnapshotOutcome},
        sink::IndexSink,
        tables::Tables,
        update::{MemoryUpdate, UpdateReport},
        version::Version,
    },
    types::{ConversationId, Draft, EncoderId, MemoryId, Namespace, Record, Scope, Seq, SessionId, VectorSet, Vectors},
};

/// Reads some rows of a namespace, if it is there.
pub(super) fn look<B: Backend, T>(
    backend: &B,
    action: &'static str,
    namespace: &Namespace,
    work: impl FnOnce(&dyn Tables) -> Result<T, StoreError>,
) -> Result<Option<T>, StoreError> {
    backend.read(View { namespace, action, extent: Extent::Rows }, work)
}

/// Reads some rows of a namespace that must exist.
pub(super) fn look_in<B: Backend, T>(
    backend: &B,
    action: &'static str,
    namespace: &Namespace,
    work: impl FnOnce(&dyn Tables) -> Result<T, StoreError>,
) -> Result<T, StoreError> {
    known(backend, namespace, look(backend, action, namespace, work)?)
}

/// Changes a namespace that must exist; says how far an erasure has come, too.
pub(super) fn change_in<B: Backend, T>(
    backend: &B,
    (action, kind): (&'static str, ChangeKind),
    namespace: &Namespace,
    work: impl FnMut(&mut dyn Tables) -> Result<T, StoreError>,
) -> Result<(T, Erasure), StoreError> {
    let change = Change { namespace, action, missing: MissingNamespace::Report, kind };
    let written = match backend.write(change, work)? {
        Written::Kept(done, erasure) => Some((done, erasure)),
        Written::NoNamespace | Written::Busy => None,
    };
    known(backend, namespace, written)
}

/// Changes a namespace, which is made where it is missing; says how far an erasure has come, too.
pub(super) fn change_or_make_erasing<B: Backend, T>(
    backend: &B,
    (action, kind): (&'static str, ChangeKind),
    namespace: &Namespace,
    work: impl FnMut(&mut dyn Tables) -> Result<T, StoreError>,
) -> Result<(T, Erasure), StoreError> {
    let change = Change { namespace, action, missing: MissingNamespace::Make, kind };
    let written = match backend.write(change, work)? {
        Written::Kept(done, erasure) => Some((done, erasure)),
        Written::NoNamespace | Written::Busy => None,
    };
    known(backend, namespace, written)
}

/// Changes a namespace, which is made where it is missing.
fn change_or_make<B: Backend, T>(
    backend: &B,
    kind: (&'static str, ChangeKind),
    namespace: &Namespace,
    work: impl FnMut(&mut dyn Tables) -> Result<T, StoreError>,
) -> Result<T, StoreError> {
    Ok(change_or_make_erasing(backend, kind, namespace, work)?.0)
}

fn known<B: Backend, T>(backend: &B, namespace: &Namespace, found: Option<T>) -> Result<T, StoreError> {
    match found {
        Some(found) => Ok(found),
        None => Err(StoreError::UnknownNamespace { namespace: namespace.clone(), known: backend.namespaces()? }),
    }
}

/// What it means that something is missing which an index of version `at` knows of.
pub(super) fn missing<B: Backend>(
    backend: &B,
    namespace: &Namespace,
    (now, at): (Version, Version),
    what: &str,
) -> StoreError {
    match now.continues(at) {
        true => StoreError::Damaged {
            location: backend.location(),
            found: format!("namespace {:?} lacks {what}", namespace.as_str()),
        },
        false => StoreError::Outdated { namespace: namespace.clone() },
    }
}

impl<B: Backend> Store for B {
    fn location(&self) -> String {
        Backend::location(self)
    }

    fn namespaces(&self) -> Result<Vec<Namespace>, StoreError> {
        Backend::namespaces(self)
    }

    fn candidate_source(&self) -> Option<&dyn CandidateSource> {
        Backend::candidate_source(self)
    }

    fn version(&self, namespace: &Namespace) -> Result<Option<Version>, StoreError> {
        look(self, "read the version", namespace, |tables| Ok(tables.state()?.version))
    }

    fn find_existing(&self, namespace: &Namespace, drafts: &[Draft]) -> Result<Vec<Option<MemoryId>>, StoreError> {
        let find = |tables: Option<&dyn Tables>| -> Result<Vec<_>, StoreError> {
            drafts.iter().map(|draft| identity::find_existing(tables, draft)).collect()
        };
        match look(self, "look for known ids", namespace, |tables| find(Some(tables)))? {
            Some(existing) => Ok(existing),
            None => find(None),
        }
    }

    fn append_with(
        &self,
        namespace: &Namespace,
        batch: Batch<'_>,
        on_conflict: OnConflict,
    ) -> Result<Vec<AppendOutcome>, StoreError> {
        let kind = match batch.vectors {
            NewVectors::Staged { .. } => ChangeKind::TakesStaged,
            NewVectors::None | NewVectors::Given { .. } => ChangeKind::Lasting,
        };
        let append = |kind, on_conflict| {
            change_or_make(self, ("append memories", kind), namespace, |tables| {
                append::append(tables, namespace, batch, on_conflict)
            })
        };
        if on_conflict != OnConflict::Newest {
            return append(kind, on_conflict);
        }
        // Most batches replace nothing, and what is replaced has to leave every file.
        match append(kind, OnConflict::Fail) {
            Err(StoreError::Conflict { .. }) => append(ChangeKind::Erases, OnConflict::Newest),
            appended => appended,
        }
    }

    fn active_encoder(&self, namespace: &Namespace) -> Result<Option<EncoderId>, StoreError> {
        let encoder = look(self, "read the active encoder", namespace, |tables| Ok(tables.state()?.active_encoder))?;
        Ok(encoder.flatten())
    }

    fn activate(&self, namespace: &Namespace, encoder: &EncoderId, audience: Audience) -> Result<u64, StoreError> {
        let kind = ("activate an encoder", ChangeKind::Lasting);
        let missing = change_in(self, kind, namespace, |tables| encoders::activate(tables, encoder, audience));
        Ok(missing?.0)
    }

    fn drop_idle_vectors(&self, namespace: &Namespace) -> Result<u64, StoreError> {
        let dropped = change_in(self, ("drop vectors", ChangeKind::Erases), namespace, |tables| {
            let active = tables.state()?.active_encoder;
            tables.delete_inactive_vectors(active.as_ref())
        });
        Ok(dropped?.0)
    }

    fn catch_up(
        &self,
        namespace: &Namespace,
        encoder: Option<&EncoderId>,
        since: Option<Version>,
        sink: &mut dyn IndexSink,
    ) -> Result<Version, StoreError> {
        let extent = match since {
            None => Extent::Everything,
            Some(_) => Extent::Rows,
        };
        let view = View { namespace, action: "read the namespace", extent };
        known(self, namespace, self.read(view, |tables| indexes::catch_up(tables, encoder, since, sink))?)
    }

    fn fetch(&self, namespace: &Namespace, positions: &[Seq]) -> Result<Vec<Record>, StoreError> {
        Ok(look(self, "fetch memories", namespace, |tables| tables.fetch(positions))?.unwrap_or_default())
    }

    fn find(&self, namespace: &Namespace, memory_ref: &MemoryRef) -> Result<Vec<Record>, StoreError> {
        Ok(look(self, "find a memory", namespace, |tables| tables.find(memory_ref))?.unwrap_or_default())
    }

    fn ids_starting(
        &self,
        namespace: &Namespace,
        beginning: &MemoryRef,
        limit: usize,
    ) -> Result<Vec<MemoryRef>, StoreError> {
        let found = look(self, "find ids", namespace, |tables| prefixes::ids_starting(tables, beginning, limit))?;
        Ok(found.unwrap_or_default())
    }

    fn sessions(&self, namespace: &Namespace, scope: &Scope) -> Result<Vec<SessionSummary>, StoreError> {
        look_in(self, "list sessions", namespace, |tables| tables.sessions(scope))
    }

    fn speakers(&self, namespace: &Namespace, scope: &Scope) -> Result<Vec<SpeakerSummary>, StoreError> {
        look_in(self, "list speakers", namespace, |tables| tables.speakers(scope))
    }

    fn latest(&self, namespace: &Namespace, scope: &Scope, limit: usize) -> Result<Vec<Record>, StoreError> {
        look_in(self, "list memories", namespace, |tables| tables.fetch(&tables.latest(scope, limit)?))
    }

    fn update(
        &self,
        namespace: &Namespace,
        seq: Seq,
        update: &MemoryUpdate,
        vectors: Option<(VectorSet<'_>, &[f32])>,
    ) -> Result<Option<UpdateReport>, StoreError> {
        let kind = ("update a memory", ChangeKind::Erases);
        let (report, erasure) =
            change_in(self, kind, namespace, |tables| update::update(tables, namespace, (seq, update), vectors))?;
        Ok(report.map(|report| UpdateReport { erasure, ..report }))
    }

    fn around(&self, namespace: &Namespace, seq: Seq, before: u32, after: u32) -> Result<Vec<Record>, StoreError> {
        Ok(look(self, "read the context", namespace, |tables| tables.around(seq, before, after))?.unwrap_or_default())
    }

    fn conversations_with(
        &self,
        namespace: &Namespace,
        session: &SessionId,
    ) -> Result<Vec<ConversationId>, StoreError> {
        let found = look(self, "find a session", namespace, |tables| tables.conversations_with(session))?;
        Ok(found.unwrap_or_default())
    }

    fn conversations_titled(&self, namespace: &Namespace, title: &str) -> Result<Vec<ConversationId>, StoreError> {
        let found = look(self, "find a title", namespace, |tables| tables.conversations_titled(title))?;
        Ok(found.unwrap_or_default())
    }

    fn has_conversation(&self, namespace: &Namespace, name: &ConversationId) -> Result<bool, StoreError> {
        let found = look(self, "find a conversation", namespace, |tables| tables.conversation(name))?;
        Ok(found.flatten().is_some())
    }

    fn count(&self, namespace: &Namespace, scope: &Scope) -> Result<u64, StoreError> {
        look_in(self, "count memories", namespace, |tables| tables.count(scope))
    }

    fn positions(&self, namespace: &Namespace, scope: &Scope) -> Result<Vec<Seq>, StoreError> {
        look_in(self, "list memories", namespace, |tables| tables.positions(scope))
    }

    fn export(
        &self,
        namespace: &Namespace,
        scope: &Scope,
        visit: &mut dyn FnMut(Record) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        look_in(self, "export memories", namespace, |tables| tables.export(scope, visit))
    }

    fn components(&self, namespace: &Namespace, encoder: &EncoderId) -> Result<Option<usize>, StoreError> {
        look_in(self, "read the size of vectors", namespace, |tables| tables.encoder_dim(encoder))
    }

    fn vectors(
        &self,
        namespace: &Namespace,
        encoder: &EncoderId,
        windows: &[WindowRef],
        at: Version,
    ) -> Result<Vectors, StoreError> {
        let read = look_in(self, "fetch vectors", namespace, |tables| {
            Ok((tables.vectors(encoder, windows)?, tables.state()?.version))
        });
        let (found, now) = read?;
        found.ok_or_else(|| missing(self, namespace, (now, at), &format!("a vector by {encoder}")))
    }

    fn unembedded(
        &self,
        namespace: &Namespace,
        encoder: &EncoderId,
        audience: Audience,
        after: Seq,
        limit: usize,
    ) -> Result<Vec<Unembedded>, StoreError> {
        look_in(self, "find memories without vectors", namespace, |tables| {
            tables.unembedded(encoder, audience, after, limit)
        })
    }

    fn embed(&self, namespace: &Namespace, set: VectorSet<'_>, vectors: &[(Seq, &[f32])]) -> Result<(), StoreError> {
        let kind = ("store vectors", ChangeKind::Lasting);
        change_in(self, kind, namespace, |tables| encoders::embed(tables, set, vectors)).map(|(done, _)| done)
    }

    fn forget(&self, namespace: &Namespace, target: &DeleteTarget) -> Result<DeleteReport, StoreError> {
        let kind = ("forget memories", ChangeKind::Erases);
        let (report, erasure) = change_in(self, kind, namespace, |tables| forget::forget(tables, target))?;
        Ok(DeleteReport { erasure, ..report })
    }

    fn erasure(&self) -> Result<Erasure, StoreError> {
        Backend::erasure(self)
    }

    fn stats(&self, namespace: &Namespace) -> Result<NamespaceStats, StoreError> {
        look_in(self, "count memories", namespace, |tables| {
            Ok(NamespaceStats { active_encoder: tables.state()?.active_encoder, ..tables.stats()? })
        })
    }

    fn keep_snapshot(
        &self,
        namespace: &Namespace,
        name: &SnapshotName,
        version: Version,
        segments: &[Segment],
    ) -> Result<SnapshotOutcome, StoreError> {
        let change = Change {
            namespace,
            action: "keep an index snapshot",
            missing: MissingNamespace::Report,
            kind: ChangeKind::SavesWorkIfIdle,
        };
        let written = self.write(change, |tables| indexes::keep_segments(tables, name, version, segments))?;
        Ok(match written {
            Written::Kept(true, _) => SnapshotOutcome::Yes,
            Written::Kept(false, _) | Written::NoNamespace => SnapshotOutcome::Outdated,
            Written::Busy => SnapshotOutcome::Busy,
        })
    }

    fn steady(&self) -> Result<Box<dyn Store>, StoreError> {
        Backend::steady(self)
    }

    fn staged(
        &self,
        namespace: &Namespace,
        encoder: &EncoderId,
        fingerprints: &[Fingerprint],
    ) -> Result<Vec<bool>, StoreError> {
        let staged = look(self, "look for staged vectors", namespace, |tables| tables.staged(encoder, fingerprints))?;
        Ok(staged.unwrap_or_else(|| vec![false; fingerprints.len()]))
    }

    fn stage(
        &self,
        namespace: &Namespace,
        encoder: &EncoderId,
        vectors: &[(Fingerprint, &[f32])],
    ) -> Result<(), StoreError> {
        let kind = ("stage vectors", ChangeKind::SavesWork);
        change_or_make(self, kind, namespace, |tables| tables.stage(encoder, vectors))
    }

    fn check(&self, depth: CheckDepth, step: &mut dyn FnMut(&str)) -> Result<Vec<Finding>, StoreError> {
        Backend::check(self, depth, step)
    }

    fn secret(&self, namespace: &Namespace) -> Result<Option<[u8; 32]>, StoreError> {
        Ok(look(self, "read the key of kept answers", namespace, |tables| tables.secret())?.flatten())
    }

    fn snapshots(&self, namespace: &Namespace) -> Result<Vec<String>, StoreError> {
        let names = look(self, "list index snapshots", namespace, |tables| tables.segment_names())?;
        Ok(names.unwrap_or_default())
    }

    fn back_up(
        &self,
        file: &Path,
        existing: Existing,
        step: &mut dyn FnMut(&str),
        stop: &AtomicBool,
    ) -> Result<BackedUp, StoreError> {
        Backend::back_up(self, file, existing, step, stop)
    }

    fn salvage(
        &self,
        namespace: &Namespace,
        visit: &mut dyn FnMut(Record) -> Result<(), StoreError>,
    ) -> Result<Salvaged, StoreError> {
        known(self, namespace, Backend::salvage(self, namespace, visit)?)
    }
}
