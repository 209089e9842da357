//! Forgetting whole sessions: of a log, and of a project that has grown beyond its bound.

use aforesaid_core::{
    StoreError,
    store::DeleteTarget,
    types::{ConversationId, Namespace, Scope},
};

use super::{Dropped, SyncError};
use crate::{error::Error, formats::agents::Agent, memory::Memory};

/// Forgets a conversation; none of its turns may be there any more.
pub(super) fn forget_conversation(
    memory: &Memory,
    namespace: &Namespace,
    conversation: ConversationId,
) -> Result<u64, SyncError> {
    forget(memory, namespace, Scope { conversation: Some(conversation), ..Scope::default() })
}

fn forget(memory: &Memory, namespace: &Namespace, scope: Scope) -> Result<u64, SyncError> {
    let report = memory.store.forget(namespace, &DeleteTarget::Within(scope));
    memory.indexes.take_out(&*memory.store, namespace);
    match report {
        Ok(report) => Ok(report.turns + report.notes),
        Err(StoreError::UnknownNamespace { .. }) => Ok(0),
        Err(error) => Err(Error::from(error).into()),
    }
}

/// Forgets the oldest sessions that came from logs until a project has at most `most` turns; notes, and what did not come
/// from logs, stay.
pub(super) fn keep_within(memory: &Memory, namespace: &Namespace, most: u64) -> Result<Option<Dropped>, SyncError> {
    let mut turns = memory.stats(namespace)?.turns;
    if turns <= most {
        return Ok(None);
    }
    let is_synced = |conversation: &ConversationId| {
        let agent = conversation.as_str().split_once(':').map(|(agent, _)| agent);
        agent.is_some_and(|agent| Agent::ALL.iter().any(|known| known.name() == agent))
    };
    let mut sessions = memory.sessions(namespace, &Scope::default())?;
    // The oldest first; those without times are the oldest.
    sessions.retain(|session| is_synced(&session.conversation));
    sessions.sort_by_key(|session| session.last);
    // The latest stays whatever its length.
    sessions.pop();
    let mut dropped = Dropped { namespace: namespace.clone(), turns: 0, sessions: 0, until: None };
    for session in sessions {
        if turns <= most {
            break;
        }
        let scope =
            Scope { conversation: Some(session.conversation), session: Some(session.session), ..Scope::default() };
        let gone = forget(memory, namespace, scope)?;
        turns = turns.saturating_sub(gone);
        dropped.turns += gone;
        dropped.sessions += 1;
        dropped.until = dropped.until.max(session.last);
    }
    Ok((dropped.sessions > 0).then_some(dropped))
}
