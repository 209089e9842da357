//! Memories and hits for people to read.

mod answer;
pub(crate) mod list;
mod why;

use std::{fmt, io::Write, path::Path};

use aforesaid::{
    Explain, Hit, SearchResponse, Timing, Warning,
    pipeline::Legs,
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
    if state == Erasure::Pending {
        warnings(&[Warning::ErasurePending]);
    }
}

/// A number of memories.
pub(crate) fn memories(number: u64) -> String {
    if number == 1 { "1 memory".to_owned() } else { format!("{number} memories") }
}

/// Prints an answer: hits, or why there are none.
pub(crate) fn answer(answer: &SearchResponse) -> Result<(), Failure> {
    warnings(&answer.warnings);
    if let Some(reason) = answer.reason {
        say!("no hits: {reason}{}", remedies::of_no_hits(reason))?;
    }
    for (n, hit) in (1..).zip(&answer.hits) {
        print_hit(n, hit)?;
    }
    if let Some(signals) = &answer.confidence.signals {
        say!("{QUIET}{:>9.4}  that the first hit answers this{QUIET:#}", answer.confidence.probability)?;
        say!("{QUIET}{:>9.4}  that this can be answered from here{QUIET:#}", answer.confidence.answerable)?;
        for (signal, value) in signals.iter() {
            say!("{QUIET}  {value:>9.4}  {}{QUIET:#}", signal.name())?;
        }
    }
    let timing = &answer.timing_ms;
    say!(
        "{QUIET}{}, confidence {} ({:.2}), {}, {}{QUIET:#}",
        count(answer.hits.len(), "hit"),
        answer.confidence.word,
        answer.confidence.probability,
        took(timing),
        answer.pipeline
    )
}

/// Where the time went: `in 12.3 ms (encode 4.0, search 8.3)`.
fn took(timing: &Timing) -> String {
    let stage = |name: &str, took: Option<f64>| took.map(|took| format!(", {name} {took:.1}")).unwrap_or_default();
    let more = stage("rerank", timing.rerank) + &stage("answer", timing.answer);
    format!("in {:.1} ms (encode {:.1}, search {:.1}{more})", timing.total, timing.encode, timing.search)
}

pub(crate) use answer::{Reply, asked, context};
pub(crate) use why::why;

/// Prints one hit: where it is from, which legs found it, and the text itself.
pub(crate) fn print_hit(n: usize, hit: &Hit) -> Result<(), Failure> {
    let origin = [hit.conversation.as_ref().map(|c| c.as_str()), hit.session.as_ref().map(|s| s.as_str())];
    let origin = printable(&origin.into_iter().flatten().collect::<Vec<_>>().join(" / "));
    say!(
        "{STRONG}{n}. {}{STRONG:#}  {}  {QUIET}{origin}  {}{QUIET:#}",
        printable(&hit.id),
        when(hit.said_at),
        [legs(&hit.legs)].into_iter().chain(hit.rerank_score.map(reranked)).collect::<Vec<_>>().join(", ")
    )?;
    if hit.turns.is_empty() {
        let text = dialogue(hit.speaker.as_deref(), &hit.text, hit.image_caption.as_deref());
        say!("   {text}")?;
    }
    for turn in &hit.turns {
        let text = dialogue(turn.speaker.as_deref(), &turn.text, None);
        say!("   {QUIET}{}{QUIET:#}  {text}", printable(turn.id.as_str()))?;
    }
    if let Some(cue) = &hit.cue {
        say!("   {QUIET}answers \"{}\"{QUIET:#}", printable(cue))?;
    }
    if let (Some(_), Some(score)) = (&hit.explain, hit.rerank_score) {
        say!("   {QUIET}{score:>9.4}  by the reranker, which goes before the score{QUIET:#}")?;
    }
    if let Some(explain) = &hit.explain {
        explanation(explain, "   ")?;
    }
    say!("")
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

fn legs(legs: &Legs) -> String {
    legs.iter().map(|(name, hit)| format!("{name} #{}", hit.rank)).collect::<Vec<_>>().join(", ")
}

fn reranked(score: f64) -> String {
    format!("reranked {score:.1}")
}

/// Date and time to the minute; what people remember by.
pub(crate) fn when(said_at: Option<Timestamp>) -> String {
    match said_at {
        Some(at) => local_time::shown(at),
        None => "undated".to_owned(),
    }
}
