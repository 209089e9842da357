//! One line of a labelled history.

use aforesaid::types::{ConversationId, Draft, Importance, MemoryId, Note, Sensitivity, Timestamp, Turn};
use serde_json::{Map, Value};

use super::{
    super::{
        DataError,
        turn::{Session, memory_id},
        value::{label, labels, wrong},
    },
    Expected, Unread,
    fields::Fields,
};

const LINE: &str = "one memory or query as an object on this line";
const TIME: &str = "ISO 8601 such as 2023-05-08T13:56:00Z, or seconds since 1970 as a number";
const LABEL: &str = "a string or a whole number";
const GROUP: &str = "default";

pub(super) enum Line {
    Memory(MemoryLine),
    Query(Query),
}

pub(super) struct MemoryLine {
    pub(super) group: String,
    /// As an export of a store has it.
    pub(super) conversation: Option<String>,
    pub(super) draft: Draft,
}

pub(super) struct Query {
    pub(super) id: String,
    pub(super) group: String,
    pub(super) query: String,
    pub(super) gold_ids: Vec<String>,
    pub(super) category: Option<String>,
    pub(super) before: Option<MemoryId>,
    pub(super) now: Option<String>,
}

/// Reads line `number` of `file`; what it holds besides is counted in `unread`.
pub(super) fn read_line(
    text: &str,
    expected: Expected,
    file: &str,
    number: usize,
    unread: &mut Unread,
) -> Result<Line, DataError> {
    let fields: Fields = serde_json::from_str(text).map_err(|error| DataError::json(&error, file, number - 1, LINE))?;
    let mut record = Record { fields: fields.0, place: format!("{file}, line {number}") };
    let (kind, line) = match record.kind(expected)? {
        Kind::Memory => ("memories", Line::Memory(record.memory()?)),
        Kind::Query => ("queries", Line::Query(record.query()?)),
    };
    let left = record.fields.into_iter().filter(|(_, value)| !value.is_null());
    for (field, _) in left {
        unread.entry((kind, field)).or_insert_with(|| (0, record.place.clone())).0 += 1;
    }
    Ok(line)
}

enum Kind {
    Memory,
    Query,
}

/// The fields of a line, taken out one by one; `null` is absent.
struct Record {
    fields: Map<String, Value>,
    place: String,
}

impl Record {
    fn kind(&self, expected: Expected) -> Result<Kind, DataError> {
        let has = |field| self.fields.get(field).is_some_and(|value: &Value| !value.is_null());
        let found = match (expected, has("text"), has("query")) {
            (Expected::Memory, ..) | (Expected::Either, true, false) => return Ok(Kind::Memory),
            (Expected::Query, ..) | (Expected::Either, false, true) => return Ok(Kind::Query),
            (Expected::Either, true, true) => "an object with both text and query",
            (Expected::Either, false, false) => "an object without text and query",
        };
        Err(DataError::Wrong {
            place: self.place.clone(),
            what: "the line".to_owned(),
            found: found.to_owned(),
            expected: "text for a memory, or query for a query".to_owned(),
        })
    }

    fn memory(&mut self) -> Result<MemoryLine, DataError> {
        let id = self.required_label("id")?;
        let text = self.required_text("text")?;
        let said_at = self.time("said_at")?;
        let group = self.group()?;
        let sensitivity = self.sensitivity()?;
        // Left among the fields, for what is remarked of those that nothing else reads.
        let conversation = self.fields.get("conversation").and_then(Value::as_str).map(str::to_owned);
        let draft = match (self.label("session")?, self.text("speaker")?) {
            (Some(session), Some(speaker)) => {
                let caption = self.text("image_caption")?.filter(|caption| !caption.trim().is_empty());
                let title = self.text("title")?;
                let session = Session::new(&group, &session, said_at, &self.place)?;
                match session.turn(id, speaker, text, &self.place)? {
                    Draft::Turn(turn) => Draft::Turn(Turn { image_caption: caption, title, sensitivity, ..turn }),
                    note @ Draft::Note(_) => note,
                }
            }
            (None, None) => Draft::Note(Note { sensitivity, ..self.note(id, &group, text, said_at)? }),
            (Some(_), None) => {
                return Err(self.missing("speaker", "who said it, since there is a session (a note has neither)"));
            }
            (None, Some(_)) => {
                return Err(self.missing("session", "where it was said, since there is a speaker (a note has neither)"));
            }
        };
        draft.check().map_err(|why| DataError::Memory { place: self.place.clone(), why })?;
        Ok(MemoryLine { group, conversation, draft })
    }

