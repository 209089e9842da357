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
    assert_encodes_with(name, prompts, 0.0);
}

/// As [`assert_encodes_as_transformers`], with a cosine in bytes that may be so much less.
fn assert_encodes_with(name: &str, prompts: [&str; 2], slack_of_bytes: f64) {
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
        let least = if runtime.precision == Precision::Int8 { least - slack_of_bytes } else { least };
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
fn a_passage_is_read_as_far_as_its_pair_has_tokens() {
    for name in ["tiny-cross-bert", "tiny-cross-xlm-roberta", "tiny-cross-modernbert"] {
        let model = CrossEncoder::load(&files(name), runtime(1)).unwrap();
        let short = "ba be \n";
        assert_eq!(model.score_pairs("ba", &[short]).unwrap()[0].bytes_read, short.len(), "{name}");
        let long = "ba b\u{e9} ".repeat(300);
        let read = model.score_pairs("ba", &[&long]).unwrap()[0].bytes_read;
        assert!(0 < read && read < long.len(), "{name}: {read}");
        let score = |passage: &str| model.score("ba", &[passage]).unwrap();
        assert_eq!(score(&long[..read]), score(&long), "{name}: nothing behind it is read");
        assert_ne!(score(&long[..read / 2]), score(&long), "{name}: what stands before it is read");
    }
}

#[test]
fn xlm_roberta_scores_pairs_by_its_classification_head() {
    assert_scores_as_transformers("tiny-cross-xlm-roberta");
}

#[test]
fn modernbert_with_rotations_windows_gates_and_every_bias() {
    // Five layers of 20 components: what is lost by bytes adds up, and few terms even it out.
    assert_encodes_with("tiny-modernbert", ["", ""], 0.02);
}

#[test]
fn modernbert_scores_pairs_by_the_classifier_in_its_own_file() {
    assert_scores_as_transformers("tiny-cross-modernbert");
}

#[test]
fn modernbert_scores_pairs_by_modules_of_sentence_transformers() {
    assert_scores_as_transformers("tiny-cross-modules");
    assert_eq!(files("tiny-cross-modules").recipe.max_tokens, 96);
}

#[test]
fn rerankers_of_modernbert_score_alike_in_every_precision() {
    for name in ["tiny-cross-modernbert", "tiny-cross-modules"] {
        let files = files(name);
        let rows: Vec<Pairs> = expected(name);
        let expected: Vec<f32> = rows.iter().flat_map(|row| row.scores.clone()).collect();
        let mean = expected.iter().sum::<f32>() / expected.len() as f32;
        let around = |scores: &[f32]| scores.iter().map(|score| score - mean).collect::<Vec<f32>>();
        for (runtime, _) in runtimes() {
            let scorer = CrossEncoder::load(&files, runtime).unwrap();
            let score = |row: &Pairs| {
                let passages: Vec<&str> = row.passages.iter().map(String::as_str).collect();
                scorer.score(&row.query, &passages).unwrap()
            };
            let (found, expected) = (around(&rows.iter().flat_map(score).collect::<Vec<f32>>()), around(&expected));
            let correlation =
                cosine(&found, &expected) / (cosine(&found, &found) * cosine(&expected, &expected)).sqrt();
            let least = match runtime.precision {
                Precision::F32 => 0.999_999,
                Precision::Bf16 => 0.99,
                Precision::Int8 => 0.92,
            };
            assert!(correlation >= least, "{name}, {runtime:?}: {correlation}");
        }
    }
}

/// A copy of a reranker of modules.
fn modules_copy() -> tempfile::TempDir {
    let copy = tempfile::tempdir().unwrap();
    for folder in ["", "1_Pooling", "2_Dense", "3_LayerNorm", "4_Dense"] {
        fs::create_dir_all(copy.path().join(folder)).unwrap();
        for entry in fs::read_dir(directory("tiny-cross-modules").join(folder)).unwrap().map(Result::unwrap) {
            if entry.file_type().unwrap().is_file() {
                fs::copy(entry.path(), copy.path().join(folder).join(entry.file_name())).unwrap();
            }
        }
    }
    copy
}

#[test]
fn modules_that_make_no_such_score_are_refused_by_name() {
    for (file, from, to, refusal) in [
        (
            "2_Dense/config.json",
            "activation.GELU",
            "activation.ReLU",
            "activation_function is \"torch.nn.modules.activation.ReLU\", expected GELU",
        ),
        ("2_Dense/config.json", "\"out_features\": 20", "\"out_features\": 10", "out_features is 10, expected 20"),
        ("3_LayerNorm/config.json", "20", "10", "dimension is 10, expected 20"),
        ("4_Dense/config.json", "\"out_features\": 1", "\"out_features\": 3", "out_features is 3, expected 1"),
        ("4_Dense/config.json", "Identity", "Sigmoid", "expected Identity"),
        ("1_Pooling/config.json", "cls", "max", "pooling_mode is [max], expected mean or cls"),
        (
            "modules.json",
            "4_Dense",
            "../outside",
            "expected Transformer, Pooling and Normalize only, or those of a score",
        ),
        (
            "modules.json",
            "layer_norm.LayerNorm",
            "normalize.Normalize",
            "type is sentence_transformers.base.modules.dense.Dense",
        ),
    ] {
        let copy = modules_copy();
        let path = copy.path().join(file);
        let text = fs::read_to_string(&path).unwrap();
        assert!(text.contains(from), "{file}: {from}");
        fs::write(&path, text.replace(from, to)).unwrap();
        let loaded = from_directory(copy.path(), &copy.path().join("cache"));
        let message = match loaded.and_then(|files| CrossEncoder::load(&files, runtime(1))) {
            Ok(_) => "it was loaded".to_owned(),
            Err(error) => error.to_string(),
        };
        assert!(message.contains(refusal), "{file}, {to}: {message}");
    }
    let copy = modules_copy();
    fs::remove_file(copy.path().join("3_LayerNorm/config.json")).unwrap();
    let files = from_directory(copy.path(), &copy.path().join("cache")).unwrap();
    let message = CrossEncoder::load(&files, runtime(1)).err().unwrap().to_string();
    assert!(message.contains("3_LayerNorm/config.json: found no such file"), "{message}");
}

#[test]
fn other_weights_of_a_module_are_another_model() {
    let copy = modules_copy();
    let pinned = || from_directory(copy.path(), &copy.path().join("cache")).unwrap().pinned;
    let before = pinned();
    let path = copy.path().join("4_Dense/model.safetensors");
    let mut bytes = fs::read(&path).unwrap();
    *bytes.last_mut().unwrap() ^= 1;
    fs::write(&path, bytes).unwrap();
    assert_ne!(pinned(), before);
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
fn an_encoder_of_modernbert_without_a_head_names_the_tensor() {
    let copy = changed("tiny-modernbert", "\"ModernBertModel\"", "\"ModernBertForSequenceClassification\"");
    let config = copy.path().join("config.json");
    let text = fs::read_to_string(&config).unwrap();
    let one_label = text.replace("\"LABEL_0\",", "\"LABEL_0\"").replace("\"1\": \"LABEL_1\"", "");
    fs::write(&config, one_label).unwrap();
    let files = from_directory(copy.path(), copy.path()).unwrap();
    let message = CrossEncoder::load(&files, runtime(1)).err().unwrap().to_string();
    assert!(message.contains("tensor head.dense.weight: found no such tensor"), "{message}");
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
