//! `aforesaid train` with a random model that is small enough to be committed: it knows sixteen syllables.

use std::{path::Path, process::Command};

use serde_json::{Value, json};

use crate::sandbox::{self, Sandbox, finish};

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
fn a_query_adapter_is_learned_and_no_vector_is_made_anew() {
    let sandbox = taught(200);
    finish(&mut with_tiny(&sandbox, &["reembed"])).succeeded();
    let learn = ["train", "encoder", "--queries", "--out", "mine.safetensors", "--steps", "200", "--rate", "0.02"];
    let told = finish(&mut with_tiny(&sandbox, &learn)).succeeded();
    assert!(told.contains("--query-adapter mine.safetensors"), "{told}");

    let asked = format!("{FILLER} {}", word(5));
    let search = |args: &[&str]| {
        let search = ["search", &asked, "--pipeline", "dense(max)", "--json"];
        let found: Value = serde_json::from_str(&finish(with_tiny(&sandbox, &search).args(args)).succeeded()).unwrap();
        (found["hits"][0]["legs"]["dense"]["score"].as_f64(), found["warnings"].clone())
    };
    let (plain, adapted) = (search(&[]), search(&["--query-adapter", "mine.safetensors"]));
    assert!(plain.0.is_some() && adapted.0.is_some() && plain.0 != adapted.0, "{plain:?} {adapted:?}");
    assert!(adapted.1.is_null(), "the namespace holds vectors of the model as it is: {}", adapted.1);
    // Both adapters are files of one kind, and each is refused in the other's place.
    let refused = sandbox.refusal_of(|| with_tiny(&sandbox, &["search", "ba", "--model", "mine.safetensors"]));
    assert!(refused.contains("with a query adapter"), "{refused}");
    learned(&sandbox, "both.safetensors");
    let refused = sandbox.refusal_of(|| with_tiny(&sandbox, &["search", "ba", "--query-adapter", "both.safetensors"]));
    assert!(refused.contains("expected one of `train encoder --queries`"), "{refused}");
    let unused = finish(&mut sandbox.command(&["stats", "--query-adapter", "mine.safetensors"]));
    assert!(unused.code == 2 && unused.stderr.contains("this command ranks nothing"), "{unused:?}");
}

