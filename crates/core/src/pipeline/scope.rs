//! Which texts of an index a query may find, and which its statistics are measured on.

use std::{borrow::Cow, fmt};

use serde::Serialize;

use crate::{
    analysis::SpeakerName,
    index::{CueIndex, Documents, Index},
    lexical::{Collection, Posting},
    types::{Granularity, Scope, Seq},
};

/// Texts as a set: all of them, or those marked.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Texts {
    All,
    Marked(Vec<bool>),
}

impl Texts {
    /// The texts of some memories.
    fn at(documents: &Documents, memories: &[Seq]) -> Self {
        let mut marks = vec![false; documents.len()];
        for text in memories.iter().filter_map(|&seq| documents.position(seq)) {
            marks[text as usize] = true;
        }
        Texts::Marked(marks)
    }

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
    /// Texts that the scope's filter admits.
    admitted: Texts,
}

/// What can keep a text from being found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Filter {
    /// It lies in another conversation, or in none.
    Conversation,
    /// It lies in another session, or in none.
    Session,
    /// It lies in a conversation that is left out.
    Except,
    /// It was said at another time, or nobody knows when.
    Time,
    /// It came after the moment that is asked from.
    Before,
    /// It is not like what is asked for: speaker, tags, kind, source or metadata.
    Attributes,
}

impl Filter {
    const ALL: [Filter; 6] =
        [Filter::Conversation, Filter::Session, Filter::Except, Filter::Time, Filter::Before, Filter::Attributes];
}

impl fmt::Display for Filter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Filter::Conversation => "it is not in the conversation asked for",
            Filter::Session => "it is not in the session asked for",
            Filter::Except => "it is in a conversation that is left out",
            Filter::Time => "it is not of the time asked for",
            Filter::Before => "it did not exist yet at the moment asked for",
            Filter::Attributes => "it has not the speaker, tags, kind, source or metadata asked for",
        })
    }
}

/// A scope in the numbers of one index.
struct Bounds<'a> {
    documents: &'a Documents,
    scope: &'a Scope,
    conversation: Option<u32>,
    except: Vec<u32>,
    end: u32,
    admitted: &'a Texts,
}

impl<'a> Bounds<'a> {
    fn of(documents: &'a Documents, scope: &'a Scope, end: u32, admitted: &'a Texts) -> Self {
        let number = |name: &str| documents.conversation_number(name).unwrap_or(u32::MAX);
        let conversation = scope.conversation.as_ref().map(|name| number(name.as_str()));
        let except = scope.except.iter().map(|name| number(name.as_str())).collect();
        Self { documents, scope, conversation, except, end, admitted }
    }

    fn admits(&self, filter: Filter, text: u32) -> bool {
        match filter {
            Filter::Conversation => self.in_conversation(text),
            Filter::Session => self.in_session(text),
            Filter::Except => self.is_left(text),
            Filter::Time => self.in_time(text),
            Filter::Before => self.existed(text),
            Filter::Attributes => self.admitted.has(text),
        }
    }

    fn existed(&self, text: u32) -> bool {
        text < self.end
    }

    fn in_conversation(&self, text: u32) -> bool {
        self.conversation.is_none_or(|number| self.documents.conversation_of(text) == Some(number))
    }

    fn in_session(&self, text: u32) -> bool {
        self.scope.session.as_ref().is_none_or(|name| {
            let session = self.documents.session_of(text);
            session.is_some_and(|session| self.documents.sessions()[session as usize].name == name.as_str())
        })
    }

    fn is_left(&self, text: u32) -> bool {
        self.except.is_empty()
            || self.documents.conversation_of(text).is_none_or(|number| !self.except.contains(&number))
    }

    fn in_time(&self, text: u32) -> bool {
        self.scope.covers(self.documents.said_at(text))
    }
}

impl Candidates {
    /// Works out a scope; a session is looked for in the scope's conversation, or in all.
    ///
    /// `before` leaves out the memory of that place and all later ones, statistics included.
    ///
    /// An index does not hold what a scope's filter compares: [`Candidates::admitting`] takes that.
    pub fn within(index: &Index, scope: &Scope, before: Option<Seq>) -> Self {
        Self::admitting(index, scope, before, None)
    }

    /// As [`Candidates::within`]; `admitted` are the memories that the scope's filter admits, in any order, and `None`
    /// where it admits all.
    pub fn admitting(index: &Index, scope: &Scope, before: Option<Seq>, admitted: Option<&[Seq]>) -> Self {
        let documents = index.documents();
        let admitted = admitted.map_or(Texts::All, |memories| Texts::at(documents, memories));
        let end = before.map_or(documents.len() as u32, |before| documents.first_from(before));
        let all = 0..documents.len() as u32;
        if scope.is_everything() && before.is_none() && admitted == Texts::All {
            let sessions = (0u32..).zip(documents.sessions()).filter(|(_, session)| !session.turns.is_empty());
            return Self {
                collection: Texts::All,
                texts: all.collect(),
                sessions: sessions.map(|(number, _)| number).collect(),
                end,
                admitted,
            };
        }
        let bounds = Bounds::of(documents, scope, end, &admitted);
        let collection = match scope.conversation.is_none() && before.is_none() {
            true => Texts::All,
            false => {
                Texts::Marked(all.clone().map(|text| bounds.existed(text) && bounds.in_conversation(text)).collect())
            }
        };
        let found = |text: &u32| {
            collection.has(*text)
                && admitted.has(*text)
                && bounds.in_session(*text)
                && bounds.is_left(*text)
                && bounds.in_time(*text)
        };
        let texts: Vec<u32> = all.filter(found).collect();
        let mut sessions: Vec<u32> = texts.iter().filter_map(|&text| documents.session_of(text)).collect();
        sessions.sort_unstable();
        sessions.dedup();
        Self { collection, texts, sessions, end, admitted }
    }

