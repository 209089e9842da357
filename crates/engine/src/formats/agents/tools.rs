//! A tool call in a line: what was done, and how it ended.

use serde_json::Value;

use super::{ToolTurns, output::Output};

/// Bytes of a command, a path or a pattern that a line shows.
const SHOWN: usize = 200;
/// Bytes of what a tool was given, and of what it gave back, that are kept in full.
const KEPT: usize = 4_000;

/// A tool call as a turn says it.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Call {
    what: String,
    given: String,
}

impl Call {
    /// A call of the tool `name` with these arguments.
    pub(super) fn new(name: &str, arguments: &Value) -> Self {
        let given = match arguments {
            Value::Null => String::new(),
            Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        Self { what: describe(name, arguments), given }
    }

    /// What the turn says, with the result where it is known.
    pub(super) fn text(&self, tools: ToolTurns, output: Option<&Output>) -> String {
        let mut text = self.what.clone();
        if let Some(outcome) = output.map(Output::outcome).filter(|outcome| !outcome.is_empty()) {
            text.push_str(": ");
            text.push_str(&one_line(&outcome));
        }
        let failure = output.map(Output::failure).filter(|failure| tools == ToolTurns::Short && !failure.is_empty());
        if let Some(failure) = failure {
            text.push('\n');
            text.push_str(&failure);
        }
        if tools == ToolTurns::Full {
            let given = cut(self.given.trim(), KEPT).to_owned();
            let gave = output.map(|output| ends(output.text.trim()));
            for part in [Some(given), gave].into_iter().flatten().filter(|part| !part.is_empty()) {
                text.push('\n');
                text.push_str(&part);
            }
        }
        text
    }
}

/// The beginning and the end of a text that is longer than what is kept: what a program says last is how it ended.
fn ends(text: &str) -> String {
    if text.len() <= KEPT {
        return text.to_owned();
    }
    let first = &text[..text.floor_char_boundary(KEPT / 2)];
    let last = &text[text.ceil_char_boundary(text.len() - KEPT / 2)..];
    format!("{first}\n…\n{last}")
}

/// What a call does, in words.
fn describe(name: &str, arguments: &Value) -> String {
    let field = |names: &[&str]| names.iter().find_map(|name| shown(arguments.get(*name)?));
    let path = || {
        field(&[
            "file_path",
            "filePath",
            "absolute_path",
            "path",
            "target_file",
            "notebook_path",
            "relative_workspace_path",
        ])
    };
    let command = || field(&["command", "cmd", "script"]);
    let pattern = || field(&["pattern", "query", "regex", "glob_pattern", "q"]);
    let lower = name.to_ascii_lowercase();
    let plain = lower.strip_suffix("_v2").unwrap_or(&lower);
    let said = match plain {
        "bash"
        | "shell"
        | "exec_command"
        | "container.exec"
        | "local_shell"
        | "run_shell_command"
        | "run_terminal_cmd"
        | "run_terminal_command"
        | "shell_command"
        | "powershell" => command().map(|command| format!("ran {command}")),
        "read" | "read_file" | "view" | "view_image" | "notebookread" | "read_many_files" => {
            path().map(|path| format!("read {path}"))
        }
        "write" | "write_file" | "create_file" => path().map(|path| format!("wrote {path}")),
        "edit" | "multiedit" | "notebookedit" | "replace" | "edit_file" | "search_replace" | "str_replace" => {
            path().map(|path| format!("edited {path}"))
        }
        "apply_patch" | "patch" => Some(patched(arguments)),
        "grep"
        | "glob"
        | "search_file_content"
        | "grep_search"
        | "file_search"
        | "codebase_search"
        | "list"
        | "list_directory"
        | "ls"
        | "list_dir" => pattern().or_else(path).map(|pattern| format!("searched files for {pattern}")),
        "websearch" | "web_search" | "google_web_search" | "web_search_call" => {
            pattern().map(|query| format!("searched the web for {query}"))
        }
        "webfetch" | "web_fetch" | "fetch" => field(&["url", "prompt"]).map(|url| format!("fetched {url}")),
        "task" | "agent" | "spawn_agent" => {
            field(&["description", "message", "prompt"]).map(|task| format!("asked a subagent: {task}"))
        }
        _ => None,
    };
    said.unwrap_or_else(|| format!("called {}", called(name)))
}

/// The name of a tool of an MCP server as `server/tool`.
fn called(name: &str) -> String {
    let name = one_line(name);
    match name.strip_prefix("mcp__").and_then(|rest| rest.split_once("__")) {
        Some((server, tool)) => format!("{server}/{tool}"),
        None if name.is_empty() => "a tool".to_owned(),
        None => name,
    }
}

/// Which files a patch changes.
fn patched(arguments: &Value) -> String {
    let patch = match arguments {
        Value::String(patch) => patch,
        _ => ["input", "patch", "patchText"].iter().find_map(|name| arguments.get(name)?.as_str()).unwrap_or_default(),
    };
    let headers = ["*** Update File: ", "*** Add File: ", "*** Delete File: "];
    let files = patch.lines().filter_map(|line| headers.iter().find_map(|header| line.strip_prefix(header)));
    let files: Vec<&str> = files.map(str::trim).take(5).collect();
    match files.is_empty() {
        true => "applied a patch".to_owned(),
        false => format!("edited {}", one_line(&files.join(", "))),
    }
}

/// An argument on one line; a command may be a list, whose last part is what a shell was given.
fn shown(value: &Value) -> Option<String> {
    let text = match value {
        Value::String(text) => text.clone(),
        Value::Array(parts) => {
            let words: Vec<&str> = parts.iter().filter_map(Value::as_str).collect();
            match words.as_slice() {
                [shell, flag, script] if flag.starts_with('-') && flag.ends_with('c') && is_shell(shell) => {
                    (*script).to_owned()
                }
                words => words.join(" "),
            }
        }
        _ => return None,
    };
    let line = one_line(&text);
    (!line.is_empty()).then_some(line)
}

fn is_shell(program: &str) -> bool {
    ["sh", "bash", "zsh"].contains(&program.rsplit('/').next().unwrap_or(program))
}

/// A text on one line of at most [`SHOWN`] bytes.
fn one_line(text: &str) -> String {
    let mut line = String::new();
    for word in text.split_whitespace() {
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(cut(word, SHOWN));
        if line.len() >= SHOWN {
            let end = line.floor_char_boundary(SHOWN);
            line.truncate(end);
            line.push('…');
            break;
        }
    }
    line
}

fn cut(text: &str, most: usize) -> &str {
    &text[..text.floor_char_boundary(most)]
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn said(name: &str, arguments: Value) -> String {
        Call::new(name, &arguments).text(ToolTurns::Short, None)
    }

    #[test]
    fn calls_say_what_was_done() {
        assert_eq!(said("Bash", json!({"command": "cargo test\n  --all"})), "ran cargo test --all");
        assert_eq!(said("shell", json!({"command": ["bash", "-lc", "make"]})), "ran make");
        assert_eq!(said("shell", json!({"command": ["git", "status"]})), "ran git status");
        assert_eq!(said("Edit", json!({"file_path": "a.rs", "old_string": "x"})), "edited a.rs");
        assert_eq!(said("mcp__aforesaid__search_memories", json!({})), "called aforesaid/search_memories");
        assert_eq!(said("read_file_v2", json!({"target_file": "b"})), "read b");
        let patch = "*** Begin Patch\n*** Update File: src/a.rs\n*** Add File: b.rs\n";
        assert_eq!(said("apply_patch", json!(patch)), "edited src/a.rs, b.rs");
        assert_eq!(said("Task", json!({"description": "look"})), "asked a subagent: look");
        assert_eq!(said("", Value::Null), "called a tool");
        assert_eq!(said("Bash", json!({"command": 3})), "called Bash");
    }

    #[test]
    fn a_result_says_how_it_ended() {
        let call = Call::new("Bash", &json!({"command": "cargo test"}));
        let output = Output::new("Exit code 101\nerror: two tests failed", Some(true));
        assert_eq!(call.text(ToolTurns::Short, Some(&output)), "ran cargo test: exit 101\nerror: two tests failed");
        let full = call.text(ToolTurns::Full, Some(&output));
        assert_eq!(
            full,
            "ran cargo test: exit 101\n{\"command\":\"cargo test\"}\nExit code 101\nerror: two tests failed"
        );
    }

    #[test]
    fn of_a_long_output_the_end_is_kept_too() {
        let long = format!("running 900 tests\n{}\ntest result: FAILED", "é passed\n".repeat(2_000));
        let call = Call::new("Bash", &json!({"command": "cargo test"}));
        let full = call.text(ToolTurns::Full, Some(&Output::new(long, None)));
        assert!(full.contains("running 900 tests") && full.ends_with("test result: FAILED"), "{full}");
        assert!(full.len() < KEPT + 100, "{}", full.len());
    }

    #[test]
    fn a_long_command_is_cut_between_characters() {
        let line = said("Bash", json!({"command": "é".repeat(500)}));
        assert!(line.ends_with('…') && line.len() < 220, "{line}");
    }
}
