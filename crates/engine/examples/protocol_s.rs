//! Session retrieval on LoCoMo through the shipped search path (protocol S of the fusion study).
//!
//! `cargo run --release --example protocol_s -- locomo10.json MODEL_CACHE [PRESET...]`
#![allow(
    clippy::print_stdout,
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "an example stops at the first error"
)]

#[path = "../tests/protocol/mod.rs"]
mod protocol;

use std::sync::Arc;

use aforesaid::{
    Creation, EncoderSource, Memory, Options, Preset,
    formats::{Captions, Format, Source},
    models::{BertEncoder, Downloads, Places, Threads, obtain, registry},
    types::Namespace,
};
use protocol::{evaluate, questions};

fn main() {
    let mut args = std::env::args().skip(1);
    let data = args.next().expect("usage: protocol_s LOCOMO_JSON MODEL_CACHE [PRESET...]");
    let cache = args.next().expect("usage: protocol_s LOCOMO_JSON MODEL_CACHE [PRESET...]");
    let presets: Vec<String> = args.collect();
    let presets =
        if presets.is_empty() { vec!["paper-bm25".into(), "lexical".into(), "hybrid".into()] } else { presets };

    let bytes = std::fs::read(&data).expect("the data set");
    let memory = memory(&cache);
    // The published baselines leave image captions out.
    let (plain, full) = (Namespace::new("plain").unwrap(), Namespace::new("full").unwrap());
    for (namespace, captions) in [(&plain, Captions::Drop), (&full, Captions::Keep)] {
        let source = Source { file: &data, stem: "locomo", conversation: None, captions };
        memory.import(namespace, Some(Format::Locomo), &bytes, &source, &mut |_| {}).expect("import");
    }
    let questions = questions(&bytes);
    println!("{} questions", questions.len());
    println!("{:24} {:>7} {:>7} {:>7} {:>7} {:>7}", "preset", "hit@1", "r@3", "r@5", "mrr", "ndcg@5");
    for name in presets {
        let preset: Preset = name.parse().expect("a preset");
        let namespace = if name.starts_with("paper") { &plain } else { &full };
        let [hit, r3, r5, mrr, ndcg] = evaluate(&memory, namespace, &preset, &questions);
        println!("{name:24} {hit:7.4} {r3:7.4} {r5:7.4} {mrr:7.4} {ndcg:7.4}");
    }
}

fn memory(cache: &str) -> Memory {
    let entry = registry::named("all-MiniLM-L6-v2").unwrap();
    let places = Places { explicit: None, cache: cache.into(), hf_home: None, downloads: Downloads::Allowed };
    let files = obtain(entry, &places, &mut |_| ()).expect("the model");
    let encoder = EncoderSource::Ready(Arc::new(BertEncoder::load(&files, Threads::available()).expect("the model")));
    Memory::open("memory:", Options { creation: Creation::Allowed, encoder, ..Options::default() }).unwrap()
}
