//! The backend: namespaces in one schema of a database, over connections of a pool.

use std::{
    path::Path,
    sync::{Arc, Mutex, MutexGuard, PoisonError, atomic::AtomicBool},
    time::Duration,
};

use aforesaid_core::{
    StoreError,
    store::{
        BackedUp, Backend, CandidateSource, Change, ChangeKind, CheckDepth, Erasure, Existing, Finding,
        MissingNamespace, Store, View, Written, tables::Tables,
    },
    types::Namespace,
};

use crate::{
    check,
    connection::{Connection, Whose},
    erasure,
    errors::{Context, Trouble},
    halves::Pgvector,
    hnsw::{HnswIndex, HnswState},
    layout::{self, Layout},
    location::{Location, Options},
    migrations,
    pool::{Lease, Pool},
    shared,
    tables::{Hold, NamespaceTables},
    value::values,
};

/// How often a change is tried that others are in the way of, or whose connection is lost before it is committed.
const ATTEMPTS: u32 = 6;

/// How long a change waits for another one of its namespace.
const LOCK: Duration = Duration::from_secs(90);

/// A view in which nothing changes.
const VIEW: &str = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY";

/// Whether a store is made where there is none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Creation {
    /// It is.
    Allowed,
    /// It is an error that there is none.
    Forbidden,
}

/// Memories in one schema of a PostgreSQL database.
pub struct PostgresStore {
    pool: Pool,
    /// Whether the server would acknowledge what a crash may lose, unless it is asked for more.
    commits_late: bool,
    /// Whether a thread makes or drops an index of vectors.
    tending: Arc<AtomicBool>,
    /// The one connection of a view that stands still, in an open transaction.
    steady: Option<Mutex<Connection>>,
}

impl PostgresStore {
    /// Opens the store at `postgres://USER[:PASSWORD]@HOST[:PORT]/DATABASE[?OPTIONS]`, and brings an older one to this
    /// version.
    ///
    /// Beside the options of libpq there are `schema` (`aforesaid`), `pool_size` (8 connections), `prepared_statements`
    /// (`on`) and `statement_timeout` (120 seconds).
    ///
    /// # Errors
    /// When the URL cannot be read, the server cannot be reached or is too old, or its tables are none of ours.
    pub fn open(url: &str, creation: Creation) -> Result<Self, StoreError> {
        let pool = Pool::new(Location::read(url)?)?;
        let context = Context::new(pool.location(), "open the store");
        let schema = &pool.options().schema;
        let lease = pool.lease(context)?;
        let server = migrations::server(&lease, context)?;
        migrations::prepare(&lease, context, schema, creation)?;
        let mut pgvector = Pgvector::of(&lease, context)?.filter(Pgvector::is_usable);
        if let Some(found) = &pgvector
            && !found.prepare(&lease, context, schema)?
        {
            // Without its table nothing is compared in the database, as without pgvector.
            pgvector = None;
        }
        pool.set_pgvector(pgvector);
        lease.give_back();
        Ok(Self { commits_late: server.commits_late, pool, tending: Arc::default(), steady: None })
    }

    /// Makes the store at a URL, or brings it to this version, and lays its tables out.
    ///
    /// # Errors
    /// As [`PostgresStore::open`], and when the server cannot lay tables out so.
    pub fn init(url: &str, layout: Layout) -> Result<Self, StoreError> {
        let store = Self::open(url, Creation::Allowed)?;
        let context = store.context("lay out the tables");
        let lease = store.pool.lease(context)?;
        layout::lay_out(&lease, context, &store.pool.options().schema, layout)?;
        lease.give_back();
        Ok(store)
    }

    /// Whether there is a store at a URL.
    ///
    /// # Errors
    /// When the URL cannot be read, or the server cannot be reached.
    pub fn exists(url: &str) -> Result<bool, StoreError> {
        let pool = Pool::new(Location::read(url)?)?;
        let context = Context::new(pool.location(), "open the store");
        let lease = pool.lease(context)?;
        migrations::exists(&lease, context, &pool.options().schema)
    }

    /// Has the index of a namespace's vectors made or dropped where that is due.
    pub(crate) fn tend(&self, index: HnswIndex, (state, memories): (HnswState, u64)) {
        index.tend(&self.pool, &self.tending, (state, memories), self.options().hnsw);
    }

    pub(crate) fn options(&self) -> &Options {
        self.pool.options()
    }

    /// Whether it is a view in which nothing changes.
    pub(crate) fn is_steady(&self) -> bool {
        self.steady.is_some()
    }

