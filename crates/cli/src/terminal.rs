//! How text is printed, so that no line of a user's or a model's text passes for one of this program's.
//!
//! [`visible`] decides which characters are shown; this file, where lines begin.

use std::{fmt, io::Write};

use aforesaid::visible::{Reader, visible};
use anstyle::{AnsiColor, Reset, Style};

pub(crate) const STRONG: Style = Style::new().bold();
pub(crate) const QUIET: Style = Style::new().dimmed();
pub(crate) const NAME: Style = AnsiColor::Cyan.on_default();

/// Prints a line to standard error; a failure cannot be reported anywhere.
pub(crate) fn aside(text: fmt::Arguments<'_>) {
    let _ = writeln!(anstream::stderr().lock(), "{}", styled(&text.to_string()));
}

/// What the lines of a text after its first begin with; no line of ours does.
const CONTINUED: &str = "\n     \u{2502} ";

/// A name, a path or a message, on one line.
pub(crate) fn printable(text: &str) -> String {
    visible(text).replace('\n', "\\n").replace('\t', " ")
}

/// A message that may have several lines, all but the first indented; on standard error no line of ours is.
pub(crate) fn indented(text: &str) -> String {
    visible(text).replace('\n', "\n  ")
}

/// A text that may have several lines, all but the first marked as the text's.
pub(crate) fn marked(text: &str) -> String {
    visible(text).replace('\n', CONTINUED)
}

/// Marks the lines of a text that comes piece by piece.
#[derive(Debug, Default)]
pub(crate) struct Marker {
    reader: Reader,
}

impl Marker {
    /// What to print of the next piece.
    pub(crate) fn mark(&mut self, piece: &str) -> String {
        self.reader.read(piece).replace('\n', CONTINUED)
    }
}

/// What is sent to a terminal of a text with our styles in it: nothing else that acts, whoever forgot it.
pub(crate) fn styled(text: &str) -> String {
    let ours = [STRONG, QUIET, NAME].map(|style: Style| style.render().to_string());
    let ours: Vec<String> = ours.into_iter().chain([Reset.render().to_string()]).collect();
    let (mut rest, mut sent) = (text, String::with_capacity(text.len()));
    while let Some(at) = rest.find('\u{1b}') {
        let (before, from) = rest.split_at(at);
        let length = ours.iter().find(|style| from.starts_with(style.as_str())).map_or(1, String::len);
        sent.push_str(&visible(before));
        match length {
            1 => sent.push(char::REPLACEMENT_CHARACTER),
            _ => sent.push_str(&from[..length]),
        }
        rest = &from[length..];
    }
    sent + &visible(rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_our_own_styles_are_sent() {
        let line = format!("{STRONG}1. a{STRONG:#}  {NAME}b{NAME:#} {QUIET}c{QUIET:#}\n");
        assert_eq!(styled(&line), line);
        assert_eq!(styled("a\u{1b}[2J\u{9b}b\u{1b}"), "a\u{FFFD}[2J\u{FFFD}b\u{FFFD}");
    }

    #[test]
    fn a_line_of_a_text_is_marked_and_a_name_has_one_line() {
        assert_eq!(marked("one\n2. S5:4\r\n"), "one\n     \u{2502} 2. S5:4\n     \u{2502} ");
        assert_eq!(printable("one\n2.\tS5:4\u{202e}"), "one\\n2. S5:4\u{FFFD}");
        assert_eq!(indented("no model\naforesaid: done"), "no model\n  aforesaid: done");
        let mut marker = Marker::default();
        let printed: String = ["one", "\n", "[1]"].into_iter().map(|piece| marker.mark(piece)).collect();
        assert_eq!(printed, "one\n     \u{2502} [1]");
    }
}
