//! Sessions, the latest memories, and ids by how they begin.

use super::{add, note, ns, texts, turn};
use crate::{
    store::{DeleteTarget, MemoryRef, SessionSummary, SpeakerSummary, Store},
    types::{ConversationId, Draft, MemoryFilter, MemoryId, Note, Scope, Seq, SessionId, Timestamp, Turn},
};

fn at(day: &str) -> Option<Timestamp> {
    Some(day.parse().unwrap())
}

fn said(id: &str, conversation: &str, session: &str, day: Option<&str>) -> Draft {
    Draft::Turn(Turn { said_at: day.and_then(at), ..turn(Some(id), conversation, session, id) })
}

pub(super) fn speakers_are_listed(store: &dyn Store) {
    let spoken = |id: &str, speaker: &str, day: Option<&str>| {
        Draft::Turn(Turn { said_at: day.and_then(at), speaker: speaker.to_owned(), ..turn(Some(id), "c", "s", "said") })
    };
    let drafts = [
        spoken("t1", "zoe", Some("2024-01-02")),
        spoken("t2", "Zoe", None),
        Draft::Note(note("n1", "nobody says a note")),
        spoken("t3", "zoe", Some("2024-01-01")),
        spoken("t4", "It's \"Ægir\"", Some("2024-02-01")),
        spoken("t5", "zoe", None),
    ];
    add(store, "a", &drafts);
    add(store, "b", &[spoken("t1", "Ann", None)]);
    let row = |speaker: &str, turns, (first, last), latest| SpeakerSummary {
        speaker: speaker.to_owned(),
        turns,
        first,
        last,
        latest: Seq(latest),
    };
    let february = (at("2024-02-01"), at("2024-02-01"));
    let all = [
        row("It's \"Ægir\"", 1, february, 5),
        row("Zoe", 1, (None, None), 2),
        row("zoe", 3, (at("2024-01-01"), at("2024-01-02")), 6),
    ];
    assert_eq!(store.speakers(&ns("a"), &Scope::default()).unwrap(), all);
    let late = Scope { from: at("2024-01-02"), ..Scope::default() };
    let day = (at("2024-01-02"), at("2024-01-02"));
    assert_eq!(store.speakers(&ns("a"), &late).unwrap(), [row("It's \"Ægir\"", 1, february, 5), row("zoe", 1, day, 1)]);
    let filter = MemoryFilter { speakers: vec!["Zoe".to_owned()], ..MemoryFilter::default() };
    let of_one = Scope { filter, ..Scope::default() };
    assert_eq!(store.speakers(&ns("a"), &of_one).unwrap(), [row("Zoe", 1, (None, None), 2)]);
    assert!(store.speakers(&ns("zzz"), &Scope::default()).is_err());
}

