//! The `aforesaid` command line: options in, calls of the engine, text or JSON out.
#![forbid(unsafe_code)]
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "this crate talks to people")]

mod agent_places;
mod agent_settings;
mod args;
mod beside;
mod commands;
mod failure;
mod files;
mod global;
mod interruption;
mod llm;
mod local_time;
mod old_names;
mod opening;
mod page;
mod precision;
mod progress;
mod question;
mod remedies;
mod remembering;
mod render;
mod rerank;
mod scope;
mod screen;
mod server;
mod settings;
mod sync_setup;
mod terminal;
mod unused;
mod values;
mod wrap;

use std::process::ExitCode;

use clap::{ArgMatches, FromArgMatches, error::ErrorKind};

use crate::{
    args::{Cli, Command},
    failure::Failure,
    settings::Settings,
};

fn main() -> ExitCode {
    match commands::hook::is_called(args::command, std::env::args_os().skip(1)) {
        true => commands::hook::always_well(program),
        false => program(),
    }
}

fn program() -> ExitCode {
    let matches = args::command().try_get_matches();
    let (matches, cli) = match matches.and_then(|matches| Ok((Cli::from_arg_matches(&matches)?, matches))) {
        Ok((cli, matches)) => (matches, cli),
        Err(error) => return refuse(error),
    };
    match run(&cli, &matches) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.report(cli.global.json),
    }
}

/// Prints help, the version, or what is wrong with the options.
fn refuse(error: clap::Error) -> ExitCode {
    let as_json = std::env::args_os().any(|arg| arg == "--json");
    let error = match error.kind() {
        // They quote nothing, and help names what the environment may set.
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion | ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
            error
        }
        _ => quotable(error),
    };
    if as_json && error.use_stderr() {
        let message = error.render().to_string();
        let message = message.lines().map(str::trim).filter(|line| !line.is_empty()).collect::<Vec<_>>().join("; ");
        return Failure::Usage(message.trim_start_matches("error: ").to_owned()).report(as_json);
    }
    // Nothing is left to say where even this cannot be printed.
    let _ = error.print();
    ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2))
}

/// The same of the options as they may be shown, since a message quotes them, and without those that the environment sets,
/// since usage would name them as if they had to be given.
fn quotable(error: clap::Error) -> clap::Error {
    let shown: Vec<String> = std::env::args_os().map(|arg| render::printable(&arg.to_string_lossy())).collect();
    let command = without_environment(args::command());
    match command.try_get_matches_from(&shown).and_then(|matches| Cli::from_arg_matches(&matches)) {
        Err(error) => error,
        // Only what cannot be shown, or what the environment sets, was wrong.
        Ok(_) => {
            let message = render::printable(error.render().to_string().trim_end());
            args::command().error(error.kind(), message.trim_start_matches("error: "))
        }
    }
}

fn without_environment(command: clap::Command) -> clap::Command {
    command.mut_args(|arg| arg.env(None::<&str>)).mut_subcommands(without_environment)
}

fn run(cli: &Cli, matches: &ArgMatches) -> Result<(), Failure> {
    if matches!(cli.command, Command::Completions(_) | Command::Man(_)) {
        unused::refuse(&cli.global, matches, &unused::no_search())?;
    }
    match &cli.command {
        Command::Completions(command) => return command.run(),
        Command::Man(command) => return command.run(),
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
        Command::Agents(command) => command.run(&settings),
        Command::Hook(command) => command.run(&settings),
        Command::Eval(command) => command.run(&settings),
        Command::Demo(command) => command.run(&settings),
        Command::Man(_) | Command::Completions(_) => Ok(()),
    }
}
