//! Memories and hits for people to read.

use aforesaid::{
    Answer, Hit, Warning,
    pipeline::Legs,
    types::{Memory, Timestamp},
};
use anstyle::{AnsiColor, Style};

pub(crate) const STRONG: Style = Style::new().bold();
pub(crate) const QUIET: Style = Style::new().dimmed();
pub(crate) const NAME: Style = AnsiColor::Cyan.on_default();

/// Prints an answer: hits, or why there are none.
pub(crate) fn answer(answer: &Answer) {
    warnings(&answer.warnings);
    if let Some(reason) = answer.reason {
        anstream::println!("no hits: {reason}");
    }
    for (n, hit) in (1..).zip(&answer.hits) {
        print_hit(n, hit);
    }
    let timing = &answer.timing_ms;
    anstream::println!(
        "{QUIET}{} hits in {:.1} ms (encode {:.1}, search {:.1}), {}{QUIET:#}",
        answer.hits.len(),
        timing.total,
        timing.encode,
        timing.search,
        answer.preset
    );
}

/// Prints one hit: where it is from, which legs found it, and the text itself.
pub(crate) fn print_hit(n: usize, hit: &Hit) {
    let origin = [hit.conversation.as_ref().map(|c| c.as_str()), hit.session.as_ref().map(|s| s.as_str())];
    let origin = origin.into_iter().flatten().collect::<Vec<_>>().join(" / ");
    anstream::println!(
        "{STRONG}{n}. {}{STRONG:#}  {}  {QUIET}{origin}  {}{QUIET:#}",
        printable(&hit.id),
        when(hit.said_at),
        legs(&hit.legs)
    );
    if hit.turns.is_empty() {
        text(hit.speaker.as_deref(), &hit.text, hit.image_caption.as_deref());
    }
    for turn in &hit.turns {
        anstream::print!("   {QUIET}{}{QUIET:#}", printable(turn.id.as_str()));
        text(turn.speaker.as_deref(), &turn.text, None);
    }
    if let Some(explain) = &hit.explain {
        for line in explain.to_string().lines() {
            anstream::println!("   {QUIET}{line}{QUIET:#}");
        }
    }
    anstream::println!();
}

/// Prints a memory as a line of dialogue.
pub(crate) fn memory(memory: &Memory, style: Style) {
    anstream::print!("{style}{}  {}{style:#}", printable(memory.id.as_str()), when(memory.said_at));
    text(memory.speaker.as_deref(), &memory.text, memory.image_caption.as_deref());
}

fn text(speaker: Option<&str>, text: &str, caption: Option<&str>) {
    let speaker = speaker.map(|speaker| format!("{NAME}{}{NAME:#}: ", printable(speaker))).unwrap_or_default();
    let caption = caption.map(|caption| format!(" {QUIET}[image: {}]{QUIET:#}", printable(caption)));
    anstream::println!("   {speaker}{}{}", printable(text), caption.unwrap_or_default());
}

/// Prints what the user should know, to standard error.
pub(crate) fn warnings(warnings: &[Warning]) {
    for warning in warnings {
        anstream::eprintln!("note: {warning}");
    }
}

fn legs(legs: &Legs) -> String {
    let leg = |name: &str, hit: Option<aforesaid::pipeline::LegHit>| hit.map(|hit| format!("{name} #{}", hit.rank));
    let found = [leg("words", legs.lexical), leg("meaning", legs.dense)];
    found.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

/// Date and time to the minute; what people remember by.
pub(crate) fn when(said_at: Option<Timestamp>) -> String {
    match said_at {
        Some(at) => at.to_string().replacen('T', " ", 1).chars().take(16).collect(),
        None => "undated".to_owned(),
    }
}

/// Stored text cannot drive the terminal: control characters other than line breaks are shown, not sent.
pub(crate) fn printable(text: &str) -> String {
    text.chars()
        .map(|c| match c {
            '\n' | '\t' => c,
            c if c.is_control() => char::REPLACEMENT_CHARACTER,
            c => c,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_escape_sequence_in_a_turn_is_not_sent() {
        assert_eq!(printable("\u{1b}]0;owned\u{7} ok\n"), "\u{FFFD}]0;owned\u{FFFD} ok\n");
    }
}
