//! The five tools: what each takes, does and answers. Nothing here knows the protocol.

mod add_memory;
mod forget_memory;
mod get_memory;
mod list_sessions;
mod search_memories;

use std::{
    num::NonZeroUsize,
    sync::{Arc, OnceLock},
};

use aforesaid::{
    Memory, NoVectors, Pipeline, Reranking, Warning,
    rerank::Reranker,
    types::{Namespace, Zone},
};
use serde_json::{Map, Value, json};

use crate::{
    arguments::{self, Argument, Given},
    failure::ToolError,
};

/// What tools work on: one namespace of one memory.
pub struct Toolbox {
    /// The store, and its encoders.
    pub memory: Memory,
    /// The namespace of all calls; no call names another.
    pub namespace: Namespace,
    /// How searches rank.
    pub pipeline: Pipeline,
    /// What reranks the best hits of searches, where something is to.
    pub rerank: Option<Rerank>,
    /// Below which confidence a search gives no hits, in [0, 1].
    pub min_confidence: f64,
    /// Where days begin and end.
    pub zone: Zone,
}

/// A reranker of searches, which may still be on its way.
#[derive(Clone)]
pub struct Rerank {
    /// Empty until it is loaded. Searches go on without it until then, and say so.
    pub reranker: Arc<OnceLock<Arc<dyn Reranker>>>,
    /// How many turns it is shown; `None` for its own depth.
    pub depth: Option<NonZeroUsize>,
}

impl Rerank {
    /// How a search is reranked, or why it is not yet.
    fn ready(&self) -> Result<Reranking<'_>, Warning> {
        let loading = || Warning::RerankSkipped { reason: "the reranker is being loaded; ask again".to_owned() };
        let reranker = self.reranker.get().ok_or_else(loading)?;
        Ok(Reranking::new(reranker.as_ref()).to_depth(self.depth))
    }
}

/// A tool: its definition, and what it does.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Tool {
    pub(crate) name: &'static str,
    pub(crate) title: &'static str,
    pub(crate) description: &'static str,
    pub(crate) arguments: &'static [Argument],
    /// Properties of its answer: name, JSON type, whether it is always there.
    pub(crate) answer: &'static [(&'static str, &'static str, bool)],
    pub(crate) effect: Effect,
    run: fn(&Toolbox, Given<'_>) -> Result<ToolResult, ToolError>,
}

/// What a tool does to the memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Effect {
    /// Nothing.
    Reads,
    /// It adds; the same call adds again.
    Adds,
    /// It deletes; the same call deletes nothing more.
    Deletes,
}

/// The result of a tool: the same for the model to read and for programs.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ToolResult {
    pub(crate) text: String,
    pub(crate) structured: Map<String, Value>,
}

/// All tools, in the order of their listing.
pub(crate) const TOOLS: [Tool; 5] =
    [search_memories::TOOL, get_memory::TOOL, add_memory::TOOL, forget_memory::TOOL, list_sessions::TOOL];

impl Tool {
    /// The tool of that name.
    pub(crate) fn named(name: &str) -> Option<&'static Tool> {
        static ALL: [Tool; 5] = TOOLS;
        ALL.iter().find(|tool| tool.name == name)
    }

    /// The JSON schema of its arguments.
    pub(crate) fn input_schema(&self) -> Map<String, Value> {
        arguments::schema(self.arguments)
    }

    /// The JSON schema of its answer.
    pub(crate) fn output_schema(&self) -> Map<String, Value> {
        let properties: Map<String, Value> =
            self.answer.iter().map(|(name, kind, _)| ((*name).to_owned(), json!({"type": kind}))).collect();
        let required: Vec<&str> = self.answer.iter().filter(|(_, _, always)| *always).map(|(name, ..)| *name).collect();
        let schema = json!({"type": "object", "properties": properties, "required": required});
        match schema {
            Value::Object(schema) => schema,
            _ => Map::new(),
        }
    }
}

impl Toolbox {
    /// Calls a tool.
    ///
    /// # Errors
    /// When its arguments are not what it takes, or it cannot do as asked.
    pub(crate) fn call(&self, tool: &Tool, arguments: &Map<String, Value>) -> Result<ToolResult, ToolError> {
        (tool.run)(self, Given::check(tool.name, tool.arguments, arguments)?)
    }
}

impl ToolResult {
    fn new(text: String, fields: Value) -> Self {
        Self { text, structured: without_nulls(fields) }
    }
}

/// The fields of an object that are not null.
fn without_nulls(fields: Value) -> Map<String, Value> {
    match fields {
        Value::Object(fields) => fields.into_iter().filter(|(_, value)| !value.is_null()).collect(),
        _ => Map::new(),
    }
}

/// A value as JSON; nothing of ours fails to be.
fn json_of(value: &impl serde::Serialize) -> Result<Value, ToolError> {
    serde_json::to_value(value).map_err(|error| ToolError { code: "internal", message: error.to_string() })
}

/// What is new of some warnings to whoever calls: that somebody chose to have no model is none.
fn news(warnings: Vec<Warning>) -> Vec<Warning> {
    use Warning::{LexicalOnly, StoredWithoutVectors};
    let is_chosen = |warning: &Warning| matches!(warning, LexicalOnly { reason } | StoredWithoutVectors { reason } if *reason == NoVectors::SwitchedOff);
    warnings.into_iter().filter(|warning| !is_chosen(warning)).collect()
}

/// What the model should know of an answer, a line each.
fn notes(warnings: &[Warning]) -> String {
    warnings.iter().map(|warning| format!("note: {warning}\n")).collect()
}

/// Warnings as programs read them; null where there are none.
fn warnings_json(warnings: &[Warning]) -> Value {
    let texts: Vec<String> = warnings.iter().map(ToString::to_string).collect();
    if texts.is_empty() { Value::Null } else { json!(texts) }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// Tools on an empty store, without an encoder.
    pub(crate) fn toolbox() -> Toolbox {
        Toolbox {
            memory: Memory::builder().open("memory:").unwrap(),
            namespace: Namespace::new("agent").unwrap(),
            pipeline: "lexical".parse().unwrap(),
            rerank: None,
            min_confidence: 0.0,
            zone: Zone::UTC,
        }
    }
}
