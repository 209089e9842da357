//! Files that cannot serve as a store: each gets one clear error, and stays as it was.
#![allow(clippy::unwrap_used, reason = "test code")]

use std::path::Path;

use aforesaid_core::{
    StoreError,
    store::{Batch, NewVectors, Segment, SegmentKind, SnapshotName, SnapshotOutcome, Store},
    types::{ConversationId, Draft, EncoderId, Namespace, Seq, SessionId, Turn, VectorSet},
};
use aforesaid_sqlite::{Creation, SqliteStore};

fn drafts() -> Vec<Draft> {
    vec![Draft::Turn(Turn::new(ConversationId::new("c").unwrap(), SessionId::new("s").unwrap(), "Ann", "hello"))]
}

fn refused(path: &Path, creation: Creation) -> String {
    let error = SqliteStore::open(path, creation).err().unwrap();
    let message = error.to_string();
    assert!(message.contains(&path.display().to_string()), "{message}");
    message
}

fn filled(path: &Path) -> Namespace {
    let namespace = Namespace::new("me").unwrap();
    SqliteStore::open(path, Creation::Allowed).unwrap().append(&namespace, Batch::of(&drafts())).unwrap();
    namespace
}

#[test]
fn a_directory() {
    let folder = tempfile::tempdir().unwrap();
    assert!(refused(folder.path(), Creation::Allowed).contains("is a directory"));
}

#[test]
fn nothing_there() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("absent.db");
    assert!(refused(&path, Creation::Forbidden).contains("absent.db"));
    assert!(!path.exists(), "asking must not make a store");
}

#[test]
fn a_file_that_is_not_sqlite() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("notes.txt");
    let text = "dear diary, ".repeat(1000);
    std::fs::write(&path, &text).unwrap();
    assert!(refused(&path, Creation::Allowed).contains("not an aforesaid store"));
    assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
}

#[test]
fn an_sqlite_file_of_another_program() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("other.db");
    rusqlite::Connection::open(&path).unwrap().execute_batch("CREATE TABLE cookies (id INTEGER)").unwrap();
    assert!(refused(&path, Creation::Allowed).contains("another program"));
}

#[test]
fn a_store_of_a_newer_version() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("m.db");
    filled(&path);
    rusqlite::Connection::open(&path).unwrap().pragma_update(None, "user_version", 9_999).unwrap();
    let message = refused(&path, Creation::Allowed);
    assert!(message.contains("9999") && message.contains("newer version"), "{message}");
}

#[test]
fn a_damaged_store() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("m.db");
    let namespace = filled(&path);
    let mut bytes = std::fs::read(&path).unwrap();
    let size = bytes.len();
    bytes[8192..size].fill(0xA5);
    std::fs::write(&path, bytes).unwrap();
    let error = SqliteStore::open(&path, Creation::Forbidden).and_then(|store| store.stats(&namespace)).unwrap_err();
    assert!(matches!(error, StoreError::Damaged { .. }), "{error}");
}

#[test]
fn a_full_disk_writes_nothing_and_says_so() {
    // SQLite's own limit on pages stands in for the disk's: the same code path, SQLITE_FULL.
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("m.db");
    let namespace = filled(&path);
    let store = SqliteStore::open_limited(&path, 40).unwrap();
    let big = |i: usize| {
        let Draft::Turn(turn) = drafts().remove(0) else { unreachable!() };
        Draft::Turn(Turn { text: format!("{i} ").repeat(2000), ..turn })
    };
    let batch: Vec<Draft> = (0..400).map(big).collect();
    let message = store.append(&namespace, Batch::of(&batch)).unwrap_err().to_string();
    assert!(message.contains("disk is full"), "{message}");
    assert_eq!(store.stats(&namespace).unwrap().turns, 1);
    store.append(&namespace, Batch::of(&drafts())).unwrap();
}

#[test]
fn forgotten_text_is_in_no_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("m.db");
    let namespace = filled(&path);
    let store = SqliteStore::open(&path, Creation::Forbidden).unwrap();
    let secret = "xyzzy-plugh-4711";
    let Draft::Turn(turn) = drafts().remove(0) else { unreachable!() };
    let draft = [Draft::Turn(Turn { text: secret.repeat(3000), ..turn })];
    store.append(&namespace, Batch::of(&draft)).unwrap();
    let version = store.version(&namespace).unwrap().unwrap();
    let name = SnapshotName { index: "english".to_owned(), maker: "this".to_owned() };
    let bytes = secret.repeat(3000).into_bytes();
    let segment = Segment { rows: SegmentKind::Memories, block: 0, upto: version.last.0, bytes };
    assert_eq!(store.keep_snapshot(&namespace, &name, version, &[segment]).unwrap(), SnapshotOutcome::Yes);
    let on_disk = || {
        let files = std::fs::read_dir(folder.path()).unwrap();
        let bytes = files.flat_map(|file| std::fs::read(file.unwrap().path()).unwrap());
        let bytes: Vec<u8> = bytes.collect();
        bytes.windows(secret.len()).any(|window| window == secret.as_bytes())
    };
    assert!(on_disk());
    store.forget(&namespace, &aforesaid_core::store::DeleteTarget::One(version.last)).unwrap();
    assert!(!on_disk());
}

#[test]
fn dropped_vectors_and_staged_ones_are_in_no_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("m.db");
    let namespace = Namespace::new("me").unwrap();
    let store = SqliteStore::open(&path, Creation::Allowed).unwrap();
    // Numbers that occur nowhere else, in vectors of a page and more.
    let vector = |first: f32| (0..4000).map(|i| first + i as f32).collect::<Vec<f32>>();
    let on_disk = |first: f32| {
        let mark: Vec<u8> = vector(first)[10..14].iter().flat_map(|x| x.to_le_bytes()).collect();
        let files = std::fs::read_dir(folder.path()).unwrap();
        let bytes: Vec<u8> = files.flat_map(|file| std::fs::read(file.unwrap().path()).unwrap()).collect();
        bytes.windows(mark.len()).any(|window| window == mark)
    };
    let (old, new) = (EncoderId::new("old@1/f32").unwrap(), EncoderId::new("new@1/f32").unwrap());
    let (kept, moved, left) = (vector(1e6 + 0.25), vector(2e6 + 0.25), vector(3e6 + 0.25));
    store.stage(&namespace, &old, &[([1; 16], &moved[..]), ([2; 16], &left[..])]).unwrap();
    let vectors = NewVectors::Staged { set: VectorSet { encoder: &old, dim: 4000 }, fingerprints: &[Some([1; 16])] };
    store.append(&namespace, Batch { drafts: &drafts(), vectors }).unwrap();
    store.embed(&namespace, VectorSet { encoder: &new, dim: 4000 }, &[(Seq(1), &kept)]).unwrap();
    assert_eq!(store.activate(&namespace, &new, aforesaid_core::store::Audience::LocalModels).unwrap(), 0);
    assert!(on_disk(kept[0]) && on_disk(moved[0]) && on_disk(left[0]));
    assert_eq!(store.drop_idle_vectors(&namespace).unwrap(), 1);
    assert!(on_disk(kept[0]) && !on_disk(moved[0]) && !on_disk(left[0]));
}
