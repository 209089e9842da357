//! How sure an answer is, and answers that are held back.

use aforesaid::{
    Explanations, Memory, NoHits, Pipeline, SearchResponse,
    pipeline::confidence::{Confidence, Signal, Word},
    types::*,
};

use crate::bags::*;

fn filled() -> Memory {
    let memory = open("memory:", local());
    memory.add_turns(&ns("me"), history()).unwrap();
    memory
}

fn ask(memory: &Memory, query: Query, pipeline: &str) -> SearchResponse {
    memory.search(&query, &pipeline.parse().unwrap(), Explanations::Omit).unwrap()
}

fn me(text: &str) -> Query {
    Query::new(ns("me"), text)
}

#[test]
fn an_answer_is_surer_the_more_of_the_question_it_holds() {
    for pipeline in ["hybrid", "lexical"] {
        let of = |text| ask(&filled(), me(text), pipeline).confidence.probability;
        let (whole, half) = (of("red kite stuck in the chestnut tree"), of("red kite lost in the desert storm"));
        assert!(0.0 < half && half < whole && whole < 1.0, "{pipeline}: {half} {whole}");
    }
}

#[test]
fn who_is_asked_about_matters() {
    for pipeline in ["hybrid", "lexical"] {
        let of = |text| ask(&filled(), me(text), pipeline).confidence;
        let (ann, bob) =
            (of("is the red kite of Ann stuck in the tree?"), of("is the red kite of Bob stuck in the tree?"));
        assert!(ann.probability > bob.probability && ann.answerable > bob.answerable, "{pipeline}: {ann:?} {bob:?}");
    }
}

#[test]
fn every_kind_of_search_has_one() {
    let memory = filled();
    let scope = Scope { conversation: Some(ConversationId::new("kites").unwrap()), ..Scope::default() };
    let before = Some(MemoryId::new("k4").unwrap());
    for unit in [Granularity::Turn, Granularity::Session] {
        for unmatched in [Unmatched::Exclude, Unmatched::Include] {
            for pipeline in ["hybrid", "lexical", "paper-bm25", "paper-dense-mean", "rrf(bm25, dense(top3))"] {
                for query in [
                    me("the kite and the ladder"),
                    Query { scope: scope.clone(), ..me("the kite and the ladder") },
                    Query { before: before.clone(), ..me("the kite and the ladder") },
                ] {
                    let answer = ask(&memory, Query { unit, unmatched, ..query.clone() }, pipeline);
                    let Confidence { probability, answerable, signals, .. } = answer.confidence;
                    let is_probability = |p: f64| 0.0 < p && p < 1.0;
                    assert!(
                        is_probability(probability) && is_probability(answerable),
                        "{pipeline} {unit} {unmatched:?}"
                    );
                    assert_eq!(signals, None, "only where it is to be explained");
                    let ranking = memory.rank(&Query { unit, unmatched, ..query }, &pipeline.parse().unwrap()).unwrap();
                    assert_eq!(ranking.confidence.probability, probability);
                    assert_eq!(
                        ranking.confidence.signals.unwrap().basis().dense,
                        pipeline.contains("dense") || pipeline == "hybrid"
                    );
                }
            }
        }
    }
}

#[test]
fn a_search_before_a_turn_is_as_sure_as_at_its_moment() {
    let moment = open("memory:", local());
    moment.add_turns(&ns("me"), history().into_iter().take(3).collect()).unwrap();
    let before = Some(MemoryId::new("k4").unwrap());
    let query = me("can Bob sew the kite on Sunday?");
    for unit in [Granularity::Turn, Granularity::Session] {
        let query = Query { unit, ..query.clone() };
        let then = ask(&moment, query.clone(), "hybrid").confidence;
        assert_eq!(ask(&filled(), Query { before: before.clone(), ..query }, "hybrid").confidence, then, "{unit}");
    }
}

#[test]
fn nothing_found_has_no_confidence() {
    for text in ["zeppelin", " ", "what was it that you did?"] {
        let answer = ask(&filled(), me(text), "lexical");
        assert!(answer.reason.is_some());
        assert_eq!((answer.confidence.probability, answer.confidence.word), (0.0, Word::None), "{text:?}");
    }
}

#[test]
fn an_answer_below_the_least_confidence_has_no_hits() {
    let memory = filled();
    let open = ask(&memory, me("the kite in the tree"), "hybrid");
    let probability = open.confidence.probability;
    let with = |min_confidence| ask(&memory, Query { min_confidence, ..me("the kite in the tree") }, "hybrid");
    assert_eq!(with(probability).hits, open.hits, "as sure as asked for is enough");
    let held = with(probability + 1e-9);
    assert_eq!((held.hits.len(), held.reason), (0, Some(NoHits::LowConfidence)));
    assert_eq!(held.confidence, open.confidence, "it says how sure it was");
    let query = Query { min_confidence: 1.0, ..me("the kite in the tree") };
    let ranking = memory.rank(&query, &Pipeline::hybrid()).unwrap();
    assert!(ranking.hits.is_empty() && ranking.confidence.probability == probability);
    assert_eq!(
        ask(&memory, Query { min_confidence: 0.5, ..me("zeppelin") }, "lexical").reason,
        Some(NoHits::NothingMatches)
    );
}

#[test]
fn without_vectors_it_goes_by_words() {
    let without = Memory::builder().open("memory:").unwrap();
    without.add_turns(&ns("me"), history()).unwrap();
    let of = |pipeline: &str| {
        without.search(&me("kite ladder"), &pipeline.parse().unwrap(), Explanations::Include).unwrap().confidence
    };
    assert_eq!(of("hybrid"), of("lexical"));
    assert!(!of("hybrid").signals.unwrap().basis().dense);
}

#[test]
fn an_explanation_has_the_signals() {
    let answer = filled().search(&me("the kite of Ann"), &Pipeline::hybrid(), Explanations::Include).unwrap();
    let signals = answer.confidence.signals.unwrap();
    assert_eq!(signals.get(Signal::SaidByNamed), 1.0);
    let json = serde_json::to_value(&answer).unwrap();
    assert_eq!(json["confidence"]["signals"]["said_by_named"], 1.0);
    assert!(json["confidence"]["word"].is_string() && json["confidence"]["probability"].is_f64());
    let plain = serde_json::to_value(ask(&filled(), me("the kite of Ann"), "hybrid")).unwrap();
    assert_eq!(plain["confidence"].as_object().unwrap().len(), 3);
}
