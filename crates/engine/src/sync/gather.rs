//! What a log says that the store does not have yet.

use std::collections::BTreeMap;

use aforesaid_core::types::{MemoryId, SessionId, Turn};

use super::{
    Log, LogPlace, OlderTurns, SyncOptions,
    cursor::{Cursor, hash},
    discover,
    log::LogFile,
};
use crate::formats::agents::{
    Agent, Change, LeftOutLines, LineState, LogSource, read_cursor, read_lines, read_opencode,
};

/// What is new in a log.
#[derive(Debug, Default)]
pub(super) struct News {
    /// Turns that are there, in order.
    pub(super) puts: Vec<Turn>,
    /// Turns that are gone.
    pub(super) removes: Vec<MemoryId>,
    /// The folder that its session is in, and the URL of its repository's remote.
    pub(super) folder: Option<String>,
    pub(super) remote: Option<String>,
    pub(super) left_out: LeftOutLines,
    pub(super) bytes: u64,
    /// Whether the log is another one than the cursor's.
    pub(super) anew: bool,
    /// Where to begin next time; its hashes of turns are those before secrets were cut out and turns left out.
    pub(super) next: Cursor,
}

/// Reads what follows a cursor; `None` where nothing has changed.
pub(super) fn gather(log: &Log, cursor: Cursor, options: &SyncOptions) -> Result<Option<News>, String> {
    // What was left out before is asked for now.
    let is_less = |read| options.since.is_none_or(|asked| asked < read);
    let wants_more = options.older == OlderTurns::Read && cursor.since.is_some_and(is_less);
    let is_known = cursor.agent.is_some();
    let restart = is_known && !cursor.forgotten && (wants_more || cursor.tools != options.tools);
    let cursor = if restart { Cursor { since: None, ..cursor.anew() } } else { cursor };
    let since = match (cursor.since, options.since) {
        (Some(read), Some(asked)) => Some(read.min(asked)),
        (None, asked) if !is_known || restart => asked,
        (Some(read), None) if options.older == OlderTurns::Leave => Some(read),
        _ => None,
    };
    let cursor = Cursor { since, tools: options.tools, ..cursor };
    match &log.place {
        LogPlace::Lines { session, subagent, folder } => {
            lines(log, session, subagent.as_deref(), folder.as_deref(), cursor)
        }
        LogPlace::OpenCode(row) | LogPlace::OpenCodeFiles { session: row, .. } => {
            let version = format!("{} {}", row.updated, row.title);
            if cursor.tail == version {
                return Ok(None);
            }
            let (messages, parts) = match &log.place {
                LogPlace::OpenCodeFiles { storage, .. } => discover::session_files(storage, &row.id),
                _ => discover::session_rows(&log.path, &row.id)?,
            };
            let source = opencode_source(row, &cursor)?;
            let read = read_opencode(&source, row, &messages, &parts);
            Ok(Some(snapshot(read.turns, read.left_out, &row.directory, version, cursor)))
        }
        LogPlace::Cursor { composer, folder } => {
            let Some((value, bubbles, own)) = discover::composer(&log.path, composer)? else { return Ok(None) };
            let all: String = bubbles.iter().filter_map(|bubble| bubble.data.as_deref()).collect();
            let version = hash(format!("{value}\n{all}").as_bytes());
            if cursor.tail == version {
                return Ok(None);
            }
            let folder = own.or_else(|| folder.clone());
            let source = source(Agent::Cursor, composer, None, &cursor)?;
            let read = read_cursor(&source, folder.as_deref(), &value, &bubbles);
            Ok(Some(snapshot(read.turns, read.left_out, folder.as_deref().unwrap_or_default(), version, cursor)))
        }
    }
}

fn source(agent: Agent, session: &str, subagent: Option<&str>, cursor: &Cursor) -> Result<LogSource, String> {
    let conversation = agent.conversation(session).map_err(|error| error.to_string())?;
    let session =
        subagent.map(|id| SessionId::new(format!("agent-{id}"))).transpose().map_err(|error| error.to_string())?;
    Ok(LogSource { agent, conversation, session, tools: cursor.tools })
}

