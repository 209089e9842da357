//! A store whose disk fails: errors, short writes, syncs that fail, and the loss of power at any point.
//!
//! A scene is a list of calls of a store. It is run once without a fault, which says what the store holds after each
//! call. Then it is run with a fault at some call of the file system: a call that was acknowledged must have happened,
//! another wholly or not at all, and whatever the disk makes of what was not synced the store must open and go on.
//!
//! `AFORESAID_FAULTS` says at how many points (200), `AFORESAID_SEED` which (1), and `AFORESAID_POINT` that only one of
//! them is wanted, to look into it.
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout, reason = "test code")]

#[path = "../../../engine/tests/chance/mod.rs"]
mod chance;
mod disk;
mod runner;
mod scenario;
mod version_1;
mod vfs;
mod world;

use std::sync::{Mutex, MutexGuard, PoisonError};

use aforesaid_core::{
    store::{Batch, Store},
    types::{ConversationId, Draft, SessionId, Turn},
};
use aforesaid_sqlite::{Creation, SqliteStore};
use chance::Chance;
use disk::{Call, Fault, Left, disk};
use runner::{Figures, Point, Scene, Truth};
use rusqlite::Connection;

/// There is one disk in this process: tests take turns.
fn turn() -> MutexGuard<'static, ()> {
    static TURN: Mutex<()> = Mutex::new(());
    vfs::install();
    TURN.lock().unwrap_or_else(PoisonError::into_inner)
}

fn number(variable: &str, default: u64) -> u64 {
    std::env::var(variable).ok().and_then(|number| number.parse().ok()).unwrap_or(default)
}

#[test]
fn a_store_survives_a_disk_that_fails() {
    let _turn = turn();
    let wanted = number("AFORESAID_FAULTS", 200) as usize;
    let seed = number("AFORESAID_SEED", 1);
    let truths = [
        Truth::of(Scene { name: "from nothing", before: |_| {}, steps: scenario::all }),
        Truth::of(Scene { name: "from version 1", before: version_1::write, steps: scenario::migration }),
    ];
    let mut chance = Chance::new(seed);
    let mut points: Vec<(usize, Point)> = Vec::new();
    for (scene, truth) in truths.iter().enumerate() {
        points.extend(truth.points().into_iter().map(|point| (scene, point)));
    }
    let all = points.len();
    // Any of them, in any order; all of them and some again where more are wanted.
    for i in (1..points.len()).rev() {
        points.swap(i, chance.below(i + 1));
    }
    let mut figures = Figures::default();
    let mut wrong = Vec::new();
    let only: Option<usize> = std::env::var("AFORESAID_POINT").ok().and_then(|number| number.parse().ok());
    for (n, (scene, point)) in points.iter().cycle().take(wanted).enumerate() {
        if only.is_some_and(|only| only != n) {
            continue;
        }
        let mut chance = Chance::new(seed.wrapping_mul(1_000_003).wrapping_add(n as u64));
        figures.points += 1;
        *figures.by_fault.entry(point.fault).or_default() += 1;
        *figures.by_kind.entry(point.kind).or_default() += 1;
        if let Err(what) = truths[*scene].play(*point, &mut chance, &mut figures) {
            wrong.push(format!("point {n}, {point:?}: {what}"));
        }
    }
    println!("seed {seed}: {figures:#?} of {all} places and kinds");
    // Each kind of wrong once: what follows the point, without its numbers.
    let mut kinds = std::collections::BTreeSet::new();
    let kind = |what: &str| what.split_once("}: ").map_or(String::new(), |(_, what)| what.chars().take(40).collect());
    let shown: Vec<&String> = wrong.iter().filter(|what| kinds.insert(kind(what))).take(20).collect();
    assert!(wrong.is_empty(), "seed {seed}: {} of {wanted} points: {shown:#?}", wrong.len());
}

// The disk is no use if it loses nothing.
#[test]
fn what_is_not_synced_is_lost_with_the_power() {
    let _turn = turn();
    for (synchronous, kept) in [("FULL", 2), ("OFF", 1)] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("m.db");
        let write = |synchronous: &str| {
            let connection = Connection::open(&path).unwrap();
            connection.pragma_update(None, "journal_mode", "WAL").unwrap();
            connection.pragma_update(None, "synchronous", synchronous).unwrap();
            connection.execute_batch("CREATE TABLE IF NOT EXISTS t (x); INSERT INTO t VALUES (1)").unwrap();
            connection
        };
        drop(write("FULL"));
        disk().watch(Vec::new());
        let connection = write(synchronous);
        disk().cut();
        drop(connection);
        disk().lose_power(folder.path(), Left::Nothing, &mut Chance::new(1));
        let connection = Connection::open(&path).unwrap();
        let rows: i64 = connection.query_row("SELECT count(*) FROM t", [], |row| row.get(0)).unwrap();
        assert_eq!(rows, kept, "synchronous = {synchronous}");
    }
}

// SQLite answers that it keeps a log from now on before it has written so, and whoever asks no further misses the error
// that follows. A store made on a disk that failed once stayed without its log, and a loss of power took its last
// acknowledged transaction back. Nor does SQLite say when closing cannot move the log into the file: a new store whose
// tables were still in the log was put in its place without them, and every opening called it damaged.
#[test]
fn a_store_made_on_a_disk_that_failed_once_is_whole() {
    let _turn = turn();
    for at in 0.. {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("m.db");
        disk().watch(vec![(at, Fault::ErrorOnce)]);
        let opened = SqliteStore::open(&path, Creation::Allowed);
        let reached = disk().calls().len() > at;
        disk().forget();
        drop(opened);
        if let Err(error) = SqliteStore::open(&path, Creation::Allowed) {
            panic!("call {at} failed once, and then: {error}");
        }
        let connection = Connection::open(&path).unwrap();
        let mode: String = connection.query_row("PRAGMA journal_mode", [], |row| row.get(0)).unwrap();
        assert_eq!(mode, "wal", "call {at} failed");
        if !reached {
            assert!(at > 20, "the disk was asked for {at} things");
            break;
        }
    }
}

// A full disk has no space for the file through which connections share a log, and nothing at all could be read.
#[test]
fn a_store_is_read_where_its_connections_can_share_nothing() {
    let _turn = turn();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("m.db");
    let namespace = world::namespace("me");
    let turns = |n: usize| {
        let (conversation, session) = (ConversationId::new("c").unwrap(), SessionId::new("s").unwrap());
        vec![Draft::Turn(Turn::new(conversation, session, "Ann", format!("turn {n}")))]
    };
    SqliteStore::open(&path, Creation::Allowed).unwrap().append(&namespace, Batch::of(&turns(1))).unwrap();
    disk().watch(Vec::new());
    drop(SqliteStore::open(&path, Creation::Forbidden).unwrap());
    let at = disk().calls().iter().position(|call| *call == Call::Map).unwrap();
    disk().watch(vec![(at, Fault::ErrorFromNowOn)]);
    // Two at once: none keeps the other out.
    let stores = [(); 2].map(|()| SqliteStore::open(&path, Creation::Forbidden).unwrap());
    for store in &stores {
        assert_eq!(store.stats(&namespace).unwrap().turns, 1);
        let steady = Store::steady(store).unwrap();
        assert_eq!(steady.stats(&namespace).unwrap().turns, 1);
    }
    assert!(disk().is_broken(), "nothing failed: this tests nothing");
    // And when there is space again it is written as ever.
    disk().forget();
    stores[0].append(&namespace, Batch::of(&turns(2))).unwrap();
    assert_eq!(stores[1].stats(&namespace).unwrap().turns, 2);
}
