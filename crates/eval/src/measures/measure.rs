//! The measures, and the words that name them.

use std::{fmt, num::NonZeroUsize, str::FromStr};

use serde::{Deserialize, Serialize};

/// How well one question's ranking finds its gold: a number from 0 to 1.
///
/// `k` counts ranks from the top. A measure is named `hit@5`, `recall@5`,
/// `all@5`, `mrr` or `ndcg@5`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Measure {
    /// 1 when any gold unit is in the top `k` (`success_k` of `trec_eval`; "any@k").
    HitAt(NonZeroUsize),
    /// Share of the gold units that are in the top `k` (`recall_k` of `trec_eval`).
    ///
    /// At most `k / |gold|`.
    RecallAt(NonZeroUsize),
    /// 1 when all gold units are in the top `k` (LongMemEval, Wu et al. 2025: "recall_all@k").
    ///
    /// 0 when there are more than `k`.
    AllAt(NonZeroUsize),
    /// One over the rank of the first gold unit, at any depth; 0 when none was found
    /// (Voorhees 1999, TREC-8 question answering; `recip_rank` of `trec_eval`).
    Mrr,
    /// `DCG@k / ideal DCG@k` with `DCG@k = sum of 1 / log2(rank + 1)` over gold units in the
    /// top `k` (Järvelin and Kekäläinen 2002, binary gains; `ndcg_cut_k` of `trec_eval`).
    ///
    /// The ideal ranking starts with `min(|gold|, k)` gold units.
    NdcgAt(NonZeroUsize),
}

/// A measure nobody knows.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "measure {found:?}: expected hit@k, recall@k, all@k or ndcg@k with a whole k from 1, or mrr; for example recall@5"
)]
pub struct UnknownMeasure {
    /// The word found.
    pub found: String,
}

impl Measure {
    /// What is reported when nothing else is asked for.
    pub const STANDARD: [Measure; 9] = [
        Measure::HitAt(cutoff(1)),
        Measure::HitAt(cutoff(5)),
        Measure::HitAt(cutoff(10)),
        Measure::RecallAt(cutoff(3)),
        Measure::RecallAt(cutoff(5)),
        Measure::RecallAt(cutoff(10)),
        Measure::AllAt(cutoff(5)),
        Measure::Mrr,
        Measure::NdcgAt(cutoff(5)),
    ];

    /// The value for one question.
    ///
    /// `found` are the ranks, from 1 and increasing, of the gold units that were
    /// found; `gold` counts all gold units and is at least 1.
    pub(super) fn value(self, found: &[usize], gold: usize) -> f64 {
        let within = |k: NonZeroUsize| found.partition_point(|rank| *rank <= k.get());
        match self {
            Measure::HitAt(k) => indicator(within(k) > 0),
            Measure::RecallAt(k) => within(k) as f64 / gold as f64,
            Measure::AllAt(k) => indicator(within(k) == gold),
            Measure::Mrr => found.first().map_or(0.0, |rank| 1.0 / *rank as f64),
            Measure::NdcgAt(k) => {
                discounted_gain(found.iter().copied().take(within(k))) / discounted_gain(1..=gold.min(k.get()))
            }
        }
    }
}

/// A cut-off in a constant; 0 gives 1.
pub const fn cutoff(k: usize) -> NonZeroUsize {
    match NonZeroUsize::new(k) {
        Some(k) => k,
        None => NonZeroUsize::MIN,
    }
}

fn indicator(holds: bool) -> f64 {
    f64::from(u8::from(holds))
}

fn discounted_gain(ranks: impl Iterator<Item = usize>) -> f64 {
    ranks.map(|rank| 1.0 / (rank as f64 + 1.0).log2()).sum()
}

impl fmt::Display for Measure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Measure::HitAt(k) => write!(f, "hit@{k}"),
            Measure::RecallAt(k) => write!(f, "recall@{k}"),
            Measure::AllAt(k) => write!(f, "all@{k}"),
            Measure::Mrr => f.write_str("mrr"),
            Measure::NdcgAt(k) => write!(f, "ndcg@{k}"),
        }
    }
}

