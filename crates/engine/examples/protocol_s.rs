//! Session retrieval on LoCoMo through the shipped search path (docs/evaluation.md, protocol S).
//!
//! `cargo run --release --example protocol_s -- locomo10.json MODEL_CACHE [PRESET...]`
#![allow(
    clippy::print_stdout,
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "an example stops at the first error"
)]

use std::{num::NonZeroUsize, sync::Arc};

use aforesaid::{
    Creation, EncoderSource, Explanations, Memory, Options, Preset,
    formats::{Captions, Format, Source},
    models::{BertEncoder, Downloads, Places, Threads, obtain, registry},
    types::{ConversationId, Namespace, Query, Scope, Tail, Unit},
};
use serde_json::Value;

/// A question and the sessions that hold its evidence.
struct Question {
    text: String,
    conversation: ConversationId,
    gold: Vec<String>,
}

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

/// All questions with at least one evidence item that is exactly `D<int>:<int>` after trimming.
fn questions(bytes: &[u8]) -> Vec<Question> {
    let samples: Vec<Value> = serde_json::from_slice(bytes).expect("LoCoMo JSON");
    let mut questions = Vec::new();
    for sample in &samples {
        let conversation = ConversationId::new(sample["sample_id"].as_str().unwrap()).unwrap();
        for qa in sample["qa"].as_array().unwrap() {
            let evidence = qa["evidence"].as_array().map(Vec::as_slice).unwrap_or_default();
            let mut gold: Vec<String> = evidence.iter().filter_map(|item| session_of(item.as_str()?.trim())).collect();
            gold.sort();
            gold.dedup();
            if !gold.is_empty() {
                let text = qa["question"].as_str().unwrap().to_owned();
                questions.push(Question { text, conversation: conversation.clone(), gold });
            }
        }
    }
    questions
}

fn session_of(evidence: &str) -> Option<String> {
    let (session, turn) = evidence.strip_prefix('D')?.split_once(':')?;
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    (digits(session) && digits(turn)).then(|| format!("session_{session}"))
}

/// Mean Hit@1, Recall@3, Recall@5, reciprocal rank and nDCG@5.
fn evaluate(memory: &Memory, namespace: &Namespace, preset: &Preset, questions: &[Question]) -> [f64; 5] {
    let mut sums = [0.0; 5];
    for question in questions {
        let query = Query {
            scope: Scope { conversation: Some(question.conversation.clone()), ..Scope::default() },
            unit: Unit::Session,
            k: NonZeroUsize::MAX,
            tail: Tail::All,
            ..Query::new(namespace.clone(), &question.text)
        };
        let answer = memory.search(&query, preset, Explanations::Omit).expect("a search");
        let found: Vec<bool> = answer.hits.iter().map(|hit| question.gold.contains(&hit.id)).collect();
        let recall = |k: usize| found.iter().take(k).filter(|hit| **hit).count() as f64 / question.gold.len() as f64;
        let gain = |rank: usize| 1.0 / ((rank + 2) as f64).log2();
        let ideal: f64 = (0..question.gold.len().min(5)).map(gain).sum();
        let gained: f64 = (0..found.len().min(5)).filter(|&rank| found[rank]).map(gain).sum();
        let first = found.iter().position(|hit| *hit);
        let measures = [
            f64::from(u8::from(first == Some(0))),
            recall(3),
            recall(5),
            first.map_or(0.0, |rank| 1.0 / (rank + 1) as f64),
            gained / ideal,
        ];
        sums.iter_mut().zip(measures).for_each(|(sum, measure)| *sum += measure);
    }
    sums.map(|sum| sum / questions.len() as f64)
}
