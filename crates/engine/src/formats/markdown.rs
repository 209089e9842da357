//! A note in Markdown, as in a vault of Obsidian: a heading begins a session, a paragraph is a turn.
//!
//! A block of code is never cut. Of the front matter the title, the date, the author and the tags are read; a date is also
//! that of a file's name or of a heading that is one, as daily notes have them.

use std::collections::HashMap;

use aforesaid_core::types::{MemoryId, SessionId, Timestamp, Turn};
use sha2::{Digest, Sha256};

use super::{FormatError, Intake, SkipReason, Spot, record::name, titles::Titles};

/// Bytes of a heading that name its session.
const MOST_NAME: usize = 200;

/// Whether a file is one, by its name: any text is Markdown.
pub(super) fn is_named(file: &str) -> bool {
    file.rsplit_once('.').is_some_and(|(_, end)| ["md", "markdown"].iter().any(|known| end.eq_ignore_ascii_case(known)))
}

/// What a note says of itself.
#[derive(Debug, Default, PartialEq)]
struct FrontMatter {
    title: Option<String>,
    author: Option<String>,
    date: Option<Timestamp>,
    tags: Vec<String>,
}

/// A part of a note, with the number of its first line.
#[derive(Debug, PartialEq)]
enum Block {
    Heading(usize, String),
    Paragraph(usize, String),
}

/// Reads a note.
pub(super) fn read(text: &str, intake: &mut Intake) -> Result<(), FormatError> {
    let (front, body, skipped) = front_matter(text);
    let conversation = intake.source().conversation()?;
    let stem = intake.source().stem;
    let file = stem.rsplit('/').next().unwrap_or(stem);
    let date = front.date.or_else(|| date_of(file));
    let speaker = front.author.unwrap_or_else(|| "note".to_owned());
    let title = front.title.unwrap_or_else(|| file.to_owned());
    let (mut heading, mut said_at) = (title, date);
    let mut session: Option<(SessionId, Titles)> = None;
    let mut names: HashMap<String, usize> = HashMap::new();
    let mut seen: HashMap<MemoryId, Spot> = HashMap::new();
    for block in blocks(body) {
        let (line, text) = match block {
            Block::Heading(_, text) => {
                said_at = date_of(&text).or(date);
                (heading, session) = (text, None);
                continue;
            }
            Block::Paragraph(line, text) => (line + skipped, text),
        };
        let spot = Spot::line(line);
        if session.is_none() {
            let base = session_name(&heading);
            let count = names.entry(base.clone()).or_default();
            *count += 1;
            let named = if *count == 1 { base } else { format!("{base} ({count})") };
            let named: SessionId = name(named, "heading", intake.place(spot))?;
            session = Some((named, Titles::new(Some(heading.clone()))));
        }
        let Some((session, titles)) = &mut session else { continue };
        // A place in the file would be another after each change of the note.
        let id: MemoryId = name(format!("{session}:{}", hashed(&text)), "id", intake.place(spot))?;
        if let Some(first) = seen.insert(id.clone(), spot) {
            intake.skip(spot, SkipReason::Repeated { id: id.to_string(), first: first.to_string() });
            continue;
        }
        let turn = Turn {
            id: Some(id),
            said_at,
            title: titles.next(session),
            tags: front.tags.clone(),
            ..Turn::new(conversation.clone(), session.clone(), speaker.clone(), text)
        };
        intake.keep_exported(Ok(turn), spot)?;
    }
    Ok(())
}

fn hashed(text: &str) -> String {
    Sha256::digest(text.as_bytes()).iter().take(6).map(|byte| format!("{byte:02x}")).collect()
}

/// The name of a heading's session.
fn session_name(heading: &str) -> String {
    let name: String = heading.chars().filter(|c| !c.is_control()).collect();
    let name = name.trim();
    match name.is_empty() {
        true => "session".to_owned(),
        false => name[..name.floor_char_boundary(MOST_NAME)].trim_end().to_owned(),
    }
}

