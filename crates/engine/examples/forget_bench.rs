//! What one forgotten turn costs whoever searches next: `forget_bench STORE fill TURNS`, then `forget_bench STORE search`
//! and `forget_bench STORE forget ID`, each a process of its own, and `forget_bench STORE both ID...` in one process.
//!
//! The encoder makes vectors of 384 components out of the words of a text. Times are wall-clock milliseconds.
#![allow(clippy::print_stdout, reason = "this program talks to people")]

use std::{error::Error, sync::Arc, time::Instant};

use aforesaid::{
    EncodeError, Encoder, EncoderSource, Explanations, Locality, Memory, Pipeline, Target,
    store::MemoryRef,
    types::{ConversationId, EncoderId, MemoryId, Namespace, Query, SessionId, Turn, Vectors},
};

const DIM: usize = 384;

struct Hashed(EncoderId);

impl Encoder for Hashed {
    fn id(&self) -> &EncoderId {
        &self.0
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
        let mut data = Vec::with_capacity(texts.len() * DIM);
        for text in texts {
            let mut state = text.bytes().fold(7u32, |state, byte| state.wrapping_mul(31).wrapping_add(byte.into()));
            let row: Vec<f32> = (0..DIM)
                .map(|_| {
                    state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                    (state >> 8) as f32 / (1 << 24) as f32 - 0.5
                })
                .collect();
            let norm = row.iter().map(|x| x * x).sum::<f32>().sqrt();
            data.extend(row.into_iter().map(|x| x / norm));
        }
        Vectors::new(DIM, data).ok_or_else(|| EncodeError { encoder: self.0.clone(), message: "none".to_owned() })
    }
}

/// Words of a turn: common ones are very common, as in speech.
fn text(number: usize) -> String {
    let mut state = number as u64 + 1;
    let mut next = move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as f64 / (1u64 << 31) as f64
    };
    (0..20).map(|_| format!("w{:x}", (40_000.0 * next().powi(4)) as u32)).collect::<Vec<_>>().join(" ")
}

fn main() -> Result<(), Box<dyn Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [store, part, rest @ ..] = &args[..] else { return Err("usage: forget_bench STORE PART ...".into()) };
    let started = Instant::now();
    let encoder = EncoderSource::Ready(Arc::new(Hashed(EncoderId::new("hashed@1/f32")?)));
    let memory = Memory::builder().encoders(encoder).open(store)?;
    let namespace = Namespace::new("bench")?;
    let mut last = started;
    let mut lap = |what: &str| {
        println!("{what:8} {:9.1} ms", last.elapsed().as_secs_f64() * 1e3);
        last = Instant::now();
    };
    lap("open");
    let search = |memory: &Memory| {
        let answer =
            memory.search(&Query::new(namespace.clone(), "w3 w4f w99 w1234"), &Pipeline::hybrid(), Explanations::Omit);
        answer.map(|answer| answer.hits.len())
    };
    let forget = |memory: &Memory, id: &str| {
        memory.forget(&namespace, &Target::One(MemoryRef { id: MemoryId::new(id)?, conversation: None }))
    };
    match part.as_str() {
        "fill" => {
            let turns: usize = rest[0].parse()?;
            let turn = |number: usize| -> Result<Turn, Box<dyn Error>> {
                Ok(Turn {
                    id: Some(MemoryId::new(format!("t{number}"))?),
                    ..Turn::new(
                        ConversationId::new(format!("c{}", number / 10_000))?,
                        SessionId::new(format!("s{}", number / 20))?,
                        if number.is_multiple_of(2) { "Ann" } else { "Bob" }.to_owned(),
                        text(number),
                    )
                })
            };
            memory.add_turns(&namespace, (0..turns).map(turn).collect::<Result<_, _>>()?)?;
            lap("add");
            memory.prepare(&namespace, &Pipeline::hybrid())?;
            lap("prepare");
        }
        "search" => {
            search(&memory)?;
            lap("search");
        }
        "forget" => {
            forget(&memory, &rest[0])?;
            lap("forget");
        }
        _ => {
            search(&memory)?;
            lap("search");
            for id in rest {
                forget(&memory, id)?;
                lap("forget");
                search(&memory)?;
                lap("search");
            }
        }
    }
    drop(memory);
    lap("close");
    println!("file     {:9.1} MB", std::fs::metadata(store)?.len() as f64 / 1e6);
    Ok(())
}
