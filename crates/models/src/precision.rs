//! In which numbers a model computes.

use std::{
    fmt,
    str::FromStr,
    sync::{Mutex, PoisonError},
    time::Duration,
};

use aforesaid_core::types::UnknownChoice;

use crate::{Instructions, kernels::Arithmetic};

/// How often, and for how long, one precision is measured before the next has its turn.
const TURNS: usize = 8;
const TURN: Duration = Duration::from_micros(500);

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
    /// bf16 where it is clearly faster than f32; else int8 where that is; else f32. In the default pipeline none of them
    /// costs more than 0.003 of a measure (docs/decisions/0011). A few milliseconds of products tell, once a process:
    /// some processors multiply bfloat16 half as fast as f32.
    pub fn default_on(instructions: Instructions) -> Self {
        let gains = Gains::on(instructions);
        match gains {
            Gains { bf16: true, .. } => Self::Bf16,
            Gains { int8: true, .. } => Self::Int8,
            _ => Self::F32,
        }
    }

    /// The precision of a training where none was asked for: derivatives do not bear 8 bits.
    pub fn of_training_on(instructions: Instructions) -> Self {
        if Gains::on(instructions).bf16 { Self::Bf16 } else { Self::F32 }
    }
}

/// Which products are clearly faster than those of f32.
#[derive(Debug, Clone, Copy)]
struct Gains {
    bf16: bool,
    int8: bool,
}

impl Gains {
    /// Ratios that were seen are a half, 2 and 13 of bf16, and 1.9 to 14 of int8: below 2, no noise decides.
    const CLEARLY: f64 = 1.4;

    /// Measured once for each family of instructions.
    fn on(instructions: Instructions) -> Self {
        static MEASURED: Mutex<Vec<(Instructions, Gains)>> = Mutex::new(Vec::new());
        let mut measured = MEASURED.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, gains)) = measured.iter().find(|(of, _)| *of == instructions) {
            return *gains;
        }
        let mut best = [0.0f64; Precision::ALL.len()];
        // In turns, so that another program is in the way of all.
        for _ in 0..TURNS {
            for (best, precision) in best.iter_mut().zip(Precision::ALL) {
                // Without an instruction of its own a precision is never faster.
                if precision != Precision::F32 && !Arithmetic::has_native(precision, instructions) {
                    continue;
                }
                let peak = Arithmetic::new(precision, instructions).map(|arithmetic| arithmetic.peak(TURN));
                *best = best.max(peak.unwrap_or_default());
            }
        }
        let [f32, bf16, int8] = best;
        let gains = Self { bf16: bf16 > Self::CLEARLY * f32, int8: int8 > Self::CLEARLY * f32 };
        measured.push((instructions, gains));
        gains
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
    fn the_default_is_the_same_however_often_it_is_asked_for() {
        for instructions in Instructions::ALL.into_iter().filter(|family| family.is_available()) {
            let chosen = Precision::default_on(instructions);
            assert_eq!(chosen, Precision::default_on(instructions));
            let native = |precision| Arithmetic::has_native(precision, instructions);
            assert!(chosen == Precision::F32 || native(chosen), "{instructions}: {chosen}");
            let training = Precision::of_training_on(instructions);
            assert!(training != Precision::Int8 && (chosen == Precision::Bf16) == (training == Precision::Bf16));
        }
    }

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
