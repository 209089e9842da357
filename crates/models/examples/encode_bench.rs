//! Times one encoder for `bench/encode.py`, which lets it take turns with its peers.
//!
//! `encode_bench MODEL_DIR PRECISION INSTRUCTIONS THREADS TEXTS QUESTIONS`
//!
//! INSTRUCTIONS may be `best`. TEXTS and QUESTIONS have one text per line. Each line of standard input is a
//! command, each is answered by one line of JSON:
//! `encode` (seconds for all texts), `ask` (mean CPU milliseconds of a question, one after the other),
//! `peak` (multiply-adds a second of one core in registers), `facts`, `vectors PATH` (f32, little-endian).
#![allow(clippy::print_stdout)]

use std::{
    error::Error,
    io::{BufRead, Write},
    path::PathBuf,
    time::{Duration, Instant},
};

use aforesaid_core::Encoder;
use aforesaid_models::{BertEncoder, Instructions, Runtime, Threads, from_directory};
use serde_json::{Value, json};

const USAGE: &str = "usage: encode_bench MODEL_DIR PRECISION INSTRUCTIONS THREADS TEXTS QUESTIONS";

fn main() -> Result<(), Box<dyn Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [dir, precision, instructions, threads, texts, questions] = args.as_slice() else { return Err(USAGE.into()) };
    let runtime = Runtime {
        precision: precision.parse()?,
        instructions: if instructions == "best" { Instructions::best() } else { instructions.parse()? },
        threads: Threads::new(threads.parse()?),
    };
    let cache = tempfile::tempdir()?;
    let files = from_directory(&PathBuf::from(dir), cache.path())?;
    let start = Instant::now();
    let encoder = BertEncoder::load(&files, runtime)?;
    let bench = Bench {
        load_ms: start.elapsed().as_secs_f64() * 1e3,
        encoder,
        runtime,
        texts: std::fs::read_to_string(texts)?,
        questions: std::fs::read_to_string(questions)?,
    };
    for command in std::io::stdin().lock().lines() {
        println!("{}", bench.answer(&command?)?);
        std::io::stdout().flush()?;
    }
    Ok(())
}

struct Bench {
    load_ms: f64,
    encoder: BertEncoder,
    runtime: Runtime,
    texts: String,
    questions: String,
}

impl Bench {
    fn answer(&self, command: &str) -> Result<Value, Box<dyn Error>> {
        let texts: Vec<&str> = self.texts.lines().collect();
        match command.split_once(' ').unwrap_or((command, "")) {
            ("encode", _) => {
                let start = Instant::now();
                self.encoder.encode_passages(&texts)?;
                Ok(json!(start.elapsed().as_secs_f64()))
            }
            ("ask", _) => {
                // A single text is encoded on its caller's thread. Linux counts in ticks: many, so that they even out.
                let (start, questions) = (cpu_time()?, self.questions.lines().count());
                for question in self.questions.lines() {
                    self.encoder.encode_queries(&[question])?;
                }
                Ok(json!((cpu_time()? - start).as_secs_f64() * 1e3 / questions.max(1) as f64))
            }
            ("peak", _) => Ok(json!(self.runtime.peak(Duration::from_millis(500)))),
            ("facts", _) => Ok(json!({
                "load_ms": self.load_ms,
                "texts": texts.len(),
                "tokens": self.encoder.count_tokens(&texts)?.iter().sum::<usize>(),
                "multiply_adds_per_token": self.encoder.multiply_adds_per_token()?,
                "peak_memory_kb": peak_memory_kb(),
            })),
            ("vectors", path) => {
                let vectors = self.encoder.encode_passages(&texts)?;
                let bytes: Vec<u8> = vectors.iter().flatten().flat_map(|x| x.to_le_bytes()).collect();
                std::fs::write(path, bytes)?;
                Ok(json!(vectors.dim()))
            }
            (other, _) => Err(format!("unknown command {other:?}").into()),
        }
    }
}

/// What this thread has run for, as Linux counts it; elsewhere the clock on the wall.
fn cpu_time() -> Result<Duration, Box<dyn Error>> {
    static START: std::sync::OnceLock<Instant> = std::sync::OnceLock::new();
    match std::fs::read_to_string("/proc/thread-self/schedstat") {
        Ok(line) => Ok(Duration::from_nanos(line.split(' ').next().unwrap_or_default().parse()?)),
        Err(_) => Ok(START.get_or_init(Instant::now).elapsed()),
    }
}

fn peak_memory_kb() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix(" kB")?.trim().parse().ok()
}
