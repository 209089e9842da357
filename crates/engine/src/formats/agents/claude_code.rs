//! Lines of Claude Code.
//!
//! A response is several lines with one `message.id`. Results of tools come in the order in which they are ready. What a
//! person said again from an earlier place follows the same line as what was said there before: the branch between is left.
//! Lines of a subagent are in files of their own, before version 2.1.233 among the others.

use aforesaid_core::types::{MAX_TITLE_BYTES, Timestamp};
use serde_json::{Map, Value};

use super::{
    elements,
    lines::{LineReader, SUBAGENT_TAG, content, moment, text},
    output::Output,
    spoken,
    tools::Call,
};

/// Elements that a prompt begins with where it is no prompt.
const LEADING: &[&str] = &[
    "command-name",
    "command-message",
    "command-args",
    "command-contents",
    "local-command-*",
    "task-notification",
    "bash-input",
    "bash-stdout",
    "bash-stderr",
    "ide_opened_file",
    "ide_selection",
    "user-prompt-submit-hook",
];
const ANYWHERE: &[&str] = &["system-reminder"];

/// Types of lines that hold nothing that was said.
const SILENT: &[&str] = &[
    "system",
    "progress",
    "file-history-snapshot",
    "queue-operation",
    "last-prompt",
    "agent-name",
    "agent-color",
    "agent-setting",
    "tag",
    "mode",
    "permission-mode",
    "pr-link",
    "worktree-state",
    "content-replacement",
    "attribution-snapshot",
    "speculation-accept",
    "task-summary",
    "result",
];

/// Reads a line.
pub(super) fn line(reader: &mut LineReader<'_>, line: &Map<String, Value>) {
    let Some(kind) = text(line, "type") else {
        return reader.wonder("line without a type");
    };
    if let Some(from) = line.get("forkedFrom").and_then(Value::as_object) {
        if let Some(session) = text(from, "sessionId") {
            reader.state.set_forked_from(session);
        }
        return reader.know("line copied from another session");
    }
    if reader.state.session.is_none() {
        reader.state.session = text(line, "sessionId").map(str::to_owned);
    }
    reader.state.set_cwd(text(line, "cwd"));
    reader.state.set_branch(text(line, "gitBranch"));
    match kind {
        "user" => user(reader, line),
        "assistant" => assistant(reader, line),
        "attachment" => attachment(reader, line),
        "summary" => title(reader, text(line, "summary")),
        "custom-title" => title(reader, text(line, "customTitle")),
        "ai-title" => title(reader, text(line, "aiTitle")),
        silent if SILENT.contains(&silent) => reader.know(silent),
        unknown => reader.wonder(unknown),
    }
}

fn title(reader: &mut LineReader<'_>, title: Option<&str>) {
    let title = title.map(str::trim).filter(|title| !title.is_empty());
    if let Some(title) = title {
        reader.state.title = Some(title[..title.floor_char_boundary(MAX_TITLE_BYTES)].to_owned());
    }
}

fn is_true(line: &Map<String, Value>, field: &str) -> bool {
    line.get(field).and_then(Value::as_bool).unwrap_or(false)
}

/// Who takes part in a line, and where it belongs.
struct Part {
    session: Option<String>,
    asks: &'static str,
    answers: &'static str,
    tags: &'static [&'static str],
}

impl Part {
    fn of(reader: &LineReader<'_>, line: &Map<String, Value>) -> Self {
        if !is_true(line, "isSidechain") && reader.source.session.is_none() {
            return Self { session: None, asks: "user", answers: "assistant", tags: &[] };
        }
        let session = text(line, "agentId").map_or_else(|| "sidechain".to_owned(), |agent| format!("agent-{agent}"));
        let session = reader.source.session.is_none().then_some(session);
        // The model asks, and a model answers.
        Self { session, asks: "assistant", answers: "subagent", tags: &[SUBAGENT_TAG] }
    }

    fn is_main(&self) -> bool {
        self.tags.is_empty()
    }
}

fn said_at(line: &Map<String, Value>) -> Option<Timestamp> {
    moment(line.get("timestamp"))
}

/// The id of a line; one without has its place.
fn id(reader: &LineReader<'_>, line: &Map<String, Value>) -> String {
    text(line, "uuid").map_or_else(|| format!("line-{}", reader.state.lines), str::to_owned)
}

