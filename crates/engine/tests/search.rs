//! Searching: hits, units, scopes, legs, and the reasons for finding nothing.

use std::num::NonZeroUsize;

use aforesaid::{
    Error, ErrorKind, Explanations, IdleVectors, Locality, Memory, NoHits, NoVectors, Pipeline, StoreError, Warning,
    types::*,
};

use crate::bags::*;

fn ids(answer: &aforesaid::SearchResponse) -> Vec<&str> {
    answer.hits.iter().map(|hit| hit.id.as_str()).collect()
}

fn filled() -> Memory {
    let memory = open("memory:", local());
    memory.add_turns(&ns("me"), history()).unwrap();
    memory
}

fn ask(memory: &Memory, query: Query, pipeline: &str) -> aforesaid::SearchResponse {
    memory.search(&query, &pipeline.parse().unwrap(), Explanations::Omit).unwrap()
}

#[test]
fn the_exact_turn_comes_back_with_its_legs() {
    let answer = ask(&filled(), Query::new(ns("me"), "where was the kite stuck?"), "hybrid");
    let hit = &answer.hits[0];
    assert_eq!((hit.id.as_str(), hit.speaker.as_deref()), ("k1", Some("Ann")));
    assert_eq!(hit.text, "My red kite is stuck in the chestnut tree.");
    assert_eq!((hit.legs.get("lexical").unwrap().rank, hit.legs.get("dense").unwrap().rank), (1, 1));
    assert_eq!(answer.hits.len(), 6, "the dense leg ranks every candidate");
}

#[test]
fn the_lexical_preset_returns_only_what_has_a_reason() {
    let answer = ask(&filled(), Query::new(ns("me"), "pumpkin"), "paper-bm25");
    assert_eq!(ids(&answer), ["p2"]);
    let all = ask(&filled(), Query { unmatched: Unmatched::Include, ..Query::new(ns("me"), "pumpkin") }, "paper-bm25");
    assert_eq!(ids(&all), ["p2", "k1", "k2", "k3", "k4", "p1"], "ties stand in order of arrival");
}

#[test]
fn a_hybrid_without_vectors_is_the_lexical_order() {
    let without = Memory::builder().open("memory:").unwrap();
    without.add_turns(&ns("me"), history()).unwrap();
    for question in ["kite ladder", "soup", "sew the torn wing on sunday"] {
        let hybrid = ask(&without, Query::new(ns("me"), question), "hybrid");
        let lexical = ask(&without, Query::new(ns("me"), question), "lexical");
        assert_eq!(ids(&hybrid), ids(&lexical));
        assert!(
            matches!(&hybrid.warnings[..], [Warning::LexicalOnly { reason }] if *reason == NoVectors::NotConfigured)
        );
        assert!(lexical.warnings.is_empty());
    }
}

#[test]
fn sessions_carry_their_best_turns() {
    let query = Query { unit: Granularity::Session, ..Query::new(ns("me"), "torn wing of the kite") };
    let answer = ask(&filled(), query, "hybrid");
    let hit = &answer.hits[0];
    assert_eq!((hit.id.as_str(), hit.conversation.as_ref().unwrap().as_str()), ("s2", "kites"));
    assert_eq!(hit.turns[0].id.as_str(), "k3");
    assert_eq!(hit.text, hit.turns[0].text);
    assert_eq!(hit.said_at.unwrap().to_string(), "2024-02-01T00:00:00Z");
}

#[test]
fn a_search_before_a_turn_is_the_search_of_its_moment() {
    let moment = open("memory:", local());
    moment.add_turns(&ns("me"), history().into_iter().take(3).collect()).unwrap();
    let before = Some(MemoryId::new("k4").unwrap());
    for pipeline in ["hybrid", "lexical", "paper-bm25", "paper-dense-mean"] {
        for unit in [Granularity::Turn, Granularity::Session] {
            let query =
                Query { unit, unmatched: Unmatched::Include, ..Query::new(ns("me"), "the kite and the ladder") };
            let then = ask(&moment, query.clone(), pipeline);
            let now = ask(&filled(), Query { before: before.clone(), ..query }, pipeline);
            assert_eq!(now.hits, then.hits, "{pipeline} {unit}");
        }
    }
}

#[test]
fn a_pipeline_in_words_is_the_preset_it_describes() {
    let described = ask(&filled(), Query::new(ns("me"), "kite ladder"), &Pipeline::hybrid().to_string());
    let named = ask(&filled(), Query::new(ns("me"), "kite ladder"), "hybrid");
    assert_eq!(described.hits, named.hits);
}

#[test]
fn a_pipeline_for_another_encoder_is_refused() {
    let pipeline = "zscore(bm25, dense(satchels, max))".parse().unwrap();
    let error = filled().search(&Query::new(ns("me"), "kite"), &pipeline, Explanations::Omit).unwrap_err();
    assert!(error.to_string().contains("satchels") && error.to_string().contains("bags"), "{error}");
    assert_eq!(error.kind(), ErrorKind::Model);
}

