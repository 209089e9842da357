//! What is refused, and in which words.

use super::*;

const TURN: &str = r#"{"speaker": "A", "text": "t"}"#;

/// A second line with these fields is refused.
fn line(fields: &str, parts: &[&str]) {
    refused(Format::Jsonl, &format!("{TURN}\n{{{fields}}}\n"), parts);
}

#[test]
fn a_jsonl_line_that_is_no_object() {
    refused(
        Format::Jsonl,
        "{\"speaker\": \"A\",\n\"text\": \"t\"}",
        &["chat.json, line 1, column", "EOF", "this line"],
    );
    line(r#""speaker": "A" "text": "t""#, &["chat.json, line 2, column 17: broken JSON: expected `,` or `}`"]);
    line(r#""speaker": "A", "text": "a", "text": "b""#, &["line 2", "field \"text\" is there twice"]);
    refused(Format::Jsonl, "[1, 2]", &["line 1: the line is an array of 2; expected an object", "name another format"]);
    refused(Format::Jsonl, "nothing", &["line 1, column", "broken JSON"]);
    refused(Format::Jsonl, &format!("{{\"meta\": {}", "[".repeat(100_000)), &["line 1", "recursion limit"]);
}

#[test]
fn a_text_without_any_message_is_no_chat_of_whatsapp() {
    refused(
        Format::WhatsApp,
        "\nDear diary,\ntoday",
        &["chat.json, line 2", "without a date and a time", "23:59 - Ann"],
    );
}

#[test]
fn a_jsonl_field_that_is_unknown() {
    line(r#""speaker": "A", "txet": "t""#, &["chat.json, line 2", "a turn has no field \"txet\"", "sensitive, meta"]);
    line(r#""kind": "note", "text": "t", "speaker": "A""#, &["a note has no field \"speaker\"", "sensitive, source"]);
    line(r#""speaker": "A", "text": "t", "source": ["t1"]"#, &["a turn has no field \"source\""]);
}

#[test]
fn a_jsonl_field_of_another_type() {
    line(r#""speaker": 3, "text": "t""#, &["line 2: field \"speaker\" is the number 3; expected a string"]);
    line(r#""speaker": "A", "text": ["t"]"#, &["field \"text\" is an array of 1; expected a string"]);
    line(r#""speaker": "A", "text": "t", "id": 3"#, &["field \"id\" is the number 3; expected a string"]);
    line(r#""speaker": "A", "text": "t", "meta": 3"#, &["field \"meta\" is the number 3; expected an object"]);
    line(r#""speaker": "A", "text": "t", "said_at": true"#, &["field \"said_at\" is true; expected ISO 8601"]);
    line(r#""kind": 3"#, &["field \"kind\" is the number 3; expected a string"]);
    line(r#""kind": "note", "text": "t", "tags": "a""#, &["field \"tags\" is the string \"a\"; expected an array"]);
    line(r#""kind": "note", "text": "t", "tags": [1]"#, &["an item of field \"tags\" is the number 1"]);
    line(r#""kind": "note", "text": "t", "sensitive": 1"#, &["field \"sensitive\" is the number 1; expected true or"]);
    line(r#""kind": "note", "text": "t", "importance": "high""#, &["the string \"high\"; expected a number from 0"]);
}

#[test]
fn a_jsonl_field_without_a_meaning() {
    line(
        r#""speaker": "A", "text": "t", "said_at": "soon""#,
        &["field \"said_at\" is the string \"soon\"", "ISO 8601"],
    );
    line(r#""speaker": "A", "text": "t", "said_at": 1e300"#, &["line 2: field \"said_at\"", "seconds since 1970"]);
    line(r#""kind": "memo", "text": "t""#, &["field \"kind\" is the string \"memo\"; expected turn or note"]);
    line(r#""kind": "note", "text": "t", "importance": 1.5"#, &["\"importance\" is the number 1.5", "from 0 to 1"]);
    line(r#""speaker": "A", "text": "t", "id": " ""#, &["line 2: field \"id\": id is blank", "choose another"]);
    line(r#""speaker": "A", "text": "t", "session": """#, &["field \"session\": session is blank"]);
    line(r#""speaker": "A", "text": "t", "conversation": """#, &["field \"conversation\": conversation is blank"]);
    line(r#""kind": "note", "text": "t", "source": [""]"#, &["field \"source\": id is blank"]);
}

#[test]
fn a_jsonl_line_without_what_it_needs() {
    line(r#""text": "t""#, &["chat.json, line 2: there is no field \"speaker\"; expected a string; add it"]);
    line(r#""speaker": "A""#, &["line 2: there is no field \"text\""]);
    line(r#""speaker": " ", "text": "t""#, &["line 2: turn \"session-1:2\": the speaker is empty"]);
    line(r#""id": "x", "speaker": "A", "text": " ""#, &["line 2: memory \"x\": the text is empty"]);
    let long = "x".repeat((1 << 20) + 1);
    line(&format!(r#""speaker": "A", "text": "{long}""#), &["chat.json, line 2: memory", "1048577 bytes", "split"]);
}

#[test]
fn a_file_name_that_cannot_name_a_conversation() {
    let unnamed = Source { stem: "", ..source() };
    let message = parse(Format::Jsonl, TURN.as_bytes(), &unnamed).unwrap_err().to_string();
    assert!(message.contains("the file name, which names the conversation: conversation is blank"), "{message}");
}

#[test]
fn one_id_for_two_things() {
    let turn = r#"{"id": "x", "conversation": "c", "speaker": "A", "text": "t"}"#;
    let twice = |second: &str| format!("{turn}\n\n{second}");
    refused(
        Format::Jsonl,
        &twice(&turn.replace("\"t\"", "\"u\"")),
        &["chat.json, line 1, and line 3: both have id \"x\" in conversation \"c\"; expected the same text; give one"],
    );
    let note = r#"{"id": "x", "conversation": "c", "kind": "note", "text": "t"}"#;
    refused(Format::Jsonl, &twice(note), &["expected the same kind"]);
    let elsewhere = turn.replace("\"c\"", "\"d\"");
    assert_eq!(read(Format::Jsonl, twice(&elsewhere).as_bytes()).unwrap().drafts.len(), 2);
}

fn locomo_with(conversation: &str, parts: &[&str]) {
    refused(Format::Locomo, &format!(r#"[{{"sample_id": "a", "conversation": {conversation}}}]"#), parts);
}

#[test]
fn a_broken_locomo() {
    refused(Format::Locomo, "[3]", &["chat.json, conversation 1: the sample is the number 3; expected an object"]);
    refused(Format::Locomo, "[{}]", &["conversation 1: there is no field \"sample_id\""]);
    refused(Format::Locomo, "[{\"sample_id\": \"a\"}]", &["conversation 1: there is no field \"conversation\""]);
    refused(Format::Locomo, "[{\"sample_id\"", &["chat.json, line 1, column 13: broken JSON: EOF"]);
    refused(Format::Locomo, "3", &["expected a JSON array of conversations"]);
    locomo_with("{}", &["no field \"session_1\""]);
    locomo_with(r#"{"session_1": 3}"#, &["field \"session_1\" is the number 3; expected an array"]);
    locomo_with(r#"{"session_1": [3]}"#, &["conversation 1, session_1, message 1: the turn is the number 3"]);
    locomo_with(r#"{"session_4": [{"speaker": "A"}]}"#, &["session_4, message 1: there is no field \"text\""]);
    locomo_with(r#"{"session_4": [{"text": "A"}]}"#, &["session_4, message 1: there is no field \"speaker\""]);
    let date = r#"{"session_4": [{"speaker": "A", "text": "t"}], "session_4_date_time": "8 May"}"#;
    locomo_with(date, &["field \"session_4_date_time\" is the string \"8 May\"; expected a time such as 1:56 pm on"]);
}

#[test]
fn broken_messages() {
    let message = |fields: &str, parts: &[&str]| refused(Format::Messages, &format!("[{{{fields}}}]"), parts);
    message(r#""content": "x""#, &["chat.json, message 1: there is no field \"role\""]);
    message(r#""role": "bot", "content": "x""#, &["field \"role\" is the string \"bot\"; expected user, assistant"]);
    message(r#""role": "user", "content": 3"#, &["field \"content\" is the number 3; expected a string or an array"]);
    message(r#""role": "user", "content": [3]"#, &["message 1: a part of the content is the number 3"]);
    message(r#""role": "user", "content": "x", "timestamp": []"#, &["field \"timestamp\" is an array of 0"]);
    message(r#""role": "user", "content": "x", "created_at": "x""#, &["field \"created_at\" is the string \"x\""]);
    message(r#""messages": 3"#, &["conversation 1: field \"messages\" is the number 3; expected an array"]);
    message(r#""messages": [3]"#, &["conversation 1, message 1: the message is the number 3"]);
    refused(Format::Messages, "[3]", &["chat.json, message 1: the message is the number 3"]);
    refused(Format::Messages, "{}", &["chat.json: there is no field \"messages\""]);
    refused(Format::MessagesJsonl, "{}\n", &["chat.json, line 1: there is no field \"role\""]);
    refused(Format::MessagesJsonl, "\n{", &["chat.json, line 2, column 1: broken JSON", "this line"]);
    refused(Format::MessagesJsonl, "\n{\"messages\": [{}]}", &["line 2, message 1: there is no field \"role\""]);
}

#[test]
fn a_broken_chatgpt_export() {
    let message = |message: &str, parts: &[&str]| {
        refused(Format::ChatGpt, &format!(r#"[{{"id": "c", "mapping": {{"n": {{"message": {message}}}}}}}]"#), parts);
    };
    message("3", &["chat.json, conversation 1, message 1: the message is the number 3"]);
    message("{}", &["message 1: there is no field \"author\""]);
    message(r#"{"author": {}}"#, &["message 1: there is no field \"role\""]);
    let user = |rest: &str, parts| message(&format!(r#"{{"author": {{"role": "user"}}, {rest}}}"#), parts);
    user(r#""content": {}"#, &["there is no field \"content_type\""]);
    user(r#""content": {"content_type": "text", "parts": 3}"#, &["field \"parts\" is the number 3"]);
    user(r#""content": {"content_type": "text", "parts": ["x"]}, "create_time": "x""#, &["field \"create_time\""]);
    refused(Format::ChatGpt, "[{\"id\": \"c\"}]", &["conversation 1: there is no field \"mapping\""]);
    refused(Format::ChatGpt, "[{\"id\": \"\"}]", &["conversation 1: field \"id\": conversation is blank"]);
}

#[test]
fn a_broken_claude_export() {
    let message = |message: &str, parts: &[&str]| {
        refused(Format::Claude, &format!(r#"[{{"uuid": "c", "chat_messages": [{message}]}}]"#), parts);
    };
    message("3", &["chat.json, conversation 1, message 1: the message is the number 3"]);
    message("{}", &["message 1: there is no field \"sender\""]);
    message(r#"{"sender": "human", "text": 3}"#, &["field \"text\" is the number 3; expected a string"]);
    message(r#"{"sender": "human", "content": [{}]}"#, &["message 1: there is no field \"type\""]);
    message(r#"{"sender": "human", "text": "x", "created_at": "x"}"#, &["field \"created_at\" is the string \"x\""]);
    message(r#"{"sender": "human", "text": "x", "uuid": ""}"#, &["field \"uuid\": id is blank"]);
    refused(Format::Claude, "[{\"uuid\": \"c\"}]", &["conversation 1: there is no field \"chat_messages\""]);
}

#[test]
fn roles_nobody_knows_are_skipped_in_exports() {
    let chatgpt = r#"[{"mapping": {"n": {"message": {"author": {"role": "critic"}}}}}]"#;
    let claude = r#"[{"chat_messages": [{"sender": "critic"}]}]"#;
    for (format, text) in [(Format::ChatGpt, chatgpt), (Format::Claude, claude)] {
        let parsed = read(format, text.as_bytes()).unwrap();
        assert_eq!(summary(&parsed), ["- conversation 1, message 1: unknown role \"critic\""]);
    }
}
