//! Connections to one database: few, lent one at a time, and made again when the server ended them.

use std::{
    ops::Deref,
    sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError},
    time::{Duration, Instant},
};

use aforesaid_core::StoreError;
use tokio_postgres_rustls::MakeRustlsConnect;

use crate::{
    blocking::{Driver, wait},
    connection::Connection,
    errors::{Context, Trouble},
    halves::Pgvector,
    location::{CONNECT, Location, Options},
    tls,
};

/// How long somebody waits for a connection that others have.
const PATIENCE: Duration = Duration::from_secs(60);

/// How long a server that is starting, or has no connection to give, is asked again.
const STARTING: Duration = Duration::from_secs(15);

/// Connections of one store.
pub(crate) struct Pool {
    location: Location,
    tls: MakeRustlsConnect,
    driver: Arc<Driver>,
    pgvector: Arc<OnceLock<Option<Pgvector>>>,
    state: Mutex<State>,
    returned: Condvar,
}

#[derive(Default)]
struct State {
    idle: Vec<Connection>,
    /// Connections there are, those that are lent included.
    open: usize,
}

/// A connection that is lent; it goes back when this is dropped, unless it cannot be used any more.
pub(crate) struct Lease<'p> {
    pool: &'p Pool,
    connection: Option<Connection>,
    /// Whether what it was used for came to its end.
    is_clean: bool,
}

impl Pool {
    pub(crate) fn new(location: Location) -> Result<Self, StoreError> {
        let context = Context::new(&location.shown, "open the store");
        let driver = Driver::start().map_err(|error| context.failed(format!("no thread for connections: {error}")))?;
        let tls = tls::connector(&location)?;
        let driver = Arc::new(driver);
        Ok(Self { location, tls, driver, pgvector: Arc::default(), state: Mutex::default(), returned: Condvar::new() })
    }

    /// A pool of its own to the same database, which shares the thread of connections.
    pub(crate) fn beside(&self) -> Self {
        let (location, tls, driver) = (self.location.clone(), self.tls.clone(), Arc::clone(&self.driver));
        let pgvector = Arc::clone(&self.pgvector);
        Self { location, tls, driver, pgvector, state: Mutex::default(), returned: Condvar::new() }
    }

    /// Notes what the database has of pgvector.
    pub(crate) fn set_pgvector(&self, pgvector: Option<Pgvector>) {
        // It is found out once, when the store is opened.
        let _ = self.pgvector.set(pgvector);
    }

    pub(crate) fn location(&self) -> &str {
        &self.location.shown
    }

    pub(crate) fn options(&self) -> &Options {
        &self.location.options
    }

    /// A connection, made where none is idle.
    pub(crate) fn lease(&self, context: Context<'_>) -> Result<Lease<'_>, StoreError> {
        let until = Instant::now() + PATIENCE;
        let mut state = self.lock();
        loop {
            while let Some(connection) = state.idle.pop() {
                if !connection.is_closed() {
                    return Ok(Lease { pool: self, connection: Some(connection), is_clean: false });
                }
                state.open -= 1;
            }
            if state.open < self.options().connections {
                state.open += 1;
                drop(state);
                let mut lease = Lease { pool: self, connection: None, is_clean: false };
                lease.connection = Some(self.connect(context)?);
                return Ok(lease);
            }
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(context.refused(
                    format!("all {} connections of this process are in use", state.open),
                    "wait for what is under way, or raise pool_size in the URL",
                ));
            }
            state = self.returned.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// A connection of nobody's.
    ///
    /// A server that takes the connection and then says nothing is waited for as long as one that does not take it.
    pub(crate) fn connect(&self, context: Context<'_>) -> Result<Connection, StoreError> {
        let hosts = u32::try_from(self.location.config.get_hosts().len()).unwrap_or(u32::MAX);
        let each = self.location.config.get_connect_timeout().copied().unwrap_or(CONNECT);
        let limit = each.saturating_mul(hosts.max(1));
        // Who asked not to wait for long is not kept waiting by a server that starts, either.
        let until = Instant::now() + STARTING.min(limit.saturating_mul(2));
        let mut pause = Duration::from_millis(50);
        loop {
            let (config, tls) = (self.location.config.clone(), self.tls.clone());
            let connecting = self.driver.handle().spawn(async move {
                let Ok(connected) = tokio::time::timeout(limit, config.connect(tls)).await else { return Ok(None) };
                let (client, connection) = connected?;
                // It ends with its client, or with the server; whoever asks it next is told.
                tokio::spawn(async move { drop(connection.await) });
                Ok(Some(client))
            });
            let connected: Result<_, tokio_postgres::Error> = wait(connecting)
                .map_err(|error| context.failed(format!("the thread of connections ended: {error}")))?;
            let connected = match connected {
                Ok(Some(client)) => Ok(client),
                Ok(None) => {
                    return Err(context.refused(
                        format!("the server did not answer within {} seconds", limit.as_secs()),
                        "see whether it runs, or raise connect_timeout in the URL",
                    ));
                }
                Err(error) => Err(error),
            };
            match connected {
                Ok(client) => {
                    let Options { statements, schema, .. } = self.options();
                    return Ok(Connection::new(client, *statements, schema, Arc::clone(&self.pgvector)));
                }
                Err(error) if Trouble::of(&error) == Trouble::NotReady && Instant::now() + pause < until => {
                    std::thread::sleep(pause);
                    pause = (pause * 2).min(Duration::from_secs(1));
                }
                Err(error) => return Err(context.explain(&error)),
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Lease<'_> {
    /// Takes note that no transaction is open, so that the connection may be lent again.
    pub(crate) fn give_back(mut self) {
        // What went wrong here says nothing of what it is used for next.
        self.set_trouble(None);
        self.is_clean = true;
    }
}

impl Deref for Lease<'_> {
    type Target = Connection;

    fn deref(&self) -> &Connection {
        match &self.connection {
            Some(connection) => connection,
            None => unreachable!("a lease has its connection until it is dropped"),
        }
    }
}

impl Drop for Lease<'_> {
    fn drop(&mut self) {
        let mut state = self.pool.lock();
        match self.connection.take() {
            Some(connection) if self.is_clean && !connection.is_closed() => state.idle.push(connection),
            _ => state.open -= 1,
        }
        drop(state);
        self.pool.returned.notify_one();
    }
}
