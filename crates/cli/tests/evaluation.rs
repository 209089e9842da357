//! `aforesaid eval` on a small labelled history, without a model.

use insta::assert_snapshot;
use serde_json::Value;

use crate::sandbox::{Sandbox, finish};

const MEMORIES: &str = include_str!("../../eval/tests/data/garden/memories.jsonl");
const QUERIES: &str = include_str!("../../eval/tests/data/garden/queries.jsonl");

const ON_GARDEN: [&str; 4] = ["--dataset", "jsonl", "--data", "garden"];

fn garden() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write("garden/memories.jsonl", MEMORIES);
    sandbox.write("garden/queries.jsonl", QUERIES);
    sandbox
}

/// `eval <action>` on the garden with more arguments.
fn eval<'a>(action: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    ["eval", action].into_iter().chain(ON_GARDEN).chain(more.iter().copied()).collect()
}

#[test]
fn a_run_is_measured_on_your_own_history() {
    let sandbox = garden();
    let report = sandbox.json(&eval("run", &["--system", "paper-bm25"]));
    assert_eq!(
        report.as_object().unwrap().keys().take(7).map(String::as_str).collect::<Vec<_>>(),
        ["dataset", "system", "unit", "n", "excluded", "measures", "intervals_95"]
    );
    assert_eq!((&report["n"], &report["excluded"], &report["unit"]), (&11.into(), &1.into(), &"turn".into()));
    let measures: Vec<&String> = report["measures"].as_object().unwrap().keys().collect();
    assert_eq!(measures, ["hit@1", "hit@5", "hit@10", "recall@3", "recall@5", "recall@10", "all@5", "mrr", "ndcg@5"]);
    assert_eq!(report["measures"]["mrr"], 0.625);
    let categories = report["by_category"].as_object().unwrap();
    let counted: u64 = categories.values().map(|category| category["n"].as_u64().unwrap()).sum();
    assert!(categories.len() > 1 && counted <= 11);
    assert!(categories.values().all(|category| category["measures"]["hit@1"].is_f64()));
}

#[test]
fn json_goes_to_a_file_that_is_named() {
    let sandbox = garden();
    let shown = sandbox
        .done(&eval("run", &["--system", "lexical", "--json", "out.json", "--markdown", "out.md", "--csv", "out.csv"]));
    let report: Value = serde_json::from_str(&sandbox.read("out.json")).unwrap();
    assert_eq!(report, sandbox.json(&eval("run", &["--system", "lexical"])));
    assert!(shown.starts_with("# lexical on jsonl, unit turn\n"), "{shown}");
    assert_eq!(shown, sandbox.read("out.md"));
    let rows = sandbox.read("out.csv");
    assert_eq!(rows.lines().count(), 12);
    assert!(rows.starts_with("question,group,category,text,gold,first_gold_rank,top,hit@1,"), "{rows}");
}

#[test]
fn measures_are_those_asked_for() {
    let report = garden().json(&eval("run", &["--system", "bm25", "--measures", "MRR,hit@2,mrr"]));
    assert_eq!(report["measures"].as_object().unwrap().keys().collect::<Vec<_>>(), ["mrr", "hit@2"]);
}

