//! The forward pass against PyTorch, on a random model that is small enough to be committed.
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout)]

use std::{
    fs,
    path::{Path, PathBuf},
};

use aforesaid_core::Encoder;
use aforesaid_models::{BertEncoder, ModelError, ModelFiles, Pooling, Precision, Runtime, Threads, from_directory};
use serde::Deserialize;

#[derive(Deserialize)]
struct Expected {
    max_tokens: usize,
    rows: Vec<Row>,
}

#[derive(Deserialize)]
struct Row {
    text: String,
    mean: Vec<f32>,
    cls: Vec<f32>,
}

fn tiny() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/reference/tiny")
}

fn files(dir: &Path, cache: &Path) -> ModelFiles {
    let mut files = from_directory(dir, cache).unwrap();
    files.recipe.max_tokens = expected().max_tokens;
    files
}

fn expected() -> Expected {
    serde_json::from_slice(&fs::read(tiny().join("expected.json")).unwrap()).unwrap()
}

fn two() -> Runtime {
    Runtime::new(Precision::F32, Threads::new(2.try_into().unwrap()))
}

fn assert_close(found: &[f32], expected: &[f32], text: &str) {
    let cosine: f64 = found.iter().zip(expected).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum();
    let worst = found.iter().zip(expected).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
    assert!(cosine >= 0.99999 && worst <= 1e-4, "{text:?}: cosine {cosine}, largest difference {worst}");
}

#[test]
fn equals_pytorch_with_either_pooling() {
    let cache = tempfile::tempdir().unwrap();
    let rows = expected().rows;
    let texts: Vec<&str> = rows.iter().map(|row| row.text.as_str()).collect();
    for pooling in [Pooling::Mean, Pooling::Cls] {
        let mut files = files(&tiny(), cache.path());
        files.recipe.pooling = pooling;
        let vectors = BertEncoder::load(&files, two()).unwrap().encode_passages(&texts).unwrap();
        for (row, found) in rows.iter().zip(vectors.iter()) {
            let expected = if pooling == Pooling::Cls { &row.cls } else { &row.mean };
            assert_close(found, expected, &row.text);
        }
    }
}

#[test]
fn a_batch_equals_its_singles_bit_for_bit_on_any_number_of_threads() {
    let cache = tempfile::tempdir().unwrap();
    let files = files(&tiny(), cache.path());
    let rows = expected().rows;
    let texts: Vec<&str> = (0..200).map(|i| rows[(i * 7) % rows.len()].text.as_str()).collect();
    let one = BertEncoder::load(&files, Runtime::new(Precision::F32, Threads::ONE)).unwrap();
    let batch = BertEncoder::load(&files, two()).unwrap().encode_passages(&texts).unwrap();
    assert_eq!(batch, one.encode_passages(&texts).unwrap());
    for (text, found) in texts.iter().zip(batch.iter()) {
        assert_eq!(one.encode_passages(&[text]).unwrap().as_slice(), found, "{text:?}");
    }
    assert_eq!(one.encode_passages(&[]).unwrap().len(), 0);
}

#[test]
fn prefixes_are_written_before_the_text() {
    let cache = tempfile::tempdir().unwrap();
    let mut files = files(&tiny(), cache.path());
    files.recipe.query_prefix = "ba ".into();
    files.recipe.passage_prefix = "co ".into();
    let encoder = BertEncoder::load(&files, Runtime::new(Precision::F32, Threads::ONE)).unwrap();
    assert_eq!(encoder.encode_queries(&["co di"]).unwrap(), encoder.encode_queries(&["co di"]).unwrap());
    assert_eq!(encoder.encode_queries(&["co ba di"]).unwrap().len(), 1);
    files.recipe.query_prefix = "".into();
    let plain = BertEncoder::load(&files, Runtime::new(Precision::F32, Threads::ONE)).unwrap();
    assert_eq!(encoder.encode_queries(&["di"]).unwrap(), plain.encode_queries(&["ba di"]).unwrap());
    assert_eq!(encoder.encode_passages(&["di"]).unwrap(), plain.encode_queries(&["co di"]).unwrap());
}

