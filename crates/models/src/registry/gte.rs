//! GTE (Li et al. 2023, Towards General Text Embeddings with Multi-stage Contrastive Learning), the first version.

use super::{Languages, ModelEntry, ModelFile, ModelKind, Pooling, Recipe, files, pin};

/// An entry but for what differs: every GTE takes the mean and reads texts as they are.
const fn entry(
    name: &'static str,
    repo: &'static str,
    revision: &'static str,
    dim: usize,
    files: [ModelFile; 3],
) -> ModelEntry {
    let recipe = Recipe::plain(Pooling::Mean, 512);
    ModelEntry {
        name,
        kind: ModelKind::Encoder,
        languages: Languages::English,
        repo,
        revision,
        licence: "MIT",
        dim,
        recipe,
        files,
        pypi: None,
        adapter: None,
        query_adapters: &[],
    }
}

pub(super) static MODELS: &[ModelEntry] = &[
    entry(
        "gte-small",
        "thenlper/gte-small",
        "17e1f347d17fe144873b1201da91788898c639cd",
        384,
        files(pin(66_746_168, "9a1eb90bbac323ea08aa5629b624fe6ae75db121b904799c2266a1e2c2de22d2"), None, None),
    ),
    entry("gte-base", "thenlper/gte-base", "c078288308d8dee004ab72c6191778064285ec0c", 768, files(None, None, None)),
    entry("gte-large", "thenlper/gte-large", "4bef63f39fcc5e2d6b0aae83089f307af4970164", 1024, files(None, None, None)),
];
