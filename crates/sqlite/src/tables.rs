//! A namespace in one transaction: the row of its own.

use std::cell::{OnceCell, RefCell};

use aforesaid_core::{
    StoreError,
    store::{
        Version,
        tables::{NamespaceState, Selection, StateTable, components_into},
    },
    types::{CueId, CueSource, EncoderId, Namespace, Record, Scope, Seq, Vectors},
};
use rusqlite::{Connection, OptionalExtension, Row, ToSql, Transaction, params, types::Value};

use crate::{errors::Context, filter, row, salt::Salt};

/// The columns of [`state_of`], after the number of the namespace.
const STATE: &str = "id, epoch, last, cues, removed, serving, floor, notes";

/// One namespace over one connection, inside the caller's transaction if it has one.
pub(crate) struct NamespaceTables<'a> {
    pub(crate) connection: &'a Connection,
    pub(crate) context: Context<'a>,
    /// The number of the namespace.
    pub(crate) tenant: i64,
    /// Its row, as it is in this transaction.
    pub(crate) state: NamespaceState,
    /// The encoder used last.
    pub(crate) encoder: RefCell<Option<(EncoderId, Encoder)>>,
    /// The source of cues used last, with its number.
    pub(crate) source: Option<(CueSource, i64)>,
    pub(crate) salt: OnceCell<Salt>,
}

/// An encoder as a namespace knows it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Encoder {
    pub(crate) number: i64,
    pub(crate) dim: usize,
}

impl<'a> NamespaceTables<'a> {
    /// A namespace, if it is there.
    pub(crate) fn open(
        connection: &'a Connection,
        context: Context<'a>,
        namespace: &Namespace,
    ) -> Result<Option<Self>, StoreError> {
        let found = context.run(
            connection
                .prepare_cached(&format!("SELECT {STATE} FROM namespace WHERE name = ?1"))
                .and_then(|mut select| select.query_row([namespace.as_str()], state_of).optional()),
        )?;
        found.map(|found| Self::of(connection, context, found)).transpose()
    }

    /// A namespace, made where it is missing.
    pub(crate) fn open_or_make(
        transaction: &'a Transaction<'a>,
        context: Context<'a>,
        namespace: &Namespace,
    ) -> Result<Self, StoreError> {
        if let Some(tables) = Self::open(transaction, context, namespace)? {
            return Ok(tables);
        }
        // A namespace that was forgotten and made again must not repeat an old version.
        let sql = format!(
            "INSERT INTO namespace (name, epoch, last, salt) VALUES (?1, abs(random() >> 1), 0, randomblob(16))
             RETURNING {STATE}"
        );
        let made = context.run(transaction.query_row(&sql, [namespace.as_str()], state_of))?;
        Self::of(transaction, context, made)
    }

    fn of(connection: &'a Connection, context: Context<'a>, found: Found) -> Result<Self, StoreError> {
        let Found { number: tenant, version, active, floor, notes } = found;
        let active_encoder = active.map(EncoderId::new).transpose()?;
        let state = NamespaceState { version, active_encoder, floor, notes };
        let (encoder, salt) = (RefCell::default(), OnceCell::new());
        Ok(Self { connection, context, tenant, state, encoder, source: None, salt })
    }

    /// Runs a statement that returns no rows; says how many it changed.
    pub(crate) fn execute(&self, sql: &str, values: impl rusqlite::Params) -> Result<u64, StoreError> {
        let run = self.connection.prepare_cached(sql).and_then(|mut statement| statement.execute(values));
        Ok(self.context.run(run)? as u64)
    }

