//! What long turns cost a search: `long_bench SHORT.jsonl LONG.jsonl QUESTIONS [ROUNDS]`.
//!
//! Both histories become stores in a folder for temporary files. Each question is asked of one, then of the other, ROUNDS
//! times through (3). The encoder makes vectors of 384 components out of a hash and reads 180 words, about what 256 tokens
//! are: a search costs the same whatever the numbers are, and nothing has to be encoded. Prints Markdown; `bench/long` makes
//! the histories.
#![allow(clippy::print_stdout, reason = "this program talks to people")]

use std::{
    convert::Infallible,
    error::Error,
    hash::{DefaultHasher, Hash, Hasher},
    ops::Range,
    path::Path,
    sync::Arc,
    time::Instant,
};

use aforesaid::{
    EncodeError, Encoder, EncoderSource, Explanations, Locality, Memory, Pipeline,
    formats::{self, Captions, Format, Source},
    types::{EncoderId, Namespace, Query, Vectors},
};
use aforesaid_core::windows::windows;

const USAGE: &str = "usage: long_bench SHORT.jsonl LONG.jsonl QUESTIONS [ROUNDS]";
const DIM: usize = 384;
/// Words that the encoder reads of a text.
const READS: usize = 180;

struct MadeUp(EncoderId);

impl MadeUp {
    /// A unit vector that a text always has.
    fn row(text: &str) -> Vec<f32> {
        let mut hasher = DefaultHasher::new();
        text.hash(&mut hasher);
        let mut state = hasher.finish() | 1;
        let mut component = || {
            // xorshift64 (Marsaglia 2003).
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state >> 40) as f32 / (1u64 << 23) as f32 - 1.0
        };
        let row: Vec<f32> = (0..DIM).map(|_| component()).collect();
        let norm = row.iter().map(|x| x * x).sum::<f32>().sqrt();
        row.into_iter().map(|x| x / norm).collect()
    }
}

impl Encoder for MadeUp {
    fn id(&self) -> &EncoderId {
        &self.0
    }

    fn dim(&self) -> usize {
        DIM
    }

    fn locality(&self) -> Locality {
        Locality::Local
    }

    fn windows(&self, passage: &str) -> Result<Vec<Range<usize>>, EncodeError> {
        let Ok(found) = windows(passage, READS, |part| Ok::<_, Infallible>(part.split_whitespace().count()));
        Ok(found)
    }

    fn encode_queries(&self, texts: &[&str]) -> Result<Vectors, EncodeError> {
        self.encode_passages(texts)
    }

    fn encode_passages(&self, texts: &[&str]) -> Result<Vectors, EncodeError> {
        let rows = texts.iter().flat_map(|text| Self::row(text)).collect();
        Vectors::new(DIM, rows)
            .ok_or_else(|| EncodeError { encoder: self.0.clone(), message: "no components".to_owned() })
    }
}

/// A history in a store, and what searching it took.
struct Side {
    memory: Memory,
    namespace: Namespace,
    turns: usize,
    bytes: u64,
    import_seconds: f64,
    first_millis: f64,
}

/// Percentiles of one round, in milliseconds.
#[derive(Clone, Copy)]
struct Round {
    p50: f64,
    p95: f64,
}

fn main() -> Result<(), Box<dyn Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [short, long, questions, rest @ ..] = args.as_slice() else { return Err(USAGE.into()) };
    let rounds = rest.first().map_or(Ok(3), |rounds| rounds.parse::<usize>())?.max(1);
    let questions = std::fs::read_to_string(questions)?;
    let folder = std::env::temp_dir().join(format!("long-bench-{}", std::process::id()));
    std::fs::create_dir(&folder)?;
    let result = compare([short, long], &questions, rounds, &folder);
    std::fs::remove_dir_all(&folder)?;
    result
}

