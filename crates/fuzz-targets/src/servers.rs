//! What servers send.

use std::{io::Cursor, sync::OnceLock};

use aforesaid_llm::{
    Batch, ChatRequest, Completion, Counted, CueSettings, Finish, Format, Message, ResponseCache, Schema, StreamFilter,
    Usage, citations, fuzzing, without_reasoning,
};
use tempfile::TempDir;

/// Words of a model's text.
pub(crate) const WORDS: &[&str] = &[
    "{",
    "}",
    "[",
    "]",
    ":",
    ",",
    "\"",
    "\\",
    "null",
    "<think>",
    "</think>",
    "```json",
    "questions",
    "scores",
    "[D1:3]",
    "1e999",
];
/// Words of an event stream.
pub(crate) const EVENTS: &[&str] =
    &["data: ", "data:", "\n", "\r\n", "\n\n", ": ", "[DONE]", "{\"choices\":[", "]}", "null", "\"", "event: x"];
/// Words of a date.
pub(crate) const DATES: &[&str] =
    &["Sun, ", "06 Nov 1994 ", "08:49:37", " GMT", "-", "99", "1e308", "-1", "NaN", "inf", " ", "Feb", "29", "60"];

fn request() -> ChatRequest {
    let schema = [("type".to_owned(), "object".into())].into_iter().collect();
    let format = Format::Json(Schema { name: "cues".to_owned(), schema: fuzzing::object(schema) });
    ChatRequest { format, ..ChatRequest::new(vec![Message::user("hello")]) }
}

/// Results of the batch that [`batch`] reads.
pub(crate) fn results(_: &str) -> Vec<Vec<u8>> {
    let id = request().key("tiny");
    let body = r#"{"choices": [{"message": {"content": "{\"q\": []}"}, "finish_reason": "stop"}]}"#;
    let line = |response: &str, error: &str| {
        format!("{{\"custom_id\": \"{id}\", \"response\": {response}, \"error\": {error}}}\n").into_bytes()
    };
    vec![
        line(&format!("{{\"status_code\": 200, \"body\": {body}}}"), "null"),
        line("{\"status_code\": 429, \"body\": {\"error\": {\"message\": \"busy\"}}}", "null"),
        [line("null", "{\"message\": \"expired\"}"), b"\n{\"custom_id\": \"x\"}\n".to_vec()].concat(),
    ]
}

pub(crate) fn batch(bytes: &[u8]) {
    static CACHE: OnceLock<Option<(TempDir, ResponseCache)>> = OnceLock::new();
    let open = || {
        let folder = tempfile::tempdir().ok()?;
        let cache = ResponseCache::open(folder.path()).ok()?;
        Some((folder, cache))
    };
    let Some((_, cache)) = CACHE.get_or_init(open) else { return };
    let batch = Batch::new("tiny", [request()]);
    if let Ok(report) = batch.read(Cursor::new(bytes), cache) {
        assert!(report.unanswered.len() <= 1 && report.to_string().ends_with("unanswered"));
    }
}

pub(crate) fn chat(bytes: &[u8]) {
    if let Some(completion) = fuzzing::completion(bytes) {
        of(&completion);
    }
}

pub(crate) fn text(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes).into_owned();
    let usage = Usage { prompt: 0, completion: 0, counted: Counted::Estimated };
    of(&Completion { text, refusal: None, finish: Finish::Stop, usage });
}

fn of(completion: &Completion) {
    let outcome = completion.outcome(&request().format);
    if let Ok(questions) = CueSettings::default().read(&outcome) {
        assert!(questions.len() <= 3 && questions.iter().all(|question| !question.trim().is_empty()));
    }
    if let Some(scores) = fuzzing::scores(&outcome, 5) {
        assert!(scores.len() == 5 && scores.iter().flatten().all(|score| (0.0..=1.0).contains(score)));
    }
    let text = &completion.text;
    let cited = citations(text, &["D1:3", "x[", "a, b"]);
    assert!(cited.len() <= 3);
    let mut passed = String::new();
    let mut each = |piece: &str| passed.push_str(piece);
    let mut filter = StreamFilter::new(&mut each);
    text.char_indices().for_each(|(at, c)| filter.push(&text[at..at + c.len_utf8()]));
    filter.end();
    if !text.contains("</think>") {
        assert_eq!(passed, without_reasoning(text), "what is passed on is the answer");
    }
}

pub(crate) fn stream(bytes: &[u8]) {
    let heard = fuzzing::stream(bytes, bytes.len().max(1));
    // However the pieces come, they say the same.
    assert_eq!(heard, fuzzing::stream(bytes, 3));
}

pub(crate) fn embeddings(bytes: &[u8]) {
    if let Some(rows) = fuzzing::embeddings(bytes, 2, Some(2)) {
        assert!(rows.len() == 4 && rows.iter().all(|number| number.is_finite()));
    }
    let _ = fuzzing::embeddings(bytes, 1, None);
}

pub(crate) fn retry_after(bytes: &[u8]) {
    let _ = fuzzing::retry_after(&String::from_utf8_lossy(bytes));
}
