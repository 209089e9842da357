//! Anyone's own labelled history.

use std::fs;

use aforesaid::{Memory, types::*};
use aforesaid_eval::datasets::{Benchmark, DataSet};
use proptest::prelude::*;
use serde_json::json;

use crate::folder::{Folder, assert_refused, excluded, fixture, memories, question, remarks, unresolved};

#[test]
fn a_folder_of_memories_and_queries_is_read() {
    let benchmark = DataSet::Jsonl.load(&fixture("jsonl"), Granularity::Turn).unwrap();
    assert_eq!(
        memories(&benchmark, "farm"),
        [
            "june/a1@2024-06-01T10:00:00Z Ola: The well is dry.",
            "july/a2@2024-07-02T10:00:00Z Ola: Rain came at last.",
            "july/a3 Per: Look. [image: a full bucket]",
            "a4 Ola worries about water.",
            "7/5 Per: We sold the cart.",
        ]
    );
    assert_eq!(memories(&benchmark, "default"), ["s/a1 Per: No group at all."]);
    let water = question(&benchmark, "farm::q1");
    assert_eq!(
        (&water.gold[..], water.category.as_deref()),
        (&["a1".into(), "a3".into(), "a2".into()][..], Some("state"))
    );
    let early = question(&benchmark, "farm::q2");
    assert_eq!((&early.gold[..], early.category.as_deref()), (&["a1".into()][..], Some("2")));
    assert_eq!(early.before.as_ref().unwrap().as_str(), "a2");
    assert_eq!(question(&benchmark, "farm::3").gold, ["5"]);
    assert_eq!(question(&benchmark, "default::q1").gold, ["a1"]);
    assert_eq!(excluded(&benchmark, "no gold"), ["farm::q5"]);
    assert_eq!(excluded(&benchmark, "gold not in the history"), ["farm::q6", "farm::q8"]);
    assert_eq!(excluded(&benchmark, "nothing was said before"), ["farm::q7"]);
    assert_eq!(
        unresolved(&benchmark),
        [("farm::q2", "a2"), ("farm::3", "july"), ("farm::q6", "a99"), ("farm::q7", "a2"), ("farm::q8", "a3")]
    );
    assert_eq!(remarks(&benchmark, "repeated question"), ["farm::q2"]);
    let place = |file: &str, line: usize| format!("{}, line {line}", fixture("jsonl").join(file).display());
    assert_eq!(
        remarks(&benchmark, "field not read"),
        [
            format!("memories: mood (1 line, first in {})", place("memories.jsonl", 2)),
            format!("queries: note (1 line, first in {})", place("queries.jsonl", 3)),
        ]
    );
}

#[test]
fn on_sessions_a_memory_stands_for_its_session() {
    let benchmark = DataSet::Jsonl.load(&fixture("jsonl"), Granularity::Session).unwrap();
    assert_eq!(question(&benchmark, "farm::q1").gold, ["june", "july"]);
    assert_eq!(question(&benchmark, "farm::q2").gold, ["june"], "july had not begun");
    assert_eq!(question(&benchmark, "farm::3").gold, ["7", "july"], "a session is named by its own name, too");
    let lost = excluded(&benchmark, "gold not in the history");
    assert_eq!(lost, ["farm::q4", "farm::q6", "farm::q8"], "a note is in no session, and a3 was not yet said in july");
}

#[test]
fn one_file_may_hold_both() {
    let read = |name: &str| fs::read_to_string(fixture(name)).unwrap();
    let text = format!("\u{FEFF}{}{}", read("jsonl/queries.jsonl"), read("jsonl/memories.jsonl"));
    let folder = Folder::with(&[("history.jsonl", &text)]);
    for unit in [Granularity::Turn, Granularity::Session] {
        let one = DataSet::Jsonl.load(&folder.path("history.jsonl"), unit).unwrap();
        let two = DataSet::Jsonl.load(&fixture("jsonl"), unit).unwrap();
        assert_eq!((one.groups, one.ledger.excluded), (two.groups, two.ledger.excluded));
    }
}

