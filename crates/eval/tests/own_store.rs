//! One's own store, measured through the search that it is asked by.

use aforesaid::{Memory, Pipeline, types::*};
use aforesaid_eval::{
    EvalError,
    measures::Measure,
    own_store::{LabelledQuery, OwnStore, read_queries},
    recipe::Outcome,
};

/// Two conversations whose ids and sessions have the same names, and a note.
fn filled() -> (Memory, Namespace) {
    let memory = Memory::builder().open("memory:").unwrap();
    let me = Namespace::new("me").unwrap();
    let turn = |conversation: &str, session: &str, id: &str, day: &str, text: &str| Turn {
        id: Some(MemoryId::new(id).unwrap()),
        said_at: Some(day.parse().unwrap()),
        ..Turn::new(ConversationId::new(conversation).unwrap(), SessionId::new(session).unwrap(), "Ola", text)
    };
    let turns = vec![
        turn("farm", "s1", "D1:1", "2024-01-01", "The well is dry."),
        turn("farm", "s2", "D1:2", "2024-02-01", "Rain filled the well at last."),
        turn("town", "s1", "D1:1", "2024-03-01", "The fair has a carousel."),
        turn("town", "s2", "only", "2024-04-01", "The carousel is closed."),
    ];
    memory.add_turns(&me, turns).unwrap();
    let note = Note {
        id: Some(MemoryId::new("n1").unwrap()),
        conversation: None,
        text: "Ola dislikes turnips.".to_owned(),
        said_at: None,
        importance: Importance::default(),
        tags: Vec::new(),
        sensitivity: Sensitivity::Ordinary,
        source: Vec::new(),
    };
    memory.add_note(&me, note).unwrap();
    (memory, me)
}

fn measured(queries: &str, unit: Granularity) -> Result<Outcome, EvalError> {
    let (memory, me) = filled();
    let queries: Vec<LabelledQuery> = read_queries(queries, "q.jsonl")?;
    let pipeline = Pipeline::lexical();
    let measures: [Measure; 2] = ["hit@1".parse().unwrap(), "mrr".parse().unwrap()];
    let system = ("lexical", &pipeline);
    let own =
        OwnStore { memory: &memory, namespace: &me, queries: &queries, system, reranking: None, measures: &measures };
    own.run(unit, &|_| ())
}

fn ranked(outcome: &Outcome, question: &str) -> Vec<String> {
    let trec = outcome.trial.run.to_trec().unwrap();
    let lines = trec.lines().map(|line| line.split_whitespace().collect::<Vec<_>>());
    lines.filter(|fields| fields[0] == question).map(|fields| fields[2].to_owned()).collect()
}

const QUERIES: &str = r#"
{"id": "well", "query": "Who filled the well?", "gold_ids": ["D1:2"], "category": "fact"}
{"id": "fair", "query": "What has the fair?", "gold_ids": ["D1:1"], "conversation": "town"}
{"id": "early", "query": "the carousel", "gold_ids": ["D1:1"], "conversation": "town", "now": "2024-03-15"}
{"id": "first", "query": "the well", "gold_ids": ["D1:1"], "conversation": "farm", "before": "D1:2"}
{"query": "turnips", "gold_ids": ["n1", "gone"]}
{"id": "lost", "query": "What else?", "gold_ids": ["gone"]}
"#;

/// "Last month" was no time, whatever the moment of asking.
#[test]
fn a_query_is_asked_at_its_moment() {
    let now = r#"{"id": "q", "query": "What did Ola say last month?", "gold_ids": ["D1:2"], "now": "2024-03-09T10:00:00+01:00"}"#;
    assert_eq!(ranked(&measured(now, Granularity::Turn).unwrap(), "farm::q")[0], "D1:2");
    let later = now.replace("D1:2", "only").replace("2024-03-09", "2024-05-09");
    assert_eq!(ranked(&measured(&later, Granularity::Turn).unwrap(), "town::q")[0], "only");
    let refused =
        measured(&now.replace("2024-03-09T10:00:00+01:00", "soon"), Granularity::Turn).err().unwrap().to_string();
    assert!(refused.contains("q.jsonl, line 1") && refused.contains("\"soon\""), "{refused}");
}

#[test]
fn queries_are_asked_as_a_search_asks_them() {
    let outcome = measured(QUERIES, Granularity::Turn).unwrap();
    assert_eq!(ranked(&outcome, "farm::well").len(), 5, "every memory of the namespace is ranked");
    assert_eq!(ranked(&outcome, "farm::well")[0], "D1:2");
    assert_eq!(ranked(&outcome, "town::fair"), ["town/D1:1", "only"], "an id of two conversations has its before it");
    assert_eq!(ranked(&outcome, "town::early"), ["town/D1:1"], "what was said later is not there");
    assert_eq!(ranked(&outcome, "farm::first"), ["farm/D1:1"]);
    assert_eq!(ranked(&outcome, "notes::6")[0], "n1", "a query without a name has that of its line");
    assert_eq!(outcome.trial.evaluation.mean("hit@1".parse().unwrap()), Some(1.0));
    let groups: Vec<&str> = outcome.benchmark.groups.iter().map(|group| group.id.as_str()).collect();
    assert_eq!(groups, ["farm", "town", "notes"]);
    let report = outcome.report.to_json();
    assert_eq!((&report["n"], &report["excluded"], &report["dataset"]), (&5.into(), &1.into(), &"namespace me".into()));
    assert_eq!(report["unresolved"].as_array().unwrap().len(), 2);
    let text = format!("{report}{}", outcome.report.to_markdown());
    let private = ["Rain", "fair?", "turnips", "carousel"];
    assert!(private.iter().all(|word| !text.contains(word)), "a report holds checksums of texts and no text: {text}");
}

#[test]
fn sessions_are_measured_too() {
    let outcome = measured(QUERIES, Granularity::Session).unwrap();
    assert_eq!(ranked(&outcome, "farm::well")[0], "farm/s2");
    assert_eq!(ranked(&outcome, "town::fair")[0], "town/s1");
    assert_eq!(outcome.benchmark.excluded(), 2, "a note is in no session");
}

#[test]
fn bad_queries_are_named() {
    let refused = |line: &str| measured(line, Granularity::Turn).unwrap_err().to_string();
    for (line, parts) in [
        (r#"{"query": "x"}"#, ["q.jsonl, line 1", "gold_ids"]),
        ("\n{\"query\": \"x\", \"gold_ids\": [], \"gold\": 1}", ["line 2", "gold"]),
        (r#"{"query": " ", "gold_ids": []}"#, ["line 1", "blank"]),
        (
            "{\"id\":\"a\",\"query\":\"x\",\"gold_ids\":[]}\n{\"id\":\"a\",\"query\":\"y\",\"gold_ids\":[]}",
            ["line 2", "line 1"],
        ),
        (r#"{"query": "x", "gold_ids": ["D1:1"]}"#, ["2 conversations", "\"conversation\""]),
        (r#"{"query": "x", "gold_ids": ["gone"]}"#, ["no question can be measured", "gone"]),
        (
            r#"{"query": "x", "gold_ids": ["n1"], "conversation": "moon"}"#,
            ["line 1", "\"moon\", of which nothing is stored"],
        ),
    ] {
        let message = refused(line);
        assert!(parts.iter().all(|part| message.contains(part)), "{message}");
    }
}
