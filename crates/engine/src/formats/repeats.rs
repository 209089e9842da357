//! Which ids a file has given out already.

use std::{
    collections::{HashMap, hash_map::Entry},
    hash::{BuildHasher, RandomState},
};

use aforesaid_core::types::Draft;

/// Finds an earlier draft of the same conversation and id.
///
/// Ids are not copied: a file of a million turns would hold them all twice.
/// The key is a hash and a number that tells colliding ids apart.
#[derive(Default)]
pub(super) struct Repeats {
    hasher: RandomState,
    places: HashMap<(u64, u32), usize>,
}

impl Repeats {
    /// The earlier draft among `drafts` that `draft` repeats; else notes it as the next one of them.
    ///
    /// A draft without an id repeats nothing.
    pub(super) fn find(&mut self, draft: &Draft, drafts: &[Draft]) -> Option<usize> {
        let id = draft.id()?;
        let hash = self.hasher.hash_one((draft.conversation(), id));
        let mut collisions = 0;
        loop {
            match self.places.entry((hash, collisions)) {
                Entry::Vacant(free) => {
                    free.insert(drafts.len());
                    return None;
                }
                Entry::Occupied(taken) => {
                    let earlier = drafts.get(*taken.get())?;
                    if earlier.id() == Some(id) && earlier.conversation() == draft.conversation() {
                        return Some(*taken.get());
                    }
                    collisions += 1;
                }
            }
        }
    }
}
