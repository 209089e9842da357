//! The text export of a WhatsApp chat.
//!
//! A message begins with a date, a time and a name; lines without them belong to the one before. Whether the day or the month
//! comes first is told by numbers above twelve, else by the clock: where it has twelve hours, the month does.

use aforesaid_core::types::{Timestamp, Turn};

use super::{FormatError, Intake, SkipReason, Spot, record::name, refusal::Refusal, sessions::Pauses};

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
    let mut pauses = Pauses::new();
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
    let mut numbers = 0;
    for (line, message) in messages {
        let spot = Spot::line(line);
        let Some((head, text)) = message else {
            intake.skip(spot, SkipReason::UnknownType("line without a date".to_owned()));
            continue;
        };
        numbers += 1;
        let said_at = moment(&head, day_first);
        let session = pauses.next(said_at, intake.place(spot))?;
        let turn = match text.split_once(": ") {
            None => Err(Refusal::from(SkipReason::NothingSaid("message of the program".to_owned()))),
            Some((_, said)) if is_omitted(said) => Err(SkipReason::OnlyAttachments.into()),
            Some((speaker, said)) => Ok(Turn {
                id: Some(name(format!("{session}:{numbers}"), "id", intake.place(spot))?),
                said_at,
                ..Turn::new(conversation.clone(), session, speaker.trim(), said.trim())
            }),
        };
        intake.keep_exported(turn, spot)?;
    }
    Ok(())
}

/// A line without the marks of direction that the program puts in, and with plain spaces.
fn bare(line: &str) -> String {
    line.chars()
        .filter(|c| !matches!(c, '\u{200e}' | '\u{200f}' | '\u{feff}'))
        .map(|c| if matches!(c, '\u{202f}' | '\u{a0}') { ' ' } else { c })
        .collect()
}

fn is_omitted(said: &str) -> bool {
    let said = said.trim();
    said.starts_with('<') && said.ends_with("omitted>") || said.ends_with(" omitted") && !said.contains('\n')
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
    let time = time.trim();
    let lower = time.to_lowercase().replace('.', "");
    let is_afternoon = match () {
        () if lower.ends_with("pm") => Some(true),
        () if lower.ends_with("am") => Some(false),
        () => None,
    };
    let digits = time.trim_end_matches(|c: char| !c.is_ascii_digit());
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

fn moment(head: &Head<'_>, day_first: bool) -> Option<Timestamp> {
    let [first, second, third] = head.numbers;
    let (year, month, day) = match (first > 31, day_first) {
        (true, _) => (first, second, third),
        (false, true) => (third, second, first),
        (false, false) => (third, first, second),
    };
    let year = if year < 100 { 2000 + year } else { year };
    let [hour, minute, second] = head.clock;
    let hour = match head.is_afternoon {
        Some(true) if hour < 12 => hour + 12,
        Some(false) if hour == 12 => 0,
        _ => hour,
    };
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z").parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heads_of_both_programs_are_read() {
        let at = |line: &str, day_first| moment(&head(line).unwrap(), day_first).unwrap().to_string();
        assert_eq!(at("[31.12.24, 23:59:58] Ann: hi", true), "2024-12-31T23:59:58Z");
        assert_eq!(at("12/31/24, 11:59 PM - Ann: hi", false), "2024-12-31T23:59:00Z");
        assert_eq!(at("1/2/2024, 12:05 am - Ann: hi", true), "2024-02-01T00:05:00Z");
        assert_eq!(at("2024-02-01, 09:30 - Ann: hi", true), "2024-02-01T09:30:00Z");
        for line in ["Ann: hi", "12 - 13", "[1, 2] x", "99/99, x - y"] {
            assert!(head(line).is_none(), "{line}");
        }
    }
}
