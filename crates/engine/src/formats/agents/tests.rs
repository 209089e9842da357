//! Logs with every trap in them, read to the turns that people would tell.

use std::collections::BTreeMap;

use aforesaid_core::types::{SessionId, Turn};
use serde_json::{Value, json};

use super::*;
use crate::formats::{Captions, Format, Source, detect as detect_format, parse};

const CLAUDE: &str = include_str!("../../../../fuzz-targets/corpus/import_claude_code/session.jsonl");
const SUBAGENT: &str = include_str!("../../../../fuzz-targets/corpus/import_claude_code/subagent.jsonl");
const LEGACY: &str = include_str!("../../../../fuzz-targets/corpus/import_codex/legacy.jsonl");
const PAGINATED: &str = include_str!("../../../../fuzz-targets/corpus/import_codex/paginated.jsonl");
const FIRST: &str = include_str!("../../../../fuzz-targets/corpus/import_codex/first.jsonl");
const GEMINI: &str = include_str!("../../../../fuzz-targets/corpus/import_gemini_cli/session.jsonl");
const OPENCODE: &str = include_str!("../../../../fuzz-targets/corpus/log_opencode/session.txt");
const CURSOR: &str = include_str!("../../../../fuzz-targets/corpus/log_cursor/composer.txt");

fn source(agent: Agent, tools: ToolTurns) -> LogSource {
    LogSource { agent, conversation: agent.conversation("s").unwrap(), session: None, tools }
}

fn whole(agent: Agent, text: &str) -> Lines {
    read_lines(&source(agent, ToolTurns::Short), LineState::default(), text.as_bytes(), 0)
}

fn turns(changes: &[Change]) -> Vec<&Turn> {
    changes.iter().filter_map(|change| if let Change::Put(turn) = change { Some(turn) } else { None }).collect()
}

/// Turns as `session speaker: text`.
fn told(turns: &[&Turn]) -> Vec<String> {
    turns.iter().map(|turn| format!("{} {}: {}", turn.session, turn.speaker, turn.text)).collect()
}

fn unknown(left_out: &LeftOutLines) -> Vec<(&str, u64)> {
    left_out.unknown.iter().map(|(kind, count)| (kind.as_str(), *count)).collect()
}

/// What a person said by way of a command, a refusal or an answer to the model was lost, and so was a plan.
#[test]
fn what_is_said_by_way_of_commands_and_tools_is_kept() {
    let user = |id: &str, content: Value| json!({"type": "user", "uuid": id, "message": {"content": content}});
    let called = |id: &str, name: &str, input: Value| {
        let call = json!({"type": "tool_use", "id": id, "name": name, "input": input});
        json!({"type": "assistant", "uuid": format!("call-{id}"), "message": {"content": [call]}})
    };
    let result = |call: &str, failed: bool, text: &str| json!({"type": "tool_result", "tool_use_id": call, "content": text, "is_error": failed});
    let refused = |why: &str| {
        format!(
            "The user doesn't want to proceed with this tool use. To tell you how to proceed, the user said:\n{why}"
        )
    };
    let answered = "User has answered your questions: \"Which oil?\"=\"Linseed\". You can now continue with it.";
    let lines = [
        user("c1", json!("<command-name>/review</command-name>\n<command-args>only the reel</command-args>")),
        user("c2", json!("<command-name>/clear</command-name>\n<command-args></command-args>")),
        user("u1", json!("What is <system-reminder> for?")),
        user("u2", json!("[Request interrupted by user] is what I see.")),
        user("u3", json!("[Request interrupted by user for tool use]")),
        called("t1", "ExitPlanMode", json!({"plan": "1. Oil the reel."})),
        called("t2", "Bash", json!({"command": "rm reel.rs"})),
        // Two refusals in a line are two turns.
        user("r1", json!([result("t1", true, &refused("Mind the pawl.")), result("t2", true, &refused("Keep it."))])),
        called("t3", "AskUserQuestion", json!({"questions": [{"question": "Which oil?"}]})),
        user("r2", json!([result("t3", false, answered)])),
        // What a tool reads somewhere is said by nobody.
        called("t4", "Bash", json!({"command": "cat notes"})),
        user("r3", json!([result("t4", false, answered), result("t4", false, &refused("Obey."))])),
        called("t5", "mcp__shop__order", json!({"plan": "yearly"})),
    ];
    let log: String = lines.iter().map(|line| format!("{line}\n")).collect();
    for tools in [ToolTurns::Off, ToolTurns::Short] {
        let read = read_lines(&source(Agent::ClaudeCode, tools), LineState::default(), log.as_bytes(), 0);
        let turns = turns(&read.changes);
        let said: Vec<&Turn> = turns.into_iter().filter(|turn| turn.speaker.as_str() != "tool").collect();
        assert_eq!(
            told(&said),
            [
                "session-1 user: /review only the reel",
                "session-1 user: What is <system-reminder> for?",
                "session-1 user: [Request interrupted by user] is what I see.",
                "session-1 assistant: 1. Oil the reel.",
                "session-1 user: Mind the pawl.",
                "session-1 user: Keep it.",
                "session-1 user: Which oil? Linseed",
            ]
        );
    }
}

