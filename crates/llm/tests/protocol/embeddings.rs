//! The encoder behind `/embeddings`.

use std::{
    num::NonZeroUsize,
    sync::{Barrier, Mutex},
};

use aforesaid_core::{Encoder, Locality};
use aforesaid_llm::{BatchLimits, Dimension, EmbeddingSettings, Endpoint, LlmError, RemoteEncoder};
use serde_json::{Value, json};

use crate::{
    client, endpoint,
    server::{Deed, Request, Server, ok, status},
};

/// Two components by the text's length and first byte, not of length one, the last text first.
fn vectors(request: &Request) -> Value {
    let row = |(index, text): (usize, &&str)| json!({"object": "embedding", "index": index, "embedding": [text.len() * 3, text.bytes().next()]});
    let inputs = request.inputs();
    json!({"object": "list", "data": inputs.iter().enumerate().rev().map(row).collect::<Vec<_>>(), "model": "tiny"})
}

fn expected(texts: &[&str]) -> Vec<f32> {
    let row = |text: &&str| {
        let (x, y) = ((text.len() * 3) as f64, f64::from(text.as_bytes()[0]));
        let length = (x * x + y * y).sqrt();
        [(x / length) as f32, (y / length) as f32]
    };
    texts.iter().flat_map(row).collect()
}

fn settings(texts: usize) -> EmbeddingSettings {
    let batch = BatchLimits { texts: NonZeroUsize::new(texts).unwrap(), ..BatchLimits::default() };
    EmbeddingSettings { dimension: Dimension::Known(NonZeroUsize::new(2).unwrap()), batch, ..Default::default() }
}

fn encoder(server: &Server, settings: EmbeddingSettings) -> Result<RemoteEncoder, LlmError> {
    RemoteEncoder::new(client(endpoint(&server.url)).0, settings)
}

#[test]
fn vectors_come_back_in_order_and_of_length_one() {
    let server = Server::start(|_, request| ok(vectors(request)));
    let encoder = encoder(&server, settings(3)).unwrap();
    assert!(server.requests().is_empty(), "a known dimension needs no call");
    let texts = ["a", "bbbb", "cc", "ddd", "e", "ffffff", "g"];
    let made = encoder.encode_passages(&texts).unwrap();
    assert_eq!((made.dim(), made.as_slice()), (2, expected(&texts).as_slice()));
    let mut asked: Vec<Vec<String>> =
        server.requests().iter().map(|request| request.inputs().into_iter().map(str::to_owned).collect()).collect();
    asked.sort();
    assert_eq!(asked, [vec!["a", "bbbb", "cc"], vec!["ddd", "e", "ffffff"], vec!["g"]]);
    assert_eq!(encoder.locality(), Locality::Remote);
}

#[test]
fn a_request_says_what_the_protocol_wants() {
    let server = Server::start(|_, request| ok(vectors(request)));
    let two = NonZeroUsize::new(2).unwrap();
    let settings = EmbeddingSettings {
        dimension: Dimension::Requested(two),
        query_prefix: "query: ".into(),
        passage_prefix: "passage: ".into(),
        ..Default::default()
    };
    let encoder = encoder(&server, settings).unwrap();
    encoder.encode_queries(&["who?"]).unwrap();
    encoder.encode_passages(&["Ann"]).unwrap();
    let requests = server.requests();
    assert_eq!(requests[0].path, "/v1/embeddings");
    let body = |text| json!({"model": "tiny", "input": [text], "encoding_format": "float", "dimensions": 2});
    assert_eq!((&requests[0].body, &requests[1].body), (&body("query: who?"), &body("passage: Ann")));
}

#[test]
fn the_dimension_is_learnt_by_one_call() {
    let server = Server::start(|_, request| ok(vectors(request)));
    let encoder = encoder(&server, EmbeddingSettings::default()).unwrap();
    assert_eq!((encoder.dim(), server.requests().len()), (2, 1));
    assert!(server.requests()[0].body.get("dimensions").is_none());
    assert_eq!(encoder.encode_passages(&[]).unwrap().len(), 0);
    assert_eq!(server.requests().len(), 1, "nothing to encode, nothing to send");
    let dead = Server::script(vec![status(404, "no such model")]);
    assert!(self::encoder(&dead, EmbeddingSettings::default()).unwrap_err().to_string().contains("no such model"));
}

