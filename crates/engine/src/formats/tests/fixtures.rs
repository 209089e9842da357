//! One realistic file of every format.

use std::collections::HashSet;

use aforesaid_core::types::ConversationId;

use super::super::{SkipReason, detect};
use super::*;

#[test]
fn a_format_is_told_by_content() {
    for (format, bytes) in FIXTURES {
        assert_eq!(detect(bytes, "whatever.txt").unwrap(), format);
        assert_eq!(format.to_string().parse::<Format>().unwrap(), format);
    }
    let error = "csv".parse::<Format>().unwrap_err().to_string();
    assert!(error.contains("format \"csv\"") && Format::ALL.iter().all(|format| error.contains(format.name())));
}

#[test]
fn the_name_decides_only_about_one_object_of_messages() {
    let one = br#"{"messages": [{"role": "user", "content": "hi"}]}"#;
    assert_eq!(detect(one, "a.json").unwrap(), Format::Messages);
    assert_eq!(detect(one, "a.jsonl").unwrap(), Format::MessagesJsonl);
    assert_eq!(detect(&[&one[..], b"\n", one].concat(), "a.json").unwrap(), Format::MessagesJsonl);
    assert_eq!(detect(br#"[{"role": "user"}]"#, "a.jsonl").unwrap(), Format::Messages);
    assert_eq!(detect(br#"{"role": "user"}"#, "a").unwrap(), Format::MessagesJsonl);
    assert_eq!(detect(br#"{"mapping": {}}"#, "a").unwrap(), Format::ChatGpt);
    assert_eq!(detect(br#"{"kind": "note", "text": "x"}"#, "a").unwrap(), Format::Jsonl);
}

#[test]
fn what_fits_no_format_is_described() {
    for (text, found) in [
        ("", "it is empty"),
        (" [ ]", "an empty array"),
        ("[3]", "begins with the number 3"),
        ("[{\"a\": 1, \"b\": 2}]", "an array of objects with the fields \"a\", \"b\""),
        ("{}", "an object with no fields"),
        ("Hello", "it begins with 'H'"),
    ] {
        let message = detect(text.as_bytes(), "x.json").unwrap_err().to_string();
        for part in ["x.json: cannot tell the format", found, "locomo, openai, ", "name the right one"] {
            assert!(message.contains(part), "{part:?} is not in: {message}");
        }
    }
    let message = detect(b"{\"speaker\":\n 1,,", "x.json").unwrap_err().to_string();
    assert!(message.contains("x.json, line 2, column 4: broken JSON"), "{message}");
}

#[test]
fn locomo() {
    insta::assert_snapshot!(summary(&read(Format::Locomo, LOCOMO).unwrap()).join("\n"), @r"
    conv-90/session_1/D1:1 2023-05-08T13:56:00Z Nadia: Hey Ole! Long time no see.
    conv-90/session_1/D1:2 2023-05-08T13:56:00Z Ole: Too long. How is the bakery?
    conv-90/session_2/D2:1 2023-06-09T19:55:00Z Ole: Look what I bought! [a photo of a blue rowing boat on a beach]
    conv-90/session_2/D2:2 2023-06-09T19:55:00Z Nadia:  [a photo of a loaf of bread]
    conv-90/session_10/D10:1 2023-09-13T00:09:00Z Ole: The plum tree fell in the storm.
    7/session_1/session_1:1 A: No date and no id here.
    - conversation 1, session_2, message 3: empty text
    ");
}

#[test]
fn captions_can_be_left_out() {
    for (format, bytes) in [(Format::Locomo, LOCOMO), (Format::Jsonl, EXPORT)] {
        let kept = read(format, bytes).unwrap();
        let dropped = parse(format, bytes, &Source { captions: Captions::Drop, ..source() }).unwrap();
        assert_eq!(dropped.drafts.len() + 1, kept.drafts.len());
        assert_eq!(dropped.skipped.len(), kept.skipped.len() + 1);
        let captions = |draft: &Draft| matches!(draft, Draft::Turn(turn) if turn.image_caption.is_some());
        assert!(kept.drafts.iter().any(captions) && !dropped.drafts.iter().any(captions));
    }
}

#[test]
fn messages() {
    insta::assert_snapshot!(summary(&read(Format::Messages, MESSAGES).unwrap()).join("\n"), @r#"
    thread-1/session-1/session-1:2 2024-05-01T10:00:00Z Ida: How do I purl? # Knitting
    thread-1/session-1/msg-5 2024-05-01T10:00:05Z assistant: Yarn in front,
    needle behind.
    thread-1/session-1/session-1:7 user: Like this?
    chat-2/session-1/session-1:1 user: And crochet?
    - conversation 1, message 1: system message
    - conversation 1, message 3: tool call
    - conversation 1, message 4: tool message
    - conversation 1, message 6: unsupported content type "image_url"
    "#);
}

#[test]
fn messages_in_a_flat_array_and_in_one_object_are_one_conversation() {
    let messages = r#"[{"role": "developer", "content": "x"}, {"role": "user", "content": "hi"},
        {"role": "assistant", "content": " "}, {"role": "function", "content": "y"}]"#;
    let flat = read(Format::Messages, messages.as_bytes()).unwrap();
    insta::assert_snapshot!(summary(&flat).join("\n"), @r"
    chat/session-1/session-1:2 user: hi
    - message 1: system message
    - message 3: empty text
    - message 4: tool message
    ");
    assert_eq!(read(Format::Messages, format!("{{\"messages\": {messages}}}").as_bytes()).unwrap(), flat);
}

#[test]
fn a_conversation_given_by_the_caller_is_used_where_the_file_names_none() {
    let given = Source { conversation: Some(ConversationId::new("given").unwrap()), ..source() };
    let names = |format, bytes| {
        let parsed = parse(format, bytes, &given).unwrap();
        let names = parsed.drafts.iter().filter_map(|draft| draft.conversation().map(ToString::to_string));
        names.collect::<HashSet<_>>()
    };
    assert_eq!(names(Format::Messages, MESSAGES), HashSet::from(["thread-1".into(), "given-2".into()]));
    assert_eq!(names(Format::Jsonl, EXPORT), HashSet::from(["maya".into(), "given".into()]));
    assert_eq!(names(Format::ChatGpt, CHATGPT), HashSet::from(["65e1-starter".into(), "given-2".into()]));
}

#[test]
fn messages_by_line() {
    insta::assert_snapshot!(summary(&read(Format::MessagesJsonl, MESSAGES_LINES).unwrap()).join("\n"), @r"
    chat-1/session-1/session-1:2 user: Capital of Peru?
    chat-1/session-1/session-1:3 assistant: Lima.
    chat-2/session-1/session-1:1 user: Capital of Chad?
    chat-2/session-1/session-1:2 assistant: N'Djamena.
    chat/session-1/session-1:1 user: A message by itself.
    - line 1, message 1: system message
    ");
}

#[test]
fn a_file_that_has_grown_gives_the_old_part_again() {
    let old = "{\"role\": \"user\", \"content\": \"a\"}\n{\"role\": \"system\", \"content\": \"b\"}\n";
    let new = format!("{old}{{\"role\": \"assistant\", \"content\": \"c\"}}\n");
    let before = read(Format::MessagesJsonl, old.as_bytes()).unwrap().drafts;
    let after = read(Format::MessagesJsonl, new.as_bytes()).unwrap().drafts;
    assert_eq!(before[..], after[..1]);
    assert_eq!(after[1].id().unwrap().as_str(), "session-1:3");
}

#[test]
fn chatgpt() {
    insta::assert_snapshot!(summary(&read(Format::ChatGpt, CHATGPT).unwrap()).join("\n"), @r#"
    65e1-starter/session-1/u1 2024-03-01T12:00:01.25Z user: Is my starter dead? # Sourdough starter
    65e1-starter/session-1/a1 2024-03-01T12:00:20Z assistant: No: hooch is normal.
    Feed it twice a day.
    65e1-starter/session-2/u2 2024-03-02T12:00:00Z user: It bubbles again! # Sourdough starter
    chat-2/session-1/only user: Spoken words.
    - conversation 1, message 1: system message
    - conversation 1, message 2: hidden message
    - conversation 1, message 4: tool call
    - conversation 1, message 5: tool message
    - conversation 1, message 6: reasoning
    - conversation 1, message 9: unsupported content type "image_asset_pointer"
    - conversation 1, node a1-old: other branch
    "#);
}

#[test]
fn claude() {
    insta::assert_snapshot!(summary(&read(Format::Claude, CLAUDE).unwrap()).join("\n"), @r#"
    0c1d-garden/session-1/m1:attachment-1 2024-06-01T07:00:01.123Z user: Attached file "beds.txt":

    kale # Slugs in the garden
    0c1d-garden/session-1/m1 2024-06-01T07:00:01.123Z user: What eats slugs? {"files":["beds.txt","slug.jpg"]}
    0c1d-garden/session-1/m2 2024-06-01T07:00:09Z assistant: Hedgehogs,
    and ducks.
    0c1d-garden/session-2/m5 2024-06-02T06:59:00Z user: I got two ducks. # Slugs in the garden
    0c1d-garden/session-2/session-2:6 2024-06-02T06:59:30Z assistant: Good.
    - conversation 1, message 3: tool call
    - conversation 1, message 4: only attachments
    - conversation 1, message 7: empty text
    "#);
}

#[test]
fn jsonl() {
    let parsed = read(Format::Jsonl, EXPORT).unwrap();
    insta::assert_debug_snapshot!(parsed.skipped, @r#"
    [
        Skipped {
            at: "line 7",
            why: Repeated {
                id: "S1:1",
                first: "line 1",
            },
        },
    ]
    "#);
    let [first, second, third, Draft::Note(note), Draft::Note(bare)] = &parsed.drafts[..] else {
        panic!("{:?}", parsed.drafts)
    };
    assert_eq!(turn(first).id.as_ref().unwrap().as_str(), "S1:1");
    assert_eq!(turn(second).said_at.unwrap().to_string(), "2024-03-09T18:02:55.5Z");
    assert_eq!(turn(second).meta.as_ref().unwrap()["lens"], 1.8);
    assert_eq!((turn(third).conversation.as_str(), turn(third).session.as_str()), ("chat", "session-1"));
    assert_eq!(turn(third).id.as_ref().unwrap().as_str(), "session-1:1");
    assert_eq!((note.importance.value(), note.tags.join(" "), note.source.len()), (0.9, "pets".into(), 1));
    assert!(bool::from(note.sensitivity) && !bool::from(bare.sensitivity));
    assert!(bare.conversation.is_none() && bare.said_at.is_none());
    assert!(bare.id.as_ref().unwrap().as_str().starts_with("note:"));
    assert_eq!(read(Format::Jsonl, EXPORT).unwrap(), parsed, "ids that were given are the same every time");
}

#[test]
fn an_endless_exported_message_is_skipped() {
    let long = "x".repeat(2 << 20);
    let text = format!(r#"[{{"role": "user", "content": "{long}"}}, {{"role": "user", "content": "short"}}]"#);
    let parsed = read(Format::Messages, text.as_bytes()).unwrap();
    assert_eq!(parsed.drafts.len(), 1);
    assert_eq!(parsed.skipped[0].why, SkipReason::TextTooLong { bytes: 2 << 20 });
}

/// LoCoMo as released, in the folder `locomo` of the one that `AFORESAID_DATA` names.
fn released() -> Option<Vec<u8>> {
    let data = std::env::var_os("AFORESAID_DATA")?;
    std::fs::read(std::path::Path::new(&data).join("locomo").join("locomo10.json")).ok()
}

#[test]
fn the_real_locomo() {
    let Some(bytes) = released() else {
        eprintln!("skipped: AFORESAID_DATA does not name a folder with locomo/locomo10.json");
        return;
    };
    assert_eq!(detect(&bytes, "locomo10.json").unwrap(), Format::Locomo);
    let parsed = read(Format::Locomo, &bytes).unwrap();
    let turns = || parsed.drafts.iter().map(turn);
    assert_eq!(turns().map(|turn| &turn.conversation).collect::<HashSet<_>>().len(), 10);
    assert_eq!(turns().map(|turn| (&turn.conversation, &turn.session)).collect::<HashSet<_>>().len(), 272);
    assert_eq!(turns().count(), 5_882);
    assert_eq!(turns().filter(|turn| turn.image_caption.is_some()).count(), 1_226);
    assert!(turns().all(|turn| turn.said_at.is_some() && turn.id.is_some()) && parsed.skipped.is_empty());
}
