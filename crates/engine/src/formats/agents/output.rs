//! What a tool gave back.

use serde_json::Value;

use super::spoken;

/// How far into an output an exit code is looked for, in bytes.
const HEAD: usize = 400;
/// Bytes of a failed call's first lines that are kept, and of its last.
const FIRST: usize = 200;
const LAST: usize = 400;
/// What a line begins with that a program puts before an output.
const BEFORE: &[&str] = &[
    "exit code",
    "error: exit code",
    "process exited with code",
    "chunk id:",
    "wall time:",
    "original token count:",
    "total output lines:",
    "output:",
];

/// The result of a tool call.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Output {
    pub(super) text: String,
    failed: Option<bool>,
    exit: Option<i64>,
}

impl Output {
    /// A result of this text; the log may say whether the call failed.
    pub(super) fn new(text: impl Into<String>, failed: Option<bool>) -> Self {
        let text = text.into();
        Self { exit: exit_code(&text), failed, text }
    }

    /// The same with the exit code that the log gives.
    pub(super) fn with_exit(self, exit: Option<i64>) -> Self {
        Self { exit: exit.or(self.exit), ..self }
    }

    /// A result that a log keeps as a string, as parts with text, or as an object with `output` and `metadata`.
    pub(super) fn of(value: &Value, failed: Option<bool>) -> Self {
        match value {
            Value::String(text) => match serde_json::from_str::<Value>(text) {
                Ok(inner) if inner.get("output").is_some() => Self::of(&inner, failed),
                _ => Self::new(text.clone(), failed),
            },
            Value::Array(parts) => {
                let texts: Vec<&str> = parts.iter().filter_map(|part| part.get("text")?.as_str()).collect();
                Self::new(texts.join("\n"), failed)
            }
            Value::Object(fields) => {
                let text = ["output", "content", "error", "stdout"].iter().find_map(|name| fields.get(*name)?.as_str());
                let exit =
                    fields.get("metadata").and_then(|metadata| metadata.get("exit_code")).and_then(Value::as_i64);
                let failed = failed.or(fields.get("success").and_then(Value::as_bool).map(|success| !success));
                let failed = failed.or(fields.contains_key("error").then_some(true));
                Self::new(text.unwrap_or_default(), failed).with_exit(exit)
            }
            _ => Self::new(String::new(), failed),
        }
    }

    /// How it ended: `exit 101`, `failed: no such file`, `ok`.
    pub(super) fn outcome(&self) -> String {
        match (self.exit, self.failed) {
            (Some(exit), _) => format!("exit {exit}"),
            (None, Some(true)) => match self.first_line() {
                "" => "failed".to_owned(),
                line => format!("failed: {line}"),
            },
            (None, _) => "ok".to_owned(),
        }
    }

    /// The first and last lines of what a failed call gave back, without those that its outcome says already; empty where it
    /// did not fail, and where a person refused it.
    pub(super) fn failure(&self) -> String {
        let has_failed = self.exit.map_or(self.failed == Some(true), |exit| exit != 0);
        if !has_failed || spoken::refusal(&self.text).is_some() {
            return String::new();
        }
        let text = self.text.trim().strip_suffix("</tool_use_error>").unwrap_or(&self.text);
        let is_before = |line: &&str| {
            let start = line[..line.floor_char_boundary(HEAD)].trim_start().to_ascii_lowercase();
            BEFORE.iter().any(|before| start.starts_with(before))
        };
        let lines = text.lines().map(str::trim_end).filter(|line| !line.is_empty());
        // Without an exit code, the outcome is the first line.
        let said = usize::from(self.exit.is_none());
        let lines: Vec<&str> = lines.skip_while(is_before).skip(said).collect();
        first_and_last(&lines)
    }

    fn first_line(&self) -> &str {
        let line = self.text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
        let line = line.trim_start_matches("<tool_use_error>").trim_start_matches("Error:").trim();
        line.strip_suffix("</tool_use_error>").unwrap_or(line)
    }
}

/// The first of some lines, [`FIRST`] bytes at most, and the last, [`LAST`] at most.
fn first_and_last(lines: &[&str]) -> String {
    let first = fitting(lines.iter(), FIRST);
    let (first, rest) = lines.split_at(first);
    let (between, last) = rest.split_at(rest.len() - fitting(rest.iter().rev(), LAST));
    let between = match between {
        [] => None,
        // A line that is too long is begun.
        [long, ..] if first.is_empty() && last.is_empty() => {
            Some(format!("{}…", &long[..long.floor_char_boundary(LAST)]))
        }
        _ => Some("…".to_owned()),
    };
    let kept: Vec<&str> = first.iter().copied().chain(between.as_deref()).chain(last.iter().copied()).collect();
    kept.join("\n")
}

