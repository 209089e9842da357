//! A word that nothing holds is looked up among those that something does; the vocabulary of a real encoder is in the evaluation.
#![allow(clippy::unwrap_used, reason = "test code")]

mod bags;

use aforesaid::{Explanations, Pipeline, Warning, types::*};
use bags::*;

fn asked(text: &str, pipeline: &str) -> (Option<String>, Vec<Warning>) {
    let memory = open("memory:", local());
    let said = [
        ("p", "The passport is in the blue drawer."),
        ("e", "The pump stopped with err 4711 again."),
        ("k", "Leena keeps her kites in the cellar."),
        ("r", "We receive guests in the garden."),
    ];
    let turns = said.map(|(id, text)| turn("c", "s", id, "Ann", text));
    memory.add_turns(&ns("me"), turns.to_vec()).unwrap();
    let found = memory.search(&Query::new(ns("me"), text), &pipeline.parse().unwrap(), Explanations::Omit).unwrap();
    (found.hits.into_iter().next().map(|hit| hit.id), found.warnings)
}

fn searched(text: &str) -> (Option<String>, Vec<String>) {
    let (hit, warnings) = asked(text, "lexical");
    (hit, warnings.iter().map(ToString::to_string).collect())
}

#[test]
fn the_nearest_known_word_is_searched_and_named() {
    let (hit, warnings) = searched("where is the pasport");
    assert_eq!(hit.as_deref(), Some("p"));
    assert_eq!(warnings, ["no turn says \"pasport\"; searched for \"passport\""]);
    assert_eq!(searched("who do we recieve").0.as_deref(), Some("r"), "swapped letters");
    assert_eq!(searched("where are the kits of Lena").0.as_deref(), Some("k"), "two words");
    let (hit, warnings) = searched("err4711");
    assert_eq!((hit.as_deref(), warnings.len()), (Some("e"), 1), "{warnings:?}");
    assert!(warnings[0].contains("\"err\" and \"4711\""), "{warnings:?}");
}

#[test]
fn what_is_known_short_or_far_stays() {
    assert_eq!(searched("passport").1, [""; 0]);
    // Nobody here knows which words there are, and another word of the query is known.
    assert_eq!(searched("the passport in the drawe").1, [""; 0]);
    assert_eq!(searched("the dog").1, [""; 0], "three letters");
    assert_eq!(searched("submarine passport").1, [""; 0], "nothing is near");
    assert_eq!(searched("crawer").1, [""; 0], "another first letter");
    assert_eq!(searched("err 4712").1, [""; 0], "another number is another thing");
}

#[test]
fn it_is_part_of_the_pipeline() {
    let (hit, warnings) = asked("pasport", "bm25(spelling=1)");
    assert_eq!((hit.as_deref(), warnings.len()), (Some("p"), 1));
    for pipeline in ["bm25", "paper-bm25", "bm25(spelling=0)"] {
        assert_eq!(asked("pasport", pipeline), (None, vec![]), "{pipeline}");
    }
    assert!("bm25(spelling=3)".parse::<Pipeline>().unwrap_err().to_string().contains("0 to 2"));
}
