//! Agreement with `trec_eval`, through `pytrec_eval`: see trec/oracle.py, which made trec/expected.txt.
//!
//! The fixture has ties within gold, across gold and beyond a 32-bit float, ranks and line orders
//! that lie, grades of 0 and above 1, more gold than any cutoff, a question that the run lacks
//! (q13) and one without gold (q15). `pytrec_eval` leaves the former out of its results and of its
//! mean; `trec_eval -c` counts it as 0, and so do we.

use aforesaid_eval::measures::{Evaluation, Measure, Qrels, Run, evaluate};

const QRELS: &str = include_str!("trec/qrels.txt");
const RUN: &str = include_str!("trec/run.txt");
const TIED: &str = include_str!("trec/tied.txt");
const EXPECTED: &str = include_str!("trec/expected.txt");

const NAMES: [(&str, &str); 7] = [
    ("success_1", "hit@1"),
    ("success_5", "hit@5"),
    ("recall_3", "recall@3"),
    ("recall_5", "recall@5"),
    ("recall_10", "recall@10"),
    ("recip_rank", "mrr"),
    ("ndcg_cut_5", "ndcg@5"),
];

fn evaluated(run: &Run) -> Evaluation {
    evaluate(run, &Qrels::from_trec(QRELS).unwrap(), &Measure::STANDARD).unwrap()
}

/// Compares every figure that the oracle has for the file.
fn assert_agrees(evaluation: &Evaluation, file: &str) {
    for (theirs, ours) in NAMES {
        let measure: Measure = ours.parse().unwrap();
        let prefix = format!("{file} {theirs} ");
        let expected: Vec<(&str, f64)> = EXPECTED
            .lines()
            .filter_map(|line| line.strip_prefix(&prefix)?.split_once(' '))
            .map(|(question, value)| (question, value.parse().unwrap()))
            .collect();
        let values = evaluation.values(measure).unwrap().iter().copied();
        let found = evaluation.questions().iter().map(String::as_str).zip(values);
        let found: Vec<(&str, f64)> = found.chain([("all", evaluation.mean(measure).unwrap())]).collect();
        assert_eq!((found.len(), expected.len()), (15, 15), "{file} {theirs}");
        for (found, expected) in found.into_iter().zip(expected) {
            assert_eq!(found.0, expected.0);
            assert!((found.1 - expected.1).abs() < 1e-9, "{file} {theirs} of {}: {found:?} {expected:?}", found.0);
        }
    }
}

#[test]
fn a_run_that_is_read_scores_as_in_trec_eval() {
    let evaluation = evaluated(&Run::from_trec(RUN).unwrap());
    assert_eq!(evaluation.failed(), ["q13"]);
    assert_agrees(&evaluation, "run.txt");
}

/// The read run with every ranking reversed and every score the same, so that only our order ranks.
fn tied() -> Run {
    let mut run = Run::new("tied").unwrap();
    for (question, ranking) in Run::from_trec(RUN).unwrap().rankings() {
        let score = if question < "q08" { 0.0 } else { 0.3 };
        run.rank(question, ranking.iter().rev().map(|(unit, _)| (unit.as_str(), score)).collect()).unwrap();
    }
    run
}

#[test]
fn trec_eval_sees_the_order_of_a_run_that_is_written() {
    let run = tied();
    assert_eq!(run.to_trec().unwrap(), TIED);
    assert_agrees(&evaluated(&run), "tied.txt");
}
