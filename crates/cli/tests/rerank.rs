//! `search --rerank MODEL` with a real cross-encoder of random weights, and what it refuses.

use std::path::Path;

use serde_json::Value;

use crate::sandbox::*;

/// Six notes, which a search for a kite lists in one order.
fn filled() -> Sandbox {
    let sandbox = Sandbox::new();
    for text in
        ["A red kite.", "The kite flew.", "Kite, string and wind.", "No toy but a kite.", "Soup.", "A kite again."]
    {
        sandbox.done(&["add", text]);
    }
    sandbox
}

fn cross_encoder() -> String {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("../models/tests/reference/tiny-cross-bert");
    dir.to_str().unwrap().to_owned()
}

fn ids(found: &Value) -> Vec<&str> {
    found["hits"].as_array().unwrap().iter().map(|hit| hit["id"].as_str().unwrap()).collect()
}

#[test]
fn a_cross_encoder_orders_the_best_hits_and_leaves_the_rest() {
    let (sandbox, model) = (filled(), cross_encoder());
    let plain = sandbox.json(&["search", "kite"]);
    for depth in ["1", "2", "3", "5", "10"] {
        let found = sandbox.json(&["search", "kite", "--rerank", &model, "--rerank-depth", depth]);
        let best = depth.parse::<usize>().unwrap().min(5);
        assert_eq!(ids(&found)[best..], ids(&plain)[best..]);
        let scores: Vec<f64> =
            found["hits"].as_array().unwrap()[..best].iter().map(|hit| hit["rerank_score"].as_f64().unwrap()).collect();
        assert!(scores.is_sorted_by(|a, b| a >= b), "{scores:?}");
        let (mut before, mut after) = (ids(&plain), ids(&found));
        before.sort_unstable();
        after.sort_unstable();
        assert_eq!(before, after, "the hits stay the same set");
        assert!(found.get("warnings").is_none_or(|of| !of.to_string().contains("rerank")), "{found}");
    }
}

/// `why` explained the order before the reranker and told its ranks as those of the search.
#[test]
fn why_tells_the_rank_of_the_search_and_says_which_order_it_explains() {
    let (sandbox, model) = (filled(), cross_encoder());
    let found = sandbox.json(&["search", "kite", "--rerank", &model, "-k", "2"]);
    let plain = sandbox.json(&["search", "kite"]);
    for (rank, id) in (1..).zip(ids(&found)) {
        let asked = ["why", id, "-q", "kite", "-k", "2"];
        let why = sandbox.json(&[&asked[..], &["--rerank", &model]].concat());
        assert_eq!(why["search"]["rank"], rank, "{why}");
        assert_eq!(why["search"]["rerank_score"], found["hits"][rank - 1]["rerank_score"]);
        let text = sandbox.done(&[&asked[..], &["--rerank", &model]].concat());
        let lines: Vec<&str> = text.lines().collect();
        let place = ["1st hit of the search: the reranker ", "2nd hit of the search: the reranker "][rank - 1];
        assert!(lines[1].starts_with(place) && lines[2].starts_with("before the reranker: ranked "), "{text}");
        // Without one, the two ranks are the same.
        let why = sandbox.json(&["why", id, "-q", "kite"]);
        let place = ids(&plain).iter().position(|other| *other == id).unwrap() + 1;
        assert_eq!(why["search"]["rank"], place);
        assert!(why["summary"].as_str().unwrap().starts_with("ranked ") && why["search"].get("reranker").is_none());
        assert!(!sandbox.done(&asked).contains("reranker"));
    }
    let last = sandbox.json(&["search", "kite", "--rerank", &model]);
    let last = ids(&last)[4];
    let text = sandbox.done(&["why", last, "-q", "kite", "-k", "2", "--rerank", &model]);
    assert!(text.contains("5th in the search, and 2 are hits: the reranker"), "{text}");
    let unsure = sandbox.done(&["why", last, "-q", "kite", "--min-confidence", "1"]);
    assert!(unsure.contains("the search has no hits: nothing found is as likely"), "{unsure}");
}

