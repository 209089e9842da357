//! Every pipeline that a document writes is read as the program reads it.

use aforesaid::Pipeline;
use aforesaid_eval::experiments::System;

use super::markdown::{Document, Kind};

/// What a pipeline in words begins with.
const CALLS: [&str; 14] = [
    "bm25(",
    "dense(",
    "zscore(",
    "minmax(",
    "rrf(",
    "date_boost(",
    "title_boost(",
    "reply_boost(",
    "order_boost(",
    "mention_boost(",
    "wish_boost(",
    "recency_boost(",
    "cue_boost(",
    "rerank(",
];

/// Reads all pipelines of a document and says how many there are: in code spans, in quotes in its blocks, and in blocks
/// of their own. A span that is parameters alone is read as those of `bm25`.
pub(crate) fn check(document: &Document) -> usize {
    let name = &document.name;
    let mut found: Vec<(usize, String)> = Vec::new();
    for (line, span) in document.spans() {
        if is_pipeline(span) {
            found.push((line, span.to_owned()));
        } else if are_parameters(span) {
            found.push((line, format!("bm25({span})")));
        }
    }
    for block in &document.blocks {
        match block.kind {
            Kind::Pipeline | Kind::Preset => found.push((block.line, joined(&block.text))),
            Kind::Commands | Kind::Session | Kind::NotRun | Kind::Configuration => {
                let quoted = block.text.split('"').skip(1).step_by(2).filter(|text| is_pipeline(text));
                found.extend(quoted.map(|text| (block.line, text.to_owned())));
            }
            Kind::Rust | Kind::Data => {}
        }
        if let (Kind::Preset, Some(preset)) = (block.kind, &block.file) {
            let printed = preset.parse::<Pipeline>().unwrap().to_string();
            assert_eq!(joined(&block.text), printed, "{name}, line {}: what {preset} is", block.line);
        }
    }
    for (line, text) in &found {
        let read = text.parse::<System>();
        assert!(read.is_ok(), "{name}, line {line}: {}", read.unwrap_err());
    }
    found.len()
}

fn is_pipeline(text: &str) -> bool {
    CALLS.iter().any(|call| text.starts_with(call)) && text.ends_with(')')
}

/// `k1=0.9` and `turns=0.4:1`, but not `--option=1`.
fn are_parameters(span: &str) -> bool {
    let number = |text: &str| !text.is_empty() && text.chars().all(|c| c.is_ascii_digit() || matches!(c, '.' | ':'));
    let name = |text: &str| text.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_');
    span.split(", ").all(|one| one.split_once('=').is_some_and(|(key, value)| name(key) && number(value)))
}

/// A pipeline on one line.
fn joined(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").replace("( ", "(").replace(" )", ")")
}
