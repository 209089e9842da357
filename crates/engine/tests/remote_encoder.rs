//! An encoder behind a network: what it is shown, and what it gives.

use std::sync::Arc;

use aforesaid::{Encoder, EncoderSource, Explanations, IdleVectors, Locality, Memory, Pipeline, types::*};
use aforesaid_llm::{Client, EmbeddingSettings, Endpoint, RemoteEncoder, RetryPolicy};
use serde_json::json;

use crate::{
    bags::{history, ns},
    server::{Server, ok, status},
};

fn note(text: &str, sensitivity: Sensitivity) -> Note {
    Note {
        id: None,
        conversation: None,
        text: text.to_owned(),
        said_at: None,
        importance: Importance::default(),
        tags: Vec::new(),
        sensitivity,
        source: Vec::new(),
    }
}

fn open(location: &str, encoder: Arc<dyn Encoder>) -> Memory {
    Memory::builder().encoders(EncoderSource::Ready(encoder)).open(location).unwrap()
}

/// Vectors that tell texts about kites from others.
fn kites() -> Server {
    Server::start(|_, request| {
        let vector = |text: &str| if text.contains("kite") { [1, 9] } else { [9, 1] };
        let rows = request.inputs().into_iter().enumerate();
        ok(json!({"data": rows.map(|(i, text)| json!({"index": i, "embedding": vector(text)})).collect::<Vec<_>>()}))
    })
}

fn encoder(server: &Server) -> Arc<RemoteEncoder> {
    let endpoint = Endpoint { retry: RetryPolicy::never(), ..Endpoint::new(server.url.parse().unwrap(), "tiny") };
    let client = Client::new(endpoint).unwrap();
    Arc::new(RemoteEncoder::new(client, EmbeddingSettings::default()).unwrap())
}

#[test]
fn a_sensitive_memory_never_leaves_the_machine() {
    let server = kites();
    let encoder = encoder(&server);
    assert_eq!(encoder.locality(), Locality::Remote);
    let memory = open("memory:", encoder.clone());
    memory.add_turns(&ns("me"), history()).unwrap();
    memory.add_note(&ns("me"), note("The safe opens with 4711.", Sensitivity::Sensitive)).unwrap();
    memory.add_note(&ns("me"), note("Lyon won by 4712 votes.", Sensitivity::Ordinary)).unwrap();
    assert_eq!(memory.reembed(&ns("me"), IdleVectors::Keep, &mut |_| {}).unwrap().embedded, 0);

    let sent: Vec<String> = server.requests().iter().map(|request| request.body.to_string()).collect();
    assert!(sent.iter().any(|body| body.contains("4712")), "{sent:?}");
    assert!(!sent.iter().any(|body| body.contains("4711")), "{sent:?}");

    let stats = memory.stats(&ns("me")).unwrap();
    assert_eq!((stats.turns, stats.notes, stats.vectors[encoder.id().as_str()]), (6, 2, 7));

    let answer = memory.search(&Query::new(ns("me"), "safe opens"), &Pipeline::hybrid(), Explanations::Omit).unwrap();
    assert!(answer.hits.iter().any(|hit| hit.text.contains("4711")), "it is found by its words");
    let answer = memory.search(&Query::new(ns("me"), "a kite"), &Pipeline::hybrid(), Explanations::Omit).unwrap();
    assert!(answer.hits[0].legs.get("dense").is_some_and(|dense| dense.score > 0.99), "{:?}", answer.hits[0].legs);
}

#[test]
fn a_server_that_fails_adds_nothing_and_is_named() {
    let server = Server::start(|number, request| match number {
        0 => ok(json!({"data": [{"index": 0, "embedding": [1, 0]}]})),
        _ if request.inputs().iter().any(|text| text.contains("chestnut")) => status(400, "chestnuts are not allowed"),
        _ => ok(json!({"data": []})),
    });
    let memory = open("memory:", encoder(&server));
    let message = memory.add_turns(&ns("me"), history()).unwrap_err().to_string();
    assert!(message.contains("chestnuts are not allowed") && message.contains("/v1/embeddings"), "{message}");
    assert!(memory.namespaces().unwrap().is_empty());
}
