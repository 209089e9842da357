//! A namespace in one transaction: the row of its own.

use std::{
    cell::{Cell, OnceCell, RefCell},
    collections::HashMap,
};

use aforesaid_core::{
    StoreError,
    store::{
        Fingerprint, Version,
        tables::{NamespaceState, StateTable, components_into},
    },
    types::{CueId, CueSource, EncoderId, Namespace, Record, Seq, Vectors},
};
use sha2::{Digest, Sha256};
use tokio_postgres::{Row, types::FromSql};

use crate::{
    connection::{Connection, Rows, Whose},
    errors::Context,
    lexical::Derived,
    migrations, row,
    value::{Tenant, Value, values},
};

/// The columns of [`NamespaceTables::of`].
macro_rules! state {
    ($lock:literal) => {
        concat!(
            "SELECT n.epoch, n.last, n.cues, n.removed, n.active, n.floor, n.notes,
                    n.memories, n.lexical_maker, n.lexical_upto, n.half_encoder, n.half_upto, n.half_whole
             FROM @namespace n
             WHERE n.tenant = $1 AND n.name = $2",
            $lock
        )
    };
}

/// What a transaction does with the row of its namespace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Hold {
    /// It reads it.
    Look,
    /// It locks it, so that versions move in order; it waits for others who do.
    Lock,
    /// It locks it, unless somebody else does.
    LockIfFree,
}