#[test]
fn a_ranking_is_the_search_without_contents() {
    for pipeline in ["hybrid", "lexical", "paper-dense-mean"] {
        for unit in [Granularity::Turn, Granularity::Session] {
            for unmatched in [Unmatched::Include, Unmatched::Exclude] {
                let query = Query { unit, unmatched, ..Query::new(ns("me"), "the soup on the ladder") };
                let hits = ask(&filled(), query.clone(), pipeline).hits;
                let ranked = filled().rank(&query, &pipeline.parse().unwrap()).unwrap();
                let pairs: Vec<(&str, f64)> =
                    ranked.hits.iter().map(|ranked| (ranked.id.as_str(), ranked.score)).collect();
                assert_eq!(pairs, hits.iter().map(|hit| (hit.id.as_str(), hit.score)).collect::<Vec<_>>());
            }
        }
    }
    assert!(filled().rank(&Query::new(ns("me"), " "), &Pipeline::hybrid()).unwrap().hits.is_empty());
    let without = Memory::builder().open("memory:").unwrap();
    without.add_turns(&ns("me"), history()).unwrap();
    let ranking = without.rank(&Query::new(ns("me"), "kite"), &Pipeline::hybrid()).unwrap();
    assert!(matches!(&ranking.warnings[..], [Warning::LexicalOnly { .. }]), "{ranking:?}");
}

#[test]
fn before_names_a_memory_that_is_there() {
    let query = Query { before: Some(MemoryId::new("k9").unwrap()), ..Query::new(ns("me"), "kite") };
    let error = filled().search(&query, &Pipeline::lexical(), Explanations::Omit).unwrap_err();
    assert!(error.to_string().contains("k9"), "{error}");
    let first = Query { before: Some(MemoryId::new("k1").unwrap()), ..Query::new(ns("me"), "kite") };
    assert_eq!(ask(&filled(), first, "hybrid").reason, Some(NoHits::EmptyHistory));
}

#[test]
fn a_scope_holds() {
    let memory = filled();
    let within = |scope: Scope| {
        let answer = ask(&memory, Query { scope, ..Query::new(ns("me"), "ladder kite soup") }, "hybrid");
        let mut ids: Vec<String> = answer.hits.into_iter().map(|hit| hit.id).collect();
        ids.sort();
        ids
    };
    let soup = ConversationId::new("soup").unwrap();
    assert_eq!(within(Scope { conversation: Some(soup.clone()), ..Scope::default() }), ["p1", "p2"]);
    let s2 = SessionId::new("s2").unwrap();
    assert_eq!(within(Scope { conversation: Some(soup), session: Some(s2), ..Scope::default() }), ["p2"]);
    let (from, to) = (Some("2024-02-01".parse().unwrap()), Some("2024-03-01".parse().unwrap()));
    assert_eq!(within(Scope { from, to, ..Scope::default() }), ["k3", "k4", "p1"]);
}

#[test]
fn a_session_named_alone_must_be_the_only_one() {
    let memory = filled();
    let scope = Scope { session: Some(SessionId::new("s1").unwrap()), ..Scope::default() };
    let error = memory
        .search(&Query { scope, ..Query::new(ns("me"), "kite") }, &Pipeline::hybrid(), Explanations::Omit)
        .unwrap_err();
    assert!(matches!(error, Error::AmbiguousSession { .. }), "{error}");
    assert!(error.to_string().contains("name one"), "{error}");
}

#[test]
fn nothing_found_has_a_reason() {
    let memory = filled();
    assert_eq!(ask(&memory, Query::new(ns("me"), " \n"), "hybrid").reason, Some(NoHits::EmptyQuery));
    assert_eq!(
        ask(&memory, Query::new(ns("me"), "what was it that you did?"), "hybrid").reason,
        Some(NoHits::OnlyStopWords)
    );
    assert_eq!(ask(&memory, Query::new(ns("me"), "?!"), "lexical").reason, Some(NoHits::OnlyStopWords));
    assert_eq!(ask(&memory, Query::new(ns("me"), "zeppelin"), "lexical").reason, Some(NoHits::NothingMatches));
    let from = Some("2030-01-01".parse().unwrap());
    let later = Query { scope: Scope { from, ..Scope::default() }, ..Query::new(ns("me"), "kite") };
    assert_eq!(ask(&memory, later, "hybrid").reason, Some(NoHits::EmptyHistory));
    let nobody = Memory::builder().open("memory:").unwrap();
    let error = nobody.search(&Query::new(ns("me"), "kite"), &Pipeline::hybrid(), Explanations::Omit).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NotFound, "{error}");
}

#[test]
fn a_score_is_the_sum_of_its_explanation() {
    let memory = filled();
    let query = Query::new(ns("me"), "the kite in the tree");
    let answer = memory.search(&query, &Pipeline::hybrid(), Explanations::Include).unwrap();
    for hit in answer.hits {
        let explain = hit.explain.unwrap();
        let sum: f64 = explain.parts.iter().map(|part| part.value).sum();
        assert!((explain.value - hit.score).abs() < 1e-12 && (sum - hit.score).abs() < 1e-9, "{explain}");
    }
}

