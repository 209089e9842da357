//! What the target's namespace is to the source's: nothing yet, a copy of an earlier state, or something else.
//!
//! A namespace begins with a random epoch of 62 bits, and every change moves its version. A migration gives the target the
//! version of the state it copies, so that no other mark is needed: whoever else writes there moves its version, too.

use aforesaid_core::{store::tables::NamespaceState, types::Record};

/// How far the epoch of a namespace moves at most in its life.
const LIFE: u64 = 1 << 32;

/// What a target's namespace is to a source's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Relation {
    /// It holds nothing.
    Empty,
    /// It is a copy of the state that the source has, as far as it goes: the source only added since.
    Beginning,
    /// It is a copy of a state before: the source removed or changed something since.
    Earlier,
    /// It is none; what was found, in words.
    Other(&'static str),
}

/// What `target` is to `source`.
pub(super) fn relation(source: &NamespaceState, target: Option<&NamespaceState>) -> Relation {
    let (from, Some(to)) = (source.version, target.map(|state| state.version)) else { return Relation::Empty };
    if to.last.0 == 0 && to.cues.0 == 0 {
        return Relation::Empty;
    }
    if to.epoch.abs_diff(from.epoch) > LIFE {
        return Relation::Other("something that is no copy of it");
    }
    if to.epoch > from.epoch || to.removed > from.removed || to.last > from.last || to.cues > from.cues {
        return Relation::Other("a copy of it that was changed since");
    }
    match (to.epoch, to.removed) == (from.epoch, from.removed) {
        true => Relation::Beginning,
        false => Relation::Earlier,
    }
}

/// Whether two records at one position are the same memory, whose marks may differ.
pub(super) fn is_same_memory(one: &Record, other: &Record) -> bool {
    let marks_of = |of: &Record, from: &Record| Record {
        importance: from.importance,
        tags: from.tags.clone(),
        sensitivity: from.sensitivity,
        source: from.source.clone(),
        meta: from.meta.clone(),
        ..of.clone()
    };
    marks_of(one, other) == *other
}

#[cfg(test)]
mod tests {
    use aforesaid_core::{
        store::Version,
        types::{CueId, Seq},
    };

    use super::*;

    fn state(epoch: u64, last: u64, cues: u64, removed: u64) -> NamespaceState {
        let version = Version { epoch, last: Seq(last), cues: CueId(cues), removed };
        NamespaceState { version, active_encoder: None, floor: 0, notes: 0 }
    }

    #[test]
    fn a_copy_is_told_by_its_version() {
        let source = state(1 << 60, 9, 4, 2);
        let of = |target: NamespaceState| relation(&source, Some(&target));
        assert_eq!(relation(&source, None), Relation::Empty);
        assert_eq!(of(state(77, 0, 0, 0)), Relation::Empty);
        assert_eq!(of(state(1 << 60, 5, 0, 2)), Relation::Beginning);
        assert_eq!(of(source.clone()), Relation::Beginning);
        assert_eq!(of(state(1 << 60, 9, 4, 1)), Relation::Earlier);
        assert_eq!(of(state((1 << 60) - 3, 9, 4, 2)), Relation::Earlier);
        for changed in [(1, 9, 4, 2), (0, 10, 4, 2), (0, 9, 5, 2), (0, 9, 4, 3)] {
            let (moved, last, cues, removed) = changed;
            let found = of(state((1 << 60) + moved, last, cues, removed));
            assert_eq!(found, Relation::Other("a copy of it that was changed since"), "{changed:?}");
        }
        for epoch in [0, 1 << 40, (1 << 60) + (1 << 33), 1 << 61] {
            assert_eq!(of(state(epoch, 9, 4, 2)), Relation::Other("something that is no copy of it"), "{epoch}");
        }
    }
}
