//! What is appended, and what becomes of it.

use std::str::FromStr;

use crate::types::{Draft, MemoryId, UnknownChoice, VectorSet};

impl OnConflict {
    /// The word for it.
    pub fn name(self) -> &'static str {
        match self {
            OnConflict::Newest => "newest",
            OnConflict::Keep => "keep",
            OnConflict::Fail => "fail",
        }
    }
}

impl FromStr for OnConflict {
    type Err = UnknownChoice;

    fn from_str(word: &str) -> Result<Self, UnknownChoice> {
        let all = [OnConflict::Newest, OnConflict::Keep, OnConflict::Fail];
        all.into_iter().find(|choice| choice.name() == word).ok_or_else(|| UnknownChoice {
            what: "choice on conflict",
            found: word.into(),
            expected: "newest, keep or fail",
        })
    }
}

/// Identifies a passage without keeping it.
pub type Fingerprint = [u8; 16];

/// Memories to append in one transaction, with their vectors.
#[derive(Debug, Clone, Copy)]
pub struct Batch<'a> {
    /// The memories.
    pub drafts: &'a [Draft],
    /// Their vectors.
    pub vectors: NewVectors<'a>,
}

/// Where the vectors of a [`Batch`] come from.
#[derive(Debug, Clone, Copy)]
pub enum NewVectors<'a> {
    /// There are none; they may be added later.
    None,
    /// From the caller.
    Given {
        /// Their set.
        set: VectorSet<'a>,
        /// The vectors of each draft's windows, one after the other, or `None` for one that has none.
        vectors: &'a [Option<&'a [f32]>],
    },
    /// From the vectors staged by [`Store::stage`](super::contract::Store::stage). Those named here are no longer
    /// staged afterwards.
    Staged {
        /// Their set.
        set: VectorSet<'a>,
        /// The fingerprint of each draft's passage, or `None` for one that has no vector.
        fingerprints: &'a [Option<Fingerprint>],
    },
}

impl<'a> Batch<'a> {
    /// Memories without vectors.
    pub fn of(drafts: &'a [Draft]) -> Self {
        Self { drafts, vectors: NewVectors::None }
    }
}

/// What became of a draft of a batch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AppendOutcome {
    /// Stored now, under this id.
    Added(MemoryId),
    /// Already stored, the same in every field.
    Unchanged(MemoryId),
    /// Stored now in the place of another with this id, which is erased.
    Replaced(MemoryId),
    /// Not stored: another with this id stays.
    Kept(MemoryId),
}

impl AppendOutcome {
    /// The id.
    pub fn id(&self) -> &MemoryId {
        let (Self::Added(id) | Self::Unchanged(id) | Self::Replaced(id) | Self::Kept(id)) = self;
        id
    }
}

/// What becomes of a draft whose id is taken by another memory, such as a message that was edited since.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum OnConflict {
    /// The draft takes the place of the stored memory, which is erased as a forget does, with its vectors and cues. It
    /// keeps the position, and so its place among the turns of its session.
    Newest,
    /// The stored memory stays, and the draft is left out.
    Keep,
    /// Nothing of the batch is stored.
    Fail,
}
