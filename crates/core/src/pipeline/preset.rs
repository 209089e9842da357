//! Named choices of legs, fusion and parameters.

use std::{fmt, str::FromStr};

use super::{
    cues::CueLeg,
    lexical::{Expectation, LexicalLeg, Mix},
    spec::{self, InvalidPipeline},
};
use crate::{
    analysis::Analyzer,
    dense::Pooling,
    fusion::Fusion,
    lexical::{Bm25, Context},
};

/// A whole pipeline under one name.
///
/// Its text form reads back: a preset's name or a description such as
/// `zscore(0.7, bm25(k1=0.9), dense(max))`; [`fmt::Display`] prints the description.
#[derive(Debug, Clone, PartialEq)]
pub struct Preset {
    /// What it is called; its description where it has no other name.
    pub name: String,
    /// How text becomes terms.
    pub analyzer: Analyzer,
    /// The lexical leg, if any.
    pub lexical: Option<LexicalLeg>,
    /// The dense leg, if any.
    pub dense: Option<DenseLeg>,
    /// How the legs are merged.
    pub fusion: Fusion,
    /// How much the questions that a text answers count.
    pub cues: CueLeg,
    /// Added, in standard deviations of the fused scores, to what was said when the question says; not negative.
    pub dated: f64,
}

/// How texts are scored by their vectors.
#[derive(Debug, Clone, PartialEq)]
pub struct DenseLeg {
    /// The only model it may be used with, by name; `None` takes the one at hand.
    pub encoder: Option<String>,
    /// How the turns of a session become its score.
    pub pooling: Pooling,
    /// Whether speakers' names are part of the question that is encoded.
    pub names: Names,
    /// Which vectors speak for a text.
    pub votes: Votes,
}

/// Which vectors speak for a text that has cue questions; without them it is its own in any case.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Votes {
    /// Its own.
    #[default]
    Text,
    /// That of the text and all its questions as one; ROXY's concat (equation 3).
    Passage,
    /// The best of its own and its questions'; ROXY's multivec (equation 5).
    Questions,
}

/// What becomes of speakers' names in the question that is encoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Names {
    /// They are a part of it like any other.
    #[default]
    Keep,
    /// They are left out; see [`crate::analysis::Question::without_names`].
    Drop,
}

impl DenseLeg {
    /// A leg for whichever encoder is there, and questions as they are.
    pub fn any(pooling: Pooling) -> Self {
        Self { encoder: None, pooling, names: Names::Keep, votes: Votes::Text }
    }
}

pub(super) const NAMES: &str =
    "hybrid, lexical, fast, paper-bm25, paper-dense-max, paper-dense-top3, paper-dense-mean or paper-dense-lse";

impl Preset {
    /// Lexical and dense legs; the default.
    pub fn hybrid() -> Self {
        let dense = Some(DenseLeg { names: Names::Drop, ..DenseLeg::any(Pooling::Max) });
        Self { name: "hybrid".to_owned(), dense, fusion: Fusion::ZScore { alpha: 0.6 }, ..Self::lexical() }
    }

    /// The lexical leg alone.
    pub fn lexical() -> Self {
        let leg = LexicalLeg {
            bm25: Bm25 { k1: 0.9, b: 0.75 },
            pairs: 0.5,
            context: Context { weights: [0.5, 0.5], half_length: 30.0 },
            cues: Mix { session: 1.0, turn: 0.5 },
            expectation: Expectation { speaker: 2.0, time: 1.0, question: 0.8, brief: 0.6 },
            sessions: Mix { session: 1.0, turn: 1.0 },
            turns: Mix { session: 0.4, turn: 1.0 },
        };
        Self {
            name: "lexical".to_owned(),
            lexical: Some(leg),
            cues: CueLeg { words: 0.2, meaning: 0.5 },
            dated: 4.0,
            ..Self::plain_bm25()
        }
    }

    /// The default without what costs most at a large history: the words of the turns around, words side by side, and the
    /// session's share in a turn.
    pub fn fast() -> Self {
        let hybrid = Self::hybrid();
        let thinner =
            |leg: LexicalLeg| LexicalLeg { pairs: 0.0, context: Context::NONE, turns: LexicalLeg::PLAIN.turns, ..leg };
        Self { name: "fast".to_owned(), lexical: hybrid.lexical.map(thinner), ..hybrid }
    }

    /// Textbook BM25 of the unit itself, over English words.
    pub(super) fn plain_bm25() -> Self {
        Self {
            name: "bm25".to_owned(),
            analyzer: Analyzer::English,
            lexical: Some(LexicalLeg::PLAIN),
            dense: None,
            fusion: Fusion::ZScore { alpha: 0.5 },
            cues: CueLeg::NONE,
            dated: 0.0,
        }
    }

    /// The published BM25 baseline (fusion study, section 4).
    pub fn paper_bm25() -> Self {
        Self { name: "paper-bm25".to_owned(), analyzer: Analyzer::Paper2606, ..Self::plain_bm25() }
    }

    fn paper_dense(name: &str, pooling: Pooling) -> Self {
        Self { name: name.to_owned(), lexical: None, dense: Some(DenseLeg::any(pooling)), ..Self::paper_bm25() }
    }

    /// What it comes to where nothing has cue questions.
    pub fn without_cues(&self) -> Self {
        let own = |leg: LexicalLeg| LexicalLeg { cues: LexicalLeg::PLAIN.cues, ..leg };
        let dense = self.dense.clone().map(|leg| DenseLeg { votes: Votes::Text, ..leg });
        Self { lexical: self.lexical.map(own), dense, cues: CueLeg::NONE, ..self.clone() }
    }

    /// The model it asks for by name, if it does.
    pub fn encoder(&self) -> Option<&str> {
        self.dense.as_ref()?.encoder.as_deref()
    }
}

impl FromStr for Preset {
    type Err = InvalidPipeline;

    fn from_str(text: &str) -> Result<Self, InvalidPipeline> {
        match text {
            "hybrid" => Ok(Self::hybrid()),
            "lexical" => Ok(Self::lexical()),
            "fast" => Ok(Self::fast()),
            "paper-bm25" => Ok(Self::paper_bm25()),
            "paper-dense-max" => Ok(Self::paper_dense(text, Pooling::Max)),
            "paper-dense-top3" => Ok(Self::paper_dense(text, Pooling::Top(3))),
            "paper-dense-mean" => Ok(Self::paper_dense(text, Pooling::Mean)),
            "paper-dense-lse" => Ok(Self::paper_dense(text, Pooling::Lse(10.0))),
            _ => spec::read(text),
        }
    }
}

impl fmt::Display for DenseLeg {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("dense(")?;
        self.encoder.iter().try_for_each(|encoder| write!(f, "{encoder}, "))?;
        write!(f, "{}", self.pooling)?;
        f.write_str(if self.names == Names::Drop { ", nameless" } else { "" })?;
        f.write_str(match self.votes {
            Votes::Text => ")",
            Votes::Passage => ", concat)",
            Votes::Questions => ", multivec)",
        })
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
    fn a_description_is_the_same_pipeline() {
        for name in ["hybrid", "lexical", "fast", "paper-bm25"] {
            let preset: Preset = name.parse().unwrap();
            let described: Preset = preset.to_string().parse().unwrap();
            let fusion = if preset.dense.is_some() { preset.fusion } else { described.fusion };
            assert_eq!(Preset { name: preset.to_string(), fusion, ..preset }, Preset { fusion, ..described });
        }
    }
}
