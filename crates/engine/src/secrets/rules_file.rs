//! Rules of one's own.

use serde::Deserialize;

use super::Check;

/// A file of rules that cannot be used.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum InvalidSecretRules {
    /// It is no TOML, or has other keys.
    #[error("secret rules: {0}; expected `allow = [\"pattern\"]` and tables `[[rule]]` with name and pattern")]
    File(String),
    /// A pattern is no regular expression.
    #[error(
        "secret rules: the pattern of {name:?} cannot be used; write it as the crate regex does, without lookaround"
    )]
    Pattern {
        /// The rule.
        name: String,
        /// Why.
        source: regex::Error,
    },
}

/// What a file says.
#[derive(Debug, Default)]
pub(super) struct OwnRules {
    pub(super) rules: Vec<(String, String, Check)>,
    pub(super) allow: Vec<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    allow: Vec<String>,
    #[serde(default)]
    rule: Vec<OwnRule>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct OwnRule {
    name: String,
    pattern: String,
}

pub(super) fn read(text: &str) -> Result<OwnRules, InvalidSecretRules> {
    let file: File = toml::from_str(text).map_err(|error| InvalidSecretRules::File(error.message().to_owned()))?;
    let rules = file.rule.into_iter().map(|rule| (rule.name, rule.pattern, Check::None)).collect();
    Ok(OwnRules { rules, allow: file.allow })
}
