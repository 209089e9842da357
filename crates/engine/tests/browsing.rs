//! Filters, lists, names by how they begin and by title, and changes to what is stored.

use aforesaid::{
    Error, Explanations, InvalidMemory, Locality, Memory, Pipeline, StoreError, Target, Warning,
    pipeline::Filter,
    store::{MemoryRef, MemoryUpdate},
    types::*,
};

use crate::bags::*;

fn note(id: &str, text: &str) -> Note {
    Note {
        id: Some(MemoryId::new(id).unwrap()),
        conversation: None,
        text: text.to_owned(),
        said_at: Some("2024-05-01".parse().unwrap()),
        importance: Importance::default(),
        tags: vec!["food".to_owned()],
        sensitivity: Sensitivity::Ordinary,
        source: vec![MemoryId::new("p1").unwrap()],
    }
}

/// The history, whose kites are tagged and titled, and a note.
fn filled() -> Memory {
    let memory = open("memory:", local());
    let turns = history().into_iter().map(|turn| {
        let of_kites = turn.conversation.as_str() == "kites";
        let meta = serde_json::json!({"from": turn.conversation.as_str()});
        Turn {
            tags: if of_kites { vec!["kite".to_owned()] } else { Vec::new() },
            title: of_kites.then(|| format!("Kites {}", turn.session)),
            meta: meta.as_object().cloned(),
            ..turn
        }
    });
    memory.add_turns(&ns("me"), turns.collect()).unwrap();
    memory.add_note(&ns("me"), note("note-cumin", "Cyd puts cumin into soup.")).unwrap();
    memory
}

fn name(id: &str, conversation: Option<&str>) -> MemoryRef {
    let conversation = conversation.map(|name| ConversationId::new(name).unwrap());
    MemoryRef { id: MemoryId::new(id).unwrap(), conversation }
}

fn found(memory: &Memory, text: &str, filter: &MemoryFilter, unit: Granularity) -> Vec<String> {
    let scope = Scope { filter: filter.clone(), ..Scope::default() };
    let query = Query { scope, unit, unmatched: Unmatched::Include, ..Query::new(ns("me"), text) };
    let hits = memory.search(&query, &Pipeline::hybrid(), Explanations::Omit).unwrap().hits;
    let ranked = memory.rank(&query, &Pipeline::hybrid()).unwrap().hits;
    assert_eq!(
        ranked.iter().map(|hit| &hit.id).collect::<Vec<_>>(),
        hits.iter().map(|hit| &hit.id).collect::<Vec<_>>()
    );
    let mut ids: Vec<String> = hits.into_iter().map(|hit| hit.id).collect();
    ids.sort();
    ids
}

#[test]
fn a_search_finds_only_what_is_like_asked_for() {
    let memory = filled();
    let speaker = MemoryFilter { speakers: vec!["Ann".to_owned()], ..MemoryFilter::default() };
    let tagged = MemoryFilter { tags: vec!["kite".to_owned()], ..MemoryFilter::default() };
    let notes = MemoryFilter { kind: Some(Kind::Note), ..MemoryFilter::default() };
    let drawn = MemoryFilter { sources: vec![MemoryId::new("p1").unwrap()], ..MemoryFilter::default() };
    let meta = MetaField { key: "from".to_owned(), value: "soup".to_owned() };
    let meta = MemoryFilter { meta: vec![meta], ..MemoryFilter::default() };
    for (filter, turns, sessions) in [
        (&speaker, vec!["k1", "k3"], vec!["s1", "s2"]),
        (&tagged, vec!["k1", "k2", "k3", "k4"], vec!["s1", "s2"]),
        (&notes, vec!["note-cumin"], vec![]),
        (&drawn, vec!["note-cumin"], vec![]),
        (&meta, vec!["p1", "p2"], vec!["s1", "s2"]),
    ] {
        assert_eq!(found(&memory, "kite and soup on a ladder", filter, Granularity::Turn), turns, "{filter:?}");
        assert_eq!(found(&memory, "kite and soup on a ladder", filter, Granularity::Session), sessions, "{filter:?}");
    }
    // A session shows of itself only what passes.
    let query = Query {
        scope: Scope { filter: speaker.clone(), ..Scope::default() },
        unit: Granularity::Session,
        ..Query::new(ns("me"), "a ladder to sew the kite")
    };
    let hits = memory.search(&query, &Pipeline::hybrid(), Explanations::Omit).unwrap().hits;
    let shown: Vec<&str> = hits.iter().flat_map(|hit| &hit.turns).map(|turn| turn.id.as_str()).collect();
    assert!(!shown.is_empty() && shown.iter().all(|id| ["k1", "k3"].contains(id)), "{shown:?}");
    // Whoever changes a tag finds by it at once.
    let update = MemoryUpdate { tags: Some(vec!["kite".to_owned()]), ..MemoryUpdate::default() };
    memory.update(&ns("me"), &name("p1", None), &update).unwrap();
    assert_eq!(found(&memory, "soup", &tagged, Granularity::Turn), ["k1", "k2", "k3", "k4", "p1"]);
    let why = Query { scope: Scope { filter: speaker, ..Scope::default() }, ..Query::new(ns("me"), "ladder") };
    let why = memory.why(&why, &Pipeline::hybrid(), "k2").unwrap();
    assert_eq!(why.excluded_by, [Filter::Attributes]);
    let gone = Target::Within(Scope { filter: notes, ..Scope::default() });
    assert_eq!((memory.count(&ns("me"), &gone).unwrap(), memory.forget(&ns("me"), &gone).unwrap().notes), (1, 1));
    let error = memory.forget(&ns("me"), &gone).unwrap_err().to_string();
    assert!(error.starts_with("notes: nothing in namespace"), "{error}");
}

