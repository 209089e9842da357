//! Asking at a moment: relative times, the newest and the oldest.

use aforesaid::{Explanations, Memory, Pipeline, SearchResponse, time::Order, types::*};
use serde_json::json;

/// A Wednesday.
const NOW: &str = "2024-05-15T12:00:00Z";

/// What Ann paid for coffee, said at several times; one turn has none.
fn memory() -> Memory {
    let memory = Memory::builder().open("memory:").unwrap();
    let said = [
        ("old", Some("2023-02-01T09:00:00Z"), "I paid three euros for the coffee at the station."),
        ("spring", Some("2024-03-20T09:00:00Z"), "I paid four euros for the coffee at the station."),
        ("week", Some("2024-05-08T23:30:00Z"), "I paid five euros for the coffee at the station."),
        ("undated", None, "I paid six euros for the coffee at the station."),
        ("new", Some("2024-05-14T09:00:00Z"), "I paid seven euros for the coffee at the station."),
        ("other", Some("2024-05-13T09:00:00Z"), "The cat is called Parsnip."),
    ];
    let turn = |(id, said_at, text): (&str, Option<&str>, &str)| Turn {
        id: Some(MemoryId::new(id).unwrap()),
        said_at: said_at.map(|at| at.parse().unwrap()),
        ..Turn::new(ConversationId::new("chat").unwrap(), SessionId::new(id).unwrap(), "Ann", text)
    };
    memory.add_turns(&namespace(), said.map(turn).to_vec()).unwrap();
    memory
}

fn namespace() -> Namespace {
    Namespace::new("me").unwrap()
}

fn query(text: &str) -> Query {
    Query { now: Some(NOW.parse().unwrap()), ..Query::new(namespace(), text) }
}

fn search(query: &Query) -> SearchResponse {
    memory().search(query, &Pipeline::hybrid(), Explanations::Omit).unwrap()
}

fn first(query: &Query) -> String {
    search(query).hits[0].id.clone()
}

#[test]
fn the_time_that_the_question_names_is_preferred() {
    assert_eq!(first(&query("what did I pay for coffee last week?")), "week");
    assert_eq!(first(&query("what did I pay for coffee yesterday?")), "new");
    assert_eq!(first(&query("what did I pay for coffee in March?")), "spring");
    assert_eq!(first(&query("what did I pay for coffee in the winter of 2022?")), "old");
    assert_eq!(first(&query("was habe ich letzte Woche für coffee bezahlt?")), "week");
}

/// The words of a date led to turns that hold them, and what was said on that day stood far below.
#[test]
fn a_question_that_names_nothing_but_a_time_is_answered_by_what_was_said_then() {
    let memory = memory();
    let misleading = "In May and in March of 2024, on the 20th or the 13th, what happened was coffee.";
    let turn = Turn {
        said_at: Some("2024-01-02T09:00:00Z".parse().unwrap()),
        ..Turn::new(ConversationId::new("chat").unwrap(), SessionId::new("s").unwrap(), "Ann", misleading)
    };
    memory.add_turns(&namespace(), vec![turn]).unwrap();
    let first = |text: &str| {
        let found = memory.search(&query(text), &Pipeline::hybrid(), Explanations::Omit).unwrap();
        found.hits[0].id.clone()
    };
    assert_eq!(first("what happened on March 20, 2024?"), "spring");
    assert_eq!(first("Was war am 20. März 2024?"), "spring");
    assert_eq!(first("what did we talk about on May 13?"), "other");
    assert_eq!(first("¿Qué pasó el 13 de mayo de 2024?"), "other");
    // Asked for something besides, words count.
    assert_ne!(first("what happened with the station on May 13?"), "other");
}

#[test]
fn the_newest_and_the_oldest_are_of_the_same_matter() {
    let newest = search(&query("what do I currently pay for coffee?"));
    let ids: Vec<&str> = newest.hits.iter().map(|hit| hit.id.as_str()).collect();
    // Without a time it is neither old nor new, and the newest of all is of another matter.
    assert_eq!((ids[0], ids.contains(&"other")), ("new", false));
    assert_eq!(newest.times.order, Some(Order::Current));
    assert_eq!(first(&query("what did I originally pay for coffee?")), "old");
}

#[test]
fn who_does_not_say_when_it_is_asked_gets_the_ranking_without_times() {
    let memory = memory();
    let plain: Pipeline = Pipeline::hybrid().without_boost("order_boost");
    for text in ["what did I pay for coffee last week?", "what do I currently pay for coffee?", "the first coffee?"] {
        let undated = Query { now: None, ..query(text) };
        let answer = memory.search(&undated, &Pipeline::hybrid(), Explanations::Omit).unwrap();
        let expected = memory.search(&undated, &plain, Explanations::Omit).unwrap();
        assert_eq!(answer.hits, expected.hits, "{text}");
        assert_eq!(answer.times, Default::default());
        // A question that says nothing of time ranks alike at any moment.
        let timeless = query("what did I pay for coffee?");
        let now = memory.search(&timeless, &Pipeline::hybrid(), Explanations::Omit).unwrap();
        let never = memory.search(&Query { now: None, ..timeless }, &plain, Explanations::Omit).unwrap();
        assert_eq!(now.hits, never.hits);
    }
}

