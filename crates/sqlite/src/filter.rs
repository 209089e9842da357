//! What a memory must be like, as SQL: values are bound, and what is in JSON is compared by a function of our own, so that
//! every store compares alike.

use std::sync::Arc;

use aforesaid_core::{
    store::tables::number_of_kind,
    types::{MemoryFilter, MemoryId},
};
use rusqlite::{
    Connection, Error,
    functions::{Context, FunctionFlags},
    types::{Value, ValueRef},
};
use serde::de::DeserializeOwned;
use serde_json::Map;

type BoxError = Box<dyn std::error::Error + Send + Sync>;

/// Adds the conditions of a filter on the memory `m`, and their values.
pub(crate) fn add(filter: &MemoryFilter, condition: &mut String, values: &mut Vec<Value>) {
    if let Some(kind) = filter.kind {
        values.push(Value::Integer(number_of_kind(kind)));
        condition.push_str(&format!(" AND m.kind = ?{}", values.len()));
    }
    if !filter.speakers.is_empty() {
        let places = filter.speakers.iter().map(|speaker| {
            values.push(Value::Text(speaker.clone()));
            format!("?{}", values.len())
        });
        let places = places.collect::<Vec<_>>().join(", ");
        condition.push_str(&format!(" AND m.speaker IN ({places})"));
    }
    if filter.reads_labels() {
        // Lists and maps of strings always serialize.
        values.push(Value::Text(serde_json::to_string(filter).unwrap_or_default()));
        condition.push_str(&format!(" AND admits_labels(?{}, m.tags, m.source, m.meta)", values.len()));
    }
}

/// Defines the function of [`add`] on a connection.
pub(crate) fn define(connection: &Connection) -> rusqlite::Result<()> {
    let flags = FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_DETERMINISTIC | FunctionFlags::SQLITE_DIRECTONLY;
    connection.create_scalar_function("admits_labels", 4, flags, admits_labels)
}

fn admits_labels(call: &Context<'_>) -> rusqlite::Result<bool> {
    // Read once a statement.
    let filter: Arc<MemoryFilter> = call.get_or_create_aux(0, |value| -> Result<MemoryFilter, BoxError> {
        Ok(serde_json::from_str(value.as_str()?)?)
    })?;
    let tags: Option<Vec<String>> = json(call.get_raw(1))?;
    let sources: Option<Vec<MemoryId>> = json(call.get_raw(2))?;
    let meta: Option<Map<String, serde_json::Value>> = json(call.get_raw(3))?;
    Ok(filter.admits_labels(&tags.unwrap_or_default(), &sources.unwrap_or_default(), meta.as_ref()))
}

fn json<T: DeserializeOwned>(column: ValueRef<'_>) -> rusqlite::Result<Option<T>> {
    let read =
        || -> Result<Option<T>, BoxError> { Ok(column.as_str_or_null()?.map(serde_json::from_str).transpose()?) };
    read().map_err(Error::UserFunctionError)
}