/// One namespace over one connection, inside the caller's transaction.
pub(crate) struct NamespaceTables<'a> {
    pub(crate) connection: &'a Connection,
    pub(crate) context: Context<'a>,
    pub(crate) tenant: Tenant,
    /// Its name.
    pub(crate) name: Namespace,
    /// Its row, as it is in this transaction.
    pub(crate) state: NamespaceState,
    /// How far what a search in the database reads has come, as it is in this transaction.
    pub(crate) derived: Derived,
    /// Encoders that were asked for.
    encoders: RefCell<HashMap<EncoderId, Option<Encoder>>>,
    /// The source of cues used last, with its number.
    pub(crate) source: Option<(CueSource, i64)>,
    salt: OnceCell<Vec<u8>>,
    /// The last numbers of conversations and sessions, where they were asked for.
    pub(crate) last_conversation: Cell<Option<i64>>,
    pub(crate) last_session: Cell<Option<i64>>,
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
        hold: Hold,
    ) -> Result<Option<Self>, StoreError> {
        let tenant = Tenant::of(namespace);
        connection.see(Whose::Tenant(tenant));
        let sql = match hold {
            Hold::Look => state!(""),
            Hold::Lock => state!(" FOR UPDATE"),
            Hold::LockIfFree => state!(" FOR UPDATE NOWAIT"),
        };
        let found = connection.rows(context, tenant, sql, values![namespace.as_str()])?;
        found.first().map(|row| Self::of(connection, context, namespace, row)).transpose()
    }

    /// A namespace that is locked, made where it is missing.
    pub(crate) fn open_or_make(
        connection: &'a Connection,
        context: Context<'a>,
        namespace: &Namespace,
    ) -> Result<Self, StoreError> {
        const ATTEMPTS: usize = 100;
        let tenant = Tenant::of(namespace);
        for _ in 0..ATTEMPTS {
            if let Some(tables) = Self::open(connection, context, namespace, Hold::Lock)? {
                return Ok(tables);
            }
            // A namespace that was forgotten and made again must not repeat an old version.
            let epoch = i64::from_le_bytes(random(context)?) & (i64::MAX >> 1);
            let (salt, secret) = (random::<16>(context)?, random::<32>(context)?);
            let sql = "INSERT INTO @namespace (tenant, name, epoch, salt, secret) VALUES ($1, $2, $3, $4, $5)
                       ON CONFLICT (tenant) DO NOTHING";
            let made =
                connection.execute(context, tenant, sql, values![namespace.as_str(), epoch, &salt[..], &secret[..]])?;
            let others = "SELECT n.name FROM @namespace n WHERE n.tenant = $1 AND n.name <> $2";
            if made == 0 && !connection.rows(context, tenant, others, values![namespace.as_str()])?.is_empty() {
                return Err(context.refused("another namespace has the key of this one", "choose another name"));
            }
        }
        Err(context.refused("others make and forget this namespace again and again", "try again; nothing was written"))
    }

    fn of(
        connection: &'a Connection,
        context: Context<'a>,
        namespace: &Namespace,
        row: &Row,
    ) -> Result<Self, StoreError> {
        let number = |column| row::number(context, row, column);
        let version =
            Version { epoch: number(0)?, last: Seq(number(1)?), cues: CueId(number(2)?), removed: number(3)? };
        let active: Option<String> = row::get(context, row, 4)?;
        let state = NamespaceState {
            version,
            active_encoder: active.map(EncoderId::new).transpose()?,
            floor: number(5)?,
            notes: number(6)?,
        };
        let derived = Derived {
            memories: number(7)?,
            maker: row::get(context, row, 8)?,
            upto: number(9)?,
            half_encoder: row::get(context, row, 10)?,
            half_upto: number(11)?,
            half_whole: row::get(context, row, 12)?,
        };
        Ok(Self::with_state(connection, context, namespace, (state, derived)))
    }

    /// A namespace whose row was read in this transaction.
    pub(crate) fn with_state(
        connection: &'a Connection,
        context: Context<'a>,
        namespace: &Namespace,
        (state, derived): (NamespaceState, Derived),
    ) -> Self {
        Self {
            connection,
            context,
            tenant: Tenant::of(namespace),
            name: namespace.clone(),
            state,
            derived,
            encoders: RefCell::default(),
            source: None,
            salt: OnceCell::new(),
            last_conversation: Cell::new(None),
            last_session: Cell::new(None),
        }
    }

    /// Its row.
    pub(crate) fn into_state(self) -> (NamespaceState, Derived) {
        (self.state, self.derived)
    }

    /// Runs a statement that returns no rows; says how many it changed.
    pub(crate) fn execute(&self, sql: &str, values: Vec<Value>) -> Result<u64, StoreError> {
        self.connection.execute(self.context, self.tenant, sql, values)
    }

    /// Sends a statement that returns no rows, and does not wait for it.
    pub(crate) fn send(&self, sql: &str, values: Vec<Value>) -> Result<(), StoreError> {
        self.connection.send(self.context, self.tenant, sql, values)
    }

    /// Rows of a query.
    pub(crate) fn rows(&self, sql: &str, values: Vec<Value>) -> Result<Vec<Row>, StoreError> {
        self.connection.rows(self.context, self.tenant, sql, values)
    }

    /// The first row of a query.
    pub(crate) fn row(&self, sql: &str, values: Vec<Value>) -> Result<Option<Row>, StoreError> {
        Ok(self.rows(sql, values)?.into_iter().next())
    }

    /// Rows of a query one after the other; nothing else may be asked for meanwhile.
    pub(crate) fn stream(&self, sql: &str, values: Vec<Value>) -> Result<Rows<'_>, StoreError> {
        self.connection.stream(self.context, self.tenant, sql, values)
    }

    /// A column.
    pub(crate) fn get<'r, T: FromSql<'r>>(&self, row: &'r Row, column: usize) -> Result<T, StoreError> {
        row::get(self.context, row, column)
    }

    /// A column that is no negative number.
    pub(crate) fn number(&self, row: &Row, column: usize) -> Result<u64, StoreError> {
        row::number(self.context, row, column)
    }

    /// The number that a query finds, or 0.
    pub(crate) fn count_of(&self, sql: &str, values: Vec<Value>) -> Result<u64, StoreError> {
        self.row(sql, values)?.map_or(Ok(0), |row| self.number(&row, 0))
    }

    /// Memories `m` under a condition.
    pub(crate) fn memories(&self, condition: &str, values: Vec<Value>) -> Result<Vec<Record>, StoreError> {
        let rows = self.rows(&format!("{} {condition}", row::SELECT), values)?;
        rows.iter().map(|row| row::memory(self.context, row)).collect()
    }

    /// An encoder, if the namespace knows it.
    pub(crate) fn encoder(&self, id: &EncoderId) -> Result<Option<Encoder>, StoreError> {
        if let Some(known) = self.encoders.borrow().get(id) {
            return Ok(*known);
        }
        let sql = "SELECT e.id, e.dim FROM @encoder e WHERE e.tenant = $1 AND e.name = $2";
        let found = match self.row(sql, values![id.as_str()])? {
            Some(row) => Some(Encoder { number: self.get(&row, 0)?, dim: self.number(&row, 1)? as usize }),
            None => None,
        };
        self.encoders.borrow_mut().insert(id.clone(), found);
        Ok(found)
    }

    /// Has encoders be asked for again.
    pub(crate) fn forget_encoders(&self) {
        self.encoders.borrow_mut().clear();
    }

    /// The number of an encoder that has a row.
    pub(crate) fn known_encoder(&self, id: &EncoderId) -> Result<Encoder, StoreError> {
        self.encoder(id)?.ok_or_else(|| self.context.damaged(format!("encoder {id} is used and has no row")))
    }

    /// The number of an encoder here; one that no encoder has where it is not known.
    pub(crate) fn encoder_number(&self, id: Option<&EncoderId>) -> Result<i64, StoreError> {
        let encoder = match id {
            Some(id) => self.encoder(id)?,
            None => None,
        };
        Ok(encoder.map_or(-1, |encoder| encoder.number))
    }

    /// Vectors by key and place among those of the key; `sql` finds keys and data by encoder and a list of keys. `None`
    /// where one is missing.
    pub(crate) fn blobs(
        &self,
        id: &EncoderId,
        sql: &str,
        places: &[(i64, usize)],
    ) -> Result<Option<Vectors>, StoreError> {
        /// Keys that are asked for at once.
        const AT_ONCE: usize = 512;
        let Some(encoder) = self.encoder(id)? else { return Ok(None) };
        let mut data = Vec::with_capacity(places.len() * encoder.dim);
        for places in places.chunks(AT_ONCE) {
            let keys: Vec<i64> = places.iter().map(|(key, _)| *key).collect();
            let rows = self.rows(sql, values![encoder.number, keys])?;
            let mut found: HashMap<i64, &[u8]> = HashMap::with_capacity(rows.len());
            for row in &rows {
                found.insert(self.get(row, 0)?, self.get(row, 1)?);
            }
            for (key, place) in places {
                let vector = found.get(key).and_then(|data| data.chunks_exact(4 * encoder.dim.max(1)).nth(*place));
                let Some(vector) = vector else { return Ok(None) };
                components_into(vector, &mut data);
            }
        }
        Ok(Vectors::new(encoder.dim, data))
    }

    /// A fingerprint as it is kept: whoever has the database could else look a text up in a list of hashes, or find the
    /// same text in several namespaces.
    pub(crate) fn mixed(&self, print: &Fingerprint) -> Result<Vec<u8>, StoreError> {
        let salt = match self.salt.get() {
            Some(salt) => salt,
            None => {
                let row = self.row("SELECT n.salt FROM @namespace n WHERE n.tenant = $1", values![])?;
                let salt = row.map_or(Ok(Vec::new()), |row| self.get(&row, 0))?;
                self.salt.get_or_init(|| salt)
            }
        };
        let digest = Sha256::new().chain_update(salt).chain_update(print).finalize();
        Ok(digest.iter().take(print.len()).copied().collect())
    }

    /// Random bytes.
    pub(crate) fn random<const N: usize>(&self) -> Result<[u8; N], StoreError> {
        random(self.context)
    }
}

