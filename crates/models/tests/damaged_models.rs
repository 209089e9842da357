//! Model files that were damaged or made to do harm: an error, never a panic, a hang or memory without bound.
#![allow(clippy::unwrap_used, reason = "test code")]

use std::{
    fs,
    path::{Path, PathBuf},
};

use aforesaid_core::Encoder;
use aforesaid_models::{BertEncoder, Precision, Runtime, Threads, from_directory};
use serde_json::{Value, json};
use tempfile::TempDir;

const FILES: [&str; 3] = ["config.json", "tokenizer.json", "model.safetensors"];

/// A copy of one of the tiny models.
struct Model {
    dir: TempDir,
}

impl Model {
    fn copy(name: &str) -> Self {
        let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/reference").join(name);
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir(dir.path().join("model")).unwrap();
        for file in FILES {
            fs::copy(from.join(file), dir.path().join("model").join(file)).unwrap();
        }
        Self { dir }
    }

    fn path(&self, file: &str) -> PathBuf {
        self.dir.path().join("model").join(file)
    }

    /// The tokenizer with another part.
    fn with(&self, part: &str, value: Value) {
        let path = self.path("tokenizer.json");
        let mut file: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
        file[part] = value;
        fs::write(path, file.to_string()).unwrap();
    }

    /// How many vectors are made of some texts, or why none are.
    fn encode(&self, texts: &[&str]) -> Result<usize, String> {
        let files =
            from_directory(&self.dir.path().join("model"), self.dir.path()).map_err(|error| error.to_string())?;
        let encoder = BertEncoder::load(&files, Runtime::new(Precision::F32, Threads::ONE));
        let encoder = encoder.map_err(|error| {
            let cause = std::error::Error::source(&error).map(ToString::to_string);
            [Some(error.to_string()), cause].into_iter().flatten().collect::<Vec<_>>().join(": ")
        })?;
        encoder.encode_passages(texts).map(|vectors| vectors.len()).map_err(|error| error.to_string())
    }

    fn refusal(&self) -> String {
        self.encode(&["a kite"]).unwrap_err()
    }
}

/// A table of characters that is none panicked in the library when it was read, and one whose trie leads nowhere when
/// it was used.
#[test]
fn a_damaged_table_of_characters_is_an_error() {
    let model = Model::copy("tiny-xlm-roberta");
    let refused = |table: &str| {
        model.with("normalizer", json!({"type": "Precompiled", "precompiled_charsmap": table}));
        model.refusal()
    };
    // A trie of 4 bytes where its size says 8.
    let cut = refused("CAAAAAAAAAA=");
    assert!(cut.contains("a table of characters that cannot be read"), "{cut}");
    // A trie that sends every byte beyond itself, and one whose size is no number of units: the library panics when it
    // uses the one and when it reads the other.
    let refusals = [refused("AwAAAAAAAAAAAAA="), refused("BAAAAAD/////AA==")];
    for found in ["the tokenizer failed on it", "what the library fails on"] {
        assert!(refusals.iter().any(|refusal| refusal.contains(found)), "{found}: {refusals:?}");
    }
}

/// Ten rules that each double a text took a thousand times its memory, and thirty would have taken all.
#[test]
fn rules_that_multiply_a_text_are_refused() {
    let model = Model::copy("tiny");
    let double = json!({"type": "Replace", "pattern": {"String": "a"}, "content": "aa"});
    model.with("normalizer", json!({"type": "Sequence", "normalizers": vec![double; 10]}));
    let refusal = model.refusal();
    assert!(refusal.contains("found 1024 times its bytes that a text may become, expected at most 600"), "{refusal}");
}

#[test]
fn very_long_texts_are_read_up_to_a_bound() {
    let model = Model::copy("tiny");
    let long = "kite ".repeat(400_000);
    assert_eq!(model.encode(&[&long, &"é".repeat(1 << 20), ""]), Ok(3));
}

/// Room for a tensor was made by what config.json says before the tensor was looked for.
#[test]
fn sizes_that_no_file_has_take_no_memory() {
    let model = Model::copy("tiny");
    let path = model.path("config.json");
    let config: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    for field in ["hidden_size", "intermediate_size", "num_hidden_layers", "max_position_embeddings", "vocab_size"] {
        let mut huge = config.clone();
        huge[field] = json!(1 << 24);
        fs::write(&path, huge.to_string()).unwrap();
        let refusal = model.refusal();
        assert!(refusal.contains("tensor") || refusal.contains("tokens"), "{field}: {refusal}");
    }
}

/// The sum of a tensor's end and the header's length overflowed.
#[test]
fn tensors_that_end_beyond_all_numbers_are_an_error() {
    let model = Model::copy("tiny");
    let header = format!(r#"{{"a":{{"dtype":"U8","shape":[{0}],"data_offsets":[0,{0}]}}}}"#, u64::MAX);
    let mut file = (header.len() as u64).to_le_bytes().to_vec();
    file.extend_from_slice(header.as_bytes());
    fs::write(model.path("model.safetensors"), file).unwrap();
    let refusal = model.refusal();
    assert!(refusal.contains("model.safetensors"), "{refusal}");
}

/// A named pipe was waited for, and /dev/zero filled the memory.
#[cfg(unix)]
#[test]
fn what_is_no_regular_file_is_refused() {
    for file in ["config.json", "tokenizer.json", "model.safetensors", "modules.json"] {
        let model = Model::copy("tiny");
        let _ = fs::remove_file(model.path(file));
        assert!(std::process::Command::new("mkfifo").arg(model.path(file)).status().unwrap().success());
        let refusal = model.refusal();
        assert!(refusal.contains(file), "{refusal}");
        fs::remove_file(model.path(file)).unwrap();
        std::os::unix::fs::symlink("/dev/zero", model.path(file)).unwrap();
        let refusal = model.refusal();
        assert!(refusal.contains(file), "{refusal}");
    }
}

#[test]
fn files_beyond_their_bounds_are_refused() {
    for (file, bytes, bound) in [("config.json", 1 << 20, "1048576"), ("tokenizer.json", 64 << 20, "67108864")] {
        let model = Model::copy("tiny");
        // A hole: it takes no room.
        fs::File::options().write(true).open(model.path(file)).unwrap().set_len(bytes + 1).unwrap();
        let refusal = model.refusal();
        assert!(refusal.contains(file), "{refusal}");
        if file == "tokenizer.json" {
            assert!(refusal.contains(&format!("found {} bytes, expected at most {bound}", bytes + 1)), "{refusal}");
        }
    }
}
