//! Options of every command, and the commands.

use std::{num::NonZeroUsize, path::PathBuf};

use aforesaid::{
    Preset,
    models::Instructions,
    types::{Namespace, UnknownChoice},
};
use clap::{Args, Parser, Subcommand, ValueHint};

use crate::{
    commands,
    server::ServerArgs,
    settings::{PrecisionChoice, Settings},
    unused::{Unused, no_search, no_vectors_in},
};

/// A memory for conversations: turns go in; ask later, and the exact turns come back.
#[derive(Debug, Parser)]
#[command(
    name = "aforesaid",
    version,
    propagate_version = true,
    after_help = "Settings come from options, then AFORESAID_* variables, then the configuration file, then defaults.\n\
        Exit codes: 0 done; 1 the store or the machine failed; 2 wrong usage; 3 not found; 4 invalid input; 5 no model."
)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) global: Global,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// Options of every command.
#[derive(Debug, Args)]
pub(crate) struct Global {
    /// The store: a path, or memory: for none at all [default: in your data directory].
    #[arg(long, global = true, env = "AFORESAID_STORE", value_hint = ValueHint::FilePath)]
    pub(crate) store: Option<String>,
    /// The namespace: one user, agent or app [default: default].
    #[arg(long, short, global = true, env = "AFORESAID_NAMESPACE")]
    pub(crate) namespace: Option<Namespace>,
    /// The encoder's name, or "none" [default: that of the namespace's vectors, or all-MiniLM-L6-v2].
    #[arg(long, global = true, env = "AFORESAID_MODEL")]
    pub(crate) model: Option<String>,
    /// A directory with the encoder's files.
    #[arg(long, global = true, env = "AFORESAID_MODEL_DIR", value_hint = ValueHint::DirPath)]
    pub(crate) model_dir: Option<PathBuf>,
    /// In which numbers the encoder computes: auto, f32, bf16 or int8 [default: auto, those of the namespace's vectors].
    #[arg(long, global = true, env = "AFORESAID_PRECISION")]
    pub(crate) precision: Option<PrecisionChoice>,
    #[command(flatten)]
    pub(crate) server: ServerArgs,
    /// The instructions to compute with, for tests: avx512, avx2, neon or portable [default: the best there are].
    #[arg(long, global = true, env = "AFORESAID_INSTRUCTIONS", hide = true, value_parser = instructions)]
    pub(crate) instructions: Option<Instructions>,
    /// Where fetched models are kept [default: in your cache directory].
    #[arg(long, global = true, env = "AFORESAID_MODEL_CACHE", value_hint = ValueHint::DirPath)]
    pub(crate) model_cache: Option<PathBuf>,
    /// Never use the network; only an encoder's server on this machine is asked.
    #[arg(long, global = true, env = "AFORESAID_OFFLINE", value_parser = clap::builder::FalseyValueParser::new())]
    pub(crate) offline: bool,
    /// Processor cores to use [default: all].
    #[arg(long, global = true, env = "AFORESAID_THREADS", value_parser = at_least_one)]
    pub(crate) threads: Option<NonZeroUsize>,
    /// The configuration file [default: config.toml in your configuration directory].
    #[arg(long, global = true, env = "AFORESAID_CONFIG", value_hint = ValueHint::FilePath)]
    pub(crate) config: Option<PathBuf>,
    /// Print JSON.
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// The pipeline: hybrid, lexical, a paper-* baseline, or one in words, such as
    /// "zscore(0.7, bm25, dense(max))" [default: hybrid].
    #[arg(long, global = true, env = "AFORESAID_PRESET", value_parser = preset)]
    pub(crate) preset: Option<Preset>,
}

/// A whole number from 1.
pub(crate) fn at_least_one(text: &str) -> Result<NonZeroUsize, String> {
    text.parse().map_err(|_| "expected a whole number from 1".to_owned())
}

