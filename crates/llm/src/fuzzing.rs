//! Readers of what servers send, by themselves, for tests on any bytes.

use std::{
    io::BufReader,
    time::{Duration, UNIX_EPOCH},
};

use serde_json::{Map, Value};

use crate::{
    Completion, Outcome,
    chat::{Whole, pieces_of},
    embeddings::rows_of,
    judge::scores_of,
    retry_after,
    stream::read_events,
};

/// An object of these fields.
pub fn object(fields: Map<String, Value>) -> Value {
    Value::Object(fields)
}

/// A whole answer of a chat.
pub fn completion(bytes: &[u8]) -> Option<Completion> {
    serde_json::from_slice::<Whole>(bytes).ok()?.completion(&Value::Null).ok()
}

/// What a stream says, read `capacity` bytes at a time, and whether it ended well.
pub fn stream(bytes: &[u8], capacity: usize) -> (String, bool) {
    let (mut received, mut said) = (0, String::new());
    let events = read_events(
        BufReader::with_capacity(capacity, bytes),
        &mut received,
        pieces_of(&mut |piece| said.push_str(piece)),
        |_, _| (),
    );
    let ended = events.is_ok();
    (said, ended)
}

/// Unit vectors of an answer, row after row.
pub fn embeddings(bytes: &[u8], texts: usize, dim: Option<usize>) -> Option<Vec<f32>> {
    rows_of(bytes, texts, dim)
}

/// The scores of a reply, by candidate.
pub fn scores(outcome: &Outcome, candidates: usize) -> Option<Vec<Option<f64>>> {
    scores_of(outcome, candidates)
}

/// How long a header asks to wait, from noon of a day in 2024.
pub fn retry_after(value: &str) -> Option<Duration> {
    retry_after::retry_after(value, UNIX_EPOCH + Duration::from_secs(1_714_564_800))
}