#[test]
fn a_hit_carries_what_it_is_filtered_by() {
    let memory = filled();
    let query = Query::new(ns("me"), "red kite chestnut tree");
    let hit = memory.search(&query, &Pipeline::hybrid(), Explanations::Omit).unwrap().hits.remove(0);
    let hit = serde_json::to_value(hit).unwrap();
    let of = |field: &str| hit[field].to_string();
    assert_eq!(
        ["tags", "importance", "sensitive", "meta", "title"].map(of),
        ["[\"kite\"]", "0.5", "false", "{\"from\":\"kites\"}", "\"Kites s1\""]
    );
}

#[test]
fn lists_begin_with_the_latest() {
    let memory = filled();
    let all = memory.conversations(&ns("me"), &Scope::default()).unwrap();
    let listed: Vec<(Option<&str>, Option<&str>, [u64; 3])> = all
        .iter()
        .map(|of| {
            let name = of.conversation.as_ref().map(ConversationId::as_str);
            (name, of.title.as_deref(), [of.sessions, of.turns, of.notes])
        })
        .collect();
    assert_eq!(
        listed,
        [(None, None, [0, 0, 1]), (Some("soup"), None, [2, 2, 0]), (Some("kites"), Some("Kites s2"), [2, 4, 0])]
    );
    let kites = Scope { conversation: Some(ConversationId::new("Kites s1").unwrap()), ..Scope::default() };
    let sessions = memory.sessions(&ns("me"), &kites).unwrap();
    let sessions: Vec<(&str, u64)> = sessions.iter().map(|of| (of.session.as_str(), of.turns)).collect();
    assert_eq!(sessions, [("s2", 2), ("s1", 2)], "a title names its conversation");
    let recent = memory.recent(&ns("me"), &Scope::default(), 3).unwrap();
    assert_eq!(recent.iter().map(|of| of.id.as_str()).collect::<Vec<_>>(), ["note-cumin", "p2", "p1"]);
    let nowhere = Scope { conversation: Some(ConversationId::new("Kites s9").unwrap()), ..Scope::default() };
    assert!(matches!(memory.conversations(&ns("me"), &nowhere), Err(Error::EmptyScope { .. })));
}

#[test]
fn a_name_stands_for_one_memory() {
    let memory = filled();
    for turns in [
        vec![turn("a", "s", "3f2a-one", "Ann", "one"), turn("a", "s", "3f2a", "Ann", "exact")],
        vec![turn("a", "s", "same-id", "Ann", "in a"), turn("b", "s", "same-id", "Ann", "in b")],
        (0..7).map(|n| turn("b", "s", &format!("many-{n}x"), "Ann", "many")).collect(),
    ] {
        memory.add_turns(&ns("me"), turns).unwrap();
    }
    let resolve = |id: &str, conversation: Option<&str>| memory.resolve(&ns("me"), &name(id, conversation));
    assert_eq!(resolve("note-", None).unwrap(), name("note-cumin", None));
    assert_eq!(resolve("3f2a", None).unwrap().id.as_str(), "3f2a", "an id goes before the beginning of another");
    assert_eq!(resolve("3f2a-", None).unwrap(), name("3f2a-one", Some("a")));
    assert_eq!(resolve("same-", Some("b")).unwrap(), name("same-id", Some("b")));
    assert_eq!(resolve("k1", Some("Kites s2")).unwrap(), name("k1", Some("kites")));
    assert!(matches!(resolve("not", None), Err(Error::UnknownMemory { .. })), "too short");
    assert!(matches!(resolve("note-z", None), Err(Error::UnknownMemory { .. })));
    assert!(
        matches!(resolve("same-", None), Err(Error::AmbiguousMemory { conversations, .. }) if conversations.len() == 2)
    );
    let error = resolve("many-", None).unwrap_err();
    assert_eq!(
        error.to_string(),
        "id \"many-\": several ids begin so (\"many-0x\" in \"b\", \"many-1x\" in \"b\", \"many-2x\" in \"b\", \"many-3x\" in \
         \"b\", \"many-4x\" in \"b\", ...); give more of it"
    );
    assert_eq!(error.report().data["candidates"].as_array().unwrap().len(), 5);
    let again = Turn { title: Some("Kites s1".to_owned()), ..turn("c", "s", "other", "Ann", "another") };
    memory.add_turns(&ns("me"), vec![again]).unwrap();
    assert!(matches!(resolve("k1", Some("Kites s1")), Err(Error::AmbiguousConversation { .. })));
}

