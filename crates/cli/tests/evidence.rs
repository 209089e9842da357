//! `train evidence` and `search --rerank FILE`, with a random model that is small enough to be committed: it knows sixteen
//! syllables.

use std::{fs, path::Path, process::Command};

use serde_json::{Value, json};

use crate::sandbox::{self, Sandbox, finish};

const GROUPS: usize = 10;
const TURNS: usize = 8;

fn tiny(name: &str) -> String {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../models/tests/reference").join(name).to_str().unwrap().to_owned()
}

/// Histories in which every turn has what is asked for; gold is the one that has `kiki` beside it, which makes it longer.
fn histories(told: bool) -> String {
    const WORDS: [&str; TURNS] = ["ba", "codi", "fu", "geha", "jo", "lu", "nopa", "quco"];
    let mut lines = Vec::new();
    for group in 0..GROUPS {
        let gold = group * 3 % TURNS;
        for (place, word) in WORDS.iter().enumerate() {
            let mark = if told && place == gold { " kiki kiki" } else { "" };
            let text = format!("qure {word}{mark}");
            let line = json!({"id": format!("t{place}"), "text": text, "session": "s", "speaker": "Ann", "group": format!("g{group}")});
            lines.push(line.to_string());
        }
        for (number, query) in ["qure", "qure resi", "qure sita", "qure tare"].iter().enumerate() {
            let gold = [format!("t{gold}")];
            let line =
                json!({"id": format!("q{number}"), "query": query, "gold_ids": gold, "group": format!("g{group}")});
            lines.push(line.to_string());
        }
    }
    lines.join("\n")
}

const LEARN: [&str; 14] = [
    "train",
    "evidence",
    "--dataset",
    "jsonl",
    "--data",
    "mine.jsonl",
    "--out",
    "mine.safetensors",
    "--pipeline",
    "lexical",
    "--epochs",
    "40",
    "--rate",
    "0.02",
];

fn with(model: &str, sandbox: &Sandbox, args: &[&str]) -> Command {
    let mut command = sandbox.bare(&["--store", sandbox::STORE, "--model-dir", &tiny(model)]);
    command.args(args);
    command
}

/// A store with turns like those learned from, gold last.
fn store() -> Sandbox {
    let turn = |(i, text): (usize, &str)| {
        json!({"id": format!("t{i}"), "conversation": "c", "session": "s", "speaker": "Ann", "text": text}).to_string()
    };
    let texts = ["qure jo", "qure fu", "qure codi", "qure ba kiki kiki"];
    Sandbox::holding(&texts.into_iter().enumerate().map(turn).collect::<Vec<_>>().join("\n"))
}

const SEARCH: [&str; 6] = ["search", "qure resi", "--pipeline", "lexical", "--rerank", "mine.safetensors"];

fn first(found: &Value) -> &str {
    found["hits"][0]["id"].as_str().unwrap()
}

#[test]
fn a_reranker_is_learned_and_orders_the_hits_of_a_search() {
    let sandbox = store();
    sandbox.write("mine.jsonl", histories(true));
    let report = finish(&mut with("tiny", &sandbox, &[&LEARN[..], &["--json"]].concat())).succeeded();
    let report: Value = serde_json::from_str(&report).unwrap();
    assert_eq!((&report["held_out"]["helps"], &report["held_out"]["reported"]), (&json!(true), &json!(8)));
    assert_eq!((&report["record"]["questions"], &report["record"]["form"]), (&json!(24), &json!("turn")));
    assert!(!sandbox.path("mine.checkpoint").exists(), "it is gone once the file is written");

    let search = |args: &[&str]| -> Value {
        let mut command = with("tiny", &sandbox, &[&SEARCH[..], args].concat());
        serde_json::from_str(&finish(command.arg("--json")).succeeded()).unwrap()
    };
    let plain: Value =
        serde_json::from_str(&sandbox.done(&["search", "qure resi", "--pipeline", "lexical", "--json"])).unwrap();
    let found = search(&[]);
    assert_ne!(first(&plain), "t3");
    assert_eq!(first(&found), "t3", "{found}");
    assert!(found.get("warnings").is_none_or(|warnings| !warnings.to_string().contains("rerank")), "{found}");
    assert!(found["hits"][0]["rerank_score"].is_number());

    // What cannot be used is left out: the search says why, and answers as it does without.
    let ids = |found: &Value| found["hits"].as_array().unwrap().iter().map(|hit| hit["id"].clone()).collect::<Vec<_>>();
    let left_out = |model: &str, named: &[&str]| {
        let mut command = with(model, &sandbox, &SEARCH);
        let found: Value = serde_json::from_str(&finish(command.arg("--json")).succeeded()).unwrap();
        assert_eq!(ids(&found), ids(&plain));
        let warnings = found["warnings"].to_string();
        assert!(named.iter().all(|part| warnings.contains(part)), "{warnings}");
    };
    left_out("tiny-roberta", &["adapter: found one for tiny@", "expected tiny-roberta@"]);
    let file = fs::read(sandbox.path("mine.safetensors")).unwrap();
    sandbox.write("mine.safetensors", &file[..file.len() - 7]);
    left_out("tiny", &["mine.safetensors", "the file is damaged"]);
    let at = file.windows(10).position(|window| window == b"evidence-1").unwrap();
    let newer = [&file[..at], b"evidence-9", &file[at + 10..]].concat();
    sandbox.write("mine.safetensors", newer);
    left_out("tiny", &["evidence-9", "evidence-1"]);
    fs::remove_file(sandbox.path("mine.safetensors")).unwrap();
    left_out("tiny", &["mine.safetensors"]);
}

