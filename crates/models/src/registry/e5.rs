//! E5 (Wang et al. 2022, Text Embeddings by Weakly-Supervised Contrastive Pre-training), version 2 and multilingual.

use super::{Languages, ModelEntry, ModelFile, ModelKind, Pooling, Recipe, files, pin};

/// An entry but for what differs: every E5 reads `query: ` and `passage: ` and takes the mean.
const fn entry(
    name: &'static str,
    repo: &'static str,
    revision: &'static str,
    (dim, languages): (usize, Languages),
    files: [ModelFile; 3],
) -> ModelEntry {
    let recipe = Recipe::prefixed(Pooling::Mean, 512, "query: ", "passage: ");
    ModelEntry {
        name,
        kind: ModelKind::Encoder,
        languages,
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
        "e5-small-v2",
        "intfloat/e5-small-v2",
        "ffb93f3bd4047442299a41ebb6fa998a38507c52",
        (384, Languages::English),
        files(pin(133_466_304, "45bfa60070649aae2244fbc9d508537779b93b6f353c17b0f95ceccb1c5116c1"), None, None),
    ),
    entry(
        "e5-base-v2",
        "intfloat/e5-base-v2",
        "f52bf8ec8c7124536f0efb74aca902b2995e5bcd",
        (768, Languages::English),
        files(None, None, None),
    ),
    entry(
        "e5-large-v2",
        "intfloat/e5-large-v2",
        "f169b11e22de13617baa190a028a32f3493550b6",
        (1024, Languages::English),
        files(None, None, None),
    ),
    // A BertModel with the SentencePiece tokenizer of XLM-R.
    entry(
        "multilingual-e5-small",
        "intfloat/multilingual-e5-small",
        "614241f622f53c4eeff9890bdc4f31cfecc418b3",
        (384, Languages::Many),
        files(
            pin(470_641_600, "1a55775f53449dac10a2bcbc312469fac40b96d53198c407081a831f81c98477"),
            pin(17_082_730, "0b44a9d7b51c3c62626640cda0e2c2f70fdacdc25bbbd68038369d14ebdf4c39"),
            pin(655, "69137736cab8b8903a07fe8afaafdda25aac55415a12a55d1bffa9f581abf959"),
        ),
    ),
];