#[test]
fn the_response_says_how_a_time_was_understood() {
    let zone: Zone = "+02:00".parse().unwrap();
    let answer = search(&Query { zone, ..query("what does the coffee cost now, and what did it cost last week?") });
    let json = serde_json::to_value(&answer).unwrap();
    assert_eq!(
        json["time"],
        json!([{"text": "last week", "from": "2024-05-05T22:00:00Z", "to": "2024-05-12T22:00:00Z"}])
    );
    assert_eq!(json["order"], "current");
    let json = serde_json::to_value(search(&query("what did the coffee cost?"))).unwrap();
    assert_eq!((json.get("time"), json.get("order")), (None, None));
}

#[test]
fn days_are_those_of_the_zone() {
    // Half past one at night in Berlin, still the day before in UTC.
    let asked = |zone: &str, day: &str| {
        let zone = zone.parse().unwrap();
        let answer = search(&Query { zone, ..query(&format!("what did I pay for coffee on {day} May 2024?")) });
        answer.times.expressions[0].range.fit("2024-05-08T23:30:00Z".parse().unwrap())
    };
    assert_eq!((asked("UTC", "8"), asked("+02:00", "9")), (1.0, 1.0));
    assert!(asked("UTC", "9") < 1.0 && asked("+02:00", "8") < 1.0);
}

#[test]
fn why_says_what_the_order_adds() {
    let asked = query("what do I currently pay for coffee?");
    let why = memory().why(&asked, &Pipeline::hybrid(), "old").unwrap();
    let report = why.report.unwrap();
    let newest = memory().why(&asked, &Pipeline::hybrid(), "new").unwrap().report.unwrap();
    assert_eq!(report.shares.get("time_order"), Some(0.0), "the oldest of the best gains nothing");
    assert!(newest.shares.get("time_order").unwrap() > 0.0);
    assert!(newest.stage("order_boost").unwrap().rank == 1);
}

/// A cat that two people speak of: Ben before Ann, and the newest turn without naming it.
fn of_a_cat() -> Memory {
    let memory = Memory::builder().open("memory:").unwrap();
    let said = [
        ("s1", "b1", "Ben", "2024-01-03T09:00:00Z", "Our neighbour found a cat under the stairs and calls it Parsnip."),
        ("s1", "a1", "Ann", "2024-01-03T09:01:00Z", "Under the stairs, in January!"),
        ("s2", "a2", "Ann", "2024-02-07T18:00:00Z", "By the way, the heating is fixed, and Parsnip sat on it all day."),
        (
            "s3",
            "a3",
            "Ann",
            "2024-03-09T18:00:00Z",
            "Parsnip, Parsnip, Parsnip. That cat ate the butter. When did we first let her in?",
        ),
        ("s4", "b4", "Ben", "2024-04-01T18:00:00Z", "I bought butter for the neighbour and for us."),
    ];
    let turn = |(session, id, speaker, said_at, text): (&str, &str, &str, &str, &str)| Turn {
        id: Some(MemoryId::new(id).unwrap()),
        said_at: Some(said_at.parse().unwrap()),
        ..Turn::new(ConversationId::new("chat").unwrap(), SessionId::new(session).unwrap(), speaker, text)
    };
    memory.add_turns(&namespace(), said.map(turn).to_vec()).unwrap();
    memory
}

#[test]
fn the_first_and_the_last_mention_are_the_turns_that_name_the_matter() {
    let memory = of_a_cat();
    let ids = |unit: Granularity, text: &str| -> Vec<String> {
        let query = Query { unit, ..query(text) };
        let answer = memory.search(&query, &Pipeline::lexical(), Explanations::Omit).unwrap();
        answer.hits.iter().map(|hit| hit.id.clone()).collect()
    };
    let first = |text: &str| ids(Granularity::Turn, text)[0].clone();
    assert_eq!(first("When was Parsnip first mentioned?"), "b1");
    assert_eq!(first("when did parsnip first come up"), "b1");
    assert_eq!(first("When did Ann first mention Parsnip?"), "a2", "what Ann said, not what Ben said before");
    assert_eq!(first("When did we last talk about Parsnip?"), "a3");
    assert_eq!(first("Wann wurde Parsnip zum ersten Mal erwähnt?"), "b1");
    assert_eq!(first("¿Cuándo se mencionó a Parsnip por primera vez?"), "b1");
    assert_eq!(ids(Granularity::Session, "When did Ann first mention Parsnip?")[0], "s2");
    // Without a moment of asking, or a word for a mention, the order of time has no such weight.
    assert_eq!(first("What did Parsnip eat first?"), "a3");
    let undated = Query { now: None, ..query("When was Parsnip first mentioned?") };
    let answer = memory.search(&undated, &Pipeline::lexical(), Explanations::Omit).unwrap();
    assert_eq!(answer.hits[0].id, "a3");
}

#[test]
fn a_matter_that_nobody_names_leaves_the_order() {
    let memory = of_a_cat();
    let asked = query("When did I first mention Zanzibar?");
    let with = memory.search(&asked, &Pipeline::lexical(), Explanations::Omit).unwrap();
    let without =
        memory.search(&asked, &Pipeline::lexical().without_boost("mention_boost"), Explanations::Omit).unwrap();
    assert_eq!(with.hits, without.hits);
}

#[test]
fn why_says_what_a_mention_adds() {
    let asked = query("When was Parsnip first mentioned?");
    let share =
        |id: &str| of_a_cat().why(&asked, &Pipeline::lexical(), id).unwrap().report?.shares.get("mention_order");
    let [first, second, third] = ["b1", "a2", "a3"].map(|id| share(id).unwrap());
    assert!(first > second && second > third && third > 0.0, "{first} {second} {third}");
    assert_eq!(share("b4").unwrap_or_default(), 0.0);
}
