//! Milliseconds a search takes in a running process: `search_bench STORE NAMESPACE QUESTIONS MODEL_CACHE PRESET`.
//!
//! It encodes as the store's vectors were. QUESTIONS has one a line. Prints one JSON object; `bench/search` reads it.
#![allow(clippy::print_stdout, reason = "an example talks to people")]

use std::{error::Error, sync::Arc, time::Instant};

use aforesaid::{
    Creation, EncoderSource, Explanations, Memory, Pipeline,
    models::{BertEncoder, Downloads, ModelPaths, Precision, Runtime, Threads, find, registry},
    types::{EncoderId, Namespace, Query},
};

const USAGE: &str = "usage: search_bench STORE NAMESPACE QUESTIONS MODEL_CACHE PRESET";

fn main() -> Result<(), Box<dyn Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [store, namespace, questions, cache, pipeline] = args.as_slice() else { return Err(USAGE.into()) };
    let paths = ModelPaths { explicit: None, cache: cache.into(), hf_home: None, downloads: Downloads::Forbidden };
    let files = find(registry::named("all-MiniLM-L6-v2")?, &paths)?;
    let (namespace, pipeline) = (Namespace::new(namespace.as_str())?, pipeline.parse::<Pipeline>()?);
    let memory = Memory::builder().creation(Creation::Forbidden).open(store)?;
    let serving = memory.active_encoder(&namespace)?;
    let precision: Precision = serving.as_ref().and_then(EncoderId::precision).unwrap_or("f32").parse()?;
    let encoder = BertEncoder::load(&files, Runtime::new(precision, Threads::available()))?;
    let memory = memory.with_encoders(EncoderSource::Ready(Arc::new(encoder)));
    let questions = std::fs::read_to_string(questions)?;
    let ask = |question: &str| memory.search(&Query::new(namespace.clone(), question), &pipeline, Explanations::Omit);

    let started = Instant::now();
    ask("anything to load the index")?;
    let first = started.elapsed().as_secs_f64() * 1000.0;
    let (mut encode, mut search) = (Vec::new(), Vec::new());
    for question in questions.lines() {
        let timing = ask(question)?.timing_ms;
        encode.push(timing.encode);
        search.push(timing.search);
    }
    println!(
        "{{\"first\": {first}, \"encode_p50\": {}, \"encode_p95\": {}, \"search_p50\": {}, \"search_p95\": {}, \
         \"index_bytes\": {}}}",
        percentile(&mut encode, 0.50),
        percentile(&mut encode, 0.95),
        percentile(&mut search, 0.50),
        percentile(&mut search, 0.95),
        memory.index_bytes(),
    );
    Ok(())
}

fn percentile(values: &mut [f64], share: f64) -> f64 {
    values.sort_by(f64::total_cmp);
    let at = ((values.len().saturating_sub(1)) as f64 * share).round() as usize;
    values.get(at).copied().unwrap_or(0.0)
}
