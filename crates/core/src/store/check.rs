//! What a check of a store finds, and what a backup and a rescue of one give.

use serde::Serialize;

/// How far a check goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum CheckDepth {
    /// Pages, counters, and what belongs together.
    Quick,
    /// Also every index entry, row, vector, checksum and snapshot.
    Full,
}

/// What a finding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Gravity {
    /// Something was lost or changed.
    Damage,
    /// Nothing was; it is worth knowing.
    Note,
}

/// One thing that a check found. It never holds what was said.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// What it is.
    pub gravity: Gravity,
    /// What it is about: a file, a table, a namespace.
    pub subject: String,
    /// What is there.
    pub found: String,
    /// What should be.
    pub expected: String,
    /// What to do.
    pub next: String,
}

impl Finding {
    /// A finding of something that was lost or changed.
    pub fn damage(subject: impl Into<String>, found: impl Into<String>, expected: impl Into<String>) -> Self {
        Self {
            gravity: Gravity::Damage,
            subject: subject.into(),
            found: found.into(),
            expected: expected.into(),
            next: "restore a backup, or salvage what can be read and import it into a new store".to_owned(),
        }
    }

    /// A finding of something worth knowing.
    pub fn note(
        subject: impl Into<String>,
        found: impl Into<String>,
        expected: impl Into<String>,
        next: impl Into<String>,
    ) -> Self {
        Self {
            gravity: Gravity::Note,
            subject: subject.into(),
            found: found.into(),
            expected: expected.into(),
            next: next.into(),
        }
    }

    /// The same with another remedy.
    #[must_use]
    pub fn remedied_by(self, next: impl Into<String>) -> Self {
        Self { next: next.into(), ..self }
    }
}

/// A copy of a store.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct BackedUp {
    /// Namespaces in it.
    pub namespaces: u64,
    /// Turns and notes in it.
    pub memories: u64,
    /// Its size.
    pub bytes: u64,
}

/// What a backup does where its file is already there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Existing {
    /// It stays, and the backup fails.
    Kept,
    /// The backup takes its place once it is whole.
    Replaced,
}

/// What could be read of a damaged namespace.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Salvaged {
    /// Memories that were read.
    pub read: u64,
    /// Of these, the positions of those that are not what was stored, by their checksum.
    pub changed: Vec<u64>,
    /// Memories that should be there and could not be read.
    pub lost: u64,
}

impl Salvaged {
    /// Whether everything is there as it was stored.
    pub fn is_whole(&self) -> bool {
        self.lost == 0 && self.changed.is_empty()
    }
}
