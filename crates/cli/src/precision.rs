//! The precision that an option or the configuration file chooses.

use std::str::FromStr;

use aforesaid::{models::Precision, types::UnknownChoice};

/// The precision an encoder computes in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PrecisionChoice {
    /// That of the namespace's vectors, or the default.
    Auto,
    /// This one.
    Exactly(Precision),
}

impl FromStr for PrecisionChoice {
    type Err = UnknownChoice;

    fn from_str(word: &str) -> Result<Self, UnknownChoice> {
        match word {
            "auto" => Ok(Self::Auto),
            _ => word
                .parse()
                .map(Self::Exactly)
                .map_err(|unknown| UnknownChoice { expected: "auto, f32, bf16 or int8", ..unknown }),
        }
    }
}

impl PrecisionChoice {
    pub(crate) fn exactly(self) -> Option<Precision> {
        match self {
            Self::Auto => None,
            Self::Exactly(precision) => Some(precision),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_precision_is_named_or_left_to_the_vectors() {
        assert_eq!("auto".parse(), Ok(PrecisionChoice::Auto));
        assert_eq!("int8".parse(), Ok(PrecisionChoice::Exactly(Precision::Int8)));
        let message = "int4".parse::<PrecisionChoice>().unwrap_err().to_string();
        assert_eq!(message, "precision \"int4\": expected auto, f32, bf16 or int8");
    }
}
