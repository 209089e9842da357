//! What a place that keeps rows implements to become a [`Store`].

use std::{path::Path, sync::atomic::AtomicBool};

use super::{
    candidates::CandidateSource,
    check::{BackedUp, CheckDepth, Existing, Finding, Salvaged},
    contract::Store,
    deletion::Erasure,
    tables::Tables,
};
use crate::{
    error::StoreError,
    types::{Namespace, Record, Scope},
};

/// Keeps the rows of namespaces and changes them in transactions. Whoever implements it has a [`Store`].
///
/// A backend makes no decision about memories: it keeps what [`Tables`] says, and promises what a transaction promises.
/// A read sees one state of the namespace, whatever others write meanwhile. A change is kept as a whole when the work on
/// it succeeds, and not at all when it fails.
pub trait Backend: Send + Sync {
    /// Path or URL, as a person would recognise it.
    fn location(&self) -> String;

    /// Namespaces in alphabetical order.
    ///
    /// # Errors
    /// When the backend fails.
    fn namespaces(&self) -> Result<Vec<Namespace>, StoreError>;

    /// Runs `work` on one consistent view of a namespace; `None` where there is no such namespace.
    ///
    /// # Errors
    /// What `work` answers, or when the backend fails.
    fn read<T>(
        &self,
        view: View<'_>,
        work: impl FnOnce(&dyn Tables) -> Result<T, StoreError>,
    ) -> Result<Option<T>, StoreError>
    where
        Self: Sized;

    /// Runs `work` in a transaction that changes a namespace. Where `work` fails nothing is kept of it, not even a
    /// namespace made for it. Where others are in the way, a backend may roll back what was done and run `work` again.
    ///
    /// # Errors
    /// What `work` answers, or when the backend fails.
    fn write<T>(
        &self,
        change: Change<'_>,
        work: impl FnMut(&mut dyn Tables) -> Result<T, StoreError>,
    ) -> Result<Written<T>, StoreError>
    where
        Self: Sized;

    /// A view of all namespaces that stays as it is now; see [`Store::steady`].
    ///
    /// # Errors
    /// When the backend fails.
    fn steady(&self) -> Result<Box<dyn Store>, StoreError>;

    /// See [`Store::candidate_source`].
    fn candidate_source(&self) -> Option<&dyn CandidateSource> {
        None
    }

    /// See [`Store::erasure`].
    ///
    /// # Errors
    /// When the backend fails.
    fn erasure(&self) -> Result<Erasure, StoreError> {
        Ok(Erasure::Complete)
    }

    /// See [`Store::check`].
    ///
    /// # Errors
    /// When the backend cannot be looked at.
    fn check(&self, _depth: CheckDepth, _step: &mut dyn FnMut(&str)) -> Result<Vec<Finding>, StoreError> {
        Ok(Vec::new())
    }

    /// See [`Store::back_up`].
    ///
    /// # Errors
    /// When there is no file to copy, or it cannot be copied.
    fn back_up(
        &self,
        _file: &Path,
        _existing: Existing,
        _step: &mut dyn FnMut(&str),
        _stop: &AtomicBool,
    ) -> Result<BackedUp, StoreError> {
        Err(StoreError::Location {
            location: self.location(),
            found: "ends with the process, and has no file to copy".to_owned(),
            next: "name a store in a file".to_owned(),
        })
    }

    /// See [`Store::salvage`]; `None` where there is no such namespace.
    ///
    /// # Errors
    /// What the visitor answers, or when nothing can be read.
    fn salvage(
        &self,
        namespace: &Namespace,
        visit: &mut dyn FnMut(Record) -> Result<(), StoreError>,
    ) -> Result<Option<Salvaged>, StoreError>
    where
        Self: Sized,
    {
        let view = View { namespace, action: "salvage memories", extent: Extent::Everything };
        self.read(view, |tables| {
            let mut salvaged = Salvaged::default();
            tables.export(&Scope::default(), &mut |memory| {
                salvaged.read += 1;
                visit(memory)
            })?;
            Ok(salvaged)
        })
    }
}

/// What a read looks at.
#[derive(Debug, Clone, Copy)]
pub struct View<'a> {
    /// The namespace.
    pub namespace: &'a Namespace,
    /// What is being done, for the message of whatever goes wrong: "could not `action`".
    pub action: &'static str,
    /// How much of the namespace is read.
    pub extent: Extent,
}

/// How much of a namespace is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Extent {
    /// Some rows.
    Rows,
    /// Most rows, once.
    Everything,
}

/// What a transaction changes.
#[derive(Debug, Clone, Copy)]
pub struct Change<'a> {
    /// The namespace.
    pub namespace: &'a Namespace,
    /// What is being done, for the message of whatever goes wrong: "could not `action`".
    pub action: &'static str,
    /// What happens where there is no such namespace.
    pub missing: MissingNamespace,
    /// What kind of change it is.
    pub kind: ChangeKind,
}

/// What a change does where its namespace is missing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MissingNamespace {
    /// It makes the namespace.
    Make,
    /// It does nothing and answers [`Written::NoNamespace`].
    Report,
}

/// What a backend has to know of a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChangeKind {
    /// It survives a crash once it is acknowledged.
    Lasting,
    /// As [`ChangeKind::Lasting`], and it reads many staged vectors.
    TakesStaged,
    /// It only saves work: a crash of the machine may lose it.
    SavesWork,
    /// As [`ChangeKind::SavesWork`], and it does not wait for another writer: [`Written::Busy`].
    SavesWorkIfIdle,
    /// It deletes what somebody wants forgotten: its bytes are to leave every file.
    Erases,
}

/// How a change ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Written<T> {
    /// It is kept. For [`ChangeKind::Erases`], with how far the erasure has come.
    Kept(T, Erasure),
    /// There is no such namespace.
    NoNamespace,
    /// Another is writing.
    Busy,
}
