//! An encoder and a language model, played by a server of the test's own.

use serde_json::{Value, json};

use crate::server::{Deed, Request, Server, events, ok};

/// Components of a vector.
const DIMENSION: usize = 32;

/// A server that embeds texts, writes cue questions, judges candidates and answers.
pub(crate) fn start() -> Server {
    Server::start(|_, request| match request.path.as_str() {
        "/v1/embeddings" => embedded(request),
        _ => answered(&request.body),
    })
}

/// Counts words by their letters: texts with the same words are near each other.
fn embedded(request: &Request) -> Deed {
    let vector = |text: &str| {
        let mut vector = [0u32; DIMENSION];
        vector[0] = 1;
        for word in text.to_lowercase().split(|c: char| !c.is_alphanumeric()).filter(|word| word.len() > 2) {
            let sum: usize = word.bytes().take(5).enumerate().map(|(at, byte)| (at + 1) * usize::from(byte)).sum();
            vector[sum % DIMENSION] += 1;
        }
        vector
    };
    let rows = request.inputs().into_iter().enumerate();
    let data: Vec<Value> = rows.map(|(at, text)| json!({"index": at, "embedding": vector(text)})).collect();
    ok(json!({"data": data}))
}

fn answered(body: &Value) -> Deed {
    let asked = body["messages"][1]["content"].as_str().unwrap_or_default();
    if body["stream"] == true {
        return streamed("It is in the first memory [1].");
    }
    match asked.split_once("<candidates>\n").and_then(|(_, rest)| rest.split_once("</candidates>")) {
        Some((candidates, _)) => {
            let scores: Vec<Value> = (0..candidates.lines().count()).map(|id| json!({"id": id, "score": 1})).collect();
            said(&json!({ "scores": scores }))
        }
        None => said(&json!({"questions": ["What was said here?"]})),
    }
}

fn said(answer: &Value) -> Deed {
    ok(json!({
        "choices": [{"index": 0, "message": {"role": "assistant", "content": answer.to_string()}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 10, "completion_tokens": 5},
    }))
}

fn streamed(text: &str) -> Deed {
    let delta = json!({"choices": [{"index": 0, "delta": {"content": text}, "finish_reason": null}]});
    let stop = json!({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]});
    let usage = json!({"choices": [], "usage": {"prompt_tokens": 10, "completion_tokens": 5}});
    events(&format!("data: {delta}\n\ndata: {stop}\n\ndata: {usage}\n\ndata: [DONE]\n\n"))
}
