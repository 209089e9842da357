//! The part of `config.json` that decides the arithmetic.

use std::path::Path;

use serde::Deserialize;

use super::family::Family;
use crate::{
    ModelError,
    files::{MOST_CONFIG, read_regular},
    kernels::Heads,
};

/// Most tokens of a text, whatever a model allows: attention costs their square. None of these models reads more.
pub(crate) const MOST_TOKENS: usize = 8192;

/// The shape of a BERT-family model.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub(crate) struct BertConfig {
    /// Whose details it follows.
    #[serde(rename = "model_type", default)]
    pub(crate) family: Family,
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
    /// Rows of the position embeddings.
    pub(crate) max_position_embeddings: usize,
    /// Token ids.
    pub(crate) vocab_size: usize,
    /// Segment ids; MPNet has none.
    #[serde(default)]
    pub(crate) type_vocab_size: usize,
    /// The id that pads a batch; RoBERTa's positions are counted from it.
    #[serde(default)]
    pub(crate) pad_token_id: Option<u32>,
    #[serde(default)]
    relative_attention_num_buckets: Option<usize>,
    #[serde(default)]
    id2label: Option<serde_json::Map<String, serde_json::Value>>,
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
        let bytes = read_regular(path, MOST_CONFIG).map_err(ModelError::io("read the configuration", path))?;
        Self::parse(&bytes, path)
    }

    /// As [`BertConfig::load`], from what was read at `path`.
    pub(crate) fn parse(bytes: &[u8], path: &Path) -> Result<Self, ModelError> {
        let config: Self = serde_json::from_slice(bytes).map_err(|error| ModelError::Config {
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
        if let Family::Other(found) = &self.family {
            let expected = Family::NAMES.map(|name| format!("{name:?}")).join(", ");
            return Err(wrong(path, "model_type", format!("{found:?}"), format!("one of {expected}")));
        }
        is("hidden_act", &self.hidden_act, "gelu")?;
        is("position_embedding_type", &self.position_embedding_type, "absolute")?;
        for (field, found) in [
            ("hidden_size", self.hidden_size),
            ("num_hidden_layers", self.num_hidden_layers),
            ("num_attention_heads", self.num_attention_heads),
            ("intermediate_size", self.intermediate_size),
            ("max_position_embeddings", self.max_position_embeddings),
            ("vocab_size", self.vocab_size),
            ("type_vocab_size", self.type_vocab_size.max(usize::from(!self.family.has_segments()))),
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
        self.check_positions(path)
    }

    fn check_positions(&self, path: &Path) -> Result<(), ModelError> {
        let first = self.first_position();
        // A text has at least one token; the row of padding itself is below the first.
        if self.max_position_embeddings <= first {
            let found = self.max_position_embeddings.to_string();
            return Err(wrong(path, "max_position_embeddings", found, format!("more than {first}")));
        }
        let buckets = self.relative_attention_num_buckets.unwrap_or(super::relative_bias::BUCKETS);
        if self.family == Family::MpNet && buckets != super::relative_bias::BUCKETS {
            let expected = super::relative_bias::BUCKETS.to_string();
            return Err(wrong(path, "relative_attention_num_buckets", buckets.to_string(), expected));
        }
        Ok(())
    }

    /// Whether attention adds a bias by distance.
    pub(crate) fn has_relative_bias(&self) -> bool {
        self.family == Family::MpNet
    }

    /// Attention heads of a layer.
    pub(crate) fn heads(&self) -> Heads {
        Heads { count: self.num_attention_heads, size: self.hidden_size / self.num_attention_heads }
    }

    /// The id that does not count as a position, in families that count from it.
    pub(crate) fn padding(&self) -> Option<u32> {
        match self.family {
            Family::Bert | Family::Other(_) => None,
            Family::Roberta => Some(self.pad_token_id.unwrap_or(1)),
            // Whatever its configuration says (MPNetEmbeddings in transformers).
            Family::MpNet => Some(1),
        }
    }

    /// The row of the position embeddings that a text's first token takes.
    fn first_position(&self) -> usize {
        self.padding().map_or(0, |padding| padding as usize + 1)
    }

    /// Most tokens of a text, the special ones included.
    pub(crate) fn max_tokens(&self) -> usize {
        (self.max_position_embeddings - self.first_position()).min(MOST_TOKENS)
    }

    /// Requires a classifier of one label: its score is how well a passage answers.
    ///
    /// # Errors
    /// When `config.json`, which was read from `path`, names no labels or several.
    pub(crate) fn require_one_label(&self, path: &Path) -> Result<(), ModelError> {
        require_one_label(self.id2label.as_ref(), path)
    }
}

/// Requires one label among those that a configuration, which was read from `path`, names.
///
/// # Errors
/// When it names none or several.
pub(crate) fn require_one_label(
    labels: Option<&serde_json::Map<String, serde_json::Value>>,
    path: &Path,
) -> Result<(), ModelError> {
    match labels.map(serde_json::Map::len) {
        Some(1) => Ok(()),
        found => {
            let found = found.map_or("not there".to_owned(), |labels| format!("{labels} labels"));
            Err(wrong(path, "id2label", found, "one label: a score of relevance".to_owned()))
        }
    }
}

/// A field that asks for something else than is computed.
pub(crate) fn wrong(path: &Path, field: &'static str, found: String, expected: String) -> ModelError {
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

    fn of(model_type: &str, more: &str) -> String {
        TINY.replacen('{', &format!("{{\"model_type\": {model_type:?}, {more}"), 1)
    }

    #[test]
    fn reads_a_bert_configuration() {
        let config = load(TINY).unwrap();
        assert_eq!((config.heads().size, config.max_tokens(), config.padding()), (8, 64, None));
    }

    #[test]
    fn positions_of_roberta_and_mpnet_begin_after_padding() {
        for (model_type, more, padding, max_tokens) in [
            ("roberta", "\"pad_token_id\": 1, ", 1, 62),
            ("xlm-roberta", "\"pad_token_id\": 3, ", 3, 60),
            ("xlm-roberta", "", 1, 62),
            ("mpnet", "\"pad_token_id\": 3, \"relative_attention_num_buckets\": 32, ", 1, 62),
        ] {
            let config = load(&of(model_type, more)).unwrap();
            assert_eq!((config.padding(), config.max_tokens()), (Some(padding), max_tokens), "{model_type} {more}");
        }
    }

    #[test]
    fn one_label_is_required_of_a_classifier() {
        let path = Path::new("config.json");
        assert!(load(&of("bert", r#""id2label": {"0": "LABEL_0"}, "#)).unwrap().require_one_label(path).is_ok());
        for (more, found) in
            [("", "id2label is not there"), (r#""id2label": {"0": "no", "1": "yes"}, "#, "id2label is 2 labels")]
        {
            let message = load(&of("bert", more)).unwrap().require_one_label(path).unwrap_err().to_string();
            assert!(message.contains(found) && message.contains("expected one label"), "{message}");
        }
    }

    #[test]
    fn refuses_other_arithmetic_by_name() {
        for (json, expected) in [
            (TINY.replace(r#""gelu""#, r#""relu""#), r#"hidden_act is "relu", expected "gelu""#),
            (
                TINY.replace(r#""hidden_size": 32"#, r#""hidden_size": 33"#),
                "hidden_size is 33, expected a multiple of num_attention_heads, 4",
            ),
            (TINY.replace(r#""vocab_size": 100"#, r#""vocab_size": 0"#), "vocab_size is 0, expected 1 to"),
            (TINY.replace(r#""type_vocab_size": 2"#, r#""type_vocab_size": 0"#), "type_vocab_size is 0, expected 1 to"),
            (TINY.replace(r#""hidden_size": 32,"#, ""), "missing field `hidden_size`"),
            (
                of("deberta-v2", ""),
                r#"model_type is "deberta-v2", expected one of "bert", "roberta", "xlm-roberta", "mpnet""#,
            ),
            (of("roberta", "\"pad_token_id\": 63, "), "max_position_embeddings is 64, expected more than 64"),
            (
                of("mpnet", "\"relative_attention_num_buckets\": 64, "),
                "relative_attention_num_buckets is 64, expected 32",
            ),
        ] {
            let message = load(&json).unwrap_err().to_string();
            assert!(message.contains(expected) && message.contains("use another model"), "{message}");
        }
    }
}