#[test]
fn a_title_of_some_sessions_does_not_forget_the_others() {
    let memory = filled();
    let within = |conversation: &str, session: Option<&str>| {
        let conversation = Some(ConversationId::new(conversation).unwrap());
        let session = session.map(|session| SessionId::new(session).unwrap());
        Target::Within(Scope { conversation, session, ..Scope::default() })
    };
    let all = memory.count(&ns("me"), &within("kites", None)).unwrap();
    let refused = memory.forget(&ns("me"), &within("kites S1", None)).unwrap_err();
    assert!(matches!(&refused, Error::AmbiguousTitle { session, .. } if session.as_str() == "s1"), "{refused}");
    assert_eq!(memory.count(&ns("me"), &within("kites", None)).unwrap(), all);

    // With its session, a title says which conversation; and one that no session lacks stands for all of it.
    memory.forget(&ns("me"), &within("Kites s1", Some("s1"))).unwrap();
    let left = memory.count(&ns("me"), &within("kites", None)).unwrap();
    assert!(left > 0 && left < all);
    assert_eq!(memory.forget(&ns("me"), &within("Kites s2", None)).unwrap().turns, left);
}

#[test]
fn a_speaker_goes_by_the_name_in_any_case_and_by_its_first_words() {
    let memory = open("memory:", local());
    let said = ["Priya Raman", "Priyanka", "Ann", "Bo Berg", "Bo Lund", "MAYA", "Maya"];
    for (n, speaker) in said.into_iter().enumerate() {
        let of = Turn {
            said_at: Some(format!("2024-05-0{}", n + 1).parse().unwrap()),
            ..turn("talk", "s", &format!("t{n}"), speaker, "A kite flies.")
        };
        memory.add_turns(&ns("me"), vec![of]).unwrap();
    }
    let named = |name: &str| memory.resolve_speaker(&ns("me"), name);
    for (name, expected) in
        [("Ann", "Ann"), ("ann ", "Ann"), ("priya", "Priya Raman"), ("Bo berg", "Bo Berg"), ("Maya", "Maya")]
    {
        assert_eq!(named(name).unwrap(), expected, "{name}");
    }
    let ambiguous = |name: &str| match named(name) {
        Err(Error::AmbiguousSpeaker { speakers, total, .. }) => (speakers, total),
        other => panic!("{name}: {other:?}"),
    };
    assert_eq!(ambiguous("bo"), (vec!["Bo Lund".to_owned(), "Bo Berg".to_owned()], 2));
    assert_eq!(ambiguous("maya").1, 2);
    let error = named("Priy").unwrap_err();
    assert_eq!((error.code(), error.kind()), ("unknown_speaker", aforesaid::ErrorKind::NotFound));
    assert!(error.to_string().contains("of 7 speakers the nearest are: \"Priya Raman\""), "{error}");
    assert!(matches!(named(""), Err(Error::UnknownSpeaker { .. })));

    // Every call that takes a filter goes by it.
    let by = |name: &str| {
        let filter = MemoryFilter { speakers: vec![name.to_owned()], ..MemoryFilter::default() };
        Scope { filter, ..Scope::default() }
    };
    let query = |name: &str| Query { scope: by(name), ..Query::new(ns("me"), "kite") };
    let search = |name: &str| memory.search(&query(name), &Pipeline::hybrid(), Explanations::Omit);
    assert_eq!(search("priya").unwrap().hits[0].id, "t0");
    assert!(matches!(search("Zoe"), Err(Error::UnknownSpeaker { .. })));
    assert!(matches!(memory.recent(&ns("me"), &by("Zoe"), 3), Err(Error::UnknownSpeaker { .. })));
    assert_eq!(memory.recent(&ns("me"), &by("priya"), 3).unwrap().len(), 1);
    let listed = memory.speakers(&ns("me"), &Scope::default()).unwrap();
    assert_eq!((listed.len(), listed[0].speaker.as_str(), listed[0].turns), (7, "Maya", 1));
    assert_eq!(listed[0].first, listed[0].last);
    assert_eq!(memory.forget(&ns("me"), &Target::Within(by("PRIYANKA"))).unwrap().turns, 1);
    // First words stand for nobody where something is deleted.
    let refused = memory.forget(&ns("me"), &Target::Within(by("priya")));
    assert!(matches!(refused, Err(Error::UnknownSpeaker { .. })), "{refused:?}");
    assert_eq!(memory.recent(&ns("me"), &by("priya"), 3).unwrap().len(), 1);
}

