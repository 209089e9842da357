//! One file a command.

pub(crate) mod add;
pub(crate) mod agents;
pub(crate) mod ask;
pub(crate) mod backup;
pub(crate) mod check;
pub(crate) mod completions;
mod confirm;
pub(crate) mod cues;
pub(crate) mod demo;
pub(crate) mod eval;
pub(crate) mod export;
pub(crate) mod forget;
pub(crate) mod hook;
pub(crate) mod import;
pub(crate) mod list;
pub(crate) mod man;
pub(crate) mod mcp;
pub(crate) mod migrate;
pub(crate) mod models;
pub(crate) mod reembed;
pub(crate) mod search;
pub(crate) mod show;
pub(crate) mod stats;
pub(crate) mod store;
pub(crate) mod sync;
mod texts;
pub(crate) mod train;
pub(crate) mod update;
pub(crate) mod why;

use aforesaid::visible::escaped_json;
use serde::Serialize;

use crate::failure::Failure;

/// Prints one JSON document on one line.
fn print_json(value: &impl Serialize) -> Result<(), Failure> {
    use std::io::Write;
    serde_json::to_string(value)
        .map_err(std::io::Error::from)
        .and_then(|json| writeln!(std::io::stdout().lock(), "{}", escaped_json(&json)))
        .map_err(Failure::io("standard output"))
}
