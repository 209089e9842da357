//! A whole log as a file that is imported.

use serde_json::{Map, Value};

use super::{
    super::{FormatError, Intake, SkipReason, Spot, record::name},
    Agent, Change, LineState, LogSource, ToolTurns,
    lines::read_lines,
};

/// Whose log begins with this line.
pub(in crate::formats) fn detect(fields: &Map<String, Value>) -> Option<Agent> {
    let has = |field| fields.contains_key(field);
    let is = |field: &str, value: &str| fields.get(field).and_then(Value::as_str) == Some(value);
    if has("payload") && has("timestamp") && has("type") {
        return Some(Agent::Codex);
    }
    if has("sessionId") && (has("projectHash") || has("startTime")) && !has("messages") {
        return Some(Agent::GeminiCli);
    }
    let of_claude = has("sessionId") && has("type") || has("parentUuid") && has("uuid");
    let is_claude = of_claude || is("type", "summary") && has("leafUuid") || is("type", "file-history-snapshot");
    is_claude.then_some(Agent::ClaudeCode)
}

/// Reads a whole log.
pub(in crate::formats) fn read(agent: Agent, text: &str, intake: &mut Intake) -> Result<(), FormatError> {
    let place = intake.place(Spot::default());
    let given = intake.source().conversation.clone();
    let conversation = match &given {
        Some(given) => given.clone(),
        None => name(format!("{agent}:{}", intake.source().stem), "file name", place)?,
    };
    let source = LogSource { agent, conversation, session: None, tools: ToolTurns::Short };
    // The last line of a whole file may be without its end.
    let lines = read_lines(&source, LineState::default(), format!("{text}\n").as_bytes(), 0);
    let named = lines.state.session.as_deref().filter(|_| given.is_none()).and_then(|id| agent.conversation(id).ok());
    for change in lines.changes {
        match change {
            Change::Put(mut turn) => {
                if let Some(named) = &named {
                    turn.conversation = named.clone();
                }
                intake.keep_exported(Ok(turn), Spot::default())?;
            }
            Change::Remove(id) => intake.leave(named.as_ref().unwrap_or(&source.conversation), id.as_str()),
        }
    }
    for (kind, count) in lines.left_out.known {
        intake.skip_at(parts(count), SkipReason::NothingSaid(kind));
    }
    for (kind, count) in lines.left_out.unknown {
        intake.skip_at(parts(count), SkipReason::UnknownType(kind));
    }
    Ok(())
}

fn parts(count: u64) -> String {
    format!("{count} part{}", if count == 1 { "" } else { "s" })
}