#[test]
fn a_search_stops_before_what_the_beginning_of_an_id_stands_for() {
    let memory = open("memory:", local());
    for (id, day) in [("aaaa1111", 1), ("bbbb2222", 2), ("cccc3333", 3)] {
        let said_at = Some(format!("2024-05-0{day}").parse().unwrap());
        let of = Turn { said_at, ..turn("talk", "s", id, "Ann", "A kite flies.") };
        memory.add_turns(&ns("me"), vec![of]).unwrap();
    }
    let before = |id: &str| {
        let query = Query { before: Some(MemoryId::new(id).unwrap()), ..Query::new(ns("me"), "kite") };
        Ok::<_, Error>(memory.search(&query, &Pipeline::hybrid(), Explanations::Omit)?.hits.len())
    };
    assert_eq!(before("bbbb").unwrap(), 1);
    assert!(matches!(before("bbb"), Err(Error::UnknownMemory { .. })));
    let note = Note { source: vec![MemoryId::new("bbbb2222").unwrap()], ..note("drawn", "Ann has a kite.") };
    memory.add_note(&ns("me"), note).unwrap();
    let drawn = |id: &str| MemoryFilter { sources: vec![MemoryId::new(id).unwrap()], ..MemoryFilter::default() };
    assert_eq!(found(&memory, "kite", &drawn("bbbb"), Granularity::Turn), ["drawn"]);
    assert!(found(&memory, "kite", &drawn("gone-long-ago"), Granularity::Turn).is_empty());
}

#[test]
fn a_conversation_goes_by_its_title_in_any_case_and_by_the_beginning_of_its_name() {
    let memory = filled();
    let ids = ["5d75a000-0b1d-4c3e-9f00-000000000001", "5d75a111-0b1d-4c3e-9f00-000000000001", "chat-12"];
    for (n, id) in ids.into_iter().enumerate() {
        let of = Turn { title: Some(format!("Plans {n}")), ..turn(id, "s", "t", "Ann", "plans") };
        memory.add_turns(&ns("me"), vec![of]).unwrap();
    }
    let named = |conversation: &str| {
        let conversation = Some(ConversationId::new(conversation).unwrap());
        let found = memory.sessions(&ns("me"), &Scope { conversation, ..Scope::default() })?;
        Ok::<_, Error>(found[0].conversation.to_string())
    };
    for (name, expected) in [
        ("SOUP", "soup"),
        ("kites S2", "kites"),
        ("plans 1", ids[1]),
        ("5d75a0", ids[0]),
        ("5d75a111-0b1d", ids[1]),
        ("chat-", ids[2]),
        ("kite", "kites"),
    ] {
        assert_eq!(named(name).unwrap(), expected, "{name}");
    }
    assert!(
        matches!(named("5d75a"), Err(Error::AmbiguousConversation { conversations, .. }) if conversations.len() == 2)
    );
    for unknown in ["chat-1", "kit", "5d75a222", "5d75a000-0b1d-4c3e-9f00-000000000009"] {
        assert!(matches!(named(unknown), Err(Error::EmptyScope { .. })), "{unknown}");
    }
}

