//! In which numbers a model computes.

use std::{
    fmt,
    str::FromStr,
    sync::{Mutex, PoisonError},
    time::Duration,
};

use aforesaid_core::types::UnknownChoice;

use crate::{Instructions, kernels::Arithmetic};

/// How often, and for how long, one precision is measured before the other has its turn.
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
    /// The fastest of those that cost no more than 0.003 of any measure on LoCoMo: bf16 costs 0.001, int8 up to
    /// 0.006 (docs/decisions/0011). Where bf16 has no instruction of its own, f32 is faster; where it has one, a few
    /// milliseconds of products tell, once a process: some processors multiply bfloat16 half as fast as f32.
    pub fn default_on(instructions: Instructions) -> Self {
        match Arithmetic::has_native(Self::Bf16, instructions) && bf16_gains(instructions) {
            true => Self::Bf16,
            false => Self::F32,
        }
    }
}

/// Whether products of bfloat16 are surely faster than those of f32.
fn bf16_gains(instructions: Instructions) -> bool {
    /// Ratios that were seen are a half, 2 and 13: halfway to 2, no noise decides.
    const CLEARLY: f64 = 1.4;
    static MEASURED: Mutex<Vec<(Instructions, bool)>> = Mutex::new(Vec::new());
    let mut measured = MEASURED.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((_, gains)) = measured.iter().find(|(of, _)| *of == instructions) {
        return *gains;
    }
    let mut best = [0.0f64; 2];
    // In turns, so that another program is in the way of both.
    for _ in 0..TURNS {
        for (best, precision) in best.iter_mut().zip([Precision::F32, Precision::Bf16]) {
            let peak = Arithmetic::new(precision, instructions).map(|arithmetic| arithmetic.peak(TURN));
            *best = best.max(peak.unwrap_or_default());
        }
    }
    let gains = best[1] > CLEARLY * best[0];
    measured.push((instructions, gains));
    gains
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
            let has_native = Arithmetic::has_native(Precision::Bf16, instructions);
            assert!(chosen == Precision::F32 || chosen == Precision::Bf16 && has_native, "{instructions}: {chosen}");
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
