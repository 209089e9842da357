//! A proxy between this machine and a server.

use std::{fmt, str::FromStr};

use crate::LlmError;

/// A proxy that requests go through: `http://proxy.example.com:3128`, with a user name and password if need be.
///
/// It is used only where it is given; variables such as `HTTPS_PROXY` are for a program to read.
#[derive(Clone, PartialEq, Eq)]
pub struct Proxy(pub(crate) ureq::Proxy);

impl FromStr for Proxy {
    type Err = LlmError;

    /// # Errors
    /// When it is no address of a proxy. The message does not quote it: it might hold a password.
    fn from_str(text: &str) -> Result<Self, LlmError> {
        ureq::Proxy::new(text.trim()).map(Self).map_err(|_| LlmError::Proxy)
    }
}

impl fmt::Debug for Proxy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Proxy({}:{})", self.0.host(), self.0.port())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shows_no_password() {
        let proxy: Proxy = "http://ann:hidden@proxy.example.com:3128".parse().unwrap();
        assert_eq!(format!("{proxy:?}"), "Proxy(proxy.example.com:3128)");
        let message = "gopher://ann:hidden@proxy".parse::<Proxy>().unwrap_err().to_string();
        assert!(!message.contains("hidden"), "{message}");
    }
}