/// A benchmark as a person would write it by hand.
fn converted(benchmark: &Benchmark) -> Folder {
    let (mut memories, mut queries) = (String::new(), String::new());
    for group in &benchmark.groups {
        for memory in &group.memories {
            let Draft::Turn(turn) = memory else { continue };
            let line = json!({
                "id": turn.id, "text": turn.text, "session": turn.session, "speaker": turn.speaker,
                "said_at": turn.said_at, "image_caption": turn.image_caption, "title": turn.title,
                "group": group.id,
            });
            memories.push_str(&format!("{line}\n"));
        }
        for question in &group.questions {
            let line = json!({
                "id": question.id.strip_prefix(&format!("{}::", group.id)), "query": question.text,
                "gold_ids": question.gold, "group": group.id, "category": question.category, "before": question.before,
                "now": question.now,
            });
            queries.push_str(&format!("{line}\n"));
        }
    }
    Folder::with(&[("memories.jsonl", &memories), ("queries.jsonl", &queries)])
}

#[test]
fn a_converted_data_set_is_the_same_benchmark() {
    let sets = [
        (DataSet::Locomo, "locomo", Granularity::Turn),
        (DataSet::Locomo, "locomo", Granularity::Session),
        (DataSet::LongMemEval, "longmemeval/official.json", Granularity::Session),
        (DataSet::LongMemEvalPooled, "longmemeval/pooled", Granularity::Turn),
        (DataSet::Beam, "beam", Granularity::Session),
        (DataSet::RealMem, "realmem", Granularity::Session),
        (DataSet::QmSum, "qmsum", Granularity::Turn),
        (DataSet::Dialogues, "dialogues", Granularity::Turn),
    ];
    for (dataset, path, unit) in sets {
        let mut native = dataset.load(&fixture(path), unit).unwrap();
        let own = DataSet::Jsonl.load(&converted(&native).path(""), unit).unwrap();
        // Answers in words are LoCoMo's alone.
        native.groups.iter_mut().flat_map(|group| &mut group.questions).for_each(|question| question.answer = None);
        assert_eq!(own.groups, native.groups, "{dataset}");
        assert_eq!((own.excluded(), own.ledger.unresolved.len()), (0, 0), "{dataset}");
    }
}

const MEMORY: &str = r#"{"id": "m", "text": "t", "session": "s", "speaker": "p"}"#;
const QUERY: &str = r#"{"id": "q", "query": "w?", "gold_ids": ["m"]}"#;

