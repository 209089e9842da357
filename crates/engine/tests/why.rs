//! Why a turn or session is found where it is, or not found.

use std::num::NonZeroUsize;

use aforesaid::{
    Error, ErrorKind, Memory, NoHits, Pipeline, Warning, Why,
    pipeline::{Filter, TermPlace, Unranked},
    types::*,
};

use crate::bags::*;

fn filled() -> Memory {
    let memory = open("memory:", local());
    memory.add_turns(&ns("me"), history()).unwrap();
    memory
}

fn why(query: &Query, pipeline: &str, id: &str) -> Why {
    filled().why(query, &pipeline.parse().unwrap(), id).unwrap()
}

fn kite() -> Query {
    Query::new(ns("me"), "which tree was Ann's red kite stuck in?")
}

fn words(why: &Why, place: TermPlace) -> Vec<&str> {
    let words = &why.report.as_ref().unwrap().terms;
    words.iter().filter(|word| word.place == place).map(|word| word.term.as_str()).collect()
}

#[test]
fn a_hit_says_what_speaks_for_it() {
    let why = why(&kite(), "hybrid", "k1");
    let report = why.report.as_ref().unwrap();
    assert_eq!((report.candidates, report.ranked, report.has_vector), (6, 6, Some(true)));
    let stages: Vec<(&str, usize)> = report.stages.iter().map(|stage| (stage.stage, stage.hit.rank)).collect();
    assert_eq!(stages, [("fused", 1)]);
    assert_eq!(words(&why, TermPlace::Missing), [""; 0]);
    assert_eq!(words(&why, TermPlace::Own).len(), 5, "{report:?}");
    let speaker = report.features.iter().find(|met| met.feature == "speaker_match").unwrap();
    assert_eq!((speaker.met, speaker.adds, speaker.at_best), (true, 2.5, 2.5));
    assert!(why.summary.starts_with("ranked 1st of 6, so it is a hit: it holds "), "{}", why.summary);
    assert!(why.excluded_by.is_empty() && why.reason.is_none() && why.warnings.is_empty());
}

#[test]
fn a_turn_far_below_says_what_it_lacks() {
    let query = Query { k: NonZeroUsize::MIN, ..kite() };
    let why = why(&query, "lexical", "k2");
    let report = why.report.as_ref().unwrap();
    let cut = report.cut.as_ref().unwrap();
    assert_eq!((cut.rank, cut.legs.get("lexical").unwrap().rank), (1, 1));
    assert_eq!(cut.lacks, Some(cut.score - report.last().unwrap().score));
    assert!(cut.lacks.unwrap() > 0.0);
    // "Borrow a ladder from the neighbours" is between the kite's turns.
    assert!(words(&why, TermPlace::Around).contains(&"kite"), "{report:?}");
    let speaker = report.features.iter().find(|met| met.feature == "speaker_match").unwrap();
    assert_eq!((speaker.met, speaker.adds, speaker.at_best), (false, 0.0, 2.5));
    assert!(why.summary.contains("below the 1st: most of it in the lexical leg"), "{}", why.summary);
    assert!(report.explain.is_some());
}

