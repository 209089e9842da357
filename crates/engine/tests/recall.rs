//! What an agent is handed of earlier sessions.

use aforesaid::{
    EncoderSource, Error, Explanations, Memory, NoVectors, Pipeline, RecallOptions, Reranking, Target,
    pipeline::Filter, types::*,
};

use crate::bags::by_last_word;

fn ns() -> Namespace {
    Namespace::new("me").unwrap()
}

fn conversation(name: &str) -> ConversationId {
    ConversationId::new(name).unwrap()
}

/// An earlier session about a reel among other talk, and a present one that repeats the question a dozen times.
fn filled() -> Memory {
    let encoders = EncoderSource::Unavailable { reason: NoVectors::NotUsed };
    let memory = Memory::builder().encoders(encoders).open("memory:").unwrap();
    let said = |conversation: &str, number: usize, text: &str| Turn {
        id: Some(MemoryId::new(format!("{conversation}-{number}")).unwrap()),
        conversation: ConversationId::new(conversation).unwrap(),
        session: SessionId::new("s").unwrap(),
        title: None,
        speaker: "user".to_owned(),
        text: text.to_owned(),
        said_at: Some("2026-10-02".parse().unwrap()),
        image_caption: None,
        importance: Importance::default(),
        tags: Vec::new(),
        sensitivity: Sensitivity::Ordinary,
        meta: None,
    };
    let mut turns = vec![said("earlier", 1, "The pawl of the reel jams in the cold: frost has bent it.")];
    turns.extend((2..30).map(|number| said("earlier", number, &format!("The tail has {number} bows."))));
    turns.extend((1..14).map(|number| said("present", number, "Why does the pawl of the reel jam in the cold?")));
    memory.add_turns(&ns(), turns).unwrap();
    memory
}

fn options(present: Option<&str>) -> RecallOptions {
    RecallOptions {
        most_chars: 1_500,
        min_confidence: Some(0.0),
        present: present.map(conversation).into_iter().collect(),
    }
}

/// A hook said nothing where the present session itself answered best: it was taken out of the hits after the search, so
/// that the first hit, whose confidence is known, was gone.
#[test]
fn the_present_session_does_not_stand_before_earlier_ones() {
    let memory = filled();
    let query = Query::new(ns(), "why does the pawl of the reel jam in the cold");
    let recall = |options| memory.recall(&query, &Pipeline::lexical(), None, &options).unwrap().map(|found| found.text);
    let told = recall(options(Some("present"))).unwrap();
    assert!(told.contains("earlier-1") && !told.contains("present-"), "{told}");
    // To a session of which nothing is stored yet, all others are earlier.
    assert!(recall(options(Some("begins just now"))).unwrap().contains("present-"));
    let about = memory.recollection(&query, &options(Some("present"))).unwrap().unwrap();
    assert!(about.contains("29 turns of 1 earlier sessions"), "{about}");
    let only = Target::Within(Scope { conversation: Some(conversation("earlier")), ..Scope::default() });
    memory.forget(&ns(), &only).unwrap();
    assert_eq!(recall(options(Some("present"))), None);
    assert_eq!(memory.recollection(&query, &options(Some("present"))).unwrap(), None);
}

/// A hook handed over what was asked before, and never what came of it.
#[test]
fn a_prompt_comes_with_what_answered_it() {
    let encoders = EncoderSource::Unavailable { reason: NoVectors::NotUsed };
    let memory = Memory::builder().encoders(encoders).open("memory:").unwrap();
    let said = |conversation: &str, number: usize, speaker: &str, text: &str| Turn {
        id: Some(MemoryId::new(format!("{conversation}-{number}")).unwrap()),
        said_at: Some("2026-10-02".parse().unwrap()),
        ..Turn::new(ConversationId::new(conversation).unwrap(), SessionId::new("s").unwrap(), speaker, text)
    };
    // The log of a session that was resumed repeats it.
    for conversation in ["first", "resumed"] {
        let turns = vec![
            said(conversation, 1, "user", "Can we drop the Kafka topic orders.v1?"),
            said(conversation, 2, "assistant", "I will look at its consumers."),
            said(conversation, 3, "tool", "ran kafka-consumer-groups --list: ok"),
            said(conversation, 4, "assistant", "Not yet: the fraud team reads it until the end of January."),
            said(conversation, 5, "user", "Thanks."),
            said(conversation, 6, "assistant", "You are welcome."),
        ];
        memory.add_turns(&ns(), turns).unwrap();
    }
    let recall = |text: &str, most_chars: usize| {
        let options = RecallOptions { most_chars, ..options(None) };
        memory.recall(&Query::new(ns(), text), &Pipeline::lexical(), None, &options).unwrap().unwrap().text
    };
    let told = recall("delete the kafka topic orders.v1 now", 1_500);
    assert_eq!(told.matches("Can we drop").count(), 1, "{told}");
    assert_eq!(told.matches("the fraud team").count(), 1, "{told}");
    assert!(told.contains("-4] assistant: Not yet") && !told.contains("welcome"), "{told}");
    // An answer for which there is no room is left out; what it answers is not.
    let told = recall("delete the kafka topic orders.v1 now", 180);
    assert!(told.contains("Can we drop") && !told.contains("answered by"), "{told}");
}

