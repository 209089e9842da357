//! Many tenants of very different sizes in one store: `tenants_bench STORE TURNS TENANTS [QUESTIONS] [OPERATIONS]`.
//!
//! Sizes follow a Zipf distribution, with three tenants of fixed shares beside: a tenth of all turns, a fiftieth and a
//! two-thousandth (of 10^6 turns: 100,000, 20,000 and 500). Vectors of 384 components are a centre of 64 for each tenant plus noise, made
//! out of the text: no model is needed. Prints one JSON object: times, and for each of the three tenants the query vectors
//! with the ids found, for `bench/postgres.py` to compare with an exact scan and with another index.
//!
//! OPERATIONS are searches and additions by turns, each of a tenant drawn by its size: what a server does all day. Their
//! processor time is given for this process and for those named `postgres` on this machine.
#![allow(clippy::print_stdout, reason = "this program talks to people")]

use std::{error::Error, num::NonZeroUsize, sync::Arc, time::Instant};

use aforesaid::{
    EncodeError, Encoder, EncoderSource, Explanations, Locality, Memory, Pipeline,
    types::{ConversationId, EncoderId, MemoryId, Namespace, Query, SessionId, Turn, Vectors},
};
use serde_json::{Value, json};

const DIM: usize = 384;

/// Hits of a search.
const K: NonZeroUsize = NonZeroUsize::MIN.saturating_add(9);

/// Turns in a session.
const SESSION: usize = 20;

/// Turns that one call adds.
const BATCH: usize = 1000;

/// A generator of numbers (SplitMix64).
struct Numbers(u64);

impl Numbers {
    /// One that a text begins.
    fn of(text: &str) -> Self {
        Self(
            text.bytes()
                .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)),
        )
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number from -1 to 1, likelier around 0.
    fn noise(&mut self) -> f32 {
        let one = |bits: u64| (bits >> 40) as f32 / (1 << 23) as f32 - 1.0;
        (one(self.next()) + one(self.next())) / 2.0
    }
}

/// A centre, which the first two words of a text name, plus noise of the whole text.
struct Clusters(EncoderId);

fn vector(text: &str) -> Vec<f32> {
    // A passage begins with who said it.
    let text = text.strip_prefix("Ann: ").unwrap_or(text);
    let centre: Vec<&str> = text.splitn(3, ' ').take(2).collect();
    let (mut centre, mut noise) = (Numbers::of(&centre.join(" ")), Numbers::of(text));
    let vector: Vec<f32> = (0..DIM).map(|_| centre.noise() + 0.7 * noise.noise()).collect();
    let length = vector.iter().map(|x| x * x).sum::<f32>().sqrt();
    vector.into_iter().map(|x| x / length).collect()
}

impl Encoder for Clusters {
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
        let data = texts.iter().flat_map(|text| vector(text)).collect();
        let failed = || EncodeError { encoder: self.0.clone(), message: "no components".to_owned() };
        Vectors::new(DIM, data).ok_or_else(failed)
    }

    fn encode_passages(&self, texts: &[&str]) -> Result<Vectors, EncodeError> {
        self.encode_queries(texts)
    }
}

/// Sizes of tenants: three of fixed shares, the others by Zipf.
fn sizes(turns: usize, tenants: usize) -> Vec<usize> {
    let fixed = [turns / 10, turns / 50, turns / 2000].map(|size| size.max(1));
    let rest = turns.saturating_sub(fixed.iter().sum());
    let others = tenants.saturating_sub(fixed.len()).max(1);
    let weight: f64 = (1..=others).map(|rank| 1.0 / rank as f64).sum();
    let zipf = (1..=others).map(|rank| ((rest as f64 / rank as f64 / weight).round() as usize).max(1));
    fixed.into_iter().chain(zipf).collect()
}

