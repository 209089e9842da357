//! A reranker that is written outside of this project: `docs/examples/reranker.rs`, and what no reranker may do.

#[path = "../../../docs/examples/reranker.rs"]
#[allow(unreachable_pub, reason = "the example is written as a library would be")]
mod reranker;

use std::num::NonZeroUsize;

use aforesaid::{
    Explanations, Locality, Memory, Pipeline, Reranking, SearchResponse, Warning,
    rerank::{RerankCandidate, RerankError, Reranker},
    types::*,
};
use reranker::LongestWord;

use crate::bags::{ns, turn};

fn memory() -> Memory {
    let memory = Memory::builder().open("memory:").unwrap();
    let said = |id: &str, text: &str| turn("talk", "s1", id, "Ann", text);
    let secret = Turn {
        sensitivity: Sensitivity::Sensitive,
        ..said("secret", "The kite, the kite: its lock is 4711, chestnut.")
    };
    let turns = vec![
        said("once", "The kite is in the chestnut tree, red as ever."),
        said("twice", "Chestnut here, chestnut there, and somewhere a kite."),
        secret,
        said("never", "A red kite again."),
    ];
    memory.add_turns(&ns("me"), turns).unwrap();
    memory
}

fn query() -> Query {
    Query::new(ns("me"), "red kite chestnut")
}

fn ids(found: &SearchResponse) -> Vec<&str> {
    found.hits.iter().map(|hit| hit.id.as_str()).collect()
}

fn rerank(reranker: &dyn Reranker, depth: Option<usize>) -> SearchResponse {
    let usual = Reranking::new(reranker);
    let depth = depth.and_then(NonZeroUsize::new).unwrap_or(usual.depth);
    let reranking = Reranking { depth, ..usual };
    memory().search_reranked(&query(), &Pipeline::lexical(), Explanations::Omit, reranking).unwrap()
}

fn plain() -> SearchResponse {
    memory().search(&query(), &Pipeline::lexical(), Explanations::Omit).unwrap()
}

#[test]
fn it_orders_the_hits_by_its_scores() {
    let found = rerank(&LongestWord, None);
    assert_eq!((ids(&found)[0], found.hits[0].rerank_score), ("twice", Some(2.0)));
    let (mut before, mut after) = (ids(&plain()).join(" "), ids(&found).join(" "));
    assert_ne!(before, after);
    for text in [&mut before, &mut after] {
        let mut words: Vec<&str> = text.split(' ').collect();
        words.sort_unstable();
        *text = words.join(" ");
    }
    assert_eq!(before, after, "the hits stay the same set");
}

#[test]
fn what_comes_after_the_depth_stays() {
    for depth in 1..=4 {
        assert_eq!(ids(&rerank(&LongestWord, Some(depth)))[depth..], ids(&plain())[depth..], "{depth}");
    }
}

/// Scores as it likes.
struct Scores(Locality, fn(&[RerankCandidate]) -> Vec<Option<f64>>);

impl Reranker for Scores {
    fn name(&self) -> String {
        "scores".to_owned()
    }

    fn locality(&self) -> Locality {
        self.0
    }

    fn default_depth(&self) -> NonZeroUsize {
        NonZeroUsize::MAX
    }

    fn score(&self, _query: &str, candidates: &[RerankCandidate]) -> Result<Vec<Option<f64>>, RerankError> {
        Ok((self.1)(candidates))
    }
}

#[test]
fn scores_that_cannot_be_used_leave_the_order_and_say_why() {
    let few: fn(&[RerankCandidate]) -> Vec<Option<f64>> = |_| vec![Some(1.0)];
    let not_a_number: fn(&[RerankCandidate]) -> Vec<Option<f64>> = |of| vec![Some(f64::NAN); of.len()];
    for (scores, named) in [(few, "expected 4"), (not_a_number, "not a number")] {
        let found = rerank(&Scores(Locality::Local, scores), None);
        assert_eq!(ids(&found), ids(&plain()));
        let [Warning::RerankSkipped { reason }] = &found.warnings[..] else { panic!("{:?}", found.warnings) };
        assert!(reason.contains(named), "{reason}");
    }
}

#[test]
fn a_remote_reranker_sees_no_sensitive_memory_and_every_one_sees_signals() {
    let shown: fn(&[RerankCandidate]) -> Vec<Option<f64>> = |candidates| {
        assert!(
            candidates.iter().all(|candidate| candidate.legs.get("lexical").is_some() && candidate.score.is_finite())
        );
        let secret = |candidate: &RerankCandidate| candidate.text.contains("4711");
        candidates.iter().map(|candidate| Some(if secret(candidate) { 9.0 } else { 0.0 })).collect()
    };
    let place = |found: &SearchResponse| found.hits.iter().position(|hit| hit.id == "secret").unwrap();
    assert_eq!(place(&rerank(&Scores(Locality::Local, shown), None)), 0);
    let remote = rerank(&Scores(Locality::Remote, shown), None);
    assert_eq!((place(&remote), remote.hits[place(&remote)].rerank_score), (place(&plain()), None));
}