#[test]
fn runs_are_compared_question_by_question() {
    let sandbox = garden();
    for system in ["bm25", "lexical"] {
        sandbox.done(&eval("run", &["--system", system, "--run", &format!("{system}.run")]));
    }
    let same = sandbox.json(&["eval", "compare", "bm25.run", "bm25.run"]);
    for compared in same["measures"].as_array().unwrap() {
        assert_eq!(compared["difference"]["difference"], 0.0);
        assert_eq!(compared["tally"]["ties"], 11);
    }
    let other = sandbox.json(&["eval", "compare", "bm25.run", "lexical.run", "--measures", "mrr"]);
    let [compared] = other["measures"].as_array().unwrap().as_slice() else { unreachable!("one measure") };
    let report = |system| sandbox.json(&eval("run", &["--system", system]));
    for (side, system) in [("first", "bm25"), ("second", "lexical")] {
        let (written, direct) = (&compared[side], &report(system)["measures"]["mrr"]);
        assert!((written.as_f64().unwrap() - direct.as_f64().unwrap()).abs() < 1e-12, "{system}");
    }
    assert_eq!(other["resampled"], "questions within groups", "two groups are too few to resample");
    assert!(other["caveat"].as_str().unwrap().starts_with("2 groups are too few"));
    let table = sandbox.done(&["eval", "compare", "bm25.run", "lexical.run", "--measures", "mrr"]);
    assert!(table.contains("| measure | first | second | difference \\[95%\\] |"), "{table}");
    // A run without its last question, of which nothing was said, and of the same name.
    let run = sandbox.read("bm25.run");
    let last = run.lines().last().unwrap().split(' ').next().unwrap().to_owned();
    let rest: String = run.lines().filter(|line| !line.starts_with(&last)).map(|line| format!("{line}\n")).collect();
    sandbox.write("short.run", rest);
    let short = ["eval", "compare", "bm25.run", "short.run", "--qrels", "bm25.run.qrels"];
    assert_eq!(sandbox.json(&short)["unanswered"], serde_json::json!([0, 1]));
    let told = sandbox.done(&short);
    assert!(told.contains("the second run has no ranking of 1 question,") && told.contains("(short.run)"), "{told}");
    // As many measures as there are, of one resample each: it was 0.0000.
    let better = sandbox.done(&["eval", "compare", "short.run", "bm25.run", "--qrels", "bm25.run.qrels"]);
    assert!(!better.contains("| 0.0000 |"), "{better}");
}

#[test]
fn confidence_is_held_against_what_is_true() {
    let sandbox = garden();
    let unanswered = "{\"id\":\"q13\",\"group\":\"balcony\",\"category\":\"abstention\",\"query\":\"Which submarine \
                      sank?\",\"gold_ids\":[]}\n";
    sandbox.write("garden/queries.jsonl", format!("{QUERIES}{unanswered}"));
    let report = sandbox.json(&eval("confidence", &["--system", "lexical", "--csv", "said.csv"]));
    assert_eq!(report["questions"], serde_json::json!({"with_answer": 11, "without": 1}), "{report}");
    assert_eq!(report["answerable"]["auroc"], 1.0, "nothing holds a word of it");
    let words = report["words"].as_array().unwrap();
    let total = |field: &str| words.iter().map(|word| word[field].as_u64().unwrap()).sum::<u64>();
    let right = report["probability"]["share"].as_f64().unwrap() * 12.0;
    assert_eq!((total("first_hits"), total("right") as f64), (12, right.round()));
    let hit_at_1 = sandbox.json(&eval("run", &["--system", "lexical"]))["measures"]["hit@1"].as_f64().unwrap();
    assert!((right - 11.0 * hit_at_1).abs() < 1e-9, "{right} and {hit_at_1}");
    let rows = sandbox.read("said.csv");
    assert!(rows.lines().any(|row| row == "balcony::q13,0,0,none,0,0"), "{rows}");

    sandbox.write("garden/queries.jsonl", QUERIES);
    let shown = sandbox.done(&eval("confidence", &["--system", "lexical"]));
    assert!(shown.contains("No question is marked as one that nothing answers"), "{shown}");
    let chosen = sandbox.refusal(&eval("confidence", &["--system", "bm25(k1={0.9, 1.5})"]));
    assert!(chosen.contains("has numbers to choose"), "{chosen}");
    // They went on without it, and said nothing.
    for args in [&eval("confidence", &["--system", "lexical"])[..], &eval("run", &["--system", "lexical"])] {
        let missing = sandbox.refusal(&[args, &["--ranker", "none.ranker"]].concat());
        assert!(missing.starts_with("4 invalid_input: --ranker: file none.ranker could not be read"), "{missing}");
        assert!(missing.ends_with("nothing was measured"), "{missing}");
    }
    let tuned = sandbox.refusal(&eval("tune", &["--system", "bm25", "--ranker", "none.ranker"]));
    assert!(tuned.starts_with("2 usage: --ranker: numbers are chosen, and a ranker is of one pipeline"), "{tuned}");
}

