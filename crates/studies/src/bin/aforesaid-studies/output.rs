//! Standard output, standard error, files and a progress bar.

use std::{
    io::{self, Write},
    path::Path,
    sync::{Mutex, PoisonError},
    time::Duration,
};

use aforesaid::{
    models::files::{Access, NewFile},
    visible::{escaped_json, visible},
};
use aforesaid_eval::experiments::Step;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde::Serialize;
use serde_json::Value;

use crate::failure::Failure;

/// Who reads the output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Format {
    /// A person.
    Text,
    /// A program.
    Json,
}

/// Prints a line to standard output, without the characters that act on a terminal.
pub(crate) fn line(text: &str) -> Result<(), Failure> {
    writeln!(io::stdout().lock(), "{}", visible(text)).map_err(Failure::io("standard output"))
}

/// Prints a JSON document on one line to standard output.
pub(crate) fn json_line(value: &Value) -> Result<(), Failure> {
    writeln!(io::stdout().lock(), "{}", escaped_json(&value.to_string())).map_err(Failure::io("standard output"))
}

/// Prints a line to standard error, where that is possible.
pub(crate) fn error_line(text: &str) {
    let _ = writeln!(io::stderr().lock(), "{text}");
}

/// Writes a file that appears whole or not at all.
pub(crate) fn write_file(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    let write = || -> io::Result<()> {
        let mut file = NewFile::beside(path, Access::Shared)?;
        file.write_all(bytes)?;
        file.finish()
    };
    write().map_err(Failure::io(format!("file {}: could not be written", path.display())))
}

/// Things as JSON, a line each.
pub(crate) fn json_lines<T: Serialize>(things: &[T]) -> Result<Vec<u8>, Failure> {
    let mut lines = Vec::new();
    for thing in things {
        serde_json::to_writer(&mut lines, thing).map_err(|error| Failure::io("JSON lines")(error.into()))?;
        lines.push(b'\n');
    }
    Ok(lines)
}

/// A bar on standard error; hidden where that is no terminal, or a program reads the output.
pub(crate) fn bar(format: Format, message: &str, template: &str) -> ProgressBar {
    let target = match format {
        Format::Text => ProgressDrawTarget::stderr(),
        Format::Json => ProgressDrawTarget::hidden(),
    };
    let bar = ProgressBar::with_draw_target(None, target).with_message(message.to_owned());
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style.progress_chars("=> "));
    }
    bar.enable_steady_tick(Duration::from_millis(200));
    bar
}

/// Runs an experiment under a bar that shows its current step.
pub(crate) fn watched<T>(format: Format, run: impl FnOnce(&(dyn Fn(Step) + Sync)) -> T) -> T {
    let bar = bar(format, "reading", "{msg} [{bar:30}] {pos}/{len}, {eta} left");
    let work = Mutex::new("");
    let result = run(&|step: Step| {
        let mut work = work.lock().unwrap_or_else(PoisonError::into_inner);
        if *work != step.work {
            *work = step.work;
            bar.set_message(step.work);
        }
        bar.set_length(step.total as u64);
        bar.set_position(step.done as u64);
    });
    bar.finish_and_clear();
    result
}
