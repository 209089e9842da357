//! BGE, of the Beijing Academy of Artificial Intelligence.

use super::{BERT_UNCASED, Languages, ModelEntry, ModelKind, Pooling, Recipe, files, pin};

/// What the model card asks to write before a question; passages stand as they are.
pub(super) const QUESTION: &str = "Represent this sentence for searching relevant passages: ";

pub(super) static MODELS: &[ModelEntry] = &[
    ModelEntry {
        name: "bge-small-en-v1.5",
        kind: ModelKind::Encoder,
        languages: Languages::English,
        repo: "BAAI/bge-small-en-v1.5",
        revision: "5c38ec7c405ec4b44b94cc5a9bb96e735b38267a",
        licence: "MIT",
        dim: 384,
        recipe: Recipe::prefixed(Pooling::Cls, 512, QUESTION, ""),
        files: files(
            pin(133_466_304, "3c9f31665447c8911517620762200d2245a2518d6e7208acc78cd9db317e21ad"),
            BERT_UNCASED,
            pin(743, "094f8e891b932f2000c92cfc663bac4c62069f5d8af5b5278c4306aef3084750"),
        ),
        pypi: None,
        adapter: None,
        query_adapters: &[],
    },
    ModelEntry {
        name: "bge-base-en-v1.5",
        kind: ModelKind::Encoder,
        languages: Languages::English,
        repo: "BAAI/bge-base-en-v1.5",
        revision: "a5beb1e3e68b9ab74eb54cfd186867f64f240e1a",
        licence: "MIT",
        dim: 768,
        recipe: Recipe::prefixed(Pooling::Cls, 512, QUESTION, ""),
        files: files(
            pin(437_955_512, "c7c1988aae201f80cf91a5dbbd5866409503b89dcaba877ca6dba7dd0a5167d7"),
            BERT_UNCASED,
            pin(777, "bc00af31a4a31b74040d73370aa83b62da34c90b75eb77bfa7db039d90abd591"),
        ),
        pypi: None,
        adapter: None,
        query_adapters: &[],
    },
    ModelEntry {
        name: "bge-large-en-v1.5",
        kind: ModelKind::Encoder,
        languages: Languages::English,
        repo: "BAAI/bge-large-en-v1.5",
        revision: "d4aa6901d3a41ba39fb536a557fa166f842b0e09",
        licence: "MIT",
        dim: 1024,
        recipe: Recipe::prefixed(Pooling::Cls, 512, QUESTION, ""),
        files: files(
            pin(1_340_616_616, "45e1954914e29bd74080e6c1510165274ff5279421c89f76c418878732f64ae7"),
            BERT_UNCASED,
            pin(779, "446712fac367857b4b1302762fe1cd7bfa8b3c4b77b4dc5d77c4025407660896"),
        ),
        pypi: None,
        adapter: None,
        query_adapters: &[],
    },
    ModelEntry {
        name: "bge-reranker-base",
        kind: ModelKind::Reranker,
        languages: Languages::Many,
        repo: "BAAI/bge-reranker-base",
        revision: "2cfc18c9415c912f9d8155881c133215df768a70",
        licence: "MIT",
        dim: 768,
        recipe: Recipe::plain(Pooling::Cls, 512),
        files: files(
            pin(1_112_206_140, "ced967c45fd1902eb92716c9ceeca7c95a936770ea9db611f5a841b926e33fbd"),
            pin(17_098_107, "9eb652ac4e40cc093272bbbe0f55d521cf67570060227109b5cdc20945a4489e"),
            pin(799, "289adf7ada1eb6b4afa7589a48a032d45a076cf2e46dcdb3b4cabc33be14f708"),
        ),
        pypi: None,
        adapter: None,
        query_adapters: &[],
    },
];
