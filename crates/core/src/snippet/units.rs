//! The units of a text that is perhaps Markdown: sentences, headings, items of lists, rows of tables, lines of code.

use std::ops::Range;

use super::sentences;

/// Characters of a line in bold that is taken for a heading, at the most.
const BOLD_HEADING: usize = 80;

/// Digits of the number of an item of a list, at the most.
const ITEM_DIGITS: usize = 3;

/// What a unit is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Heading,
    /// A sentence of a paragraph or of an item.
    Sentence,
    Row,
    /// A line of code.
    Code,
    /// What is not shown of a part: a fence, a rule, the line between the header of a table and its rows.
    Silent,
}

/// A unit of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Unit {
    /// Its bytes; the units hold all of the text.
    pub(super) bytes: Range<usize>,
    pub(super) kind: Kind,
    /// Units before it that say what it is about: its heading, what introduces it, the beginning of its paragraph or item.
    pub(super) about: [Option<usize>; 3],
    /// The header of its table.
    pub(super) header: Option<usize>,
}

impl Unit {
    /// All units of a text, in order.
    pub(super) fn all_in(text: &str) -> Vec<Self> {
        let mut reader =
            Reader { text, units: Vec::new(), block: None, fence: None, heading: None, lead: None, header: None };
        let mut start = 0;
        for line in text.split_inclusive('\n') {
            reader.read(start..start + line.len());
            start += line.len();
        }
        reader.end_block();
        reader.units
    }
}

/// Reads a text line by line.
struct Reader<'a> {
    text: &'a str,
    units: Vec<Unit>,
    /// The paragraph or the item that is being read.
    block: Option<Range<usize>>,
    /// The sign of a fence that is open, and how many.
    fence: Option<(char, usize)>,
    heading: Option<usize>,
    lead: Option<usize>,
    header: Option<usize>,
}

impl Reader<'_> {
    fn read(&mut self, bytes: Range<usize>) {
        let line = self.text[bytes.clone()].trim();
        if let Some((sign, count)) = self.fence {
            let closes = line.chars().all(|c| c == sign) && line.chars().count() >= count;
            if closes {
                self.fence = None;
            }
            return self.push(bytes, if closes { Kind::Silent } else { Kind::Code });
        }
        if line.is_empty() {
            self.end_block();
            self.header = None;
            return self.silence(bytes);
        }
        if let Some(fence) = fence(line) {
            self.end_block();
            self.fence = Some(fence);
            return self.push(bytes, Kind::Silent);
        }
        if is_separator(line) {
            self.end_block();
            self.header = self.units.len().checked_sub(1).filter(|&last| self.units[last].kind == Kind::Row);
            return self.push(bytes, Kind::Silent);
        }
        if is_rule(line) {
            self.end_block();
            return self.push(bytes, Kind::Silent);
        }
        if is_heading(line) {
            self.end_block();
            self.lead = None;
            self.push(bytes, Kind::Heading);
            self.heading = self.units.len().checked_sub(1);
        } else if line.starts_with('|') && line.len() > 1 {
            self.end_block();
            self.push(bytes, Kind::Row);
        } else if is_item(line) {
            self.end_block();
            self.block = Some(bytes);
        } else {
            match &mut self.block {
                Some(block) => block.end = bytes.end,
                None => self.block = Some(bytes),
            }
        }
    }

    /// Takes a blank line into the unit before it.
    fn silence(&mut self, bytes: Range<usize>) {
        match self.units.last_mut() {
            Some(last) => last.bytes.end = bytes.end,
            None => self.push(bytes, Kind::Silent),
        }
    }

    fn push(&mut self, bytes: Range<usize>, kind: Kind) {
        let header = self.header.filter(|_| kind == Kind::Row);
        self.units.push(Unit { bytes, kind, about: [self.heading, header.or(self.lead), None], header });
    }

    /// Takes the sentences of the block that was read.
    fn end_block(&mut self) {
        let Some(block) = self.block.take() else { return };
        let text = &self.text[block.clone()];
        let first = self.units.len();
        if !is_item(text.trim_start()) {
            self.lead = None;
        }
        let mut start = block.start;
        for end in sentences::starts(text).into_iter().map(|at| block.start + at).chain([block.end]) {
            let about = [self.heading, self.lead, Some(first).filter(|&first| first < self.units.len())];
            self.units.push(Unit { bytes: start..end, kind: Kind::Sentence, about, header: None });
            start = end;
        }
        if text.trim_end().trim_end_matches('*').ends_with([':', '：']) {
            self.lead = self.units.len().checked_sub(1);
        }
    }
}

