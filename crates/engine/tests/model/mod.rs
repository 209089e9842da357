//! A language model, played by a server of the test's own.
#![allow(dead_code, reason = "each test file uses its part")]

use serde_json::{Value, json};

use crate::server::{Deed, events, ok};

/// An answer in one piece.
pub(crate) fn said(text: &str) -> Deed {
    finished(&json!({"role": "assistant", "content": text}), "stop")
}

/// A message that ended for this reason, in one piece.
pub(crate) fn finished(message: &Value, reason: &str) -> Deed {
    ok(json!({
        "choices": [{"index": 0, "message": message, "finish_reason": reason}],
        "usage": {"prompt_tokens": 10, "completion_tokens": 5},
    }))
}

/// An answer piece by piece.
pub(crate) fn streamed(pieces: &[&str]) -> Deed {
    let stop = json!({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]});
    let usage = json!({"choices": [], "usage": {"prompt_tokens": 10, "completion_tokens": 5}});
    events(&format!("{}data: {stop}\n\ndata: {usage}\n\ndata: [DONE]\n\n", deltas(pieces)))
}

/// An answer that stops before its end.
pub(crate) fn broken_off(pieces: &[&str]) -> Deed {
    events(&deltas(pieces))
}

fn deltas(pieces: &[&str]) -> String {
    let delta = |text: &&str| json!({"choices": [{"index": 0, "delta": {"content": text}, "finish_reason": null}]});
    pieces.iter().map(|text| format!("data: {}\n\n", delta(text))).collect()
}

/// What the model is told, and what it is asked.
pub(crate) fn messages(body: &Value) -> (&str, &str) {
    let content = |at: usize| body["messages"][at]["content"].as_str().unwrap();
    (content(0), content(1))
}

/// The lines of a block of what it is asked; there must be one such block.
pub(crate) fn lines<'r>(body: &'r Value, block: &str) -> Vec<&'r str> {
    let lines: Vec<&str> = messages(body).1.lines().collect();
    let only = |mark: String| {
        let places: Vec<usize> = (0..lines.len()).filter(|&line| lines[line] == mark).collect();
        assert_eq!(places.len(), 1, "{mark} in {lines:?}");
        places[0]
    };
    lines[only(format!("<{block}>")) + 1..only(format!("</{block}>"))].to_vec()
}

/// Judges each candidate by its line; it leaves out those without a score.
pub(crate) fn judged(body: &Value, score: impl Fn(&str) -> Option<u8>) -> Deed {
    let lines = lines(body, "candidates");
    let scores = lines.iter().enumerate().filter_map(|(id, line)| Some(json!({"id": id, "score": score(line)?})));
    said(&json!({"scores": scores.collect::<Vec<_>>()}).to_string())
}

/// Whether a request is for an answer, not for a judgement.
pub(crate) fn is_ask(body: &Value) -> bool {
    body["stream"] == true
}
