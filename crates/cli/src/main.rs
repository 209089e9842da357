//! The `aforesaid` command line: options in, calls of the engine, text or JSON out.
#![forbid(unsafe_code)]
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "this crate talks to people")]

mod args;
mod commands;
mod failure;
mod opening;
mod progress;
mod render;
mod settings;

use std::process::ExitCode;

use clap::Parser;

use crate::{
    args::{Cli, Command},
    failure::Failure,
    settings::Settings,
};

fn main() -> ExitCode {
    let cli = Cli::parse();
    match run(&cli) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.report(cli.global.json),
    }
}

fn run(cli: &Cli) -> Result<(), Failure> {
    if let Command::Completions(command) = &cli.command {
        return command.run();
    }
    let settings = Settings::resolve(&cli.global)?;
    match &cli.command {
        Command::Import(command) => command.run(&settings),
        Command::Add(command) => command.run(&settings),
        Command::Search(command) => command.run(&settings),
        Command::Show(command) => command.run(&settings),
        Command::Forget(command) => command.run(&settings),
        Command::Export(command) => command.run(&settings),
        Command::Stats(command) => command.run(&settings),
        Command::Reembed(command) => command.run(&settings),
        Command::Models(command) => command.run(&settings),
        Command::Demo(command) => command.run(&settings),
        Command::Completions(_) => Ok(()),
    }
}
