//! A key that is never shown.

use std::fmt;

use crate::LlmError;

/// Shorter keys are words such as `ollama`: to blank them out of a message would only garble it.
const WORTH_HIDING: usize = 8;

/// What takes the place of a key in text.
const HIDDEN: &str = "[key]";

/// An API key: written into one header and nowhere else, and shown as `[key]`.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// Takes a key, without white space around it.
    ///
    /// # Errors
    /// When it is empty or could not stand in a header.
    pub fn new(key: &str) -> Result<Self, LlmError> {
        let key = key.trim();
        match key {
            "" => Err(LlmError::Key { found: "nothing" }),
            _ if !key.bytes().all(|byte| byte.is_ascii_graphic()) => {
                Err(LlmError::Key { found: "white space or characters beyond ASCII within it" })
            }
            _ => Ok(Self(key.to_owned())),
        }
    }

    /// The key itself, for the header.
    pub(crate) fn expose(&self) -> &str {
        &self.0
    }

    /// The text without the key, should a server have quoted it.
    pub(crate) fn hide_in(&self, text: &str) -> String {
        if self.0.len() < WORTH_HIDING { text.to_owned() } else { text.replace(&self.0, HIDDEN) }
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Secret({HIDDEN})")
    }
}

impl fmt::Display for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(HIDDEN)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_never_shown() {
        let secret = Secret::new(" sk-0123456789\n").unwrap();
        assert_eq!(format!("{secret} {secret:?}"), "[key] Secret([key])");
        assert_eq!(secret.expose(), "sk-0123456789");
        assert_eq!(secret.hide_in("bad key sk-0123456789."), "bad key [key].");
        assert_eq!(Secret::new("ollama").unwrap().hide_in("ollama is busy"), "ollama is busy");
    }

    #[test]
    fn one_that_cannot_stand_in_a_header_is_refused_without_being_quoted() {
        for bad in ["", " \n", "sk-01\r\nHost: elsewhere", "sk-01 23", "clé"] {
            let message = Secret::new(bad).unwrap_err().to_string();
            assert!(!message.contains("sk-01") && !message.contains("clé"), "{message}");
        }
    }
}
