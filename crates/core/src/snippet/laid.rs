//! A text on one line with its units, and how parts of it are shown.

use std::ops::Range;

use super::{
    CUT, Mark, SNIPPET_CHARS, Snippet, joined,
    units::{Kind, Unit},
};

/// A text on one line, with its units.
pub(super) struct Laid {
    /// The text, with single spaces.
    pub(super) line: String,
    pub(super) units: Vec<Unit>,
    /// The bytes of each unit in the line.
    pub(super) places: Vec<Range<usize>>,
    /// Its characters.
    pub(super) chars: Vec<usize>,
    /// The units of the part that speaks most for the text, and the byte of the line at which it begins.
    pub(super) near: Range<usize>,
    pub(super) near_at: usize,
}

impl Laid {
    pub(super) fn of(text: &str, near: Range<usize>) -> Self {
        let units = Unit::all_in(text);
        let mut line = String::with_capacity(text.len());
        let (mut places, mut chars) = (Vec::with_capacity(units.len()), Vec::with_capacity(units.len()));
        let mut near_at = None;
        let mut is_apart = false;
        for unit in &units {
            let mut begin = None;
            let words = &text[unit.bytes.clone()];
            is_apart |= words.starts_with(char::is_whitespace);
            for word in words.split_whitespace() {
                if is_apart && !line.is_empty() {
                    line.push(' ');
                }
                is_apart = true;
                begin.get_or_insert(line.len());
                let at = word.as_ptr() as usize - text.as_ptr() as usize;
                if at + word.len() > near.start && near_at.is_none() {
                    let within = near.start.saturating_sub(at);
                    near_at = Some(line.len() + if word.is_char_boundary(within) { within } else { 0 });
                }
                line.push_str(word);
            }
            is_apart = words.ends_with(char::is_whitespace) || words.is_empty() && is_apart;
            let begin = begin.unwrap_or(line.len());
            chars.push(line[begin..].chars().count());
            places.push(begin..line.len());
        }
        let near_at = near_at.unwrap_or(0);
        let first = places.partition_point(|place: &Range<usize>| place.start < near_at);
        let end = units.partition_point(|unit| unit.bytes.start < near.end);
        // A part that begins within a long last unit is there.
        let first = if first >= end { end.saturating_sub(1) } else { first };
        Self { line, units, places, chars, near: first..end, near_at }
    }

    /// The parts of the line with their marks, and an ellipsis where something is missing.
    pub(super) fn show(&self, marks: &[Mark], parts: Vec<Range<usize>>) -> Snippet {
        let mut text = String::with_capacity(2 * SNIPPET_CHARS);
        let mut shown = Vec::new();
        let marks = joined(marks);
        let mut before: Option<usize> = None;
        for part in parts {
            let trimmed = self.line[part.clone()].trim();
            let start = part.end - self.line[part.clone()].trim_start().len();
            let end = start + trimmed.len();
            match before {
                _ if trimmed.is_empty() => continue,
                None if start == 0 => {}
                None => text.extend([CUT, " "]),
                Some(before) if self.line[before..start].trim().is_empty() => text.push_str(&self.line[before..start]),
                Some(before) if self.is_silent(before..start) => text.push(' '),
                Some(_) => text.extend([" ", CUT, " "]),
            }
            let first = marks.partition_point(|mark| mark[1] <= start);
            for &[from, to] in marks[first..].iter().take_while(|mark| mark[0] < end) {
                let place = |byte: usize| byte.clamp(start, end) - start + text.len();
                shown.push([place(from), place(to)]);
            }
            text.push_str(trimmed);
            before = Some(end);
        }
        if before.is_some_and(|before| before < self.line.len()) {
            text.extend([" ", CUT]);
        }
        Snippet { text, marks: shown }
    }

    /// Whether only what is not shown of a part stands between two.
    fn is_silent(&self, between: Range<usize>) -> bool {
        let first = self.places.partition_point(|place| place.start < between.start);
        let end = self.places.partition_point(|place| place.start < between.end);
        let is_whole = first == 0 || self.places[first - 1].end <= between.start;
        is_whole && self.units[first..end].iter().all(|unit| unit.kind == Kind::Silent)
    }

    /// Whether a unit says only what the next one is about.
    pub(super) fn introduces(&self, unit: usize) -> bool {
        let text = self.line[self.places[unit].clone()].trim_end_matches(['*', '_']);
        self.units[unit].kind == Kind::Heading || text.ends_with([':', '：'])
    }

    pub(super) fn is_shown(&self, unit: usize) -> bool {
        self.units[unit].kind != Kind::Silent && self.chars[unit] > 0
    }
}
