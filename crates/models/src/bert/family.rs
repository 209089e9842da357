//! In what the members of the BERT family differ: the names of their tensors, positions and segments.

use serde::Deserialize;

/// A `model_type` of `config.json`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(from = "String")]
pub(crate) enum Family {
    /// BERT: positions from 0, segments.
    #[default]
    Bert,
    /// RoBERTa and XLM-R: positions from the one after padding.
    Roberta,
    /// MPNet: positions as RoBERTa's, a relative position bias besides, no segments.
    MpNet,
    /// Anything else, by its name.
    Other(String),
}

impl From<String> for Family {
    fn from(name: String) -> Self {
        match name.as_str() {
            "bert" => Self::Bert,
            "roberta" | "xlm-roberta" => Self::Roberta,
            "mpnet" => Self::MpNet,
            _ => Self::Other(name),
        }
    }
}

/// The names of the tensors in one layer, below `encoder.layer.N`.
pub(crate) struct LayerNames {
    pub(crate) query: &'static str,
    pub(crate) key: &'static str,
    pub(crate) value: &'static str,
    pub(crate) attention_output: &'static str,
    pub(crate) attention_norm: &'static str,
}

impl Family {
    /// The names that are understood.
    pub(super) const NAMES: [&'static str; 4] = ["bert", "roberta", "xlm-roberta", "mpnet"];

    /// Whether there are segment embeddings.
    pub(super) fn has_segments(&self) -> bool {
        *self != Self::MpNet
    }

    /// Whether the second of two texts has a segment of its own: RoBERTa has them, but all tokens are in the first.
    pub(super) fn tells_segments_apart(&self) -> bool {
        *self == Self::Bert
    }

    pub(crate) fn layer_names(&self) -> LayerNames {
        match self {
            Self::MpNet => LayerNames {
                query: "attention.attn.q",
                key: "attention.attn.k",
                value: "attention.attn.v",
                attention_output: "attention.attn.o",
                attention_norm: "attention.LayerNorm",
            },
            Self::Bert | Self::Roberta | Self::Other(_) => LayerNames {
                query: "attention.self.query",
                key: "attention.self.key",
                value: "attention.self.value",
                attention_output: "attention.output.dense",
                attention_norm: "attention.output.LayerNorm",
            },
        }
    }
}
