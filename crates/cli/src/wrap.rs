//! Lines of a text that fit into so many columns.

use std::ops::Range;

use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

/// Signs that begin no line.
const CLOSING: &str =
    "\u{3001}\u{3002}\u{ff0c}\u{ff0e}\u{ff01}\u{ff1f}\u{ff1a}\u{ff1b}\u{ff09}\u{300d}\u{300f}\u{3011}\u{30fc}";

/// Columns that a text takes.
pub(crate) fn columns(text: &str) -> usize {
    text.graphemes(true).map(UnicodeWidthStr::width).sum()
}

/// The beginning of a text that fits into so many columns, with an ellipsis where something is missing.
pub(crate) fn shortened(text: &str, width: usize) -> String {
    if columns(text) <= width {
        return text.to_owned();
    }
    let mut used = 0;
    let fits = |part: &&str| {
        used += part.width();
        used < width
    };
    let kept: String = text.graphemes(true).take_while(fits).collect();
    format!("{}\u{2026}", kept.trim_end())
}

/// The bytes of each line of a text: broken where it has a line break, between words, between characters of scripts
/// without spaces, and within a word that is too long for a line.
pub(crate) fn wrapped(text: &str, width: usize) -> Vec<Range<usize>> {
    let mut lines = Vec::new();
    let mut start = 0;
    for paragraph in text.split('\n') {
        let within = Paragraph::new(paragraph, width.max(2)).lines();
        lines.extend(within.into_iter().map(|line| line.start + start..line.end + start));
        start += paragraph.len() + 1;
    }
    lines
}

/// A text without line breaks that is being broken.
struct Paragraph<'t> {
    text: &'t str,
    width: usize,
    lines: Vec<Range<usize>>,
    /// Where the current line begins, and the columns it has so far.
    start: usize,
    used: usize,
    /// Where the current line may end, and where the next would begin.
    end: Option<(usize, usize)>,
}

impl<'t> Paragraph<'t> {
    fn new(text: &'t str, width: usize) -> Self {
        Self { text, width, lines: Vec::new(), start: 0, used: 0, end: None }
    }

    fn lines(mut self) -> Vec<Range<usize>> {
        let (mut spaced, mut wide_before) = (false, false);
        for (at, part) in self.text.grapheme_indices(true) {
            let (space, width) = (part.chars().all(char::is_whitespace), part.width());
            if space {
                let begun = !self.text[self.start..at].trim().is_empty();
                match &mut self.end {
                    Some((_, next)) if spaced => *next = at + part.len(),
                    end if begun => *end = Some((at, at + part.len())),
                    _ => {}
                }
            } else {
                let between = (width > 1 || wide_before) && !spaced && !CLOSING.contains(part);
                if between && at > self.start {
                    self.end = Some((at, at));
                }
                while self.used + width > self.width && at > self.start {
                    self.finish_line(at);
                }
            }
            self.used += width;
            (spaced, wide_before) = (space, width > 1);
        }
        let rest = self.text[self.start..].trim_end();
        if !rest.is_empty() || self.lines.is_empty() {
            self.lines.push(self.start..self.start + rest.len());
        }
        self.lines
    }

    /// Ends the line before what stands at `at`.
    fn finish_line(&mut self, at: usize) {
        let (end, next) = self.end.take().unwrap_or((at, at));
        self.lines.push(self.start..end);
        self.start = next;
        self.used = columns(&self.text[next..at]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str, width: usize) -> Vec<&str> {
        wrapped(text, width).into_iter().map(|line| &text[line]).collect()
    }

    #[test]
    fn words_stay_whole_where_they_fit() {
        assert_eq!(lines("the red kite sank", 8), ["the red", "kite", "sank"]);
        assert_eq!(lines("the red  kite", 7), ["the red", "kite"]);
        assert_eq!(lines("one\n\n  two three ", 9), ["one", "", "  two", "three"]);
        assert_eq!(lines("", 9), [""]);
        assert_eq!(lines("aaa bbbbbbbb c", 4), ["aaa", "bbbb", "bbbb", "c"]);
        assert_eq!(lines("a      b", 3), ["a", "b"]);
    }

    #[test]
    fn wide_characters_take_two_columns() {
        let cat = "\u{732b}";
        assert_eq!(lines(&cat.repeat(5), 4), [cat.repeat(2), cat.repeat(2), cat.to_owned()]);
        assert_eq!(lines(&format!("{cat}{cat}\u{3002}"), 4), [cat, &format!("{cat}\u{3002}")]);
        assert_eq!(columns("a\u{732b}e\u{301}\u{1F468}\u{200d}\u{1F469}"), 6);
        assert_eq!(lines("\u{1F468}\u{200d}\u{1F469}", 1), ["\u{1F468}\u{200d}\u{1F469}"]);
    }

    #[test]
    fn a_text_is_cut_with_an_ellipsis() {
        assert_eq!(shortened("kite", 4), "kite");
        assert_eq!(shortened("a kite", 4), "a k\u{2026}");
        assert_eq!(shortened("a kite", 3), "a\u{2026}");
        assert_eq!(shortened("\u{732b}\u{732b}", 3), "\u{732b}\u{2026}");
    }

    #[test]
    fn no_line_is_wider_and_nothing_but_space_is_lost() {
        let text = "Kites, \u{732b}\u{732b}\u{3001} and a verylongwordindeed \u{1F3F4}x  end";
        for width in 2..40 {
            let lines = lines(text, width);
            assert!(lines.iter().all(|line| columns(line) <= width.max(2) + 1), "{width}: {lines:?}");
            let bare = |text: &str| text.split_whitespace().collect::<String>();
            assert_eq!(bare(&lines.concat()), bare(text));
        }
    }
}