/// A number from 0 to 1.
pub(crate) fn probability(text: &str) -> Result<f64, String> {
    let number = text.parse().ok().filter(|number| (0.0..=1.0).contains(number));
    number.ok_or_else(|| "expected a number from 0 to 1".to_owned())
}

/// Instructions that this processor has.
fn instructions(word: &str) -> Result<Instructions, String> {
    let asked: Instructions = word.parse().map_err(|error: UnknownChoice| error.to_string())?;
    match asked.is_available() {
        true => Ok(asked),
        false => Err(format!(
            "this processor lacks them; the best it has are {}, leave --instructions out",
            Instructions::best()
        )),
    }
}

fn preset(name: &str) -> Result<Preset, String> {
    name.parse().map_err(|error: aforesaid::pipeline::InvalidPipeline| error.to_string())
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Read conversations from files.
    Import(commands::import::Import),
    /// Add one turn, or one note.
    Add(commands::add::Add),
    /// Ask, and get the exact turns back.
    Search(Box<commands::search::Search>),
    /// Ask, and have a language model answer from what is found.
    Ask(Box<commands::ask::Ask>),
    /// Say why a turn, note or session is found where it is, or not found.
    Why(commands::why::Why),
    /// Print a turn or note with what was said around it.
    Show(commands::show::Show),
    /// Forget for good.
    Forget(commands::forget::Forget),
    /// Write memories as JSON lines.
    Export(commands::export::Export),
    /// Say what is stored.
    Stats(commands::stats::Stats),
    /// Look for damage.
    Check(commands::check::Check),
    /// Copy the store to a file while it is in use.
    Backup(commands::backup::Backup),
    /// Make the vectors that are missing, or those of another encoder.
    Reembed(commands::reembed::Reembed),
    /// Questions that memories answer, to find them by: have a model write them, or bring your own.
    Cues(Box<commands::cues::CuesCommand>),
    /// List, fetch or check encoders.
    Models(commands::models::Models),
    /// Measure retrieval on public data sets, or on your own labelled history.
    Eval(Box<commands::eval::Eval>),
    /// See it work on a small conversation.
    Demo(commands::demo::Demo),
    /// Print a completion script for a shell.
    Completions(commands::completions::Completions),
}

impl Command {
    /// The options that it does not use as it was called.
    pub(crate) fn unused(&self, settings: &Settings) -> Vec<Unused> {
        match self {
            Command::Import(_) | Command::Reembed(_) | Command::Demo(_) => Vec::new(),
            Command::Add(command) => command.unused(settings),
            Command::Search(command) => command.unused(settings),
            Command::Ask(command) => command.unused(settings),
            Command::Why(_) => no_vectors_in(&settings.preset).into_iter().collect(),
            Command::Cues(command) => command.unused(),
            Command::Models(command) => command.unused(settings),
            Command::Eval(command) => command.unused(),
            Command::Show(_)
            | Command::Forget(_)
            | Command::Export(_)
            | Command::Stats(_)
            | Command::Completions(_) => no_search(),
        }
    }
}

/// Which part of a namespace a command is about.
#[derive(Debug, Args)]
pub(crate) struct ScopeArgs {
    /// Only this conversation.
    #[arg(long, short)]
    pub(crate) conversation: Option<aforesaid::types::ConversationId>,
    /// Only this session.
    #[arg(long, short)]
    pub(crate) session: Option<aforesaid::types::SessionId>,
    /// Only what was said at or after this time (2024-03-09 or 2024-03-09T18:02:00Z).
    #[arg(long)]
    pub(crate) from: Option<aforesaid::types::Timestamp>,
    /// Only what was said at or before this time; a date means its whole day.
    #[arg(long, value_parser = aforesaid::types::Timestamp::end_of)]
    pub(crate) to: Option<aforesaid::types::Timestamp>,
}

impl ScopeArgs {
    pub(crate) fn scope(&self) -> aforesaid::types::Scope {
        aforesaid::types::Scope {
            conversation: self.conversation.clone(),
            session: self.session.clone(),
            from: self.from,
            to: self.to,
        }
    }
}