fn note(id: &str, text: &str, importance: f64) -> Note {
    Note {
        id: Some(MemoryId::new(id).unwrap()),
        conversation: None,
        text: text.to_owned(),
        said_at: None,
        importance: Importance::new(importance).unwrap(),
        tags: Vec::new(),
        sensitivity: Sensitivity::Ordinary,
        source: Vec::new(),
    }
}

#[test]
fn an_important_note_goes_first_among_equals() {
    let memory = filled();
    for (id, importance) in [("n-low", 0.1), ("n-high", 1.0)] {
        memory.add_note(&ns("me"), note(id, "The submarine manual is in the attic.", importance)).unwrap();
    }
    for pipeline in ["hybrid", "lexical"] {
        let answer = ask(&memory, Query::new(ns("me"), "submarine manual"), pipeline);
        assert_eq!(ids(&answer)[..2], ["n-high", "n-low"], "{pipeline}");
    }
}

#[test]
fn importance_does_not_make_up_for_relevance() {
    let memory = filled();
    for (id, text, importance) in [
        ("n-answer", "The submarine manual is in the attic.", 0.0),
        ("n-near", "The submarine leaves on Tuesday.", 1.0),
        ("n-far", "Water the ferns twice a week.", 1.0),
    ] {
        memory.add_note(&ns("me"), note(id, text, importance)).unwrap();
    }
    for pipeline in ["hybrid", "lexical", "minmax(0.7, lexical, dense(max))"] {
        let query = Query { unmatched: Unmatched::Include, ..Query::new(ns("me"), "submarine manual in the attic") };
        let answer = ask(&memory, query, pipeline);
        let place = |id: &str| ids(&answer).iter().position(|found| *found == id).unwrap();
        assert_eq!((place("n-answer"), place("n-near")), (0, 1), "{pipeline}");
        assert!(place("n-far") > 1, "{pipeline}");
    }
}

#[test]
fn a_note_nobody_rated_is_a_little_less_than_one_that_matters() {
    let memory = filled();
    for (id, importance) in [("n-plain", Importance::default().value()), ("n-high", 0.9), ("n-low", 0.2)] {
        memory.add_note(&ns("me"), note(id, "The submarine manual is in the attic.", importance)).unwrap();
    }
    let answer = ask(&memory, Query::new(ns("me"), "submarine manual"), "hybrid");
    assert_eq!(ids(&answer)[..3], ["n-high", "n-plain", "n-low"]);
}

#[test]
fn another_order_is_of_the_same_hits() {
    let memory = filled();
    let query = Query { k: NonZeroUsize::new(3).unwrap(), ..Query::new(ns("me"), "kite ladder") };
    let best = ask(&memory, query.clone(), "hybrid");
    let latest = ask(&memory, Query { sort_by: SortBy::Recency, ..query }, "hybrid");
    let sorted = |answer: &aforesaid::SearchResponse| {
        let mut ids: Vec<String> = answer.hits.iter().map(|hit| hit.id.clone()).collect();
        ids.sort();
        ids
    };
    assert_eq!(sorted(&best), sorted(&latest));
    assert!(latest.hits.is_sorted_by_key(|hit| std::cmp::Reverse(hit.said_at)));
}

#[test]
fn vectors_of_another_encoder_are_never_searched() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("m.db");
    open(path.to_str().unwrap(), local()).add_turns(&ns("me"), history()).unwrap();
    let other = open(path.to_str().unwrap(), Bags::new("other@2/f32", Locality::Local));
    let error = other.search(&Query::new(ns("me"), "kite"), &Pipeline::hybrid(), Explanations::Omit).unwrap_err();
    assert!(matches!(error, Error::Store(StoreError::EncoderMismatch { .. })), "{error}");
    assert!(error.to_string().contains("bags@1/f32") && error.to_string().contains("other@2/f32"), "{error}");
    assert_eq!(ids(&ask(&other, Query::new(ns("me"), "pumpkin"), "lexical"))[0], "p2", "words need no encoder");
    assert_eq!(other.reembed(&ns("me"), IdleVectors::Keep, &mut |_| {}).unwrap().embedded, 6);
    assert_eq!(ids(&ask(&other, Query::new(ns("me"), "kite stuck"), "hybrid"))[0], "k1");
}

#[test]
fn an_index_above_the_budget_answers_and_goes() {
    let encoder = aforesaid::EncoderSource::Ready(local());
    let memory = Memory::builder().encoders(encoder).index_budget(1).open("memory:").unwrap();
    memory.add_turns(&ns("me"), history()).unwrap();
    assert_eq!(ids(&ask(&memory, Query::new(ns("me"), "kite stuck"), "hybrid"))[0], "k1");
    assert_eq!(memory.index_bytes(), 0);
    let roomy = filled();
    ask(&roomy, Query::new(ns("me"), "kite stuck"), "hybrid");
    assert!(roomy.index_bytes() > 0);
}
