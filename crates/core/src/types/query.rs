//! What is asked.

use std::{fmt, num::NonZeroUsize, str::FromStr};

use serde::{Deserialize, Serialize};

use super::{ConversationId, MemoryFilter, MemoryId, Namespace, SessionId, Timestamp, UnknownChoice, Zone};
use crate::time::Clock;

/// What a search returns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Granularity {
    /// Single turns and notes.
    #[default]
    Turn,
    /// Whole sessions, each with its best turns.
    Session,
}

impl FromStr for Granularity {
    type Err = UnknownChoice;
    fn from_str(word: &str) -> Result<Self, UnknownChoice> {
        match word {
            "turn" => Ok(Granularity::Turn),
            "session" => Ok(Granularity::Session),
            _ => Err(UnknownChoice { what: "unit", found: word.into(), expected: "turn or session" }),
        }
    }
}

impl fmt::Display for Granularity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Granularity::Turn => "turn",
            Granularity::Session => "session",
        })
    }
}

/// The order of the `k` best hits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum SortBy {
    /// Best match first.
    #[default]
    Relevance,
    /// Most important first; ties by relevance.
    Importance,
    /// Latest first; hits without a time last; ties by relevance.
    Recency,
}

impl FromStr for SortBy {
    type Err = UnknownChoice;
    fn from_str(word: &str) -> Result<Self, UnknownChoice> {
        match word {
            "relevance" => Ok(SortBy::Relevance),
            "importance" => Ok(SortBy::Importance),
            "recency" => Ok(SortBy::Recency),
            _ => Err(UnknownChoice {
                what: "sort order",
                found: word.into(),
                expected: "relevance, importance or recency",
            }),
        }
    }
}

/// Whether candidates without any evidence are listed too.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Unmatched {
    /// They are left out: every hit was found by at least one leg.
    #[default]
    Exclude,
    /// They are listed after the others, as measures over the whole ranking need.
    Include,
}

/// The part of a namespace that is searched, shown, exported or forgotten.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Scope {
    /// Only this conversation.
    pub conversation: Option<ConversationId>,
    /// Only this session.
    pub session: Option<SessionId>,
    /// None of these conversations; what is in no conversation stays.
    pub except: Vec<ConversationId>,
    /// Only what was said at or after this moment.
    pub from: Option<Timestamp>,
    /// Only what was said at or before this moment.
    pub to: Option<Timestamp>,
    /// Only what is like this.
    pub filter: MemoryFilter,
}

impl Scope {
    /// Whether the scope is the whole namespace.
    pub fn is_everything(&self) -> bool {
        *self == Scope::default()
    }

    /// Whether something said at `said_at` lies in the scope's time range.
    ///
    /// Without a time it lies only in an unbounded range.
    pub fn covers(&self, said_at: Option<Timestamp>) -> bool {
        let after = self.from.is_none_or(|from| said_at.is_some_and(|at| at >= from));
        let before = self.to.is_none_or(|to| said_at.is_some_and(|at| at <= to));
        after && before
    }
}

/// One question to a namespace.
#[derive(Debug, Clone, PartialEq)]
pub struct Query {
    /// The question.
    pub text: String,
    /// Who is asked.
    pub namespace: Namespace,
    /// Where to look.
    pub scope: Scope,
    /// Asks as if this memory, and all that came after it, did not exist yet: neither is found, nor
    /// counts in any statistic. It stands in the scope's conversation, where one is named.
    pub before: Option<MemoryId>,
    /// The moment of asking, to which "yesterday" and "latest" refer; without it, only dates are read that need none.
    pub now: Option<Timestamp>,
    /// Where days begin and end, of the expressions that `now` makes readable.
    pub zone: Zone,
    /// What to return.
    pub unit: Granularity,
    /// How many hits at the most.
    pub k: NonZeroUsize,
    /// Their order.
    pub sort_by: SortBy,
    /// Whether candidates without evidence are listed.
    pub unmatched: Unmatched,
    /// An answer whose first hit is less likely right than this, from 0 to 1, has no hits; 0 keeps every answer.
    pub min_confidence: f64,
}

impl Query {
    /// A search for the ten best turns of a whole namespace.
    pub fn new(namespace: Namespace, text: impl Into<String>) -> Self {
        const TEN: NonZeroUsize = NonZeroUsize::new(10).unwrap();
        Self {
            text: text.into(),
            namespace,
            scope: Scope::default(),
            before: None,
            now: None,
            zone: Zone::UTC,
            unit: Granularity::default(),
            k: TEN,
            sort_by: SortBy::default(),
            unmatched: Unmatched::default(),
            min_confidence: 0.0,
        }
    }

    /// The moment and the place of asking, where the moment is known.
    pub fn clock(&self) -> Option<Clock> {
        self.now.map(|now| Clock { now, zone: self.zone.clone() })
    }
}