/// The day that a text begins with, as `2024-05-01`.
fn date_of(text: &str) -> Option<Timestamp> {
    let day = text.get(..10)?;
    let is_day =
        day.bytes().enumerate().all(|(at, byte)| if at == 4 || at == 7 { byte == b'-' } else { byte.is_ascii_digit() });
    let is_end = text[10..].chars().next().is_none_or(|next| !next.is_alphanumeric());
    if is_day && is_end { day.parse().ok() } else { None }
}

/// The front matter, what follows it, and how many lines it has.
fn front_matter(text: &str) -> (FrontMatter, &str, usize) {
    let none = || (FrontMatter::default(), text, 0);
    let Some(rest) = text.strip_prefix("---\n").or_else(|| text.strip_prefix("---\r\n")) else { return none() };
    let (mut at, mut lines) = (text.len() - rest.len(), Vec::new());
    for line in rest.split_inclusive('\n') {
        at += line.len();
        if matches!(line.trim_end(), "---" | "...") {
            let count = lines.len() + 2;
            return (fields(&lines), &text[at..], count);
        }
        lines.push(line.trim_end());
    }
    none()
}

fn fields(lines: &[&str]) -> FrontMatter {
    let mut front = FrontMatter::default();
    let mut is_tags = false;
    for line in lines {
        if let Some(item) = line.trim_start().strip_prefix("- ").filter(|_| is_tags) {
            front.tags.extend(tag(item));
            continue;
        }
        let Some((key, value)) = line.split_once(':').filter(|_| !line.starts_with([' ', '\t', '#'])) else { continue };
        let value = bare(value);
        is_tags = false;
        match key.trim().to_ascii_lowercase().as_str() {
            "title" if !value.is_empty() => front.title = Some(value.to_owned()),
            "author" if !value.is_empty() => front.author = Some(value.chars().filter(|c| !c.is_control()).collect()),
            "date" | "created" => front.date = value.parse().ok().or_else(|| date_of(value)).or(front.date),
            "tags" | "tag" => {
                is_tags = true;
                let list = value.trim_start_matches('[').trim_end_matches(']');
                front.tags.extend(list.split(',').filter_map(tag));
            }
            _ => {}
        }
    }
    let mut seen = std::collections::HashSet::new();
    front.tags.retain(|tag| seen.insert(tag.clone()));
    front
}

/// A value without spaces and quotes around it.
fn bare(value: &str) -> &str {
    let value = value.trim();
    let quoted = |sign: char| value.len() > 1 && value.starts_with(sign) && value.ends_with(sign);
    if quoted('"') || quoted('\'') { value[1..value.len() - 1].trim() } else { value }
}

fn tag(text: &str) -> Option<String> {
    let tag: String = bare(text).trim_start_matches('#').chars().filter(|c| !c.is_control()).collect();
    let tag = tag[..tag.floor_char_boundary(MOST_NAME)].trim().to_owned();
    (!tag.is_empty()).then_some(tag)
}

/// Headings and paragraphs in order.
fn blocks(text: &str) -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut paragraph: Vec<&str> = Vec::new();
    let (mut first, mut fence): (usize, Option<&str>) = (0, None);
    let close = |paragraph: &mut Vec<&str>, first: usize, blocks: &mut Vec<Block>| {
        let text = paragraph.join("\n");
        let text = text.trim_matches('\n').trim_end();
        if !text.trim().is_empty() {
            blocks.push(Block::Paragraph(first, text.to_owned()));
        }
        paragraph.clear();
    };
    for (number, line) in (1..).zip(text.lines()) {
        if let Some(open) = fence {
            paragraph.push(line);
            let marks = line.trim();
            if marks.starts_with(open) && marks.chars().all(|c| open.starts_with(c)) {
                fence = None;
                close(&mut paragraph, first, &mut blocks);
            }
            continue;
        }
        let trimmed = line.trim();
        if trimmed.is_empty() {
            close(&mut paragraph, first, &mut blocks);
        } else if let Some(heading) = heading(line) {
            close(&mut paragraph, first, &mut blocks);
            blocks.push(Block::Heading(number, heading));
        } else if let ([only], true) = (paragraph.as_slice(), is_underline(trimmed)) {
            blocks.push(Block::Heading(first, only.trim().to_owned()));
            paragraph.clear();
        } else if paragraph.is_empty() && is_rule(trimmed) {
        } else {
            if paragraph.is_empty() {
                first = number;
            }
            fence = fence_of(trimmed);
            paragraph.push(line);
        }
    }
    close(&mut paragraph, first, &mut blocks);
    blocks
}

