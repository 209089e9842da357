//! What exports have besides messages: branches, documents, attachments, images, projects.

use serde_json::{Value, json};

use super::{super::detect, *};

/// A ChatGPT conversation of these messages, each below the one before.
fn chat(messages: &[Value]) -> String {
    let mut mapping = serde_json::Map::new();
    for (n, message) in messages.iter().enumerate() {
        let parent = n.checked_sub(1).map(|before| format!("n{before}"));
        mapping.insert(format!("n{n}"), json!({"message": message, "parent": parent}));
    }
    let last = format!("n{}", messages.len() - 1);
    let gizmo = "g-p-kitchen";
    json!([{"conversation_id": "c", "title": " Supper ", "gizmo_id": gizmo, "mapping": mapping, "current_node": last}])
        .to_string()
}

fn message(id: &str, role: &str, to: &str, content: Value, metadata: Value) -> Value {
    json!({"id": id, "author": {"role": role}, "recipient": to, "content": content, "metadata": metadata})
}

fn words(text: &str) -> Value {
    json!({"content_type": "text", "parts": [text]})
}

#[test]
fn a_canvas_and_an_image_of_chatgpt_are_turns() {
    let code = |given: Value| json!({"content_type": "code", "language": "json", "text": given.to_string()});
    let canvas = |version| json!({"canvas": {"textdoc_id": "t1", "version": version}});
    let create = code(json!({"name": "Menu", "type": "document", "content": "Soup. Bread."}));
    let update = code(json!({"updates": [{"pattern": "Soup", "multiple": false, "replacement": "Stew"}]}));
    let drawn = json!({"content_type": "multimodal_text", "parts": [
        {"content_type": "image_asset_pointer", "metadata": {"dalle": {"prompt": "A bowl of stew"}}}]});
    let sent =
        json!({"content_type": "multimodal_text", "parts": [{"content_type": "image_asset_pointer"}, "Like this?"]});
    let file = chat(&[
        message("u1", "user", "all", words("Write a menu."), json!({})),
        message("k1", "assistant", "canmore.create_textdoc", create, json!({})),
        message("r1", "tool", "all", words("Successfully created"), canvas(1)),
        message("k2", "assistant", "canmore.update_textdoc", update, json!({})),
        message("r2", "tool", "all", words("Successfully updated"), canvas(2)),
        message("recap", "assistant", "all", json!({"content_type": "reasoning_recap", "content": "4s"}), json!({})),
        message("a1", "assistant", "all", words("Done."), json!({})),
        message("d1", "assistant", "dalle.text2im", code(json!({"prompt": "A bowl of stew"})), json!({})),
        message("d2", "tool", "all", drawn, json!({})),
        message("u2", "user", "all", sent, json!({"attachments": [{"name": "bowl.jpg", "id": "f"}]})),
    ]);
    insta::assert_snapshot!(summary(&read(Format::ChatGpt, file.as_bytes()).unwrap()).join("\n"), @r##"
    c/session-1/u1 user: Write a menu. # Supper {"gizmo":"g-p-kitchen"}
    c/session-1/k1 assistant: Canvas "Menu" (document):

    Stew. Bread.
    c/session-1/a1 assistant: Done.
    c/session-1/d2 assistant:  [A bowl of stew]
    c/session-1/u2 user: Like this? {"files":["bowl.jpg"]}
    - conversation 1, message 3: tool message
    - conversation 1, message 4: tool call
    - conversation 1, message 5: tool message
    - conversation 1, message 6: reasoning
    - conversation 1, message 8: tool call
    "##);
}

#[test]
fn a_branch_of_claude_with_its_artifacts_is_read() {
    let root = "00000000-0000-4000-8000-000000000000";
    let said = |id: &str, after: &str, sender: &str, content: Value| json!({"uuid": id, "sender": sender, "text": "", "content": content, "parent_message_uuid": after});
    let text = |text: &str| json!({"type": "text", "text": text});
    let artifact = |given: Value| json!({"type": "tool_use", "name": "artifacts", "input": given});
    let create =
        json!({"command": "create", "id": "plan", "title": "Beds", "type": "text/markdown", "content": "Kale. Peas."});
    let update = json!({"command": "update", "id": "plan", "old_str": "Peas", "new_str": "Beans"});
    let rewrite = json!({"command": "rewrite", "id": "other", "content": "Rewritten."});
    let draft = json!({"command": "create", "id": "draft", "title": "Draft", "content": "Leeks."});
    let mut file = json!({"uuid": "c", "name": "Garden", "chat_messages": [
        said("m1", root, "human", json!([text("Plan my beds.")])),
        said("m2-old", "m1", "assistant", json!([text("No."), artifact(create.clone()), artifact(draft)])),
        said("m2", "m1", "assistant", json!([artifact(create), {"type": "tool_result", "content": []}, text("Here.")])),
        said("m3", "m2", "assistant", json!([artifact(update)])),
        said("m4", "m3", "assistant", json!([artifact(rewrite)])),
        said("m5", "m4", "assistant", json!([{"type": "thinking", "thinking": "hm"}])),
    ]});
    file["chat_messages"][1]["attachments"] = json!([{"file_name": "soil.txt", "extracted_content": "Clay."}]);
    let parsed = read(Format::Claude, file.to_string().as_bytes()).unwrap();
    insta::assert_snapshot!(summary(&parsed).join("\n"), @r##"
    c/session-1/m1 user: Plan my beds. # Garden
    c/session-1/m2 assistant: Here.
    c/session-1/artifact:plan assistant: Artifact "Beds" (text/markdown):

    Kale. Beans.
    c/session-1/artifact:other assistant: Artifact:

    Rewritten.
    - conversation 1, message 2: other branch
    - conversation 1, message 4: tool call
    - conversation 1, message 5: tool call
    - conversation 1, message 6: reasoning
    "##);
    let left: Vec<&str> = parsed.left.iter().map(|turn| turn.id.as_str()).collect();
    assert_eq!(left, ["artifact:draft", "m2-old:attachment-1", "m2-old"], "an artifact that is shown is not left");
}

/// As exports have it that are older than the tool for artifacts.
#[test]
fn artifacts_of_claude_between_tags_are_read() {
    let tagged = |text: &str| {
        format!("<antArtifact identifier=\"plan\" type=\"text/markdown\" title=\"Beds\">\n{text}\n</antArtifact>")
    };
    let said = |id: &str, sender: &str, text: &str| json!({"uuid": id, "sender": sender, "text": text, "content": [{"type": "text", "text": text}]});
    let file = json!({"uuid": "c", "name": "Garden", "chat_messages": [
        said("m1", "human", "What does <antArtifact identifier=\"x\">y</antArtifact> mean?"),
        said("m2", "assistant", &format!("Here.\n\n<antThinking>New.</antThinking>\n\n{}\n\nWater them.", tagged("Kale."))),
        json!({"uuid": "m3", "sender": "assistant", "text": tagged("Kale. Peas.")}),
        said("m4", "assistant", "<antThinking>Nothing to say.</antThinking>"),
        json!({"uuid": "m5", "sender": "assistant", "text": "", "content": [
            {"type": "text", "text": "<antArtifact identifier=\"cut\">Leeks."}, {"type": "text", "text": "Chard."}]}),
    ]});
    let parsed = read(Format::Claude, file.to_string().as_bytes()).unwrap();
    insta::assert_snapshot!(summary(&parsed).join("\n"), @r##"
    c/session-1/m1 user: What does <antArtifact identifier="x">y</antArtifact> mean? # Garden
    c/session-1/m2 assistant: Here.

    Water them.
    c/session-1/artifact:plan assistant: Artifact "Beds" (text/markdown):

    Kale. Peas.
    c/session-1/artifact:cut assistant: Artifact:

    Leeks.
    Chard.
    - conversation 1, message 3: tool call
    - conversation 1, message 4: reasoning
    - conversation 1, message 5: tool call
    "##);
}

#[test]
fn projects_of_claude_are_notes() {
    let file = json!([
        {"uuid": "p1", "name": "Allotment", "description": "", "prompt_template": "Metric units.", "is_starter_project": false,
         "created_at": "2024-06-01T07:00:00Z", "docs": [
            {"uuid": "d1", "filename": "soil.md", "content": "Clay.", "created_at": "2024-06-02T07:00:00Z"},
            {"uuid": "d2", "filename": "empty.md", "content": " "}]},
        {"uuid": "p2", "name": "How to use Claude", "is_starter_project": true, "docs": []},
        {"uuid": "p3", "name": "Bare", "docs": []},
    ]);
    let bytes = file.to_string();
    assert_eq!(detect(bytes.as_bytes(), "projects.json").unwrap(), Format::ClaudeProjects);
    let parsed = read(Format::ClaudeProjects, bytes.as_bytes()).unwrap();
    let notes = parsed.drafts.iter().map(|draft| match draft {
        Draft::Note(note) => {
            let at = note.said_at.map(|at| format!(" {at}")).unwrap_or_default();
            format!("{}{at} {:?}: {}", note.id.as_ref().unwrap(), note.tags, note.text)
        }
        Draft::Turn(turn) => panic!("a turn: {turn:?}"),
    });
    let lines: Vec<String> = notes.chain(parsed.skipped.iter().map(|skipped| format!("- {skipped}"))).collect();
    insta::assert_snapshot!(lines.join("\n"), @r#"
    project:p1 2024-06-01T07:00:00Z ["project"]: Project "Allotment":

    Metric units.
    d1 2024-06-02T07:00:00Z ["project"]: Document "soil.md" of project "Allotment":

    Clay.
    project:p3 ["project"]: Project "Bare"
    - project 1, document 2: empty text
    - project 2: unsupported content type "starter project"
    "#);
}

#[test]
fn what_was_left_out_is_counted_by_reason() {
    let system = message("s", "system", "all", words("x"), json!({}));
    let again = |id: &str| {
        Value::Object(serde_json::Map::from_iter(
            system.as_object().unwrap().clone().into_iter().chain([("id".to_owned(), json!(id))]),
        ))
    };
    let file = chat(&[again("1"), message("t", "tool", "all", words("x"), json!({})), again("2"), again("3")]);
    let parsed = read(Format::ChatGpt, file.as_bytes()).unwrap();
    let groups: Vec<_> = super::super::grouped(&parsed.skipped)
        .into_iter()
        .map(|group| (group.reason, group.count, group.first.at.clone()))
        .collect();
    let expected =
        [("system message", 3, "conversation 1, message 1"), ("tool message", 1, "conversation 1, message 2")];
    assert_eq!(groups, expected.map(|(reason, count, at)| (reason.to_owned(), count, at.to_owned())));
}
