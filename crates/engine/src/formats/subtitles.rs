//! Transcripts as subtitles: SubRip (`.srt`) and WebVTT (`.vtt`).
//!
//! Each cue is a turn; what is said by one speaker without a break is one turn. The time in the recording is in `meta`; when it
//! was said is told by the name of the file or its folder, where that has a day.

use aforesaid_core::types::Turn;
use serde_json::{Map, Value};

use super::{FormatError, Intake, SkipReason, Spot, record::name, recorded::Recorded, sessions::session};

/// Characters of a turn after which a speaker's next cue begins another.
const LONG: usize = 600;

/// Whether a text is a transcript.
pub(super) fn begins(text: &str) -> bool {
    let mut lines = text.trim_start_matches('\u{feff}').lines().map(str::trim).filter(|line| !line.is_empty());
    match lines.next() {
        Some(first) if first.starts_with("WEBVTT") => true,
        Some(first) if first.bytes().all(|byte| byte.is_ascii_digit()) => {
            lines.next().is_some_and(|line| start(line).is_some())
        }
        Some(first) => start(first).is_some(),
        None => false,
    }
}

/// What is said from a moment of the recording on.
struct Cue {
    line: usize,
    start: String,
    speaker: Option<String>,
    text: String,
}

/// Reads a transcript.
pub(super) fn read(text: &str, intake: &mut Intake) -> Result<(), FormatError> {
    let conversation = intake.source().conversation()?;
    let session = session(1, intake.place(Spot::default()))?;
    let zone = intake.source().zone.cloned().unwrap_or_default();
    let recorded = Recorded::of(intake.file(), &zone);
    let (cues, unread) = cues(text);
    for line in unread {
        intake.skip(Spot::line(line), SkipReason::UnknownType("time of a cue".to_owned()));
    }
    for (index, cue) in joined(cues).into_iter().enumerate() {
        let spot = Spot::line(cue.line);
        let turn = Turn {
            id: Some(name(format!("{session}:{}", index + 1), "id", intake.place(spot))?),
            said_at: recorded.and_then(|recorded| recorded.after(millis(&cue.start))),
            meta: Some(Map::from_iter([("start".to_owned(), Value::from(cue.start))])),
            ..Turn::new(
                conversation.clone(),
                session.clone(),
                cue.speaker.unwrap_or_else(|| "speaker".to_owned()),
                cue.text,
            )
        };
        intake.keep_exported(Ok(turn), spot)?;
    }
    Ok(())
}

/// The cues, and the lines of those whose time cannot be read: what is said there belongs to no other cue.
fn cues(text: &str) -> (Vec<Cue>, Vec<usize>) {
    let (mut cues, mut unread): (Vec<Cue>, Vec<usize>) = Default::default();
    let mut is_in = false;
    for (index, line) in text.lines().enumerate() {
        let line = line.trim();
        if let Some(start) = start(line) {
            cues.push(Cue { line: index + 1, start, speaker: None, text: String::new() });
            is_in = true;
        } else if line.contains("-->") && line.starts_with(|first: char| first.is_ascii_digit()) {
            unread.push(index + 1);
            is_in = false;
        } else if line.is_empty() {
            is_in = false;
        } else if is_in && let Some(cue) = cues.last_mut() {
            let (speaker, said) = spoken(line);
            cue.speaker = cue.speaker.take().or(speaker);
            if !cue.text.is_empty() {
                cue.text.push(' ');
            }
            cue.text.push_str(&said);
        }
    }
    (cues, unread)
}

/// The moment of a line such as `00:01:02,500 --> 00:01:04,000`.
fn start(line: &str) -> Option<String> {
    let (start, end) = line.split_once("-->")?;
    let is_time = |text: &str| {
        let text = text.split_whitespace().next().unwrap_or_default();
        text.contains(':') && text.bytes().all(|byte| byte.is_ascii_digit() || b":.,".contains(&byte))
    };
    (is_time(start) && is_time(end)).then(|| start.trim().replace(',', "."))
}

