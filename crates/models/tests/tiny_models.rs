//! Every architecture against transformers, on random models that are small enough to be committed.
//!
//! `reference/make_tiny.py` made them; what the models are run with comes from the files beside them, as
//! sentence-transformers writes them.
#![allow(clippy::unwrap_used, clippy::panic)]

use std::{
    fs,
    path::{Path, PathBuf},
};

use aforesaid_core::{Encoder, PairScorer, types::Vectors};
use aforesaid_models::{
    BertEncoder, CrossEncoder, Instructions, ModelFiles, ModelKind, Precision, Runtime, Threads, from_directory,
};
use serde::{Deserialize, de::DeserializeOwned};

#[derive(Deserialize)]
struct Expected<T> {
    rows: Vec<T>,
}

#[derive(Deserialize)]
struct Text {
    text: String,
    query: Vec<f32>,
    /// Where it differs from that of a query.
    passage: Option<Vec<f32>>,
}

#[derive(Deserialize)]
struct Pairs {
    query: String,
    passages: Vec<String>,
    scores: Vec<f32>,
}

fn directory(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/reference").join(name)
}

fn expected<T: DeserializeOwned>(name: &str) -> Vec<T> {
    let bytes = fs::read(directory(name).join("expected.json")).unwrap();
    serde_json::from_slice::<Expected<T>>(&bytes).unwrap().rows
}

fn files(name: &str) -> ModelFiles {
    let cache = tempfile::tempdir().unwrap();
    from_directory(&directory(name), cache.path()).unwrap()
}

fn runtime(threads: usize) -> Runtime {
    Runtime::new(Precision::F32, Threads::new(threads.try_into().unwrap()))
}

/// Every runtime of this machine, with the least cosine to transformers that its precision must reach.
fn runtimes() -> impl Iterator<Item = (Runtime, f64)> {
    let families = Instructions::ALL.into_iter().filter(|family| family.is_available());
    families.flat_map(|instructions| {
        // These models are random and a hundred times smaller than real ones, whose many terms even errors out.
        [(Precision::F32, 0.99999), (Precision::Bf16, 0.9995), (Precision::Int8, 0.995)]
            .map(|(precision, least)| (Runtime { precision, instructions, threads: Threads::ONE }, least))
    })
}

fn cosine(a: &[f32], b: &[f32]) -> f64 {
    a.iter().zip(b).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum()
}

fn assert_close(found: &[f32], expected: &[f32], what: &str) {
    let cosine = cosine(found, expected);
    let worst = found.iter().zip(expected).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
    assert!(found.len() == expected.len() && cosine >= 0.99999 && worst <= 1e-4, "{what}: {cosine}, off by {worst}");
}

fn assert_encodes_as_transformers(name: &str, prompts: [&str; 2]) {
    let files = files(name);
    assert_eq!(files.kind, ModelKind::Encoder);
    assert_eq!([&*files.recipe.query_prefix, &*files.recipe.passage_prefix], prompts);
    let encoder = BertEncoder::load(&files, runtime(2)).unwrap();
    let rows: Vec<Text> = expected(name);
    let texts: Vec<&str> = rows.iter().map(|row| row.text.as_str()).collect();
    let check = |vectors: Vectors, of: fn(&Text) -> &[f32]| {
        for (row, found) in rows.iter().zip(vectors.iter()) {
            assert_close(found, of(row), &format!("{name}, {:?}", row.text));
        }
    };
    check(encoder.encode_queries(&texts).unwrap(), |row| &row.query);
    check(encoder.encode_passages(&texts).unwrap(), |row| row.passage.as_ref().unwrap_or(&row.query));
    for (runtime, least) in runtimes() {
        let vectors = BertEncoder::load(&files, runtime).unwrap().encode_queries(&texts).unwrap();
        for (row, found) in rows.iter().zip(vectors.iter()) {
            let cosine = cosine(found, &row.query);
            assert!(cosine >= least, "{name}, {runtime:?}, {:?}: {cosine}", row.text);
        }
    }
}

#[test]
fn mpnet_adds_a_relative_position_bias() {
    assert_encodes_as_transformers("tiny-mpnet", ["", ""]);
}

#[test]
fn roberta_with_byte_level_bpe_prefixed_tensors_and_bfloat16() {
    assert_encodes_as_transformers("tiny-roberta", ["", ""]);
}

#[test]
fn xlm_roberta_with_unigram_the_first_token_and_half_precision() {
    assert_encodes_as_transformers("tiny-xlm-roberta", ["ask ba: ", ""]);
}

