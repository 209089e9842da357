//! A BERT-family model as an [`Encoder`].

use std::{
    borrow::Cow,
    ops::Range,
    sync::{Arc, OnceLock},
};

use aforesaid_core::{
    EncodeError, Encoder, Locality, NotLoaded,
    analysis::gloss,
    types::{EncoderId, Vectors},
};

use crate::{
    ModelError, ModelFiles, Normalisation, Pooling, QueryAdapter, Runtime,
    inference::{Inference, Reading},
};

/// A sentence encoder that runs on this machine's processor.
///
/// A text's vector is the same, bit for bit, alone and in any batch.
pub struct BertEncoder {
    id: EncoderId,
    files: ModelFiles,
    runtime: Runtime,
    reading: Arc<Reading>,
    plain: OnceLock<Result<Inference, NotLoaded>>,
    adapted: Vec<AdaptedQueries>,
}

impl BertEncoder {
    /// Reads weights, tokenizer and configuration.
    ///
    /// The checksums were compared when `files` was made; here they are not.
    ///
    /// # Errors
    /// When the model is no encoder, or a file is missing, damaged, or of a model this crate cannot run.
    pub fn load(files: &ModelFiles, runtime: Runtime) -> Result<Self, ModelError> {
        let id = files.encoder_id(runtime.precision)?;
        let inference = Inference::load(files, runtime)?;
        let opened = Self::over(id, files, runtime, Arc::clone(inference.reading()));
        Ok(Self { plain: OnceLock::from(Ok(inference)), ..opened })
    }

    /// Reads tokenizer and configuration; weights are read when they are needed: [`Encoder::prepare`].
    ///
    /// # Errors
    /// When the model is no encoder, or one of these files is missing, damaged, or of a model this crate cannot run.
    pub fn open(files: &ModelFiles, runtime: Runtime) -> Result<Self, ModelError> {
        let id = files.encoder_id(runtime.precision)?;
        Ok(Self::over(id, files, runtime, Arc::new(Reading::load(files, runtime)?)))
    }

    fn over(id: EncoderId, files: &ModelFiles, runtime: Runtime, reading: Arc<Reading>) -> Self {
        let of = |adapter: &QueryAdapter| AdaptedQueries { adapter: adapter.clone(), loaded: OnceLock::new() };
        Self {
            id,
            adapted: files.query_adapters.iter().map(of).collect(),
            files: files.clone(),
            runtime,
            reading,
            plain: OnceLock::new(),
        }
    }

    fn adapted(&self, name: &str) -> Option<&AdaptedQueries> {
        self.adapted.iter().find(|adapted| adapted.adapter.name == name)
    }

    /// The weights as they were published.
    fn plain(&self) -> Result<&Inference, &NotLoaded> {
        let load = || Inference::load_to(&self.reading, &self.files, self.runtime).map_err(NotLoaded::from);
        self.plain.get_or_init(load).as_ref()
    }

    /// The weights merged with a query adapter.
    fn merged<'a>(&self, adapted: &'a AdaptedQueries) -> Result<&'a Inference, &'a NotLoaded> {
        let load = || {
            let QueryAdapter { name, adapter } = &adapted.adapter;
            let files = self.files.clone().merged_for_queries(name, adapter.adapter()?)?;
            Inference::load_to(&self.reading, &files, self.runtime)
        };
        adapted.loaded.get_or_init(|| load().map_err(NotLoaded::from)).as_ref()
    }

    fn failed(&self, error: &NotLoaded) -> EncodeError {
        EncodeError { encoder: self.id.clone(), message: error.message.clone() }
    }

    fn encode(&self, prefix: &str, texts: &[&str]) -> Result<Vectors, EncodeError> {
        self.encode_by(self.plain().map_err(|error| self.failed(error))?, prefix, texts)
    }

    fn encode_by(&self, inference: &Inference, prefix: &str, texts: &[&str]) -> Result<Vectors, EncodeError> {
        let read: Vec<Cow<'_, str>> = texts.iter().map(|text| self.read(text)).collect();
        let texts: Vec<&str> = read.iter().map(AsRef::as_ref).collect();
        self.rows(inference, prefix, &texts)
            .and_then(|data| Vectors::new(self.dim(), data).ok_or_else(|| "the model has no components".to_owned()))
            .map_err(|message| EncodeError { encoder: self.id.clone(), message })
    }

    /// A text as the model reads it.
    fn read<'t>(&self, text: &'t str) -> Cow<'t, str> {
        let glossed = self.files.recipe.glosses.and_then(|_| gloss(text));
        glossed.map_or(Cow::Borrowed(text), Cow::Owned)
    }

    /// All vectors, row after row.
    fn rows(&self, inference: &Inference, prefix: &str, texts: &[&str]) -> Result<Vec<f32>, String> {
        let vectors = inference.run(
            texts,
            self.files.recipe.pooling,
            |tokenizer, text| tokenizer.text(&format!("{prefix}{text}")),
            |tokens| self.finish(tokens),
        )?;
        for (i, vector) in vectors.iter().enumerate() {
            unit_check(vector).map_err(|found| not_a_unit(i, texts[i], &found))?;
        }
        Ok(vectors.concat())
    }

    /// How many tokens the model makes of each text, prefixes left out.
    ///
    /// # Errors
    /// When the tokenizer fails.
    pub fn count_tokens(&self, texts: &[&str]) -> Result<Vec<usize>, EncodeError> {
        let counted = self.reading.count_tokens(texts);
        counted.map_err(|message| EncodeError { encoder: self.id.clone(), message })
    }

    /// Multiply-adds that the products with weights cost a token; attention and the rest come on top.
    ///
    /// # Errors
    /// When the weights cannot be loaded.
    pub fn multiply_adds_per_token(&self) -> Result<usize, EncodeError> {
        Ok(self.plain().map_err(|error| self.failed(error))?.multiply_adds_per_token())
    }

    /// The token vectors of a text that its pooling reads, `[tokens, dim]`, to its vector.
    fn finish(&self, tokens: &[f32]) -> Vec<f32> {
        let mut vector = tokens[..self.dim()].to_vec();
        match self.files.recipe.pooling {
            Pooling::Cls => {}
            // The divisor of the mean would be taken out again by the normalisation; it keeps the scale of the model.
            Pooling::Mean => {
                for token in tokens.chunks_exact(self.dim()).skip(1) {
                    vector.iter_mut().zip(token).for_each(|(sum, value)| *sum += value);
                }
                let count = (tokens.len() / self.dim()) as f32;
                vector.iter_mut().for_each(|sum| *sum /= count);
            }
        }
        match self.files.recipe.normalisation {
            Normalisation::L2 => {
                let length = vector.iter().map(|x| f64::from(*x).powi(2)).sum::<f64>().sqrt();
                vector.iter_mut().for_each(|x| *x = (f64::from(*x) / length) as f32);
            }
        }
        vector
    }
}

