//! What is kept for the next process: when it is written, what it saves, and what a forget leaves of it.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    path::{Path, PathBuf},
    sync::mpsc,
    thread,
    time::Duration,
};

use aforesaid::{Explanations, Memory, Pipeline, Target, store::MemoryRef, types::*};
use rusqlite::Connection;

use crate::bags::*;

const TURNS: usize = 3_000;

/// A store on disk; the folder goes with it.
struct OnDisk {
    _folder: tempfile::TempDir,
    path: PathBuf,
}

impl OnDisk {
    /// Turns enough for several segments; none is kept yet.
    fn filled() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("m.db");
        let memory = open(path.to_str().unwrap(), local());
        let words = ["kite", "ladder", "soup", "pumpkin", "chestnut", "boat", "sunday"];
        let said = |i: usize| format!("{} and {} number {}", words[i % 7], words[i / 7 % 5], i % 97);
        let turns =
            (0..TURNS).map(|i| turn(&format!("c{}", i % 3), &format!("s{}", i / 60), &i.to_string(), "Ann", &said(i)));
        memory.add_turns(&ns("me"), turns.collect()).unwrap();
        Self { _folder: folder, path }
    }

    fn open(&self) -> Memory {
        open(self.path.to_str().unwrap(), local())
    }

    fn sql(&self) -> Connection {
        Connection::open(&self.path).unwrap()
    }

    /// Segments kept.
    fn segments(&self) -> i64 {
        self.sql().query_row("SELECT count(*) FROM snapshot", [], |row| row.get(0)).unwrap()
    }

    fn holds(&self, text: &str) -> bool {
        let files = std::fs::read_dir(self.path.parent().unwrap()).unwrap();
        let holds = |file: &Path| {
            std::fs::read(file).unwrap().windows(text.len()).any(|bytes| bytes.eq_ignore_ascii_case(text.as_bytes()))
        };
        files.map(|file| file.unwrap().path()).any(|file| holds(&file))
    }
}

fn search(memory: &Memory) -> usize {
    let query = Query::new(ns("me"), "who has the kite on sunday?");
    memory.search(&query, &Pipeline::hybrid(), Explanations::Omit).unwrap().hits.len()
}

fn forget(memory: &Memory, id: &str) {
    let address = MemoryRef { id: MemoryId::new(id).unwrap(), conversation: None };
    memory.forget(&ns("me"), &Target::One(address)).unwrap();
}

/// All that is ranked, to the last bit of every score.
fn rankings(memory: &Memory) -> Vec<String> {
    let presets = [Pipeline::hybrid(), Pipeline::lexical(), Pipeline::fast()];
    let rank = |pipeline: &Pipeline, unit| {
        let query =
            Query { unit, k: 500.try_into().unwrap(), ..Query::new(ns("me"), "pumpkin soup number 12 on a boat") };
        format!("{:?}", memory.rank(&query, pipeline).unwrap())
    };
    presets
        .iter()
        .flat_map(|pipeline| [rank(pipeline, Granularity::Turn), rank(pipeline, Granularity::Session)])
        .collect()
}

#[test]
fn a_search_does_not_wait_for_a_writer() {
    // The snapshot was written before the answer, and for that the search waited for whoever was writing.
    let store = OnDisk::filled();
    let memory = store.open();
    let writer = store.sql();
    writer.execute_batch("BEGIN IMMEDIATE").unwrap();
    let (said, heard) = mpsc::channel();
    thread::scope(|threads| {
        threads.spawn(|| {
            let hits = search(&memory);
            memory.keep_snapshots();
            said.send(hits).unwrap();
        });
        let hits = heard.recv_timeout(Duration::from_secs(60));
        assert!(!writer.is_autocommit(), "the lock is held all the while");
        writer.execute_batch("ROLLBACK").unwrap();
        assert_eq!(hits.expect("answered while another was writing"), 10);
    });
    assert_eq!(store.segments(), 0, "nothing was kept, nor waited for");
    drop(memory);
    assert!(store.segments() > 0, "it is kept when nobody is in the way");
}

