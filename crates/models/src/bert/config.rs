//! The part of `config.json` that decides the arithmetic.

use std::path::Path;

use serde::Deserialize;

use crate::{ModelError, kernels::Heads};

/// The shape of a BERT-family model.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub(crate) struct BertConfig {
    #[serde(default = "bert")]
    model_type: String,
    #[serde(default = "gelu")]
    hidden_act: String,
    #[serde(default = "absolute")]
    position_embedding_type: String,
    /// Components of a token vector.
    pub(crate) hidden_size: usize,
    /// Layers.
    pub(crate) num_hidden_layers: usize,
    /// Attention heads of a layer.
    pub(crate) num_attention_heads: usize,
    /// Components between the two products of the feed-forward part.
    pub(crate) intermediate_size: usize,
    /// What layer normalisation adds to the variance.
    #[serde(default = "epsilon")]
    pub(crate) layer_norm_eps: f32,
    /// Most tokens of a text.
    pub(crate) max_position_embeddings: usize,
    /// Token ids.
    pub(crate) vocab_size: usize,
    /// Segment ids; only the first is used.
    pub(crate) type_vocab_size: usize,
}

fn bert() -> String {
    "bert".to_owned()
}

fn gelu() -> String {
    "gelu".to_owned()
}

fn absolute() -> String {
    "absolute".to_owned()
}

fn epsilon() -> f32 {
    1e-12
}

impl BertConfig {
    /// Reads and checks `config.json`.
    ///
    /// # Errors
    /// When the file cannot be read, is not such a configuration, or asks for other arithmetic.
    pub(crate) fn load(path: &Path) -> Result<Self, ModelError> {
        let bytes = std::fs::read(path).map_err(ModelError::io("read the configuration", path))?;
        let config: Self = serde_json::from_slice(&bytes).map_err(|error| ModelError::Config {
            path: path.to_owned(),
            field: "the file",
            found: error.to_string(),
            expected: "the JSON of a BERT configuration".to_owned(),
        })?;
        config.check(path)?;
        Ok(config)
    }

    fn check(&self, path: &Path) -> Result<(), ModelError> {
        let is = |field, found: &str, expected: &str| {
            let fits = found == expected;
            fits.then_some(()).ok_or_else(|| wrong(path, field, format!("{found:?}"), format!("{expected:?}")))
        };
        is("model_type", &self.model_type, "bert")?;
        is("hidden_act", &self.hidden_act, "gelu")?;
        is("position_embedding_type", &self.position_embedding_type, "absolute")?;
        for (field, found) in [
            ("hidden_size", self.hidden_size),
            ("num_hidden_layers", self.num_hidden_layers),
            ("num_attention_heads", self.num_attention_heads),
            ("intermediate_size", self.intermediate_size),
            ("max_position_embeddings", self.max_position_embeddings),
            ("vocab_size", self.vocab_size),
            ("type_vocab_size", self.type_vocab_size),
        ] {
            // The upper bound keeps products of two sizes far from overflow.
            if found == 0 || found > 1 << 24 {
                return Err(wrong(path, field, found.to_string(), "1 to 16777216".to_owned()));
            }
        }
        if !self.hidden_size.is_multiple_of(self.num_attention_heads) {
            let expected = format!("a multiple of num_attention_heads, {}", self.num_attention_heads);
            return Err(wrong(path, "hidden_size", self.hidden_size.to_string(), expected));
        }
        Ok(())
    }

    /// Attention heads of a layer.
    pub(crate) fn heads(&self) -> Heads {
        Heads { count: self.num_attention_heads, size: self.hidden_size / self.num_attention_heads }
    }
}

fn wrong(path: &Path, field: &'static str, found: String, expected: String) -> ModelError {
    ModelError::Config { path: path.to_owned(), field, found, expected }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn load(json: &str) -> Result<BertConfig, ModelError> {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), json).unwrap();
        BertConfig::load(file.path())
    }

    const TINY: &str = r#"{"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 64,
        "max_position_embeddings": 64, "vocab_size": 100, "type_vocab_size": 2, "hidden_act": "gelu"}"#;

    #[test]
    fn reads_a_bert_configuration() {
        assert_eq!(load(TINY).unwrap().heads().size, 8);
    }

    #[test]
    fn refuses_other_arithmetic_by_name() {
        for (from, to, expected) in [
            (r#""gelu""#, r#""relu""#, r#"hidden_act is "relu", expected "gelu""#),
            (
                r#""hidden_size": 32"#,
                r#""hidden_size": 33"#,
                "hidden_size is 33, expected a multiple of num_attention_heads, 4",
            ),
            (r#""vocab_size": 100"#, r#""vocab_size": 0"#, "vocab_size is 0, expected 1 to"),
            (
                r#""hidden_size": 32"#,
                r#""model_type": "mpnet", "hidden_size": 32"#,
                r#"model_type is "mpnet", expected "bert""#,
            ),
            (r#""hidden_size": 32,"#, "", "missing field `hidden_size`"),
        ] {
            let message = load(&TINY.replace(from, to)).unwrap_err().to_string();
            assert!(message.contains(expected) && message.contains("use another model"), "{message}");
        }
    }
}