#[test]
fn a_note_gets_another_text_and_is_found_by_it() {
    let memory = filled();
    let hits = |text: &str| -> Vec<String> {
        let query = Query::new(ns("me"), text);
        let found = memory.search(&query, &Pipeline::hybrid(), Explanations::Omit).unwrap();
        assert_eq!(found.warnings, []);
        found.hits.into_iter().map(|hit| hit.text).collect()
    };
    assert_eq!(hits("cumin into soup")[0], "Cyd puts cumin into soup.");
    let update = MemoryUpdate { text: Some("Cyd prefers turmeric.".to_owned()), ..MemoryUpdate::default() };
    let updated = memory.update(&ns("me"), &name("note-cumin", None), &update).unwrap();
    assert_eq!((updated.report.changed, updated.report.vectors), (vec!["text"], 1));
    assert_eq!(updated.memory.text, "Cyd prefers turmeric.");
    assert_eq!(hits("turmeric")[0], "Cyd prefers turmeric.");
    assert!(!hits("cumin into soup").contains(&"Cyd puts cumin into soup.".to_owned()));
    assert_eq!(memory.stats(&ns("me")).unwrap().vectors.into_values().collect::<Vec<_>>(), [7], "the new text has one");
    assert_eq!(memory.update(&ns("me"), &name("note-cumin", None), &update).unwrap().report.changed, [""; 0]);
    let refused = memory.update(&ns("me"), &name("k1", None), &update).unwrap_err();
    assert!(matches!(refused, Error::Store(StoreError::Invalid(InvalidMemory::WasSaid { .. }))), "{refused}");

    // Importance moves a hit at once.
    let loud = MemoryUpdate { importance: Some(Importance::new(1.0).unwrap()), ..MemoryUpdate::default() };
    let before = memory.rank(&Query::new(ns("me"), "turmeric"), &Pipeline::hybrid()).unwrap().hits[0].score;
    memory.update(&ns("me"), &name("note-cumin", None), &loud).unwrap();
    assert!(memory.rank(&Query::new(ns("me"), "turmeric"), &Pipeline::hybrid()).unwrap().hits[0].score > before);
}

#[test]
fn a_note_takes_the_place_of_the_one_with_its_id() {
    let memory = filled();
    let later =
        Note { said_at: Some("2025-01-01".parse().unwrap()), ..note("note-cumin", "Cyd puts cumin into soup.") };
    let same = memory.upsert_note(&ns("me"), later.clone()).unwrap();
    assert_eq!((same.added, same.updated, same.unchanged), (0, 0, 1), "another time alone is no change");
    let changed = memory.upsert_note(&ns("me"), Note { text: "No more soup.".to_owned(), ..later }).unwrap();
    assert_eq!((changed.updated, changed.changed), (1, vec!["text", "said_at"]));
    let added = memory.upsert_note(&ns("me"), note("note-new", "A new one.")).unwrap();
    assert_eq!((added.added, added.updated, added.unchanged), (1, 0, 0));
    assert_eq!(memory.stats(&ns("me")).unwrap().notes, 2, "before the next one");
    assert!(matches!(memory.upsert_note(&ns("me"), Note { id: None, ..note("x", "y") }), Err(Error::NoteWithoutId)));
    // A mark that the new note does not state stays, as in an import: the text was shown to servers once it was replaced.
    let marked = Note {
        importance: Importance::new(0.9).unwrap(),
        tags: vec!["code".to_owned()],
        sensitivity: Sensitivity::Sensitive,
        ..note("note-pin", "The pin is 4711.")
    };
    memory.upsert_note(&ns("me"), marked.clone()).unwrap();
    let bare = Note { tags: Vec::new(), ..note("note-pin", "The pin is 4712.") };
    let changed = memory.upsert_note(&ns("me"), bare).unwrap();
    assert_eq!(changed.changed, ["text"]);
    let kept = memory.show(&ns("me"), &name("note-pin", None), 0, 0).unwrap().memory;
    assert_eq!((kept.importance, kept.tags, kept.sensitivity), (marked.importance, marked.tags, marked.sensitivity));
    let of_turn = Note { conversation: Some(ConversationId::new("kites").unwrap()), ..note("k1", "not a turn") };
    assert!(memory.upsert_note(&ns("me"), of_turn).is_err());
    assert_eq!(memory.show(&ns("me"), &name("k1", None), 0, 0).unwrap().memory.kind, Kind::Turn);
}

#[test]
fn a_sensitive_text_is_not_shown_to_a_server() {
    let encoder = Bags::new("far@1/remote", Locality::Remote);
    let memory = open("memory:", encoder.clone());
    memory.add_note(&ns("me"), note("note-open", "an open secret")).unwrap();
    let hidden = MemoryUpdate {
        text: Some("a hidden secret".to_owned()),
        sensitivity: Some(Sensitivity::Sensitive),
        ..MemoryUpdate::default()
    };
    let updated = memory.update(&ns("me"), &name("note-open", None), &hidden).unwrap();
    assert_eq!(updated.warnings, Vec::<Warning>::new());
    assert!(encoder.seen.lock().unwrap().iter().all(|text| !text.contains("hidden")));
}
