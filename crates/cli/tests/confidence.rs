//! How sure a search is, and `--min-confidence`, from a shell.

use insta::assert_snapshot;
use serde_json::Value;

use crate::sandbox::{Sandbox, finish};

const HELD: &str = include_str!("conversations/kites.jsonl");

fn sure(answer: &Value) -> f64 {
    answer["confidence"]["probability"].as_f64().unwrap()
}

#[test]
fn every_search_says_how_sure_it_is() {
    let sandbox = Sandbox::holding(HELD);
    let answer = sandbox.json(&["search", "who got the red kite of Ann?"]);
    let fields: Vec<&String> = answer["confidence"].as_object().unwrap().keys().collect();
    assert_eq!(fields, ["probability", "word", "answerable"]);
    assert!((0.0..=1.0).contains(&sure(&answer)));
    let less = sandbox.json(&["search", "who got the green submarine of Bob, a kite?"]);
    assert!(sure(&less) < sure(&answer), "{less}");
    assert_eq!(sure(&sandbox.json(&["search", "zeppelin"])), 0.0);
}

#[test]
fn people_get_a_word() {
    let sandbox = Sandbox::holding(HELD);
    let text = sandbox.done(&["search", "zeppelin"]);
    assert!(text.starts_with("no hits: no word of the query") && text.contains("\n0 of 4 turns, "), "{text}");
    let answer = sandbox.json(&["search", "red kite"]);
    let text = sandbox.done(&["search", "red kite"]);
    let number = answer["confidence"]["probability"].as_f64().unwrap();
    assert!(text.starts_with(&format!("very likely ({number:.2})")) || number < 0.9, "{number}: {text}");
    assert!(text.lines().next().unwrap().contains("likely ("), "{text}");
    let explained = sandbox.done(&["search", "red kite", "--explain"]);
    assert!(
        explained.contains("1.0000  coverage") && explained.contains("that the first hit answers this"),
        "{explained}"
    );
    assert!(sandbox.json(&["search", "red kite", "--explain"])["confidence"]["signals"]["coverage"].is_f64());
}

#[test]
fn in_another_order_the_hit_that_it_is_about_is_named() {
    let lines = [("a", "2024-03-01", "Ann has the red kite."), ("b", "2024-03-02", "A kite sank.")];
    let line = |(id, day, text)| {
        format!(
            r#"{{"id": "{id}", "conversation": "c", "session": "s", "speaker": "Ann", "said_at": "{day}T10:00:00Z", "text": "{text}"}}"#
        )
    };
    let sandbox = Sandbox::holding(&lines.map(line).join("\n"));
    let ask = ["search", "who has the red kite?"];
    let plain = sandbox.json(&ask);
    assert_eq!((&plain["hits"][0]["id"], plain.get("best")), (&"a".into(), None));
    let recent = sandbox.json(&[&ask[..], &["--sort-by", "recency"]].concat());
    assert_eq!((&recent["hits"][0]["id"], &recent["best"]), (&"b".into(), &"a".into()));
    assert_eq!(recent["confidence"], plain["confidence"]);
    let head = |args: &[&str]| sandbox.done(args).lines().next().unwrap().split("  ").next().unwrap().to_owned();
    assert_eq!(head(&[&ask[..], &["--sort-by", "recency"]].concat()), head(&ask) + ", a");
}

#[test]
fn an_answer_that_is_not_sure_enough_is_held_back() {
    let sandbox = Sandbox::holding(HELD);
    let answer = sandbox.json(&["search", "red kite", "--min-confidence", "1"]);
    assert_eq!((answer["hits"].as_array().unwrap().len(), &answer["reason"]), (0, &"low_confidence".into()));
    assert!(sure(&answer) > 0.0);
    let text = sandbox.done(&["search", "red kite", "--min-confidence", "1"]);
    let second = text.lines().nth(1).unwrap();
    assert!(second.starts_with("best found: ") && second.contains("likely ("), "{text}");
    assert_snapshot!(text.lines().next().unwrap(), @"no hits: nothing found is as likely to answer this as asked for; lower --min-confidence to see what there is");
    assert!(sandbox.json(&["search", "red kite", "--min-confidence", "0"]).get("reason").is_none());
}

#[test]
fn the_least_confidence_comes_from_the_usual_places() {
    let sandbox = Sandbox::holding(HELD);
    sandbox.write("careful.toml", "min_confidence = 1.0");
    let hits = |args: &[&str], variables: &[(&str, &str)]| {
        let mut search = sandbox.command(&["search", "red kite", "--json"]);
        let answer: Value =
            serde_json::from_str(&finish(search.args(args).envs(variables.iter().copied())).succeeded()).unwrap();
        answer["hits"].as_array().unwrap().len()
    };
    assert!(hits(&[], &[]) > 0);
    assert_eq!(hits(&["--config", "careful.toml"], &[]), 0);
    assert_eq!(hits(&[], &[("AFORESAID_MIN_CONFIDENCE", "1")]), 0);
    assert!(hits(&["--config", "careful.toml", "--min-confidence", "0"], &[]) > 0);
}

#[test]
fn what_is_no_probability_is_refused() {
    let sandbox = Sandbox::holding(HELD);
    for wrong in ["1.5", "-0.1", "NaN", "sure"] {
        let outcome = finish(&mut sandbox.command(&["search", "kite", &format!("--min-confidence={wrong}")]));
        assert_eq!(outcome.code, 2, "{outcome:?}");
        assert!(outcome.stderr.contains("expected a number from 0 to 1"), "{}", outcome.stderr);
    }
    sandbox.write("wrong.toml", "min_confidence = 2.0");
    assert_snapshot!(sandbox.refusal(&["--config", "wrong.toml", "search", "kite"]), @"4 invalid_input: configuration file wrong.toml: min_confidence 2: expected a number from 0 to 1");
}