    fn note(&self, id: String, group: &str, text: String, said_at: Option<Timestamp>) -> Result<Note, DataError> {
        let conversation =
            ConversationId::new(group).map_err(|why| DataError::Name { place: self.place.clone(), why })?;
        Ok(Note {
            id: Some(memory_id(id, &self.place)?),
            conversation: Some(conversation),
            text,
            said_at,
            importance: Importance::default(),
            tags: Vec::new(),
            sensitivity: Sensitivity::default(),
            source: Vec::new(),
        })
    }

    fn query(&mut self) -> Result<Query, DataError> {
        let gold = self.take("gold_ids");
        let gold = gold.ok_or_else(|| self.missing("gold_ids", "an array of memory ids, [] where nobody knows"))?;
        Ok(Query {
            gold_ids: labels(&gold, "gold_ids", &self.place)?,
            id: self.required_label("id")?,
            group: self.group()?,
            query: self.required_text("query")?,
            category: self.label("category")?,
            before: self.label("before")?.map(|id| memory_id(id, &self.place)).transpose()?,
            now: self.text("now")?,
        })
    }

    fn take(&mut self, field: &str) -> Option<Value> {
        self.fields.get_mut(field).map(Value::take).filter(|value| !value.is_null())
    }

    fn group(&mut self) -> Result<String, DataError> {
        Ok(self.label("group")?.unwrap_or_else(|| GROUP.to_owned()))
    }

    /// What was marked as sensitive when it was exported goes to no server here either.
    fn sensitivity(&mut self) -> Result<Sensitivity, DataError> {
        match self.take("sensitive") {
            None => Ok(Sensitivity::default()),
            Some(Value::Bool(sensitive)) => Ok(Sensitivity::from(sensitive)),
            Some(other) => Err(wrong("sensitive", &other, "true or false", &self.place)),
        }
    }

    fn text(&mut self, field: &str) -> Result<Option<String>, DataError> {
        match self.take(field) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(other) => Err(wrong(field, &other, "a string", &self.place)),
        }
    }

    fn required_text(&mut self, field: &'static str) -> Result<String, DataError> {
        self.text(field)?.ok_or_else(|| self.missing(field, "a string"))
    }

    fn label(&mut self, field: &str) -> Result<Option<String>, DataError> {
        let read = |value: Value| label(&value).ok_or_else(|| wrong(field, &value, LABEL, &self.place));
        self.fields.get_mut(field).map(Value::take).filter(|value| !value.is_null()).map(read).transpose()
    }

    fn required_label(&mut self, field: &'static str) -> Result<String, DataError> {
        self.label(field)?.ok_or_else(|| self.missing(field, LABEL))
    }

    fn time(&mut self, field: &str) -> Result<Option<Timestamp>, DataError> {
        let Some(value) = self.take(field) else { return Ok(None) };
        let time = match &value {
            Value::String(text) => text.parse().ok(),
            Value::Number(number) => number.as_f64().and_then(|seconds| Timestamp::from_seconds(seconds).ok()),
            _ => None,
        };
        time.map(Some).ok_or_else(|| wrong(field, &value, TIME, &self.place))
    }

    fn missing(&self, field: &'static str, expected: &'static str) -> DataError {
        DataError::Missing { place: self.place.clone(), field, expected }
    }
}
