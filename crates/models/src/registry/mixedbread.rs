//! Models of Mixedbread.

use super::{Languages, ModelEntry, ModelKind, Pooling, Recipe, bge, files};

pub(super) static MODELS: &[ModelEntry] = &[ModelEntry {
    name: "mxbai-embed-large-v1",
    kind: ModelKind::Encoder,
    languages: Languages::English,
    repo: "mixedbread-ai/mxbai-embed-large-v1",
    revision: "b33106f585b9ce46904ad7443a3b52b7a63e231c",
    licence: "Apache-2.0",
    dim: 1024,
    recipe: Recipe::prefixed(Pooling::Cls, 512, bge::QUESTION, ""),
    files: files(None, None, None),
    pypi: None,
    adapter: None,
    query_adapters: &[],
}];
