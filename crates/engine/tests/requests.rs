//! Requests to an assistant: what people said of how they want things is heeded.

use aforesaid::{Explanations, Memory, Pipeline, SearchResponse, types::*};

const REQUEST: &str = "Please suggest some dinner ideas for the weekend, anything quick.";
const QUESTION: &str = "which dinner did you suggest for the weekend?";

/// A chat of somebody with `other`.
fn search(other: &str, text: &str, unit: Granularity, pipeline: &Pipeline) -> SearchResponse {
    let memory = Memory::builder().open("memory:").unwrap();
    let namespace = Namespace::new("me").unwrap();
    let said = [
        ("told", "Ann", "We had dinner by the river with the neighbours at the weekend."),
        ("wish", "Ann", "From now on dinner without fish please, I'm allergic."),
        ("answer", other, "For the weekend I suggest a quick dinner of rice and beans."),
        ("tool", "tool", "dinner: 12 recipes found for the weekend"),
    ];
    let turn = |(id, speaker, text): (&str, &str, &str)| Turn {
        id: Some(MemoryId::new(id).unwrap()),
        ..Turn::new(ConversationId::new("chat").unwrap(), SessionId::new(id).unwrap(), speaker, text)
    };
    memory.add_turns(&namespace, said.map(turn).to_vec()).unwrap();
    let query = Query { unit, ..Query::new(namespace, text) };
    memory.search(&query, pipeline, Explanations::Omit).unwrap()
}

fn heeded(found: &SearchResponse, id: &str) -> f64 {
    found.hits.iter().find(|hit| hit.id == id).unwrap().legs.heeded()
}

fn score(found: &SearchResponse, id: &str) -> f64 {
    found.hits.iter().find(|hit| hit.id == id).unwrap().score
}

#[test]
fn a_request_heeds_what_a_person_wants_most() {
    let lexical = Pipeline::lexical();
    let found = search("assistant", REQUEST, Granularity::Turn, &lexical);
    let [told, wish, answer, tool] = ["told", "wish", "answer", "tool"].map(|id| heeded(&found, id));
    assert!(wish > 0.5 && told == wish / 2.0, "{wish} {told}");
    assert_eq!([answer, tool], [0.0, 0.0]);
    let without = search("assistant", REQUEST, Granularity::Turn, &lexical.without_boost("wish_boost"));
    let gain =
        |id: &str| (score(&found, id) - score(&found, "answer")) - (score(&without, id) - score(&without, "answer"));
    assert!(gain("wish") > gain("told") && gain("told") > 0.0, "{} {}", gain("wish"), gain("told"));
}

#[test]
fn what_goes_on_with_something_is_no_request_to_be_heeded() {
    let goes_on = "They agreed to the second dinner idea, so can you redo the plan for the weekend?";
    let found = search("assistant", goes_on, Granularity::Turn, &Pipeline::lexical());
    let [wish, request] = [&found, &search("assistant", REQUEST, Granularity::Turn, &Pipeline::lexical())]
        .map(|found| heeded(found, "wish"));
    assert!(wish < 0.5 * request, "{wish} {request}");
}

#[test]
fn nothing_is_heeded_where_nothing_new_is_asked_for_or_no_assistant_speaks() {
    for (other, text, unit) in [
        ("assistant", QUESTION, Granularity::Turn),
        ("Ben", REQUEST, Granularity::Turn),
        ("assistant", REQUEST, Granularity::Session),
    ] {
        let found = search(other, text, unit, &Pipeline::lexical());
        assert!(!found.hits.is_empty());
        assert!(found.hits.iter().all(|hit| hit.legs.heeded() == 0.0), "{other} {text}");
    }
}