#[test]
fn what_did_not_help_is_not_written_and_what_does_not_fit_is_refused() {
    let sandbox = Sandbox::new();
    sandbox.write("mine.jsonl", histories(false));
    let refused = finish(&mut with("tiny", &sandbox, &LEARN));
    assert_eq!(refused.code, 4);
    assert!(refused.stderr.contains("did not surely help") && refused.stdout.contains("mrr@10"), "{refused:?}");
    assert!(!sandbox.path("mine.safetensors").exists());
    // Its state is still there, but of other data.
    sandbox.write("mine.jsonl", histories(true));
    let refused = sandbox.refusal_of(|| with("tiny", &sandbox, &[&LEARN[..], &["--resume"]].concat()));
    assert!(refused.contains("other data"), "{refused}");
    fs::remove_file(sandbox.path("mine.checkpoint")).unwrap();
    let refused = sandbox.refusal_of(|| with("tiny", &sandbox, &[&LEARN[..], &["--resume"]].concat()));
    assert!(refused.contains("mine.checkpoint"), "{refused}");
    let two: Vec<String> =
        histories(true).lines().filter(|line| line.contains("g0") || line.contains("g1")).map(str::to_owned).collect();
    sandbox.write("mine.jsonl", two.join("\n"));
    let refused = sandbox.refusal_of(|| with("tiny", &sandbox, &LEARN));
    assert!(refused.contains("found 2 histories, expected 3"), "{refused}");
}

#[test]
fn without_its_model_the_reranker_that_ships_is_left_out_of_a_search_and_measures_nothing() {
    let sandbox = store();
    let lexical = ["--pipeline", "lexical", "--offline", "--json"];
    let plain: Value = serde_json::from_str(&sandbox.done(&[&["search", "qure resi"], &lexical[..]].concat())).unwrap();
    let found = sandbox.done(&[&["search", "qure resi", "--rerank", "evidence"], &lexical[..]].concat());
    let found: Value = serde_json::from_str(&found).unwrap();
    assert_eq!(first(&found), first(&plain));
    let warnings = found["warnings"].to_string();
    assert!(warnings.contains("--rerank evidence") && warnings.contains("all-MiniLM-L6-v2"), "{warnings}");
    let misspelt = sandbox.refusal(&["search", "qure resi", "--rerank", "evidense"]);
    assert!(
        misspelt
            .starts_with("2 usage: --rerank evidense: found no reranker of that name; expected evidence, one of bge-"),
        "{misspelt}"
    );

    sandbox.write("mine.jsonl", histories(true));
    let measure = ["eval", "run", "--dataset", "jsonl", "--data", "mine.jsonl", "--system", "lexical", "--rerank"];
    let without = finish(&mut sandbox.command(&[&measure[..], &["evidence", "--offline"]].concat()));
    assert!(without.code != 0 && without.stderr.contains("all-MiniLM-L6-v2"), "{without:?}");
    let refused = |more: &[&str]| sandbox.refusal(&[&measure[..], more].concat());
    assert!(refused(&["llm"]).contains("--rerank llm: expected a model of this machine"));
    let refused = refused(&["mine.safetensors", "--receipt", "receipt.toml"]);
    assert!(refused.contains("--receipt: a receipt names what everybody has"), "{refused}");
}
