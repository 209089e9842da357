//! One connection: statements of a tenant, those that are sent without waiting, and transactions.

use std::{
    cell::{Cell, RefCell},
    collections::HashMap,
    future::Future,
    pin::Pin,
    sync::{Arc, OnceLock},
    task::{self, Poll, Waker},
};

use aforesaid_core::StoreError;
use futures_util::TryStreamExt;
use tokio_postgres::{
    Client, Error, Row, RowStream, Statement,
    types::{ToSql, Type},
};

use crate::{
    blocking::wait,
    errors::{Context, Trouble},
    halves::Pgvector,
    layout,
    location::Statements,
    tenancy,
    value::{Tenant, Value},
};

/// Statements that are under way at most before somebody waits for them.
const UNDER_WAY: usize = 256;

/// Statements kept prepared at most; conditions make them many.
const PREPARED: usize = 512;

type UnderWay = Pin<Box<dyn Future<Output = Result<u64, Error>> + Send>>;

/// One connection; used by one thread at a time.
pub(crate) struct Connection {
    client: Arc<Client>,
    statements: Statements,
    /// The schema of the store, quoted, and a dot.
    schema: String,
    /// What the database has of pgvector, once that was found out.
    pgvector: Arc<OnceLock<Option<Pgvector>>>,
    prepared: RefCell<HashMap<String, Prepared>>,
    /// What was sent, in order, and nobody has waited for.
    under_way: RefCell<Vec<UnderWay>>,
    /// What went wrong last.
    trouble: Cell<Option<Trouble>>,
}

/// Whose rows a transaction is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Whose {
    /// Those of one tenant.
    Tenant(Tenant),
    /// The names of all namespaces.
    Names,
}

/// A statement that the server may get.
#[derive(Clone)]
enum Prepared {
    Named(Statement),
    Unnamed(Arc<str>),
}

impl Connection {
    pub(crate) fn new(
        client: Client,
        statements: Statements,
        schema: &str,
        pgvector: Arc<OnceLock<Option<Pgvector>>>,
    ) -> Self {
        Self {
            client: Arc::new(client),
            statements,
            schema: format!("\"{schema}\"."),
            pgvector,
            prepared: RefCell::default(),
            under_way: RefCell::default(),
            trouble: Cell::new(None),
        }
    }

    /// The schema of the store, as the catalogue has it.
    pub(crate) fn schema_name(&self) -> &str {
        self.schema.trim_matches(['"', '.'])
    }

    /// What compares vectors in the database; `None` where nothing does.
    pub(crate) fn pgvector(&self) -> Option<&Pgvector> {
        self.pgvector.get()?.as_ref()
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.client.is_closed()
    }

    /// What went wrong last, if anything did since this was asked.
    pub(crate) fn trouble(&self) -> Option<Trouble> {
        self.trouble.take()
    }

    /// Puts back what [`Connection::trouble`] took.
    pub(crate) fn set_trouble(&self, trouble: Option<Trouble>) {
        self.trouble.set(trouble);
    }

    /// Rows of a statement about a tenant, which is `$1`; `values` begin at `$2`.
    pub(crate) fn rows(
        &self,
        context: Context<'_>,
        tenant: Tenant,
        sql: &str,
        values: Vec<Value>,
    ) -> Result<Vec<Row>, StoreError> {
        let mut rows = self.stream(context, tenant, sql, values)?;
        let mut all = Vec::new();
        while let Some(row) = rows.next()? {
            all.push(row);
        }
        Ok(all)
    }

