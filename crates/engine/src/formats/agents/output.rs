//! What a tool gave back.

use serde_json::Value;

/// How far into an output an exit code is looked for, in bytes.
const HEAD: usize = 400;

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

    fn first_line(&self) -> &str {
        let line = self.text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
        let line = line.trim_start_matches("<tool_use_error>").trim_start_matches("Error:").trim();
        line.strip_suffix("</tool_use_error>").unwrap_or(line)
    }
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
}
