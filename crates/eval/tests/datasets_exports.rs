//! The archives of exports beside the dialogues: what `contents.json` says of them, and what an import finds.

use std::{
    collections::{BTreeMap, HashSet},
    fs::{self, File},
    io::Read,
    path::{Path, PathBuf},
};

use aforesaid::{
    formats::{self, Captions, Format, Source},
    types::Draft,
};
use aforesaid_eval::datasets::DataSet;
use serde::Deserialize;
use serde_json::Value;
use zip::ZipArchive;

/// Bytes of an archive at most, so that a checkout stays small.
const MOST: u64 = 300_000;

#[derive(Deserialize)]
struct Contents {
    dialogue: String,
    chats: usize,
    turns: usize,
    documents: Vec<Document>,
    attachments: Vec<Attachment>,
    other_branches: Vec<String>,
}

#[derive(Deserialize)]
struct Document {
    id: String,
}

#[derive(Deserialize)]
struct Attachment {
    file_name: String,
    text: Option<String>,
}

fn dialogues() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(DataSet::Dialogues.in_repository().unwrap())
}

fn contents() -> BTreeMap<String, Contents> {
    serde_json::from_slice(&fs::read(dialogues().join("exports/contents.json")).unwrap()).unwrap()
}

/// The files with conversations of an archive.
fn pieces(archive: &str) -> Vec<(String, Vec<u8>)> {
    let mut archive = ZipArchive::new(File::open(dialogues().join("exports").join(archive)).unwrap()).unwrap();
    let mut names: Vec<String> = archive.file_names().map(|name| name.unwrap().into_owned()).collect();
    names.retain(|name| name.starts_with("conversations") && name.ends_with(".json"));
    let read = |name: String| {
        let mut bytes = Vec::new();
        archive.by_name(&name).unwrap().read_to_end(&mut bytes).unwrap();
        (name, bytes)
    };
    names.into_iter().map(read).collect()
}

/// The texts of the dialogue that an archive renders.
fn said(dialogue: &str) -> Vec<String> {
    let lines = fs::read_to_string(dialogues().join(format!("{dialogue}.jsonl"))).unwrap();
    let text = |line: &str| serde_json::from_str::<Value>(line).unwrap()["text"].as_str().unwrap().to_owned();
    lines.lines().map(text).collect()
}

/// Every string in a document.
fn strings<'v>(value: &'v Value, found: &mut Vec<&'v str>) {
    match value {
        Value::String(text) => found.push(text),
        Value::Array(items) => items.iter().for_each(|item| strings(item, found)),
        Value::Object(fields) => fields.values().for_each(|field| strings(field, found)),
        _ => {}
    }
}

#[test]
fn the_archives_hold_what_is_said_of_them() {
    let all = contents();
    assert_eq!(all.len(), 5);
    for (archive, contents) in all {
        assert!(fs::metadata(dialogues().join("exports").join(&archive)).unwrap().len() < MOST, "{archive}");
        let pieces: Vec<Value> =
            pieces(&archive).iter().map(|(_, bytes)| serde_json::from_slice(bytes).unwrap()).collect();
        // Claude's export has a conversation that was opened and left, besides.
        let chats: usize = pieces.iter().map(|piece| piece.as_array().unwrap().len()).sum();
        assert_eq!(chats, contents.chats + usize::from(archive.starts_with("claude")), "{archive}");
        let mut found = Vec::new();
        pieces.iter().for_each(|piece| strings(piece, &mut found));
        let has = |text: &str| found.contains(&text);
        let turns = said(&contents.dialogue);
        assert_eq!(turns.len(), contents.turns, "{archive}");
        assert!(turns.iter().all(|text| has(text)), "{archive}: a turn is missing");
        assert!(contents.other_branches.iter().all(|text| has(text)), "{archive}: a branch is missing");
        assert!(contents.documents.iter().all(|document| has(&document.id)), "{archive}: a document is missing");
        assert!(
            contents.attachments.iter().all(|attachment| has(&attachment.file_name)),
            "{archive}: a file is missing"
        );
        let mut texts = contents.attachments.iter().filter_map(|attachment| attachment.text.as_deref());
        assert!(
            texts.all(|text| found.iter().any(|held| held.contains(text))),
            "{archive}: the text of a file is missing"
        );
    }
}

#[test]
fn an_import_finds_every_turn_and_nothing_of_branches_that_were_left() {
    for (archive, contents) in contents() {
        let mut found = HashSet::new();
        for (name, bytes) in pieces(&archive) {
            let format = formats::detect(&bytes, &name).unwrap();
            assert_eq!(format.name(), archive.split_once('-').unwrap().0, "{archive}, {name}");
            let source =
                Source { file: &name, stem: "conversations", conversation: None, captions: Captions::Keep, zone: None };
            let drafts = formats::parse(format, &bytes, &source).unwrap().drafts;
            found.extend(drafts.into_iter().filter_map(|draft| match draft {
                Draft::Turn(turn) => Some(turn.text),
                Draft::Note(_) => None,
            }));
            // Of Claude's branches both are read as they stand.
            if format == Format::ChatGpt {
                assert!(contents.other_branches.iter().all(|text| !found.contains(text)), "{archive}, {name}");
            }
        }
        let lost: Vec<String> = said(&contents.dialogue).into_iter().filter(|text| !found.contains(text)).collect();
        assert!(lost.is_empty(), "{archive}: {lost:?}");
    }
}