    /// [`Connection::rows`] one after the other. Nothing else may be asked for before the last has come.
    pub(crate) fn stream<'c>(
        &'c self,
        context: Context<'c>,
        tenant: Tenant,
        sql: &str,
        values: Vec<Value>,
    ) -> Result<Rows<'c>, StoreError> {
        let values = of_tenant(tenant, values);
        let statement = self.statement(context, sql, &values)?;
        let stream = self.run(context, async {
            match &statement {
                Prepared::Named(statement) => self.client.query_raw(statement, &values).await,
                Prepared::Unnamed(sql) => self.client.query_typed_raw(sql, typed(&values)).await,
            }
        })?;
        Ok(Rows { connection: self, context, stream: Box::pin(stream) })
    }

    /// Runs a statement that returns no rows; says how many it changed.
    pub(crate) fn execute(
        &self,
        context: Context<'_>,
        tenant: Tenant,
        sql: &str,
        values: Vec<Value>,
    ) -> Result<u64, StoreError> {
        let values = of_tenant(tenant, values);
        let statement = self.statement(context, sql, &values)?;
        let client = Arc::clone(&self.client);
        self.run(context, execution(client, statement, values))
    }

    /// Sends a statement without waiting for what comes of it: that is told by the next one that is waited for.
    pub(crate) fn send(
        &self,
        context: Context<'_>,
        tenant: Tenant,
        sql: &str,
        values: Vec<Value>,
    ) -> Result<(), StoreError> {
        let values = of_tenant(tenant, values);
        let statement = self.statement(context, sql, &values)?;
        self.start(Box::pin(execution(Arc::clone(&self.client), statement, values)));
        if self.under_way.borrow().len() >= UNDER_WAY { self.settle(context) } else { Ok(()) }
    }

    /// Sends commands that are about no row: of a transaction, and its settings.
    pub(crate) fn command(&self, sql: String) {
        let client = Arc::clone(&self.client);
        self.start(Box::pin(async move { client.batch_execute(&sql).await.map(|()| 0) }));
    }

    /// Says whose rows the transaction under way is about, for policies on rows where a store has them.
    pub(crate) fn see(&self, whose: Whose) {
        let whose = match whose {
            Whose::Tenant(tenant) => tenant.to_string(),
            Whose::Names => layout::NAMES.to_owned(),
        };
        self.command(format!("SET LOCAL {} = '{whose}'", layout::SETTING));
    }

    /// Waits for everything that was sent.
    pub(crate) fn settle(&self, context: Context<'_>) -> Result<(), StoreError> {
        // All are waited for, and the first error is the cause of the others.
        let mut failed = None;
        for sent in self.under_way.take() {
            failed = failed.or(wait(sent).err());
        }
        failed.map_or(Ok(()), |error| Err(self.fail(context, &error)))
    }

    /// Runs commands that are about no row, and waits for them; `@` stands for the schema.
    pub(crate) fn run_commands(&self, context: Context<'_>, sql: &str) -> Result<(), StoreError> {
        let sql = self.placed(sql);
        self.run(context, self.client.batch_execute(&sql))
    }

    /// Rows of a statement about no tenant; only those of `shared.rs` are.
    pub(crate) fn shared_rows(
        &self,
        context: Context<'_>,
        sql: &crate::shared::Shared,
        values: Vec<Value>,
    ) -> Result<Vec<Row>, StoreError> {
        let sql = self.placed(sql.sql());
        self.run(context, async { self.client.query_typed_raw(&sql, typed(&values)).await?.try_collect().await })
    }

    /// What a statement about no tenant says in its one column; `false` where it has no row.
    pub(crate) fn shared_truth(
        &self,
        context: Context<'_>,
        sql: &crate::shared::Shared,
        values: Vec<Value>,
    ) -> Result<bool, StoreError> {
        let rows = self.shared_rows(context, sql, values)?;
        rows.first().map_or(Ok(false), |row| row.try_get(0).map_err(|_| context.unreadable()))
    }

    /// A statement with its tables in their schema.
    fn placed(&self, sql: &str) -> String {
        sql.replace('@', &self.schema)
    }

    fn start(&self, mut sent: UnderWay) {
        // What it asks goes out when it is first polled. Nobody waits: it is polled again when somebody does.
        let done = sent.as_mut().poll(&mut task::Context::from_waker(Waker::noop()));
        self.under_way.borrow_mut().push(match done {
            Poll::Ready(result) => Box::pin(std::future::ready(result)),
            Poll::Pending => sent,
        });
    }

    /// A statement that the server may get: one that is about its tenant.
    fn statement(&self, context: Context<'_>, sql: &str, values: &[Value]) -> Result<Prepared, StoreError> {
        if let Some(known) = self.prepared.borrow().get(sql) {
            return Ok(known.clone());
        }
        if let Some(lack) = tenancy::lack(sql) {
            return Err(context.failed(format!("a statement was refused: {lack}")));
        }
        let placed = self.placed(sql);
        let statement = match self.statements {
            Statements::Unnamed => Prepared::Unnamed(placed.into()),
            Statements::Named => {
                let kinds: Vec<Type> = values.iter().map(Value::kind).collect();
                Prepared::Named(self.run(context, self.client.prepare_typed(&placed, &kinds))?)
            }
        };
        let mut prepared = self.prepared.borrow_mut();
        if prepared.len() >= PREPARED {
            prepared.clear();
        }
        prepared.insert(sql.to_owned(), statement.clone());
        Ok(statement)
    }

    fn run<T>(&self, context: Context<'_>, asked: impl Future<Output = Result<T, Error>>) -> Result<T, StoreError> {
        let answer = wait(asked);
        // What was sent before is answered before.
        match answer {
            Ok(answer) if self.under_way.borrow().is_empty() => Ok(answer),
            Ok(answer) => self.settle(context).map(|()| answer),
            Err(error) => {
                self.settle(context)?;
                Err(self.fail(context, &error))
            }
        }
    }

    fn fail(&self, context: Context<'_>, error: &Error) -> StoreError {
        let trouble = if self.is_closed() { Trouble::Lost } else { Trouble::of(error) };
        self.trouble.set(Some(trouble));
        context.explain(error)
    }
}

/// Rows on their way.
pub(crate) struct Rows<'c> {
    connection: &'c Connection,
    context: Context<'c>,
    stream: Pin<Box<RowStream>>,
}

impl Rows<'_> {
    pub(crate) fn next(&mut self) -> Result<Option<Row>, StoreError> {
        wait(self.stream.try_next()).map_err(|error| self.connection.fail(self.context, &error))
    }
}

fn of_tenant(tenant: Tenant, mut values: Vec<Value>) -> Vec<Value> {
    values.insert(0, Value::Tenant(tenant));
    values
}

fn typed(values: &[Value]) -> Vec<(&Value, Type)> {
    values.iter().map(|value| (value, value.kind())).collect()
}

async fn execution(client: Arc<Client>, statement: Prepared, values: Vec<Value>) -> Result<u64, Error> {
    match statement {
        Prepared::Named(statement) => client.execute_raw(&statement, &values).await,
        Prepared::Unnamed(sql) => {
            let typed: Vec<(&(dyn ToSql + Sync), Type)> =
                values.iter().map(|value| (value as &(dyn ToSql + Sync), value.kind())).collect();
            client.execute_typed(&sql, &typed).await
        }
    }
}
