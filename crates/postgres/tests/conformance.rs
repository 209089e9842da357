//! The suite every store must pass, on a server of its own.
#![allow(clippy::unwrap_used, reason = "test code")]

use aforesaid_core::store::{Erasure, InMemoryStore, conformance};
use aforesaid_postgres::{Creation, PostgresStore};
use aforesaid_postgres_server::server;

#[test]
fn the_postgres_store_conforms() {
    let Some(server) = server() else { return };
    conformance::run_all_with(Erasure::LeftToServer, || {
        PostgresStore::open(&server.new_store(), Creation::Allowed).unwrap()
    });
}

#[test]
fn it_conforms_without_prepared_statements() {
    let Some(server) = server() else { return };
    let open = || {
        let url = format!("{}&prepared_statements=off", server.new_store());
        PostgresStore::open(&url, Creation::Allowed).unwrap()
    };
    conformance::run_all_with(Erasure::LeftToServer, open);
}

#[test]
fn it_gives_the_same_ids() {
    let Some(server) = server() else { return };
    let store = PostgresStore::open(&server.new_store(), Creation::Allowed).unwrap();
    let ids = conformance::ids_given(&store, 200);
    assert!(ids.len() > 100, "{}", ids.len());
    assert_eq!(ids, conformance::ids_given(&InMemoryStore::new(), 200));
}

#[test]
fn it_remembers_a_bounded_number_of_removals() {
    let Some(server) = server() else { return };
    conformance::removals_are_bounded(&PostgresStore::open(&server.new_store(), Creation::Allowed).unwrap());
}
