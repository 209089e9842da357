//! Options that select a part of a namespace.

use aforesaid::types::{ConversationId, Scope, SessionId, Timestamp};
use clap::Args;

/// Which part of a namespace a command is about.
#[derive(Debug, Args)]
pub(crate) struct ScopeArgs {
    /// Only this conversation.
    #[arg(long, short)]
    pub(crate) conversation: Option<ConversationId>,
    /// Only this session.
    #[arg(long, short)]
    pub(crate) session: Option<SessionId>,
    /// Only what was said at or after this time (2024-03-09 or 2024-03-09T18:02:00Z).
    #[arg(long)]
    pub(crate) from: Option<Timestamp>,
    /// Only what was said at or before this time; a date means its whole day.
    #[arg(long, value_parser = Timestamp::end_of)]
    pub(crate) to: Option<Timestamp>,
}

impl ScopeArgs {
    pub(crate) fn scope(&self) -> Scope {
        Scope { conversation: self.conversation.clone(), session: self.session.clone(), from: self.from, to: self.to }
    }
}