/// Words with a heavy tail, after the two that name the centre.
fn text(tenant: usize, turn: usize) -> String {
    let mut numbers = Numbers(((tenant as u64) << 32) ^ turn as u64);
    let centre = numbers.next() % 64;
    let mut text = format!("tenant{tenant} topic{centre}");
    for _ in 0..16 {
        let unit = (numbers.next() >> 11) as f64 / (1u64 << 53) as f64;
        text.push_str(&format!(" w{}", (20_000f64.powf(unit)) as u64));
    }
    text
}

fn open(store: &str) -> Result<Memory, Box<dyn Error>> {
    let encoder = Arc::new(Clusters(EncoderId::new("clusters@1/f32")?));
    Ok(Memory::builder().encoders(EncoderSource::Ready(encoder)).open(store)?)
}

fn main() -> Result<(), Box<dyn Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let usage = "usage: tenants_bench STORE TURNS TENANTS [QUESTIONS] [OPERATIONS]";
    let [store, turns, tenants, ..] = args.as_slice() else { return Err(usage.into()) };
    let questions: usize = args.get(3).map_or(Ok(20), |word| word.parse())?;
    let operations: usize = args.get(4).map_or(Ok(0), |word| word.parse())?;
    let sizes = sizes(turns.parse()?, tenants.parse()?);
    let memory = open(store)?;
    let (started, server_before) = (Instant::now(), server_cpu_s());
    for (tenant, size) in sizes.iter().enumerate() {
        load(&memory, tenant, *size)?;
    }
    let load_s = started.elapsed().as_secs_f64();
    let (load_cpu_s, load_server_cpu_s) = (cpu_s(), server_cpu_s() - server_before);
    let day = if operations > 0 { work(&memory, &sizes, operations)? } else { Value::Null };
    drop(memory);
    let asked: Vec<Value> =
        (0..3).map(|tenant| ask(store, tenant, sizes[tenant], questions)).collect::<Result<_, _>>()?;
    // The same tenants as if they were too large to hold.
    let in_database: Vec<Value> = match store.contains("://") {
        true => {
            let sign = if store.contains('?') { '&' } else { '?' };
            let small = format!("{store}{sign}held_memories=0");
            (0..3).map(|tenant| ask(&small, tenant, sizes[tenant], questions)).collect::<Result<_, _>>()?
        }
        false => Vec::new(),
    };
    let turns: usize = sizes.iter().sum();
    println!(
        "{}",
        json!({
            "turns": turns, "tenants": sizes.len(), "load_s": load_s, "load_cpu_s": load_cpu_s,
            "load_server_cpu_s": load_server_cpu_s, "day": day, "asked": asked, "in_database": in_database,
        })
    );
    Ok(())
}

fn load(memory: &Memory, tenant: usize, size: usize) -> Result<(), Box<dyn Error>> {
    let namespace = Namespace::new(format!("tenant-{tenant}"))?;
    for first in (0..size).step_by(BATCH) {
        let turn = |turn: usize| -> Result<Turn, Box<dyn Error>> {
            let session = SessionId::new(format!("s{}", turn / SESSION))?;
            let new = Turn::new(ConversationId::new("c")?, session, "Ann", text(tenant, turn));
            Ok(Turn { id: Some(MemoryId::new(format!("t{turn}"))?), ..new })
        };
        let turns = (first..size.min(first + BATCH)).map(turn).collect::<Result<Vec<_>, _>>()?;
        memory.add_turns(&namespace, turns)?;
    }
    Ok(())
}