/// The milliseconds of a moment in the recording such as `00:01:02.500` or `01:02.500`; what cannot be read counts nothing.
fn millis(start: &str) -> i64 {
    let (clock, fraction) = start.split_once('.').unwrap_or((start, ""));
    let number = |digits: &str| digits.parse::<i64>().unwrap_or(0);
    let seconds = clock.split(':').fold(0_i64, |sum, part| sum.saturating_mul(60).saturating_add(number(part)));
    let fraction: String = fraction.chars().chain("000".chars()).take(3).collect();
    seconds.saturating_mul(1000).saturating_add(number(&fraction))
}

/// Who speaks, where the line says so, and what is said, without tags.
fn spoken(line: &str) -> (Option<String>, String) {
    let (mut speaker, mut said, mut rest) = (None, String::new(), line);
    while let Some(open) = rest.find('<') {
        let Some(close) = rest[open..].find('>').map(|at| open + at) else { break };
        said.push_str(&rest[..open]);
        if let Some(voice) = rest[open + 1..close].strip_prefix("v ").or(rest[open + 1..close].strip_prefix("v.")) {
            speaker = Some(voice.trim().to_owned()).filter(|voice| !voice.is_empty());
        }
        rest = &rest[close + 1..];
    }
    said.push_str(rest);
    let said = said.trim();
    if speaker.is_none()
        && let Some((name, words)) = said.split_once(": ")
        && name.len() <= 40
        && name.split_whitespace().count() <= 3
        && name.starts_with(char::is_uppercase)
    {
        return (Some(name.to_owned()), words.trim().to_owned());
    }
    (speaker, said.to_owned())
}

/// Cues of one speaker that follow each other, as one.
fn joined(cues: Vec<Cue>) -> Vec<Cue> {
    let mut turns: Vec<Cue> = Vec::new();
    for cue in cues.into_iter().filter(|cue| !cue.text.is_empty()) {
        match turns.last_mut() {
            Some(last)
                if (cue.speaker.is_none() || cue.speaker == last.speaker)
                    && last.text.len() + cue.text.len() < LONG =>
            {
                last.text.push(' ');
                last.text.push_str(&cue.text);
            }
            _ => turns.push(cue),
        }
    }
    turns
}

#[cfg(test)]
mod tests {
    use super::*;

    /// It was left out without a word, or said by whoever spoke before.
    #[test]
    fn a_cue_whose_time_cannot_be_read_is_told_and_joins_no_other() {
        let text = "WEBVTT\n\n00:01.000 --> 00:02.000\n<v Ann>The reel jams.\n00:03,x --> 00:04.000\n<v Bob>Oil it.\n\n\
                    00:05.000 --> 00:06.000\n<v Ann>No.\nPress --> now.\n";
        let (cues, unread) = cues(text);
        let said: Vec<&str> = cues.iter().map(|cue| cue.text.as_str()).collect();
        assert_eq!((said, unread), (vec!["The reel jams.", "No. Press --> now."], vec![5]));
    }

    #[test]
    fn moments_in_a_recording_are_counted() {
        let read = ["00:01:02.500", "01:02.5", "1:00:00", "x", "99999999999999999999:00:00.000"].map(millis);
        assert_eq!(read, [62_500, 62_500, 3_600_000, 0, 0]);
    }

    #[test]
    fn speakers_are_found_in_both_forms() {
        let text = "WEBVTT\n\n1\n00:01.000 --> 00:02.000\n<v Ann>The reel\njams.\n\n00:03.000 --> 00:04.000\n<v Ann>Again.\n\n\
                    00:05.000 --> 00:06.000 align:start\nBob: Oil it.\n";
        let told: Vec<(Option<String>, String)> =
            joined(cues(text).0).into_iter().map(|cue| (cue.speaker, cue.text)).collect();
        let expected = [("Ann", "The reel jams. Again."), ("Bob", "Oil it.")];
        assert_eq!(told, expected.map(|(speaker, text)| (Some(speaker.to_owned()), text.to_owned())));
        assert!(
            begins(text) && begins("1\n00:00:01,000 --> 00:00:02,000\nhi") && !begins("1\n2\n") && !begins("a --> b")
        );
    }
}
