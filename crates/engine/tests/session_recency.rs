//! Messages that go on with something in a chat with an assistant: what was said in recent sessions counts more.

use aforesaid::{Explanations, Hit, Memory, Pipeline, SearchResponse, types::*};

const GOES_ON: &str = "They agreed to the second date, so the kitchen needs to change too. What now?";
const QUESTION: &str = "which date did they agree to for the kitchen?";

/// Five sessions with `other`, a day apart, that say the same of the kitchen.
fn search(other: &str, text: &str, unit: Granularity, pipeline: &Pipeline) -> SearchResponse {
    let memory = Memory::builder().open("memory:").unwrap();
    let namespace = Namespace::new("me").unwrap();
    let turn = |day: u32, part: &str, speaker: &str, text: &str| Turn {
        id: Some(MemoryId::new(format!("{part}{day}")).unwrap()),
        said_at: Some(format!("2025-03-0{day}T10:00:00Z").parse().unwrap()),
        ..Turn::new(ConversationId::new("chat").unwrap(), SessionId::new(format!("s{day}")).unwrap(), speaker, text)
    };
    let said = |day| {
        [
            turn(day, "told", "Ann", "They agreed to a date for the kitchen."),
            turn(day, "reply", other, "Good, then order the tiles."),
        ]
    };
    memory.add_turns(&namespace, (1..=5).flat_map(said).collect()).unwrap();
    let query = Query { unit, ..Query::new(namespace, text) };
    memory.search(&query, pipeline, Explanations::Omit).unwrap()
}

/// How recent each hit is, by the day in its id; of turns what Ann told.
fn recency(found: &SearchResponse) -> Vec<(char, f64)> {
    let of = |hit: &Hit| (hit.id.chars().last().unwrap(), hit.legs.get("session_recency").map_or(0.0, |leg| leg.score));
    let mut recency: Vec<_> = found.hits.iter().filter(|hit| !hit.id.starts_with("reply")).map(of).collect();
    recency.sort_by_key(|(day, _)| *day);
    recency
}

#[test]
fn what_was_said_before_fewer_sessions_counts_more() {
    for unit in [Granularity::Turn, Granularity::Session] {
        let found = search("assistant", GOES_ON, unit, &Pipeline::lexical());
        let recency = recency(&found);
        assert_eq!(recency.len(), 5, "{recency:?}");
        // A session more since is a factor of e^(-1/30).
        let grows = |pair: &[(char, f64)]| (pair[1].1 / pair[0].1 - (1.0_f64 / 30.0).exp()).abs() < 1e-9;
        assert!(recency.windows(2).all(grows) && recency[4].1 >= 0.5, "{recency:?}");
        let order: Vec<_> = found.hits.iter().map(|hit| (hit.id.as_str(), hit.score)).collect();
        assert!(order[0].0.ends_with('5'), "the newest of those that are alike stands first: {order:?}");
        let without = search("assistant", GOES_ON, unit, &Pipeline::lexical().without_boost("recency_boost"));
        assert!(without.hits.iter().all(|hit| hit.legs.get("session_recency").is_none()));
    }
}

#[test]
fn a_session_is_as_recent_as_its_last_turn_and_a_note_as_it_is() {
    let memory = Memory::builder().open("memory:").unwrap();
    let namespace = Namespace::new("me").unwrap();
    let turn = |session: &str, part: &str, day: Option<u32>| Turn {
        id: Some(MemoryId::new(format!("{session}{part}")).unwrap()),
        said_at: day.map(|day| format!("2025-03-0{day}T10:00:00Z").parse().unwrap()),
        ..Turn::new(
            ConversationId::new(session).unwrap(),
            SessionId::new(session).unwrap(),
            "assistant",
            "They agreed to a date for the kitchen.",
        )
    };
    // The first session goes on after the second; the third has no time.
    let said = vec![turn("a", "1", Some(1)), turn("b", "1", Some(2)), turn("a", "2", Some(3)), turn("c", "1", None)];
    memory.add_turns(&namespace, said).unwrap();
    let note = Note {
        text: "They agreed to a date for the kitchen.".to_owned(),
        id: Some(MemoryId::new("note").unwrap()),
        said_at: Some("2025-03-02T12:00:00Z".parse().unwrap()),
        conversation: None,
        importance: Importance::default(),
        tags: Vec::new(),
        sensitivity: Sensitivity::Ordinary,
        source: Vec::new(),
    };
    memory.add_note(&namespace, note).unwrap();
    let found = memory.search(&Query::new(namespace, GOES_ON), &Pipeline::lexical(), Explanations::Omit).unwrap();
    let of = |id: &str| {
        let hit = found.hits.iter().find(|hit| hit.id == id).unwrap();
        hit.legs.get("session_recency").map_or(0.0, |leg| leg.score)
    };
    let a_session_since = (-1.0_f64 / 30.0).exp();
    assert_eq!(of("a1"), of("a2"));
    assert!((of("b1") / of("a1") - a_session_since).abs() < 1e-9 && of("note") == of("b1"));
    assert_eq!(of("c1"), 0.0);
}

#[test]
fn nothing_is_recent_where_nothing_goes_on_or_no_assistant_speaks() {
    for (other, text) in [("assistant", QUESTION), ("Ben", GOES_ON)] {
        for unit in [Granularity::Turn, Granularity::Session] {
            let found = search(other, text, unit, &Pipeline::lexical());
            assert_eq!(recency(&found).len(), 5);
            assert!(recency(&found).iter().all(|(_, of)| *of == 0.0), "{other} {text}");
        }
    }
}
