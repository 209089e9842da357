//! Texts to vectors, by a server.

mod answer;
mod batches;
mod settings;

use std::ops::Range;

use aforesaid_core::{
    EncodeError, Encoder, Locality,
    types::{EncoderId, Vectors},
};
use serde_json::{Value, json};

pub use self::{
    batches::BatchLimits,
    settings::{Dimension, EmbeddingSettings},
};
use crate::{Client, LlmError, embeddings::answer::Embeddings, in_flight::map_in_flight};

/// What the probe says that learns a dimension: of no importance, and not empty, which servers refuse.
const PROBE: &str = "dimension";

/// Components of a vector at most, as long as the dimension is not known.
const MOST_COMPONENTS: usize = 1 << 16;
/// Bytes of a text that every model reads: one that is refused with fewer is not too long.
const SHORT: usize = 500;
/// Bytes of an answer for each component: a number of 17 digits with its exponent, on an indented line.
const COMPONENT: u64 = 64;
/// Bytes of an answer for all that is not a component.
const REST: u64 = 1 << 20;

/// An encoder behind `POST {base}/embeddings`.
///
/// It is [`Locality::Remote`], wherever the server runs, so that a memory marked sensitive is never shown to
/// it: the engine leaves such texts out of what it hands to a remote encoder, and finds them by their words
/// alone. A question is sent as it is.
///
/// A text that is too long for the model counts by its beginning: servers refuse it, and do not say how much they read.
///
/// Every vector that comes back is checked (one a text, of the dimension, finite, not zero) and divided by
/// its length.
#[derive(Debug)]
pub struct RemoteEncoder {
    client: Client,
    settings: EmbeddingSettings,
    id: EncoderId,
    dim: usize,
}

impl RemoteEncoder {
    /// The encoder of a client's model. Its id is `<model>@<digest or revision>/remote`: see
    /// [`EmbeddingSettings::encoder_id`].
    ///
    /// With [`Dimension::Learnt`] this makes one call.
    ///
    /// # Errors
    /// When the settings make no id, or when the dimension cannot be learnt.
    pub fn new(client: Client, settings: EmbeddingSettings) -> Result<Self, LlmError> {
        let id = settings.encoder_id(client.endpoint())?;
        let mut encoder = Self { client, settings, id, dim: 0 };
        encoder.dim = match encoder.settings.dimension {
            Dimension::Known(dim) | Dimension::Requested(dim) => dim.get(),
            Dimension::Learnt => encoder.embed(&[PROBE.to_owned()], None)?.len(),
        };
        Ok(encoder)
    }

    fn encode(&self, prefix: &str, texts: &[&str]) -> Result<Vectors, LlmError> {
        let inputs: Vec<String> = texts.iter().map(|text| format!("{prefix}{text}")).collect();
        let batches: Vec<Range<usize>> = self.settings.batch.split(&inputs).collect();
        let rows = map_in_flight(&batches, self.client.endpoint().concurrency, |batch| {
            self.embed_in_parts(&inputs[batch.clone()])
        })?;
        Vectors::new(self.dim, rows.concat()).ok_or_else(|| LlmError::Answer {
            url: self.client.url(OPERATION),
            found: "vectors of several lengths".to_owned(),
            expected: format!("{} components each", self.dim),
        })
    }

    /// The vectors of a batch. Where the server refuses a batch and takes its shortest text, it is divided; a text that is refused alone
    /// is too long for the model, and is sent without its second half, until it is taken or short.
    fn embed_in_parts(&self, inputs: &[String]) -> Result<Vec<f32>, LlmError> {
        let refusal = match self.embed(inputs, Some(self.dim)) {
            Err(error) if is_refusal(&error) => error,
            embedded => return embedded,
        };
        let [text] = inputs else {
            let shortest = inputs.iter().min_by_key(|text| text.len());
            if shortest.is_none_or(|text| self.embed(std::slice::from_ref(text), Some(self.dim)).is_err()) {
                return Err(refusal);
            }
            let (first, second) = inputs.split_at(inputs.len() / 2);
            return Ok([self.embed_in_parts(first)?, self.embed_in_parts(second)?].concat());
        };
        match text.len() {
            ..=SHORT => Err(refusal),
            length => self.embed_in_parts(&[text[..text.floor_char_boundary(length / 2)].to_owned()]),
        }
    }

    /// One request: unit vectors of its texts, one after the other, each of `dim` components where that is known.
    fn embed(&self, inputs: &[String], dim: Option<usize>) -> Result<Vec<f32>, LlmError> {
        let body = self.body(inputs);
        let components = inputs.len().saturating_mul(dim.unwrap_or(MOST_COMPONENTS)) as u64;
        let most = components.saturating_mul(COMPONENT).saturating_add(REST);
        let embeddings: Embeddings = self.client.post_for(OPERATION, &body, most)?;
        embeddings.into_rows(inputs.len(), dim).map_err(|(found, expected)| LlmError::Answer {
            url: self.client.url(OPERATION),
            found,
            expected,
        })
    }

    fn body(&self, inputs: &[String]) -> Value {
        let mut body = json!({"model": self.client.endpoint().model, "input": inputs, "encoding_format": "float"});
        if let Dimension::Requested(dim) = self.settings.dimension {
            body["dimensions"] = dim.get().into();
        }
        body
    }

    fn failed(&self, error: LlmError) -> EncodeError {
        EncodeError { encoder: self.id.clone(), message: error.to_string() }
    }
}

/// Whether a server refuses what it was sent, as it does where a text has more tokens than its model reads.
fn is_refusal(error: &LlmError) -> bool {
    matches!(error, LlmError::Status { status: 400 | 413 | 422, .. })
}

const OPERATION: &str = "embeddings";

impl Encoder for RemoteEncoder {
    fn id(&self) -> &EncoderId {
        &self.id
    }

    fn dim(&self) -> usize {
        self.dim
    }

    fn locality(&self) -> Locality {
        Locality::Remote
    }

    fn encode_queries(&self, texts: &[&str]) -> Result<Vectors, EncodeError> {
        self.encode(&self.settings.query_prefix, texts).map_err(|error| self.failed(error))
    }

    fn encode_passages(&self, texts: &[&str]) -> Result<Vectors, EncodeError> {
        self.encode(&self.settings.passage_prefix, texts).map_err(|error| self.failed(error))
    }
}

/// The rows of an answer, for texts of so many.
#[cfg(feature = "fuzzing")]
pub(crate) fn rows_of(bytes: &[u8], texts: usize, dim: Option<usize>) -> Option<Vec<f32>> {
    serde_json::from_slice::<Embeddings>(bytes).ok()?.into_rows(texts, dim).ok()
}