#[test]
fn what_was_tuned_can_be_searched_with() {
    let sandbox = garden();
    let system = "bm25(k1={0.9, 1.5}, b={0.4, 0.75}, pairs=0.5)";
    let tuned = sandbox.json(&eval("tune", &["--system", system, "--out", "tuned.toml"]));
    assert!((3..=4).contains(&tuned["configurations"].as_u64().unwrap()), "{tuned}");
    assert_eq!(tuned["folds"].as_array().unwrap().len(), 2);
    let pipeline = tuned["pipeline"].as_str().unwrap();
    assert!(sandbox.read("tuned.toml").contains(pipeline), "{pipeline}");

    sandbox.write("held.jsonl", include_str!("conversations/kites.jsonl"));
    sandbox.done(&["import", "held.jsonl"]);
    let answer = sandbox.json(&["--config", "tuned.toml", "search", "kite"]);
    assert_eq!(answer["pipeline"], pipeline);
    let by_words = sandbox.json(&["--pipeline", pipeline, "search", "kite"]);
    assert_eq!(answer["hits"], by_words["hits"]);
}

#[test]
fn numbers_are_chosen_on_the_other_groups() {
    let sandbox = garden();
    let run = ["--system", "bm25(k1={0.9, 1.5}, b={0.25..0.75/0.25})", "--criterion", "hit@1+mrr"];
    let chosen = &sandbox.json(&eval("run", &run))["chosen"];
    assert_eq!(chosen["criterion"], "hit@1+mrr");
    assert!((4..=6).contains(&chosen["configurations"].as_u64().unwrap()), "{chosen}");
    for (number, values) in [("k1", &["0.9", "1.5"][..]), ("b", &["0.25", "0.5", "0.75"])] {
        let times = chosen["times"][number].as_object().unwrap();
        assert_eq!(times.keys().collect::<Vec<_>>(), values);
        assert_eq!(times.values().map(|times| times.as_u64().unwrap()).sum::<u64>(), 2, "{number}");
    }
    let shown = sandbox.done(&eval("run", &run));
    assert!(shown.contains("For each group by hit@1+mrr on all the others, in "), "{shown}");
    assert!(
        shown.contains("| number | chosen |") && shown.contains("| pipeline, chosen on all other groups |"),
        "{shown}"
    );

    let fixed = sandbox.json(&eval("run", &["--system", "bm25"]));
    assert!(fixed["chosen"].is_null());

    let receipt = [&run[..], &["--receipt", "mine.toml"]].concat();
    sandbox.done(&eval("run", &receipt));
    let receipt = sandbox.read("mine.toml");
    assert!(receipt.contains("\ncriterion = \"hit@1+mrr\"\n"), "{receipt}");

    let all = sandbox.json(&eval("tune", &["--system", "lexical", "--by", "all"]));
    assert!(
        all["held_out"].is_null()
            && all["pipeline"]
                .as_str()
                .unwrap()
                .starts_with("order_boost(3, mention_boost(6, recency_boost(1, wish_boost(2, reply_boost(0.15, title_boost(7, date_boost(4, cue_boost(0.2:0.5, bm25("),
        "{all}"
    );
}

#[test]
fn a_receipt_is_written() {
    let sandbox = garden();
    sandbox.done(&eval("run", &["--system", "paper-bm25", "--receipt", "mine.toml", "--title", "Mine"]));
    let receipt = sandbox.read("mine.toml");
    for key in ["title = \"Mine\"", "data_sha256 = ", "n = 11", "tolerance = 0.0005", "[expected]", "\"mrr\" = 0.625"] {
        assert!(receipt.contains(key), "{key}: {receipt}");
    }
}

#[test]
fn commands_of_the_studies_are_named_where_they_are_now() {
    let sandbox = garden();
    for command in ["study", "reproduce", "tables"] {
        let outcome = finish(&mut sandbox.command(&["eval", command, "fusion", "--data", "locomo"]));
        assert_eq!(outcome.code, 2, "{outcome:?}");
        let message = format!("aforesaid: eval {command}: studies and receipts are in a program of their own; run `");
        assert!(outcome.stderr.starts_with(&message), "{outcome:?}");
    }
}

