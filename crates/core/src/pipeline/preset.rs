//! Named choices of legs, fusion and parameters.

use std::{fmt, str::FromStr};

use super::lexical::{LexicalLeg, Mix};
use crate::{
    analysis::Analyzer,
    dense::Pooling,
    fusion::Fusion,
    lexical::{Bm25, Smoothing},
    types::UnknownChoice,
};

/// A whole pipeline under one name.
#[derive(Debug, Clone, PartialEq)]
pub struct Preset {
    /// What it is called.
    pub name: &'static str,
    /// How text becomes terms.
    pub analyzer: Analyzer,
    /// The lexical leg, if any.
    pub lexical: Option<LexicalLeg>,
    /// The dense leg's pooling of turns into sessions, if there is a dense leg.
    pub dense: Option<Pooling>,
    /// How the legs are merged.
    pub fusion: Fusion,
}

const NAMES: &str =
    "hybrid, lexical, paper-bm25, paper-dense-max, paper-dense-top3, paper-dense-mean or paper-dense-lse";

impl Preset {
    /// Lexical and dense legs; the default.
    pub fn hybrid() -> Self {
        Self { name: "hybrid", dense: Some(Pooling::Max), fusion: Fusion::ZScore { alpha: 0.7 }, ..Self::lexical() }
    }

    /// The lexical leg alone.
    pub fn lexical() -> Self {
        let leg = LexicalLeg {
            // Turns are short: length says little, and a repeat adds little.
            bm25: Bm25 { k1: 0.9, b: 0.4 },
            smoothing: Smoothing { previous: 0.4, next: 0.25 },
            sessions: Mix { session: 1.0, turn: 1.0 },
            turns: Mix { session: 0.5, turn: 1.0 },
        };
        Self {
            name: "lexical",
            analyzer: Analyzer::English,
            lexical: Some(leg),
            dense: None,
            fusion: Fusion::ZScore { alpha: 1.0 },
        }
    }

    /// The published BM25 baseline (fusion study, section 4).
    pub fn paper_bm25() -> Self {
        let leg = LexicalLeg {
            bm25: Bm25 { k1: 1.5, b: 0.75 },
            smoothing: Smoothing::NONE,
            sessions: Mix { session: 1.0, turn: 0.0 },
            turns: Mix { session: 0.0, turn: 1.0 },
        };
        Self { name: "paper-bm25", analyzer: Analyzer::Paper2606, lexical: Some(leg), ..Self::lexical() }
    }

    fn paper_dense(name: &'static str, pooling: Pooling) -> Self {
        Self { name, lexical: None, dense: Some(pooling), ..Self::paper_bm25() }
    }

    /// The same pipeline without its dense leg, when it has a lexical one to stand on.
    pub fn without_dense(&self) -> Option<Self> {
        self.lexical.as_ref().map(|_| Self { dense: None, ..self.clone() })
    }
}

impl FromStr for Preset {
    type Err = UnknownChoice;

    fn from_str(name: &str) -> Result<Self, UnknownChoice> {
        match name {
            "hybrid" => Ok(Self::hybrid()),
            "lexical" => Ok(Self::lexical()),
            "paper-bm25" => Ok(Self::paper_bm25()),
            "paper-dense-max" => Ok(Self::paper_dense("paper-dense-max", Pooling::Max)),
            "paper-dense-top3" => Ok(Self::paper_dense("paper-dense-top3", Pooling::Top(3))),
            "paper-dense-mean" => Ok(Self::paper_dense("paper-dense-mean", Pooling::Mean)),
            "paper-dense-lse" => Ok(Self::paper_dense("paper-dense-lse", Pooling::Lse(10.0))),
            _ => Err(UnknownChoice { what: "preset", found: name.into(), expected: NAMES }),
        }
    }
}

impl fmt::Display for Preset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.lexical, self.dense) {
            (Some(leg), Some(pooling)) => write!(f, "{}({leg}, dense({pooling}))", self.fusion),
            (Some(leg), None) => write!(f, "{leg}"),
            (None, Some(pooling)) => write!(f, "dense({pooling})"),
            (None, None) => f.write_str("nothing"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_reads_back() {
        for name in NAMES.replace(" or ", ", ").split(", ") {
            assert_eq!(name.parse::<Preset>().unwrap().name, name);
        }
        assert!("best".parse::<Preset>().unwrap_err().to_string().contains("hybrid"));
    }

    #[test]
    fn a_pipeline_prints_what_it_does() {
        assert_eq!(Preset::paper_bm25().to_string(), "bm25");
        assert!(Preset::hybrid().to_string().starts_with("zscore(0.7)(bm25"));
    }
}
