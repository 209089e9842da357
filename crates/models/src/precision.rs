//! In which numbers a model computes.

use std::{fmt, str::FromStr};

use aforesaid_core::types::UnknownChoice;

use crate::{Instructions, kernels::Arithmetic};

/// The numbers of a model's matrix products; everything between them is f32.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Precision {
    /// Single precision.
    F32,
    /// Weights and inputs rounded to bfloat16, sums in f32.
    Bf16,
    /// Weights rounded to 8 bits with a scale a column, inputs to 8 bits with a range a row, sums exact.
    Int8,
}

impl Precision {
    /// Every precision, the most exact first.
    pub const ALL: [Self; 3] = [Self::F32, Self::Bf16, Self::Int8];

    /// The precision of new vectors where none was asked for, on a processor with these instructions.
    ///
    /// The fastest of those that cost no more than 0.003 of any measure on LoCoMo: bf16 costs 0.001, int8 up to
    /// 0.006 (docs/decisions/0011). Where bf16 has no instruction of its own, f32 is faster.
    pub fn default_on(instructions: Instructions) -> Self {
        if Arithmetic::has_native(Self::Bf16, instructions) { Self::Bf16 } else { Self::F32 }
    }
}

impl fmt::Display for Precision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::F32 => "f32",
            Self::Bf16 => "bf16",
            Self::Int8 => "int8",
        })
    }
}

impl FromStr for Precision {
    type Err = UnknownChoice;

    fn from_str(word: &str) -> Result<Self, UnknownChoice> {
        let expected = "f32, bf16 or int8";
        let known = Self::ALL.into_iter().find(|precision| precision.to_string() == word);
        known.ok_or_else(|| UnknownChoice { what: "precision", found: word.to_owned(), expected })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prints_what_it_parses() {
        for precision in Precision::ALL {
            assert_eq!(precision.to_string().parse(), Ok(precision));
        }
        assert_eq!(
            "fp16".parse::<Precision>().unwrap_err().to_string(),
            "precision \"fp16\": expected f32, bf16 or int8"
        );
    }
}
