//! Cross-encoders trained on MS MARCO.

use super::{BERT_UNCASED, Languages, ModelEntry, ModelKind, Pooling, Recipe, files, pin};

pub(super) static MODELS: &[ModelEntry] = &[ModelEntry {
    name: "ms-marco-MiniLM-L-6-v2",
    kind: ModelKind::Reranker,
    languages: Languages::English,
    repo: "cross-encoder/ms-marco-MiniLM-L-6-v2",
    revision: "c5ee24cb16019beea0893ab7796b1df96625c6b8",
    licence: "Apache-2.0",
    dim: 384,
    recipe: Recipe::plain(Pooling::Cls, 512),
    files: files(
        pin(90_870_598, "821d1aa69520101d6e0737f78a042ae25b19e5cb9160701909d10434f4aeb0ae"),
        BERT_UNCASED,
        pin(794, "380e02c93f431831be65d99a4e7e5f67c133985bf2e77d9d4eba46847190bacc"),
    ),
    pypi: None,
    adapter: None,
    query_adapters: &[],
}];
