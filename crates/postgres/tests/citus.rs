//! The store on a Citus cluster, where `AFORESAID_CITUS` is the URL of a database of its coordinator; else it says so.
#![allow(clippy::unwrap_used, clippy::print_stderr, clippy::print_stdout, reason = "test code")]

use std::sync::atomic::{AtomicU32, Ordering};

use aforesaid_core::{
    store::{Batch, Erasure, Store, conformance},
    types::{ConversationId, Draft, Namespace, SessionId, Turn},
};
use aforesaid_postgres::{Distribution, Layout, PostgresStore, RowSecurity};
use tokio_postgres::NoTls;

/// A URL of a store of its own, with few shards; `None` where there is no cluster.
fn new_store() -> Option<String> {
    static NUMBER: AtomicU32 = AtomicU32::new(0);
    let Ok(url) = std::env::var("AFORESAID_CITUS") else {
        eprintln!("\nSKIPPED, NOT TESTED: no Citus cluster; AFORESAID_CITUS names one\n");
        return None;
    };
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let schema = format!("c{}_{number}", std::process::id());
    Some(format!(
        "{url}?schema={schema}&options=-c%20citus.shard_count%3D4%20-c%20citus.propagate_set_commands%3Dlocal"
    ))
}

fn made(url: &str, row_security: RowSecurity) -> PostgresStore {
    PostgresStore::init(url, Layout { distribution: Distribution::ByTenant, row_security }).unwrap()
}

#[test]
fn a_distributed_store_conforms() {
    if new_store().is_none() {
        return;
    }
    // A view of several namespaces begins on each server with the first look there, not with the view.
    let without = ["a_steady_view_stands_still"];
    conformance::run_all_but(&without, Erasure::LeftToServer, || made(&new_store().unwrap(), RowSecurity::AsItIs));
}

#[test]
fn tenants_are_on_shards_of_their_own_and_a_query_asks_one() {
    let Some(url) = new_store() else { return };
    let store = made(&url, RowSecurity::On);
    // It can be asked for again.
    drop(made(&url, RowSecurity::On));
    for name in ["ann", "bob", "cyd", "dee", "eve", "fay"] {
        let (conversation, session) = (ConversationId::new("c").unwrap(), SessionId::new("s").unwrap());
        let draft = Draft::Turn(Turn::new(conversation, session, "Ann", format!("{name} has a kite.")));
        store.append(&Namespace::new(name).unwrap(), Batch::of(&[draft])).unwrap();
    }
    assert_eq!(store.namespaces().unwrap().len(), 6);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let (plain, options) = url.split_once('?').unwrap();
        let schema = options.split(['=', '&']).nth(1).unwrap();
        let (client, connection) = tokio_postgres::connect(plain, NoTls).await.unwrap();
        tokio::spawn(connection);
        let shards = format!(
            "SELECT count(DISTINCT get_shard_id_for_distribution_column('{schema}.memory', tenant)) FROM {schema}.namespace"
        );
        let shards: i64 = client.query_one(&shards, &[]).await.unwrap().get(0);
        assert!(shards > 1, "{shards}");
        let beside = format!(
            "SELECT count(DISTINCT colocation_id) FROM citus_tables WHERE table_name::text LIKE '{schema}.%'
             AND citus_table_type = 'distributed'"
        );
        assert_eq!(client.query_one(&beside, &[]).await.unwrap().get::<_, i64>(0), 1);
        let explain = format!(
            "EXPLAIN SELECT m.text, s.title FROM {schema}.memory m LEFT JOIN {schema}.session s
             ON s.tenant = '00000000-0000-0000-0000-000000000001' AND s.id = m.session
             WHERE m.tenant = '00000000-0000-0000-0000-000000000001'"
        );
        let plan: Vec<String> =
            client.query(&explain, &[]).await.unwrap().iter().map(|row| row.get::<_, String>(0)).collect();
        println!("{}", plan.join("\n"));
        assert!(plan.iter().any(|line| line.trim() == "Task Count: 1"), "{plan:?}");
    });
}
