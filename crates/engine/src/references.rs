//! Which memory and which conversation somebody means: by the beginning of an id, by a title.

use aforesaid_core::{
    store::MemoryRef,
    types::{ConversationId, Namespace},
};

use crate::{error::Error, memory::Memory};

/// Characters that the beginning of an id has at least.
const SHORTEST: usize = 4;

/// Candidates that an error names.
const SHOWN: usize = 5;

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
        if name.id.as_str().chars().count() < SHORTEST {
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

    /// The conversation of that name; where there is none, the only one that has a session of that title. A name that is
    /// neither stays what it is.
    ///
    /// # Errors
    /// When several conversations have that title, or the store fails.
    pub(crate) fn resolve_conversation(
        &self,
        namespace: &Namespace,
        name: &ConversationId,
    ) -> Result<ConversationId, Error> {
        if self.store.has_conversation(namespace, name)? {
            return Ok(name.clone());
        }
        let conversations = self.store.conversations_titled(namespace, name.as_str())?;
        match conversations.as_slice() {
            [] => Ok(name.clone()),
            [one] => Ok(one.clone()),
            _ => Err(Error::AmbiguousTitle { title: name.to_string(), conversations }),
        }
    }
}