/// The sign of a fence that a line opens, and how many.
fn fence(line: &str) -> Option<(char, usize)> {
    let sign = line.chars().next().filter(|sign| matches!(sign, '`' | '~'))?;
    let count = line.chars().take_while(|&c| c == sign).count();
    (count >= 3 && !line[count..].contains('`')).then_some((sign, count))
}

fn is_heading(line: &str) -> bool {
    let marks = line.len() - line.trim_start_matches('#').len();
    if (1..=6).contains(&marks) && line[marks..].starts_with(' ') {
        return true;
    }
    let bold = line.strip_suffix(':').unwrap_or(line);
    let bold = bold.strip_prefix("**").and_then(|bold| bold.strip_suffix("**"));
    bold.is_some_and(|bold| {
        !bold.is_empty()
            && !bold.contains("**")
            && !bold.ends_with(['.', '!'])
            && bold.chars().nth(BOLD_HEADING).is_none()
    })
}

/// Whether a line begins an item of a list.
fn is_item(line: &str) -> bool {
    let rest = match line.trim_start_matches(|c: char| c.is_ascii_digit()) {
        rest if rest.len() < line.len() && line.len() - rest.len() <= ITEM_DIGITS => {
            rest.strip_prefix(['.', ')', '、'])
        }
        _ => line.strip_prefix(['-', '*', '+', '•', '–']),
    };
    rest.is_some_and(|rest| rest.starts_with(char::is_whitespace) || line.contains('、') && !rest.is_empty())
}

/// The bytes of the number of an item at the beginning of a unit: a number that says nothing.
pub(super) fn marker(unit: &str) -> usize {
    let trimmed = unit.trim_start();
    if !is_item(trimmed) {
        return 0;
    }
    unit.find(char::is_whitespace).unwrap_or(0)
}

fn is_separator(line: &str) -> bool {
    line.contains('|') && line.contains('-') && line.chars().all(|c| matches!(c, '|' | '-' | ':' | ' '))
}

fn is_rule(line: &str) -> bool {
    let sign = line.chars().next().unwrap_or(' ');
    matches!(sign, '-' | '*' | '_' | '=') && line.len() >= 3 && line.chars().all(|c| c == sign || c == ' ')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(text: &str) -> Vec<(Kind, &str)> {
        Unit::all_in(text).into_iter().map(|unit| (unit.kind, text[unit.bytes].trim())).collect()
    }

    #[test]
    fn headings_items_rows_and_lines_of_code_are_units() {
        use Kind::{Code, Heading, Row, Sentence, Silent};
        let text = "## Cost\n\nTwo ways:\n\n1. Rent. It is dear.\n2. Buy\n\n| What | £ |\n|---|---|\n| Van | 40 |\n\n---\n```sh\nls -l. Yes\n\ncd x\n```\n**Then:**\nEnd.";
        assert_eq!(
            kinds(text),
            [
                (Heading, "## Cost"),
                (Sentence, "Two ways:"),
                (Sentence, "1. Rent."),
                (Sentence, "It is dear."),
                (Sentence, "2. Buy"),
                (Row, "| What | £ |"),
                (Silent, "|---|---|"),
                (Row, "| Van | 40 |"),
                (Silent, "---"),
                (Silent, "```sh"),
                (Code, "ls -l. Yes"),
                (Code, ""),
                (Code, "cd x"),
                (Silent, "```"),
                (Heading, "**Then:**"),
                (Sentence, "End."),
            ]
        );
        let units = Unit::all_in(text);
        assert_eq!(units[3].about, [Some(0), Some(1), Some(2)], "heading, what introduces it, its item");
        assert_eq!(units[7].header, Some(5));
        assert_eq!(units[5].header, None);
    }
}
