//! Which vector instructions the kernels use.

use std::{fmt, str::FromStr};

use aforesaid_core::types::UnknownChoice;

use crate::kernels::Family;

/// A family of vector instructions that there are kernels for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Instructions {
    /// x86-64 with AMX, which multiplies bfloat16 and bytes by tiles, beside AVX-512; on Linux.
    Amx,
    /// x86-64 with AVX-512 (F, BW, CD, DQ, VL); VNNI and BF16 are used where they are there too.
    Avx512,
    /// x86-64 with AVX2, FMA and AVX-VNNI, which multiplies bytes.
    AvxVnni,
    /// x86-64 with AVX2 and FMA.
    Avx2,
    /// 64-bit ARM.
    Neon,
    /// What every processor has.
    Portable,
}

impl Instructions {
    /// Every family, the fastest first.
    pub const ALL: [Self; 6] = [Self::Amx, Self::Avx512, Self::AvxVnni, Self::Avx2, Self::Neon, Self::Portable];

    /// The fastest family that this processor has.
    pub fn best() -> Self {
        Self::ALL.into_iter().find(|family| family.is_available()).unwrap_or(Self::Portable)
    }

    /// Whether this processor has them.
    pub fn is_available(self) -> bool {
        Family::of(self).is_some()
    }
}

impl fmt::Display for Instructions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Amx => "amx",
            Self::Avx512 => "avx512",
            Self::AvxVnni => "avxvnni",
            Self::Avx2 => "avx2",
            Self::Neon => "neon",
            Self::Portable => "portable",
        })
    }
}

impl FromStr for Instructions {
    type Err = UnknownChoice;

    fn from_str(word: &str) -> Result<Self, UnknownChoice> {
        let expected = "amx, avx512, avxvnni, avx2, neon or portable";
        let known = Self::ALL.into_iter().find(|family| family.to_string() == word);
        known.ok_or_else(|| UnknownChoice { what: "instructions", found: word.to_owned(), expected })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prints_what_it_parses() {
        for family in Instructions::ALL {
            assert_eq!(family.to_string().parse(), Ok(family));
        }
        assert!(
            "sse"
                .parse::<Instructions>()
                .unwrap_err()
                .to_string()
                .contains("amx, avx512, avxvnni, avx2, neon or portable")
        );
    }

    #[test]
    fn the_best_is_available() {
        assert!(Instructions::best().is_available());
        assert!(Instructions::Portable.is_available());
    }
}
