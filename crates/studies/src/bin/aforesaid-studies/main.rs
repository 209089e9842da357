//! Repeats published studies, measures the defaults of `aforesaid`, replays receipts and fills tables from them.
#![forbid(unsafe_code)]

mod adapter;
mod evidence;
mod failure;
mod language_model;
mod lists;
mod machine;
mod output;
mod reproduce;
mod reranker;
mod shippable;
mod study;
mod tables;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

use crate::{failure::Failure, machine::Machine};

#[derive(Debug, Parser)]
#[command(
    name = "aforesaid-studies",
    version,
    about,
    after_help = "Exit codes: 0 success; 1 a receipt is not reproduced, or the machine failed; 2 wrong usage; 4 invalid \
        input; 5 no model."
)]
struct Cli {
    #[command(flatten)]
    machine: Machine,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Tables 1 to 10 and the figures of the lexical-dense fusion study.
    Fusion(study::Fusion),
    /// Turn retrieval over the five splits of the reranker papers.
    Turns(study::Locomo),
    /// The contribution of each part of the default pipeline, and the fusions compared, on several data sets.
    Default(study::DataSets),
    /// The candidate ranker: trained on LoCoMo's dev sides, and as it ships on other data.
    Cascade(study::DataSets),
    /// The evidence reranker: trained on LoCoMo's dev sides, over the first ten of the candidate ranker.
    Evidence(Box<evidence::Evidence>),
    /// Whether a search knows that it found nothing: the model of confidence and its coefficients.
    Confidence(study::DataSets),
    /// The same where the evidence reranker orders the best hits.
    RerankedConfidence(study::DataSets),
    /// What a hook hands an agent, by how likely it must be, on histories with an assistant.
    Recall(study::Recall),
    /// The contribution of recorded cue questions, by the way they are indexed.
    Roxy(Box<study::Roxy>),
    /// Learn the encoder's adapter from the data sets that allow it.
    Adapter(Box<adapter::Adapter>),
    /// The evidence reranker of data that allow one: learned, and measured on data that it never saw.
    Reranker(reranker::Reranker),
    /// Measure again what receipts record, and compare.
    Reproduce(reproduce::Reproduce),
    /// Fill the tables of Markdown documents from receipts.
    Tables(tables::Tables),
}

fn main() -> ExitCode {
    let cli = Cli::parse();
    match run(&cli) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.report(cli.machine.format()),
    }
}

fn run(cli: &Cli) -> Result<(), Failure> {
    let machine = &cli.machine;
    match &cli.command {
        Command::Fusion(command) => command.run(machine),
        Command::Turns(command) => command.turns(machine),
        Command::Default(command) => command.default(machine),
        Command::Cascade(command) => command.cascade(machine),
        Command::Evidence(command) => command.run(machine),
        Command::Confidence(command) => command.confidence(machine),
        Command::RerankedConfidence(command) => command.reranked_confidence(machine),
        Command::Recall(command) => command.run(machine),
        Command::Roxy(command) => command.run(machine),
        Command::Adapter(command) => command.run(machine),
        Command::Reranker(command) => command.run(machine),
        Command::Reproduce(command) => command.run(machine),
        Command::Tables(command) => command.run(machine),
    }
}
