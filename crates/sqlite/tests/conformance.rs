//! The suite every store must pass, on files in a temporary folder.
#![allow(clippy::unwrap_used, reason = "test code")]

use aforesaid_core::store::{InMemoryStore, conformance};
use aforesaid_sqlite::{Creation, SqliteStore};

#[test]
fn the_sqlite_store_conforms() {
    let folder = tempfile::tempdir().unwrap();
    let mut n = 0;
    conformance::run_all(|| {
        n += 1;
        SqliteStore::open(folder.path().join(format!("{n}.db")), Creation::Allowed).unwrap()
    });
}

#[test]
fn both_stores_give_the_same_ids() {
    let folder = tempfile::tempdir().unwrap();
    let store = SqliteStore::open(folder.path().join("m.db"), Creation::Allowed).unwrap();
    let ids = conformance::ids_given(&store, 200);
    assert!(ids.len() > 100, "{}", ids.len());
    assert_eq!(ids, conformance::ids_given(&InMemoryStore::new(), 200));
}

#[test]
fn the_sqlite_store_remembers_a_bounded_number_of_removals() {
    let folder = tempfile::tempdir().unwrap();
    let store = SqliteStore::open(folder.path().join("m.db"), Creation::Allowed).unwrap();
    conformance::removals_are_bounded(&store);
}
