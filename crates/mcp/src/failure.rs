//! What a tool answers when it cannot do as asked: the cause, and what the model that called it can do.

use aforesaid::{Error, StoreError};

/// A tool call failed; nothing was half done.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{code}: {message}")]
pub(crate) struct ToolError {
    /// What went wrong; it never changes.
    pub(crate) code: &'static str,
    /// What was found, what was expected, and what to do next.
    pub(crate) message: String,
}

impl ToolError {
    /// Arguments that a tool does not take.
    pub(crate) fn arguments(message: impl Into<String>) -> Self {
        Self { code: "invalid_arguments", message: message.into() }
    }

    /// Whether the namespace does not exist yet: nothing was ever added to it.
    pub(crate) fn is_of_new_namespace(&self) -> bool {
        self.code == NEW_NAMESPACE
    }
}

/// The code of a namespace that does not exist.
const NEW_NAMESPACE: &str = "unknown_namespace";

impl From<Error> for ToolError {
    fn from(error: Error) -> Self {
        let code = error.code();
        let message = match &error {
            // The message of the library lists the other namespaces, which are no business of this client.
            Error::Store(StoreError::UnknownNamespace { .. }) => {
                "nothing is stored here yet; add_memory stores the first turn or note".to_owned()
            }
            error => error.message() + remedy(error),
        };
        Self { code, message }
    }
}

/// What follows the message of the library.
fn remedy(error: &Error) -> &'static str {
    match error {
        Error::UnknownMemory { .. } => "; search_memories gives ids, and list_sessions names what is stored",
        Error::EmptyScope { .. } => {
            "; leave a filter out, or take names as search_memories and list_sessions give them"
        }
        Error::AmbiguousMemory { .. } | Error::AmbiguousSession { .. } => " with the argument conversation",
        Error::Store(StoreError::Conflict { .. }) => "; forget_memory forgets one",
        Error::Store(StoreError::EncoderMismatch { .. } | StoreError::Dimension { .. }) => {
            "; tell the user, who can run `aforesaid stats` and `aforesaid reembed`"
        }
        Error::Store(StoreError::Damaged { .. } | StoreError::Backend { .. }) => {
            "; tell the user, who can run `aforesaid check`"
        }
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use aforesaid::types::Namespace;

    use super::*;

    #[test]
    fn other_namespaces_are_not_named() {
        let [namespace, other] = ["kites", "secret-project"].map(|name| Namespace::new(name).unwrap());
        let error = Error::Store(StoreError::UnknownNamespace { namespace, known: vec![other] });
        let error = ToolError::from(error);
        assert!(error.is_of_new_namespace() && !error.to_string().contains("secret-project"), "{error}");
    }
}