#[test]
fn how_the_last_sessions_ended_is_told() {
    let encoders = EncoderSource::Unavailable { reason: NoVectors::NotUsed };
    let memory = Memory::builder().encoders(encoders).open("memory:").unwrap();
    let said = |session: &str, id: &str, at: &str, speaker: &str, text: &str| Turn {
        id: Some(MemoryId::new(id).unwrap()),
        said_at: Some(at.parse().unwrap()),
        ..Turn::new(conversation("earlier"), SessionId::new(session).unwrap(), speaker, text)
    };
    let turns = vec![
        said("s1", "t1", "2026-10-02T10:00:00Z", "user", "Move the limits into Postgres."),
        said("s1", "t2", "2026-10-02T10:01:00Z", "assistant", "I will look at the schema."),
        said("s1", "t3", "2026-10-02T10:02:00Z", "tool", "ran psql: ok"),
        said("s1", "t4", "2026-10-02T10:03:00Z", "assistant", "Done, but for the sessions."),
        // After a pause, and nobody answered.
        said("s2", "t5", "2026-10-03T10:00:00Z", "user", "And the password reset?"),
    ];
    memory.add_turns(&ns(), turns).unwrap();
    let told = |most_chars: usize| {
        let options = RecallOptions { most_chars, ..options(None) };
        memory.recollection(&Query::new(ns(), ""), &options).unwrap()
    };
    let whole = told(1_500).unwrap();
    let ending = "- [2026-10-02 t1, earlier] user: Move the limits into Postgres.\n  answered by [t4] assistant: Done, but for the sessions.";
    assert!(whole.contains("the last was on 2026-10-03") && whole.ends_with(ending), "{whole}");
    // Where there is no room for it, it is left out.
    assert!(!told(200).unwrap().contains("Postgres"));
    assert_eq!(told(20), None);
}

#[test]
fn what_a_reranker_finds_nearly_as_good_as_the_best_is_handed_over() {
    let encoders = EncoderSource::Unavailable { reason: NoVectors::NotUsed };
    let memory = Memory::builder().encoders(encoders).open("memory:").unwrap();
    let said = |id: &str, text: &str| Turn {
        id: Some(MemoryId::new(id).unwrap()),
        ..Turn::new(conversation("earlier"), SessionId::new("s").unwrap(), "assistant", text)
    };
    let turns = vec![
        said("worst", "The reel and the pawl of the reel. 1.0"),
        said("near", "The reel was oiled. 3.5"),
        said("best", "Frost bent something of the old reel that we had. 5.0"),
    ];
    memory.add_turns(&ns(), turns).unwrap();
    let reranker = by_last_word();
    let query = Query::new(ns(), "the pawl of the reel");
    let recall =
        |reranking, options: &RecallOptions| memory.recall(&query, &Pipeline::lexical(), reranking, options).unwrap();
    let reranking = Some(Reranking::new(&reranker));
    let told = recall(reranking, &options(None)).unwrap();
    assert_eq!(told.turns, ["best", "near"]);
    assert!(told.text.contains("\n- [undated near, earlier] assistant: The reel was oiled."), "{}", told.text);
    assert_eq!(recall(None, &options(None)).unwrap().turns[0], "worst");
    // How likely the best one must be is what is asked for.
    let least = |least: f64| RecallOptions { min_confidence: Some(least), ..options(None) };
    assert!(recall(reranking, &least(told.confidence)).is_some());
    assert_eq!(recall(reranking, &least(told.confidence + 1e-9)), None);
}

#[test]
fn a_conversation_that_is_left_out_is_in_no_answer() {
    let memory = filled();
    let except =
        |names: &[&str]| Scope { except: names.iter().map(|name| conversation(name)).collect(), ..Scope::default() };
    for unit in [Granularity::Turn, Granularity::Session] {
        let query = Query { scope: except(&["present"]), unit, ..Query::new(ns(), "the pawl of the reel jams") };
        let found = memory.search(&query, &Pipeline::lexical(), Explanations::Omit).unwrap();
        assert!(!found.hits.is_empty());
        assert!(found.hits.iter().all(|hit| hit.conversation == Some(conversation("earlier"))), "{unit}");
    }
    let query = Query { scope: except(&["present"]), ..Query::new(ns(), "the pawl of the reel jams") };
    assert_eq!(memory.why(&query, &Pipeline::lexical(), "present-1").unwrap().excluded_by, [Filter::Except]);
    // A session that is in one of two conversations alone is found there.
    let session = Scope { session: Some(SessionId::new("s").unwrap()), ..except(&["present"]) };
    assert_eq!(memory.sessions(&ns(), &session).unwrap().len(), 1);
    // Whoever mistypes what is to be spared must not have it forgotten.
    let mistyped = Target::Within(except(&["presemt"]));
    let error = memory.forget(&ns(), &mistyped).unwrap_err();
    assert!(matches!(error, Error::EmptyScope { .. }), "{error}");
    assert_eq!(memory.stats(&ns()).unwrap().turns, 42);
}