#[test]
fn errors_name_the_line_and_the_field() {
    let memory = |line: &'static str, parts: &'static [&'static str]| (line, QUERY, parts);
    let query = |line: &'static str, parts: &'static [&'static str]| (MEMORY, line, parts);
    for (memories, queries, parts) in [
        memory(r#"{"id": "m", "text": "t", "session": "s"}"#, &["memories.jsonl, line 2", "\"speaker\"", "a session"]),
        memory(r#"{"id": "m", "text": "t", "speaker": "p"}"#, &["line 2", "no field \"session\"", "a speaker"]),
        memory(r#"{"text": "t"}"#, &["line 2", "no field \"id\""]),
        memory(r#"{"id": "m"}"#, &["line 2", "no field \"text\""]),
        memory(r#"{"id": "m", "text": " "}"#, &["line 2", "\"m\"", "the text is empty"]),
        memory(r#"{"id": "m", "text": 5}"#, &["line 2", "\"text\" is the number 5", "a string"]),
        memory(r#"{"id": 1.5, "text": "t"}"#, &["line 2", "\"id\" is the number 1.5", "a whole number"]),
        memory(r#"{"id": "m", "text": "t", "said_at": "soon"}"#, &["line 2", "\"said_at\"", "ISO 8601"]),
        memory(r#"{"id": "a\tb", "text": "t"}"#, &["line 2", "control character"]),
        memory(r#"{"id": "m", "text": "t"}{}"#, &["line 2, column 25", "trailing"]),
        memory(r#"{"id": "m", "text": "t", "id": "n"}"#, &["line 2, column", "\"id\" is there twice"]),
        memory("[1]", &["line 2, column", "this should be one memory or query"]),
        query(r#"{"id": "q", "query": " ", "gold_ids": ["m"]}"#, &["queries.jsonl, line 2", "\"default::q\" is blank"]),
        query(r#"{"id": "q", "query": "w?"}"#, &["line 2", "no field \"gold_ids\""]),
        query(
            r#"{"id": "q", "query": "w?", "gold_ids": "m"}"#,
            &["line 2", "\"gold_ids\" is the string \"m\"", "array"],
        ),
        query(r#"{"id": "q", "query": "w?", "gold_ids": [{}]}"#, &["line 2", "\"gold_ids\" is an object"]),
        query(r#"{"query": "w?", "gold_ids": ["m"]}"#, &["line 2", "no field \"id\""]),
        query(r#"{"id": "q", "gold_ids": ["m"]}"#, &["line 2", "no field \"query\""]),
        query(
            r#"{"id": "q", "query": "w?", "gold_ids": [], "before": "x"}"#,
            &["line 2", "\"before\" is \"x\"", "\"default\""],
        ),
        query(
            r#"{"id": "q", "query": "w?", "gold_ids": [], "group": "g"}"#,
            &["line 2", "group \"g\"", "no memories", "one of default"],
        ),
    ] {
        let files = [("memories.jsonl", format!("\n{memories}\n")), ("queries.jsonl", format!("\n{queries}\n"))];
        let files = files.each_ref().map(|(name, text)| (*name, text.as_str()));
        assert_refused(DataSet::Jsonl, Granularity::Turn, &files, parts);
    }
}

#[test]
fn an_id_is_there_once() {
    let twice = format!("{MEMORY}\n{MEMORY}\n");
    let parts = ["memories.jsonl, line 2", "memory \"m\" is there already", "memories.jsonl, line 1"];
    assert_refused(DataSet::Jsonl, Granularity::Turn, &[("memories.jsonl", &twice), ("queries.jsonl", QUERY)], &parts);
    let twice = format!("{QUERY}\n{QUERY}\n");
    let parts = ["queries.jsonl, line 2", "question \"default::q\" is there already", "queries.jsonl, line 1"];
    assert_refused(DataSet::Jsonl, Granularity::Turn, &[("memories.jsonl", MEMORY), ("queries.jsonl", &twice)], &parts);
}

#[test]
fn a_line_of_one_file_is_one_of_the_two() {
    for (line, part) in [(r#"{"id": "m"}"#, "without text and query"), (r#"{"text": "t", "query": "w?"}"#, "with both")]
    {
        let folder = Folder::with(&[("h.jsonl", &format!("{MEMORY}\n{line}\n"))]);
        let message = DataSet::Jsonl.load(&folder.path("h.jsonl"), Granularity::Turn).unwrap_err().to_string();
        assert!(message.contains("h.jsonl, line 2") && message.contains(part), "{message}");
    }
    let folder = Folder::with(&[("h.jsonl", MEMORY)]);
    let message = DataSet::Jsonl.load(&folder.path("h.jsonl"), Granularity::Turn).unwrap_err().to_string();
    assert!(message.contains("h.jsonl holds no questions"), "{message}");
    let message = DataSet::Jsonl.load(&folder.path("none.jsonl"), Granularity::Turn).unwrap_err().to_string();
    assert!(message.contains("none.jsonl") && message.contains("memories.jsonl and queries.jsonl"), "{message}");
    assert_refused(
        DataSet::Jsonl,
        Granularity::Turn,
        &[("memories.jsonl", MEMORY)],
        &["all of memories.jsonl and queries.jsonl in it"],
    );
}

/// A field and some value for it, likely or not.
fn field() -> impl Strategy<Value = String> {
    let name = prop::sample::select(vec![
        "id", "text", "session", "speaker", "said_at", "group", "query", "gold_ids", "before", "category", "x",
    ]);
    let value = prop::sample::select(vec![
        "\"a\"",
        "\"b\"",
        "1",
        "-7",
        "1e300",
        "null",
        "[]",
        "[\"a\"]",
        "[\"a\", 1]",
        "\"2024-01-01\"",
        "{}",
        "\" \"",
    ]);
    (name, value).prop_map(|(name, value)| format!("\"{name}\": {value}"))
}

/// A whole memory or query with few ids, or a line of any fields.
fn line() -> impl Strategy<Value = String> {
    let memory = (0..4, 0..3)
        .prop_map(|(id, session)| format!(r#"{{"id": {id}, "text": "t", "session": {session}, "speaker": "p"}}"#));
    let query = (0..4, 0..5, 0..5).prop_map(|(id, gold, before)| {
        format!(r#"{{"id": {id}, "query": "w?", "gold_ids": [{gold}, "{before}"], "before": {before}}}"#)
    });
    let any = prop::collection::vec(field(), 0..6).prop_map(|fields| format!("{{{}}}", fields.join(", ")));
    prop_oneof![6 => memory, 4 => query, 1 => any]
}

proptest! {
    #[test]
    fn any_lines_are_refused_or_become_gold_that_can_be_found(lines in prop::collection::vec(line(), 0..8)) {
        let folder = Folder::with(&[("h.jsonl", &lines.join("\n"))]);
        for unit in [Granularity::Turn, Granularity::Session] {
            let Ok(benchmark) = DataSet::Jsonl.load(&folder.path("h.jsonl"), unit) else { continue };
            let asked = lines.iter().filter(|line| line.contains("\"query\"")).count();
            prop_assert_eq!(benchmark.questions().count() + benchmark.excluded(), asked);
            for group in &benchmark.groups {
                for question in &group.questions {
                    let is_before = |memory: &&Draft| memory.id() != question.before.as_ref();
                    let candidates: Vec<&str> = group.memories.iter().take_while(is_before).filter_map(|memory| {
                        match (memory, unit) {
                            (Draft::Turn(turn), Granularity::Session) => Some(turn.session.as_str()),
                            (Draft::Note(_), Granularity::Session) => None,
                            (memory, Granularity::Turn) => memory.id().map(|id| id.as_str()),
                        }
                    }).collect();
                    prop_assert!(!question.gold.is_empty());
                    prop_assert!(question.gold.iter().all(|gold| candidates.contains(&gold.as_str())));
                }
            }
        }
    }
}

#[test]
fn an_export_of_conversations_with_the_same_sessions_is_not_merged() {
    // Sessions were told apart by name alone: an export of 80 conversations became six sessions without a word.
    let memory = Memory::builder().open("memory:").unwrap();
    let me = Namespace::new("me").unwrap();
    let turn = |conversation: &str, session: &str, n: usize| Turn {
        id: Some(MemoryId::new(format!("{conversation}-{session}-{n}")).unwrap()),
        ..Turn::new(
            ConversationId::new(conversation).unwrap(),
            SessionId::new(session).unwrap(),
            "Ola".to_owned(),
            format!("turn {n} of {session}"),
        )
    };
    let turns = ["a", "b"].iter().flat_map(|c| ["s1", "s2"].map(|s| turn(c, s, 1)));
    memory.add_turns(&me, turns.collect()).unwrap();
    let mut exported = Vec::new();
    memory.export(&me, &Scope::default(), &mut exported).unwrap();
    let exported = String::from_utf8(exported).unwrap();
    let query = |group: &str, gold: &str| json!({"id": "q", "query": "Which?", "gold_ids": [gold], "group": group});
    // In one group by name they would be merged.
    let merged = exported.lines().map(|line| {
        let mut line: serde_json::Value = serde_json::from_str(line).unwrap();
        line["group"] = "all".into();
        format!("{line}\n")
    });
    let merged = format!("{}{}\n", merged.collect::<String>(), query("all", "a-s1-1"));
    let folder = Folder::with(&[("history.jsonl", &merged)]);
    for unit in [Granularity::Turn, Granularity::Session] {
        let message = DataSet::Jsonl.load(&folder.path("history.jsonl"), unit).unwrap_err().to_string();
        let parts = ["line 3", "\"s1\"", "\"b\"", "\"a\"", "line 1", "\"group\""];
        assert!(parts.iter().all(|part| message.contains(part)), "{message}");
    }

    // As it is, each conversation is a group.
    let whole = format!("{exported}{}\n{}\n", query("a", "s1"), query("b", "s1"));
    let folder = Folder::with(&[("history.jsonl", &whole)]);
    let benchmark = DataSet::Jsonl.load(&folder.path("history.jsonl"), Granularity::Session).unwrap();
    assert_eq!(memories(&benchmark, "a").len() + memories(&benchmark, "b").len(), 4);
    assert_eq!(benchmark.groups.len(), 2);
}

#[test]
fn an_export_is_a_data_set() {
    let memory = Memory::builder().open("memory:").unwrap();
    let me = Namespace::new("me").unwrap();
    let turn = |conversation: &str, id: &str, text: &str| Turn {
        id: Some(MemoryId::new(id).unwrap()),
        title: Some(format!("About {conversation}")),
        tags: vec!["tagged".to_owned()],
        importance: Importance::new(0.75).unwrap(),
        meta: json!({"from": "a test"}).as_object().cloned(),
        ..Turn::new(ConversationId::new(conversation).unwrap(), SessionId::new("s1").unwrap(), "Ola", text)
    };
    memory.add_turns(&me, vec![turn("farm", "a1", "The well is dry."), turn("town", "b1", "The fair is on.")]).unwrap();
    let note = Note {
        id: Some(MemoryId::new("n1").unwrap()),
        conversation: Some(ConversationId::new("farm").unwrap()),
        text: "Ola needs water.".to_owned(),
        said_at: None,
        importance: Importance::default(),
        tags: Vec::new(),
        sensitivity: Sensitivity::Ordinary,
        source: vec![MemoryId::new("a1").unwrap()],
    };
    memory.add_note(&me, note).unwrap();
    let mut exported = Vec::new();
    memory.export(&me, &Scope::default(), &mut exported).unwrap();
    let query = |id: &str, gold: &[&str]| json!({"id": id, "query": format!("What of {id}?"), "gold_ids": gold});
    let queries = [query("water", &["a1", "n1"]), query("fair", &["b1"])].map(|query| format!("{query}\n")).concat();
    let folder =
        Folder::with(&[("memories.jsonl", std::str::from_utf8(&exported).unwrap()), ("queries.jsonl", &queries)]);
    let benchmark = DataSet::Jsonl.load(&folder.path(""), Granularity::Turn).unwrap();
    assert_eq!(benchmark.ledger, Default::default(), "nothing is left out, and no field");
    assert_eq!(question(&benchmark, "farm::water").gold, ["a1", "n1"], "its gold says of which group a query is");
    assert_eq!(question(&benchmark, "town::fair").gold, ["b1"]);
    let Draft::Turn(first) = &benchmark.groups[0].memories[0] else { panic!("a turn comes first") };
    assert_eq!((first.importance.value(), first.tags.len()), (0.75, 1));
    // Gold of two groups says nothing.
    let both = format!("{}\n", query("all", &["a1", "b1"]));
    let folder = Folder::with(&[("memories.jsonl", std::str::from_utf8(&exported).unwrap()), ("queries.jsonl", &both)]);
    let message = DataSet::Jsonl.load(&folder.path(""), Granularity::Turn).unwrap_err().to_string();
    assert!(message.contains("queries.jsonl, line 1") && message.contains("0 of 2 groups"), "{message}");
}
