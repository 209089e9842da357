//! The `aforesaid` command line: options in, calls of the engine, text or JSON out.
#![forbid(unsafe_code)]
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "this crate talks to people")]

mod agent_places;
mod agent_settings;
mod args;
mod beside;
mod commands;
mod damaged;
mod failure;
mod files;
mod global;
mod interruption;
mod llm;
mod local_time;
mod misuse;
mod old_names;
mod opening;
mod out_of_range;
mod page;
mod precision;
mod progress;
mod question;
mod quoted;
mod remedies;
mod remembering;
mod render;
mod rerank;
mod scope;
mod screen;
mod searched;
mod server;
mod settings;
mod sync_setup;
mod terminal;
mod unused;
mod values;
mod wrap;

use std::{env, ffi::OsString, process::ExitCode};

use clap::{ArgMatches, FromArgMatches};

use crate::{
    args::{Cli, Command},
    failure::Failure,
    settings::Settings,
};

fn main() -> ExitCode {
    match commands::hook::is_called(args::command, env::args_os().skip(1)) {
        true => commands::hook::always_well(program),
        false => program(),
    }
}

fn program() -> ExitCode {
    let typed: Vec<OsString> = env::args_os().skip(1).collect();
    let matches = args::command_for(&typed).try_get_matches();
    let (matches, cli) = match matches.and_then(|matches| Ok((Cli::from_arg_matches(&matches)?, matches))) {
        Ok((cli, matches)) => (matches, cli),
        Err(error) => return misuse::refuse(error),
    };
    match run(&cli, &matches) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => damaged::of_cut_file(failure).report(cli.global.json),
    }
}

fn run(cli: &Cli, matches: &ArgMatches) -> Result<(), Failure> {
    if matches!(cli.command, Command::Completions(_) | Command::Man(_)) {
        unused::refuse(&cli.global, matches, &unused::no_search())?;
    }
    match &cli.command {
        Command::Completions(command) => return command.run(cli.global.output()),
        Command::Man(command) => return command.run(cli.global.output()),
        _ => {}
    }
    old_names::warn_of_options();
    let settings = Settings::resolve(&cli.global)?;
    unused::refuse(&cli.global, matches, &cli.command.unused(&settings))?;
    match &cli.command {
        Command::Import(command) => command.run(&settings),
        Command::Add(command) => command.run(&settings),
        Command::Search(command) => command.run(&settings),
        Command::Ask(command) => command.run(&settings),
        Command::Why(command) => command.run(&settings),
        Command::Show(command) => command.run(&settings),
        Command::List(command) => command.run(&settings),
        Command::Update(command) => command.run(&settings),
        Command::Forget(command) => command.run(&settings),
        Command::Export(command) => command.run(&settings),
        Command::Stats(command) => command.run(&settings),
        Command::Check(command) => command.run(&settings),
        Command::Backup(command) => command.run(&settings),
        Command::Store(command) => command.run(&settings),
        Command::Migrate(command) => command.run(&settings),
        Command::Reembed(command) => command.run(&settings),
        Command::Train(command) => command.run(&settings),
        Command::Cues(command) => command.run(&settings),
        Command::Models(command) => command.run(&settings),
        Command::Mcp(command) => command.run(&settings),
        Command::Sync(command) => command.run(&settings),
        Command::Agents(command) => command.run(&settings, &cli.global),
        Command::Hook(command) => command.run(&settings),
        Command::Eval(command) => command.run(&settings),
        Command::Demo(command) => command.run(&settings),
        Command::Man(_) | Command::Completions(_) => Ok(()),
    }
}
