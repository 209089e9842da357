//! QMSum: meetings, and questions about parts of them.
//!
//! A line is a meeting and a group, called by its `meeting_id`, or `meeting-<n>` where it has none. It is one
//! session; a turn is called by its place, from 0. Gold is all turns of `relevant_text_span`, whose ranges include
//! both ends; a range that leaves the meeting or runs backwards is unresolved. Questions are called
//! `<meeting>::q<i>`, from 0 in `specific_query_list`; the general ones have no gold and are not read.

use aforesaid::types::Granularity;
use serde::Deserialize;
use serde_json::Value;

use super::{
    Benchmark, DataError, DataSet,
    files::Files,
    intake::{Evidence, Intake, Label, LabelledQuestion},
    turn::Session,
    value::{label, wrong},
};

const LINE: &str = "a QMSum meeting: an object with meeting_transcripts and specific_query_list";
const SPANS: &str = "an array of [first, last]";

#[derive(Deserialize)]
struct Meeting {
    #[serde(default)]
    meeting_id: Option<String>,
    meeting_transcripts: Vec<Utterance>,
    specific_query_list: Vec<Query>,
}

#[derive(Deserialize)]
struct Utterance {
    speaker: String,
    content: String,
}

#[derive(Deserialize)]
struct Query {
    query: String,
    #[serde(default)]
    relevant_text_span: Value,
}

pub(super) fn load(files: &Files, unit: Granularity) -> Result<Benchmark, DataError> {
    let mut intake = Intake::new(DataSet::QmSum, unit);
    for name in files.names() {
        let file = files.label(name);
        for (number, (line, text)) in files.lines(name)?.into_iter().enumerate() {
            let meeting =
                serde_json::from_str(&text).map_err(|error| DataError::json(&error, &file, line - 1, LINE))?;
            read_meeting(meeting, number + 1, &mut intake, &format!("{file}, line {line}"))?;
        }
    }
    intake.finish(files)
}

fn read_meeting(meeting: Meeting, number: usize, intake: &mut Intake, place: &str) -> Result<(), DataError> {
    let group = meeting.meeting_id.unwrap_or_else(|| format!("meeting-{number}"));
    let session = Session::new(&group, "meeting", None, place)?;
    let spoken = meeting.meeting_transcripts.into_iter().enumerate();
    let turns = spoken.map(|(index, turn)| session.turn(index.to_string(), turn.speaker, turn.content, place));
    let turns: Vec<_> = turns.collect::<Result<_, _>>()?;
    let length = turns.len();
    intake.open(group, turns, place)?;
    for (index, query) in meeting.specific_query_list.into_iter().enumerate() {
        let place = format!("{place}, specific query {index}");
        let gold = Label::Evidence(read_spans(&query.relevant_text_span, length, &place)?);
        let asked = LabelledQuestion {
            name: format!("q{index}"),
            text: query.query,
            category: None,
            before: None,
            now: None,
            gold,
            answer: None,
        };
        intake.ask(asked, &place)?;
    }
    Ok(())
}

fn read_spans(spans: &Value, length: usize, place: &str) -> Result<Vec<Evidence>, DataError> {
    let wrong = |found: &Value| wrong("relevant_text_span", found, SPANS, place);
    let items = match spans {
        Value::Null => return Ok(Vec::new()),
        Value::Array(items) => items,
        other => return Err(wrong(other)),
    };
    let read = |span: &Value| {
        let ends: Option<Vec<String>> = span.as_array().and_then(|ends| ends.iter().map(label).collect());
        let Some([first, last]) = ends.as_deref() else { return Err(wrong(span)) };
        let range = (first.trim().parse::<usize>(), last.trim().parse::<usize>());
        let (Ok(from), Ok(to)) = range else { return Err(wrong(span)) };
        let units = if to < length { (from..=to).map(|turn| turn.to_string()).collect() } else { Vec::new() };
        Ok(Evidence { written: format!("{first}-{last}"), units })
    };
    items.iter().map(read).collect()
}
