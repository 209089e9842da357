//! Answers of a language model, and what they rest on.

use std::io::Write;

use aforesaid::{Answer, Context, Source, types::Zone};
use aforesaid_llm::{NOT_MENTIONED, Spent};

use super::{QUIET, STRONG, aside, count, dialogue, memories, printable, say, took, warnings, when};
use crate::{failure::Failure, remedies, terminal::Marker};

/// An answer that is printed as it comes.
///
/// A character that could drive a terminal is replaced by itself, so that no two pieces make a sequence.
#[derive(Default)]
pub(crate) struct Reply {
    begun: bool,
    marker: Marker,
}

impl Reply {
    /// Prints a piece.
    pub(crate) fn piece(&mut self, text: &str) -> Result<(), Failure> {
        self.begun = true;
        let mut out = anstream::stdout().lock();
        write!(out, "{}", self.marker.mark(text)).and_then(|()| out.flush()).map_err(Failure::io("standard output"))
    }

    /// Ends the line of an answer that broke off, so that what failed is said on one of its own.
    pub(crate) fn break_off(&self) -> Result<(), Failure> {
        if self.begun { say!("") } else { Ok(()) }
    }
}

/// Prints what is to be said after an answer that was printed in pieces: the memories it cites, and what it took.
pub(crate) fn asked(asked: &Answer, spent: &Spent) -> Result<(), Failure> {
    let context = &asked.context;
    match (asked.usage, context.reason) {
        (Some(_), _) => say!("")?,
        (None, None) => say!("{NOT_MENTIONED}")?,
        (None, Some(reason)) => {
            say!("{NOT_MENTIONED}\n{QUIET}no model was asked: {reason}{}{QUIET:#}", remedies::of_no_hits(reason))?
        }
    }
    warnings(&context.warnings);
    if !asked.not_shown.is_empty() {
        let cited = printable(&asked.not_shown.join(", ")).to_string();
        aside(format_args!("note: the answer cites [{cited}], which the model was not shown"));
    }
    let cited = |source: &&Source| asked.citations.contains(&source.cite);
    let sources: Vec<&Source> = context.memories.iter().filter(cited).collect();
    if !sources.is_empty() {
        say!("")?;
    }
    for source in &sources {
        let memory = &source.memory;
        let text = dialogue(memory.speaker.as_deref(), &memory.text, memory.image_caption.as_deref());
        say!("{STRONG}[{}]{STRONG:#}  {}  {text}", printable(&source.cite), when(memory.said_at))?;
    }
    say!(
        "\n{QUIET}{} shown, {} cited, confidence {} ({:.2}), {}, {}, {}{QUIET:#}",
        memories(context.memories.len() as u64),
        sources.len(),
        context.confidence.word,
        context.confidence.probability,
        took(&context.timing_ms),
        cost(spent),
        context.pipeline
    )
}

/// `15 tokens in 1 request, 0.0012 in money`.
fn cost(spent: &Spent) -> String {
    let money = spent.money.map(|money| format!(", {money:.4} in money")).unwrap_or_default();
    format!("{} in {}{money}", count(spent.tokens(), "token"), count(spent.requests, "request"))
}

/// Prints memories as text for a model, with times as they show in a zone.
pub(crate) fn context(context: &Context, zone: &Zone) -> Result<(), Failure> {
    warnings(&context.warnings);
    if let Some(reason) = context.reason {
        aside(format_args!("note: no memories: {reason}{}", remedies::of_no_hits(reason)));
    }
    // Each line is JSON, or ours: nothing in it begins another.
    say!("{}", context.prompt_in(zone).trim_end())
}
