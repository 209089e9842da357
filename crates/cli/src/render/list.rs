//! Conversations, sessions and the latest memories for people to read.

use aforesaid::{
    ListedConversation, ListedSession,
    types::Timestamp,
    wire::{Listed, Listing},
};

use super::{QUIET, STRONG, count, memories, memory, printable, say, when};
use crate::failure::Failure;

/// Prints a list, and how much of it is left out.
pub(crate) fn listing(listing: &Listing) -> Result<(), Failure> {
    let (shown, all) = match &listing.listed {
        Listed::Conversations(all) => {
            all.iter().try_for_each(conversation)?;
            (all.len(), count(listing.total, "conversation"))
        }
        Listed::Sessions(all) => {
            all.iter().try_for_each(session)?;
            (all.len(), count(listing.total, "session"))
        }
        Listed::Recent(all) => {
            all.iter().try_for_each(|of| memory(of, STRONG))?;
            (all.len(), memories(listing.total))
        }
    };
    match listing.total > shown as u64 {
        true => say!("{QUIET}{shown} of {all}; --limit shows more{QUIET:#}"),
        false => Ok(()),
    }
}

fn conversation(of: &ListedConversation) -> Result<(), Failure> {
    let name = of.conversation.as_ref().map_or_else(|| "(no conversation)".to_owned(), |name| printable(name.as_str()));
    let notes = (of.notes > 0).then(|| count(of.notes, "note"));
    let talk = (of.turns > 0).then(|| format!("{}, {}", count(of.sessions, "session"), count(of.turns, "turn")));
    let counts: Vec<String> = talk.into_iter().chain(notes).collect();
    entry(&name, of.title.as_deref(), &counts.join(", "), (of.first, of.last))
}

fn session(of: &ListedSession) -> Result<(), Failure> {
    let name = format!("{} / {}", printable(of.conversation.as_str()), printable(of.session.as_str()));
    entry(&name, of.title.as_deref(), &count(of.turns, "turn"), (of.first, of.last))
}

fn entry(
    name: &str,
    title: Option<&str>,
    counts: &str,
    (first, last): (Option<Timestamp>, Option<Timestamp>),
) -> Result<(), Failure> {
    let title = title.map(|title| format!("  {}", printable(title))).unwrap_or_default();
    let times = match (when(first), when(last)) {
        (first, last) if first == last => first,
        (first, last) => format!("{first} to {last}"),
    };
    say!("{STRONG}{name}{STRONG:#}{title}  {QUIET}{counts}  {times}{QUIET:#}")
}