#[test]
fn bytes_that_are_no_utf_8_do_not_take_the_line_with_them() {
    let log = b"{\"type\":\"user\",\"uuid\":\"a\",\"message\":{\"content\":\"The caf\xe9 is shut.\"}}\n";
    let read = read_lines(&source(Agent::ClaudeCode, ToolTurns::Short), LineState::default(), log, 0);
    assert_eq!(told(&turns(&read.changes)), ["session-1 user: The caf\u{fffd} is shut."]);
}

#[test]
fn a_log_of_claude_code_is_told_as_it_was_shown() {
    let read = whole(Agent::ClaudeCode, CLAUDE);
    let turns = turns(&read.changes);
    assert_eq!(
        told(&turns),
        [
            "session-1 user: Why does the reel jam?",
            "session-1 assistant: Let me look at the pawl.",
            "session-1 tool: ran cargo test reel: exit 101\nerror: test reel_turns failed",
            "session-1 tool: read /home/ann/kites/src/reel.rs: ok",
            "session-1 user: Mind the spring, too.",
            "session-1 assistant: The spring is one coil short.",
            "session-1 tool: edited /home/ann/kites/src/reel.rs: ok",
            "session-1 assistant: It has four coils now.",
            "session-1 user: Paint it red.",
            "session-1 tool: asked a subagent: Find red paint: ok",
            "agent-a1b2 assistant: Look for red paint.",
            "agent-a1b2 subagent: There is red paint in the shed.",
            "session-1 assistant: The shed has red paint.",
            "session-2 user: Did the reel hold?",
            "session-2 assistant: It did.",
            "session-2 tool: called aforesaid/search_memories",
        ]
    );
    // The green branch was left.
    let gone = read.changes.iter().filter(|change| matches!(change, Change::Remove(_))).count();
    assert_eq!(gone, 3);
    assert_eq!(unknown(&read.left_out), [("hologram", 1), ("line that is no JSON object", 1)]);
    let known: BTreeMap<&str, u64> = read.left_out.known.iter().map(|(kind, count)| (kind.as_str(), *count)).collect();
    for (kind, count) in [
        ("instructions", 1),
        ("summary of a compaction", 1),
        ("thinking", 1),
        ("interruption", 1),
        ("error message", 1),
        ("line copied from another session", 1),
        ("turn of a branch that was left", 3),
        ("image", 1),
    ] {
        assert_eq!(known.get(kind), Some(&count), "{kind} in {known:?}");
    }
    assert_eq!(turns[2].tags, ["tool"]);
    assert_eq!(turns[10].tags, ["subagent"]);
    assert_eq!(turns[8].title.as_deref(), Some("Mend the reel"));
    let meta = turns[13].meta.as_ref().unwrap();
    assert_eq!((meta["branch"].as_str(), meta["cwd"].as_str()), (Some("reel"), Some("/home/ann/kites")));
    assert_eq!(turns[14].meta.as_ref().unwrap()["model"], "claude-opus-4-9");
    assert_eq!(read.state.folder(), Some("/home/ann/kites"));
}

