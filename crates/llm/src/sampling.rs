//! Checks of how a model is asked to write.

use std::{fmt, ops::RangeInclusive};

use crate::LlmError;

/// Refuses a setting that is not in its range, with `expected` to name the range.
pub(crate) fn within<T: PartialOrd + fmt::Display>(
    setting: &'static str,
    found: T,
    range: RangeInclusive<T>,
    expected: &'static str,
) -> Result<(), LlmError> {
    if range.contains(&found) { Ok(()) } else { Err(LlmError::Setting { setting, found: found.to_string(), expected }) }
}

/// Refuses a temperature outside [0, 2] and a limit of no tokens.
pub(crate) fn check_sampling(temperature: f64, max_tokens: u32) -> Result<(), LlmError> {
    within("temperature", temperature, 0.0..=2.0, "a number from 0 to 2")?;
    within("tokens to write", max_tokens, 1..=u32::MAX, "1 or more")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_no_server_takes_is_refused() {
        for (temperature, max_tokens) in [(0.0, 1), (2.0, u32::MAX)] {
            check_sampling(temperature, max_tokens).unwrap();
        }
        for (temperature, max_tokens) in [(-0.1, 1), (2.1, 1), (f64::NAN, 1), (f64::INFINITY, 1), (0.1, 0)] {
            check_sampling(temperature, max_tokens).unwrap_err();
        }
        let message = check_sampling(3.0, 1).unwrap_err().to_string();
        assert_eq!(message, "temperature: found 3, expected a number from 0 to 2; change it");
    }
}
