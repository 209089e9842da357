//! The part of a ModernBERT's `config.json` that decides the arithmetic.

use std::path::Path;

use serde::Deserialize;

use crate::{
    ModelError, Pooling,
    bert::{MOST_TOKENS, require_one_label, wrong},
    kernels::Heads,
};

/// What a layer's tokens look at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reach {
    /// Every token of the text.
    Text,
    /// The tokens within half a window on both sides.
    Window,
}

/// The base of the rotary positions of one kind of layer.
#[derive(Debug, Clone, PartialEq, Deserialize)]
struct Rope {
    #[serde(default)]
    rope_theta: Option<f64>,
    #[serde(default = "default_rope")]
    rope_type: String,
}

#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
#[serde(default)]
struct RopeParameters {
    full_attention: Option<Rope>,
    sliding_attention: Option<Rope>,
}

/// The shape of a ModernBERT, as transformers 4 and 5 write it.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub(crate) struct ModernBertConfig {
    /// Components of a token vector.
    pub(crate) hidden_size: usize,
    /// Layers.
    pub(super) num_hidden_layers: usize,
    /// Attention heads of a layer.
    num_attention_heads: usize,
    /// Components between the two products of the feed-forward part.
    pub(super) intermediate_size: usize,
    /// Token ids.
    pub(crate) vocab_size: usize,
    #[serde(default = "most_positions")]
    max_position_embeddings: usize,
    /// What layer normalisation adds to the variance.
    #[serde(default = "epsilon")]
    pub(super) norm_eps: f32,
    /// Whether normalisation adds a bias.
    #[serde(default)]
    pub(super) norm_bias: bool,
    /// Whether the maps of attention add one.
    #[serde(default)]
    pub(super) attention_bias: bool,
    /// Whether the maps of the feed-forward part add one.
    #[serde(default)]
    pub(super) mlp_bias: bool,
    /// Whether the dense layer of the classifier adds one.
    #[serde(default)]
    pub(super) classifier_bias: bool,
    #[serde(default = "gelu")]
    hidden_activation: String,
    #[serde(default = "gelu")]
    classifier_activation: String,
    #[serde(default = "cls")]
    classifier_pooling: String,
    #[serde(default = "window")]
    local_attention: usize,
    #[serde(default)]
    layer_types: Option<Vec<String>>,
    #[serde(default = "every_third")]
    global_attn_every_n_layers: usize,
    #[serde(default)]
    rope_parameters: Option<RopeParameters>,
    #[serde(default)]
    rope_scaling: Option<serde_json::Value>,
    #[serde(default = "global_theta")]
    global_rope_theta: f64,
    #[serde(default = "local_theta")]
    local_rope_theta: Option<f64>,
    #[serde(default)]
    id2label: Option<serde_json::Map<String, serde_json::Value>>,
}

fn default_rope() -> String {
    "default".to_owned()
}

fn most_positions() -> usize {
    MOST_TOKENS
}

fn epsilon() -> f32 {
    1e-5
}

fn gelu() -> String {
    "gelu".to_owned()
}

fn cls() -> String {
    "cls".to_owned()
}

fn window() -> usize {
    128
}

fn every_third() -> usize {
    3
}

fn global_theta() -> f64 {
    160_000.0
}

fn local_theta() -> Option<f64> {
    Some(10_000.0)
}

impl ModernBertConfig {
    /// Checks what was read at `path`.
    ///
    /// # Errors
    /// When it is not such a configuration, or asks for other arithmetic.
    pub(crate) fn parse(bytes: &[u8], path: &Path) -> Result<Self, ModelError> {
        let config: Self = serde_json::from_slice(bytes).map_err(|error| {
            wrong(path, "the file", error.to_string(), "the JSON of a ModernBERT configuration".into())
        })?;
        config.check_sizes(path)?;
        config.check_arithmetic(path)?;
        Ok(config)
    }

