//! Which memories an operation is about, as SQL: values are bound, and what is in JSON is compared by the rule of core, so
//! that every store compares alike.

use aforesaid_core::{
    StoreError,
    store::tables::{Selection, number_of_kind},
    types::{MemoryFilter, Scope},
};

use crate::{
    kept_text, row,
    tables::NamespaceTables,
    value::{Value, values},
};

impl NamespaceTables<'_> {
    /// SQL that keeps some of the memories `m`, and its values, from `$2`.
    pub(crate) fn condition(&self, selection: Selection<'_>) -> Result<(String, Vec<Value>), StoreError> {
        match selection {
            Selection::One(seq) => Ok((" AND m.seq = $2".to_owned(), values![seq.0])),
            Selection::Within(scope) => self.within(scope),
        }
    }

    /// SQL that keeps the memories of a scope, and its values, from `$2`.
    pub(crate) fn within(&self, scope: &Scope) -> Result<(String, Vec<Value>), StoreError> {
        let (condition, values) = by_columns(scope);
        if !scope.filter.reads_labels() {
            return Ok((condition, values));
        }
        let chosen = self.by_labels(&scope.filter, &condition, values)?;
        Ok((" AND m.seq = ANY($2)".to_owned(), values![chosen]))
    }

    /// Positions of memories under a condition whose tags, sources and metadata a filter admits.
    fn by_labels(&self, filter: &MemoryFilter, condition: &str, values: Vec<Value>) -> Result<Vec<i64>, StoreError> {
        let sql = format!("SELECT m.seq, m.tags, m.source, m.meta FROM @memory m WHERE m.tenant = $1 {condition}");
        let mut rows = self.stream(&sql, values)?;
        let mut chosen = Vec::new();
        while let Some(found) = rows.next()? {
            let tags: Option<Vec<String>> = row::json(self.context, &found, 1)?;
            let sources = row::json(self.context, &found, 2)?.unwrap_or_default();
            let meta = row::json(self.context, &found, 3)?;
            let sources: Vec<aforesaid_core::types::MemoryId> = sources;
            let meta: Option<serde_json::Map<String, serde_json::Value>> = meta;
            if filter.admits_labels(&tags.unwrap_or_default(), &sources, meta.as_ref()) {
                chosen.push(self.get(&found, 0)?);
            }
        }
        Ok(chosen)
    }
}

/// What of a scope is in columns.
fn by_columns(scope: &Scope) -> (String, Vec<Value>) {
    let (mut condition, mut values) = (String::new(), Vec::new());
    let mut and = |sql: &str, value: Value| {
        values.push(value);
        condition.push_str(&sql.replace('?', &format!("${}", values.len() + 1)));
    };
    if let Some(conversation) = &scope.conversation {
        and(
            " AND m.conversation = (SELECT k.id FROM @conversation k WHERE k.tenant = $1 AND k.name = ?)",
            conversation.as_str().into(),
        );
    }
    if let Some(session) = &scope.session {
        and(
            " AND m.session IN (SELECT k.id FROM @session k WHERE k.tenant = $1 AND k.name = ?)",
            session.as_str().into(),
        );
    }
    for conversation in &scope.except {
        and(
            " AND m.conversation NOT IN (SELECT k.id FROM @conversation k WHERE k.tenant = $1 AND k.name = ?)",
            conversation.as_str().into(),
        );
    }
    if let Some(from) = scope.from {
        and(" AND m.said_at >= ?", from.millis().into());
    }
    if let Some(to) = scope.to {
        and(" AND m.said_at <= ?", to.millis().into());
    }
    if let Some(kind) = scope.filter.kind {
        and(" AND m.kind = ?", number_of_kind(kind).into());
    }
    if !scope.filter.speakers.is_empty() {
        let speakers: Vec<String> =
            scope.filter.speakers.iter().map(|speaker| kept_text::kept(speaker).into_owned()).collect();
        and(" AND m.speaker = ANY(?)", speakers.into());
    }
    (condition, values)
}
