//! What an import costs beside the encoding: `ingest_bench FILE.jsonl [TEXTS_A_SECOND]`.
//!
//! The encoder makes vectors of 384 components out of nothing, with a thread busy for as long as a real one
//! would be; without a rate at once. Times are wall-clock seconds, memory is the peak of the process.
#![allow(clippy::print_stdout, reason = "this program talks to people")]

use std::{
    error::Error,
    sync::Arc,
    time::{Duration, Instant},
};

use aforesaid::{
    EncodeError, Encoder, EncoderSource, Locality, Memory, Pipeline,
    formats::{self, Captions, Format, Source},
    types::{EncoderId, Namespace, Vectors},
};

const DIM: usize = 384;

struct Paced {
    id: EncoderId,
    a_text: Duration,
}

impl Encoder for Paced {
    fn id(&self) -> &EncoderId {
        &self.id
    }

    fn dim(&self) -> usize {
        DIM
    }

    fn locality(&self) -> Locality {
        Locality::Local
    }

    fn encode_queries(&self, texts: &[&str]) -> Result<Vectors, EncodeError> {
        self.encode_passages(texts)
    }

    fn encode_passages(&self, texts: &[&str]) -> Result<Vectors, EncodeError> {
        let until = Instant::now() + self.a_text * texts.len() as u32;
        let mut state = texts.len() as u32;
        let mut data = Vec::with_capacity(texts.len() * DIM);
        for _ in 0..texts.len() * DIM {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            data.push((state >> 8) as f32 / 1e8);
        }
        while Instant::now() < until {
            std::hint::spin_loop();
        }
        Vectors::new(DIM, data)
            .ok_or_else(|| EncodeError { encoder: self.id.clone(), message: "no components".to_owned() })
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut args = std::env::args().skip(1);
    let file = args.next().ok_or("usage: ingest_bench FILE.jsonl [TEXTS_A_SECOND]")?;
    let a_text = match args.next() {
        Some(rate) => Duration::from_secs_f64(1.0 / rate.parse::<f64>()?),
        None => Duration::ZERO,
    };
    let folder = std::env::temp_dir().join(format!("ingest-bench-{}", std::process::id()));
    std::fs::create_dir(&folder)?;
    let result = run(&file, a_text, &folder.join("memory.db").to_string_lossy());
    std::fs::remove_dir_all(&folder)?;
    result
}

fn run(file: &str, a_text: Duration, store: &str) -> Result<(), Box<dyn Error>> {
    let encoder = Arc::new(Paced { id: EncoderId::new("paced@1/f32")?, a_text });
    let memory = Memory::builder().encoders(EncoderSource::Ready(encoder)).open(store)?;
    let namespace = Namespace::new("bench")?;
    let started = Instant::now();
    let source = Source { file, stem: "bench", conversation: None, captions: Captions::Keep, zone: None };
    let parsed = formats::parse(Format::Jsonl, &std::fs::read(file)?, &source)?;
    let turns = parsed.drafts.len();
    println!("{turns} turns, encoding alone {:.2} s", (a_text * turns as u32).as_secs_f64());
    println!("parsed    {:6.2} s  {}", started.elapsed().as_secs_f64(), usage());
    let mut encoded = Duration::ZERO;
    memory.import_parsed(&namespace, Format::Jsonl, parsed, &mut |_| encoded = started.elapsed())?;
    println!("encoded   {:6.2} s", encoded.as_secs_f64());
    println!("committed {:6.2} s  {}", started.elapsed().as_secs_f64(), usage());
    memory.prepare(&namespace, &Pipeline::hybrid())?;
    println!("indexed   {:6.2} s  {}", started.elapsed().as_secs_f64(), usage());
    println!("file      {:6.1} MB", std::fs::metadata(store)?.len() as f64 / 1e6);
    Ok(())
}

/// Peak and present memory of this process, and its processor time, where the system says.
fn usage() -> String {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let wanted = ["VmHWM:", "RssAnon:", "RssFile:"];
    let sizes = status.lines().filter(|line| wanted.iter().any(|name| line.starts_with(name)));
    let sizes = sizes.map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).collect::<Vec<_>>().join(", ");
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let ticks: f64 = stat.split_whitespace().skip(13).take(2).filter_map(|ticks| ticks.parse::<f64>().ok()).sum();
    format!("cpu {:.2} s; {sizes}", ticks / 100.0)
}
