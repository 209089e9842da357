//! Servers that send what costs more to read than to write.

use std::{
    num::NonZeroUsize,
    time::{Duration, Instant},
};

use aforesaid_core::Encoder;
use aforesaid_llm::{
    Chat, ChatRequest, ChatSettings, Dimension, EmbeddingSettings, Endpoint, Format, Freshness, LlmError, Message,
    Outcome, RemoteEncoder, RetryPolicy, Schema, Timeouts,
};
use serde_json::json;

use crate::{
    client, endpoint, said,
    server::{Deed, Server, events, ok},
};

const HEAD: &str = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n";

fn question() -> ChatRequest {
    let format = Format::Json(Schema { name: "cues".to_owned(), schema: json!({"type": "object"}) });
    ChatRequest { format, ..ChatRequest::new(vec![Message::user("hello")]) }
}

fn outcome(deed: Deed) -> Result<Outcome, LlmError> {
    let server = Server::script(vec![deed]);
    let chat = Chat::new(client(endpoint(&server.url)).0, ChatSettings::default());
    Ok(chat.complete(&question(), Freshness::CacheAllowed)?.outcome)
}

/// Gives up after 200 ms.
fn hasty(url: &str) -> Endpoint {
    let timeouts = Timeouts { call: Duration::from_millis(200), ..Timeouts::default() };
    Endpoint { timeouts, retry: RetryPolicy::never(), ..endpoint(url) }
}

/// 200,000 brackets took 8.8 s, after the answer had come in time.
#[test]
fn brackets_without_end_are_no_json_soon() {
    for unit in ["[", "{\"a\":", "[\n1,"] {
        let wall = unit.repeat(200_000 / unit.len());
        let begun = Instant::now();
        assert_eq!(outcome(ok(said(&wall))).unwrap(), Outcome::Malformed(wall));
        assert!(begun.elapsed() < Duration::from_secs(2), "{unit:?}: {:?}", begun.elapsed());
    }
}

/// What a model is said to have written was bounded by nothing but the size of the answer.
#[test]
fn a_text_of_more_than_a_mebibyte_is_refused() {
    let longest = "a".repeat(1 << 20);
    assert_eq!(outcome(ok(said(&longest))).unwrap(), Outcome::Malformed(longest.clone()));
    let error = outcome(ok(said(&(longest.clone() + "a")))).unwrap_err();
    assert!(error.to_string().contains("found a text of more than 1048576 bytes"), "{error}");

    let piece = format!("data: {}\n\n", json!({"choices": [{"delta": {"content": "a".repeat(1 << 10)}}]}));
    let server = Server::script(vec![events(&piece.repeat(1100))]);
    let chat = Chat::new(client(endpoint(&server.url)).0, ChatSettings::default());
    let mut heard = 0;
    let error = chat.stream(&question(), Freshness::CacheAllowed, &mut |piece| heard += piece.len()).unwrap_err();
    assert!(error.to_string().contains("found a text of more than 1048576 bytes"), "{error}");
    assert_eq!(heard, longest.len());
}

/// A body could take memory up to the limit of all answers, whatever had been asked for.
#[test]
fn vectors_are_refused_above_what_was_asked_for() {
    let server = Server::start(|_, request| {
        let rows = request.inputs().iter().map(|_| vec![0; 1 << 20]).collect::<Vec<_>>();
        ok(json!({"data": [{"index": 0, "embedding": rows}]}))
    });
    let dimension = Dimension::Known(NonZeroUsize::new(2).unwrap());
    let settings = EmbeddingSettings { dimension, ..EmbeddingSettings::default() };
    let encoder = RemoteEncoder::new(client(endpoint(&server.url)).0, settings).unwrap();
    let message = encoder.encode_passages(&["a"]).unwrap_err().to_string();
    assert!(message.contains("an answer of more than 1048704 bytes"), "{message}");
}

#[test]
fn a_body_a_head_and_a_stream_that_trickle_end_in_time() {
    let trickles = [
        format!("{HEAD}\r\n"),
        format!("{HEAD}transfer-encoding: chunked\r\n\r\nffff\r\n"),
        format!("{HEAD}x:"),
        "HTTP/1.1 503 X\r\n\r\n".to_owned(),
        "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\ndata: ".to_owned(),
    ];
    for trickle in trickles {
        let server = Server::script(vec![Deed::Trickle(trickle.clone().into_bytes())]);
        let asked: [&dyn Fn() -> bool; 3] = [
            &|| {
                let chat = Chat::new(client(hasty(&server.url)).0, ChatSettings::default());
                chat.complete(&question(), Freshness::CacheAllowed).is_err()
            },
            &|| {
                let chat = Chat::new(client(hasty(&server.url)).0, ChatSettings::default());
                chat.stream(&question(), Freshness::CacheAllowed, &mut |_| {}).is_err()
            },
            &|| RemoteEncoder::new(client(hasty(&server.url)).0, EmbeddingSettings::default()).is_err(),
        ];
        for ask in asked {
            let begun = Instant::now();
            assert!(ask(), "{trickle:?}");
            assert!(begun.elapsed() < Duration::from_secs(2), "{trickle:?}: {:?}", begun.elapsed());
        }
    }
}
