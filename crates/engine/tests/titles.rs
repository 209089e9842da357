//! A session is found by its title, and shown with it.

use aforesaid::{Explanations, Pipeline, Target, types::*};

use crate::bags::*;

fn titled(session: &str, id: &str, title: &str, text: &str) -> Turn {
    Turn { title: Some(title.to_owned()), ..turn("chats", session, id, "user", text) }
}

#[test]
fn a_title_finds_what_was_said_under_it() {
    let memory = open("memory:", local());
    let turns = vec![
        titled("s1", "a", "Rewiring the old boathouse", "Can I start with the sockets?"),
        titled("s1", "b", "Rewiring the old boathouse", "Only after the main switch is off."),
        titled("s2", "c", "Sourdough at altitude", "My boathouse bread is flat, and the old oven is no help."),
        titled("s3", "d", "A present for Grandpa", "He would like an old boat."),
    ];
    memory.add_turns(&ns("me"), turns).unwrap();
    let ask = |text: &str, unit| {
        let query = Query { unit, ..Query::new(ns("me"), text) };
        let found = memory.search(&query, &Pipeline::lexical(), Explanations::Omit).unwrap();
        found.hits.into_iter().map(|hit| (hit.id, hit.title.unwrap_or_default())).collect::<Vec<_>>()
    };
    let turns = ask("Rewiring the old boathouse", Granularity::Turn);
    let first: Vec<&str> = turns[..2].iter().map(|(id, _)| id.as_str()).collect();
    assert!(first.contains(&"a") && first.contains(&"b"), "{turns:?}");
    assert_eq!(turns[0].1, "Rewiring the old boathouse");
    assert_eq!(ask("the chat called rewiring the old boathouse", Granularity::Session)[0].0, "s1");

    // What the title was does not find it any more.
    memory.add_turns(&ns("me"), vec![titled("s1", "a", "Sockets", "Can I start with the sockets?")]).unwrap();
    let renamed = ask("rewiring", Granularity::Turn);
    assert_eq!(renamed, [], "nobody said so");
    assert_eq!(ask("sockets", Granularity::Turn)[0].1, "Sockets");

    let session = Scope { session: Some(SessionId::new("s1").unwrap()), ..Scope::default() };
    memory.forget(&ns("me"), &Target::Within(session)).unwrap();
    assert_eq!(ask("sockets", Granularity::Turn), []);
}
