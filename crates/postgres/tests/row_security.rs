//! Policies on rows as a second line: a role that the server trusts with nothing else sees one tenant at a time.
#![allow(clippy::unwrap_used, reason = "test code")]

use aforesaid_core::{
    store::{Batch, Erasure, Store, conformance},
    types::{ConversationId, Draft, Namespace, SessionId, Turn},
};
use aforesaid_postgres::{Creation, Layout, PostgresStore, RowSecurity};
use aforesaid_postgres_server::server;
use tokio_postgres::{Client, NoTls};

/// The server's own port, past the store.
struct Raw {
    runtime: tokio::runtime::Runtime,
    client: Client,
}

impl Raw {
    fn open(url: &str) -> Self {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let plain = url.split('?').next().unwrap();
        let (client, connection) = runtime.block_on(tokio_postgres::connect(plain, NoTls)).unwrap();
        runtime.spawn(connection);
        Self { runtime, client }
    }

    fn run(&self, sql: &str) {
        self.runtime.block_on(self.client.batch_execute(sql)).unwrap();
    }

    fn fails(&self, sql: &str) -> String {
        let error = self.runtime.block_on(self.client.batch_execute(sql)).unwrap_err();
        error.as_db_error().unwrap().message().to_owned()
    }

    fn number(&self, sql: &str) -> i64 {
        self.runtime.block_on(self.client.query_one(sql, &[])).unwrap().get(0)
    }
}

fn schema_of(url: &str) -> &str {
    url.split_once("schema=").unwrap().1
}

/// The URL of a store with policies, for a role that owns nothing and may do what a store does.
fn guarded(url: &str) -> String {
    let schema = schema_of(url);
    PostgresStore::init(url, Layout { row_security: RowSecurity::On, ..Layout::default() }).unwrap();
    // It can be asked for again.
    PostgresStore::init(url, Layout { row_security: RowSecurity::On, ..Layout::default() }).unwrap();
    let role = format!("role_{schema}");
    Raw::open(url).run(&format!(
        "CREATE ROLE {role} LOGIN;
         GRANT USAGE ON SCHEMA {schema} TO {role};
         GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA {schema} TO {role};"
    ));
    let (before, host) = url.split_once('@').unwrap();
    format!("{}://{role}@{host}", before.split_once("://").unwrap().0)
}

fn add(store: &PostgresStore, namespace: &str, text: &str) {
    let (conversation, session) = (ConversationId::new("c").unwrap(), SessionId::new("s").unwrap());
    let draft = Draft::Turn(Turn::new(conversation, session, "Ann", text));
    store.append(&Namespace::new(namespace).unwrap(), Batch::of(&[draft])).unwrap();
}

#[test]
fn without_the_setting_no_row_is_seen_and_with_it_those_of_one_tenant() {
    let Some(server) = server() else { return };
    let url = server.new_store();
    let role = guarded(&url);
    let store = PostgresStore::open(&role, Creation::Forbidden).unwrap();
    add(&store, "a", "Ann's kite");
    add(&store, "b", "Bob's boat");
    add(&store, "b", "Bob's oar");
    assert_eq!(store.namespaces().unwrap().len(), 2);
    let (raw, schema) = (Raw::open(&role), schema_of(&url));
    let tables = ["namespace", "conversation", "session", "memory"];
    for table in tables {
        assert_eq!(raw.number(&format!("SELECT count(*) FROM {schema}.{table}")), 0, "{table}");
    }
    let tenant = |name: &str| {
        let owner = Raw::open(&url);
        let sql = format!("SELECT tenant::text FROM {schema}.namespace WHERE name = '{name}'");
        owner.runtime.block_on(owner.client.query_one(&sql, &[])).unwrap().get::<_, String>(0)
    };
    for (name, rows) in [("a", 1), ("b", 2)] {
        raw.run(&format!("BEGIN; SET LOCAL aforesaid.tenant = '{}'", tenant(name)));
        assert_eq!(raw.number(&format!("SELECT count(*) FROM {schema}.memory")), rows);
        assert_eq!(raw.number(&format!("SELECT count(*) FROM {schema}.namespace")), 1);
        raw.run("COMMIT");
    }
    // What a transaction set is gone with it.
    assert_eq!(raw.number(&format!("SELECT count(*) FROM {schema}.memory")), 0);
    // Names are listed under a value of their own, and nothing else is.
    raw.run("BEGIN; SET LOCAL aforesaid.tenant = 'all'");
    assert_eq!(raw.number(&format!("SELECT count(*) FROM {schema}.namespace")), 2);
    assert_eq!(raw.number(&format!("SELECT count(*) FROM {schema}.memory")), 0);
    raw.run("COMMIT");
    // A row of another tenant is not written, either.
    let other = tenant("b");
    raw.run(&format!("BEGIN; SET LOCAL aforesaid.tenant = '{}'", tenant("a")));
    let refused = raw.fails(&format!("INSERT INTO {schema}.cued (tenant, seq, source) VALUES ('{other}', 1, 1)"));
    assert!(refused.contains("row-level security"), "{refused}");
}

/// The table of vectors in half precision is made only where pgvector is, and had no policy.
#[test]
fn every_table_has_a_policy_with_and_without_pgvector() {
    let Some(server) = server() else { return };
    for (url, halves) in [(Some(server.new_store()), 0), (server.new_store_with_pgvector(), 1)] {
        let Some(url) = url else { continue };
        guarded(&url);
        let (raw, schema) = (Raw::open(&url), schema_of(&url));
        let tables = format!(
            "SELECT count(*) FROM pg_class c JOIN pg_namespace s ON s.oid = c.relnamespace
             WHERE s.nspname = '{schema}' AND c.relkind = 'r' AND c.relname <> 'format'"
        );
        assert_eq!(raw.number(&format!("{tables} AND c.relname = 'half'")), halves);
        assert!(raw.number(&tables) > 16);
        assert_eq!(raw.number(&format!("{tables} AND NOT (c.relrowsecurity AND c.relforcerowsecurity)")), 0);
    }
}

/// Where pgvector came later, the table had no policy, and a user who may make none could not open the store.
#[test]
fn a_table_that_is_made_later_is_laid_out_as_the_others_and_is_no_need() {
    let Some(url) = server().and_then(|server| server.new_store_with_pgvector()) else { return };
    let role = guarded(&url);
    let (raw, schema) = (Raw::open(&url), schema_of(&url));
    let guards = format!(
        "SELECT count(*) FROM pg_class c JOIN pg_namespace s ON s.oid = c.relnamespace
         WHERE s.nspname = '{schema}' AND c.relname = 'half' AND c.relrowsecurity AND c.relforcerowsecurity"
    );
    raw.run(&format!("DROP TABLE {schema}.half"));
    add(&PostgresStore::open(&role, Creation::Forbidden).unwrap(), "a", "Ann's kite");
    assert_eq!(raw.number(&guards), 0);
    PostgresStore::open(&url, Creation::Forbidden).unwrap();
    assert_eq!(raw.number(&guards), 1);
}

#[test]
fn a_store_with_policies_conforms() {
    let Some(server) = server() else { return };
    conformance::run_all_with(Erasure::LeftToServer, || {
        PostgresStore::open(&guarded(&server.new_store()), Creation::Forbidden).unwrap()
    });
}
