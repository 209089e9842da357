//! Looking around in a namespace: its conversations, its sessions, what was said last.

use std::cmp::Reverse;

use aforesaid_core::{
    store::SessionSummary,
    types::{ConversationId, Namespace, Record, Scope, Seq, SessionId, Timestamp},
};
use serde::Serialize;

use crate::{error::Error, memory::Memory};

/// A conversation, and what a scope has of it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ListedConversation {
    /// Its name; `None` stands for notes that have no conversation.
    pub conversation: Option<ConversationId>,
    /// The title of the last of its sessions that has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Sessions.
    pub sessions: u64,
    /// Turns.
    pub turns: u64,
    /// Notes.
    pub notes: u64,
    /// When the first memory was said.
    pub first: Option<Timestamp>,
    /// When the last memory was said.
    pub last: Option<Timestamp>,
    #[serde(skip)]
    latest: Seq,
}

/// A session, and what a scope has of it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ListedSession {
    /// Its conversation.
    pub conversation: ConversationId,
    /// Its name.
    pub session: SessionId,
    /// Its title.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Turns.
    pub turns: u64,
    /// When the first was said.
    pub first: Option<Timestamp>,
    /// When the last was said.
    pub last: Option<Timestamp>,
    #[serde(skip)]
    latest: Seq,
}

impl Memory {
    /// The conversations of a scope, that of the last memory first; those without times come last.
    ///
    /// # Errors
    /// When the namespace does not exist, a named part of it holds nothing, or the store fails.
    pub fn conversations(&self, namespace: &Namespace, scope: &Scope) -> Result<Vec<ListedConversation>, Error> {
        let mut all: Vec<ListedConversation> = Vec::new();
        // Sessions of a conversation follow each other.
        for session in self.summaries(namespace, scope)? {
            match all.last_mut().filter(|last| last.conversation == session.conversation) {
                Some(conversation) => conversation.take(session),
                None => {
                    let mut conversation = ListedConversation::of(session.conversation.clone());
                    conversation.take(session);
                    all.push(conversation);
                }
            }
        }
        all.sort_by_key(|conversation| Reverse((conversation.last, conversation.latest)));
        Ok(all)
    }

    /// The sessions of a scope, that of the last turn first; those without times come last.
    ///
    /// # Errors
    /// When the namespace does not exist, a named part of it holds nothing, or the store fails.
    pub fn sessions(&self, namespace: &Namespace, scope: &Scope) -> Result<Vec<ListedSession>, Error> {
        let summaries = self.summaries(namespace, scope)?.into_iter();
        let mut all: Vec<ListedSession> = summaries.filter_map(ListedSession::of).collect();
        all.sort_by_key(|session| Reverse((session.last, session.latest)));
        Ok(all)
    }

    /// Up to `limit` turns and notes of a scope, what was said last first; what has no time comes last.
    ///
    /// # Errors
    /// When the namespace does not exist, a named part of it holds nothing, or the store fails.
    pub fn recent(&self, namespace: &Namespace, scope: &Scope, limit: usize) -> Result<Vec<Record>, Error> {
        self.must_exist(namespace)?;
        let scope = self.resolve_scope(namespace, scope)?;
        // A limit of none says nothing of the scope.
        let found = self.store.latest(namespace, &scope, limit.max(1))?;
        self.some_of(namespace, &scope, found.len() as u64)?;
        Ok(found.into_iter().take(limit).collect())
    }

    fn summaries(&self, namespace: &Namespace, scope: &Scope) -> Result<Vec<SessionSummary>, Error> {
        self.must_exist(namespace)?;
        let scope = self.resolve_scope(namespace, scope)?;
        let all = self.store.sessions(namespace, &scope)?;
        self.some_of(namespace, &scope, all.len() as u64)?;
        Ok(all)
    }
}

impl ListedConversation {
    fn of(conversation: Option<ConversationId>) -> Self {
        Self { conversation, title: None, sessions: 0, turns: 0, notes: 0, first: None, last: None, latest: Seq(0) }
    }

    fn take(&mut self, session: SessionSummary) {
        match session.session {
            Some(_) => {
                self.sessions += 1;
                self.turns += session.memories;
            }
            None => self.notes += session.memories,
        }
        self.title = session.title.or(self.title.take());
        self.first = [self.first, session.first].into_iter().flatten().min();
        self.last = self.last.max(session.last);
        self.latest = self.latest.max(session.latest);
    }
}

impl ListedSession {
    fn of(summary: SessionSummary) -> Option<Self> {
        let SessionSummary { conversation, session, title, memories, first, last, latest } = summary;
        Some(Self { conversation: conversation?, session: session?, title, turns: memories, first, last, latest })
    }
}
