//! `aforesaid models`: by name, by directory, and models whose checksums are known only once they were seen.

use std::{fs, path::Path};

use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::sandbox::{self, Sandbox, finish};

/// `aforesaid` without the network, with its model cache in the sandbox.
fn models(sandbox: &Sandbox, args: &[&str]) -> (i32, String, String) {
    let mut command = sandbox.bare(&["--offline", "--model-cache", "cache"]);
    let outcome = finish(command.args(args));
    (outcome.code, outcome.stdout, outcome.stderr)
}

fn listed(sandbox: &Sandbox, name: &str) -> Value {
    let (code, stdout, stderr) = models(sandbox, &["models", "list", "--json"]);
    assert_eq!(code, 0, "{stderr}");
    let list: Value = serde_json::from_str(&stdout).unwrap();
    list["models"].as_array().unwrap().iter().find(|model| model["name"] == name).unwrap().clone()
}

#[test]
fn a_listing_says_what_each_model_is_for() {
    let sandbox = Sandbox::new();
    let reranker = listed(&sandbox, "bge-reranker-base");
    assert_eq!((&reranker["kind"], &reranker["licence"]), (&json!("reranker"), &json!("MIT")));
    let gte = listed(&sandbox, "gte-base");
    assert_eq!((&gte["kind"], &gte["dim"], &gte["bytes"]), (&json!("encoder"), &json!(768), &Value::Null));
    assert_eq!(gte["trusted_when_first_seen"], json!(["model.safetensors", "tokenizer.json", "config.json"]));

    let (_, text, _) = models(&sandbox, &["models", "list"]);
    let from =
        |name: &str| text.lines().skip_while(|line| !line.starts_with(name)).take(3).collect::<Vec<_>>().join("\n");
    assert_snapshot!(from("e5-base-v2"), @r"
    e5-base-v2  encoder, 768 dimensions, MIT
      not on this machine; `aforesaid models pull e5-base-v2` fetches it
      trusted when first seen: model.safetensors, tokenizer.json, config.json
    ");
    assert!(from("ms-marco").starts_with("ms-marco-MiniLM-L-6-v2  reranker, 92 MB, Apache-2.0\n"), "{text}");
}

#[test]
fn a_model_can_be_named() {
    let sandbox = Sandbox::new();
    let (code, _, stderr) = models(&sandbox, &["models", "pull", "BGE-small-en-v1.5"]);
    assert!(code == 5 && stderr.starts_with("aforesaid: model bge-small-en-v1.5 was not found"), "{stderr}");
    assert!(stderr.contains("run `aforesaid models pull bge-small-en-v1.5`"), "{stderr}");
    let (code, _, stderr) = models(&sandbox, &["models", "verify", "word2vec"]);
    assert!(code == 5 && stderr.contains("model \"word2vec\" is not known"), "{stderr}");
}

#[test]
fn the_directory_of_one_model_is_not_that_of_another() {
    let sandbox = Sandbox::new();
    let (_, stdout, _) = models(&sandbox, &["models", "list", "--model", "gte-small", "--model-dir", "mine", "--json"]);
    let list: Value = serde_json::from_str(&stdout).unwrap();
    for model in list["models"].as_array().unwrap() {
        assert_eq!(model["problem"].is_null(), model["name"] != "gte-small", "{model}");
    }
}

#[test]
fn files_without_a_checksum_are_trusted_when_first_seen_and_held_to_it() {
    let sandbox = Sandbox::new();
    for name in ["model.safetensors", "tokenizer.json", "config.json"] {
        sandbox.write(&format!("cache/gte-base@c078288308d8/{name}"), name);
    }
    let (code, stdout, _) = models(&sandbox, &["models", "verify", "gte-base", "--json"]);
    let report: Value = serde_json::from_str(&stdout).unwrap();
    assert!(code == 0 && report["files"][2]["verdict"] == "ok", "{report}");
    assert_eq!(listed(&sandbox, "gte-base")["bytes"], 17 + 14 + 11);

    sandbox.write("cache/gte-base@c078288308d8/config.json", "another");
    let (code, stdout, _) = models(&sandbox, &["models", "verify", "gte-base"]);
    assert!(code == 5 && stdout.contains("config.json: wrong checksum: found ae448ac86c4e8e4d"), "{stdout}");
    let problem = listed(&sandbox, "gte-base")["problem"].as_str().unwrap().to_owned();
    for part in ["config.json: found sha256 ae448ac8", ", expected ", "trusted/gte-base@c078288308d8.json to trust"] {
        assert!(problem.contains(part), "{part}: {problem}");
    }
}

/// A copy of one of the tiny models that the encoder's tests use.
fn tiny(sandbox: &Sandbox, name: &str) {
    let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("../models/tests/reference").join(name);
    for file in ["model.safetensors", "tokenizer.json", "config.json"] {
        sandbox.write(&format!("{name}/{file}"), fs::read(from.join(file)).unwrap());
    }
}

#[test]
fn an_encoder_and_a_reranker_are_measured_in_every_precision() {
    let sandbox = Sandbox::new();
    for (name, kind) in [("tiny-mpnet", "encoder"), ("tiny-cross-bert", "reranker")] {
        tiny(&sandbox, name);
        let args = ["models", "bench", "--model-dir", name, "--threads", "1"];
        let (code, stdout, stderr) = models(&sandbox, &[&args[..], &["--json"]].concat());
        assert_eq!(code, 0, "{stderr}");
        let report: Value = serde_json::from_str(&stdout).unwrap();
        assert_eq!(report["kind"], kind);
        let available = report["available"].as_array().unwrap();
        assert_eq!(available[0]["instructions"], report["instructions"], "the first one is chosen");
        assert_eq!(available.last().unwrap()["instructions"], "portable");
        for instructions in available {
            let peaks = instructions["multiply_adds_per_second"].as_object().unwrap();
            assert!(peaks.len() == 3 && peaks.values().all(|peak| peak.as_f64() > Some(1e6)), "{instructions}");
        }
        assert!(["f32", "bf16"].contains(&report["default_precision"].as_str().unwrap()));
        let runs = report["runs"].as_array().unwrap();
        let precisions: Vec<_> = runs.iter().map(|run| run["precision"].as_str().unwrap()).collect();
        assert_eq!(precisions, ["f32", "bf16", "int8"]);
        for run in runs {
            assert_eq!(run["threads"], 1);
            assert!(run["texts_per_second"].as_f64() > Some(0.0) && run["single_ms"].as_f64() > Some(0.0), "{run}");
            assert_eq!(run["share_of_peak"].as_f64().is_some_and(|share| share > 0.0), kind == "encoder", "{run}");
        }
    }
    let (_, table, _) = models(&sandbox, &["models", "bench", "--model-dir", "tiny-mpnet", "--threads", "1"]);
    let columns: Vec<_> = table.lines().nth(1).unwrap().split_whitespace().collect();
    assert_eq!(columns.join(" "), "precision threads texts/s query ms of peak");
    let after: Vec<_> = table.lines().skip(5).collect();
    assert!(after[0].is_empty() && after[1].starts_with("instructions") && after[2].ends_with(", used"), "{table}");
    assert!(after.last().unwrap().starts_with("new vectors are made in "), "{table}");
}

#[test]
fn what_is_not_here_is_not_measured_and_a_reranker_does_not_search() {
    let sandbox = Sandbox::holding(r#"{"speaker":"Ann","text":"A kite."}"#);
    let (code, stdout, stderr) = models(&sandbox, &["models", "bench", "gte-large"]);
    assert!((code, stdout.as_str()) == (5, "") && stderr.contains("model gte-large was not found"), "{stderr}");
    tiny(&sandbox, "tiny-cross-bert");
    let search = ["--store", sandbox::STORE, "--model-dir", "tiny-cross-bert", "search", "kite"];
    let (code, _, stderr) = models(&sandbox, &search);
    assert!(code == 5 && stderr.contains("is of the kind reranker, expected encoder"), "{stderr}");
}