impl FromStr for Measure {
    type Err = UnknownMeasure;

    /// Reads a name in any case.
    fn from_str(text: &str) -> Result<Self, UnknownMeasure> {
        let unknown = || UnknownMeasure { found: text.to_owned() };
        let lower = text.to_ascii_lowercase();
        let Some((name, k)) = lower.split_once('@') else {
            return if lower == "mrr" { Ok(Measure::Mrr) } else { Err(unknown()) };
        };
        // A number may start with `+` for the parser, but not for us.
        let k = k.parse().ok().filter(|_| !k.starts_with('+')).ok_or_else(unknown)?;
        match name {
            "hit" => Ok(Measure::HitAt(k)),
            "recall" => Ok(Measure::RecallAt(k)),
            "all" => Ok(Measure::AllAt(k)),
            "ndcg" => Ok(Measure::NdcgAt(k)),
            _ => Err(unknown()),
        }
    }
}

impl TryFrom<String> for Measure {
    type Error = UnknownMeasure;
    fn try_from(text: String) -> Result<Self, UnknownMeasure> {
        text.parse()
    }
}

impl From<Measure> for String {
    fn from(measure: Measure) -> String {
        measure.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(measure: &str, found: &[usize], gold: usize) -> f64 {
        measure.parse::<Measure>().unwrap().value(found, gold)
    }

    #[test]
    fn measures_by_hand() {
        // Gold at ranks 2, 3 and 7, and one that was not found.
        let found = [2, 3, 7];
        let [second, third] = [1.0 / 3f64.log2(), 0.5];
        let ideal = 1.0 + second + third + 1.0 / 5f64.log2();
        for (measure, expected) in [
            ("hit@1", 0.0),
            ("hit@2", 1.0),
            ("recall@1", 0.0),
            ("recall@3", 0.5),
            ("recall@10", 0.75),
            ("all@10", 0.0),
            ("mrr", 0.5),
            ("ndcg@1", 0.0),
            ("ndcg@2", second / (1.0 + second)),
            ("ndcg@5", (second + third) / ideal),
        ] {
            assert!((value(measure, &found, 4) - expected).abs() < 1e-15, "{measure}");
        }
    }

    #[test]
    fn all_gold_in_the_top_is_full_marks() {
        for measure in ["hit@3", "recall@3", "all@3", "mrr", "ndcg@3"] {
            assert_eq!(value(measure, &[1, 2, 3], 3), 1.0, "{measure}");
        }
        assert_eq!(value("all@2", &[1, 2, 3], 3), 0.0);
        assert_eq!(value("ndcg@2", &[1, 2, 3], 3), 1.0);
        assert_eq!(value("recall@2", &[1, 2, 3], 3), 2.0 / 3.0);
    }

    #[test]
    fn nothing_found_is_zero() {
        for measure in Measure::STANDARD {
            assert_eq!(measure.value(&[], 2), 0.0, "{measure}");
        }
    }

    #[test]
    fn a_name_reads_back() {
        let names = ["hit@1", "hit@5", "hit@10", "recall@3", "recall@5", "recall@10", "all@5", "mrr", "ndcg@5"];
        assert_eq!(Measure::STANDARD.map(|measure| measure.to_string()), names);
        assert_eq!(names.map(|name| name.to_ascii_uppercase().parse::<Measure>().unwrap()), Measure::STANDARD);
        let json = serde_json::to_string(&Measure::STANDARD[3]).unwrap();
        assert_eq!(json, "\"recall@3\"");
        assert_eq!(serde_json::from_str::<Measure>(&json).unwrap(), Measure::STANDARD[3]);
    }

    #[test]
    fn an_unknown_name_is_told_the_known_ones() {
        for name in
            ["", "hit", "hit@0", "hit@-1", "hit@+1", "hit@1.5", "hit@", "mrr@5", "map", "precision@5", "hit@5@5"]
        {
            let message = name.parse::<Measure>().unwrap_err().to_string();
            assert!(message.starts_with(&format!("measure {name:?}: expected hit@k, recall@k")), "{message}");
        }
    }
}