#[test]
fn bert_with_the_tokenizer_of_xlm_roberta_and_the_prompts_of_e5() {
    assert_encodes_as_transformers("tiny-multilingual-e5", ["query: ", "passage: "]);
}

fn assert_scores_as_transformers(name: &str) {
    let files = files(name);
    assert_eq!(files.kind, ModelKind::Reranker);
    let (one, two) = (CrossEncoder::load(&files, runtime(1)).unwrap(), CrossEncoder::load(&files, runtime(2)).unwrap());
    assert_eq!(two.id().as_str(), format!("{}/f32", files.pinned));
    for row in expected::<Pairs>(name) {
        let passages: Vec<&str> = row.passages.iter().map(String::as_str).collect();
        let found = two.score(&row.query, &passages).unwrap();
        assert_eq!(found.len(), row.scores.len());
        for ((passage, found), expected) in passages.iter().zip(&found).zip(&row.scores) {
            assert!((found - expected).abs() <= 1e-4, "{name}, {:?}, {passage:?}: {found}, {expected}", row.query);
            assert_eq!(one.score(&row.query, &[passage]).unwrap(), [*found], "{name}: alone as in a batch");
        }
    }
    assert_eq!(two.score("ba", &[]).unwrap(), [0.0; 0]);
}

#[test]
fn bert_scores_pairs_by_segments_pooler_and_classifier() {
    assert_scores_as_transformers("tiny-cross-bert");
}

#[test]
fn xlm_roberta_scores_pairs_by_its_classification_head() {
    assert_scores_as_transformers("tiny-cross-xlm-roberta");
}

/// A copy of a model whose `config.json` has one thing replaced.
fn changed(name: &str, from: &str, to: &str) -> tempfile::TempDir {
    let copy = tempfile::tempdir().unwrap();
    for file in ["model.safetensors", "tokenizer.json"] {
        fs::copy(directory(name).join(file), copy.path().join(file)).unwrap();
    }
    let config = fs::read_to_string(directory(name).join("config.json")).unwrap();
    assert!(config.contains(from), "{from}");
    fs::write(copy.path().join("config.json"), config.replace(from, to)).unwrap();
    copy
}

#[test]
fn a_head_that_gives_no_score_says_what_was_found_and_expected() {
    let two_labels = changed("tiny-cross-bert", "\"0\": \"LABEL_0\"", "\"0\": \"no\", \"1\": \"yes\"");
    let no_classifier =
        changed("tiny", "\"architectures\": null", "\"architectures\": [\"XForSequenceClassification\"]");
    let no_classifier_either = changed("tiny", "\"architectures\": null,", "");
    for (copy, parts) in [
        (two_labels, ["config.json: id2label is 2 labels", "expected one label"]),
        (no_classifier, ["config.json: id2label is 2 labels", "expected one label"]),
        (no_classifier_either, ["is of the kind encoder", "expected reranker"]),
    ] {
        let files = from_directory(copy.path(), copy.path()).unwrap();
        let message = CrossEncoder::load(&files, runtime(1)).err().unwrap().to_string();
        for part in parts {
            assert!(message.contains(part), "{part}: {message}");
        }
    }
}

#[test]
fn a_missing_head_names_its_tensor() {
    let copy = changed("tiny-multilingual-e5", "\"BertModel\"", "\"BertForSequenceClassification\"");
    let config = copy.path().join("config.json");
    let one_label =
        fs::read_to_string(&config).unwrap().replace("\"LABEL_0\",", "\"LABEL_0\"").replace("\"1\": \"LABEL_1\"", "");
    fs::write(&config, one_label).unwrap();
    let files = from_directory(copy.path(), copy.path()).unwrap();
    let message = CrossEncoder::load(&files, runtime(1)).err().unwrap().to_string();
    assert!(message.contains("tensor pooler.dense.weight: found no such tensor"), "{message}");
}

#[test]
fn a_reranker_is_no_encoder() {
    let message = BertEncoder::load(&files("tiny-cross-bert"), runtime(1)).err().unwrap().to_string();
    assert!(message.contains("is of the kind reranker, expected encoder"), "{message}");
}

#[test]
fn a_length_that_leaves_no_room_for_text_is_refused() {
    let mut files = files("tiny-cross-xlm-roberta");
    files.recipe.max_tokens = 4;
    let message = CrossEncoder::load(&files, runtime(1)).err().unwrap().to_string();
    assert!(message.contains("found 4 special tokens, expected fewer than the 4 tokens"), "{message}");
}
