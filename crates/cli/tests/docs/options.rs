//! Options and variables of the program, as its help lists them.

use std::collections::BTreeSet;

use crate::sandbox::{Sandbox, finish};

/// What the names of variables begin with.
const PREFIX: &str = "AFORESAID_";

/// Options of other programs that the documents run or describe.
const OF_OTHERS: [&str; 6] = ["--release", "--test", "--open", "--answers", "--requests", "--results"];

/// Older spellings, which the help does not show.
const OLDER: [&str; 2] = ["--preset", "--judge"];

/// What the help of all commands names.
pub(crate) struct Known {
    options: BTreeSet<String>,
    variables: BTreeSet<String>,
}

impl Known {
    /// Reads the help of the program and of all its commands.
    pub(crate) fn read() -> Self {
        let (sandbox, mut unread) = (Sandbox::new(), vec![Vec::<String>::new()]);
        let mut known = Self { options: BTreeSet::new(), variables: BTreeSet::new() };
        while let Some(command) = unread.pop() {
            let words: Vec<&str> = command.iter().map(String::as_str).chain(["--help"]).collect();
            let help = finish(&mut sandbox.bare(&words)).stdout;
            known.options.extend(options(&help).map(str::to_owned));
            known.variables.extend(variables(&help).map(str::to_owned));
            unread.extend(subcommands(&help).map(|name| [&command[..], &[name.to_owned()]].concat()));
        }
        known
    }

    /// The options in a text that no command has.
    pub(crate) fn unknown<'t>(&self, text: &'t str) -> Vec<&'t str> {
        let others = [&OF_OTHERS[..], &OLDER].concat();
        let is_known = |option: &str| self.options.contains(option) || others.contains(&option);
        let variable = |name: &&str| !self.variables.contains(*name);
        options(text).filter(|option| !is_known(option)).chain(variables(text).filter(variable)).collect()
    }

    /// The variables that a text does not name.
    pub(crate) fn missing(&self, text: &str) -> Vec<&str> {
        let named: BTreeSet<&str> = variables(text).collect();
        self.variables.iter().map(String::as_str).filter(|name| !named.contains(name)).collect()
    }
}

fn options(text: &str) -> impl Iterator<Item = &str> {
    let of_option = |c: char| c.is_ascii_lowercase() || c == '-';
    text.match_indices("--").filter_map(move |(at, _)| {
        let before = text[..at].chars().next_back();
        let rest = &text[at..];
        let option = &rest[..rest.find(|c: char| !of_option(c)).unwrap_or(rest.len())];
        let begins = before.is_none_or(|c| !of_option(c) && c != '<' && c != '!');
        (begins && option.len() > 2 && !option.starts_with("---")).then_some(option)
    })
}

/// Names that begin with `AFORESAID_`; the prefix alone is none.
fn variables(text: &str) -> impl Iterator<Item = &str> {
    let names = text.match_indices(PREFIX).map(|(at, _)| {
        let rest = &text[at..];
        &rest[..rest.find(|c: char| !c.is_ascii_uppercase() && c != '_').unwrap_or(rest.len())]
    });
    names.filter(|name| *name != PREFIX)
}

/// The names in the list of commands that a help has.
fn subcommands(help: &str) -> impl Iterator<Item = &str> {
    let list = help.split_once("Commands:\n").map_or("", |(_, rest)| rest);
    let lines = list.lines().take_while(|line| !line.is_empty());
    let names = lines.filter(|line| line.starts_with("  ") && !line.starts_with("   "));
    names.filter_map(|line| line.split_whitespace().next()).filter(|name| *name != "help")
}