    fn check_sizes(&self, path: &Path) -> Result<(), ModelError> {
        for (field, found) in [
            ("hidden_size", self.hidden_size),
            ("num_hidden_layers", self.num_hidden_layers),
            ("num_attention_heads", self.num_attention_heads),
            ("intermediate_size", self.intermediate_size),
            ("max_position_embeddings", self.max_position_embeddings),
            ("vocab_size", self.vocab_size),
            ("local_attention", self.local_attention),
            ("global_attn_every_n_layers", self.global_attn_every_n_layers),
        ] {
            // The upper bound keeps products of two sizes far from overflow.
            if found == 0 || found > 1 << 24 {
                return Err(wrong(path, field, found.to_string(), "1 to 16777216".to_owned()));
            }
        }
        // Rotary positions turn pairs of a head's components.
        if !self.hidden_size.is_multiple_of(2 * self.num_attention_heads) {
            let expected = format!("a multiple of twice num_attention_heads, {}", 2 * self.num_attention_heads);
            return Err(wrong(path, "hidden_size", self.hidden_size.to_string(), expected));
        }
        Ok(())
    }

    fn check_arithmetic(&self, path: &Path) -> Result<(), ModelError> {
        let is = |field, found: &str, expected: &[&str]| match expected.contains(&found) {
            true => Ok(()),
            false => {
                let expected = expected.iter().map(|word| format!("{word:?}")).collect::<Vec<_>>().join(" or ");
                Err(wrong(path, field, format!("{found:?}"), expected))
            }
        };
        is("hidden_activation", &self.hidden_activation, &["gelu"])?;
        is("classifier_activation", &self.classifier_activation, &["gelu"])?;
        is("classifier_pooling", &self.classifier_pooling, &["cls", "mean"])?;
        for kind in self.layer_types.iter().flatten() {
            is("layer_types", kind, &["full_attention", "sliding_attention"])?;
        }
        if let Some(found) = self.layer_types.as_ref().map(Vec::len).filter(|found| *found != self.num_hidden_layers) {
            let expected = format!("one for each of {} layers", self.num_hidden_layers);
            return Err(wrong(path, "layer_types", format!("{found} kinds"), expected));
        }
        if let Some(found) = self.rope_scaling.as_ref().filter(|scaling| !scaling.is_null()) {
            return Err(wrong(path, "rope_scaling", found.to_string(), "null".to_owned()));
        }
        for rope in [self.rope(Reach::Text), self.rope(Reach::Window)].into_iter().flatten() {
            is("rope_type", &rope.rope_type, &["default"])?;
        }
        for theta in [self.theta(Reach::Text), self.theta(Reach::Window)] {
            if !(theta.is_finite() && theta >= 1.0) {
                return Err(wrong(path, "rope_theta", theta.to_string(), "a number of 1 or more".to_owned()));
            }
        }
        Ok(())
    }

    fn rope(&self, reach: Reach) -> Option<&Rope> {
        let parameters = self.rope_parameters.as_ref()?;
        match reach {
            Reach::Text => parameters.full_attention.as_ref(),
            Reach::Window => parameters.sliding_attention.as_ref(),
        }
    }

    /// The base of the rotary positions in layers of this reach.
    pub(super) fn theta(&self, reach: Reach) -> f64 {
        let plain = match reach {
            Reach::Text => self.global_rope_theta,
            // null stands for the other one.
            Reach::Window => self.local_rope_theta.unwrap_or(self.global_rope_theta),
        };
        self.rope(reach).and_then(|rope| rope.rope_theta).unwrap_or(plain)
    }

    /// What the tokens of a layer look at.
    pub(super) fn reach(&self, layer: usize) -> Reach {
        let is_global = match self.layer_types.as_ref().and_then(|kinds| kinds.get(layer)) {
            Some(kind) => kind == "full_attention",
            None => layer.is_multiple_of(self.global_attn_every_n_layers),
        };
        if is_global { Reach::Text } else { Reach::Window }
    }

    /// Tokens on each side that a layer of [`Reach::Window`] looks at.
    pub(super) fn half_window(&self) -> usize {
        self.local_attention / 2
    }

    /// Attention heads of a layer.
    pub(super) fn heads(&self) -> Heads {
        Heads { count: self.num_attention_heads, size: self.hidden_size / self.num_attention_heads }
    }

    /// How a classifier makes one vector of a text.
    pub(super) fn classifier_pooling(&self) -> Pooling {
        if self.classifier_pooling == "mean" { Pooling::Mean } else { Pooling::Cls }
    }

    /// Most tokens of a text, the special ones included.
    pub(crate) fn max_tokens(&self) -> usize {
        self.max_position_embeddings.min(MOST_TOKENS)
    }

