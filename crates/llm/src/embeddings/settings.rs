//! How texts are put to an embeddings server, and what its vectors are called.

use std::num::NonZeroUsize;

use aforesaid_core::types::EncoderId;
use serde_json::json;

use super::BatchLimits;
use crate::{
    Endpoint, LlmError,
    canonical::{canonical, sha256_hex},
};

/// Hex digits of a digest in an encoder's id.
const DIGITS: usize = 12;

/// Components of a vector.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Dimension {
    /// As many as the model's vectors have: one call finds out.
    #[default]
    Learnt,
    /// So many; another number from the server is an error.
    Known(NonZeroUsize),
    /// So many are asked for, of a model that can shorten its vectors; another number is an error.
    Requested(NonZeroUsize),
}

/// How texts are put to an embeddings server.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct EmbeddingSettings {
    /// Components of a vector.
    pub dimension: Dimension,
    /// Stands before every question (`query: ` for e5).
    pub query_prefix: String,
    /// Stands before every passage (`passage: ` for e5).
    pub passage_prefix: String,
    /// A name for exactly these weights, if you know that servers of this name have the same ones.
    pub revision: Option<String>,
    /// How much one request holds.
    pub batch: BatchLimits,
}

impl EmbeddingSettings {
    /// What the vectors of a model under these settings are called.
    ///
    /// Without a revision `<model>@<digest>/remote`, where the digest is of the base URL, the model, the
    /// prefixes and the dimension asked for: two servers with a model of the same name are two encoders.
    /// With one, `<model>@<revision>.<digest>/remote`, and the digest leaves the base URL out. The `@` of a
    /// model's own name becomes `_`.
    ///
    /// # Errors
    /// When the id is longer than a name may be, or model or revision hold a control character.
    pub fn encoder_id(&self, endpoint: &Endpoint) -> Result<EncoderId, LlmError> {
        let place = if self.revision.is_some() { None } else { Some(endpoint.base_url.as_str()) };
        let requested = match self.dimension {
            Dimension::Requested(dim) => Some(dim),
            Dimension::Learnt | Dimension::Known(_) => None,
        };
        let made_by = json!([place, endpoint.model, self.revision, self.query_prefix, self.passage_prefix, requested]);
        let digest = &sha256_hex(&canonical(&made_by))[..DIGITS];
        let model = endpoint.model.replace('@', "_");
        Ok(EncoderId::new(match &self.revision {
            Some(revision) => format!("{model}@{revision}.{digest}/remote"),
            None => format!("{model}@{digest}/remote"),
        })?)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn id(url: &str, model: &str, settings: &EmbeddingSettings) -> String {
        settings.encoder_id(&Endpoint::new(url.parse().unwrap(), model)).unwrap().to_string()
    }

    #[test]
    fn the_id_is_fixed_by_what_makes_the_vectors() {
        let plain = EmbeddingSettings::default();
        let here = id("http://localhost:8000/v1", "bge-m3", &plain);
        assert_eq!(here, id("http://LOCALHOST:8000/v1/", "bge-m3", &plain));
        // Worked out apart from this program: sha256 of ["http://...", "bge-m3", null, "", "", null], compact.
        assert_eq!(here, "bge-m3@3312ed981af6/remote");
        let known = EmbeddingSettings { dimension: Dimension::Known(NonZeroUsize::MIN), ..plain.clone() };
        assert_eq!(here, id("http://localhost:8000/v1", "bge-m3", &known), "what is known changes nothing");

        let query = EmbeddingSettings { query_prefix: "query: ".into(), ..plain.clone() };
        let passage = EmbeddingSettings { passage_prefix: "query: ".into(), ..plain.clone() };
        let short = EmbeddingSettings { dimension: Dimension::Requested(NonZeroUsize::MIN), ..plain.clone() };
        let others = [
            id("http://localhost:8001/v1", "bge-m3", &plain),
            id("http://localhost:8000/v1", "bge-m4", &plain),
            id("http://localhost:8000/v1", "bge-m3", &query),
            id("http://localhost:8000/v1", "bge-m3", &passage),
            id("http://localhost:8000/v1", "bge-m3", &short),
        ];
        assert_eq!(BTreeSet::from(others).into_iter().filter(|other| *other != here).count(), 5);
    }

    #[test]
    fn a_revision_makes_two_servers_one_encoder() {
        let pinned = EmbeddingSettings { revision: Some("5617a9f".into()), ..EmbeddingSettings::default() };
        let here = id("http://localhost:8000/v1", "@cf/bge-m3", &pinned);
        assert_eq!(here, id("https://api.example.com/v1", "@cf/bge-m3", &pinned));
        assert!(here.starts_with("_cf/bge-m3@5617a9f.") && here.ends_with("/remote"), "{here}");
    }

    #[test]
    fn a_name_too_long_for_an_id_is_refused() {
        let endpoint = Endpoint::new("http://localhost".parse().unwrap(), "x".repeat(300));
        let message = EmbeddingSettings::default().encoder_id(&endpoint).unwrap_err().to_string();
        assert!(message.contains("encoder has 320 bytes"), "{message}");
    }
}
