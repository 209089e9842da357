//! `aforesaid train encoder` with a random model that is small enough to be committed: it knows sixteen syllables.
#![allow(clippy::unwrap_used, reason = "test code")]

mod sandbox;

use std::{path::Path, process::Command};

use sandbox::{Sandbox, finish};
use serde_json::{Value, json};

const SYLLABLES: [&str; 16] =
    ["ba", "co", "di", "fu", "ge", "ha", "jo", "ki", "lu", "me", "no", "pa", "qu", "re", "si", "ta"];

/// What every question has, and no turn: it hides what a question asks for until a model has learned to leave it out.
const FILLER: &str = "tasi tasi resi tata tasi resi";

fn tiny() -> String {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../models/tests/reference/tiny").to_str().unwrap().to_owned()
}

fn word(number: usize) -> String {
    let syllable = |place: u32| SYLLABLES[number / 13usize.pow(place) % 13];
    format!("{}{}{}", syllable(0), syllable(1), syllable(2))
}

/// Turns of three words in sessions of four.
fn turns(count: usize) -> String {
    let turn = |i: usize| {
        let text = [word(i * 7 + 1), word(i * 31 + 5), word(i * 113 + 11)].join(" ");
        let (id, session) = (format!("t{i}"), format!("s{}", i / 4));
        let speaker = ["Ann", "Ben"][i % 2];
        json!({ "id": id, "conversation": "c", "session": session, "speaker": speaker, "text": text }).to_string()
    };
    (0..count).map(turn).collect::<Vec<_>>().join("\n")
}

/// One question a turn, for a word of it.
fn cues(count: usize) -> String {
    let cue = |i: usize| json!({ "id": format!("t{i}"), "q": [format!("{FILLER} {}", word(i * 31 + 5))] }).to_string();
    (0..count).map(cue).collect::<Vec<_>>().join("\n")
}

fn taught(count: usize) -> Sandbox {
    let sandbox = Sandbox::holding(&turns(count));
    sandbox.write("cues/c.jsonl", cues(count));
    sandbox.done(&["cues", "import", "cues/c.jsonl", "--conversation", "c", "--no-vectors"]);
    sandbox
}

fn with_tiny(sandbox: &Sandbox, args: &[&str]) -> Command {
    let mut command = sandbox.bare(&["--store", sandbox::STORE, "--model-dir", &tiny()]);
    command.args(args);
    command
}

#[test]
fn an_adapter_is_learned_from_cue_questions_and_finds_what_was_held_out() {
    let sandbox = taught(200);
    let learn = ["train", "encoder", "--out", "mine.safetensors", "--steps", "200", "--rate", "0.02", "--json"];
    let report: Value = serde_json::from_str(&finish(&mut with_tiny(&sandbox, &learn)).succeeded()).unwrap();
    assert_eq!((report["questions"].as_u64(), report["held_out"].as_u64()), (Some(160), Some(40)));
    let [before, after] = ["mrr_before", "mrr_after"].map(|key| report[key].as_f64().unwrap());
    assert!(after > before && report["difference"]["low"].as_f64().unwrap() > 0.0, "{report}");
    assert!(sandbox.path("mine.safetensors").is_file());

    let adapted = |args: &[&str]| {
        let mut command = with_tiny(&sandbox, &["--model", "mine.safetensors"]);
        finish(command.args(args)).succeeded()
    };
    adapted(&["reembed"]);
    assert!(adapted(&["search", &word(5), "--pipeline", "dense(max)", "--json"]).contains("\"dense\""));
    let stats = sandbox.done(&["stats", "--json"]);
    assert!(stats.contains("tiny+mine@"), "{stats}");
    // Vectors of the adapted model are no vectors of the model.
    let refused = sandbox.refusal_of(|| with_tiny(&sandbox, &["search", &word(5)]));
    assert!(refused.contains("tiny+mine@"), "{refused}");
}

#[test]
fn too_few_questions_are_refused_and_nothing_is_written() {
    let sandbox = taught(30);
    let refused = sandbox.refusal_of(|| with_tiny(&sandbox, &["train", "encoder", "--out", "mine.safetensors"]));
    assert!(
        refused.contains("namespace default: found 26 cue questions") && refused.contains("cues write"),
        "{refused}"
    );
    assert!(!sandbox.path("mine.safetensors").exists());
    let misnamed = finish(&mut with_tiny(&sandbox, &["train", "encoder", "--out", "mine.bin"]));
    assert!(misnamed.code == 2 && misnamed.stderr.contains("ends in .safetensors"), "{misnamed:?}");
}

#[test]
fn what_did_not_help_is_not_written() {
    let sandbox = taught(200);
    let learn = ["train", "encoder", "--out", "mine.safetensors", "--steps", "0"];
    let refused = sandbox.refusal_of(|| with_tiny(&sandbox, &learn));
    assert!(refused.contains("is not written") && refused.contains("40 questions"), "{refused}");
    assert!(!sandbox.path("mine.safetensors").exists());
}

#[test]
fn sensitive_turns_are_not_learned() {
    let sandbox = taught(200);
    sandbox.done(&["update", "t3", "--sensitive"]);
    let learn = ["train", "encoder", "--out", "mine.safetensors", "--steps", "200", "--rate", "0.02", "--json"];
    let report: Value = serde_json::from_str(&finish(&mut with_tiny(&sandbox, &learn)).succeeded()).unwrap();
    assert_eq!((report["questions"].as_u64(), report["sensitive_left_out"].as_u64()), (Some(159), Some(1)));
}
