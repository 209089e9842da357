//! Options that select a part of a namespace.

use aforesaid::types::{ConversationId, Scope, SessionId};
use clap::Args;

use crate::{failure::Failure, local_time, settings::Settings};

/// Which part of a namespace a command is about.
#[derive(Debug, Args)]
pub(crate) struct ScopeArgs {
    /// Only this conversation.
    #[arg(long, short)]
    pub(crate) conversation: Option<ConversationId>,
    /// Only this session.
    #[arg(long, short)]
    pub(crate) session: Option<SessionId>,
    /// Only what was said at or after this time: 2024-03-09, 2024-03-09T18:02:00Z, or words such as "last week".
    #[arg(long, value_name = "TIME")]
    pub(crate) from: Option<String>,
    /// Only what was said at or before this time; a date, a month or "last week" means until its end.
    #[arg(long, value_name = "TIME")]
    pub(crate) to: Option<String>,
}

impl ScopeArgs {
    pub(crate) fn scope(&self, settings: &Settings) -> Result<Scope, Failure> {
        let (from, to) = (self.from.as_deref(), self.to.as_deref());
        Ok(Scope {
            conversation: self.conversation.clone(),
            session: self.session.clone(),
            from: from.map(|text| local_time::beginning("--from", text, &settings.clock)).transpose()?,
            to: to.map(|text| local_time::end("--to", text, &settings.clock)).transpose()?,
        })
    }
}