fn compare(histories: [&String; 2], questions: &str, rounds: usize, folder: &Path) -> Result<(), Box<dyn Error>> {
    let [short, long] = [open(histories[0], &folder.join("short.db"))?, open(histories[1], &folder.join("long.db"))?];
    println!("| figure | short turns | with long turns | ratio |\n|---|---|---|---|");
    let row =
        |figure: &str, short: f64, long: f64| println!("| {figure} | {short:.2} | {long:.2} | {:.2} |", long / short);
    row("turns", short.turns as f64, long.turns as f64);
    row("import without encoding, s", short.import_seconds, long.import_seconds);
    row("store, MB", short.bytes as f64 / 1e6, long.bytes as f64 / 1e6);
    for pipeline in [Pipeline::hybrid(), Pipeline::lexical()] {
        let mut measured: Vec<[Round; 2]> = Vec::new();
        for _ in 0..rounds {
            measured.push(round([&short, &long], &pipeline, questions)?);
        }
        for (name, of) in [("p50", (|round: Round| round.p50) as fn(Round) -> f64), ("p95", |round: Round| round.p95)] {
            let side = |at: usize| median(measured.iter().map(|round| of(round[at])).collect());
            let ratio = median(measured.iter().map(|round| of(round[1]) / of(round[0])).collect());
            println!("| searching, {}, ms, {name} | {:.2} | {:.2} | {ratio:.2} |", pipeline.name, side(0), side(1));
        }
    }
    row("the first search of a process, ms", short.first_millis, long.first_millis);
    row("the index, MB", short.memory.index_bytes() as f64 / 1e6, long.memory.index_bytes() as f64 / 1e6);
    Ok(())
}

/// Imports a history, and opens it again as another process would.
fn open(history: &str, store: &Path) -> Result<Side, Box<dyn Error>> {
    let location = store.to_string_lossy().into_owned();
    let namespace = Namespace::new("bench")?;
    let memory = || -> Result<Memory, Box<dyn Error>> {
        let encoder = Arc::new(MadeUp(EncoderId::new("made-up@1/f32")?));
        Ok(Memory::builder().encoders(EncoderSource::Ready(encoder)).open(&location)?)
    };
    let source = Source { file: history, stem: "bench", conversation: None, captions: Captions::Keep, zone: None };
    let parsed = formats::parse(Format::Jsonl, &std::fs::read(history)?, &source)?;
    let turns = parsed.drafts.len();
    let importing = memory()?;
    let started = Instant::now();
    importing.import_parsed(&namespace, Format::Jsonl, parsed, &mut |_| ())?;
    let import_seconds = started.elapsed().as_secs_f64();
    importing.prepare(&namespace, &Pipeline::hybrid())?;
    drop(importing);
    let memory = memory()?;
    let started = Instant::now();
    memory.search(
        &Query::new(namespace.clone(), "anything to load the index"),
        &Pipeline::hybrid(),
        Explanations::Omit,
    )?;
    let first_millis = started.elapsed().as_secs_f64() * 1000.0;
    Ok(Side { memory, namespace, turns, bytes: std::fs::metadata(store)?.len(), import_seconds, first_millis })
}

/// Asks every question of one side, then of the other.
fn round(sides: [&Side; 2], pipeline: &Pipeline, questions: &str) -> Result<[Round; 2], Box<dyn Error>> {
    let mut took = [Vec::new(), Vec::new()];
    for question in questions.lines() {
        for (side, took) in sides.iter().zip(&mut took) {
            let found =
                side.memory.search(&Query::new(side.namespace.clone(), question), pipeline, Explanations::Omit)?;
            took.push(found.timing_ms.search);
        }
    }
    Ok(took.map(|mut took| Round { p50: percentile(&mut took, 0.5), p95: percentile(&mut took, 0.95) }))
}

fn median(mut values: Vec<f64>) -> f64 {
    percentile(&mut values, 0.5)
}

fn percentile(values: &mut [f64], share: f64) -> f64 {
    values.sort_by(f64::total_cmp);
    let at = (values.len().saturating_sub(1) as f64 * share).round() as usize;
    values.get(at).copied().unwrap_or(0.0)
}