    fn context(&self, action: &'static str) -> Context<'_> {
        Context::new(self.pool.location(), action)
    }

    fn steady_connection(&self) -> Option<MutexGuard<'_, Connection>> {
        self.steady.as_ref().map(|steady| steady.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Runs `work` on one consistent view of the database: `begin` looks first, and is repeated where the connection
    /// turns out to be gone.
    fn view<S, T>(
        &self,
        context: Context<'_>,
        begin: impl for<'c> Fn(&'c Connection, Context<'c>) -> Result<S, StoreError>,
        work: impl FnOnce(&Connection, S) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        if let Some(steady) = self.steady_connection() {
            let begun = begin(&steady, context)?;
            return work(&steady, begun);
        }
        let mut attempt = 0;
        let (lease, begun) = loop {
            let lease = self.pool.lease(context)?;
            lease.command(self.begin(VIEW));
            match begin(&lease, context) {
                Ok(begun) => break (lease, begun),
                Err(error) => {
                    attempt += 1;
                    if !self.may_repeat(&lease, attempt) {
                        return Err(end(lease, error));
                    }
                }
            }
        };
        match work(&lease, begun) {
            Ok(done) => {
                // Nobody waits for the end of a view; whoever has the connection next comes after it.
                lease.command("ROLLBACK".to_owned());
                lease.give_back();
                Ok(done)
            }
            Err(error) => Err(end(lease, error)),
        }
    }

    /// How a transaction begins: settings are made for it alone.
    fn begin(&self, level: &str) -> String {
        let statement = self.pool.options().statement_timeout.as_millis();
        format!("{level}; SET LOCAL statement_timeout = {statement}; SET LOCAL lock_timeout = {}", LOCK.as_millis())
    }

    /// Whether what went wrong may go well when it is done again; waits a moment where it may.
    fn may_repeat(&self, lease: &Lease<'_>, attempt: u32) -> bool {
        let pause = match lease.trouble() {
            // A connection that was idle is often gone for long, and a new one is there at once.
            Some(Trouble::Lost) if attempt == 1 => return true,
            Some(Trouble::Lost | Trouble::Conflict | Trouble::NotReady) if attempt < ATTEMPTS => 20 << attempt,
            _ => return false,
        };
        let mut random = [0; 1];
        // Without random bytes all wait alike.
        let _ = getrandom::fill(&mut random);
        std::thread::sleep(Duration::from_millis(pause + pause * u64::from(random[0]) / 256));
        true
    }

    /// Tries a change once.
    fn change<T>(
        &self,
        lease: &Lease<'_>,
        context: Context<'_>,
        change: Change<'_>,
        work: &mut impl FnMut(&mut NamespaceTables<'_>) -> Result<T, StoreError>,
    ) -> Result<Option<T>, StoreError> {
        let mut begin = self.begin("BEGIN ISOLATION LEVEL READ COMMITTED");
        match change.kind {
            ChangeKind::SavesWork | ChangeKind::SavesWorkIfIdle => {
                begin.push_str("; SET LOCAL synchronous_commit = off")
            }
            _ if self.commits_late => begin.push_str("; SET LOCAL synchronous_commit = on"),
            _ => {}
        }
        lease.command(begin);
        let hold = match change.kind {
            ChangeKind::SavesWorkIfIdle => Hold::LockIfFree,
            _ => Hold::Lock,
        };
        let tables = match change.missing {
            MissingNamespace::Make => Some(NamespaceTables::open_or_make(lease, context, change.namespace)?),
            MissingNamespace::Report => NamespaceTables::open(lease, context, change.namespace, hold)?,
        };
        let Some(mut tables) = tables else { return Ok(None) };
        let before = tables.state.version.last.0;
        let done = work(&mut tables)?;
        tables.follow_terms(before)?;
        if change.kind == ChangeKind::Erases {
            erasure::begin(&tables)?;
        }
        lease.settle(context)?;
        Ok(Some(done))
    }

    /// [`Backend::read`].
    pub(crate) fn read_tables<T>(
        &self,
        view: View<'_>,
        work: impl FnOnce(&NamespaceTables<'_>) -> Result<T, StoreError>,
    ) -> Result<Option<T>, StoreError> {
        let context = self.context(view.action);
        let look = |connection: &Connection, context: Context<'_>| {
            let tables = NamespaceTables::open(connection, context, view.namespace, Hold::Look)?;
            Ok(tables.map(NamespaceTables::into_state))
        };
        self.view(context, look, |connection, state| {
            let tables = state.map(|state| NamespaceTables::with_state(connection, context, view.namespace, state));
            tables.map(|tables| work(&tables)).transpose()
        })
    }

    /// [`Backend::write`].
    pub(crate) fn write_tables<T>(
        &self,
        change: Change<'_>,
        mut work: impl FnMut(&mut NamespaceTables<'_>) -> Result<T, StoreError>,
    ) -> Result<Written<T>, StoreError> {
        let context = self.context(change.action);
        if self.steady.is_some() {
            return Err(context.refused("is a view in which nothing changes", "write through the store itself"));
        }
        let mut attempt = 0;
        loop {
            let lease = self.pool.lease(context)?;
            let changed = self.change(&lease, context, change, &mut work);
            let changed = match changed {
                Ok(Some(done)) => self.commit(&lease, context).map(|()| Some(done)),
                Ok(None) => lease.run_commands(context, "ROLLBACK").map(|()| None),
                Err(error) => Err(error),
            };
            match changed {
                Ok(None) => {
                    lease.give_back();
                    return Ok(Written::NoNamespace);
                }
                Ok(Some(done)) => {
                    let erasure = match change.kind {
                        // What is deleted is deleted: the rest is finished later where it fails now.
                        ChangeKind::Erases => {
                            let finished = erasure::finish(&lease, context, &self.pool.options().schema);
                            finished.unwrap_or(Erasure::Pending)
                        }
                        _ => Erasure::Complete,
                    };
                    lease.give_back();
                    return Ok(Written::Kept(done, erasure));
                }
                Err(error) => {
                    attempt += 1;
                    let trouble = lease.trouble();
                    lease.set_trouble(trouble);
                    if trouble == Some(Trouble::Busy) && change.kind == ChangeKind::SavesWorkIfIdle {
                        end(lease, error);
                        return Ok(Written::Busy);
                    }
                    if !self.may_repeat(&lease, attempt) {
                        return Err(end(lease, error));
                    }
                    end(lease, error);
                }
            }
        }
    }

    /// Ends a change that is done. From here on nobody knows whether it is kept, until the server says so.
    fn commit(&self, lease: &Lease<'_>, context: Context<'_>) -> Result<(), StoreError> {
        let committed = lease.run_commands(context, "COMMIT");
        committed.map_err(|error| match lease.trouble() {
            Some(Trouble::Lost) => context.refused(
                "the connection was lost while a change was committed, and it is not known whether it is kept",
                "do the same again: what has ids of its own is added once",
            ),
            trouble => {
                lease.set_trouble(trouble);
                error
            }
        })
    }
}

/// Ends a transaction that failed; the connection is used again where the server says that it has ended.
fn end(lease: Lease<'_>, error: StoreError) -> StoreError {
    if lease.run_commands(Context::new("", "end a transaction"), "ROLLBACK").is_ok() {
        lease.give_back();
    }
    error
}

impl Backend for PostgresStore {
    fn location(&self) -> String {
        self.pool.location().to_owned()
    }

    fn namespaces(&self) -> Result<Vec<Namespace>, StoreError> {
        let context = self.context("list namespaces");
        let rows = |connection: &Connection, context: Context<'_>| {
            connection.see(Whose::Names);
            connection.shared_rows(context, &shared::NAMESPACES, values![])
        };
        let rows = self.view(context, rows, |_, rows| Ok(rows))?;
        let name = |row: &tokio_postgres::Row| row.try_get::<_, String>(0).map_err(|_| context.unreadable());
        rows.iter().map(|row| Ok(Namespace::new(name(row)?)?)).collect()
    }

    fn candidate_source(&self) -> Option<&dyn CandidateSource> {
        Some(self)
    }

    fn read<T>(
        &self,
        view: View<'_>,
        work: impl FnOnce(&dyn Tables) -> Result<T, StoreError>,
    ) -> Result<Option<T>, StoreError> {
        self.read_tables(view, |tables| work(tables))
    }

    fn write<T>(
        &self,
        change: Change<'_>,
        mut work: impl FnMut(&mut dyn Tables) -> Result<T, StoreError>,
    ) -> Result<Written<T>, StoreError> {
        self.write_tables(change, |tables| work(tables))
    }

    fn steady(&self) -> Result<Box<dyn Store>, StoreError> {
        let context = self.context("hold a view of the store");
        let pool = self.pool.beside();
        let connection = pool.connect(context)?;
        connection.command(self.begin(VIEW));
        // A transaction's view begins with its first look.
        connection.shared_rows(context, &shared::FORMAT, values![])?;
        let steady = Some(Mutex::new(connection));
        Ok(Box::new(Self { pool, commits_late: self.commits_late, tending: Arc::clone(&self.tending), steady }))
    }

    fn erasure(&self) -> Result<Erasure, StoreError> {
        let context = self.context("finish a forget");
        if self.steady.is_some() {
            return Ok(Erasure::LeftToServer);
        }
        let mut attempt = 0;
        loop {
            let lease = self.pool.lease(context)?;
            match erasure::finish(&lease, context, &self.pool.options().schema) {
                Ok(erasure) => {
                    lease.give_back();
                    return Ok(erasure);
                }
                Err(error) => {
                    attempt += 1;
                    if !self.may_repeat(&lease, attempt) {
                        return Err(error);
                    }
                }
            }
        }
    }

    fn check(&self, depth: CheckDepth, step: &mut dyn FnMut(&str)) -> Result<Vec<Finding>, StoreError> {
        let context = self.context("check the store");
        let begin = |connection: &Connection, context: Context<'_>| {
            connection.shared_rows(context, &shared::FORMAT, values![]).map(|_| ())
        };
        self.view(context, begin, |connection, ()| check::check(connection, context, depth, step))
    }

    fn back_up(&self, _: &Path, _: Existing, _: &mut dyn FnMut(&str), _: &AtomicBool) -> Result<BackedUp, StoreError> {
        let schema = &self.pool.options().schema;
        Err(self.context("back up the store").refused(
            "is a database, which has no file to copy",
            format!("use `pg_dump --schema={schema}`, or the server's own backups"),
        ))
    }
}
