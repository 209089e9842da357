//! Options that a command would not use: refused by name where they were typed.
//!
//! Clap refuses what a command does not know. What one of its modes makes nothing of, clap lets pass: it even waives
//! `requires = "x"` where another option that conflicts with `x` is there. So every command says what it does not use
//! as it was called, and nothing that was typed is dropped in silence.
//!
//! Options from the environment or the configuration file are there for all commands and may be of no use to one. So may
//! what only says where things are, how much of the machine is used, and how it answers: --store, --namespace,
//! --config, --model-cache, --threads, --offline and --json are not refused.

use aforesaid::Pipeline;
use clap::{ArgMatches, parser::ValueSource};

use crate::{failure::Failure, global::Global};

/// What says which encoder makes vectors.
pub(crate) const ENCODER: &[&str] = &[
    "model",
    "model_dir",
    "precision",
    "encoder_url",
    "encoder_model",
    "encoder_dim",
    "encoder_revision",
    "encoder_query_prefix",
    "encoder_passage_prefix",
];
/// An encoder on a server.
pub(crate) const ENCODER_SERVER: &[&str] = ENCODER.split_at(3).1;
/// The pipeline.
pub(crate) const PIPELINE: &[&str] = &["pipeline"];
/// What a pipeline takes from files.
pub(crate) const LEARNED: &[&str] = &["ranker", "query_adapter"];
/// How queries are encoded.
const QUERY_ADAPTER: &[&str] = LEARNED.split_at(1).1;
/// How a language model is asked.
pub(crate) const LLM: &[&str] = &[
    "llm_model",
    "llm_cache",
    "llm_url",
    "llm_concurrency",
    "llm_timeout",
    "llm_max_tokens",
    "llm_max_cost",
    "llm_prices",
];
/// [`LLM`] without what the requests of a batch are known by.
pub(crate) const LLM_SERVER: &[&str] = LLM.split_at(2).1;

/// Options that a command does not use as it was called, by their names in clap.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Unused {
    options: &'static [&'static str],
    /// A clause, and what to do.
    why: &'static str,
}

/// Options of no use, and why.
pub(crate) fn unused(options: &'static [&'static str], why: &'static str) -> Unused {
    Unused { options, why }
}

/// What a command does not use that neither makes vectors nor searches.
pub(crate) fn no_search() -> Vec<Unused> {
    vec![
        unused(ENCODER, "this command makes and compares no vectors"),
        unused(PIPELINE, "this command ranks nothing"),
        unused(LEARNED, "this command ranks nothing"),
    ]
}

/// What a search does not use by words alone.
pub(crate) fn no_vectors_in(pipeline: &Pipeline) -> Vec<Unused> {
    let why = "the pipeline compares no vectors; name another with --pipeline or --system";
    if pipeline.compares_vectors() { Vec::new() } else { vec![unused(ENCODER, why), unused(QUERY_ADAPTER, why)] }
}

/// Refuses the first option that was typed and is not used.
pub(crate) fn refuse(global: &Global, matches: &ArgMatches, unused: &[Unused]) -> Result<(), Failure> {
    let typed = typed(matches);
    let without_model = global.model.as_deref() == Some("none");
    let nothing_computes = self::unused(&["model_dir", "precision", "query_adapter"], "--model none makes no vectors");
    let unused = unused.iter().copied().chain(without_model.then_some(nothing_computes));
    for Unused { options, why } in unused {
        // No model is what a command that needs none has anyway.
        let is_refused = |option: &&str| typed.contains(option) && !(*option == "model" && without_model);
        if let Some(option) = options.iter().copied().find(is_refused) {
            let option = option.replace('_', "-");
            return Err(Failure::Usage(format!("--{option}: {why}; leave --{option} out")));
        }
    }
    Ok(())
}

/// The options on the command line, before the command or after it.
fn typed(matches: &ArgMatches) -> Vec<&str> {
    let mut last = matches;
    while let Some((_, inner)) = last.subcommand() {
        last = inner;
    }
    let is_typed = |id: &&str| last.value_source(id) == Some(ValueSource::CommandLine);
    last.ids().map(clap::Id::as_str).filter(is_typed).collect()
}