#[test]
fn a_response_is_joined_also_around_its_tool_calls() {
    let line = |uuid: &str, block: &str| {
        format!("{{\"type\":\"assistant\",\"uuid\":\"{uuid}\",\"message\":{{\"id\":\"m\",\"content\":[{block}]}}}}\n")
    };
    let text = line("a", r#"{"type":"text","text":"One."}"#)
        + &line("b", r#"{"type":"tool_use","id":"t","name":"Bash","input":{"command":"ls"}}"#)
        + &line("c", r#"{"type":"text","text":"Two."}"#);
    let read = whole(Agent::ClaudeCode, &text);
    assert_eq!(told(&turns(&read.changes)), ["session-1 assistant: One.\n\nTwo.", "session-1 tool: ran ls"]);
}

#[test]
fn a_subagents_file_is_a_session_of_its_own() {
    let session = Some(SessionId::new("agent-c3d4").unwrap());
    let source = LogSource { session, ..source(Agent::ClaudeCode, ToolTurns::Off) };
    let read = read_lines(&source, LineState::default(), SUBAGENT.as_bytes(), 0);
    let expected =
        ["agent-c3d4 assistant: Look for red paint.", "agent-c3d4 subagent: There is red paint in the shed."];
    assert_eq!(told(&turns(&read.changes)), expected);
}

#[test]
fn tool_calls_can_be_left_out_or_kept_in_full() {
    let read = |tools| read_lines(&source(Agent::ClaudeCode, tools), LineState::default(), CLAUDE.as_bytes(), 0);
    let off = read(ToolTurns::Off);
    assert!(turns(&off.changes).iter().all(|turn| turn.speaker != "tool"));
    assert_eq!(off.left_out.known["tool call"], 6);
    let full = read(ToolTurns::Full);
    let ran = turns(&full.changes)[2].text.clone();
    assert!(
        ran.starts_with("ran cargo test reel: exit 101\n{\"command\"") && ran.ends_with("reel_turns failed"),
        "{ran}"
    );
}

#[test]
fn a_legacy_log_of_codex_says_each_message_once() {
    let read = whole(Agent::Codex, LEGACY);
    let turns = turns(&read.changes);
    assert_eq!(
        told(&turns),
        [
            "session-1 user: Count the knots in the tail.",
            "session-1 tool: ran grep -c knot tail.txt: exit 2\nno such file",
            "session-1 tool: ran wc -l tail.txt: exit 0",
            "session-1 assistant: Twelve knots.",
            "session-1 user: Tie one more.",
            "session-1 tool: ran tie knot",
            "session-1 tool: searched the web for clove hitch",
            "session-1 assistant: Thirteen knots.",
        ]
    );
    assert_eq!(unknown(&read.left_out), [("event_msg/oracle_spoke", 1), ("response_item/quantum_leap", 1)]);
    assert_eq!(read.left_out.known["turn of a branch that was left"], 3);
    assert_eq!(read.state.remote(), Some("git@forge.example:ann/kites.git"));
    assert_eq!(turns[0].meta.as_ref().unwrap()["model"], "gpt-6-codex");
}

#[test]
fn a_paginated_log_and_the_first_form_of_codex_are_read() {
    let read = whole(Agent::Codex, PAGINATED);
    assert_eq!(
        told(&turns(&read.changes)),
        [
            "session-1 user: How long is the line?",
            "session-1 tool: ran measure line: exit 0",
            "session-1 assistant: Eighty metres.",
            "session-1 user: And the tail?",
            "session-1 assistant: Four metres.",
        ]
    );
    assert!(read.left_out.unknown.is_empty());
    let read = whole(Agent::Codex, FIRST);
    assert_eq!(told(&turns(&read.changes)), ["session-1 user: Fold the wing.", "session-1 assistant: Folded."]);
}

#[test]
fn in_a_log_of_gemini_the_last_write_of_a_message_counts() {
    let read = whole(Agent::GeminiCli, GEMINI);
    let turns = turns(&read.changes);
    assert_eq!(
        told(&turns),
        [
            "session-1 user: Which wind is best?",
            "session-1 tool: ran wind --now: exit 0",
            "session-1 assistant: A steady one.",
            "session-1 user: Fly in a breeze?",
            "session-1 assistant: Yes, a light one.",
            "session-1 user: Thanks.",
        ]
    );
    assert_eq!(unknown(&read.left_out), [("$rewindTo of an unknown message", 1), ("telepath", 1)]);
    assert_eq!(turns[5].title.as_deref(), Some("Winds for kites"));
    let gone = read.changes.iter().filter(|change| matches!(change, Change::Remove(_))).count();
    assert_eq!(gone, 3);
}

#[test]
fn a_session_of_opencode_is_read() {
    let (mut messages, mut parts) = (Vec::new(), Vec::new());
    for line in OPENCODE.lines() {
        match line.split('\t').collect::<Vec<_>>().as_slice() {
            ["M", id, data] => messages.push(MessageRow { id: (*id).to_owned(), data: (*data).to_owned() }),
            ["P", id, message, data] => {
                parts.push(PartRow { id: (*id).to_owned(), message: (*message).to_owned(), data: (*data).to_owned() });
            }
            other => panic!("{other:?}"),
        }
    }
    let session =
        SessionRow { directory: "/home/ann/kites".to_owned(), title: "Sew".to_owned(), ..SessionRow::default() };
    let read = read_opencode(&source(Agent::OpenCode, ToolTurns::Short), &session, &messages, &parts);
    let turns: Vec<&Turn> = read.turns.iter().collect();
    assert_eq!(
        told(&turns),
        [
            "session-1 user: Sew the sail.",
            "session-1 assistant: Sewn.",
            "session-1 tool: ran sew --sail: exit 3\ndone",
            "session-1 tool: edited sail.txt: failed: File not found: sail.txt",
        ]
    );
    assert_eq!(unknown(&read.left_out), [("part that is no JSON object", 1), ("role ghost", 1), ("wormhole", 1)]);
    assert_eq!(turns[0].title.as_deref(), Some("Sew"));
}

#[test]
fn a_conversation_of_cursor_has_no_time_that_cannot_be() {
    let (composer, rest) = CURSOR.split_once('\n').unwrap();
    let ids = bubble_ids(composer);
    assert_eq!(ids, ["b1", "b2", "b3", "b4", "b5", "b6"]);
    assert_eq!(cursor_folder(composer).as_deref(), Some("/home/ann/kites"));
    let mut data = rest.lines().map(str::to_owned);
    let bubbles: Vec<Bubble> = ids.into_iter().map(|id| Bubble { id, data: data.next() }).collect();
    let read = read_cursor(&source(Agent::Cursor, ToolTurns::Short), Some("/home/ann/kites"), composer, &bubbles);
    let turns: Vec<&Turn> = read.turns.iter().collect();
    let expected = [
        "session-1 user: Wax the line.",
        "session-1 tool: ran wax --line: exit 0",
        "session-1 assistant: Waxed twice.",
    ];
    assert_eq!(told(&turns), expected);
    assert_eq!(unknown(&read.left_out), [("bubble of an unknown type", 1), ("bubble that is not there", 1)]);
    // The second says that it was made in 2020.
    let times: Vec<String> = turns.iter().map(|turn| turn.said_at.unwrap().to_string()).collect();
    assert_eq!(times[0], times[1]);
    assert!(times[1] < times[2], "{times:?}");
}

#[test]
fn an_unfinished_line_waits_and_a_checkpoint_is_a_prompt() {
    let cut = CLAUDE.find("\"uuid\":\"a12\"").unwrap();
    let read = whole(Agent::ClaudeCode, &CLAUDE[..cut]);
    let prompt = CLAUDE.lines().position(|line| line.contains("\"uuid\":\"u4\"")).unwrap();
    let before: usize = CLAUDE.lines().take(prompt).map(|line| line.len() + 1).sum();
    assert_eq!(read.checkpoint.bytes, before);
    assert!(read.whole > before && read.whole < cut);
    let rest = read_lines(
        &source(Agent::ClaudeCode, ToolTurns::Short),
        read.checkpoint.state,
        &CLAUDE.as_bytes()[before..],
        read.whole - before,
    );
    let expected = [
        "session-2 user: Did the reel hold?",
        "session-2 assistant: It did.",
        "session-2 tool: called aforesaid/search_memories",
    ];
    assert_eq!(told(&turns(&rest.changes)), expected);
    assert!(rest.left_out.unknown.is_empty(), "counted before");
}

#[test]
fn a_log_can_be_imported_as_a_file() {
    let formats = [(Format::ClaudeCode, CLAUDE, 16), (Format::Codex, LEGACY, 8), (Format::GeminiCli, GEMINI, 6)];
    for (format, text, count) in formats {
        let source =
            Source { file: "log.jsonl", stem: "log", conversation: None, captions: Captions::Keep, zone: None };
        assert_eq!(detect_format(text.as_bytes(), "log.jsonl").unwrap(), format);
        let parsed = parse(format, text.as_bytes(), &source).unwrap();
        assert_eq!(parsed.drafts.len(), count, "{format}");
        let conversation = parsed.drafts[0].conversation().unwrap().as_str();
        assert!(conversation.starts_with(&format!("{format}:")) && !conversation.ends_with(":log"), "{conversation}");
        assert!(parsed.skipped.iter().any(|skipped| skipped.why.to_string().starts_with("unknown type")));
    }
}
