//! Model files: each in the place of that of a tiny model, which is then loaded and run.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::OnceLock,
};

use aforesaid_core::Encoder;
use aforesaid_models::{BertEncoder, Precision, Runtime, Threads, from_directory};
use tempfile::TempDir;

/// Words of a tokenizer.
pub(crate) const TOKENIZER: &[&str] = &[
    "{",
    "}",
    "[",
    "]",
    ",",
    "\"",
    "null",
    "\"normalizer\":",
    "{\"type\":\"Replace\",\"pattern\":{\"String\":\"a\"},\"content\":\"aa\"}",
    "{\"type\":\"Sequence\",\"normalizers\":[",
    "{\"type\":\"Precompiled\",\"precompiled_charsmap\":\"BAAAAAD/////AA==\"}",
    "{\"type\":\"Lowercase\"}",
    "\"Regex\":\"",
    "a*",
    "\\\\1",
    "{\"type\":\"FixedLength\",\"length\":0}",
    "\"##\"",
    "-1",
    "1e9",
    "\"byte_fallback\":true",
    "\"unk_id\":99",
    "\"merges\":[\"a b\"]",
    "\"continuing_subword_prefix\":\"xyz\"",
];

const FILES: [&str; 3] = ["config.json", "tokenizer.json", "model.safetensors"];
/// Texts that are encoded where a model can be loaded.
const TEXTS: [&str; 4] =
    ["a kite", "", "Ünïcödé 漢字 ﷺ <s> [CLS]  \u{202e}", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"];

fn reference(model: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../models/tests/reference").join(model)
}

/// A folder of one target with a copy of a model.
struct Place(Option<TempDir>);

impl Place {
    fn of(model: &str) -> Self {
        let copy = || {
            let dir = tempfile::tempdir().ok()?;
            fs::create_dir(dir.path().join("model")).ok()?;
            for file in FILES {
                fs::copy(reference(model).join(file), dir.path().join("model").join(file)).ok()?;
            }
            Some(dir)
        };
        Self(copy())
    }

    fn load_with(&self, file: &str, bytes: &[u8]) {
        let Some(dir) = &self.0 else { return };
        let model = dir.path().join("model");
        // Beside it and moved: the weights of a model that is still open stay as they are.
        let (new, path) = (dir.path().join("new"), model.join(file));
        if fs::write(&new, bytes).and_then(|()| fs::rename(new, path)).is_err() {
            return;
        }
        let Ok(files) = from_directory(&model, dir.path()) else { return };
        if let Ok(encoder) = BertEncoder::load(&files, Runtime::new(Precision::F32, Threads::ONE))
            && let Ok(vectors) = encoder.encode_passages(&TEXTS)
        {
            assert!(vectors.len() == TEXTS.len() && vectors.as_slice().iter().all(|number| number.is_finite()));
        }
    }
}

fn kept(place: &'static OnceLock<Place>, model: &str) -> &'static Place {
    place.get_or_init(|| Place::of(model))
}

pub(crate) fn configuration(bytes: &[u8]) {
    static PLACE: OnceLock<Place> = OnceLock::new();
    kept(&PLACE, "tiny").load_with("config.json", bytes);
}

/// With the weights of the model that has the largest vocabulary, so that most tokenizers fit.
pub(crate) fn tokenizer(bytes: &[u8]) {
    static PLACE: OnceLock<Place> = OnceLock::new();
    kept(&PLACE, "tiny-xlm-roberta").load_with("tokenizer.json", bytes);
}

/// The bytes are the length of a header and the header; the data of the model follow.
pub(crate) fn weights(bytes: &[u8]) {
    static PLACE: OnceLock<Place> = OnceLock::new();
    static DATA: OnceLock<Vec<u8>> = OnceLock::new();
    let data = DATA.get_or_init(|| split().map_or_else(Vec::new, |(_, data)| data));
    kept(&PLACE, "tiny").load_with("model.safetensors", &[bytes, data].concat());
}

/// The weights of a tiny model: the header with its length, and the data.
fn split() -> Option<(Vec<u8>, Vec<u8>)> {
    let bytes = fs::read(reference("tiny").join("model.safetensors")).ok()?;
    let size = usize::try_from(u64::from_le_bytes(*bytes.first_chunk()?)).ok()?;
    let (header, data) = bytes.split_at_checked(size + 8)?;
    Some((header.to_vec(), data.to_vec()))
}

fn of_models(file: &str) -> Vec<Vec<u8>> {
    let models = ["tiny", "tiny-mpnet", "tiny-roberta", "tiny-xlm-roberta"];
    models.into_iter().filter_map(|model| fs::read(reference(model).join(file)).ok()).collect()
}

pub(crate) fn configurations(_: &str) -> Vec<Vec<u8>> {
    of_models("config.json")
}

pub(crate) fn tokenizers(_: &str) -> Vec<Vec<u8>> {
    of_models("tokenizer.json")
}

pub(crate) fn headers(_: &str) -> Vec<Vec<u8>> {
    split().map(|(header, _)| header).into_iter().collect()
}