/// A copy of the tiny model with one file changed.
fn changed(name: &str, change: impl Fn(Vec<u8>) -> Vec<u8>) -> String {
    let dir = tempfile::tempdir().unwrap();
    for file in ["model.safetensors", "tokenizer.json", "config.json"] {
        let bytes = fs::read(tiny().join(file)).unwrap();
        fs::write(dir.path().join(file), if file == name { change(bytes) } else { bytes }).unwrap();
    }
    let files = from_directory(dir.path(), dir.path()).unwrap();
    let loaded: Result<BertEncoder, ModelError> = BertEncoder::load(&files, Runtime::new(Precision::F32, Threads::ONE));
    loaded.err().unwrap().to_string()
}

fn replaced(bytes: Vec<u8>, from: &str, to: &str) -> Vec<u8> {
    let text = String::from_utf8(bytes).unwrap();
    assert!(text.contains(from), "{from}");
    text.replace(from, to).into_bytes()
}

#[test]
fn files_that_do_not_fit_name_the_thing_found_expected_and_next() {
    let cases = [
        (
            changed("model.safetensors", |bytes| bytes[..bytes.len() - 100].to_vec()),
            ["model.safetensors: found ", " bytes, expected ", "download it again"],
        ),
        (
            changed("config.json", |bytes| replaced(bytes, "\"intermediate_size\": 72", "\"intermediate_size\": 80")),
            [
                "tensor encoder.layer.",
                "found F32 [72, 32], expected F32, F16 or BF16 [80, 32]",
                "check that config.json",
            ],
        ),
        (
            changed("config.json", |bytes| replaced(bytes, "\"num_hidden_layers\": 2", "\"num_hidden_layers\": 3")),
            ["tensor encoder.layer.2.", "found no such tensor, expected", "check that config.json"],
        ),
        (
            changed("tokenizer.json", |_| b"not JSON".to_vec()),
            [
                "tokenizer.json: found expected ident",
                "expected the JSON of a Hugging Face tokenizer",
                "copy tokenizer.json again",
            ],
        ),
        (
            changed("config.json", |bytes| replaced(bytes, "\"gelu\"", "\"silu\"")),
            ["config.json: hidden_act is \"silu\"", "expected \"gelu\"", "use another model"],
        ),
    ];
    for (message, parts) in cases {
        for part in parts {
            assert!(message.contains(part), "{part}: {message}");
        }
    }
}

#[test]
fn more_tokens_than_the_weights_know_are_refused() {
    let message = changed("tokenizer.json", |bytes| replaced(bytes, "\"##ta\"", "\"##ta\": 38, \"##zu\""));
    assert!(message.contains("found 39 tokens, expected at most the 38"), "{message}");
}

#[test]
fn vectors_that_are_not_numbers_are_an_error() {
    let dir = tempfile::tempdir().unwrap();
    for file in ["tokenizer.json", "config.json"] {
        fs::copy(tiny().join(file), dir.path().join(file)).unwrap();
    }
    let mut weights = fs::read(tiny().join("model.safetensors")).unwrap();
    let end = weights.len();
    weights[end - 20_000..].fill(0xff);
    fs::write(dir.path().join("model.safetensors"), weights).unwrap();
    let encoder =
        BertEncoder::load(&from_directory(dir.path(), dir.path()).unwrap(), Runtime::new(Precision::F32, Threads::ONE))
            .unwrap();
    let message = encoder.encode_passages(&["ba", "co di"]).unwrap_err().to_string();
    for part in ["text 0 (\"ba\")", "length NaN", "expected 1", "verify the checksums"] {
        assert!(message.contains(part), "{part}: {message}");
    }
}
