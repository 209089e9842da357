//! The exports beside the dialogues, read as they are and compared with what `contents.json` says is in them.

use std::{ops::ControlFlow, path::Path};

use aforesaid::{
    Memory,
    formats::{Captions, Source},
    sources::{self, Found, Limits},
    types::{Namespace, Scope},
};
use serde_json::Value;

/// Imports an archive, and gives the texts that came of it.
fn texts_of(archive: &Path) -> Vec<String> {
    let memory = Memory::builder().open("memory:").unwrap();
    let namespace = Namespace::new("me").unwrap();
    let _ = sources::visit(archive, Limits::default(), &mut |found| {
        match found {
            Found::File(file) => {
                let (conversation, captions) = (None, Captions::Keep);
                let source = Source { file: &file.name, stem: &file.stem, conversation, captions, zone: None };
                if let Some((format, parsed)) = sources::read(&file, None, &source).unwrap() {
                    let imported = memory.import_texts(&namespace, format, parsed, format.on_conflict()).unwrap();
                    assert_eq!((imported.replaced, imported.unchanged), (0, 0), "{}", file.name);
                }
            }
            Found::Left { .. } => {}
            Found::Failed { name, error } => panic!("{name}: {error}"),
        }
        ControlFlow::Continue(())
    });
    let mut out = Vec::new();
    memory.export(&namespace, &Scope::default(), &mut out).unwrap();
    let lines = String::from_utf8(out).unwrap();
    let text = |line: &str| serde_json::from_str::<Value>(line).unwrap()["text"].as_str().unwrap().to_owned();
    lines.lines().map(text).collect()
}

#[test]
fn exports_hold_what_is_said_of_them() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../datasets/dialogues/exports");
    let contents: Value = serde_json::from_slice(&std::fs::read(folder.join("contents.json")).unwrap()).unwrap();
    let contents = contents.as_object().unwrap();
    assert!(contents.len() >= 5, "{}", contents.len());
    for (archive, said) in contents {
        let texts = texts_of(&folder.join(archive));
        assert!(texts.len() as u64 >= said["turns"].as_u64().unwrap(), "{archive}: {} turns", texts.len());
        let among = |text: &Value| texts.iter().filter(|found| found.contains(text.as_str().unwrap())).count();
        for held in ["documents", "attachments"].iter().flat_map(|kind| said[kind].as_array().unwrap()) {
            if held["text"].is_string() {
                assert_eq!(among(&held["text"]), 1, "{archive}: {held}");
            }
        }
        for other in said["other_branches"].as_array().unwrap() {
            assert_eq!(among(other), 0, "{archive}: {other}");
        }
    }
}
