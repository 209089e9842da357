//! A leg that is written outside of this project, in one file, takes part everywhere: `docs/examples/leg.rs`.

#[path = "../../../docs/examples/leg.rs"]
#[allow(unreachable_pub, reason = "the example is written as a library would be")]
mod leg;

use aforesaid::{Explanations, Memory, Pipeline, types::*};
use leg::{READER, RecencyLeg};
use serde_json::Value;

use crate::bags::{ns, turn};

/// The same words twice, a year apart.
fn memory() -> Memory {
    let memory = Memory::builder().open("memory:").unwrap();
    let said = |id: &str, at: &str, text: &str| Turn {
        said_at: Some(at.parse().unwrap()),
        ..turn("talk", "s1", id, "Ann", text)
    };
    let turns = vec![
        said("old", "2023-03-01T10:00:00Z", "The kite is in the shed."),
        said("other", "2023-06-01T10:00:00Z", "Soup again today."),
        said("new", "2024-03-01T10:00:00Z", "The kite is in the attic."),
    ];
    memory.add_turns(&ns("me"), turns).unwrap();
    memory
}

fn first(pipeline: &Pipeline) -> String {
    let found = memory().search(&Query::new(ns("me"), "where is the kite?"), pipeline, Explanations::Omit).unwrap();
    found.hits[0].id.clone()
}

#[test]
fn it_takes_part_in_the_fusion() {
    let plain: Pipeline = "bm25".parse().unwrap();
    assert_eq!(first(&plain), "old", "equal words: the first said comes first");
    assert_eq!(first(&plain.clone().with_leg(RecencyLeg { half_life: 30.0 }, 0.5)), "new");
    // Evidence is what other legs have: it brings no turn without a term of the query.
    let both = plain.with_leg(RecencyLeg { half_life: 30.0 }, 0.5);
    let found = memory().search(&Query::new(ns("me"), "kite"), &both, Explanations::Omit).unwrap();
    assert_eq!(found.hits.len(), 2);
}

#[test]
fn it_is_written_and_read_like_the_legs_that_ship() {
    let written = "zscore(0.7, 0.3, bm25, recency(half_life=30))";
    let pipeline = Pipeline::read_with(written, &[READER]).unwrap();
    assert_eq!((pipeline.to_string().as_str(), first(&pipeline).as_str()), (written, "new"));
    let error = Pipeline::read_with("zscore(bm25, recency(half_life=0))", &[READER]).unwrap_err().to_string();
    assert!(error.contains("half_life=0: expected a number of days above 0"), "{error}");
    assert!(written.parse::<Pipeline>().is_err(), "who does not know it does not guess");
}

#[test]
fn it_is_in_the_json_the_explanation_and_why() {
    let pipeline = Pipeline::read_with("zscore(0.7, 0.3, bm25, recency)", &[READER]).unwrap();
    let (memory, query) = (memory(), Query::new(ns("me"), "where is the kite?"));
    let found = memory.search(&query, &pipeline, Explanations::Include).unwrap();
    let json: Value = serde_json::to_value(&found).unwrap();
    assert_eq!(json["hits"][0]["legs"]["recency"]["rank"], 1);
    assert_eq!(json["hits"][1]["legs"]["recency"]["rank"], 3, "the soup is newer");
    let explained = found.hits[0].explain.as_ref().unwrap().to_string();
    assert!(explained.contains("recency leg by zscore") && explained.contains("recency score, rank 1"), "{explained}");

    let why = memory.why(&Query { k: std::num::NonZeroUsize::MIN, ..query }, &pipeline, "old").unwrap();
    assert!(why.summary.contains("most of it in the recency leg"), "{}", why.summary);
    let report = serde_json::to_value(why.report.as_ref().unwrap()).unwrap();
    assert!(report["shares"]["recency"].as_f64() < report["cut"]["shares"]["recency"].as_f64(), "{report}");
    assert_eq!(
        (&report["legs"]["recency"]["rank"], &report["signals"]["recency"]),
        (&Value::from(3), &report["legs"]["recency"]["score"])
    );
}
