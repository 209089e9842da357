//! The text export of a WhatsApp chat.
//!
//! A message begins with a date, a time and a name; lines without them belong to the one before. Whether the day or the month
//! comes first is told by numbers above twelve, else by the clock: where it has twelve hours, the month does. The clock is that
//! of the telephone, so that times are read in the zone of the source.
//!
//! A chat is exported again and again: it has grown, its beginning is cut off, somebody has another name. So a session is a
//! day, and an id is made of the day, the time and the text, wherever the message stands.

mod notices;

use std::collections::HashMap;

use aforesaid_core::types::{MemoryId, SessionId, Timestamp, Turn, Zone};
use sha2::{Digest, Sha256};

use super::{FormatError, Intake, Place, SkipReason, Spot, record::name, refusal::Refusal};
use notices::Said;

/// The beginning of a message.
struct Head<'t> {
    numbers: [u32; 3],
    clock: [u32; 3],
    is_afternoon: Option<bool>,
    rest: &'t str,
}

/// Whether a text begins with a message.
pub(super) fn begins(text: &str) -> bool {
    let first = text.lines().map(bare).find(|line| !line.trim().is_empty());
    first.is_some_and(|line| head(&line).is_some())
}

/// Reads a chat.
pub(super) fn read(text: &str, intake: &mut Intake) -> Result<(), FormatError> {
    let lines: Vec<String> = text.lines().map(bare).collect();
    let day_first = is_day_first(&lines);
    let conversation = intake.source().conversation()?;
    let zone = intake.source().zone.cloned().unwrap_or_default();
    let mut messages: Vec<(usize, Option<(Head<'_>, String)>)> = Vec::new();
    for (index, line) in lines.iter().enumerate() {
        match (head(line), messages.last_mut()) {
            (Some(head), _) => {
                let text = head.rest.to_owned();
                messages.push((index + 1, Some((head, text))));
            }
            (None, Some((_, Some((_, text))))) => {
                text.push('\n');
                text.push_str(line);
            }
            (None, _) if line.trim().is_empty() => {}
            (None, _) => messages.push((index + 1, None)),
        }
    }
    if let [(line, None), ..] = messages.as_slice()
        && messages.iter().all(|(_, message)| message.is_none())
    {
        return Err(FormatError::WrongType {
            place: intake.place(Spot::line(*line)).to_string(),
            what: "the first line".to_owned(),
            found: "one without a date and a time, as are all others".to_owned(),
            expected: "a message such as `31/12/2024, 23:59 - Ann: Hello`",
        });
    }
    let mut ids = Ids::default();
    for (line, message) in messages {
        let spot = Spot::line(line);
        let Some((head, text)) = message else {
            intake.skip(spot, SkipReason::UnknownType("line without a date".to_owned()));
            continue;
        };
        let said_at = moment(&head, day_first, &zone);
        let turn = match text.split_once(": ").map(|(speaker, text)| (speaker, notices::said(text))) {
            None | Some((_, Said::Notice)) => {
                Err(Refusal::from(SkipReason::NothingSaid("message of the program".to_owned())))
            }
            Some((_, Said::Attachment)) => Err(SkipReason::OnlyAttachments.into()),
            Some((speaker, Said::Words(said))) => {
                let (session, id) = ids.of(&head, day_first, said, intake.place(spot))?;
                let (speaker, said) = (plain(speaker), plain(said));
                Ok(Turn {
                    id: Some(id),
                    said_at,
                    ..Turn::new(conversation.clone(), session, speaker.trim(), said.trim())
                })
            }
        };
        intake.keep_exported(turn, spot)?;
    }
    Ok(())
}

/// The ids of messages: those of one minute that say the same are counted.
#[derive(Default)]
struct Ids(HashMap<String, usize>);

impl Ids {
    /// The session and the id of a message. Whoever said it may have another name by now, so that the name is no part of it.
    fn of(
        &mut self,
        head: &Head<'_>,
        day_first: bool,
        said: &str,
        place: Place<'_>,
    ) -> Result<(SessionId, MemoryId), FormatError> {
        let [year, month, day] = date(head, day_first);
        let [hour, minute, _] = clock(head);
        let session = format!("{year:04}-{month:02}-{day:02}");
        let digest = Sha256::digest(format!("{hour:02}:{minute:02} {}", plain(said).trim()).as_bytes());
        let hash: String = digest.iter().take(6).map(|byte| format!("{byte:02x}")).collect();
        let id = format!("{session}:{hash}");
        let times = self.0.entry(id.clone()).or_default();
        *times += 1;
        let id = if *times == 1 { id } else { format!("{id}-{times}") };
        Ok((name(session, "date", place)?, name(id, "id", place)?))
    }
}

/// A line with plain spaces, without a mark at its beginning and those of another direction. The mark that remains tells what
/// the program wrote.
fn bare(line: &str) -> String {
    let line = line.trim_start_matches(['\u{200e}', '\u{feff}']).chars();
    line.filter(|c| !matches!(c, '\u{200f}' | '\u{feff}'))
        .map(|c| if matches!(c, '\u{202f}' | '\u{a0}') { ' ' } else { c })
        .collect()
}

/// A text without the marks of direction that the program puts in.
fn plain(text: &str) -> String {
    text.replace('\u{200e}', "")
}

/// `31/12/2024, 23:59 - ` or `[31.12.24, 23:59:59] `.
fn head(line: &str) -> Option<Head<'_>> {
    let (line, end) = match line.strip_prefix('[') {
        Some(line) => (line, "] "),
        None => (line, " - "),
    };
    let (stamp, rest) = line.split_once(end)?;
    if stamp.len() > 40 || !stamp.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let (date, time) = stamp.split_once([',', ' '])?;
    let numbers = three(date, &['/', '.', '-'])?;
    // `11:59 PM`, `11:59 p. m.`, `下午11:59`.
    let half: String = time.to_lowercase().chars().filter(|c| c.is_alphabetic()).collect();
    let is_afternoon = match &*half {
        "pm" | "下午" | "午後" | "오후" => Some(true),
        "am" | "上午" | "午前" | "오전" => Some(false),
        _ => None,
    };
    let digits = time.trim_matches(|c: char| !c.is_ascii_digit());
    let clock = three(digits, &[':', '.']).or_else(|| {
        let (hour, minute) = digits.split_once([':', '.'])?;
        Some([hour.parse().ok()?, minute.parse().ok()?, 0])
    })?;
    Some(Head { numbers, clock, is_afternoon, rest })
}

fn three(text: &str, between: &[char]) -> Option<[u32; 3]> {
    let mut parts = text.split(between).map(|part| part.trim().parse().ok());
    let numbers = [parts.next()??, parts.next()??, parts.next()??];
    parts.next().is_none().then_some(numbers)
}

fn is_day_first(lines: &[String]) -> bool {
    let mut has_clock_of_twelve = false;
    for head in lines.iter().filter_map(|line| head(line)) {
        match head.numbers {
            [first, _, _] if first > 12 => return true,
            [_, second, _] if second > 12 => return false,
            _ => has_clock_of_twelve |= head.is_afternoon.is_some(),
        }
    }
    !has_clock_of_twelve
}

/// Year, month and day.
fn date(head: &Head<'_>, day_first: bool) -> [u32; 3] {
    let [first, second, third] = head.numbers;
    let (year, month, day) = match (first > 31, day_first) {
        (true, _) => (first, second, third),
        (false, true) => (third, second, first),
        (false, false) => (third, first, second),
    };
    [if year < 100 { 2000 + year } else { year }, month, day]
}

/// Hour of the day, minute and second.
fn clock(head: &Head<'_>) -> [u32; 3] {
    let [hour, minute, second] = head.clock;
    let hour = match head.is_afternoon {
        Some(true) if hour < 12 => hour + 12,
        Some(false) if hour == 12 => 0,
        _ => hour,
    };
    [hour, minute, second]
}

fn moment(head: &Head<'_>, day_first: bool, zone: &Zone) -> Option<Timestamp> {
    zone.moment_of(date(head, day_first), clock(head))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heads_of_both_programs_are_read() {
        let at = |line: &str, day_first| moment(&head(line).unwrap(), day_first, &Zone::UTC).unwrap().to_string();
        assert_eq!(at("[31.12.24, 23:59:58] Ann: hi", true), "2024-12-31T23:59:58Z");
        assert_eq!(at("12/31/24, 11:59 PM - Ann: hi", false), "2024-12-31T23:59:00Z");
        assert_eq!(at("1/2/2024, 12:05 am - Ann: hi", true), "2024-02-01T00:05:00Z");
        assert_eq!(at("2024-02-01, 09:30 - Ann: hi", true), "2024-02-01T09:30:00Z");
        assert_eq!(at("12/3/24, 6:05 p.\u{a0}m. - Ann: hi", true), "2024-03-12T18:05:00Z");
        assert_eq!(at("2024/2/1, 下午9:30 - Ann: hi", true), "2024-02-01T21:30:00Z");
        for line in ["Ann: hi", "12 - 13", "[1, 2] x", "99/99, x - y"] {
            assert!(head(line).is_none(), "{line}");
        }
    }
}