pub(super) fn sessions_are_listed(store: &dyn Store) {
    let of_d =
        Note { conversation: Some(ConversationId::new("d").unwrap()), said_at: at("2025-06-01"), ..note("n2", "x") };
    let titled =
        Turn { said_at: at("2024-02-01"), title: Some("It's \"r\"".to_owned()), ..turn(Some("t4"), "c", "r", "t4") };
    let drafts = [
        said("t1", "c", "s", Some("2024-01-02")),
        said("t2", "d", "s", None),
        Draft::Note(note("n1", "alone")),
        said("t3", "c", "s", Some("2024-01-01")),
        Draft::Note(of_d),
        Draft::Turn(titled),
    ];
    add(store, "a", &drafts);
    let row = |conversation: Option<&str>, session: Option<&str>, memories, (first, last), latest| SessionSummary {
        conversation: conversation.map(|name| ConversationId::new(name).unwrap()),
        session: session.map(|name| SessionId::new(name).unwrap()),
        title: (session == Some("r")).then(|| "It's \"r\"".to_owned()),
        memories,
        first,
        last,
        latest: Seq(latest),
    };
    let all = [
        row(Some("c"), Some("s"), 2, (at("2024-01-01"), at("2024-01-02")), 4),
        row(Some("c"), Some("r"), 1, (at("2024-02-01"), at("2024-02-01")), 6),
        row(Some("d"), Some("s"), 1, (None, None), 2),
        row(Some("d"), None, 1, (at("2025-06-01"), at("2025-06-01")), 5),
        row(None, None, 1, (None, None), 3),
    ];
    assert_eq!(store.sessions(&ns("a"), &Scope::default()).unwrap(), all);
    let early = Scope { to: at("2024-01-01"), ..Scope::default() };
    let day = (at("2024-01-01"), at("2024-01-01"));
    assert_eq!(store.sessions(&ns("a"), &early).unwrap(), [row(Some("c"), Some("s"), 1, day, 4)]);
    let titled = |title: &str| store.conversations_titled(&ns("a"), title).unwrap();
    assert_eq!(titled("It's \"r\"")[0].as_str(), "c");
    assert!(titled("it's \"r\"").is_empty() && titled("").is_empty());
    let has = |name: &str| store.has_conversation(&ns("a"), &ConversationId::new(name).unwrap()).unwrap();
    assert!(has("c") && has("d") && !has("s"));
    assert!(store.sessions(&ns("zzz"), &Scope::default()).is_err());
    let latest = |scope: &Scope, limit| store.latest(&ns("a"), scope, limit).unwrap();
    assert_eq!(texts(&latest(&Scope::default(), 99)), ["x", "t4", "t1", "t3", "alone", "t2"]);
    assert_eq!(texts(&latest(&Scope::default(), 2)), ["x", "t4"]);
    assert_eq!(texts(&latest(&early, 9)), ["t3"]);
}

pub(super) fn ids_are_found_by_how_they_begin(store: &dyn Store) {
    let drafts: Vec<Draft> = ["ab%1", "ab_2", "abc", "abcd", "ab\u{10ffff}", "b", "s:1", "s:12", "s:1x", "é1"]
        .iter()
        .flat_map(|id| [said(id, "c", "s", None), said(id, "d", "s", None)])
        .take(19)
        .collect();
    add(store, "a", &drafts);
    add(store, "b", &[said("abce", "c", "s", None)]);
    let starting = |id: &str, conversation: Option<&str>, limit| -> Vec<String> {
        let conversation = conversation.map(|name| ConversationId::new(name).unwrap());
        let beginning = MemoryRef { id: MemoryId::new(id).unwrap(), conversation };
        let found = store.ids_starting(&ns("a"), &beginning, limit).unwrap();
        found
            .into_iter()
            .map(|of| format!("{}/{}", of.conversation.map_or_else(String::new, String::from), of.id))
            .collect()
    };
    assert_eq!(starting("abc", None, 9), ["c/abc", "d/abc", "c/abcd", "d/abcd"]);
    assert_eq!(starting("abc", None, 3), ["c/abc", "d/abc", "c/abcd"]);
    assert_eq!(starting("abc", Some("d"), 9), ["d/abc", "d/abcd"]);
    assert_eq!(starting("ab%", Some("c"), 9), ["c/ab%1"]);
    assert_eq!(starting("ab_", Some("c"), 9), ["c/ab_2"]);
    assert_eq!(starting("ab\u{10ffff}", Some("c"), 9), ["c/ab\u{10ffff}"]);
    assert_eq!(starting("é", None, 9), ["c/é1"]);
    assert!(starting("abc", Some("e"), 9).is_empty() && starting("abc", None, 0).is_empty());
    // Who forgets `s:1` twice must not lose `s:12`.
    let seq = super::find(store, "a", "s:1")[0].seq;
    store.forget(&ns("a"), &DeleteTarget::One(seq)).unwrap();
    assert_eq!(starting("s:1", Some("c"), 9), ["c/s:1x"]);
    assert_eq!(starting("s:", Some("c"), 9), ["c/s:12", "c/s:1x"]);
    let nobody = MemoryRef { id: MemoryId::new("abc").unwrap(), conversation: None };
    assert!(store.ids_starting(&ns("zzz"), &nobody, 9).unwrap().is_empty());
}
