//! Turns with marks: what a remote encoder is not shown of them, and what importance does to their place.

use std::fmt::Write;

use aforesaid::{
    Explanations, IdleVectors, Locality, Memory, Pipeline,
    formats::{Captions, Source},
    types::*,
};

use crate::bags::{Bags, history, local, ns, open, turn};

/// Turns enough for an import that stages its vectors chunk by chunk.
const MANY: usize = 1_500;

fn sources() -> Source<'static> {
    Source { file: "many.jsonl", stem: "many", conversation: None, captions: Captions::Keep, zone: None }
}

#[test]
fn a_remote_encoder_sees_no_sensitive_turn_of_a_long_import() {
    let mut lines = String::new();
    for i in 0..MANY {
        let marked = if i % 7 == 3 { r#","sensitive":true"# } else { "" };
        let text = if i % 7 == 3 { "secret4711" } else { "plain" };
        writeln!(lines, r#"{{"speaker":"Ann","text":"{text} number{i}"{marked}}}"#).unwrap();
    }
    let sensitive = (0..MANY).filter(|i| i % 7 == 3).count();
    for (locality, expected) in [(Locality::Remote, 0), (Locality::Local, sensitive)] {
        let encoder = Bags::new("bags@1/f32", locality);
        let memory = open("memory:", encoder.clone());
        memory.import(&ns("me"), None, lines.as_bytes(), &sources(), &mut |_| {}).unwrap();
        memory.reembed(&ns("me"), IdleVectors::Keep, &mut |_| {}).unwrap();
        let seen = encoder.seen.lock().unwrap().clone();
        assert_eq!(seen.iter().filter(|text| text.contains("secret4711")).count(), expected, "{locality:?}");
        assert_eq!(memory.stats(&ns("me")).unwrap().turns, MANY as u64);
    }
}

/// Three turns that say the same, each alone in its session, with these importances; and others beside them.
fn alike(importances: [Option<f64>; 3]) -> Memory {
    let memory = open("memory:", local());
    for (i, importance) in (1..).zip(importances) {
        let session = format!("s{i}");
        let plain = turn("c", &session, &i.to_string(), "Ann", "The red kite is stuck in the tree.");
        let importance = importance.map_or(plain.importance, |value| Importance::new(value).unwrap());
        memory.add_turns(&ns("me"), vec![Turn { importance, ..plain }]).unwrap();
    }
    memory.add_turns(&ns("me"), history()).unwrap();
    memory
}

fn found(memory: &Memory) -> Vec<(String, u64)> {
    let query = Query::new(ns("me"), "where is the red kite?");
    let answer = memory.search(&query, &Pipeline::hybrid(), Explanations::Omit).unwrap();
    answer.hits.into_iter().map(|hit| (hit.id, hit.score.to_bits())).collect()
}

#[test]
fn an_important_turn_goes_before_its_equals() {
    let ids = |memory: &Memory| found(memory).into_iter().map(|(id, _)| id).collect::<Vec<_>>();
    for important in ["1", "2", "3"] {
        let of = |id: &str| (id == important).then_some(0.9);
        assert_eq!(ids(&alike([of("1"), of("2"), of("3")]))[0], important);
    }
}

#[test]
fn turns_without_importance_score_to_the_bit_as_with_the_usual_one() {
    assert_eq!(found(&alike([None; 3])), found(&alike([Some(0.5); 3])));
}
