//! What a command has to say to a person, printed at once: through a pager where it is longer than the terminal.

use std::{
    env, fmt,
    io::{self, Write},
    process::{Command, Stdio},
};

use anstream::{AutoStream, ColorChoice};

use crate::{failure::Failure, screen::Screen, terminal::styled};

/// The pager where the environment names none: it ends by itself where all fits, shows colours, and leaves what it showed.
const PAGER: &str = "less -FRX";

/// Lines to print.
#[derive(Debug, Default)]
pub(crate) struct Page {
    text: String,
}

/// Whether a long page goes through a pager.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Paging {
    /// Where standard output is a terminal.
    Auto,
    Never,
}

impl Page {
    /// Adds a line, with nothing in it but text and our styles.
    pub(crate) fn line(&mut self, text: fmt::Arguments<'_>) {
        self.text.push_str(&styled(&text.to_string()));
        self.text.push('\n');
    }

    /// Prints the page.
    ///
    /// # Errors
    /// When it cannot be written.
    pub(crate) fn print(&self, paging: Paging) -> Result<(), Failure> {
        let rows = Screen::of_output().height.filter(|_| paging == Paging::Auto);
        let is_long = rows.is_some_and(|rows| self.text.lines().count() >= rows);
        let paged = pager().filter(|_| is_long).is_some_and(|pager| self.page(pager).is_ok());
        match paged {
            true => Ok(()),
            false => anstream::stdout().lock().write_all(self.text.as_bytes()).map_err(Failure::io("standard output")),
        }
    }

    /// Shows the page in a pager, and waits for it.
    ///
    /// # Errors
    /// When it cannot be started.
    fn page(&self, mut pager: Command) -> io::Result<()> {
        let mut child = pager.stdin(Stdio::piped()).spawn()?;
        if let Some(input) = child.stdin.take() {
            let colours = match AutoStream::choice(&io::stdout()) {
                ColorChoice::Never => ColorChoice::Never,
                _ => ColorChoice::AlwaysAnsi,
            };
            // A person who has read enough closes it.
            let _ = AutoStream::new(Box::new(input) as Box<dyn Write>, colours).write_all(self.text.as_bytes());
        }
        child.wait().map(|_| ())
    }
}

/// The pager that the environment names, a program and its arguments; `None` where that is blank or `cat`.
fn pager() -> Option<Command> {
    let named = ["AFORESAID_PAGER", "PAGER"].iter().find_map(|name| env::var(name).ok());
    program(named.as_deref().unwrap_or(PAGER))
}

fn program(command: &str) -> Option<Command> {
    let mut words = command.split_whitespace();
    let program = words.next().filter(|program| *program != "cat")?;
    let mut command = Command::new(program);
    command.args(words);
    Some(command)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pager_is_a_program_with_arguments_and_no_shell() {
        assert!(program(" ").is_none() && program("cat").is_none());
        let less = program("less -F; rm -R").unwrap();
        assert_eq!(less.get_program(), "less");
        assert_eq!(less.get_args().collect::<Vec<_>>(), ["-F;", "rm", "-R"]);
    }
}
