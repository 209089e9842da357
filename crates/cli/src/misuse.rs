//! Options that cannot be read: what is said of them, and of the variables that stand for them.

use std::{error::Error as _, process::ExitCode};

use clap::{
    Command, FromArgMatches,
    error::{ContextKind, ContextValue, Error, ErrorKind},
};

use crate::{
    args::{self, Cli},
    failure::Failure,
    render::printable,
};

/// Prints help, the version, or what is wrong with the options.
pub(crate) fn refuse(error: Error) -> ExitCode {
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
fn quotable(error: Error) -> Error {
    let shown: Vec<String> = std::env::args_os().map(|arg| printable(&arg.to_string_lossy())).collect();
    let command = without_environment(args::command());
    match command.try_get_matches_from(&shown).and_then(|matches| Cli::from_arg_matches(&matches)) {
        Err(error) => error,
        // Only what cannot be shown, or what the environment sets, was wrong.
        Ok(_) => {
            let message = of_variable(&error).unwrap_or_else(|| first_paragraph(&error));
            args::command().error(error.kind(), printable(&message))
        }
    }
}

/// What is wrong with a variable of the environment, where the value of one was refused.
fn of_variable(error: &Error) -> Option<String> {
    let Some(ContextValue::String(option)) = error.get(ContextKind::InvalidArg) else { return None };
    let Some(ContextValue::String(value)) = error.get(ContextKind::InvalidValue) else { return None };
    let mut command = args::command();
    // How an option is written is known then.
    command.build();
    let variable = variable_of(&command, option)?;
    let reason = match (error.source(), error.get(ContextKind::ValidValue)) {
        (Some(reason), _) => reason.to_string(),
        (None, Some(ContextValue::Strings(valid))) => format!("expected {}", valid.join(", ")),
        (None, _) => return None,
    };
    Some(format!("invalid value '{value}' for {variable} ({option}): {reason}; correct the variable, or unset it"))
}

/// The variable that is set and stands for an option, as clap writes that.
fn variable_of(command: &Command, option: &str) -> Option<String> {
    let own = command.get_arguments().filter(|arg| arg.to_string() == option).filter_map(|arg| arg.get_env());
    let set = own.filter(|variable| std::env::var_os(variable).is_some());
    let own = set.map(|variable| variable.to_string_lossy().into_owned()).next();
    own.or_else(|| command.get_subcommands().find_map(|inner| variable_of(inner, option)))
}

/// The message without the usage.
fn first_paragraph(error: &Error) -> String {
    let message = error.render().to_string();
    let lines = message.lines().take_while(|line| !line.trim().is_empty()).map(str::trim);
    lines.collect::<Vec<_>>().join(" ").trim_start_matches("error: ").to_owned()
}

fn without_environment(command: Command) -> Command {
    command.mut_args(|arg| arg.env(None::<&str>)).mut_subcommands(without_environment)
}
