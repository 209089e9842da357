//! From turn similarities to a session's (fusion study, eqs. 1 to 4).

use std::{fmt, str::FromStr};

use crate::types::UnknownChoice;

/// How a session is scored from its turns.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum Pooling {
    /// The best turn (eq. 2).
    #[default]
    Max,
    /// The mean of the best `k` turns, or of all where there are fewer (eq. 3).
    Top(usize),
    /// Cosine with the normalised mean of the turn vectors (eq. 1).
    Mean,
    /// Smooth maximum `ln(sum(exp(beta * s))) / beta` (eq. 4).
    Lse(f64),
}

impl Pooling {
    /// Pools the similarities of one session's turns; `None` when there is no turn.
    ///
    /// For [`Pooling::Mean`], `mean_norm` is the length of the mean of the
    /// turn vectors: the mean similarity divided by it is the cosine.
    pub fn pool(self, similarities: &mut [f64], mean_norm: impl FnOnce() -> f64) -> Option<f64> {
        if similarities.is_empty() {
            return None;
        }
        let n = similarities.len();
        let best = similarities.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        Some(match self {
            Pooling::Max => best,
            Pooling::Top(k) => {
                let k = k.clamp(1, n);
                similarities.sort_unstable_by(|a, b| b.total_cmp(a));
                similarities[..k].iter().sum::<f64>() / k as f64
            }
            Pooling::Mean => {
                let norm = mean_norm();
                let mean = similarities.iter().sum::<f64>() / n as f64;
                if norm > 0.0 { mean / norm } else { 0.0 }
            }
            // The largest exponent is taken out: exp(beta * s) must not overflow.
            Pooling::Lse(beta) => {
                best + similarities.iter().map(|s| (beta * (s - best)).exp()).sum::<f64>().ln() / beta
            }
        })
    }
}

impl fmt::Display for Pooling {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Pooling::Max => f.write_str("max"),
            Pooling::Top(k) => write!(f, "top{k}"),
            Pooling::Mean => f.write_str("mean"),
            Pooling::Lse(beta) => write!(f, "lse{beta}"),
        }
    }
}

impl FromStr for Pooling {
    type Err = UnknownChoice;

    fn from_str(word: &str) -> Result<Self, UnknownChoice> {
        let unknown =
            || UnknownChoice { what: "pooling", found: word.into(), expected: "max, mean, top<k> or lse<beta>" };
        match word {
            "max" => Ok(Pooling::Max),
            "mean" => Ok(Pooling::Mean),
            "lse" => Ok(Pooling::Lse(10.0)),
            _ => {
                let top = word.strip_prefix("top").and_then(|k| k.parse().ok()).filter(|k| *k > 0).map(Pooling::Top);
                let lse = || {
                    let beta = word.strip_prefix("lse")?.parse().ok()?;
                    (f64::is_finite(beta) && beta > 0.0).then_some(Pooling::Lse(beta))
                };
                top.or_else(lse).ok_or_else(unknown)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pool(pooling: Pooling, similarities: &[f64]) -> f64 {
        pooling.pool(&mut similarities.to_vec(), || 0.5).unwrap()
    }

    #[test]
    fn operators_by_hand() {
        let s = [0.1, 0.9, 0.4];
        assert_eq!(pool(Pooling::Max, &s), 0.9);
        assert!((pool(Pooling::Top(2), &s) - 0.65).abs() < 1e-12);
        assert!((pool(Pooling::Top(9), &s) - 1.4 / 3.0).abs() < 1e-12);
        assert!((pool(Pooling::Mean, &s) - 1.4 / 3.0 / 0.5).abs() < 1e-12);
        // Python: math.log(sum(math.exp(10*x) for x in (.1,.9,.4)))/10
        assert!((pool(Pooling::Lse(10.0), &s) - 0.900_704_851_041_106_4).abs() < 1e-12);
    }

    #[test]
    fn lse_does_not_overflow_and_an_empty_session_has_no_score() {
        assert!(pool(Pooling::Lse(1e6), &[1.0, -1.0]).is_finite());
        assert_eq!(Pooling::Max.pool(&mut [], || 1.0), None);
    }

    #[test]
    fn a_name_reads_back() {
        for word in ["max", "mean", "top3", "lse10"] {
            assert_eq!(word.parse::<Pooling>().unwrap().to_string(), word);
        }
        for word in ["top0", "lse-1", "lseNaN", "median", "top"] {
            assert!(word.parse::<Pooling>().is_err(), "{word}");
        }
    }
}
