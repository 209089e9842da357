//! all-MiniLM-L6-v2 against vectors made by sentence-transformers.
//!
//! The model is taken from the directory in `AFORESAID_TEST_MODEL`, or fetched
//! into the directory in `AFORESAID_TEST_CACHE` (by default
//! `aforesaid-test-models` in the system's directory for temporary files).
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout)]

use std::{env, path::PathBuf, sync::OnceLock};

use aforesaid_core::{
    Encoder,
    analysis::{GLOSSES, gloss},
    types::{EncoderId, Vectors},
};
use aforesaid_models::{
    BertEncoder, Downloads, Instructions, ModelFiles, ModelPaths, Precision, Runtime, Threads, Verdict, registry,
    resolve, verify,
};
use serde::Deserialize;

#[derive(Deserialize)]
struct Reference {
    rows: Vec<Row>,
}

#[derive(Deserialize)]
struct Row {
    text: String,
    vector: Vec<f32>,
}

fn rows() -> Vec<Row> {
    let text = include_str!("reference/minilm.json");
    serde_json::from_str::<Reference>(text).unwrap().rows
}

fn model() -> &'static ModelFiles {
    static MODEL: OnceLock<ModelFiles> = OnceLock::new();
    MODEL.get_or_init(|| {
        let cache = env::var_os("AFORESAID_TEST_CACHE").map(PathBuf::from);
        let paths = ModelPaths {
            explicit: env::var_os("AFORESAID_TEST_MODEL").map(PathBuf::from),
            cache: cache.unwrap_or_else(|| env::temp_dir().join("aforesaid-test-models")),
            hf_home: env::var_os("HF_HOME").map(PathBuf::from),
            downloads: Downloads::Allowed,
        };
        resolve(registry::named("all-MiniLM-L6-v2").unwrap(), &paths, &mut |_| ()).unwrap_or_else(|error| {
            panic!(
                "this test needs all-MiniLM-L6-v2: set AFORESAID_TEST_MODEL to a directory with its \
                 model.safetensors, tokenizer.json and config.json, or allow the network\n{error}"
            )
        })
    })
}

fn two() -> Threads {
    Threads::new(2.try_into().unwrap())
}

fn encoder(threads: usize) -> BertEncoder {
    BertEncoder::load(model(), Runtime::new(Precision::F32, Threads::new(threads.try_into().unwrap()))).unwrap()
}

fn cosine(a: &[f32], b: &[f32]) -> f64 {
    let dot = |x: &[f32], y: &[f32]| x.iter().zip(y).map(|(x, y)| f64::from(*x) * f64::from(*y)).sum::<f64>();
    dot(a, b) / (dot(a, a) * dot(b, b)).sqrt()
}

#[test]
fn equals_sentence_transformers_on_every_text() {
    let rows = rows();
    assert!(rows.len() >= 40);
    let texts: Vec<&str> = rows.iter().map(|row| row.text.as_str()).collect();
    let encoder = encoder(2);
    assert_eq!(encoder.id().as_str(), "all-MiniLM-L6-v2@1110a243fdf4/f32");
    assert_eq!(encoder.dim(), 384);
    let vectors = encoder.encode_passages(&texts).unwrap();
    let mut worst = (1.0, "");
    for (row, found) in rows.iter().zip(vectors.iter()) {
        let cosine = cosine(found, &row.vector);
        assert!(cosine >= 0.9999, "{:?}: cosine {cosine}", row.text);
        if cosine < worst.0 {
            worst = (cosine, &row.text);
        }
    }
    println!("least cosine {:.9} for {:?}", worst.0, worst.1);
    assert!(worst.0 >= 0.999999, "{worst:?}");
}

#[test]
fn every_kernel_is_close_to_sentence_transformers() {
    let rows = rows();
    let texts: Vec<&str> = rows.iter().map(|row| row.text.as_str()).collect();
    for instructions in Instructions::ALL.into_iter().filter(|family| family.is_available()) {
        for (precision, least) in [(Precision::F32, 0.999999), (Precision::Bf16, 0.9998), (Precision::Int8, 0.99)] {
            let encoder = BertEncoder::load(model(), Runtime { precision, instructions, threads: two() }).unwrap();
            let vectors = encoder.encode_passages(&texts).unwrap();
            let cosines: Vec<f64> =
                rows.iter().zip(vectors.iter()).map(|(row, found)| cosine(found, &row.vector)).collect();
            let worst = cosines.iter().fold(1.0f64, |worst, cosine| worst.min(*cosine));
            println!(
                "{precision} {instructions}: least {worst:.6}, mean {:.6}",
                cosines.iter().sum::<f64>() / rows.len() as f64
            );
            assert!(worst >= least, "{precision} {instructions}: {worst}");
            let alone = encoder.encode_passages(&texts[..1]).unwrap();
            assert_eq!(alone.iter().next(), vectors.iter().next(), "{precision} {instructions}: alone as in a batch");
        }
    }
}