/// A subagent of OpenCode has a session of its own, whose turns go to that of its parent.
fn opencode_source(row: &crate::formats::agents::SessionRow, cursor: &Cursor) -> Result<LogSource, String> {
    match &row.parent {
        Some(parent) => source(Agent::OpenCode, parent, Some(&row.id), cursor),
        None => source(Agent::OpenCode, &row.id, None, cursor),
    }
}

fn lines(
    log: &Log,
    session: &str,
    subagent: Option<&str>,
    folder: Option<&str>,
    cursor: Cursor,
) -> Result<Option<News>, String> {
    let mut file = LogFile::open(&log.path).map_err(|error| error.to_string())?;
    let is_same = cursor.path == log.path && cursor.size == file.size && cursor.modified == file.modified;
    if is_same && cursor.seen > 0 {
        return Ok(None);
    }
    let (size, modified) = (file.size, file.modified);
    let (rest, cursor, anew) = match file.rest(&cursor).map_err(|error| error.to_string())? {
        Some(rest) => (rest, cursor, false),
        // What is known of it is of another file: all of this one is new.
        None => {
            let fresh = cursor.anew();
            let rest =
                file.rest(&fresh).map_err(|error| error.to_string())?.ok_or("the file changed while it was read")?;
            (rest, fresh, true)
        }
    };
    let source = source(log.agent, session, subagent, &cursor)?;
    let part = rest.part();
    let counted = usize::try_from(cursor.seen - cursor.offset).unwrap_or(usize::MAX);
    let read = read_lines(&source, cursor.state.clone(), part, counted);
    let seen = cursor.offset + read.whole as u64;
    let bytes = seen.saturating_sub(cursor.seen);
    let state_folder = read.state.folder().or(folder).map(str::to_owned);
    let remote = read.state.remote().map(str::to_owned);
    let forked_from = read.state.forked_from().and_then(|session| log.agent.conversation(session).ok());
    let mut repeats = cursor.repeats.clone();
    repeats.extend(forked_from.map(|conversation| conversation.to_string()));
    let (mut puts, mut removes) = (Vec::new(), Vec::new());
    for change in read.changes {
        match change {
            Change::Put(turn) => puts.push(turn),
            Change::Remove(id) => removes.push(id),
        }
    }
    let next = Cursor {
        conversation: source.conversation.to_string(),
        size,
        modified,
        offset: cursor.offset + read.checkpoint.bytes as u64,
        seen,
        head: rest.head_hash(seen),
        tail: rest.tail_hash(seen).unwrap_or_default(),
        state: read.checkpoint.state,
        repeats,
        ..cursor
    };
    let news = News { puts, removes, folder: state_folder, remote, left_out: read.left_out, bytes, anew, next };
    Ok(Some(news))
}

/// What is new in a session that is read as a whole.
fn snapshot(turns: Vec<Turn>, left_out: LeftOutLines, folder: &str, version: String, cursor: Cursor) -> News {
    let ids: BTreeMap<&str, ()> = turns.iter().filter_map(|turn| Some((turn.id.as_ref()?.as_str(), ()))).collect();
    let gone = cursor.open.keys().filter(|id| !ids.contains_key(id.as_str()));
    let removes = gone.filter_map(|id| MemoryId::new(id.as_str()).ok()).collect();
    let bytes = turns.iter().map(|turn| turn.text.len() as u64).sum();
    let conversation = turns.first().map(|turn| turn.conversation.to_string()).unwrap_or(cursor.conversation.clone());
    let next = Cursor { tail: version, conversation, state: LineState::default(), ..cursor };
    let folder = (!folder.is_empty()).then(|| folder.to_owned());
    News { puts: turns, removes, folder, remote: None, left_out, bytes, anew: false, next }
}