fn random<const N: usize>(context: Context<'_>) -> Result<[u8; N], StoreError> {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes).map_err(|error| context.failed(format!("no random bytes: {error}")))?;
    Ok(bytes)
}

impl StateTable for NamespaceTables<'_> {
    fn state(&self) -> Result<NamespaceState, StoreError> {
        Ok(self.state.clone())
    }

    fn secret(&self) -> Result<Option<[u8; 32]>, StoreError> {
        let row = self.row("SELECT n.secret FROM @namespace n WHERE n.tenant = $1", values![])?;
        let secret: Option<Vec<u8>> = row.map(|row| self.get(&row, 0)).transpose()?;
        Ok(secret.and_then(|secret| secret.try_into().ok()))
    }

    fn set_epoch(&mut self, epoch: u64) -> Result<(), StoreError> {
        self.send("UPDATE @namespace n SET epoch = $2 WHERE n.tenant = $1", values![epoch])?;
        self.state.version.epoch = epoch;
        Ok(())
    }

    fn set_active_encoder(&mut self, encoder: &EncoderId) -> Result<(), StoreError> {
        self.send("UPDATE @namespace n SET active = $2 WHERE n.tenant = $1", values![encoder.as_str()])?;
        self.state.active_encoder = Some(encoder.clone());
        Ok(())
    }

    fn drop_namespace(&mut self) -> Result<(), StoreError> {
        if self.derived.half_encoder.is_some() {
            self.send("DELETE FROM @half h WHERE h.tenant = $1", values![])?;
        }
        self.derived = Derived::default();
        for table in migrations::TABLES.into_iter().filter(|table| !["namespace", "erasing"].contains(table)) {
            self.send(&format!("DELETE FROM @{table} x WHERE x.tenant = $1"), values![])?;
        }
        self.send("DELETE FROM @namespace n WHERE n.tenant = $1", values![])
    }
}
