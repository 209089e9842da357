//! Which memory and which conversation somebody means: by the beginning of an id, by a title.

use std::collections::BTreeSet;

use aforesaid_core::{
    store::{MemoryRef, SessionSummary},
    types::{ConversationId, MemoryId, Namespace, Scope},
};

use crate::{error::Error, memory::Memory};

/// Characters that the beginning of an id has at least.
pub const SHORTEST_BEGINNING: usize = 4;

/// Candidates that an error names.
const SHOWN: usize = 5;

/// Ids that are read at once of those that begin alike.
const ALIKE: usize = 16;

impl Memory {
    /// The one memory that a name stands for: its id, or at least four characters that only its id begins with. An id goes
    /// before the beginning of another. The conversation may be named by a title, as in [`Memory::search`].
    ///
    /// A number that the store gave is not cut: `s:1` does not stand for `s:12`.
    ///
    /// # Errors
    /// When nothing has that id, or several have; and when the store fails.
    pub fn resolve(&self, namespace: &Namespace, name: &MemoryRef) -> Result<MemoryRef, Error> {
        self.must_exist(namespace)?;
        let conversation = match &name.conversation {
            Some(conversation) => Some(self.resolve_conversation(namespace, conversation)?),
            None => None,
        };
        let name = MemoryRef { id: name.id.clone(), conversation };
        let unknown = match self.one(namespace, &name) {
            Ok(memory) => return Ok(MemoryRef { id: memory.id, conversation: memory.conversation }),
            Err(error @ Error::UnknownMemory { .. }) => error,
            Err(error) => return Err(error),
        };
        if name.id.as_str().chars().count() < SHORTEST_BEGINNING {
            return Err(unknown);
        }
        let mut candidates = self.store.ids_starting(namespace, &name, SHOWN + 1)?;
        match candidates.as_slice() {
            [] => Err(unknown),
            [one] => Ok(one.clone()),
            [first, others @ ..] if others.iter().all(|other| other.id == first.id) => {
                // The same id in several conversations: whoever names one is told which one to name.
                let every = MemoryRef { id: first.id.clone(), conversation: None };
                self.one(namespace, &every).map(|memory| MemoryRef { id: memory.id, conversation: memory.conversation })
            }
            _ => {
                let more = candidates.len() > SHOWN;
                candidates.truncate(SHOWN);
                Err(Error::AmbiguousId { beginning: name.id, candidates, more })
            }
        }
    }

    /// The ids of a namespace that begin as some long ones do for so many bytes, and further where many do: what these are to be told
    /// apart from where only their beginnings are shown.
    ///
    /// # Errors
    /// When the store fails.
    pub fn ids_beginning_as(&self, namespace: &Namespace, ids: &[&str], bytes: usize) -> Result<Vec<String>, Error> {
        let mut alike = BTreeSet::new();
        for id in ids {
            let mut longer = (bytes..).step_by(4);
            while let Some(beginning) = longer.next().and_then(|end| id.get(..end)) {
                let name = MemoryRef { id: MemoryId::new(beginning)?, conversation: None };
                let found = self.store.ids_starting(namespace, &name, ALIKE)?;
                let may_be_more = found.len() == ALIKE;
                alike.extend(found.into_iter().map(|found| found.id.to_string()));
                if !may_be_more {
                    break;
                }
            }
        }
        Ok(alike.into_iter().collect())
    }

    /// The id of the turn that a note was drawn from, or what stands for it: of a turn that is not there, a note may tell still.
    pub(crate) fn resolve_source(&self, namespace: &Namespace, id: &MemoryId) -> Result<MemoryId, Error> {
        match self.resolve(namespace, &MemoryRef { id: id.clone(), conversation: None }) {
            Ok(found) => Ok(found.id),
            Err(Error::UnknownMemory { .. } | Error::AmbiguousMemory { .. }) => Ok(id.clone()),
            Err(error) => Err(error),
        }
    }

    /// The conversation of that name; where there is none, the only one that has a session of that title; where there is none
    /// of that either, the only one whose name or title is that in other case; and else the only one whose name begins so. A name
    /// that is none of these stays what it is.
    ///
    /// # Errors
    /// When several conversations are meant, or the store fails.
    pub fn resolve_conversation(&self, namespace: &Namespace, name: &ConversationId) -> Result<ConversationId, Error> {
        if self.store.has_conversation(namespace, name)? {
            return Ok(name.clone());
        }
        let mut conversations = self.store.conversations_titled(namespace, name.as_str())?;
        if conversations.is_empty() {
            conversations = self.conversations_like(namespace, name.as_str())?;
        }
        match conversations.as_slice() {
            [] => Ok(name.clone()),
            [one] => Ok(one.clone()),
            _ => Err(Error::AmbiguousConversation { name: name.to_string(), conversations }),
        }
    }

