//! One file a command.

pub(crate) mod add;
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
pub(crate) mod import;
pub(crate) mod models;
pub(crate) mod reembed;
pub(crate) mod search;
pub(crate) mod show;
pub(crate) mod stats;
pub(crate) mod why;

use serde::Serialize;

use crate::failure::Failure;

/// Prints one JSON document on one line.
fn print_json(value: &impl Serialize) -> Result<(), Failure> {
    use std::io::Write;
    let mut out = std::io::stdout().lock();
    serde_json::to_writer(&mut out, value)
        .map_err(std::io::Error::from)
        .and_then(|()| writeln!(out))
        .map_err(Failure::io("standard output"))
}