    /// Runs a query of one row; `None` where there is none.
    pub(crate) fn row<T>(
        &self,
        sql: &str,
        values: impl rusqlite::Params,
        read: impl FnOnce(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Option<T>, StoreError> {
        let select = self.connection.prepare_cached(sql);
        self.context.run(select.and_then(|mut select| select.query_row(values, read).optional()))
    }

    /// Runs a query of several rows.
    pub(crate) fn rows<T>(
        &self,
        sql: &str,
        values: impl rusqlite::Params,
        read: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Vec<T>, StoreError> {
        let select = self.connection.prepare_cached(sql);
        self.context.run(select.and_then(|mut select| select.query_map(values, read)?.collect()))
    }

    /// Whether a query finds a row.
    pub(crate) fn exists(&self, sql: &str, values: impl rusqlite::Params) -> Result<bool, StoreError> {
        self.context.run(self.connection.prepare_cached(sql).and_then(|mut select| select.exists(values)))
    }

    /// Memories `m` of the tenant `?1` under a condition.
    pub(crate) fn memories(&self, condition: &str, values: &[&dyn ToSql]) -> Result<Vec<Record>, StoreError> {
        let mut all: Vec<&dyn ToSql> = vec![&self.tenant];
        all.extend_from_slice(values);
        self.rows(&format!("{} {condition}", row::SELECT), &*all, row::memory)
    }

    /// An encoder, if the namespace knows it.
    pub(crate) fn encoder(&self, id: &EncoderId) -> Result<Option<Encoder>, StoreError> {
        if let Some((_, encoder)) = self.encoder.borrow().as_ref().filter(|(known, _)| known == id) {
            return Ok(Some(*encoder));
        }
        let sql = "SELECT id, dim FROM encoder WHERE namespace = ?1 AND name = ?2";
        let encoder = |row: &Row<'_>| Ok(Encoder { number: row.get(0)?, dim: row.get(1)? });
        let found = self.row(sql, params![self.tenant, id.as_str()], encoder)?;
        *self.encoder.borrow_mut() = found.map(|encoder| (id.clone(), encoder));
        Ok(found)
    }

    /// The number of an encoder here; one that no encoder has where it is not known.
    pub(crate) fn encoder_number(&self, id: Option<&EncoderId>) -> Result<i64, StoreError> {
        let encoder = match id {
            Some(id) => self.encoder(id)?,
            None => None,
        };
        Ok(encoder.map_or(-1, |encoder| encoder.number))
    }

    /// Vectors by their places among those that `sql` finds by tenant, encoder and key; `None` where one is missing.
    pub(crate) fn blobs(
        &self,
        id: &EncoderId,
        sql: &str,
        places: impl ExactSizeIterator<Item = (u64, usize)>,
    ) -> Result<Option<Vectors>, StoreError> {
        let Some(encoder) = self.encoder(id)? else { return Ok(None) };
        let mut data = Vec::with_capacity(places.len() * encoder.dim);
        let mut select = self.context.run(self.connection.prepare_cached(sql))?;
        for (key, place) in places {
            let found = select.query_row(params![self.tenant, encoder.number, key], |row| {
                let vector = row.get_ref(0)?.as_blob()?.chunks_exact(4 * encoder.dim.max(1)).nth(place);
                vector.iter().for_each(|vector| components_into(vector, &mut data));
                Ok(vector.is_some())
            });
            if self.context.run(found.optional())? != Some(true) {
                return Ok(None);
            }
        }
        Ok(Vectors::new(encoder.dim, data))
    }

    /// SQL that selects the positions of memories, and its values; the tenant is `?1`.
    pub(crate) fn chosen(&self, selection: Selection<'_>) -> (String, Vec<Value>) {
        let (condition, values) = self.condition(selection);
        (format!("SELECT m.seq FROM memory m WHERE m.namespace = ?1 {condition}"), values)
    }

    /// SQL that keeps some of the memories `m`, and its values; the tenant is `?1`.
    pub(crate) fn condition(&self, selection: Selection<'_>) -> (String, Vec<Value>) {
        match selection {
            Selection::One(seq) => {
                (" AND m.seq = ?2".to_owned(), vec![Value::Integer(self.tenant), Value::Integer(seq.0 as i64)])
            }
            Selection::Within(scope) => within(scope, self.tenant),
        }
    }
}

/// The row of a namespace as it is read.
struct Found {
    number: i64,
    version: Version,
    active: Option<String>,
    floor: u64,
    notes: u64,
}

fn state_of(row: &Row<'_>) -> rusqlite::Result<Found> {
    let (last, cues) = (Seq(row.get(2)?), CueId(row.get(3)?));
    let version = Version { epoch: row.get(1)?, last, cues, removed: row.get(4)? };
    Ok(Found { number: row.get(0)?, version, active: row.get(5)?, floor: row.get(6)?, notes: row.get(7)? })
}

/// Names of namespaces in alphabetical order.
pub(crate) fn namespaces(connection: &Connection, context: Context<'_>) -> Result<Vec<Namespace>, StoreError> {
    let names: Vec<String> = context.run(
        connection
            .prepare_cached("SELECT name FROM namespace ORDER BY name")
            .and_then(|mut select| select.query_map([], |row| row.get(0))?.collect()),
    )?;
    names.into_iter().map(|name| Ok(Namespace::new(name)?)).collect()
}

impl StateTable for NamespaceTables<'_> {
    fn state(&self) -> Result<NamespaceState, StoreError> {
        Ok(self.state.clone())
    }

    fn secret(&self) -> Result<Option<[u8; 32]>, StoreError> {
        let secret: Option<Option<Vec<u8>>> =
            self.row("SELECT secret FROM namespace WHERE id = ?1", [self.tenant], |row| row.get(0))?;
        Ok(secret.flatten().and_then(|secret| secret.try_into().ok()))
    }

    fn set_epoch(&mut self, epoch: u64) -> Result<(), StoreError> {
        self.execute("UPDATE namespace SET epoch = ?2 WHERE id = ?1", params![self.tenant, epoch])?;
        self.state.version.epoch = epoch;
        Ok(())
    }

    fn set_active_encoder(&mut self, encoder: &EncoderId) -> Result<(), StoreError> {
        self.execute("UPDATE namespace SET serving = ?2 WHERE id = ?1", params![self.tenant, encoder.as_str()])?;
        self.state.active_encoder = Some(encoder.clone());
        Ok(())
    }

    fn drop_namespace(&mut self) -> Result<(), StoreError> {
        for table in ["snapshot", "removed", "encoder"] {
            self.execute(&format!("DELETE FROM {table} WHERE namespace = ?1"), [self.tenant])?;
        }
        self.execute("DELETE FROM namespace WHERE id = ?1", [self.tenant]).map(|_| ())
    }
}

/// SQL that keeps the memories of a scope, and its values; the tenant is `?1`.
pub(crate) fn within(scope: &Scope, tenant: i64) -> (String, Vec<Value>) {
    let mut condition = String::new();
    let mut values = vec![Value::Integer(tenant)];
    let mut and = |sql: &str, value: Value| {
        values.push(value);
        condition.push_str(&sql.replace('$', &format!("?{}", values.len())));
    };
    if let Some(conversation) = &scope.conversation {
        and(
            " AND m.conversation = (SELECT id FROM conversation WHERE namespace = ?1 AND name = $)",
            Value::Text(conversation.to_string()),
        );
    }
    if let Some(session) = &scope.session {
        and(
            " AND m.session IN (SELECT id FROM session WHERE namespace = ?1 AND name = $)",
            Value::Text(session.to_string()),
        );
    }
    for conversation in &scope.except {
        and(
            " AND m.conversation NOT IN (SELECT id FROM conversation WHERE namespace = ?1 AND name = $)",
            Value::Text(conversation.to_string()),
        );
    }
    if let Some(from) = scope.from {
        and(" AND m.said_at >= $", Value::Integer(from.millis()));
    }
    if let Some(to) = scope.to {
        and(" AND m.said_at <= $", Value::Integer(to.millis()));
    }
    filter::add(&scope.filter, &mut condition, &mut values);
    (condition, values)
}