    /// The conversation of that name, as [`Memory::resolve_conversation`] finds it, for what must not reach a session that was not
    /// meant: the title of one thread of a mailbox is no name of the mailbox.
    ///
    /// # Errors
    /// When several conversations are meant, when the name is the title of some of the conversation's sessions and others have another
    /// or none, or when the store fails.
    pub fn resolve_whole_conversation(
        &self,
        namespace: &Namespace,
        name: &ConversationId,
    ) -> Result<ConversationId, Error> {
        let conversation = self.resolve_conversation(namespace, name)?;
        let lower = name.as_str().to_lowercase();
        if conversation.as_str().to_lowercase() == lower {
            return Ok(conversation);
        }
        let within = Scope { conversation: Some(conversation.clone()), ..Scope::default() };
        let (mut of_title, mut others) = (None, 0);
        for session in self.store.sessions(namespace, &within)? {
            let Some(id) = session.session else { continue };
            if session.title.is_some_and(|title| is_titled(&title, &lower)) {
                of_title.get_or_insert(id);
            } else {
                others += 1;
            }
        }
        match of_title {
            Some(session) if others > 0 => {
                Err(Error::AmbiguousTitle { title: name.to_string(), conversation, session, others })
            }
            _ => Ok(conversation),
        }
    }

    /// The conversations whose name or title is this in other case; where there is none, those whose names begin so.
    fn conversations_like(&self, namespace: &Namespace, name: &str) -> Result<Vec<ConversationId>, Error> {
        // Programs name their conversations in full, and what they name may not be stored yet.
        if is_uuid(name) || self.store.version(namespace)?.is_none() {
            return Ok(Vec::new());
        }
        let sessions = self.store.sessions(namespace, &Scope::default())?;
        let those = |are_meant: &dyn Fn(&ConversationId, &SessionSummary) -> bool| {
            let of = |session: &SessionSummary| session.conversation.clone().filter(|of| are_meant(of, session));
            sessions.iter().filter_map(of).collect::<BTreeSet<_>>().into_iter().collect::<Vec<_>>()
        };
        let lower = name.to_lowercase();
        let is_same = |other: &str| other.to_lowercase() == lower;
        let is_title = |title: &str| is_titled(title, &lower);
        let same = those(&|of, session| is_same(of.as_str()) || session.title.as_deref().is_some_and(is_title));
        if !same.is_empty() || name.chars().count() < SHORTEST_BEGINNING {
            return Ok(same);
        }
        Ok(those(&|of, _| is_beginning(&lower, &of.as_str().to_lowercase())))
    }
}

/// Whether a title is a name in lower case; that of a channel may be named without its `#`, which is a comment in a shell.
fn is_titled(title: &str, lower: &str) -> bool {
    let title = title.to_lowercase();
    title == lower || title.strip_prefix('#') == Some(lower)
}

/// Whether an id begins so, and no number of it is cut: `chat-1` does not stand for `chat-12`. The digits of a UUID are no
/// number.
fn is_beginning(beginning: &str, id: &str) -> bool {
    let ends_in_digit = beginning.ends_with(|last: char| last.is_ascii_digit());
    let cuts_a_number = |rest: &str| ends_in_digit && rest.starts_with(|next: char| next.is_ascii_digit());
    id.strip_prefix(beginning).is_some_and(|rest| is_uuid(id) || !cuts_a_number(rest))
}

/// Whether a name is one that only programs read: 8-4-4-4-12 hexadecimal digits.
pub fn is_uuid(name: &str) -> bool {
    let groups: Vec<&str> = name.split('-').collect();
    let hex = |group: &&str| group.bytes().all(|digit| digit.is_ascii_hexdigit());
    groups.iter().map(|group| group.len()).eq([8, 4, 4, 4, 12]) && groups.iter().all(hex)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_eight_four_four_four_and_twelve_digits_are_a_uuid() {
        assert!(is_uuid("6f1c2a9e-0b1d-4c3e-9f00-000000000001"));
        assert!(!is_uuid("6f1c2a9e-0b1d-4c3e-9f00-00000000000g") && !is_uuid("S1:1"));
    }

    #[test]
    fn a_channel_is_named_with_or_without_its_sign() {
        assert!(is_titled("#Ops", "ops") && is_titled("#Ops", "#ops") && is_titled("Ops", "ops"));
        assert!(!is_titled("ops", "#ops") && !is_titled("##ops", "ops") && !is_titled("#ops", "op"));
    }

    #[test]
    fn a_beginning_cuts_no_number_but_that_of_a_uuid() {
        assert!(is_beginning("chat-", "chat-12") && is_beginning("chat-12", "chat-12-b"));
        assert!(!is_beginning("chat-1", "chat-12") && !is_beginning("chat-12-b", "chat-12"));
        assert!(is_beginning("6f1c2", "6f1c22a9-0b1d-4c3e-9f00-000000000001"));
    }
}
