//! Which texts of an index a query may find, and which its statistics are measured on.

use crate::{
    index::Index,
    lexical::{Collection, Posting},
    types::{Scope, Seq, Unit},
};

/// Texts as a set: all of them, or those marked.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Texts {
    All,
    Marked(Vec<bool>),
}

impl Texts {
    pub(super) fn has(&self, position: u32) -> bool {
        match self {
            Texts::All => true,
            Texts::Marked(marks) => marks[position as usize],
        }
    }

    /// How many of the texts that hold a term are of the set.
    pub(super) fn count(&self, holding: &[Posting]) -> usize {
        match self {
            Texts::All => holding.len(),
            Texts::Marked(_) => holding.iter().filter(|posting| self.has(posting.text)).count(),
        }
    }
}

/// What a query's scope comes to in one index.
#[derive(Debug, Clone, PartialEq)]
pub struct Candidates {
    /// Texts term weights are measured on: the conversation's, or the namespace's.
    pub(super) collection: Texts,
    /// Texts that may be found, by position, ascending.
    pub(super) texts: Vec<u32>,
    /// Sessions that have at least one of them, by number, ascending.
    pub(super) sessions: Vec<u32>,
    /// Texts from this position on do not exist yet.
    end: u32,
}

impl Candidates {
    /// Works out a scope; a session is looked for in the scope's conversation, or in all.
    ///
    /// `before` leaves out the memory of that place and all later ones, statistics included.
    pub fn within(index: &Index, scope: &Scope, before: Option<Seq>) -> Self {
        let documents = index.documents();
        let end = before.map_or(documents.len() as u32, |before| documents.first_from(before));
        let all = 0..documents.len() as u32;
        if scope.is_everything() && before.is_none() {
            let sessions = (0u32..).zip(documents.sessions()).filter(|(_, session)| !session.turns.is_empty());
            return Self {
                collection: Texts::All,
                texts: all.collect(),
                sessions: sessions.map(|(number, _)| number).collect(),
                end,
            };
        }
        let conversation =
            scope.conversation.as_ref().map(|name| documents.conversation_number(name.as_str()).unwrap_or(u32::MAX));
        let existed = |text: u32| text < end;
        let collection = match conversation {
            None if before.is_none() => Texts::All,
            None => Texts::Marked(all.clone().map(existed).collect()),
            Some(number) => {
                let among = |text: u32| existed(text) && documents.conversation_of(text) == Some(number);
                Texts::Marked(all.clone().map(among).collect())
            }
        };
        let named = |text: u32| match (&scope.session, documents.session_of(text)) {
            (None, _) => true,
            (Some(name), Some(session)) => documents.sessions()[session as usize].name == name.as_str(),
            (Some(_), None) => false,
        };
        let texts: Vec<u32> =
            all.filter(|&text| collection.has(text) && named(text) && scope.covers(documents.said_at(text))).collect();
        let mut sessions: Vec<u32> = texts.iter().filter_map(|&text| documents.session_of(text)).collect();
        sessions.sort_unstable();
        sessions.dedup();
        Self { collection, texts, sessions, end }
    }

    /// What may be found: texts by position, or sessions by number.
    pub(super) fn units(&self, unit: Unit) -> &[u32] {
        match unit {
            Unit::Turn => &self.texts,
            Unit::Session => &self.sessions,
        }
    }

    /// How many texts may be found.
    pub fn len(&self) -> usize {
        self.texts.len()
    }

    /// Whether nothing may be found.
    pub fn is_empty(&self) -> bool {
        self.texts.is_empty()
    }

    /// The turns of a session that exist, by position, in the order they were said.
    pub(super) fn turns_of<'a>(&self, index: &'a Index, session: u32) -> &'a [u32] {
        let turns = &index.documents().sessions()[session as usize].turns;
        &turns[..turns.partition_point(|&turn| turn < self.end)]
    }

    /// Terms of the turns of a session that exist, repeats included.
    pub(super) fn terms_of(&self, index: &Index, session: u32) -> u64 {
        let whole = &index.documents().sessions()[session as usize];
        let turns = self.turns_of(index, session);
        if turns.len() == whole.turns.len() {
            return whole.terms;
        }
        turns.iter().map(|&turn| u64::from(index.postings().lengths()[turn as usize])).sum()
    }

    /// Size of the collection, by single texts.
    pub(super) fn text_statistics(&self, index: &Index) -> Collection {
        let lengths = index.postings().lengths();
        match &self.collection {
            Texts::All => Collection { texts: lengths.len(), terms: index.postings().total_terms() },
            Texts::Marked(marks) => {
                marks.iter().zip(lengths).filter(|(marked, _)| **marked).fold(Collection::default(), |sum, (_, &n)| {
                    Collection { texts: sum.texts + 1, terms: sum.terms + u64::from(n) }
                })
            }
        }
    }

    /// Size of the collection, by sessions.
    pub(super) fn session_statistics(&self, index: &Index) -> Collection {
        let in_collection = |turns: &[u32]| turns.first().is_some_and(|&turn| self.collection.has(turn));
        (0u32..).zip(index.documents().sessions()).filter(|(_, session)| in_collection(&session.turns)).fold(
            Collection::default(),
            |sum, (number, _)| Collection { texts: sum.texts + 1, terms: sum.terms + self.terms_of(index, number) },
        )
    }
}
