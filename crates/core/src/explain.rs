//! Why a hit has its score.

use std::fmt;

use serde::Serialize;

/// A value, the parts it was made from, and the arithmetic that made it: every node can be checked.
///
/// As JSON the arithmetic's numbers stand in the node itself:
/// `{"label": .., "value": .., "how": "scaled", "weight": .., "minus": .., "over": .., "parts": [..]}`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Explain {
    /// What the value is; of [`Arithmetic::Scaled`] and [`Arithmetic::ReciprocalRank`], with rounded numbers.
    pub label: String,
    /// The value.
    pub value: f64,
    /// How it follows from its parts.
    #[serde(flatten)]
    pub how: Arithmetic,
    /// What it was made from.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<Explain>,
}

/// How a value follows from its parts.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(tag = "how", rename_all = "snake_case")]
pub enum Arithmetic {
    /// It was measured; there are no parts.
    Given,
    /// The sum of all parts.
    Sum,
    /// The largest part.
    Largest,
    /// `weight * (part - minus) / over`, of the only part.
    Scaled {
        /// What it counts; 0 where a scale has no width, because all candidates are alike.
        weight: f64,
        /// What is taken as zero.
        minus: f64,
        /// What is taken as one; never 0.
        over: f64,
    },
    /// `weight / (k + rank)`, or 0 without a rank; the part, if any, is what was ranked.
    ReciprocalRank {
        /// What it counts.
        weight: f64,
        /// The rank constant.
        k: f64,
        /// From 1, among the candidates that are fused; `None` for one that was not found.
        rank: Option<u32>,
    },
}

impl Explain {
    /// A value that was not made from others.
    pub fn leaf(label: impl Into<String>, value: f64) -> Self {
        Self { label: label.into(), value, how: Arithmetic::Given, parts: Vec::new() }
    }

    /// The sum of `parts`.
    pub fn sum(label: impl Into<String>, value: f64, parts: Vec<Explain>) -> Self {
        Self { label: label.into(), value, how: Arithmetic::Sum, parts }
    }

    /// The largest of `parts`.
    pub fn largest(label: impl Into<String>, value: f64, parts: Vec<Explain>) -> Self {
        Self { label: label.into(), value, how: Arithmetic::Largest, parts }
    }

    /// A value made from one other; the arithmetic is added to the label.
    pub fn from_part(label: &str, value: f64, how: Arithmetic, part: Explain) -> Self {
        let label = match how {
            Arithmetic::Scaled { weight, minus, over } => {
                let weight = if weight == 1.0 { String::new() } else { format!("{} * ", Short(weight)) };
                let over = if over == 1.0 { String::new() } else { format!(" / {}", Short(over)) };
                match minus == 0.0 {
                    true => format!("{label}: {weight}{}{over}", Short(part.value)),
                    false => format!("{label}: {weight}({} - {}){over}", Short(part.value), Short(minus)),
                }
            }
            Arithmetic::ReciprocalRank { weight, k, rank: Some(rank) } => {
                format!("{label}: {} / ({} + {rank})", Short(weight), Short(k))
            }
            Arithmetic::ReciprocalRank { rank: None, .. } => format!("{label}: not found"),
            Arithmetic::Given | Arithmetic::Sum | Arithmetic::Largest => label.to_owned(),
        };
        Self { label, value, how, parts: vec![part] }
    }

    fn write(&self, f: &mut fmt::Formatter<'_>, depth: usize) -> fmt::Result {
        writeln!(f, "{:indent$}{:>9.4}  {}", "", self.value, self.label, indent = depth * 2)?;
        self.parts.iter().try_for_each(|part| part.write(f, depth + 1))
    }
}

impl fmt::Display for Explain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write(f, 0)
    }
}

/// A number with four decimals at the most.
struct Short(f64);

impl fmt::Display for Short {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = format!("{:.4}", self.0);
        let text = text.trim_end_matches('0').trim_end_matches('.');
        match text {
            "-0" => f.write_str("0"),
            text if self.0 < 0.0 => write!(f, "({text})"),
            text => f.write_str(text),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_label_says_the_arithmetic() {
        let label = |how, part| Explain::from_part("leg", 0.0, how, Explain::leaf("own", part)).label;
        let scaled = |weight, minus, over| Arithmetic::Scaled { weight, minus, over };
        assert_eq!(label(scaled(0.6, 0.22, 0.61), 4.31), "leg: 0.6 * (4.31 - 0.22) / 0.61");
        assert_eq!(label(scaled(1.0, -1.0, 1.5), 0.123_456), "leg: (0.1235 - (-1)) / 1.5");
        assert_eq!(label(scaled(0.85, 0.0, 1.0), 2.0), "leg: 0.85 * 2");
        let ranked = |rank| Arithmetic::ReciprocalRank { weight: 0.5, k: 60.0, rank };
        assert_eq!(label(ranked(Some(3)), 1.0), "leg: 0.5 / (60 + 3)");
        assert_eq!(label(ranked(None), 0.0), "leg: not found");
    }

    #[test]
    fn a_program_can_check_it() {
        let how = Arithmetic::Scaled { weight: 2.0, minus: 1.0, over: 4.0 };
        let node = Explain::from_part("half", 0.5, how, Explain::sum("all", 2.0, vec![Explain::leaf("one", 2.0)]));
        let expected = serde_json::json!({
            "label": "half: 2 * (2 - 1) / 4", "value": 0.5, "how": "scaled", "weight": 2.0, "minus": 1.0, "over": 4.0,
            "parts": [{"label": "all", "value": 2.0, "how": "sum", "parts": [
                {"label": "one", "value": 2.0, "how": "given"},
            ]}],
        });
        assert_eq!(serde_json::to_value(node).unwrap(), expected);
    }
}
