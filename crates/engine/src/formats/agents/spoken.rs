//! What people and models say by way of Claude Code's commands and tools.

use serde_json::{Map, Value};

use super::elements;

/// The tool that puts questions to a person.
pub(super) const QUESTION: &str = "AskUserQuestion";
/// The tool that puts a plan to a person.
const PLAN: &str = "ExitPlanMode";

/// What the program says after a person's reason.
const AFTER_REASON: &[&str] = &["\n\nNote: The user's next message may contain"];
/// What the program says after a person's answers.
const AFTER_ANSWERS: &str = ". You can now continue with";

/// `[Request interrupted by user]`, `[Request interrupted by user for tool use]`, and nothing else.
pub(super) fn is_interruption(said: &str) -> bool {
    matches!(said, "[Request interrupted by user]" | "[Request interrupted by user for tool use]")
}

/// A command with what it was told, as it was typed: `/review only the retries`. One that was told nothing says nothing.
pub(super) fn command(text: &str) -> Option<String> {
    let text = text.trim_start();
    let name = elements::within(text, "command-name").filter(|_| text.starts_with("<command-"))?;
    let told = elements::within(text, "command-args").filter(|told| !told.is_empty())?;
    Some(format!("{name} {told}"))
}

/// Why a person refuses the use of a tool, of what is given back in its place.
pub(super) fn refusal(output: &str) -> Option<String> {
    let (_, said) = output.split_once("the user said:").filter(|_| output.starts_with("The user doesn't want to"))?;
    let end = AFTER_REASON.iter().filter_map(|after| said.rfind(after)).min().unwrap_or(said.len());
    let said = said[..end].trim();
    (!said.is_empty()).then(|| said.to_owned())
}

/// The plan that a call puts to a person.
pub(super) fn plan<'v>(name: &str, input: &'v Value) -> Option<&'v str> {
    let plan = input.get("plan").filter(|_| name == PLAN)?.as_str()?.trim();
    (!plan.is_empty()).then_some(plan)
}

/// What a person answers to the model's questions, each behind its question on a line: `Which oil? Linseed`.
pub(super) fn answer(line: &Map<String, Value>, output: &str) -> Option<String> {
    let answers = line.get("toolUseResult").and_then(|result| result.get("answers")).and_then(Value::as_object);
    let lines: Vec<String> =
        answers.into_iter().flatten().filter_map(|(question, answer)| told(question, answer)).collect();
    if !lines.is_empty() {
        return Some(lines.join("\n"));
    }
    let said = output.strip_prefix("User has answered your questions:")?;
    let end = said.rfind(AFTER_ANSWERS).unwrap_or(said.len());
    let said = pairs(said[..end].trim());
    (!said.is_empty()).then_some(said)
}

fn told(question: &str, answer: &Value) -> Option<String> {
    let answer = match answer {
        Value::String(answer) => answer.trim().to_owned(),
        Value::Array(parts) => parts.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(", "),
        _ => return None,
    };
    (!answer.is_empty()).then(|| format!("{} {answer}", question.trim()))
}

/// `"Which oil?"="Linseed", "How much?"="A drop"` as lines; what has another form stays as it is.
fn pairs(said: &str) -> String {
    let Some(inside) = said.strip_prefix('"').and_then(|said| said.strip_suffix('"')) else { return said.to_owned() };
    let mut lines = String::new();
    for part in inside.split("\", \"") {
        match part.split_once("\"=\"") {
            Some((question, answer)) => {
                if !lines.is_empty() {
                    lines.push('\n');
                }
                lines.push_str(&format!("{question} {answer}"));
            }
            None if lines.is_empty() => return said.to_owned(),
            // It belongs to the answer before.
            None => lines.push_str(&format!("\", \"{part}")),
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_reason_is_kept_whole() {
        let begin = "The user doesn't want to proceed with this tool use. To tell you how to proceed, the user said:\n";
        let reason = "Say \"the user said: no\".\n\nYou can now continue with the pawl.";
        assert_eq!(refusal(&format!("{begin}{reason}")).as_deref(), Some(reason));
        let noted = format!("{begin}{reason}\n\nNote: The user's next message may contain a correction.");
        assert_eq!(refusal(&noted).as_deref(), Some(reason));
        assert_eq!(refusal(begin), None);
        assert_eq!(refusal("The user doesn't want to proceed with this tool use. STOP what you are doing."), None);
        assert_eq!(refusal("a file in which the user said: no"), None);
    }

    #[test]
    fn an_answer_names_its_question() {
        let text = |output: &str| answer(&Map::new(), output);
        let output = "User has answered your questions: \"Which oil?\"=\"Linseed\", \"Where?\"=\"On \"a\", \"b\" and c\". \
                      You can now continue with the user's answers in mind.";
        assert_eq!(text(output).as_deref(), Some("Which oil? Linseed\nWhere? On \"a\", \"b\" and c"));
        assert_eq!(text("User has answered your questions: linseed.").as_deref(), Some("linseed."));
        assert_eq!(text("User has answered your questions: "), None);
        let line =
            json!({"toolUseResult": {"answers": {"Which oil?": "Linseed", "Which reels?": ["a", "b"], "Why?": 3}}});
        let told = answer(line.as_object().unwrap(), output);
        assert_eq!(told.as_deref(), Some("Which oil? Linseed\nWhich reels? a, b"));
    }

    #[test]
    fn only_the_marker_is_an_interruption() {
        assert!(is_interruption("[Request interrupted by user for tool use]"));
        assert!(!is_interruption("[Request interrupted by user is all I see]"));
    }

    #[test]
    fn a_plan_is_that_of_its_tool() {
        assert_eq!(plan(PLAN, &json!({"plan": " Oil it. "})), Some("Oil it."));
        assert_eq!(plan("mcp__shop__order", &json!({"plan": "yearly"})), None);
        assert_eq!(plan(PLAN, &json!({"plan": 3})), None);
    }
}
