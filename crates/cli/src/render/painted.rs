//! Texts with the words that matched, in lines of a terminal.

use std::ops::Range;

use aforesaid::visible::Reader;

use crate::{
    terminal::{QUIET, STRONG},
    wrap::wrapped,
};

/// What every line of a text begins with; no line of ours does.
const BAR: char = '\u{2502}';

/// How a text is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Tone {
    Plain,
    Dimmed,
}

/// A text as it may be shown, and the words in it that matched.
#[derive(Debug)]
pub(super) struct Painted {
    text: String,
    marks: Vec<Range<usize>>,
}

impl Painted {
    /// A text whose matches are given in bytes; those that are not of the text are left out.
    pub(super) fn new(text: &str, marks: &[[usize; 2]]) -> Self {
        let (mut reader, mut at) = (Reader::default(), 0);
        let mut painted = Self { text: String::with_capacity(text.len()), marks: Vec::new() };
        let mut add = |painted: &mut Self, piece: &str| {
            let shown = reader.read(piece).replace('\t', "    ");
            let start = painted.text.len();
            painted.text.push_str(&shown);
            start..painted.text.len()
        };
        for &[from, to] in marks {
            let (Some(before), Some(word)) = (text.get(at..from), text.get(from..to)) else { continue };
            add(&mut painted, before);
            let mark = add(&mut painted, word);
            painted.marks.push(mark);
            at = to;
        }
        add(&mut painted, &text[at..]);
        painted
    }

    /// Lines of so many columns, the bar before each and `indent` spaces before that included.
    pub(super) fn lines(&self, indent: usize, width: usize, tone: Tone) -> Vec<String> {
        let text_width = width.saturating_sub(indent + 2);
        let line = |line: Range<usize>| {
            let text = match tone {
                _ if line.is_empty() => String::new(),
                Tone::Plain => self.paint(line),
                Tone::Dimmed => format!("{QUIET}{}{QUIET:#}", &self.text[line]),
            };
            format!("{:indent$}{QUIET}{BAR}{QUIET:#} {text}", "").trim_end().to_owned()
        };
        wrapped(self.text.trim_end(), text_width).into_iter().map(line).collect()
    }

    /// A part of the text with its marks.
    fn paint(&self, part: Range<usize>) -> String {
        let (mut line, mut at) = (String::new(), part.start);
        for mark in &self.marks {
            let (from, to) = (mark.start.max(part.start), mark.end.min(part.end));
            if from < to {
                line.push_str(&self.text[at..from]);
                line.push_str(&format!("{STRONG}{}{STRONG:#}", &self.text[from..to]));
                at = to;
            }
        }
        line + &self.text[at..part.end]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_stand_where_the_words_are_after_what_is_replaced() {
        let painted = Painted::new("a\u{1b}\tred kite\u{7}", &[[3, 6], [7, 11], [90, 99]]);
        let line = format!("  {QUIET}│{QUIET:#} a\u{FFFD}    {STRONG}red{STRONG:#} {STRONG}kite{STRONG:#}\u{FFFD}");
        assert_eq!(painted.lines(2, 80, Tone::Plain), [line]);
    }

    #[test]
    fn a_mark_that_is_broken_is_marked_on_both_lines() {
        let lines = Painted::new("kitekite", &[[0, 8]]).lines(0, 6, Tone::Plain);
        let bar = format!("{QUIET}│{QUIET:#}");
        assert_eq!(lines, [format!("{bar} {STRONG}kite{STRONG:#}"), format!("{bar} {STRONG}kite{STRONG:#}")]);
        assert_eq!(Painted::new("", &[]).lines(0, 6, Tone::Plain), [bar]);
    }
}
