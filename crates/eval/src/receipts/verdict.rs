//! What a receipt says of new figures.

use std::fmt;

use super::{Figures, Receipt, Tolerance};
use crate::measures::Measure;

/// Whether figures are the published ones.
#[derive(Debug, Clone, PartialEq)]
pub enum Verdict {
    /// They are, within the tolerance.
    Ok {
        /// The measures as they came out.
        measures: Vec<(Measure, f64)>,
    },
    /// They are not.
    Failed {
        /// What differs, at least one thing.
        differences: Vec<Difference>,
    },
    /// Nothing was measured: neither a success nor a failure.
    Skipped {
        /// What is not at hand.
        reason: String,
    },
}

/// One thing that is not as published.
#[derive(Debug, Clone, PartialEq)]
pub enum Difference {
    /// Other data.
    Data {
        /// SHA-256 of the published figures' data.
        expected: String,
        /// SHA-256 of these figures' data.
        actual: String,
    },
    /// Another encoder.
    Encoder {
        /// Id of the published figures' encoder, if there was one.
        expected: Option<String>,
        /// Id of these figures' encoder, if there was one.
        actual: Option<String>,
    },
    /// Another reranker.
    Reranker {
        /// Id of the published figures' reranker, if there was one.
        expected: Option<String>,
        /// Id of these figures' reranker, if there was one.
        actual: Option<String>,
    },
    /// Other cue questions.
    Cues {
        /// SHA-256 of the published figures' cues, if there were some.
        expected: Option<String>,
        /// SHA-256 of these figures' cues, if there were some.
        actual: Option<String>,
    },
    /// More or fewer questions.
    Questions {
        /// Published.
        expected: usize,
        /// Measured.
        actual: usize,
    },
    /// A measure that is off by more than the tolerance.
    Measure {
        /// The measure.
        measure: Measure,
        /// Published.
        expected: f64,
        /// How far it may be off.
        tolerance: Tolerance,
        /// Measured, if it was.
        actual: Option<f64>,
    },
}

impl Receipt {
    /// Compares figures with the published ones.
    pub fn check(&self, figures: &Figures) -> Verdict {
        let Figures { data_sha256, encoder, reranker, cues_sha256, .. } = figures;
        let mut differences =
            self.other_origin(data_sha256, [encoder.as_deref(), reranker.as_deref()], cues_sha256.as_deref());
        if figures.n != self.n {
            differences.push(Difference::Questions { expected: self.n, actual: figures.n });
        }
        let mut measures = Vec::with_capacity(self.expected.len());
        for (&measure, &expected) in &self.expected {
            match figures.measures.get(&measure).copied() {
                Some(actual) if self.tolerance.allows(expected, actual) => measures.push((measure, actual)),
                actual => {
                    differences.push(Difference::Measure { measure, expected, tolerance: self.tolerance, actual });
                }
            }
        }
        match differences.is_empty() {
            true => Verdict::Ok { measures },
            false => Verdict::Failed { differences },
        }
    }

    /// How what figures stand on differs from what the published ones stand on.
    pub(super) fn other_origin(
        &self,
        data_sha256: &str,
        [encoder, reranker]: [Option<&str>; 2],
        cues_sha256: Option<&str>,
    ) -> Vec<Difference> {
        let mut differences = Vec::new();
        if data_sha256 != self.data_sha256 {
            differences.push(Difference::Data { expected: self.data_sha256.clone(), actual: data_sha256.to_owned() });
        }
        let expected = self.encoder.as_ref().map(|id| id.as_str());
        if encoder != expected {
            differences.push(Difference::Encoder {
                expected: expected.map(str::to_owned),
                actual: encoder.map(str::to_owned),
            });
        }
        let expected = self.reranker.as_ref().map(|id| id.as_str());
        if reranker != expected {
            differences.push(Difference::Reranker {
                expected: expected.map(str::to_owned),
                actual: reranker.map(str::to_owned),
            });
        }
        if cues_sha256 != self.cues_sha256.as_deref() {
            differences
                .push(Difference::Cues { expected: self.cues_sha256.clone(), actual: cues_sha256.map(str::to_owned) });
        }
        differences
    }
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let or_none = |id: &Option<String>| id.clone().unwrap_or_else(|| "none".to_owned());
        match self {
            Self::Data { expected, actual } => write!(f, "data_sha256 expected {expected}, actual {actual}"),
            Self::Encoder { expected, actual } => {
                write!(f, "encoder expected {}, actual {}", or_none(expected), or_none(actual))
            }
            Self::Reranker { expected, actual } => {
                write!(f, "reranker expected {}, actual {}", or_none(expected), or_none(actual))
            }
            Self::Cues { expected, actual } => {
                write!(f, "cues_sha256 expected {}, actual {}", or_none(expected), or_none(actual))
            }
            Self::Questions { expected, actual } => write!(f, "n expected {expected}, actual {actual}"),
            Self::Measure { measure, expected, tolerance, actual } => {
                write!(f, "{measure} expected {expected} +- {tolerance}, ")?;
                match actual {
                    Some(actual) => write!(f, "actual {actual:.6} ({:+.6})", actual - expected),
                    None => f.write_str("not measured"),
                }
            }
        }
    }
}
