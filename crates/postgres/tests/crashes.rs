//! The server or a client is killed in the middle of writes: nothing that was acknowledged is lost, and nothing is half
//! written.
//!
//! `AFORESAID_KILLS` says how often each is killed (8).
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "test code")]

use std::{
    io::{BufRead, BufReader},
    process::{Command, Stdio},
    sync::atomic::{AtomicBool, Ordering},
    thread,
    time::{Duration, Instant},
};

use aforesaid_core::{
    StoreError,
    store::{Batch, CheckDepth, Store},
    types::{ConversationId, Draft, MemoryId, Namespace, Scope, SessionId, Turn},
};
use aforesaid_postgres::{Creation, PostgresStore};
use aforesaid_postgres_server::Server;

/// Turns of a batch, which come together or not at all.
const BATCH: usize = 20;

fn kills() -> usize {
    std::env::var("AFORESAID_KILLS").ok().and_then(|n| n.parse().ok()).unwrap_or(8)
}

fn namespace() -> Namespace {
    Namespace::new("me").unwrap()
}

fn batch(number: usize) -> Vec<Draft> {
    let turn = |i: usize| {
        let (conversation, session) = (ConversationId::new("c").unwrap(), SessionId::new("s").unwrap());
        let turn = Turn::new(conversation, session, "Ann", format!("turn {i} of batch {number}"));
        Draft::Turn(Turn { id: Some(MemoryId::new(format!("{number}-{i}")).unwrap()), ..turn })
    };
    (0..BATCH).map(turn).collect()
}

/// How many turns of each batch there are.
fn stored(store: &PostgresStore) -> Vec<usize> {
    let mut stored = Vec::new();
    let count = &mut |memory: aforesaid_core::types::Record| {
        let number: usize = memory.id.as_str().split('-').next().unwrap().parse().unwrap();
        stored.resize(stored.len().max(number + 1), 0);
        stored[number] += 1;
        Ok(())
    };
    match store.export(&namespace(), &Scope::default(), count) {
        Err(StoreError::UnknownNamespace { .. }) => {}
        exported => exported.unwrap(),
    }
    stored
}

/// Checks that each batch is whole or not there, and that those which were acknowledged are.
fn is_whole(store: &PostgresStore, acknowledged: &[usize]) {
    let stored = stored(store);
    assert!(stored.iter().all(|turns| [0, BATCH].contains(turns)), "half a batch: {stored:?}");
    for number in acknowledged {
        assert_eq!(stored.get(*number), Some(&BATCH), "batch {number} was acknowledged and is not there");
    }
    assert_eq!(store.check(CheckDepth::Full, &mut |_| {}).unwrap(), []);
}

/// A server of this test's own, where one can be had.
fn own_server() -> Option<Server> {
    aforesaid_postgres_server::server()?;
    Server::start().ok()
}

#[test]
fn the_server_is_killed() {
    let Some(server) = own_server() else { return };
    let url = server.new_store();
    let store = PostgresStore::open(&url, Creation::Allowed).unwrap();
    let (mut acknowledged, mut next, mut failures) = (Vec::new(), 0, Vec::new());
    for kill in 0..kills() {
        let is_killed = AtomicBool::new(false);
        thread::scope(|scope| {
            scope.spawn(|| {
                thread::sleep(Duration::from_millis(10 + (kill as u64 * 37) % 150));
                is_killed.store(true, Ordering::Relaxed);
                server.kill();
            });
            let until = Instant::now() + Duration::from_secs(30);
            while Instant::now() < until {
                let drafts = batch(next);
                match store.append(&namespace(), Batch::of(&drafts)) {
                    Ok(_) => acknowledged.push(next),
                    Err(error) => {
                        assert!(is_killed.load(Ordering::Relaxed), "{error}");
                        failures.push(error.to_string());
                        next += 1;
                        break;
                    }
                }
                next += 1;
            }
        });
        server.start_again();
        // The same store object goes on.
        is_whole(&store, &acknowledged);
    }
    assert!(!acknowledged.is_empty(), "nothing was written: the test tests nothing");
    assert_eq!(failures.len(), kills(), "a kill that nobody noticed: {failures:?}");
    failures.sort();
    failures.dedup();
    println!("{} batches acknowledged, {} kills; what was said: {failures:#?}", acknowledged.len(), kills());
    assert!(failures.iter().all(|said| said.contains("connection")), "{failures:?}");
}

#[test]
#[ignore = "run by the other tests as a process of its own"]
fn a_client() {
    let Ok(url) = std::env::var("AFORESAID_CLIENT_OF") else { return };
    let store = PostgresStore::open(&url, Creation::Allowed).unwrap();
    for number in stored(&store).len().. {
        store.append(&namespace(), Batch::of(&batch(number))).unwrap();
        println!("\nacknowledged {number}");
    }
}

#[test]
fn a_client_is_killed() {
    let Some(server) = aforesaid_postgres_server::server() else { return };
    let url = server.new_store();
    let mut acknowledged = Vec::new();
    for kill in 0..kills() {
        let mut client = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "a_client", "--ignored", "--nocapture"])
            .env("AFORESAID_CLIENT_OF", &url)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        thread::sleep(Duration::from_millis(20 + (kill as u64 * 61) % 250));
        client.kill().unwrap();
        client.wait().unwrap();
        let said = BufReader::new(client.stdout.take().unwrap()).lines().map_while(Result::ok);
        acknowledged.extend(said.filter_map(|line| line.strip_prefix("acknowledged ")?.parse::<usize>().ok()));
        is_whole(&PostgresStore::open(&url, Creation::Allowed).unwrap(), &acknowledged);
    }
    println!("{} batches acknowledged, {} kills", acknowledged.len(), kills());
    assert!(!acknowledged.is_empty(), "no client came to write: the test tests nothing");
}
