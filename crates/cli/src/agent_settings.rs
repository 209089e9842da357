//! What the configuration file says of agents: their logs, and their hooks.

use std::path::PathBuf;

use aforesaid::formats::agents::ToolTurns;
use serde::Deserialize;

/// The table `[agents]`; every key is optional.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct AgentSettings {
    /// Projects that are read; all where none is named.
    pub(crate) allow: Vec<String>,
    /// Projects that are never read, and never searched for a hook.
    pub(crate) deny: Vec<String>,
    /// What becomes of tool calls.
    pub(crate) tools: Option<ToolTurns>,
    /// A file of rules of one's own for what is cut out.
    pub(crate) secret_rules: Option<PathBuf>,
    /// Turns of a project at most.
    pub(crate) max_turns: Option<u64>,
    /// Whether hooks hand memories to an agent.
    pub(crate) context: HookContext,
    /// Characters that they hand over at most.
    pub(crate) context_chars: Option<usize>,
    /// How likely a memory must be to answer, from 0 to 1.
    pub(crate) context_confidence: Option<f64>,
    /// How hooks search.
    pub(crate) context_search: HookSearch,
}

/// How hooks search.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum HookSearch {
    /// As `search` does.
    #[default]
    Full,
    /// By keywords alone, so that no model is loaded.
    Keywords,
}

/// Whether hooks hand memories to an agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum HookContext {
    /// They do.
    #[default]
    On,
    /// They do not.
    Off,
    /// They say that there are some, and that the person is to be asked first.
    Ask,
}