fn user(reader: &mut LineReader<'_>, line: &Map<String, Value>) {
    for (field, why) in [("isMeta", "instructions"), ("isCompactSummary", "summary of a compaction")] {
        if is_true(line, field) {
            return reader.know(why);
        }
    }
    let Some(message) = line.get("message").and_then(Value::as_object) else {
        return reader.wonder("user line without a message");
    };
    let body = message.get("content");
    let mut has_results = false;
    for result in body.and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_object) {
        match text(result, "type") {
            Some("tool_result") => {
                has_results = true;
                let failed = result.get("is_error").and_then(Value::as_bool);
                let output = Output::of(result.get("content").unwrap_or(&Value::Null), failed);
                match text(result, "tool_use_id") {
                    Some(call) => {
                        reader.result(call, &output);
                        let refusal = failed.unwrap_or(false).then(|| spoken::refusal(&output.text)).flatten();
                        let is_question = reader.questions.remove(call);
                        let answer = || is_question.then(|| spoken::answer(line, &output.text)).flatten();
                        if let Some(said) = refusal.or_else(answer) {
                            let part = Part::of(reader, line);
                            let id = format!("{call}:said");
                            reader.put(&id, part.session.as_deref(), part.asks, said, said_at(line), part.tags);
                        }
                    }
                    None => reader.wonder("tool_result without tool_use_id"),
                }
            }
            Some("text") => {}
            Some(kind @ ("image" | "document")) => reader.know(kind),
            Some(kind) => reader.wonder(&format!("user/{kind}")),
            None => reader.wonder("user/part without a type"),
        }
    }
    let whole = content(body, &["text"]);
    let said = spoken::command(&whole).unwrap_or_else(|| elements::without(&whole, LEADING, ANYWHERE));
    if said.is_empty() {
        if !has_results {
            reader.know("message of the program");
        }
        return;
    }
    if spoken::is_interruption(&said) {
        return reader.know("interruption");
    }
    let part = Part::of(reader, line);
    if part.is_main() && !has_results {
        prompt(reader, line);
    }
    let id = id(reader, line);
    reader.put(&id, part.session.as_deref(), part.asks, said, said_at(line), part.tags);
}

/// A round begins; where an earlier one followed the same line, it was left.
fn prompt(reader: &mut LineReader<'_>, line: &Map<String, Value>) {
    reader.prompt();
    let Some(parent) = text(line, "parentUuid") else { return };
    if let Some(left) = reader.state.prompts.iter().position(|(follows, _)| follows == parent) {
        reader.take_back(left);
    }
    let from = reader.state.turns.len();
    reader.state.prompts.push((parent.to_owned(), from));
}

/// A prompt that was given while the model worked.
fn attachment(reader: &mut LineReader<'_>, line: &Map<String, Value>) {
    let attachment = line.get("attachment").and_then(Value::as_object);
    let Some(attachment) = attachment.filter(|attachment| text(attachment, "type") == Some("queued_command")) else {
        return reader.know("attachment");
    };
    let said = elements::without(&content(attachment.get("prompt"), &["text"]), LEADING, ANYWHERE);
    if said.is_empty() {
        return reader.know("message of the program");
    }
    let part = Part::of(reader, line);
    let id = id(reader, line);
    reader.put(&id, part.session.as_deref(), part.asks, said, said_at(line), part.tags);
}

fn assistant(reader: &mut LineReader<'_>, line: &Map<String, Value>) {
    if is_true(line, "isApiErrorMessage") {
        return reader.know("error message");
    }
    let Some(message) = line.get("message").and_then(Value::as_object) else {
        return reader.wonder("assistant line without a message");
    };
    if let Some(model) = text(message, "model").filter(|model| *model != "<synthetic>") {
        reader.state.model = Some(model.to_owned());
    }
    let part = Part::of(reader, line);
    let said_at = said_at(line);
    let said = content(message.get("content"), &["text"]);
    let said = said.trim();
    if !said.is_empty() && said != "(no content)" && said != "No response requested." {
        let id = id(reader, line);
        let response = text(message, "id").unwrap_or(&id);
        let earlier = reader.responses.get(response).cloned();
        if !earlier.is_some_and(|turn| turn != id && reader.amend(&turn, |text| format!("{text}\n\n{said}"))) {
            reader.responses.insert(response.to_owned(), id.clone());
            reader.put(&id, part.session.as_deref(), part.answers, said.to_owned(), said_at, part.tags);
        }
    }
    for block in message.get("content").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_object) {
        match text(block, "type") {
            Some("text") => {}
            Some("thinking" | "redacted_thinking") => reader.know("thinking"),
            Some("tool_use" | "server_tool_use" | "mcp_tool_use") => match text(block, "id") {
                Some(id) => {
                    let name = text(block, "name").unwrap_or_default();
                    let input = block.get("input").unwrap_or(&Value::Null);
                    reader.call(id, part.session.as_deref(), Call::new(name, input), said_at, part.tags);
                    if name == spoken::QUESTION {
                        reader.questions.insert(id.to_owned());
                    }
                    if let Some(plan) = spoken::plan(name, input) {
                        let id = format!("{id}:plan");
                        reader.put(&id, part.session.as_deref(), part.answers, plan.to_owned(), said_at, part.tags);
                    }
                }
                None => reader.wonder("tool_use without an id"),
            },
            Some(kind) if kind.ends_with("tool_result") => match text(block, "tool_use_id") {
                Some(id) => reader.result(id, &Output::new("", None)),
                None => reader.wonder("tool_result without tool_use_id"),
            },
            Some(kind) => reader.wonder(&format!("assistant/{kind}")),
            None => reader.wonder("assistant/part without a type"),
        }
    }
}
