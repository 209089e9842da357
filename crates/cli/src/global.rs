//! Options of every command.

use std::{num::NonZeroUsize, path::PathBuf};

use aforesaid::{
    Pipeline,
    models::Instructions,
    types::{Namespace, UnknownChoice, Zone},
};
use clap::{Args, ValueHint};

use crate::{
    old_names,
    precision::PrecisionChoice,
    server::ServerArgs,
    settings::Output,
    values::{at_least_one, truth},
};

/// What the options of every command stand under in a help.
const COMMON: &str = "Common options";

/// Options of every command. The short help of a command lists only those that are asked for most.
#[derive(Debug, Args)]
#[command(next_help_heading = COMMON)]
pub(crate) struct Global {
    /// The store: a path, postgres://USER:PASSWORD@HOST/DATABASE, or memory: for one that ends with the process [default: in
    /// your data directory].
    #[arg(long, global = true, env = "AFORESAID_STORE", hide_env_values = true, value_hint = ValueHint::FilePath)]
    pub(crate) store: Option<String>,
    /// The namespace: a user, agent or application [default: default].
    #[arg(long, short, global = true, env = "AFORESAID_NAMESPACE")]
    pub(crate) namespace: Option<Namespace>,
    /// The embedding model, or "none" [default: the model of the namespace's vectors, or all-MiniLM-L6-v2+conversations].
    #[arg(long, global = true, env = "AFORESAID_MODEL")]
    pub(crate) model: Option<String>,
    /// A directory with the embedding model's files.
    #[arg(long, global = true, hide_short_help = true, env = "AFORESAID_MODEL_DIR", value_hint = ValueHint::DirPath)]
    pub(crate) model_dir: Option<PathBuf>,
    /// The precision of the embedding model: auto, f32, bf16 or int8 [default: auto, that of the namespace's vectors].
    #[arg(long, global = true, hide_short_help = true, env = "AFORESAID_PRECISION")]
    pub(crate) precision: Option<PrecisionChoice>,
    /// The processor instructions to use, for tests: amx, avx512, avxvnni, avx2, neon or portable [default: the best available].
    #[arg(long, global = true, env = "AFORESAID_INSTRUCTIONS", hide = true, value_parser = instructions)]
    pub(crate) instructions: Option<Instructions>,
    /// The directory of downloaded models [default: in your cache directory].
    #[arg(long, global = true, hide_short_help = true, env = "AFORESAID_MODEL_CACHE", value_hint = ValueHint::DirPath)]
    pub(crate) model_cache: Option<PathBuf>,
    /// Do not use the network; only servers on this machine are asked.
    #[arg(long, global = true, hide_short_help = true, env = "AFORESAID_OFFLINE", value_parser = truth)]
    pub(crate) offline: bool,
    /// Threads to compute on [default: one per core].
    #[arg(long, global = true, hide_short_help = true, env = "AFORESAID_THREADS", value_parser = at_least_one)]
    pub(crate) threads: Option<NonZeroUsize>,
    /// The configuration file [default: config.toml in your configuration directory].
    #[arg(long, global = true, hide_short_help = true, env = "AFORESAID_CONFIG", value_hint = ValueHint::FilePath)]
    pub(crate) config: Option<PathBuf>,
    /// The time zone in which days begin and times are printed: a name such as Europe/Berlin, or +02:00
    /// [default: the zone of this machine].
    #[arg(long, global = true, value_name = "NAME", env = "AFORESAID_TIME_ZONE", allow_hyphen_values = true)]
    pub(crate) time_zone: Option<Zone>,
    /// The moment of asking, which "yesterday" and "latest" refer to [default: now].
    #[arg(long, global = true, value_name = "TIME")]
    pub(crate) now: Option<String>,
    /// Print JSON.
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// Do not show what is longer than the terminal in a pager (AFORESAID_PAGER, PAGER, or less -FRX).
    #[arg(long, global = true, hide_short_help = true)]
    pub(crate) no_pager: bool,
    /// A candidate ranker of `train candidate`, which puts the best turns of the pipeline in another order.
    #[arg(long, global = true, hide_short_help = true, value_name = "FILE", env = "AFORESAID_RANKER", value_hint = ValueHint::FilePath)]
    pub(crate) ranker: Option<PathBuf>,
    /// A query adapter of `train encoder --queries`, which queries are encoded with; the vectors of what is stored stay.
    #[arg(long, global = true, hide_short_help = true, value_name = "FILE", env = "AFORESAID_QUERY_ADAPTER", value_hint = ValueHint::FilePath)]
    pub(crate) query_adapter: Option<PathBuf>,
    /// The pipeline: learned, hybrid, lexical, a paper-* baseline, or a description, such as
    /// "zscore(0.7, bm25, dense(max))" [default: learned].
    #[arg(long, global = true, hide_short_help = true, env = "AFORESAID_PIPELINE", value_parser = pipeline, alias = "preset")]
    pub(crate) pipeline: Option<Pipeline>,
    #[command(flatten)]
    pub(crate) server: ServerArgs,
}

impl Global {
    /// Whom the output is for.
    pub(crate) fn output(&self) -> Output {
        if self.json { Output::Programs } else { Output::People }
    }
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

fn pipeline(name: &str) -> Result<Pipeline, String> {
    old_names::warn_of_words(name);
    name.parse().map_err(|error: aforesaid::pipeline::InvalidPipeline| error.to_string())
}