#[test]
fn nothing_is_kept_on_the_way_out_of_a_panic() {
    let store = OnDisk::filled();
    let panicked = catch_unwind(AssertUnwindSafe(|| {
        let memory = store.open();
        search(&memory);
        std::panic::resume_unwind(Box::new("over"));
    }));
    assert!(panicked.is_err());
    assert_eq!(store.segments(), 0);
}

#[test]
fn a_forget_leaves_the_next_process_most_of_its_index() {
    // Any forget threw the whole snapshot away.
    let store = OnDisk::filled();
    search(&store.open());
    let whole = store.segments();
    assert_eq!(whole, 3);
    forget(&store.open(), "1500");
    assert_eq!(store.segments(), whole - 1);
    let after = rankings(&store.open());
    assert_eq!(store.segments(), whole + 3, "it is whole again, and one of the words alone beside it");
    assert_eq!(rankings(&store.open()), after);
    store.sql().execute("DELETE FROM snapshot", []).unwrap();
    assert_eq!(rankings(&store.open()), after, "an index made anew ranks alike");
}

#[test]
fn an_index_in_memory_ranks_like_one_made_anew() {
    let store = OnDisk::filled();
    let (here, elsewhere) = (store.open(), store.open());
    rankings(&here);
    let bytes = here.index_bytes();
    forget(&here, "17");
    forget(&elsewhere, "18");
    let scope = |session: &str| Scope { session: Some(SessionId::new(session).unwrap()), ..Scope::default() };
    let of_c1 = |session| Scope { conversation: Some(ConversationId::new("c1").unwrap()), ..scope(session) };
    elsewhere.forget(&ns("me"), &Target::Within(of_c1("s7"))).unwrap();
    elsewhere.add_turns(&ns("me"), vec![turn("c1", "s7", "new", "Bob", "pumpkin soup again")]).unwrap();
    here.forget(&ns("me"), &Target::Within(of_c1("s9"))).unwrap();
    assert!(here.index_bytes() > bytes / 2, "it is held still");
    store.sql().execute("DELETE FROM snapshot", []).unwrap();
    assert_eq!(rankings(&here), rankings(&store.open()));
}

#[test]
fn a_forgotten_word_is_in_no_file_and_does_not_come_back() {
    let store = OnDisk::filled();
    let secret = "xyzzyplugh";
    let memory = store.open();
    memory.add_turns(&ns("me"), vec![turn("c1", "s7", "secret", "Ann", secret)]).unwrap();
    search(&memory);
    drop(memory);
    assert!(store.segments() > 0 && store.holds(secret));
    let holder = store.open();
    search(&holder);
    forget(&store.open(), "secret");
    assert!(!store.holds(secret), "gone when the forget returned");
    search(&holder);
    drop(holder);
    search(&store.open());
    assert!(store.segments() > 2 && !store.holds(secret), "nor was it kept again");
}

#[test]
fn a_damaged_or_older_snapshot_is_made_anew() {
    let store = OnDisk::filled();
    let expected = rankings(&store.open());
    let kept = store.segments();
    let sql = store.sql();
    sql.execute("UPDATE snapshot SET data = zeroblob(100) WHERE block = 1", []).unwrap();
    assert_eq!(rankings(&store.open()), expected);
    let damaged = "SELECT count(*) FROM snapshot WHERE data = zeroblob(100)";
    assert_eq!(sql.query_row(damaged, [], |row| row.get::<_, i64>(0)).unwrap(), 0, "it is written again");
    // One of another analyzer, which would make other terms of the same texts.
    sql.execute("UPDATE snapshot SET maker = 'older'", []).unwrap();
    assert_eq!(rankings(&store.open()), expected);
    let older = "SELECT count(*) FROM snapshot WHERE maker = 'older'";
    assert_eq!(sql.query_row(older, [], |row| row.get::<_, i64>(0)).unwrap(), 0, "what is of no use does not stay");
    assert_eq!(store.segments(), kept);
}