#[test]
fn every_data_set_is_listed_with_its_licence() {
    let listed = Sandbox::new().json(&["eval", "data", "list"]);
    let sets = listed["datasets"].as_array().unwrap();
    let names: Vec<&str> = sets.iter().map(|set| set["name"].as_str().unwrap()).collect();
    assert_eq!(
        names,
        [
            "locomo",
            "locomo-audit",
            "longmemeval",
            "longmemeval-pooled",
            "beam",
            "realmem",
            "qmsum",
            "dialogues",
            "dialogues-dev",
            "dialogues-test",
            "conversations",
            "ranking",
            "assistants",
            "languages",
            "one-user",
            "three-stores",
            "jsonl"
        ]
    );
    assert!(sets.iter().all(|set| set["licence"].is_string() && set["by_hand"].is_string()));
    assert_eq!(sets[0]["files"][0]["sha256"].as_str().unwrap().len(), 64);
}

#[test]
fn the_dialogues_are_found_in_a_checkout() {
    let sandbox = Sandbox::new();
    let run = ["eval", "run", "--dataset", "dialogues-test", "--system", "bm25"];
    let refusal = sandbox.refusal(&run);
    assert!(refusal.contains("splits.json") && refusal.contains("datasets/dialogues of the repository"), "{refusal}");
    let turn = |conversation: &str, text: &str| {
        format!(
            r#"{{"id": "S1:1", "conversation": "{conversation}", "session": "S1", "speaker": "Ola", "said_at": "2025-01-10", "text": "{text}", "q": []}}"#
        )
    };
    let asked =
        |id: &str| format!(r#"{{"id": "{id}", "query": "What is dry?", "gold_ids": ["S1:1"], "category": "single"}}"#);
    for (name, text) in [
        ("splits.json", r#"{"1": {"dev": ["well"], "test": ["barn"]}}"#.to_owned()),
        ("well.jsonl", turn("well", "The well is dry.")),
        ("barn.jsonl", turn("barn", "The hay is dry.")),
        ("well.questions.jsonl", asked("well-q1")),
        ("barn.questions.jsonl", asked("barn-q1")),
    ] {
        sandbox.write(&format!("datasets/dialogues/{name}"), &text);
    }
    let report = sandbox.json(&run);
    assert_eq!((&report["dataset"], &report["n"]), (&"dialogues-test".into(), &1.into()), "{report}");
}

#[test]
fn what_cannot_be_measured_is_refused() {
    let sandbox = garden();
    let refused = |args: &[&str]| sandbox.refusal(args);
    assert_snapshot!(refused(&eval("run", &["--system", "dense(max)"])), @"5 model: system dense(max): it needs vectors, and there is no encoder: no model was chosen");
    assert_snapshot!(refused(&eval("run", &["--system", "bm25", "--criterion", "mrr"])), @r#"2 usage: --criterion mrr: system bm25 has no numbers to choose; give a set of them, as in "bm25(k1={0.9, 1.2})", or leave --criterion out"#);
    let outcome = finish(&mut sandbox.command(&eval("run", &["--system", "bm25(k1={0.9; 1.2})"])));
    assert!(outcome.code == 2 && outcome.stderr.contains("the set {0.9; 1.2}: found \"0.9; 1.2\""), "{outcome:?}");
    assert_snapshot!(refused(&["eval", "run", "--dataset", "jsonl", "--system", "bm25"]), @"2 usage: --data: name the folder or file of your own labelled history");
    assert_snapshot!(refused(&["eval", "run", "--dataset", "qmsum", "--data", "garden", "--unit", "session", "--system", "bm25"]), @"4 invalid_input: data set qmsum: unit session is not labelled: a meeting is one session; measure it with --unit turn");
    assert_snapshot!(refused(&["eval", "compare", "a.run", "b.run"]), @"2 usage: the gold of a.run is not beside it as a.run.qrels: name it with --qrels, or write the run with `aforesaid eval run --run`");
    assert_snapshot!(refused(&["--offline", "eval", "data", "fetch", "locomo"]), @"2 usage: --offline forbids fetching locomo; put locomo10.json into a folder and name that (home: https://github.com/snap-research/locomo)");
    sandbox.write("lost/memories.jsonl", MEMORIES);
    sandbox.write("lost/queries.jsonl", r#"{"id": "q1", "query": "Where?", "gold_ids": ["zz"], "group": "allotment"}"#);
    assert_snapshot!(refused(&["eval", "run", "--dataset", "jsonl", "--data", "lost", "--system", "bm25"]), @r#"4 invalid_input: data set jsonl, unit turn: no question can be measured: gold not in the history (1), "zz" of allotment::q1 names nothing; correct the gold, or choose the other unit"#);
    sandbox.write("lost/queries.jsonl", r#"{"id": "q1", "query": "Where?", "gold_ids": ["a1"], "group": "attic"}"#);
    assert_snapshot!(refused(&["eval", "run", "--dataset", "jsonl", "--data", "lost", "--system", "bm25"]), @r#"4 invalid_input: lost/queries.jsonl, line 1: question "q1" is asked of group "attic", which has no memories; expected one of allotment, balcony"#);
    sandbox.write("nan.run", "allotment::q1 Q0 a1 1 NaN words\n");
    sandbox.write("nan.run.qrels", "allotment::q1 0 a1 1\n");
    assert_snapshot!(refused(&["eval", "compare", "nan.run", "nan.run"]), @r#"4 invalid_input: file nan.run: line 1: score "NaN"; expected a number from -3.4e38 to 3.4e38; mend the line"#);
}

#[test]
fn a_store_is_measured_by_queries_of_ones_own() {
    let sandbox = Sandbox::new();
    sandbox.write("held.jsonl", include_str!("conversations/kites.jsonl"));
    sandbox.done(&["--namespace", "me", "import", "held.jsonl"]);
    let exported = sandbox.done(&["--namespace", "me", "export"]);
    let first: Value = serde_json::from_str(exported.lines().next().unwrap()).unwrap();
    let home = &first["conversation"];
    let query = serde_json::json!({"query": first["text"], "gold_ids": [first["id"]], "conversation": home, "category": "copied"});
    sandbox.write("q.jsonl", format!("{query}\n"));
    let run =
        |more: &[&str]| sandbox.json(&[&["--namespace", "me", "eval", "run", "--queries", "q.jsonl"], more].concat());
    let before = sandbox.files();
    let report = run(&["--system", "lexical"]);
    for unit in ["turn", "session"] {
        let of = &report["units"][unit];
        assert_eq!((&of["n"], &of["measures"]["hit@1"]), (&1.into(), &1.0.into()), "{of}");
        assert_eq!((&of["by_category"]["copied"]["n"], &of["dataset"]), (&1.into(), &"namespace me".into()));
        assert_eq!(of["data_sha256"].as_str().unwrap().len(), 64);
    }
    assert_eq!(run(&["--unit", "turn"])["units"].as_object().unwrap().len(), 1, "the pipeline is that of searches");
    assert!(sandbox.files() == before, "nothing is written");
    // What was exported reads back, each conversation as a group.
    sandbox.write("own/memories.jsonl", &exported);
    let named = serde_json::json!({"id": "q", "query": first["text"], "gold_ids": [first["id"]], "group": home});
    sandbox.write("own/queries.jsonl", format!("{named}\n"));
    let report = sandbox.json(&["eval", "run", "--dataset", "jsonl", "--data", "own", "--system", "lexical"]);
    assert_eq!((&report["n"], &report["measures"]["hit@1"]), (&1.into(), &1.0.into()));
    assert_snapshot!(sandbox.refusal(&["eval", "run", "--queries", "q.jsonl"]), @r#"3 not_found: the namespace: namespace "default" does not exist; there are: me"#);
    assert_snapshot!(sandbox.refusal(&["eval", "run", "--system", "lexical"]), @"2 usage: --dataset: name the data set, as in --dataset locomo");
    assert_snapshot!(sandbox.refusal(&["eval", "run", "--dataset", "jsonl", "--data", "own"]), @"2 usage: --system: name a pipeline, as in --system hybrid");
}
