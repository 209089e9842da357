//! The suite every store must pass, on files in a temporary folder.
#![allow(clippy::unwrap_used, reason = "test code")]

use aforesaid_core::store::conformance;
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
