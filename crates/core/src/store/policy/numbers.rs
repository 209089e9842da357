//! Ids of memories that bring none: `<session>:<n>` for a turn, `note:<n>` for a note.
//!
//! Counters say how far the numbers of a group have come: of a session's turns, of a conversation's notes. A number
//! is never given twice, so a counter outlives what it counted:
//!
//! - The number of a note is above those of its conversation and of the notes without one, and both counters move to it: its
//!   id is new in the whole namespace.
//! - A session's counter grows with every turn, whether it brought its id or not, and never shrinks.
//! - When a session goes, its name goes too. Only its number stays, in the floor of its conversation: sessions
//!   that begin later count on from there. When a conversation goes, its floor joins that of the namespace.
//! - When an id goes that looks like one of a group, and that the user may have chosen, the group goes on above it.

use crate::{
    error::StoreError,
    types::{Draft, MemoryId},
};

/// What the ids of notes begin with.
pub(super) const NOTES: &str = "note";

/// Characters of a session's name that its ids begin with: an id must stay a valid name.
pub(super) const GROUP_CHARS: usize = 50;

/// Digits of a number that moves a counter; one with more was chosen by the user and will not be reached.
const DIGITS: usize = 18;

/// What the ids of a session begin with.
pub(super) fn group(session: &str) -> &str {
    session.char_indices().nth(GROUP_CHARS).map_or(session, |(end, _)| &session[..end])
}

/// Group and number of an id that could have been given, by its looks.
pub(super) fn numbered(id: &str) -> Option<(&str, u64)> {
    let (group, number) = id.rsplit_once(':')?;
    let is_number = (1..=DIGITS).contains(&number.len()) && number.bytes().all(|byte| byte.is_ascii_digit());
    Some((group, number.parse().ok().filter(|_| is_number)?))
}

/// The id of a draft that brought none, and its number.
///
/// `highest` is how far the numbers of its group have come; `taken` says whether an id is in use.
///
/// # Errors
/// What `taken` answers.
pub(super) fn allocate_id(
    draft: &Draft,
    highest: u64,
    mut taken: impl FnMut(&MemoryId) -> Result<bool, StoreError>,
) -> Result<(MemoryId, u64), StoreError> {
    let group = match draft {
        Draft::Turn(turn) => group(turn.session.as_str()),
        Draft::Note(_) => NOTES,
    };
    let mut number = highest;
    loop {
        number += 1;
        let id = MemoryId::new(format!("{group}:{number}"))?;
        if !taken(&id)? {
            return Ok((id, number));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_that_could_have_been_given_is_told_from_others() {
        assert_eq!(numbered("s:12"), Some(("s", 12)));
        assert_eq!(numbered("2023-05-08T13:56:7"), Some(("2023-05-08T13:56", 7)));
        assert_eq!(numbered("s:999999999999999999"), Some(("s", 999_999_999_999_999_999)));
        for other in ["s", "s:", "s:+1", "s:1a", "s:1 ", "12", "s:9999999999999999999", "s:٣"] {
            assert_eq!(numbered(other), None, "{other}");
        }
    }

    #[test]
    fn a_group_is_a_name_cut_between_characters() {
        assert_eq!(group("s"), "s");
        assert_eq!(group(&"é".repeat(60)), "é".repeat(50));
        assert_eq!(group(&"x".repeat(50)), "x".repeat(50));
    }
}
