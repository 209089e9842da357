//! Adding, repeating, forgetting, exporting; and what a remote model may see.

use std::sync::atomic::Ordering;

use aforesaid::{
    Error, Explanations, IdleVectors, Locality, Memory, NoVectors, Pipeline, StoreError, Target, Warning,
    formats::{Captions, Format, Source},
    store::MemoryRef,
    types::*,
};

use crate::bags::*;

fn export(memory: &Memory, namespace: &str) -> String {
    let mut out = Vec::new();
    memory.export(&ns(namespace), &Scope::default(), &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

fn import(memory: &Memory, namespace: &str, text: &str) -> Result<aforesaid::Imported, Error> {
    let source = Source { file: "test.jsonl", stem: "test", conversation: None, captions: Captions::Keep, zone: None };
    memory.import(&ns(namespace), Some(Format::Jsonl), text.as_bytes(), &source, &mut |_| {})
}

#[test]
fn a_repeat_encodes_and_adds_nothing() {
    let encoder = local();
    let memory = open("memory:", encoder.clone());
    assert_eq!(memory.add_turns(&ns("me"), history()).unwrap().added, 6);
    let again = memory.add_turns(&ns("me"), history()).unwrap();
    assert_eq!((again.added, again.unchanged), (0, 6));
    assert_eq!(encoder.passages.load(Ordering::Relaxed), 6);
}

#[test]
fn a_conflict_is_found_before_anything_is_encoded() {
    let encoder = local();
    let memory = open("memory:", encoder.clone());
    memory.add_turns(&ns("me"), history()).unwrap();
    let seen = encoder.passages.load(Ordering::Relaxed);
    let turns = vec![turn("kites", "s3", "new", "Ann", "fine"), turn("kites", "s1", "k1", "Ann", "other words")];
    let error = memory.add_turns(&ns("me"), turns).unwrap_err();
    assert!(matches!(error, Error::Store(StoreError::Conflict { .. })), "{error}");
    assert_eq!(encoder.passages.load(Ordering::Relaxed), seen);
    assert_eq!(memory.stats(&ns("me")).unwrap().turns, 6);
}

#[test]
fn an_export_imports_to_the_same_export() {
    let memory = open("memory:", local());
    memory.add_turns(&ns("a"), history()).unwrap();
    let note = Note {
        id: None,
        conversation: Some(ConversationId::new("soup").unwrap()),
        text: "No peanuts.\n\"Ever.\"".to_owned(),
        said_at: Some("2024-05-01T10:00:00.125Z".parse().unwrap()),
        importance: Importance::new(0.992_937_027_650_530_3).unwrap(),
        tags: vec!["diet".to_owned()],
        sensitivity: Sensitivity::Sensitive,
        source: vec![MemoryId::new("p1").unwrap()],
    };
    memory.add_note(&ns("a"), note).unwrap();
    let first = export(&memory, "a");
    assert_eq!(first.lines().count(), 7);
    import(&memory, "b", &first).unwrap();
    assert_eq!(export(&memory, "b"), first);
    assert_eq!(import(&memory, "b", &first).unwrap().unchanged, 7);
}

#[test]
fn a_bad_line_leaves_nothing_behind() {
    let memory = open("memory:", local());
    let good = r#"{"speaker": "Ann", "text": "hello"}"#;
    for (bad, named) in [
        ("{\"speaker\": \"Ann\", \"text\": ", "line 2"),
        (r#"{"speaker": "Ann", "text": 7}"#, "text"),
        (r#"{"speaker": "Ann", "text": ""}"#, "line 2"),
        (r#"{"speaker": "Ann", "txt": "x"}"#, "txt"),
    ] {
        let error = import(&memory, "me", &format!("{good}\n{bad}\n")).unwrap_err().to_string();
        assert!(error.contains(named) && error.contains("test.jsonl"), "{error}");
        assert!(memory.namespaces().unwrap().is_empty());
    }
}

#[test]
fn what_is_forgotten_is_not_found() {
    let memory = open("memory:", local());
    memory.add_turns(&ns("me"), history()).unwrap();
    let find = |memory: &Memory| {
        let query = Query::new(ns("me"), "red kite chestnut");
        let answer = memory.search(&query, &Pipeline::lexical(), Explanations::Omit).unwrap();
        answer.hits.iter().any(|hit| hit.text.contains("chestnut"))
    };
    assert!(find(&memory));
    let address = MemoryRef { id: MemoryId::new("k1").unwrap(), conversation: None };
    assert_eq!(memory.count(&ns("me"), &Target::One(address.clone())).unwrap(), 1);
    let gone = memory.forget(&ns("me"), &Target::One(address.clone())).unwrap();
    assert_eq!((gone.turns, gone.vectors), (1, 1));
    assert!(!find(&memory));
    assert!(matches!(memory.show(&ns("me"), &address, 0, 0), Err(Error::UnknownMemory { .. })));
}

#[test]
fn a_turn_is_shown_with_its_session() {
    let memory = open("memory:", local());
    memory.add_turns(&ns("me"), history()).unwrap();
    let address = MemoryRef { id: MemoryId::new("k2").unwrap(), conversation: None };
    let shown = memory.show(&ns("me"), &address, 5, 5).unwrap();
    assert_eq!(shown.memory.text, "Borrow a ladder from the neighbours.");
    assert_eq!((shown.before.len(), shown.after.len()), (1, 0), "another session's turn is no context");
}

#[test]
fn a_sensitive_note_is_shown_to_local_models_only() {
    let secret = Note {
        id: None,
        conversation: None,
        text: "The safe opens with 4711.".to_owned(),
        said_at: None,
        importance: Importance::default(),
        tags: Vec::new(),
        sensitivity: Sensitivity::Sensitive,
        source: Vec::new(),
    };
    for (locality, expected) in [(Locality::Remote, 0), (Locality::Local, 1)] {
        let encoder = Bags::new("bags@1/f32", locality);
        let memory = open("memory:", encoder.clone());
        memory.add_turns(&ns("me"), history()).unwrap();
        memory.add_note(&ns("me"), secret.clone()).unwrap();
        memory.reembed(&ns("me"), IdleVectors::Keep, &mut |_| {}).unwrap();
        let leaked = encoder.seen.lock().unwrap().iter().filter(|text| text.contains("4711")).count();
        assert_eq!(leaked, expected, "{locality:?}");
        let answer =
            memory.search(&Query::new(ns("me"), "safe opens"), &Pipeline::hybrid(), Explanations::Omit).unwrap();
        assert!(answer.hits[0].text.contains("4711"), "it is found by its words all the same");
    }
}

#[test]
fn vectors_can_come_later() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("m.db");
    let path = path.to_str().unwrap();
    let without = Memory::builder().open(path).unwrap();
    let added = without.add_turns(&ns("me"), history()).unwrap();
    assert!(matches!(&added.warnings[..], [Warning::StoredWithoutVectors { .. }]));
    let memory = open(path, local());
    let query = Query::new(ns("me"), "kite");
    let answer = memory.search(&query, &Pipeline::hybrid(), Explanations::Omit).unwrap();
    assert!(matches!(&answer.warnings[..], [Warning::LexicalOnly { reason }] if *reason == NoVectors::NoneStored));
    assert_eq!(memory.reembed(&ns("me"), IdleVectors::Keep, &mut |_| {}).unwrap().embedded, 6);
    let answer = memory.search(&query, &Pipeline::hybrid(), Explanations::Omit).unwrap();
    assert!(answer.warnings.is_empty() && answer.hits[0].legs.get("dense").is_some());
}

/// Turns enough for an import that stages its vectors; each text comes twice.
fn many(conversation: &str) -> String {
    let line = |i: usize| {
        let text = i / 2;
        format!(
            "{{\"id\":\"{i}\",\"conversation\":\"{conversation}\",\"speaker\":\"Ann\",\"text\":\"word{text} twice\"}}\n"
        )
    };
    (0..3_000).map(line).collect()
}

fn stores() -> [(&'static str, tempfile::TempDir); 2] {
    ["memory:", "m.db"].map(|name| (name, tempfile::tempdir().unwrap()))
}

#[test]
fn a_long_import_has_every_vector_and_encodes_a_text_once() {
    for (name, folder) in stores() {
        let location = if name == "memory:" { name.to_owned() } else { folder.path().join(name).display().to_string() };
        let encoder = local();
        let memory = open(&location, encoder.clone());
        let mut seen = Vec::new();
        let source = Source { file: "f", stem: "f", conversation: None, captions: Captions::Keep, zone: None };
        let lines = many("c");
        let report = &mut |progress: aforesaid::Progress| seen.push((progress.done, progress.total));
        memory.import(&ns("me"), Some(Format::Jsonl), lines.as_bytes(), &source, report).unwrap();
        assert_eq!(encoder.passages.load(Ordering::Relaxed), 1_500, "{name}");
        assert!(seen.is_sorted() && seen.last() == Some(&(3_000, 3_000)), "{seen:?}");
        let stats = memory.stats(&ns("me")).unwrap();
        assert_eq!(stats.vectors.into_values().collect::<Vec<_>>(), [3_000]);
        let query = Query::new(ns("me"), "Ann word77 twice");
        let answer = memory.search(&query, &"paper-dense-max".parse().unwrap(), Explanations::Omit).unwrap();
        let hits = &answer.hits[..2];
        assert_eq!(hits[0].text, hits[1].text);
        assert!(
            hits.iter().all(|hit| hit.legs.get("dense").unwrap().score > 0.999),
            "a passage has its own vector: {hits:?}"
        );
    }
}

#[test]
fn two_imports_of_the_same_texts_at_once_are_both_whole() {
    for (name, folder) in stores() {
        let location = if name == "memory:" { name.to_owned() } else { folder.path().join(name).display().to_string() };
        let memory = open(&location, local());
        let mut disturbed = false;
        let source = Source { file: "f", stem: "f", conversation: None, captions: Captions::Keep, zone: None };
        let lines = many("first");
        // The second comes when vectors of the first are staged, and takes them.
        let report = &mut |_: aforesaid::Progress| {
            if !disturbed {
                disturbed = true;
                import(&memory, "me", &many("second")).unwrap();
            }
        };
        memory.import(&ns("me"), Some(Format::Jsonl), lines.as_bytes(), &source, report).unwrap();
        let stats = memory.stats(&ns("me")).unwrap();
        assert_eq!((stats.turns, stats.vectors.into_values().collect::<Vec<_>>()), (6_000, vec![6_000]), "{name}");
    }
}