/// The text of a line such as `## Kites ##`.
fn heading(line: &str) -> Option<String> {
    let level = line.bytes().take_while(|byte| *byte == b'#').count();
    let rest = &line[level..];
    let is_one = (1..=6).contains(&level) && (rest.is_empty() || rest.starts_with([' ', '\t']));
    is_one.then(|| rest.trim().trim_end_matches('#').trim_end().to_owned())
}

/// The marks that end a block of code which this line begins.
fn fence_of(line: &str) -> Option<&str> {
    let sign = line.chars().next().filter(|sign| matches!(sign, '`' | '~'))?;
    let length = line.chars().take_while(|c| *c == sign).count();
    // A word in marks is none: `like this`.
    (length >= 3 && !(sign == '`' && line[length..].contains('`'))).then(|| &line[..length])
}

fn is_underline(line: &str) -> bool {
    line.len() >= 2 && (line.bytes().all(|byte| byte == b'=') || line.bytes().all(|byte| byte == b'-'))
}

fn is_rule(line: &str) -> bool {
    let signs: String = line.chars().filter(|c| !c.is_whitespace()).collect();
    signs.len() >= 3 && ["-", "*", "_"].iter().any(|sign| signs.replace(sign, "").is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_is_kept_whole_and_headings_of_both_forms_are_found() {
        let text = "Intro,\ngoes on.\n\nPlan\n====\n- one\n- two\n\n```sh\n# no heading\n\nls\n```\n---\n## Next ##\n~~~~\nopen";
        let told = blocks(text);
        let paragraph = |line, text: &str| Block::Paragraph(line, text.to_owned());
        let expected = [
            paragraph(1, "Intro,\ngoes on."),
            Block::Heading(4, "Plan".to_owned()),
            paragraph(6, "- one\n- two"),
            paragraph(9, "```sh\n# no heading\n\nls\n```"),
            Block::Heading(15, "Next".to_owned()),
            paragraph(16, "~~~~\nopen"),
        ];
        assert_eq!(told, expected);
    }

    #[test]
    fn front_matter_is_read_where_it_ends() {
        let text = "---\ntitle: \"Kites: a log\"\ndate: 2024-05-01\ntags:\n  - wind\n  - '#red'\nother: [a]\n---\nText";
        let (front, body, lines) = front_matter(text);
        let expected = FrontMatter {
            title: Some("Kites: a log".to_owned()),
            author: None,
            date: Some("2024-05-01".parse().unwrap()),
            tags: vec!["wind".to_owned(), "red".to_owned()],
        };
        assert_eq!((front, body, lines), (expected, "Text", 8));
        assert_eq!(front_matter("---\ntitle: x\n").1, "---\ntitle: x\n");
        assert_eq!(front_matter("---\ntags: [a, \"b\", a]\n---\n").0.tags, ["a", "b"]);
        assert_eq!(date_of("2024-05-01 walk"), Some("2024-05-01".parse().unwrap()));
        assert_eq!((date_of("2024-05-011"), date_of("2024/05/01"), date_of("May")), (None, None, None));
    }
}