    /// Requires a classifier of one label: its score is how well a passage answers.
    ///
    /// # Errors
    /// When `config.json`, which was read from `path`, names no labels or several.
    pub(super) fn require_one_label(&self, path: &Path) -> Result<(), ModelError> {
        require_one_label(self.id2label.as_ref(), path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TINY: &str = r#"{"model_type": "modernbert", "hidden_size": 32, "num_hidden_layers": 4, "num_attention_heads": 4,
        "intermediate_size": 24, "vocab_size": 100, "max_position_embeddings": 64}"#;

    fn with(more: &str) -> Result<ModernBertConfig, ModelError> {
        let text = TINY.replacen('{', &format!("{{{more}, "), 1);
        ModernBertConfig::parse(text.as_bytes(), Path::new("config.json"))
    }

    #[test]
    fn every_third_layer_from_the_first_sees_the_text_where_nothing_else_is_said() {
        let config = ModernBertConfig::parse(TINY.as_bytes(), Path::new("config.json")).unwrap();
        let reaches: Vec<Reach> = (0..4).map(|layer| config.reach(layer)).collect();
        assert_eq!(reaches, [Reach::Text, Reach::Window, Reach::Window, Reach::Text]);
        assert_eq!((config.half_window(), config.max_tokens(), config.heads().size), (64, 64, 8));
        assert_eq!((config.theta(Reach::Text), config.theta(Reach::Window)), (160_000.0, 10_000.0));
    }

    #[test]
    fn both_ways_to_write_layers_and_positions_are_read() {
        let old =
            with(r#""global_attn_every_n_layers": 2, "global_rope_theta": 5000.0, "local_rope_theta": null"#).unwrap();
        assert_eq!([old.reach(1), old.reach(2)], [Reach::Window, Reach::Text]);
        assert_eq!((old.theta(Reach::Text), old.theta(Reach::Window)), (5000.0, 5000.0));
        let new = with(
            r#""layer_types": ["sliding_attention", "full_attention", "full_attention", "sliding_attention"],
            "rope_parameters": {"full_attention": {"rope_theta": 300.0, "rope_type": "default"},
            "sliding_attention": {"rope_theta": 200.0}}"#,
        )
        .unwrap();
        assert_eq!([new.reach(0), new.reach(1)], [Reach::Window, Reach::Text]);
        assert_eq!((new.theta(Reach::Text), new.theta(Reach::Window)), (300.0, 200.0));
    }

    #[test]
    fn refuses_other_arithmetic_by_name() {
        for (more, expected) in [
            (r#""hidden_activation": "silu""#, r#"hidden_activation is "silu", expected "gelu""#),
            (r#""classifier_activation": "relu""#, r#"classifier_activation is "relu", expected "gelu""#),
            (r#""classifier_pooling": "max""#, r#"classifier_pooling is "max", expected "cls" or "mean""#),
            (r#""layer_types": ["full_attention"]"#, "layer_types is 1 kinds, expected one for each of 4 layers"),
            (
                r#""layer_types": ["full_attention", "linear", "linear", "linear"]"#,
                r#"layer_types is "linear", expected "full_attention" or "sliding_attention""#,
            ),
            (r#""rope_scaling": {"factor": 2}"#, r#"rope_scaling is {"factor":2}, expected null"#),
            (
                r#""rope_parameters": {"full_attention": {"rope_type": "yarn"}}"#,
                r#"rope_type is "yarn", expected "default""#,
            ),
            (r#""global_rope_theta": 0.0"#, "rope_theta is 0, expected a number of 1 or more"),
            (r#""local_attention": 0"#, "local_attention is 0, expected 1 to 16777216"),
            (r#""global_attn_every_n_layers": 0"#, "global_attn_every_n_layers is 0, expected 1 to 16777216"),
        ] {
            let message = with(more).unwrap_err().to_string();
            assert!(message.contains(expected) && message.contains("use another model"), "{message}");
        }
        let odd = TINY.replace(r#""hidden_size": 32"#, r#""hidden_size": 36"#);
        let message = ModernBertConfig::parse(odd.as_bytes(), Path::new("config.json")).unwrap_err().to_string();
        assert!(
            message.contains("hidden_size is 36, expected a multiple of twice num_attention_heads, 8"),
            "{message}"
        );
    }
}
