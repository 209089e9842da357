//! Prints how fast a model encodes: `encode_bench MODEL_DIR TEXTS THREADS [QUERIES]`.
//!
//! TEXTS has one text per line. QUERIES is how many of its lines are timed one
//! by one, 200 by default. Output: one `name value unit` per line.
#![allow(clippy::print_stdout)]

use std::{
    error::Error,
    num::NonZeroUsize,
    path::PathBuf,
    time::{Duration, Instant},
};

use aforesaid_core::Encoder;
use aforesaid_models::{BertEncoder, Downloads, Places, Precision, Runtime, Threads, find, registry, verify};

const USAGE: &str = "usage: encode_bench MODEL_DIR TEXTS THREADS [QUERIES]";

fn main() -> Result<(), Box<dyn Error>> {
    let mut args = std::env::args().skip(1);
    let dir = PathBuf::from(args.next().ok_or(USAGE)?);
    let texts = std::fs::read_to_string(args.next().ok_or(USAGE)?)?;
    let threads = Threads::new(args.next().ok_or(USAGE)?.parse::<NonZeroUsize>()?);
    let queries = args.next().map_or(Ok(200), |count| count.parse::<usize>())?;
    let texts: Vec<&str> = texts.lines().collect();

    let encoder = load(dir, threads)?;
    single(&encoder, &texts, queries)?;
    let start = Instant::now();
    encoder.encode_passages(&texts)?;
    let seconds = start.elapsed().as_secs_f64();
    println!("texts {} lines", texts.len());
    println!("batch {seconds:.2} s");
    println!("throughput {:.1} texts/s", texts.len() as f64 / seconds);
    Ok(())
}

/// Loads the model and prints what hashing, checking against a stamp, and loading took.
fn load(dir: PathBuf, threads: Threads) -> Result<BertEncoder, Box<dyn Error>> {
    let entry = registry::named("all-MiniLM-L6-v2")?;
    let start = Instant::now();
    verify(&dir, entry);
    println!("hash {:.1} ms", millis(start.elapsed()));

    let stamps = tempfile::tempdir()?;
    let cache = stamps.path().to_owned();
    let places = Places { explicit: Some(dir), cache, hf_home: None, downloads: Downloads::Forbidden };
    find(entry, &places)?;
    let start = Instant::now();
    let files = find(entry, &places)?;
    println!("find {:.1} ms", millis(start.elapsed()));
    let start = Instant::now();
    let encoder = BertEncoder::load(&files, Runtime::new(Precision::F32, threads))?;
    println!("load {:.1} ms", millis(start.elapsed()));
    Ok(encoder)
}

/// Times texts one by one.
fn single(encoder: &BertEncoder, texts: &[&str], queries: usize) -> Result<(), Box<dyn Error>> {
    let first = Instant::now();
    encoder.encode_queries(&texts[..texts.len().min(1)])?;
    println!("first_query {:.2} ms", millis(first.elapsed()));
    let mut times = Vec::new();
    for text in texts.iter().take(queries) {
        let start = Instant::now();
        encoder.encode_queries(&[text])?;
        times.push(start.elapsed());
    }
    times.sort();
    for (name, share) in [("query_p50", 0.5), ("query_p95", 0.95)] {
        if let Some(time) = times.get((times.len() as f64 * share) as usize) {
            println!("{name} {:.2} ms", millis(*time));
        }
    }
    Ok(())
}

fn millis(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}
