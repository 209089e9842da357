//! Asking before something goes.

use std::io::{BufRead, IsTerminal, Write};

use crate::{failure::Failure, settings::Settings};

/// Whether somebody at a terminal agrees to `verb` what is `doomed`.
pub(super) fn confirm(verb: &str, doomed: &str, settings: &Settings) -> Result<bool, Failure> {
    if !std::io::stdin().is_terminal() {
        return Err(Failure::Usage(format!(
            "this would {verb} {doomed} for good, and there is nobody to ask; add --yes"
        )));
    }
    ask(&format!("{verb} {doomed} of namespace {:?} for good? [y/N] ", settings.namespace.as_str()))
}

/// Whether somebody at a terminal agrees to `verb` something that is in no one namespace.
pub(super) fn confirm_all(verb: &str, what: &str) -> Result<bool, Failure> {
    if !std::io::stdin().is_terminal() {
        return Err(Failure::Usage(format!("this would {verb} {what}, and there is nobody to ask; add --yes")));
    }
    ask(&format!("{verb} {what}? [y/N] "))
}

fn ask(question: &str) -> Result<bool, Failure> {
    let (first, rest) = question.split_at(1);
    let mut err = std::io::stderr().lock();
    write!(err, "{}{rest}", first.to_uppercase()).and_then(|()| err.flush()).map_err(Failure::io("standard error"))?;
    let mut answer = String::new();
    std::io::stdin().lock().read_line(&mut answer).map_err(Failure::io("standard input"))?;
    Ok(matches!(answer.trim().to_ascii_lowercase().as_str(), "y" | "yes"))
}