    /// What keeps a text, or all turns of a session, from being found; nothing where it may be.
    pub fn excluded_by(&self, index: &Index, scope: &Scope, unit: Granularity, candidate: u32) -> Vec<Filter> {
        if self.units(unit).binary_search(&candidate).is_ok() {
            return Vec::new();
        }
        let bounds = Bounds::of(index.documents(), scope, self.end, &self.admitted);
        let texts = match unit {
            Granularity::Turn => std::slice::from_ref(&candidate),
            Granularity::Session => &index.documents().sessions()[candidate as usize].turns,
        };
        let excludes = |filter: &Filter| texts.iter().any(|&text| !bounds.admits(*filter, text));
        Filter::ALL.into_iter().filter(excludes).collect()
    }

    /// What may be found: texts by position, or sessions by number.
    pub(super) fn units(&self, unit: Granularity) -> &[u32] {
        match unit {
            Granularity::Turn => &self.texts,
            Granularity::Session => &self.sessions,
        }
    }

    /// How many texts may be found.
    pub fn len(&self) -> usize {
        self.texts.len()
    }

    /// How many turns and notes, or how many sessions, may be found.
    pub fn count(&self, unit: Granularity) -> usize {
        match unit {
            Granularity::Turn => self.texts.len(),
            Granularity::Session => self.sessions.len(),
        }
    }

    /// As [`Candidates::count`], with those that an index of a part does not hold.
    pub fn count_in(&self, index: &Index, unit: Granularity) -> usize {
        let held = self.count(unit);
        index.collection().map_or(held, |whole| whole.candidates.of(unit).max(held))
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

    /// The turns of a session that exist and that the scope's filter admits: those that may be shown of it.
    pub(super) fn shown_turns_of<'a>(&self, index: &'a Index, session: u32) -> Cow<'a, [u32]> {
        let turns = self.turns_of(index, session);
        match &self.admitted {
            Texts::All => Cow::Borrowed(turns),
            admitted => Cow::Owned(turns.iter().copied().filter(|&turn| admitted.has(turn)).collect()),
        }
    }

    /// Whether a filter decides what is shown of a session.
    pub(super) fn is_filtered(&self) -> bool {
        self.admitted != Texts::All
    }

    /// Whether an assistant speaks in a session that may be found, wherever in it.
    pub(super) fn have_assistant(&self, index: &Index) -> bool {
        let documents = index.documents();
        let assists = documents.said_by_assistant();
        let in_session = |&session: &u32| self.turns_of(index, session).iter().any(|&turn| assists(turn));
        documents.speakers().iter().any(SpeakerName::is_assistant) && self.sessions.iter().any(in_session)
    }

    /// Terms of the turns of a session that exist, repeats included, and so weighted of their questions.
    pub(super) fn terms_of(&self, index: &Index, session: u32, cues: f64) -> f64 {
        let whole = &index.documents().sessions()[session as usize];
        let turns = self.turns_of(index, session);
        let own = match turns.len() == whole.turns.len() {
            true => whole.terms,
            false => turns.iter().map(|&turn| u64::from(index.postings().lengths()[turn as usize])).sum(),
        };
        let asked = index
            .cues()
            .filter(|_| cues > 0.0)
            .map_or(0, |of| turns.iter().map(|&turn| u64::from(of.questions().terms_of(turn))).sum());
        own as f64 + cues * asked as f64
    }

    /// Size of the collection, by single texts, each with its questions so weighted.
    pub(super) fn text_statistics(&self, index: &Index, cues: f64) -> Collection {
        let lengths = index.postings().lengths();
        let (texts, own) = match (index.collection(), &self.collection) {
            (Some(whole), _) => (whole.texts(), whole.total_terms()),
            (None, Texts::All) => (lengths.len(), index.postings().total_terms()),
            (None, Texts::Marked(marks)) => {
                let marked = marks.iter().zip(lengths).filter(|(marked, _)| **marked);
                marked.fold((0, 0), |(texts, terms), (_, &n)| (texts + 1, terms + u64::from(n)))
            }
        };
        let asked = index.cues().filter(|_| cues > 0.0).map_or(0.0, |_| self.question_statistics(index).terms);
        Collection { texts, terms: own as f64 + cues * asked }
    }

    /// Size of the collection, by single questions of its texts.
    pub(super) fn question_statistics(&self, index: &Index) -> Collection {
        let Some(questions) = index.cues().map(CueIndex::questions) else { return Collection::default() };
        let lengths = questions.postings().lengths();
        let (texts, terms) = match &self.collection {
            Texts::All => (lengths.len(), questions.postings().total_terms()),
            Texts::Marked(_) => {
                let of_collection =
                    questions.rows().owners().iter().zip(lengths).filter(|(owner, _)| self.collection.has(**owner));
                of_collection.fold((0, 0), |(texts, terms), (_, &n)| (texts + 1, terms + u64::from(n)))
            }
        };
        Collection { texts, terms: terms as f64 }
    }

    /// Size of the collection, by sessions of so many terms each.
    pub(super) fn session_statistics(&self, index: &Index, lengths: &[f64]) -> Collection {
        if let Some(whole) = index.collection() {
            return Collection { texts: whole.sessions, terms: whole.session_terms() as f64 };
        }
        let in_collection = |turns: &[u32]| turns.first().is_some_and(|&turn| self.collection.has(turn));
        lengths.iter().zip(index.documents().sessions()).filter(|(_, session)| in_collection(&session.turns)).fold(
            Collection::default(),
            |sum, (terms, _)| Collection { texts: sum.texts + 1, terms: sum.terms + terms },
        )
    }
}
