//! Moves namespaces from one store to another, whatever each of them is.
//!
//! A migration makes passes. Each takes one view of a namespace in the source, compares what the target has with it and
//! writes what is missing, a few hundred rows a transaction ([`pass`]). The first pass copies, the next ones take what
//! changed meanwhile, and a pass that changes nothing is followed by a comparison of counts and checksums ([`checksum`]).
//! So a run that was interrupted is followed by another, and what is complete is only compared.
//!
//! Positions, ids, counters and versions stay as they are; what is derived is made anew.

mod checksum;
mod groups;
mod pass;
mod relation;
mod rows;

use std::ops::ControlFlow;

use aforesaid_core::types::Namespace;
use serde::Serialize;

pub use self::checksum::MigratedRows;
use self::{
    checksum::Checksum,
    pass::{Pass, Stop},
    rows::Side,
};
use crate::{error::Error, memory::Memory};

/// Passes at most: a source that is written all the time never holds still.
const PASSES: u32 = 4;

/// How far the migration of a namespace has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MigrationProgress<'a> {
    /// The namespace.
    pub namespace: &'a Namespace,
    /// Which pass it is, from 1.
    pub pass: u32,
    /// Rows done in this pass, at least.
    pub done: u64,
    /// Rows of the namespace, those that were forgotten included.
    pub total: u64,
}

/// How the migration of a namespace ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum MigrationOutcome {
    /// It is complete and compared.
    Complete,
    /// It was complete before, and compared again.
    Unchanged,
    /// It was asked to stop; another run goes on.
    Interrupted,
    /// The source has no such namespace any more.
    Gone,
}

/// What became of a namespace.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct MigratedNamespace {
    /// Its name.
    pub namespace: Namespace,
    /// How it ended.
    pub outcome: MigrationOutcome,
    /// What the target holds, as compared; 0 where it was not.
    #[serde(flatten)]
    pub rows: MigratedRows,
    /// Memories and cues written in this run.
    pub written: u64,
    /// Memories removed from the target in this run, or whose cues were, since the source removed or changed them.
    pub removed: u64,
    /// Passes made.
    pub passes: u32,
    /// SHA-256 of all rows, the same on both sides; `None` where they were not compared.
    pub checksum: Option<String>,
    /// Whether the source was written during the last pass: what came then is not in the target.
    pub written_meanwhile: bool,
}

impl Memory {
    /// Copies a namespace to another store, with every field, id, position, cue question and vector of it.
    ///
    /// The source may be written meanwhile: passes follow until one finds nothing new
    /// and the source has not moved, up to four. Nothing else may write the
    /// namespace in the target until its users change over. Only a few hundred rows are in memory, and the names of
    /// sessions. `progress` is called between transactions, and stops the migration by a break; the next call goes on.
    ///
    /// Vectors of an import that has not finished, and snapshots of indexes, are not copied: they are made again.
    ///
    /// # Errors
    /// [`Error::SameStore`]; [`Error::TargetTaken`] where the target's namespace holds something else; then nothing was
    /// changed by this pass but what it had compared before. [`Error::MigrationDiffers`] where both sides differ at the
    /// end. When a store fails.
    pub fn migrate(
        &self,
        to: &Memory,
        namespace: &Namespace,
        progress: &mut dyn FnMut(MigrationProgress<'_>) -> ControlFlow<()>,
    ) -> Result<MigratedNamespace, Error> {
        if self.location() == to.location() {
            return Err(Error::SameStore { location: self.location() });
        }
        let mut report = MigratedNamespace {
            namespace: namespace.clone(),
            outcome: MigrationOutcome::Gone,
            rows: MigratedRows::default(),
            written: 0,
            removed: 0,
            passes: 0,
            checksum: None,
            written_meanwhile: false,
        };
        let to = Side { store: &*to.store, namespace };
        match self.passes(to, &mut report, progress) {
            Ok(()) => Ok(report),
            Err(Stop::Asked) => Ok(MigratedNamespace { outcome: MigrationOutcome::Interrupted, ..report }),
            Err(Stop::Failed(error)) => Err(error),
        }
    }

    fn passes(
        &self,
        to: Side<'_>,
        report: &mut MigratedNamespace,
        progress: &mut dyn FnMut(MigrationProgress<'_>) -> ControlFlow<()>,
    ) -> Result<(), Stop> {
        let mut is_unchanged = true;
        loop {
            let view = self.store.steady()?;
            let from = Side { store: &*view, namespace: to.namespace };
            let Some(mut pass) = Pass::begin(from, to, report.passes + 1, progress)? else { return Ok(()) };
            report.passes += 1;
            let run = pass.run();
            report.written += pass.changes.written;
            report.removed += pass.changes.removed;
            run?;
            is_unchanged &= pass.changes.is_none();
            report.written_meanwhile = self.store.version(to.namespace)? != Some(pass.version());
            let is_still = pass.changes.is_none() && !report.written_meanwhile;
            if is_still || report.passes == PASSES {
                compare(to, &pass, report)?;
                report.outcome = match is_unchanged {
                    true => MigrationOutcome::Unchanged,
                    false => MigrationOutcome::Complete,
                };
                return Ok(());
            }
        }
    }
}

/// Compares the target, read from its first row to its last, with what a pass read of the source.
fn compare(to: Side<'_>, pass: &Pass<'_, '_>, report: &mut MigratedNamespace) -> Result<(), Stop> {
    let found = Checksum::of(to, pass.encoders())?.unwrap_or_default();
    let expected = &pass.checksum;
    if found.digits() != expected.digits() {
        return Err(Stop::Failed(Error::MigrationDiffers {
            namespace: to.namespace.clone(),
            location: to.store.location(),
            expected: Box::new(expected.rows),
            found: Box::new(found.rows),
        }));
    }
    (report.rows, report.checksum) = (found.rows, Some(found.digits()));
    Ok(())
}
