//! How the process of a hook ends: well, whatever is wrong, since agents take other exit codes for a refusal.

use std::{
    ffi::OsString,
    panic::{UnwindSafe, catch_unwind},
    process::ExitCode,
};

use clap::Arg;

const COMMAND: &str = "hook";

/// Whether these arguments of the program call a hook, also where something is wrong with them: the command is the first
/// word that is neither an option nor the value of one.
pub(crate) fn is_called(program: fn() -> clap::Command, args: impl IntoIterator<Item = OsString>) -> bool {
    let args: Vec<String> = args.into_iter().map(|arg| arg.to_string_lossy().into_owned()).collect();
    args.iter().any(|arg| arg == COMMAND) && command_of(&program(), &args) == Some(COMMAND)
}

/// The word that stands where the command does.
fn command_of<'a>(program: &clap::Command, args: &'a [String]) -> Option<&'a str> {
    let is_command = |word: &str| program.find_subcommand(word).is_some();
    let mut args = args.iter().map(String::as_str);
    // An option that nobody knows may have a value.
    let mut may_be_value = false;
    while let Some(arg) = args.next() {
        match arg.strip_prefix('-').filter(|rest| !rest.is_empty()) {
            Some("-") => return None,
            Some(option) => match known(program, option) {
                Some(found) => {
                    may_be_value = false;
                    if has_value_behind(found, option) {
                        args.next();
                    }
                }
                None => may_be_value = !option.contains('='),
            },
            None if may_be_value && !is_command(arg) => may_be_value = false,
            None => return Some(arg),
        }
    }
    None
}

/// The option of the program that is written so, without the first dash.
fn known<'p>(program: &'p clap::Command, option: &str) -> Option<&'p Arg> {
    let mut options = program.get_arguments();
    match option.strip_prefix('-') {
        Some(long) => {
            let name = long.split('=').next();
            options.find(|arg| {
                let aliases = arg.get_all_aliases().unwrap_or_default();
                arg.get_long().into_iter().chain(aliases).any(|known| Some(known) == name)
            })
        }
        None => options.find(|arg| arg.get_short() == option.chars().next()),
    }
}

/// Whether the value of an option is the next argument.
fn has_value_behind(found: &Arg, option: &str) -> bool {
    let is_alone = if option.starts_with('-') { !option.contains('=') } else { option.chars().count() == 1 };
    is_alone && found.get_action().takes_values()
}

/// Runs a hook. What goes wrong is on standard error, a panic too.
pub(crate) fn always_well(run: impl FnOnce() -> ExitCode + UnwindSafe) -> ExitCode {
    let _ = catch_unwind(run);
    ExitCode::SUCCESS
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args;

    fn is_hook(line: &str) -> bool {
        is_called(args::command, line.split(' ').map(OsString::from))
    }

    #[test]
    fn a_hook_is_one_whatever_is_wrong_with_its_options() {
        for line in [
            "hook",
            "hook Stop",
            "--store a.db hook Stop",
            "--store=hook hook Stop",
            "--store hook hook Stop",
            "-n x --offline hook Stop --nosuch",
            "-nx --preset y hook",
            "--nosuch hook Stop",
            "--nosuch value hook Stop",
            "--threads x hook",
        ] {
            assert!(is_hook(line), "{line}");
        }
        for line in [
            "search hook",
            "search --nosuch hook",
            "--store hook stats",
            "--nosuch=x search hook",
            "--nosuch search hook",
            "searc hook",
            "help hook",
            "-- hook",
            "-n hook",
        ] {
            assert!(!is_hook(line), "{line}");
        }
    }

    #[test]
    fn a_panic_is_no_refusal() {
        let failed = always_well(|| ExitCode::from(2));
        let panicked = always_well(|| panic!("as it should"));
        let well = format!("{:?}", ExitCode::SUCCESS);
        assert_eq!([format!("{failed:?}"), format!("{panicked:?}")], [well.clone(), well]);
    }
}
