//! Conversations, sessions, speakers and the latest memories for people to read.

use aforesaid::{
    ListedConversation, ListedSession, ListedSpeaker,
    types::{ConversationId, Timestamp},
    wire::{Listed, Listing},
};

use super::{QUIET, STRONG, count, ids::ShortIds, layout::Extent, memories, memory, printable, say, when};
use crate::{failure::Failure, local_time};

/// Prints a list, and how much of it is left out.
pub(crate) fn listing(listing: &Listing) -> Result<(), Failure> {
    let (shown, all) = match &listing.listed {
        Listed::Conversations(all) => {
            let ids = short(all.iter().filter_map(|of| of.conversation.as_ref()));
            all.iter().try_for_each(|of| conversation(of, &ids))?;
            (all.len(), count(listing.total, "conversation"))
        }
        Listed::Sessions(all) => {
            let ids = short(all.iter().map(|of| &of.conversation));
            all.iter().try_for_each(|of| session(of, &ids))?;
            (all.len(), count(listing.total, "session"))
        }
        Listed::Speakers(all) => {
            all.iter().try_for_each(speaker)?;
            (all.len(), count(listing.total, "speaker"))
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

fn short<'a>(conversations: impl Iterator<Item = &'a ConversationId>) -> ShortIds<'a> {
    ShortIds::of(conversations.map(ConversationId::as_str), Extent::Snippets)
}

fn conversation(of: &ListedConversation, ids: &ShortIds) -> Result<(), Failure> {
    let name = of.conversation.as_ref().map_or_else(|| "(no conversation)".to_owned(), |name| ids.shown(name.as_str()));
    let notes = (of.notes > 0).then(|| count(of.notes, "note"));
    let talk = (of.turns > 0).then(|| format!("{}, {}", count(of.sessions, "session"), count(of.turns, "turn")));
    let counts: Vec<String> = talk.into_iter().chain(notes).collect();
    entry(&name, of.title.as_deref(), &counts.join(", "), [of.first, of.last].map(day))
}

fn speaker(of: &ListedSpeaker) -> Result<(), Failure> {
    entry(&printable(&of.speaker), None, &count(of.turns, "turn"), [of.first, of.last].map(day))
}

fn day(at: Option<Timestamp>) -> String {
    at.map_or_else(|| when(None), local_time::shown_date)
}

fn session(of: &ListedSession, ids: &ShortIds) -> Result<(), Failure> {
    let name = format!("{} / {}", ids.shown(of.conversation.as_str()), printable(of.session.as_str()));
    entry(&name, of.title.as_deref(), &count(of.turns, "turn"), [of.first, of.last].map(when))
}

fn entry(name: &str, title: Option<&str>, counts: &str, [first, last]: [String; 2]) -> Result<(), Failure> {
    let title = title.map(|title| format!("  {}", printable(title))).unwrap_or_default();
    let times = if first == last { first } else { format!("{first} to {last}") };
    say!("{STRONG}{name}{STRONG:#}{title}  {QUIET}{counts}  {times}{QUIET:#}")
}