#[test]
fn what_does_not_go_together_is_refused() {
    let (sandbox, model) = (filled(), cross_encoder());
    for (args, named) in [
        (&["--rerank", &model, "--rerank-by", "relevance"][..], "--rerank-by"),
        (&["--rerank-depth", "3"], "--rerank-depth"),
        (&["--rerank", "no-such-model"], "no-such-model"),
        (&["--rerank", &model, "--llm-url", "http://127.0.0.1:9/v1"], "--llm-url"),
    ] {
        let refused = sandbox.refusal(&[&["search", "kite"], args].concat());
        assert!(refused.contains(named), "{refused}");
    }
    let encoder = cross_encoder().replace("tiny-cross-bert", "tiny");
    let refused = sandbox.refusal(&["search", "kite", "--rerank", &encoder]);
    assert!(refused.contains("reranker"), "{refused}");
}

#[test]
fn the_reranker_comes_from_the_usual_places() {
    let (sandbox, model) = (filled(), cross_encoder());
    sandbox.write("reranked.toml", format!("rerank = {model:?}\nrerank_depth = 3\n"));
    let reranked = |args: &[&str], variables: &[(&str, &str)]| {
        let mut search = sandbox.command(&[args, &["search", "kite", "--json"]].concat());
        let found = finish(search.envs(variables.iter().copied())).succeeded();
        let found: Value = serde_json::from_str(&found).unwrap();
        found["hits"].as_array().unwrap().iter().filter(|hit| hit.get("rerank_score").is_some()).count()
    };
    assert_eq!(reranked(&[], &[]), 0);
    let variables = [("AFORESAID_RERANK", model.as_str()), ("AFORESAID_RERANK_DEPTH", "2")];
    assert_eq!(reranked(&[], &variables), 2);
    let configured = &["--config", "reranked.toml"][..];
    assert_eq!(reranked(configured, &[]), 3);
    assert_eq!(reranked(configured, &variables[1..]), 2);
    assert_eq!(reranked(configured, &[("AFORESAID_RERANK", "none")]), 0);
    let context = |args: &[&str]| sandbox.json(&[configured, &["ask", "kite", "--context"], args].concat());
    let scored =
        |found: &Value| found["memories"].as_array().unwrap().iter().any(|of| of.get("rerank_score").is_some());
    assert!(scored(&context(&[])) && !scored(&context(&["--rerank", "none"])));
    sandbox.write("deep.toml", "rerank_depth = 3\n");
    assert_eq!(reranked(&["--config", "deep.toml"], &[]), 0, "a depth alone reranks nothing");
    let refused = sandbox.refusal(&["search", "kite", "--rerank-by", "relevance"]);
    assert!(refused.contains("--rerank llm"), "{refused}");
}

#[test]
fn what_is_measured_of_the_own_store_is_what_searches_are_configured_to_do() {
    let (sandbox, model) = (filled(), cross_encoder());
    let id = ids(&sandbox.json(&["search", "soup"]))[0].to_owned();
    sandbox.write("asked.jsonl", format!("{{\"query\": \"soup\", \"gold_ids\": [{id:?}]}}\n"));
    sandbox.write("reranked.toml", format!("rerank = {model:?}\nrerank_depth = 3\n"));
    sandbox.write("none.toml", "rerank = \"none\"\nrerank_depth = 3\n");
    sandbox.write("llm.toml", "rerank = \"llm\"\n");
    let run = ["eval", "run", "--queries", "asked.jsonl", "--unit", "turn"];
    let measured = |before: &[&str], after: &[&str]| {
        let report = sandbox.json(&[before, &run[..], after].concat());
        report["units"]["turn"]["system"].as_str().unwrap().to_owned()
    };
    assert_eq!(measured(&[], &[]), "learned", "the default has no model here");
    let configured = measured(&["--config", "reranked.toml"], &[]);
    assert!(configured.starts_with("learned, the best 3 reranked by tiny-cross-bert@"), "{configured}");
    assert_eq!(measured(&["--config", "reranked.toml"], &["--rerank", "none"]), "learned");
    assert_eq!(measured(&["--config", "reranked.toml"], &["--system", "lexical"]), "lexical");
    assert_eq!(measured(&["--config", "none.toml"], &[]), "learned");
    let refused = sandbox.refusal(&[&["--config", "llm.toml"], &run[..]].concat());
    assert!(refused.contains("--rerank llm") && refused.contains("or none"), "{refused}");
    let refused = sandbox.refusal(&[&run[..], &["--rerank", "none", "--rerank-depth", "3"]].concat());
    assert!(refused.contains("--rerank-depth"), "{refused}");
}