/// Milliseconds of the first search of a process that reads all rows, of the first from a snapshot, and of others.
fn ask(store: &str, tenant: usize, size: usize, questions: usize) -> Result<Value, Box<dyn Error>> {
    let namespace = Namespace::new(format!("tenant-{tenant}"))?;
    // A new process' worth: nothing is held in memory.
    let mut cold = Vec::new();
    let (mut warm, mut found) = (Vec::new(), Vec::new());
    let hybrid = Pipeline::hybrid();
    let dense: Pipeline = "dense(max)".parse()?;
    for round in 0..3 {
        let memory = open(store)?;
        for question in 0..questions {
            let text = text(tenant, question * size / questions);
            // Half of a turn and words of its own: near a turn, and the same as none.
            let words = format!("{} and{question}", text.split(' ').take(10).collect::<Vec<_>>().join(" "));
            let query = Query { k: K, ..Query::new(namespace.clone(), words.as_str()) };
            let started = Instant::now();
            memory.search(&query, &hybrid, Explanations::Omit)?;
            let took = started.elapsed().as_secs_f64() * 1e3;
            if question == 0 {
                cold.push(took)
            } else {
                warm.push(took)
            }
            if round == 0 {
                let answer = memory.search(&query, &dense, Explanations::Omit)?;
                let ids: Vec<&str> = answer.hits.iter().map(|hit| hit.id.as_str()).collect();
                found.push(json!({"vector": vector(&words), "ids": ids}));
            }
        }
    }
    Ok(json!({
        "namespace": namespace, "turns": size, "first_ms": cold[0], "cold_ms": cold[1..], "warm_ms": warm, "found": found
    }))
}

/// Searches and additions by turns, of tenants drawn by their sizes.
fn work(memory: &Memory, sizes: &[usize], operations: usize) -> Result<Value, Box<dyn Error>> {
    let ends: Vec<usize> = sizes
        .iter()
        .scan(0, |end, size| {
            Some({
                *end += size;
                *end
            })
        })
        .collect();
    let (mut numbers, mut searches, mut additions) = (Numbers(21), Vec::new(), Vec::new());
    let hybrid = Pipeline::hybrid();
    let (started, cpu_before, server_before) = (Instant::now(), cpu_s(), server_cpu_s());
    for operation in 0..operations {
        let drawn = numbers.next() as usize % ends.last().copied().unwrap_or(1).max(1);
        let tenant = ends.partition_point(|end| *end <= drawn);
        let namespace = Namespace::new(format!("tenant-{tenant}"))?;
        let began = Instant::now();
        if operation % 2 == 0 {
            let query = Query { k: K, ..Query::new(namespace, text(tenant, drawn)) };
            memory.search(&query, &hybrid, Explanations::Omit)?;
            searches.push(began.elapsed().as_secs_f64() * 1e3);
        } else {
            let session = SessionId::new(format!("new{}", operation / SESSION))?;
            let turn = Turn::new(ConversationId::new("c")?, session, "Ann", text(tenant, usize::MAX - operation));
            memory.add_turns(&namespace, vec![turn])?;
            additions.push(began.elapsed().as_secs_f64() * 1e3);
        }
    }
    let took = started.elapsed().as_secs_f64();
    let cpu = |after: f64, before: f64| (after - before) * 1e3 / operations as f64;
    Ok(json!({
        "operations": operations, "seconds": took, "client_cpu_ms": cpu(cpu_s(), cpu_before),
        "server_cpu_ms": cpu(server_cpu_s(), server_before), "search_ms": searches, "add_ms": additions,
        "index_bytes": memory.index_bytes(),
    }))
}

/// Processor time of this process in seconds; 0 where the system does not say.
fn cpu_s() -> f64 {
    std::fs::read_to_string("/proc/self/stat").map_or(0.0, |stat| seconds(&stat, 2))
}

/// Processor time of all processes named `postgres` and of those that they waited for, in seconds.
fn server_cpu_s() -> f64 {
    let stats = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let stats = stats.filter_map(|entry| std::fs::read_to_string(entry.path().join("stat")).ok());
    stats.filter(|stat| stat.contains("(postgres)")).map(|stat| seconds(&stat, 4)).sum()
}

/// The first of the times in a line of `/proc/PID/stat`, which are in hundredths of a second.
fn seconds(stat: &str, times: usize) -> f64 {
    let after_name = stat.rsplit_once(')').map_or("", |(_, rest)| rest);
    after_name.split_whitespace().skip(11).take(times).filter_map(|ticks| ticks.parse::<f64>().ok()).sum::<f64>()
        / 100.0
}
