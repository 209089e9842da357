//! The titles of sessions, by their words.

use crate::lexical::Postings;

/// Titles as terms. Segments do not hold them: they are few, and each may change.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Titles {
    /// A text a title.
    postings: Postings,
    /// The session of each title, by number in the index.
    sessions: Vec<u32>,
    /// The number in the store of the last session whose title was taken.
    upto: u64,
}

impl Titles {
    pub(crate) fn push(&mut self, number: u64, session: u32, terms: &[String]) {
        self.postings.push(terms.iter().map(String::as_str));
        self.sessions.push(session);
        self.upto = number;
    }

    pub(super) fn upto(&self) -> u64 {
        self.upto
    }

    /// Whether no session has a title.
    pub fn is_empty(&self) -> bool {
        self.sessions.is_empty()
    }

    /// Which titles hold which terms.
    pub fn postings(&self) -> &Postings {
        &self.postings
    }

    /// The session of each title, by number.
    pub fn sessions(&self) -> &[u32] {
        &self.sessions
    }

    /// Bytes held, approximately.
    pub fn heap_bytes(&self) -> usize {
        self.postings.heap_bytes() + self.sessions.capacity() * 4
    }
}