/// How many of these lines have so many bytes at most.
fn fitting<'l>(lines: impl Iterator<Item = &'l &'l str>, most: usize) -> usize {
    let ends = lines.scan(0, |bytes, line| {
        *bytes += line.len() + 1;
        Some(*bytes)
    });
    ends.take_while(|end| *end <= most).count()
}

/// The exit code that the beginning of an output names.
fn exit_code(text: &str) -> Option<i64> {
    let head = text[..text.floor_char_boundary(HEAD)].to_ascii_lowercase();
    ["exit code", "exited with code"].iter().find_map(|words| {
        let rest = head[head.find(words)? + words.len()..].trim_start_matches([':', ' ', '=']);
        let digits = rest.strip_prefix('-').unwrap_or(rest);
        let length = digits.bytes().take_while(u8::is_ascii_digit).count() + (rest.len() - digits.len());
        rest[..length].parse().ok()
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn exit_codes_are_found_where_programs_write_them() {
        for (text, expected) in [
            ("Error: Exit code 101\nboom", "exit 101"),
            ("Exit code: 0\nWall time: 1 seconds", "exit 0"),
            ("Chunk ID: a\nProcess exited with code -1\n", "exit -1"),
            ("all is well", "ok"),
            ("the exit code is unknown", "ok"),
        ] {
            assert_eq!(Output::new(text, None).outcome(), expected, "{text}");
        }
        let legacy = json!("{\"output\":\"no\",\"metadata\":{\"exit_code\":2}}");
        assert_eq!(Output::of(&legacy, None).outcome(), "exit 2");
        assert_eq!(Output::of(&json!([{"type": "text", "text": "a"}]), Some(false)).text, "a");
        assert_eq!(Output::of(&json!({"error": "gone"}), None).outcome(), "failed: gone");
        let error = "<tool_use_error>File has not been read yet.</tool_use_error>";
        assert_eq!(Output::new(error, Some(true)).outcome(), "failed: File has not been read yet.");
        assert_eq!(Output::of(&json!(3), Some(true)).outcome(), "failed");
    }

    #[test]
    fn a_failure_is_told_by_its_first_and_last_lines() {
        let told = |text: &str, failed| Output::new(text, failed).failure();
        assert_eq!(told("Exit code 101\nerror[E0308]: mismatched types\n\n", None), "error[E0308]: mismatched types");
        assert_eq!(told("Error: Exit code 1\nboom", Some(true)), "boom");
        let codex = "Chunk ID: a\nWall time: 1 seconds\nProcess exited with code 2\nOutput:\nno such file";
        assert_eq!(told(codex, None), "no such file");
        // The first line is the outcome.
        assert_eq!(told("File not found: a.rs\nDid you mean b.rs?", Some(true)), "Did you mean b.rs?");
        assert_eq!(
            told("<tool_use_error>File not found\nRead it first.</tool_use_error>", Some(true)),
            "Read it first."
        );
        for (text, failed) in [
            ("Exit code 0\nwarning: unused", None),
            ("all is well", None),
            ("all is well", Some(false)),
            ("", Some(true)),
            ("Exit code 1", Some(true)),
            ("The user doesn't want to proceed. To tell you how, the user said:\nNot now.", Some(true)),
        ] {
            assert_eq!(told(text, failed), "", "{text}");
        }
    }

    #[test]
    fn of_a_long_failure_the_lines_between_are_left_out() {
        let lines: Vec<String> = (0..5_000).map(|line| format!("line {line} of the failing test")).collect();
        let kept = Output::new(format!("Exit code 1\n{}\nthe last word", lines.join("\n")), None).failure();
        assert!(
            kept.starts_with("line 0 of") && kept.contains("\n…\nline 49") && kept.ends_with("\nthe last word"),
            "{kept}"
        );
        assert!(kept.len() <= FIRST + LAST + 5, "{}", kept.len());
        // Of lines that are longer than what is kept, one is begun; a short one is kept.
        let long = "é".repeat(10_000);
        let kept = Output::new(format!("Exit code 1\n{long}"), None).failure();
        assert!(kept.len() <= LAST + 5 && kept.ends_with("é…"), "{}", kept.len());
        assert_eq!(Output::new(format!("Exit code 1\n{long}\nat last"), None).failure(), "…\nat last");
        assert_eq!(Output::new(format!("Exit code 1\nat first\n{long}"), None).failure(), "at first\n…");
    }
}
