//! Forgotten text stayed in the file: rows that SQLite moves between pages leave copies behind, which `secure_delete` does not
//! see. It stayed in the log, too, where somebody was reading, and nothing emptied the log later.
#![allow(clippy::unwrap_used, reason = "test code")]

use std::{collections::BTreeSet, path::Path};

use aforesaid_core::{
    store::{Batch, CueStore, CueVectors, DeleteTarget, Erasure, MemoryRef, NewCues, NewVectors, Store, WindowRef},
    types::{
        ConversationId, CueSource, Draft, EncoderId, MemoryId, Namespace, Record, Scope, Seq, SessionId, Turn,
        VectorSet,
    },
};
use aforesaid_sqlite::{Creation, SqliteStore};

/// Numbers in a fixed order that looks random.
struct Draws(u64);

impl Draws {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) % limit as u64) as usize
    }
}

fn ns(name: &str) -> Namespace {
    Namespace::new(name).unwrap()
}

/// A word that is in one text only, of 12 bytes.
fn mark(n: usize) -> String {
    format!("<mark{n:06}>")
}

fn turn(n: usize, session: usize, words: usize) -> Draft {
    let (conversation, session) = (ConversationId::new("c").unwrap(), SessionId::new(format!("s{session}")).unwrap());
    let text = format!("{} ", mark(n)).repeat(words);
    let id = Some(MemoryId::new(format!("id{}", mark(n))).unwrap());
    Draft::Turn(Turn { id, ..Turn::new(conversation, session, "Ann", text) })
}

/// Marks found in any file of the folder.
fn marks_in(folder: &Path) -> BTreeSet<usize> {
    let mut found = BTreeSet::new();
    for file in std::fs::read_dir(folder).unwrap() {
        let bytes = std::fs::read(file.unwrap().path()).unwrap();
        for at in memmem(&bytes, b"<mark") {
            let number = bytes.get(at + 5..at + 11).and_then(|digits| std::str::from_utf8(digits).ok());
            found.extend(number.and_then(|digits| digits.parse::<usize>().ok()));
        }
    }
    found
}

fn memmem<'a>(bytes: &'a [u8], word: &'a [u8]) -> impl Iterator<Item = usize> + 'a {
    bytes.windows(word.len()).enumerate().filter(move |(_, window)| *window == word).map(|(at, _)| at)
}

fn forget_one(store: &SqliteStore, namespace: &Namespace, n: usize) -> Erasure {
    let id = MemoryId::new(format!("id{}", mark(n))).unwrap();
    let found = store.find(namespace, &MemoryRef { id, conversation: None }).unwrap();
    store.forget(namespace, &DeleteTarget::One(found[0].seq)).unwrap().erasure
}

/// Forgets, in [`rounds`] of adding and forgetting.
fn forgets() -> usize {
    std::env::var("AFORESAID_FORGETS").ok().and_then(|n| n.parse().ok()).unwrap_or(600)
}

#[test]
fn nothing_forgotten_is_left_on_pages_that_were_rebalanced() {
    let folder = tempfile::tempdir().unwrap();
    let store = SqliteStore::open(folder.path().join("m.db"), Creation::Allowed).unwrap();
    let mut draws = Draws(7);
    let names = [ns("a"), ns("b"), ns("c")];
    let mut held: [Vec<usize>; 3] = Default::default();
    let mut gone = BTreeSet::new();
    let (mut next, mut leftovers) = (0, 0);
    while gone.len() < forgets() {
        // Namespaces in turn, texts of one word and of several pages: rows go between others, and pages are split.
        for _ in 0..40 {
            let at = draws.below(3);
            let words = [1, 3, 17, 60, 150, 2_000][draws.below(6)];
            store.append(&names[at], Batch::of(&[turn(next, draws.below(5), words)])).unwrap();
            held[at].push(next);
            next += 1;
        }
        for _ in 0..35 {
            let at = draws.below(3);
            if held[at].is_empty() {
                continue;
            }
            let n = held[at].swap_remove(draws.below(held[at].len()));
            assert_eq!(forget_one(&store, &names[at], n), Erasure::Complete);
            gone.insert(n);
        }
        if draws.below(6) == 0 {
            let at = draws.below(3);
            if !held[at].is_empty() {
                store.forget(&names[at], &DeleteTarget::Within(Scope::default())).unwrap();
                gone.extend(held[at].drain(..));
            }
        }
        leftovers += marks_in(folder.path()).intersection(&gone).count();
    }
    assert_eq!(leftovers, 0, "forgotten texts found after {} forgets", gone.len());
    let alive: BTreeSet<usize> = held.into_iter().flatten().collect();
    assert_eq!(marks_in(folder.path()), alive, "and what was not forgotten is there");
}

#[test]
fn dropped_cues_and_the_texts_of_staged_vectors_leave_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let store = SqliteStore::open(folder.path().join("m.db"), Creation::Allowed).unwrap();
    let source = CueSource { model: "m".to_owned(), prompt: "p".to_owned() };
    for n in 0..300 {
        let name = if n % 2 == 0 { "a" } else { "b" };
        let draft = [Draft::Turn(Turn { text: "nothing".to_owned(), ..unmarked(n) })];
        store.append(&ns(name), Batch::of(&draft)).unwrap();
        let questions = (0..3).map(|i| format!("{} ", mark(n)).repeat(1 + (n * 7 + i) % 40)).collect();
        let seq = store.version(&ns(name)).unwrap().unwrap().last;
        let cues = [NewCues { seq, questions, vectors: CueVectors::default() }];
        store.put_cues(&ns(name), &source, None, &cues).unwrap();
    }
    assert_eq!(marks_in(folder.path()).len(), 300);
    store.drop_cues(&ns("a"), &Scope::default()).unwrap();
    assert_eq!(marks_in(folder.path()), (0..300).filter(|n| n % 2 == 1).collect());
}

