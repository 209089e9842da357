//! Questions that are hard for a reranker's first stage.

use std::collections::HashMap;

use aforesaid::types::{Draft, Turn};

use aforesaid_eval::{
    datasets::{Benchmark, Group, Question},
    measures::Run,
};

/// Candidates that a reranker would see: the best of the raw dense ranking.
const POOL: usize = 500;

/// For each slice, whether each question is in it.
pub(crate) fn slice_places(benchmark: &Benchmark, raw: &Run) -> Vec<Vec<bool>> {
    let of_slice = |slice: Slice| {
        let of_group = |group: &Group| {
            let turns = Turns::of(&group.memories);
            let is_in =
                |question: &Question| slice.has(question, &turns, raw.ranking(&question.id).unwrap_or_default());
            group.questions.iter().map(is_in).collect::<Vec<bool>>()
        };
        benchmark.groups.iter().flat_map(of_group).collect()
    };
    Slice::ALL.map(of_slice).to_vec()
}

/// A subset of the questions on which rerankers are looked at more closely.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Slice {
    /// The first turn of the raw dense ranking is not gold, and a gold turn is among its first 500: a
    /// reranker has something to put right.
    RawTop1WrongGoldInPool,
    /// As above, and the wrong turn is an older one of a speaker who has said the gold since: it comes earlier
    /// in the conversation than a gold turn of the pool by the same speaker.
    RawRescuableStaleTop1,
    /// The question asks for the latest state of something that was spoken of in several sessions. Set by
    /// rule, not by people: it has one of the words now, current, currently, latest, last, still, recent,
    /// recently, anymore, changed, new, or its gold turns lie in at least two sessions.
    TSupAuto,
}

impl Slice {
    pub(crate) const ALL: [Slice; 3] = [Slice::RawTop1WrongGoldInPool, Slice::RawRescuableStaleTop1, Slice::TSupAuto];

    /// The papers' name.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Slice::RawTop1WrongGoldInPool => "RAW_TOP1_WRONG_GOLD_IN_POOL",
            Slice::RawRescuableStaleTop1 => "RAW_RESCUABLE_STALE_TOP1",
            Slice::TSupAuto => "T_SUP_auto",
        }
    }

    fn has(self, question: &Question, turns: &Turns<'_>, raw: &[(String, f64)]) -> bool {
        let gold_in_pool: Vec<&str> = raw
            .iter()
            .take(POOL)
            .map(|(unit, _)| unit.as_str())
            .filter(|unit| question.gold.iter().any(|gold| gold == unit))
            .collect();
        let Some((top, _)) = raw.first() else { return false };
        let wrong = !question.gold.contains(top);
        match self {
            Slice::RawTop1WrongGoldInPool => wrong && !gold_in_pool.is_empty(),
            Slice::RawRescuableStaleTop1 => {
                let newer = |gold: &&str| match (turns.find(top), turns.find(gold)) {
                    (Some((at, top)), Some((later, gold))) => at < later && top.speaker == gold.speaker,
                    _ => false,
                };
                wrong && gold_in_pool.iter().any(newer)
            }
            Slice::TSupAuto => {
                const WORDS: [&str; 11] = [
                    "now",
                    "current",
                    "currently",
                    "latest",
                    "last",
                    "still",
                    "recent",
                    "recently",
                    "anymore",
                    "changed",
                    "new",
                ];
                let text = question.text.to_lowercase();
                let mut words = text.split(|c: char| !c.is_alphanumeric());
                let mut sessions: Vec<_> =
                    question.gold.iter().filter_map(|gold| Some(&turns.find(gold)?.1.session)).collect();
                sessions.sort();
                sessions.dedup();
                words.any(|word| WORDS.contains(&word)) || sessions.len() > 1
            }
        }
    }
}

/// The turns of one conversation, by id.
struct Turns<'a>(HashMap<&'a str, (usize, &'a Turn)>);

impl<'a> Turns<'a> {
    fn of(memories: &'a [Draft]) -> Self {
        let turn = |(at, draft): (usize, &'a Draft)| match draft {
            Draft::Turn(turn) => Some((turn.id.as_ref()?.as_str(), (at, turn))),
            Draft::Note(_) => None,
        };
        Self(memories.iter().enumerate().filter_map(turn).collect())
    }

    fn find(&self, id: &str) -> Option<(usize, &'a Turn)> {
        self.0.get(id).copied()
    }
}
