//! `aforesaid-studies` on a small labelled history, without a model.
#![allow(clippy::unwrap_used, reason = "test code")]

use std::{fs, path::Path, process::Command};

use insta::assert_snapshot;
use serde_json::Value;
use tempfile::TempDir;

const MEMORIES: &str = include_str!("../../eval/tests/data/garden/memories.jsonl");
const QUERIES: &str = include_str!("../../eval/tests/data/garden/queries.jsonl");
const RECEIPT: &str = include_str!("../../eval/tests/data/receipts/garden-turn-paper-bm25.toml");

const TABLES: &str = "[[table]]\nname = \"garden\"\ncolumns = { \"mrr\" = \"MRR\" }\n\n[[table.row]]\n\
                      label = \"BM25\"\nencoder = \"none\"\nreceipt = \"published\"\n";

/// A folder with the history and a receipt of it.
fn garden() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    write(&folder, "garden/memories.jsonl", MEMORIES);
    write(&folder, "garden/queries.jsonl", QUERIES);
    write(&folder, "receipts/published.toml", RECEIPT);
    folder
}

fn write(folder: &TempDir, name: &str, text: impl AsRef<[u8]>) {
    let path = folder.path().join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

/// Exit code, standard output and standard error of the program, started in the folder without a model.
fn run(folder: &Path, args: &[&str]) -> (i32, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_aforesaid-studies"));
    command.env_clear().current_dir(folder).env("HOME", folder);
    let output = command.args(["--model", "none", "--offline"]).args(args).output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

#[test]
fn receipts_are_replayed() {
    let folder = garden();
    let (code, text, _) = run(folder.path(), &["reproduce"]);
    assert_eq!(code, 0);
    assert_snapshot!(text, @r"
    OK    published  hit@1 0.4545 hit@5 0.9091 hit@10 1.0000 recall@3 0.8182 recall@5 0.8636 recall@10 0.9545 all@5 0.8182 mrr 0.6250 ndcg@5 0.6723

    1 receipt: 1 OK, 0 failed, 0 skipped
    ");
    let (_, json, _) = run(folder.path(), &["reproduce", "--json", "--no-vector-cache"]);
    let json: Value = serde_json::from_str(&json).unwrap();
    assert_eq!((&json["ok"], &json["receipts"][0]["verdict"]), (&1.into(), &"ok".into()));

    write(&folder, "receipts/published.toml", RECEIPT.replace("\"mrr\" = 0.625000", "\"mrr\" = 0.875000"));
    let (code, text, message) = run(folder.path(), &["reproduce"]);
    assert_eq!(code, 1);
    assert!(text.contains("FAIL  published: mrr expected 0.875 +- 0.00005, actual 0.625000"), "{text}");
    assert_snapshot!(message, @"aforesaid-studies: 1 of 1 receipts were not reproduced");
}

#[test]
fn tables_come_from_receipts() {
    let folder = garden();
    write(&folder, "receipts/tables.toml", TABLES);
    write(&folder, "doc.md", "before\n\n<!-- table: garden -->\n<!-- end of table -->\n\nafter\n");
    let (code, _, message) = run(folder.path(), &["tables", "--check", "doc.md"]);
    assert_eq!(code, 4);
    assert_snapshot!(message, @"aforesaid-studies: doc.md: tables are not those of the receipts; run `aforesaid-studies tables doc.md`");
    assert_eq!(run(folder.path(), &["tables", "doc.md"]).0, 0);
    let document = fs::read_to_string(folder.path().join("doc.md")).unwrap();
    assert!(document.contains("| BM25 | none | **0.6250** |"), "{document}");
    assert_eq!(run(folder.path(), &["tables", "--check", "doc.md"]).0, 0);
}

#[test]
fn what_cannot_be_done_is_said() {
    let folder = garden();
    let refused = |args: &[&str]| {
        let (code, _, message) = run(folder.path(), args);
        format!("{code} {message}")
    };
    assert_snapshot!(refused(&["reproduce", "--receipts", "nope"]), @"2 aforesaid-studies: --receipts nope: found no such folder; name the one with the receipts");
    assert_snapshot!(refused(&["reproduce", "--only", "x"]), @"2 aforesaid-studies: --only x: no receipt has this text in its name");
    assert_snapshot!(refused(&["turns", "--data", "garden"]), @"5 aforesaid-studies: system the study of turns: it needs vectors, and there is no encoder: no model was chosen");
    assert_snapshot!(refused(&["default", "--data", "garden", "--json"]), @r#"5 {"error":{"kind":"model","message":"system the study of the default: it needs vectors, and there is no encoder: no model was chosen"}}"#);
    assert_snapshot!(refused(&["roxy", "--data", "garden", "--judge"]), @"2 aforesaid-studies: a language model: found no URL; give --llm-url and --llm-model");
}

#[test]
fn lists_to_learn_to_rerank_from_are_written() {
    let folder = tempfile::tempdir().unwrap();
    write(&folder, "jsonl/memories.jsonl", MEMORIES);
    write(&folder, "jsonl/queries.jsonl", QUERIES);
    let lists = ["reranker", "lists", "--dataset", "jsonl", "--data", ".", "--pipeline", "lexical", "--form", "turn"];
    let (code, said, message) = run(folder.path(), &[&lists[..], &["--out", "lists.jsonl"]].concat());
    assert_eq!((code, said.as_str()), (0, "11 questions in lists.jsonl: 0 teach, 11 are held out\n"), "{message}");
    let written = fs::read_to_string(folder.path().join("lists.jsonl")).unwrap();
    let first: Value = serde_json::from_str(written.lines().next().unwrap()).unwrap();
    assert_eq!(first["query"], "QUERY_TIME: 15. Where did Ines sow the broad beans?");
    assert_eq!((&first["held_out"], &first["gold"][0]), (&true.into(), &true.into()));
    let passage = first["passages"][0].as_str().unwrap();
    assert!(passage.starts_with("MEMORY_TIME: 1. Ines: I sowed broad beans"), "{passage}");
    let lengths = ["passages", "gold", "first_stage"].map(|field| first[field].as_array().unwrap().len());
    assert_eq!(lengths, [lengths[0]; 3]);
}