/// The model with an adapter that queries are read with, loaded when the first query needs it.
struct AdaptedQueries {
    adapter: QueryAdapter,
    loaded: OnceLock<Result<Inference, NotLoaded>>,
}

impl From<ModelError> for NotLoaded {
    fn from(error: ModelError) -> Self {
        Self { code: error.code(), message: error.reason() }
    }
}

impl Encoder for BertEncoder {
    fn id(&self) -> &EncoderId {
        &self.id
    }

    fn dim(&self) -> usize {
        self.reading.dim()
    }

    fn locality(&self) -> Locality {
        Locality::Local
    }

    fn has_word(&self, word: &str) -> Option<bool> {
        Some(self.reading.has_word(word))
    }

    fn windows(&self, passage: &str) -> Result<Vec<Range<usize>>, EncodeError> {
        let windows = self.reading.windows(&self.files.recipe.passage_prefix, passage);
        windows.map_err(|message| EncodeError { encoder: self.id.clone(), message })
    }

    fn encode_queries(&self, texts: &[&str]) -> Result<Vectors, EncodeError> {
        self.encode(&self.files.recipe.query_prefix, texts)
    }

    fn prepare(&self, query_adapter: Option<&str>) -> Result<(), NotLoaded> {
        let loaded = match query_adapter.and_then(|name| self.adapted(name)) {
            Some(adapted) => self.merged(adapted),
            None => self.plain(),
        };
        loaded.map(|_| ()).map_err(Clone::clone)
    }

    fn query_adapter(&self, name: &str) -> Option<&str> {
        self.adapted(name).map(|adapted| adapted.adapter.adapter.sha256())
    }

    fn encode_adapted_queries(&self, adapter: &str, texts: &[&str]) -> Result<Vectors, EncodeError> {
        let Some(adapted) = self.adapted(adapter) else {
            return self.encode_queries(texts);
        };
        let merged = self.merged(adapted).map_err(|error| self.failed(error))?;
        self.encode_by(merged, &self.files.recipe.query_prefix, texts)
    }

    fn encode_passages(&self, texts: &[&str]) -> Result<Vectors, EncodeError> {
        self.encode(&self.files.recipe.passage_prefix, texts)
    }
}

fn unit_check(vector: &[f32]) -> Result<(), String> {
    let length = vector.iter().map(|x| f64::from(*x).powi(2)).sum::<f64>().sqrt();
    if (length - 1.0).abs() < 1e-3 { Ok(()) } else { Err(length.to_string()) }
}

fn not_a_unit(i: usize, text: &str, found: &str) -> String {
    let start: String = text.chars().take(40).collect();
    format!(
        "text {i} ({start:?}) became a vector of length {found}, expected 1; \
         the weights may be damaged: verify the checksums of the model's files"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zero_and_nan_are_not_unit_vectors() {
        assert!(unit_check(&[0.6, 0.8]).is_ok());
        assert_eq!(unit_check(&[0.0, 0.0]).unwrap_err(), "0");
        assert_eq!(unit_check(&[f32::NAN, 1.0]).unwrap_err(), "NaN");
        let message = not_a_unit(3, "hello", "NaN");
        assert!(message.contains("text 3 (\"hello\")") && message.contains("verify the checksums"), "{message}");
    }
}