#[test]
fn the_most_valuable_missing_word_comes_first() {
    // Ladder stands in two turns, cumin in one.
    let query = Query { k: NonZeroUsize::MIN, ..Query::new(ns("me"), "kite, ladder and cumin") };
    let why = why(&query, "paper-bm25", "k1");
    let missing = &why.report.as_ref().unwrap().terms;
    assert_eq!(words(&why, TermPlace::Missing), ["cumin", "ladder"], "{missing:?}");
    assert_eq!((missing[0].holders, missing[1].holders), (1, 2));
    assert!((missing[1].idf - (4.5f64 / 2.5 + 1.0).ln()).abs() < 1e-12, "{missing:?}");
    assert!(why.summary.ends_with(r#"it lacks "cumin", "ladder""#), "{}", why.summary);
}

#[test]
fn a_turn_without_any_word_is_not_ranked_by_words() {
    let without = Memory::builder().open("memory:").unwrap();
    without.add_turns(&ns("me"), history()).unwrap();
    for pipeline in [Pipeline::lexical(), Pipeline::hybrid()] {
        let why = without.why(&Query::new(ns("me"), "pumpkin"), &pipeline, "k4").unwrap();
        let report = why.report.as_ref().unwrap();
        assert_eq!(report.unranked, Some(Unranked::NoEvidence));
        assert_eq!((report.legs.get("lexical"), report.last(), &report.explain), (None, None, &None));
        assert_eq!(report.has_vector, None);
        assert_eq!(report.cut.as_ref().unwrap().lacks, None);
        assert_eq!(why.summary, r#"not ranked: it has none of "pumpkin""#);
        let lexical_only = matches!(&why.warnings[..], [Warning::LexicalOnly { .. }]);
        assert_eq!(lexical_only, pipeline.compares_vectors());
    }
}

#[test]
fn a_turn_without_any_word_is_ranked_by_meaning() {
    let why = why(&Query::new(ns("me"), "pumpkin"), "hybrid", "k4");
    let report = why.report.unwrap();
    assert!(report.legs.get("lexical").is_none() && report.legs.get("dense").is_some() && report.last().is_some());
}

#[test]
fn every_filter_is_named() {
    let memory = filled();
    let said_at = Some("2024-01-05".parse().unwrap());
    memory.add_turns(&ns("me"), vec![Turn { said_at, ..turn("boats", "b1", "b1:1", "Eve", "Ahoy!") }]).unwrap();
    let soup = Some(ConversationId::new("soup").unwrap());
    let excluded = |query: Query, id: &str| {
        let why = memory.why(&query, &Pipeline::hybrid(), id).unwrap();
        assert!(why.report.is_none());
        assert!(why.summary.starts_with("not searched: it "), "{}", why.summary);
        why.excluded_by
    };
    let within = |scope: Scope| Query { scope, ..kite() };
    let conversation = Scope { conversation: soup.clone(), ..Scope::default() };
    assert_eq!(excluded(within(conversation.clone()), "k1"), [Filter::Conversation]);
    let session = Scope { session: Some(SessionId::new("s2").unwrap()), ..conversation };
    assert_eq!(excluded(within(session.clone()), "p1"), [Filter::Session]);
    assert_eq!(excluded(within(session), "k1"), [Filter::Conversation, Filter::Session]);
    let late = Scope { from: Some("2024-02-15".parse().unwrap()), ..Scope::default() };
    assert_eq!(excluded(within(late.clone()), "k1"), [Filter::Time]);
    let before = Query { before: Some(MemoryId::new("k3").unwrap()), ..kite() };
    assert_eq!(excluded(before.clone(), "k3"), [Filter::Before]);
    assert_eq!(excluded(Query { unit: Granularity::Session, ..before }, "b1"), [Filter::Before]);
    assert_eq!(excluded(Query { unit: Granularity::Session, scope: late, ..kite() }, "b1"), [Filter::Time]);
    // Nothing is left at all: still it says what excludes this one.
    let never = Scope { from: Some("2030-01-01".parse().unwrap()), ..Scope::default() };
    assert_eq!(excluded(within(never), "p2"), [Filter::Time]);
}

#[test]
fn a_session_stands_by_its_words_and_its_best_turn() {
    let conversation = Some(ConversationId::new("kites").unwrap());
    let scope = Scope { conversation, ..Scope::default() };
    let query =
        Query { unit: Granularity::Session, scope, k: NonZeroUsize::MIN, ..Query::new(ns("me"), "Ann's torn wing") };
    let (best, other) = (why(&query, "hybrid", "s2"), why(&query, "hybrid", "s1"));
    assert_eq!((best.id.as_str(), best.kind, best.session.as_ref().unwrap().as_str()), ("s2", None, "s2"));
    assert_eq!(best.said_at.unwrap().to_string(), "2024-02-01T00:00:00Z");
    assert_eq!(best.report.as_ref().unwrap().last().unwrap().rank, 1);
    assert_eq!(words(&best, TermPlace::Missing), [""; 0]);
    // Ann is who says it; her name is part of what is indexed.
    assert_eq!(words(&other, TermPlace::Own), ["ann"]);
    assert_eq!(words(&other, TermPlace::Missing), ["torn", "wing"]);
    assert!(other.summary.contains("ranked 2nd of 2"), "{}", other.summary);
}

#[test]
fn a_session_needs_its_conversation_where_several_have_one() {
    let query = Query { unit: Granularity::Session, ..kite() };
    let error = filled().why(&query, &Pipeline::hybrid(), "s1").unwrap_err();
    assert!(matches!(error, Error::AmbiguousSession { .. }), "{error}");
    let error = filled().why(&query, &Pipeline::hybrid(), "s9").unwrap_err();
    assert!(error.kind() == ErrorKind::NotFound && error.to_string().contains("s9"), "{error}");
}

#[test]
fn an_id_that_is_not_there_is_an_error() {
    let refused = |query: &Query, id: &str| filled().why(query, &Pipeline::hybrid(), id).unwrap_err();
    let error = refused(&kite(), "k9");
    assert!(matches!(&error, Error::UnknownMemory { id, .. } if id.as_str() == "k9"), "{error}");
    assert_eq!(refused(&kite(), "").kind(), ErrorKind::InvalidInput);
    let elsewhere = Query { namespace: ns("you"), ..kite() };
    assert_eq!(refused(&elsewhere, "k1").kind(), ErrorKind::NotFound);
    let nowhere = Scope { conversation: Some(ConversationId::new("boats").unwrap()), ..Scope::default() };
    let error = refused(&Query { scope: nowhere, ..kite() }, "k1");
    assert!(matches!(error, Error::EmptyScope { .. }), "{error}");
}

#[test]
fn an_id_of_several_conversations_is_the_one_of_the_scope() {
    let memory = filled();
    memory.add_turns(&ns("me"), vec![turn("boats", "b1", "k1", "Eve", "Ahoy!")]).unwrap();
    let within = |name: &str| Query {
        scope: Scope { conversation: Some(ConversationId::new(name).unwrap()), ..Scope::default() },
        ..kite()
    };
    let error = memory.why(&kite(), &Pipeline::hybrid(), "k1").unwrap_err();
    assert!(matches!(error, Error::AmbiguousMemory { .. }), "{error}");
    let why = memory.why(&within("boats"), &Pipeline::hybrid(), "k1").unwrap();
    assert_eq!((why.session.unwrap().as_str(), why.report.unwrap().candidates), ("b1", 1));
    let error = memory.why(&within("soup"), &Pipeline::hybrid(), "k1").unwrap_err();
    assert!(error.to_string().contains(r#"conversation "soup""#), "{error}");
}

#[test]
fn a_query_that_asks_nothing_has_no_ranks() {
    for (text, reason) in [(" ", NoHits::EmptyQuery), ("what was it that you did?", NoHits::OnlyStopWords)] {
        let why = why(&Query::new(ns("me"), text), "hybrid", "k1");
        assert_eq!((why.reason, &why.report), (Some(reason), &None));
        assert_eq!(why.summary, format!("nothing is looked for: {reason}"));
    }
    assert!(filled().why(&Query::new(ns("me"), ""), &Pipeline::hybrid(), "k9").is_err());
}

#[test]
fn what_a_leg_has_far_down_is_not_ranked() {
    let memory = Memory::builder().open("memory:").unwrap();
    let turns = (0..1100).map(|n| turn("c", "s", &format!("t{n}"), "Ann", if n < 1050 { "Kite." } else { "Boat." }));
    memory.add_turns(&ns("me"), turns.collect()).unwrap();
    let why = |id: &str| memory.why(&Query::new(ns("me"), "kite"), &"paper-bm25".parse().unwrap(), id).unwrap();
    let below = why("t1040");
    assert_eq!(below.report.as_ref().unwrap().unranked, Some(Unranked::BelowPool { width: 1000 }));
    assert_eq!(below.summary, "not ranked: it is 1041st in the lexical leg, and no leg's best 1000 have it");
    assert_eq!(why("t1060").report.unwrap().unranked, Some(Unranked::NoEvidence));
    let tied = why("t11");
    assert_eq!(tied.summary, "ranked 12th of 1000: it equals the 10th, which came first");
}

#[test]
fn no_text_of_a_memory_is_told() {
    for id in ["k1", "k2", "p2"] {
        let json = serde_json::to_string(&why(&kite(), "hybrid", id)).unwrap();
        assert!(!json.contains("chestnut") && !json.contains("orrow") && !json.contains("pumpkin"), "{json}");
    }
}