#[test]
fn a_ranker_learns_from_vectors_of_the_encoder_that_is_named_for_its_data() {
    let sandbox = taught(200);
    learned(&sandbox, "mine.safetensors");
    let asked = |i: usize| {
        let (query, gold) = (format!("{FILLER} {}", word(i * 31 + 5)), format!("t{i}"));
        json!({ "id": format!("q{i}"), "query": query, "gold_ids": [gold], "group": "c" }).to_string()
    };
    sandbox.write("data/memories.jsonl", turns(200));
    sandbox.write("data/queries.jsonl", (0..200).map(asked).collect::<Vec<_>>().join("\n"));
    let train = |more: &[&str]| {
        let train = ["train", "candidate", "--dataset", "jsonl", "--data", "data", "--trees", "10", "--json"];
        let mut command = with_tiny(&sandbox, &["--pipeline", "dense(max)"]);
        finish(command.args(train).args(["--out", "r.ranker"]).args(more))
    };
    // Whether it helps is not the question: the record is printed either way.
    let record = |more: &[&str]| {
        let told = train(more);
        let report: Value = serde_json::from_str(&told.stdout).unwrap_or_else(|error| panic!("{error}: {told:?}"));
        let before = report["held_out"]["measures"][1]["before"].as_f64().unwrap();
        (before, report["record"]["encoder"].as_str().unwrap_or_default().to_owned())
    };
    let (plain, adapted) = (record(&[]), record(&["--encoder", "mine.safetensors"]));
    assert!(plain.1.starts_with("tiny@") && adapted.1 == plain.1, "{plain:?} {adapted:?}");
    assert!(adapted.0 > plain.0, "the first stage finds more by the adapter's vectors: {plain:?} {adapted:?}");
    let twice = train(&["--encoder", "mine.safetensors", "--encoder", "mine.safetensors"]);
    assert!(twice.code == 2 && twice.stderr.contains("expected at most one for each of 1 data sets"), "{twice:?}");
    let missing = train(&["--encoder", "other.safetensors"]);
    assert!(missing.code != 0 && missing.stderr.contains("other.safetensors"), "{missing:?}");
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

/// Learns an adapter from a store's cue questions.
fn learned(sandbox: &Sandbox, file: &str) -> Value {
    let learn = ["train", "encoder", "--out", file, "--steps", "200", "--rate", "0.02", "--json"];
    serde_json::from_str(&finish(&mut with_tiny(sandbox, &learn)).succeeded()).unwrap()
}

/// What `forget` says, and the adapters that it names.
fn forgotten(sandbox: &Sandbox, args: &[&str]) -> (Value, String) {
    let done = finish(&mut sandbox.command(&[&["forget", "--yes", "--json"], args].concat()));
    let told = done.stderr.clone();
    let report: Value = serde_json::from_str(&done.succeeded()).unwrap();
    (report["adapters"].clone(), told)
}

#[test]
fn a_forget_names_the_adapters_that_learned_from_it() {
    let sandbox = taught(200);
    let report = learned(&sandbox, "mine.safetensors");
    // Sessions have four turns; every fifth is held out: s4 has t16 to t19.
    assert_eq!(forgotten(&sandbox, &["t16"]), (Value::Null, String::new()), "it was held out");
    let (adapters, told) = forgotten(&sandbox, &["t3"]);
    let file = adapters[0]["file"].as_str().unwrap();
    assert!(Path::new(file).is_absolute() && file.ends_with("mine.safetensors"), "{adapters}");
    assert_eq!((&adapters[0]["sha256"], adapters[0]["memories"].as_u64()), (&report["sha256"], Some(1)));
    assert_eq!(adapters[0]["found"], true);
    assert!(told.contains("mine.safetensors learned from 1 memory forgotten now; delete it"), "{told}");

    // Each memory is told of once, and once for each adapter.
    learned(&sandbox, "second.safetensors");
    let (adapters, _) = forgotten(&sandbox, &["--conversation", "c", "--session", "s1"]);
    let files: Vec<&str> = adapters.as_array().unwrap().iter().map(|of| of["file"].as_str().unwrap()).collect();
    assert_eq!(files.len(), 2, "{adapters}");
    assert!(adapters.as_array().unwrap().iter().all(|of| of["memories"] == 4), "{adapters}");

    // A file that was moved still remembers.
    std::fs::rename(sandbox.path("mine.safetensors"), sandbox.path("moved.safetensors")).unwrap();
    let (adapters, told) = forgotten(&sandbox, &["--all"]);
    let of = |end: &str| {
        let of = adapters.as_array().unwrap().iter().find(|of| of["file"].as_str().unwrap().ends_with(end)).unwrap();
        (of["found"].clone(), of["memories"].as_u64().unwrap())
    };
    assert_eq!((of("mine.safetensors"), of("second.safetensors")), ((json!(false), 155), (json!(true), 155)));
    assert!(told.contains("it is not there any more: delete it where it is"), "{told}");
    let left = std::fs::read_dir(sandbox.path(&format!("{}.adapters", sandbox::STORE))).unwrap().count();
    assert_eq!(left, 0, "the name of a namespace that was forgotten stays nowhere");
}

#[test]
fn records_of_adapters_hold_nothing_that_was_said_and_come_along() {
    let sandbox = taught(200);
    learned(&sandbox, "mine.safetensors");
    let folder = format!("{}.adapters", sandbox::STORE);
    let entries: Vec<_> = std::fs::read_dir(sandbox.path(&folder)).unwrap().map(Result::unwrap).collect();
    assert_eq!(entries.len(), 1);
    let record = std::fs::read_to_string(entries[0].path()).unwrap();
    for number in 0..200 {
        assert!(!record.contains(&word(number * 31 + 5)) && !record.contains(&format!("t{number}\"")), "{record}");
    }
    let migrate = ["migrate", "--from", sandbox::STORE, "--to", "other.db"];
    finish(&mut sandbox.bare(&migrate)).succeeded();
    let forget = ["forget", "t0", "--yes", "--json", "--store", "other.db"];
    let report: Value = serde_json::from_str(&finish(&mut sandbox.bare(&forget)).succeeded()).unwrap();
    assert_eq!(report["adapters"][0]["memories"], 1, "{report}");
}