#[test]
fn a_long_text_has_windows_that_are_read_whole() {
    let encoder = encoder(1);
    let long: String =
        (1..=120).map(|n| format!("On day {n} the harbour was {n} degrees cold, naïve as it is.\n")).collect();
    let windows = encoder.windows(&long).unwrap();
    let texts: Vec<&str> = windows.iter().map(|window| &long[window.clone()]).collect();
    assert_eq!(texts.concat(), long);
    let tokens = encoder.count_tokens(&texts).unwrap();
    assert!(tokens.iter().all(|&tokens| tokens <= 256), "{tokens:?}");
    let (least, most) = (tokens.iter().min().unwrap(), tokens.iter().max().unwrap());
    assert!(texts.len() > 5 && most - least < 64, "of about one length: {tokens:?}");
    assert!(texts.iter().all(|text| text.starts_with("On day") && text.ends_with('\n')), "they end with sentences");

    let fits: String = long.chars().take(400).collect();
    assert_eq!(encoder.windows(&fits).unwrap().len(), 1);
    let unknown = "x".repeat(40_000);
    assert_eq!(encoder.windows(&unknown).unwrap().len(), 1, "a word that it does not know is one token");
    let unspaced = "0123456789-".repeat(500);
    assert!(encoder.windows(&unspaced).unwrap().len() > 1, "what has no spaces is split, too");
}

#[test]
fn a_batch_equals_its_singles_bit_for_bit() {
    let rows = rows();
    let texts: Vec<&str> = rows.iter().map(|row| row.text.as_str()).collect();
    let encoder = encoder(2);
    let batch = encoder.encode_passages(&texts).unwrap();
    for (text, found) in texts.iter().zip(batch.iter()) {
        assert_eq!(encoder.encode_queries(&[text]).unwrap().as_slice(), found, "{text:?}");
    }
}

#[test]
fn every_file_is_the_pinned_one() {
    let checks = verify(&model().dir, registry::named("all-MiniLM-L6-v2").unwrap(), &env::temp_dir()).unwrap();
    assert_eq!(checks.len(), 3);
    assert!(checks.iter().all(|check| check.verdict == Verdict::Ok), "{checks:?}");
}

#[test]
fn the_default_reads_other_languages_in_english_and_says_so() {
    let named = registry::named("all-MiniLM-L6-v2+conversations").unwrap();
    let paths = ModelPaths {
        explicit: Some(model().dir.clone()),
        cache: env::temp_dir(),
        hf_home: None,
        downloads: Downloads::Forbidden,
    };
    let files = resolve(named, &paths, &mut |_| ()).unwrap();
    let load = |files: &ModelFiles| BertEncoder::load(files, Runtime::new(Precision::F32, two())).unwrap();
    let reading = load(&files);
    let id = reading.id().as_str().to_owned();
    let mark = format!("+glosses{GLOSSES}");
    assert!(id.ends_with(&format!("{mark}/f32")), "{id}");
    let german = "Mia: Der Vermieter hat gesagt, dass die Wohnung im Mai frei wird.";
    let texts = [german, &gloss(german).unwrap(), "Mia: The landlord said that the flat is free from May on."];
    let passages = reading.encode_passages(&texts).unwrap();
    assert_eq!(passages.get(0), passages.get(1));
    assert_eq!(reading.encode_queries(&texts[..1]).unwrap().get(0), passages.get(1));
    // Vectors that were made before go on as they were made.
    let before = EncoderId::new(id.replace(&mark, "")).unwrap();
    let plain = load(&files.clone().reading_as(&before));
    assert_eq!(plain.id(), &before);
    let raw = plain.encode_passages(&texts).unwrap();
    assert_eq!(raw.get(2), passages.get(2), "English is read as it is");
    let near = |vectors: &Vectors| cosine(vectors.get(0).unwrap(), vectors.get(2).unwrap());
    assert!(near(&passages) > near(&raw) + 0.2, "{} {}", near(&passages), near(&raw));
    assert_eq!(load(&files.clone().reading_as(&EncoderId::new(id.as_str()).unwrap())).id().as_str(), id);
    // So do those of a dictionary of before, by the glosses of now.
    let older = EncoderId::new(id.replace(&mark, "+glosses0")).unwrap();
    let older = load(&files.reading_as(&older));
    assert!(older.id().as_str().ends_with("+glosses0/f32"), "{}", older.id());
    assert_eq!(older.encode_passages(&texts).unwrap().get(0), passages.get(0));
}