/// Titles belong to sessions, not to memories: they go with the last turn, earlier ones of the session too.
#[test]
fn titles_of_forgotten_sessions_leave_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let store = SqliteStore::open(folder.path().join("m.db"), Creation::Allowed).unwrap();
    for n in 0..200 {
        for number in [n, 1_000 + n] {
            let title = Some(format!("{} ", mark(number)).repeat(1 + n % 20));
            let session = SessionId::new(format!("s{n}")).unwrap();
            let turn = Turn { session, title, text: "nothing".to_owned(), ..unmarked(n) };
            store.append(&ns("a"), Batch::of(&[Draft::Turn(turn)])).unwrap();
        }
    }
    assert!(marks_in(folder.path()).len() >= 200);
    for n in (0..200).filter(|n| n % 2 == 0) {
        let session = Some(SessionId::new(format!("s{n}")).unwrap());
        store.forget(&ns("a"), &DeleteTarget::Within(Scope { session, ..Scope::default() })).unwrap();
    }
    let left = marks_in(folder.path());
    assert!((0..200).filter(|n| n % 2 == 0).all(|n| !left.contains(&n) && !left.contains(&(1_000 + n))), "{left:?}");
    assert!((0..200).filter(|n| n % 2 == 1).all(|n| left.contains(&(1_000 + n))), "and the others are there");
}

fn unmarked(n: usize) -> Turn {
    let Draft::Turn(turn) = turn(n, 0, 1) else { unreachable!() };
    Turn { id: None, ..turn }
}

#[test]
fn a_reader_delays_the_erasure_and_any_later_command_finishes_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("m.db");
    let store = SqliteStore::open(&path, Creation::Allowed).unwrap();
    store.append(&ns("a"), Batch::of(&[turn(1, 0, 3), turn(2, 0, 3)])).unwrap();

    let reader = SqliteStore::open(&path, Creation::Forbidden).unwrap();
    let mut first = None;
    reader
        .export(&ns("a"), &Scope::default(), &mut |memory: Record| {
            // In the middle of a read, once.
            if first.is_none() {
                first = Some(memory.id);
                let forgotten = store.forget(&ns("a"), &DeleteTarget::One(Seq(1))).unwrap();
                assert_eq!((forgotten.turns, forgotten.erasure), (1, Erasure::Pending));
                assert!(store.fetch(&ns("a"), &[Seq(1)]).unwrap().is_empty(), "gone from the store all the same");
                assert_eq!(store.erasure().unwrap(), Erasure::Pending, "the reader is still there");
                assert!(marks_in(folder.path()).contains(&1), "else this tests nothing");
            }
            Ok(())
        })
        .unwrap();
    assert_eq!(first.unwrap().as_str(), format!("id{}", mark(1)), "the reader saw the store as it was");
    assert_eq!(store.erasure().unwrap(), Erasure::Complete);
    assert_eq!(marks_in(folder.path()), BTreeSet::from([2]));
}

#[test]
fn opening_finishes_what_a_killed_forget_left() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("m.db");
    let store = SqliteStore::open(&path, Creation::Allowed).unwrap();
    store.append(&ns("a"), Batch::of(&[turn(1, 0, 3), turn(2, 0, 3)])).unwrap();
    let reader = SqliteStore::open(&path, Creation::Forbidden).unwrap();
    let forget = &mut |_: Record| {
        // The second time it is gone already.
        store.forget(&ns("a"), &DeleteTarget::One(Seq(1))).map(|_| ())
    };
    reader.export(&ns("a"), &Scope::default(), forget).unwrap();
    assert!(marks_in(folder.path()).contains(&1), "the log is as a killed process leaves it");
    let opened = SqliteStore::open(&path, Creation::Forbidden).unwrap();
    assert_eq!(marks_in(folder.path()), BTreeSet::from([2]));
    assert_eq!(opened.erasure().unwrap(), Erasure::Complete);
}

#[test]
fn staged_vectors_do_not_tell_texts_apart() {
    // The hash of a text, unsalted, is as good as the text to who can guess it.
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("m.db");
    let store = SqliteStore::open(&path, Creation::Allowed).unwrap();
    let encoder = EncoderId::new("bags@1/f32").unwrap();
    let print = *b"sixteen bytes...";
    for name in ["a", "b"] {
        store.stage(&ns(name), &encoder, &[(print, &[1.0])]).unwrap();
        assert_eq!(store.staged(&ns(name), &encoder, &[print]).unwrap(), [true]);
    }
    drop(store);
    let file = rusqlite::Connection::open(&path).unwrap();
    let mut select = file.prepare("SELECT fingerprint FROM staged").unwrap();
    let kept: BTreeSet<Vec<u8>> = select.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect();
    assert_eq!(kept.len(), 2, "the same text in two namespaces");
    assert!(!kept.contains(&print[..]));
    drop(select);
    drop(file);
    let store = SqliteStore::open(&path, Creation::Allowed).unwrap();
    let vectors = NewVectors::Staged { set: VectorSet { encoder: &encoder, dim: 1 }, fingerprints: &[Some(print)] };
    store.append(&ns("a"), Batch { drafts: &[turn(1, 0, 1)], vectors }).unwrap();
    let at = store.version(&ns("a")).unwrap().unwrap();
    assert_eq!(store.vectors(&ns("a"), &encoder, &[WindowRef::first(Seq(1))], at).unwrap().as_slice(), [1.0]);
}
