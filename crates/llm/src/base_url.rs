//! The address of a server.

use std::{fmt, net::IpAddr, str::FromStr};

use ureq::http::Uri;

use crate::LlmError;

/// What addresses of requests are made of: `https://api.example.com/v1`.
///
/// Holds no user name, password, query or fragment, so that it may stand in messages; scheme and host in
/// lower case; no slash at the end.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct BaseUrl(String);

impl BaseUrl {
    /// The address as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether it is of this machine: `localhost`, 127.0.0.0/8 or `[::1]`, by its text. No name is looked up.
    pub fn is_loopback(&self) -> bool {
        let Ok(uri) = self.0.parse::<Uri>() else { return false };
        let host = uri.host().unwrap_or_default().trim_start_matches('[').trim_end_matches(']');
        host == "localhost" || host.parse().is_ok_and(|address: IpAddr| address.is_loopback())
    }

    /// The address of an operation such as `embeddings`.
    pub(crate) fn join(&self, operation: &str) -> String {
        format!("{}/{operation}", self.0)
    }
}

impl FromStr for BaseUrl {
    type Err = LlmError;

    /// # Errors
    /// When it is no absolute http or https address, or holds credentials, a query or a fragment. The message
    /// does not quote it: it might hold a key.
    fn from_str(text: &str) -> Result<Self, LlmError> {
        let refused = |found| LlmError::BaseUrl { found };
        let uri: Uri = text.trim().parse().map_err(|_| refused("something else"))?;
        let scheme = uri.scheme_str().map(str::to_ascii_lowercase).unwrap_or_default();
        let authority = uri.authority().map(|authority| authority.as_str().to_ascii_lowercase()).unwrap_or_default();
        match () {
            () if !["http", "https"].contains(&scheme.as_str()) => Err(refused("neither http:// nor https://")),
            () if authority.contains('@') => Err(refused("a user name or password; give a key apart from the URL")),
            () if uri.host().is_none_or(str::is_empty) => Err(refused("no host")),
            () if uri.query().is_some() || text.contains('#') => Err(refused("a query or fragment")),
            () => Ok(Self(format!("{scheme}://{authority}{}", uri.path().trim_end_matches('/')))),
        }
    }
}

impl fmt::Display for BaseUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slashes_and_case_do_not_matter() {
        let url: BaseUrl = " HTTPS://Api.Example.com/V1/ ".parse().unwrap();
        assert_eq!(url.as_str(), "https://api.example.com/V1");
        assert_eq!(url.join("embeddings"), "https://api.example.com/V1/embeddings");
        assert_eq!("http://[::1]:8000".parse::<BaseUrl>().unwrap().join("x"), "http://[::1]:8000/x");
    }

    #[test]
    fn this_machine_is_known_by_its_names() {
        let loopback = |url: &str| url.parse::<BaseUrl>().unwrap().is_loopback();
        for here in ["http://LOCALHOST:8000/v1", "https://127.0.0.1", "http://127.8.9.1:1/v1", "http://[::1]:8000"] {
            assert!(loopback(here), "{here}");
        }
        for elsewhere in
            ["http://localhost.example.com", "http://10.0.0.1:8000/v1", "http://[::2]", "http://127.0.0.1.example"]
        {
            assert!(!loopback(elsewhere), "{elsewhere}");
        }
    }

    #[test]
    fn what_is_no_address_or_holds_a_credential_is_refused_unquoted() {
        for bad in [
            "",
            "localhost:8000/v1",
            "/v1",
            "ftp://hidden.example",
            "http://",
            "http://ann:hidden@example.com/v1",
            "https://example.com/v1?key=hidden",
            "https://example.com/v1#hidden",
            "https://exa mple.com/hidden",
            "https://exämple.com/hidden",
        ] {
            let message = bad.parse::<BaseUrl>().unwrap_err().to_string();
            assert!(!message.contains("hidden") && message.contains("expected http"), "{message}");
        }
    }
}
