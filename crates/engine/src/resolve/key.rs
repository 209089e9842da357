//! A key as it was configured.

use std::fmt;

use aforesaid_llm::{LlmError, Secret};

/// A server's key as it was configured: checked when it is used, and never shown.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct ConfiguredKey(Option<String>);

impl ConfiguredKey {
    /// Takes a key; an empty one is none.
    pub fn new(text: impl Into<String>) -> Self {
        Self(Some(text.into()).filter(|text| !text.is_empty()))
    }

    /// The key, if there is one.
    pub(super) fn secret(&self) -> Result<Option<Secret>, LlmError> {
        self.0.as_deref().map(Secret::new).transpose()
    }
}

impl fmt::Debug for ConfiguredKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() { "ConfiguredKey([key])" } else { "ConfiguredKey(none)" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_never_shown_and_an_empty_one_is_none() {
        assert!(!format!("{:?}", ConfiguredKey::new("sesame-open")).contains("sesame"));
        assert_eq!(ConfiguredKey::new("").secret().unwrap(), None);
        assert!(ConfiguredKey::new("two words").secret().is_err());
    }
}