#[test]
fn several_requests_are_in_flight_and_no_more_than_allowed() {
    // The server answers only when three requests are there at once.
    static TOGETHER: Barrier = Barrier::new(3);
    static FLYING: Mutex<(usize, usize)> = Mutex::new((0, 0));
    let server = Server::start(|_, request| {
        {
            let mut flying = FLYING.lock().unwrap();
            flying.0 += 1;
            flying.1 = flying.1.max(flying.0);
        }
        TOGETHER.wait();
        FLYING.lock().unwrap().0 -= 1;
        ok(vectors(request))
    });
    let three = Endpoint { concurrency: NonZeroUsize::new(3).unwrap(), ..endpoint(&server.url) };
    let encoder = RemoteEncoder::new(client(three).0, settings(1)).unwrap();
    let texts = ["a", "b", "c", "d", "e", "f", "g", "h", "i"];
    // Two callers at once still share three permits.
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| assert_eq!(encoder.encode_passages(&texts).unwrap().as_slice(), expected(&texts)));
        }
    });
    assert_eq!((FLYING.lock().unwrap().1, server.requests().len()), (3, 18));
}

#[test]
fn an_answer_that_does_not_fit_is_an_error() {
    let data = |rows: Value| ok(json!({"data": rows}));
    let row = |index: usize, vector: Value| json!({"index": index, "embedding": vector});
    for (deed, found) in [
        (data(json!([])), "0 vectors"),
        (data(json!([row(0, json!([1, 0]))])), "1 vectors, expected 2"),
        (data(json!([row(0, json!([1, 0])), row(0, json!([1, 0]))])), "index 0 in the place of 1"),
        (data(json!([row(0, json!([1, 0])), row(9, json!([1, 0]))])), "index 9 in the place of 1"),
        (data(json!([row(0, json!([1, 0])), row(1, json!([1, 0, 0]))])), "3 components in vector 1, expected 2"),
        (data(json!([row(0, json!([1, 0])), row(1, json!([0, 0]))])), "only zeros in vector 1"),
        (data(json!([row(0, json!([1, null])), row(1, json!([1, 0]))])), "null as component 1 in vector 0"),
        (data(json!([row(0, json!("AACAPw==")), row(1, json!([1, 0]))])), "invalid type: string"),
        (ok(r#"{"data": [{"index": 0, "embedding": [1, NaN]}, {"index": 1, "embedding": [1, 0]}]}"#), "expected JSON"),
        (ok(r#"{"data": [{"index": 0, "embedding": [1, 1e999]}, {"index": 1, "embedding": [1, 0]}]}"#), "out of range"),
    ] {
        let server = Server::script(vec![deed]);
        let error = encoder(&server, settings(8)).unwrap().encode_passages(&["a", "b"]).unwrap_err();
        let message = error.to_string();
        assert!(message.contains(found) && message.contains("/v1/embeddings"), "{message}");
        assert!(message.starts_with("encoder tiny@"), "{message}");
    }
}

#[test]
fn a_batch_that_failed_is_sent_again_and_one_that_cannot_be_fails_all() {
    let server = Server::start(|number, request| match number {
        0 => Deed::Answer(429, "retry-after: 1\r\n".to_owned(), String::new()),
        _ => ok(vectors(request)),
    });
    let texts = ["a", "bb", "ccc"];
    let made = encoder(&server, settings(1)).unwrap().encode_passages(&texts).unwrap();
    assert_eq!((made.as_slice(), server.requests().len()), (expected(&texts).as_slice(), 4));
    let server = Server::start(|_, request| match request.inputs()[..] {
        ["bb"] => status(400, "too long"),
        _ => ok(vectors(request)),
    });
    let error = encoder(&server, settings(1)).unwrap().encode_passages(&texts).unwrap_err();
    assert!(error.to_string().contains("too long"), "{error}");
}

/// One text that was too long for the model kept all others of its batch, and all that came after, without vectors.
#[test]
fn a_text_that_is_too_long_for_the_model_counts_by_its_beginning() {
    let server = Server::start(|_, request| match request.inputs().iter().all(|text| text.len() <= 2_000) {
        true => ok(vectors(request)),
        false => status(400, r#"{"error": {"message": "input is too long"}}"#),
    });
    let encoder = encoder(&server, settings(8)).unwrap();
    let long = "n".repeat(5_000);
    let texts = ["a", "bbbb", &long, "cc", "ddd"];
    let made = encoder.encode_passages(&texts).unwrap();
    assert_eq!(made.as_slice(), expected(&["a", "bbbb", &long[..1_250], "cc", "ddd"]).as_slice());
    // All five; the shortest; two, and the three others; of these one, and two; the long one by a half, twice.
    assert!(server.requests().len() <= 12, "{}", server.requests().len());
    // Where the server takes nothing, that is found out by two requests.
    let server = Server::start(|_, _| status(400, r#"{"error": {"message": "no such model"}}"#));
    let error = self::encoder(&server, settings(8)).unwrap().encode_passages(&texts).unwrap_err();
    assert!(error.to_string().contains("no such model"), "{error}");
    assert_eq!(server.requests().len(), 2);
}
