//! Labelled queries, one JSON object a line.

use std::collections::HashMap;

use aforesaid::types::{ConversationId, MemoryId, Timestamp, Zone};
use serde::Deserialize;

use crate::datasets::{DataError, asked_at};

const LINE: &str = "one query as an object on this line, with query and gold_ids";

/// A question to one's own store, and what answers it.
#[derive(Debug, Clone, PartialEq)]
pub struct LabelledQuery {
    /// Its name, unique in the file.
    pub id: String,
    /// The question.
    pub text: String,
    /// Turns and notes that answer it.
    pub gold_ids: Vec<MemoryId>,
    /// Its kind.
    pub category: Option<String>,
    /// Only this conversation is searched.
    pub conversation: Option<ConversationId>,
    /// Asked as if this memory did not exist yet.
    pub before: Option<MemoryId>,
    /// The moment of asking.
    pub now: Option<Timestamp>,
    /// The zone of its offset.
    pub zone: Zone,
    /// Its file and line, for messages.
    pub place: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    id: Option<String>,
    query: String,
    gold_ids: Vec<MemoryId>,
    category: Option<String>,
    conversation: Option<ConversationId>,
    before: Option<MemoryId>,
    now: Option<String>,
}

/// Reads the lines of `file`; blank ones are passed over.
///
/// # Errors
/// When a line is no query, a question is blank, or two have one name; the message names the line.
pub fn read_queries(text: &str, file: &str) -> Result<Vec<LabelledQuery>, DataError> {
    let mut places: HashMap<String, String> = HashMap::new();
    let mut queries = Vec::new();
    let lines = text.trim_start_matches('\u{FEFF}').lines().enumerate();
    for (before, line) in lines.filter(|(_, line)| !line.trim().is_empty()) {
        let place = format!("{file}, line {}", before + 1);
        let read = serde_json::from_str(line).map_err(|error| DataError::json(&error, file, before, LINE))?;
        let Line { id, query: text, gold_ids, category, conversation, before: asked_before, now } = read;
        let id = id.unwrap_or_else(|| (before + 1).to_string());
        if text.trim().is_empty() {
            return Err(DataError::BlankQuestion { place, id });
        }
        if let Some(first) = places.insert(id.clone(), place.clone()) {
            return Err(DataError::Repeated { place, what: "query", id, first: Some(first) });
        }
        let wrong = |now: &str| DataError::Wrong {
            place: place.clone(),
            what: "field \"now\"".to_owned(),
            found: format!("{now:?}"),
            expected: "a time in ISO 8601, such as 2024-03-09T18:30:00+01:00".to_owned(),
        };
        let asked = now.map(|now| asked_at(&now).ok_or_else(|| wrong(&now))).transpose()?;
        let (now, zone) = asked.map_or((None, Zone::UTC), |(now, zone)| (Some(now), zone));
        queries.push(LabelledQuery {
            id,
            text,
            gold_ids,
            category,
            conversation,
            before: asked_before,
            now,
            zone,
            place,
        });
    }
    Ok(queries)
}
