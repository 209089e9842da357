//! Memories and hits for people to read.

mod answer;
mod hits;
mod ids;
mod labels;
mod layout;
pub(crate) mod list;
mod painted;
mod shown;
mod tables;
mod why;

use std::{fmt, io::Write, path::Path};

use aforesaid::{
    Explain, Timing, Warning, is_uuid,
    store::Erasure,
    types::{Record, Timestamp},
};
use anstyle::Style;

pub(crate) use crate::terminal::{NAME, QUIET, STRONG, aside, indented, printable};
use crate::{
    failure::Failure,
    local_time, remedies,
    terminal::{marked, styled},
};

/// Prints a line to standard output, as `println!` does, but where that fails it is an error.
macro_rules! say {
    ($($text:tt)*) => {
        $crate::render::line(format_args!($($text)*))
    };
}
pub(crate) use say;

/// Prints a line to standard output, without colours where that is no terminal.
///
/// # Errors
/// When it cannot be written: a full disk, a reader that went away.
pub(crate) fn line(text: fmt::Arguments<'_>) -> Result<(), Failure> {
    writeln!(anstream::stdout().lock(), "{}", styled(&text.to_string())).map_err(Failure::io("standard output"))
}

/// A number and its noun: `1 turn`, `2 turns`.
pub(crate) fn count(number: impl TryInto<u64>, noun: &str) -> String {
    let number = number.try_into().unwrap_or(u64::MAX);
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}

/// Says so where bytes of what was forgotten or dropped are still in a file.
pub(crate) fn erasure(state: Erasure) {
    warnings(Warning::of_erasure(state).as_slice());
}

/// A number of memories.
pub(crate) fn memories(number: u64) -> String {
    if number == 1 { "1 memory".to_owned() } else { format!("{number} memories") }
}

/// Where the time went: `in 12.3 ms (load 5.0, encode 4.0, search 3.3)`.
fn took(timing: &Timing) -> String {
    let stage = |name: &str, took: Option<f64>| took.map(|took| format!(", {name} {took:.1}")).unwrap_or_default();
    let more = stage("rerank", timing.rerank) + &stage("answer", timing.answer);
    let load = timing.load.map(|load| format!("load {load:.1}, ")).unwrap_or_default();
    format!("in {:.1} ms ({load}encode {:.1}, search {:.1}{more})", timing.total, timing.encode, timing.search)
}

pub(crate) use answer::{Reply, asked, context};
pub(crate) use hits::{answer, ids_of};
pub(crate) use ids::alike;
pub(crate) use layout::{Extent, Layout};
pub(crate) use shown::{read, shown};
pub(crate) use tables::aligned;
pub(crate) use why::why;

/// The names of a conversation and a session, but those that only programs read.
fn origin(conversation: Option<&str>, session: Option<&str>) -> String {
    let names = [conversation, session].into_iter().flatten().filter(|name| !is_uuid(name));
    printable(&names.collect::<Vec<_>>().join(" / "))
}

fn explanation(explain: &Explain, indent: &str) -> Result<(), Failure> {
    explain.to_string().lines().try_for_each(|line| say!("{indent}{QUIET}{}{QUIET:#}", printable(line)))
}

/// Prints a memory as a line of dialogue.
pub(crate) fn memory(memory: &Record, style: Style) -> Result<(), Failure> {
    let text = dialogue(memory.speaker.as_deref(), &memory.text, memory.image_caption.as_deref());
    say!("{style}{}  {}{style:#}   {text}", printable(memory.id.as_str()), when(memory.said_at))
}

fn dialogue(speaker: Option<&str>, text: &str, caption: Option<&str>) -> String {
    let speaker = speaker.map(|speaker| format!("{NAME}{}{NAME:#}: ", printable(speaker))).unwrap_or_default();
    let caption = caption.map(|caption| format!(" {QUIET}[image: {}]{QUIET:#}", printable(caption)));
    format!("{speaker}{}{}", marked(text), caption.unwrap_or_default())
}

/// A path on one line.
pub(crate) fn path(path: &Path) -> String {
    printable(&path.to_string_lossy())
}

/// Prints what the user should know, to standard error.
pub(crate) fn warnings(warnings: &[Warning]) {
    for warning in warnings {
        aside(format_args!("note: {}", indented(&format!("{warning}{}", remedies::of_warning(warning)))));
    }
}

/// Date and time to the minute; what people remember by.
pub(crate) fn when(said_at: Option<Timestamp>) -> String {
    match said_at {
        Some(at) => local_time::shown(at),
        None => "undated".to_owned(),
    }
}
