//! Names that users give to things, checked once and then carried by type.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};

/// Longest accepted name, in bytes.
pub const MAX_NAME_BYTES: usize = 256;

/// A name was refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{kind} {found}: expected 1 to {MAX_NAME_BYTES} bytes without control characters; choose another name")]
pub struct InvalidName {
    kind: &'static str,
    found: String,
}

fn check(kind: &'static str, name: String) -> Result<String, InvalidName> {
    let found = if name.trim().is_empty() {
        "is blank".to_owned()
    } else if name.len() > MAX_NAME_BYTES {
        format!("has {} bytes", name.len())
    } else if name.chars().any(char::is_control) {
        format!("{:?} has a control character", name)
    } else {
        return Ok(name);
    };
    Err(InvalidName { kind, found })
}

macro_rules! name {
    ($(#[$doc:meta])* $type:ident, $kind:literal) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        #[serde(try_from = "String", into = "String")]
        pub struct $type(String);

        impl $type {
            /// Checks a name.
            ///
            /// # Errors
            /// When it is blank, longer than [`MAX_NAME_BYTES`] or holds a control character.
            pub fn new(name: impl Into<String>) -> Result<Self, InvalidName> {
                check($kind, name.into()).map(Self)
            }

            /// The name as text.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $type {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl FromStr for $type {
            type Err = InvalidName;
            fn from_str(name: &str) -> Result<Self, InvalidName> {
                Self::new(name)
            }
        }

        impl TryFrom<String> for $type {
            type Error = InvalidName;
            fn try_from(name: String) -> Result<Self, InvalidName> {
                Self::new(name)
            }
        }

        impl From<$type> for String {
            fn from(name: $type) -> String {
                name.0
            }
        }
    };
}

name!(
    /// One tenant: a user, an agent, an app. No query ever crosses it.
    Namespace,
    "namespace"
);
name!(
    /// A conversation, unique in its namespace.
    ConversationId,
    "conversation"
);
name!(
    /// A session, unique in its conversation.
    SessionId,
    "session"
);
name!(
    /// A turn or a note, unique in its conversation (`D1:3`).
    MemoryId,
    "id"
);
name!(
    /// A model, its revision and its precision: what made a vector.
    ///
    /// Vectors of two encoders are never compared.
    EncoderId,
    "encoder"
);

/// What stands in an id before the number of the glosses.
const GLOSS_MARK: &str = "+glosses";

impl EncoderId {
    /// The model's name, without revision and precision.
    pub fn model(&self) -> &str {
        self.0.split_once('@').map_or(self.as_str(), |(model, _)| model)
    }

    /// Whether the model is one with an adapter, as `all-MiniLM-L6-v2+mine@1110a243fdf4+53aa51172d14`.
    pub fn has_adapter(&self) -> bool {
        self.model().contains('+')
    }

    /// Whether texts of other languages are read in English for its vectors: such ids say by which glosses, as in
    /// `all-MiniLM-L6-v2+mine@1110a243fdf4+53aa51172d14+glosses1/f32`.
    pub fn reads_glosses(&self) -> bool {
        self.glosses().is_some()
    }

    /// The number of the glosses that its vectors were made of at first, where texts of other languages are read in English.
    pub fn glosses(&self) -> Option<u32> {
        let (_, rest) = self.0.split_once(GLOSS_MARK)?;
        rest.split('/').next()?.parse().ok()
    }

    /// What names the vectors of the same model where it reads every text as it is written: those of English texts, and of glosses.
    pub fn without_glosses(&self) -> Self {
        let Some((before, rest)) = self.0.split_once(GLOSS_MARK) else { return self.clone() };
        Self(format!("{before}{}", rest.trim_start_matches(|c: char| c.is_ascii_digit())))
    }

    /// The model and its revision as published, without the names and checksums of adapters, and without a precision.
    pub fn published(&self) -> String {
        let (named, _) = self.0.rsplit_once('/').unwrap_or((&self.0, ""));
        let bare = |part: &str| part.split('+').next().unwrap_or_default().to_owned();
        named.split('@').map(bare).collect::<Vec<_>>().join("@")
    }

    /// The numbers it computes in, where the id says.
    pub fn precision(&self) -> Option<&str> {
        self.0.rsplit_once('/').map(|(_, precision)| precision)
    }

    /// Whether its model is on a server: such ids end in `/remote`, where others have a precision.
    pub fn is_remote(&self) -> bool {
        self.precision() == Some("remote")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_checked() {
        assert!(Namespace::new("locomo").is_ok());
        assert!(Namespace::new("  ").is_err());
        assert!(MemoryId::new("a\nb").is_err());
        let long = SessionId::new("x".repeat(257)).unwrap_err().to_string();
        assert!(long.contains("257 bytes") && long.contains("session"), "{long}");
    }

    #[test]
    fn an_encoder_id_has_parts() {
        let parts = |id: &str| {
            let id = EncoderId::new(id).unwrap();
            (id.model().to_owned(), id.precision().map(str::to_owned))
        };
        assert_eq!(parts("mini@1110/int8"), ("mini".to_owned(), Some("int8".to_owned())));
        assert_eq!(parts("mini"), ("mini".to_owned(), None));
        let remote = |id: &str| EncoderId::new(id).unwrap().is_remote();
        let published = |id: &str| (EncoderId::new(id).unwrap().has_adapter(), EncoderId::new(id).unwrap().published());
        assert_eq!(published("mini+mine@1110+53aa/int8"), (true, "mini@1110".to_owned()));
        assert_eq!(published("lab/mini@1110/remote"), (false, "lab/mini@1110".to_owned()));
        let glossing = EncoderId::new("mini+mine@1110+53aa+glosses12/int8").unwrap();
        let plain = glossing.without_glosses();
        assert_eq!(plain.as_str(), "mini+mine@1110+53aa/int8");
        assert!(glossing.reads_glosses() && !plain.reads_glosses() && plain.without_glosses() == plain);
        assert_eq!((glossing.glosses(), plain.glosses()), (Some(12), None));
        assert!(remote("lab/mini@1110/remote") && !remote("remote@1110/int8") && !remote("remote"));
    }

    #[test]
    fn a_bad_name_does_not_deserialize() {
        assert!(serde_json::from_str::<Namespace>("\"\"").is_err());
    }
}
