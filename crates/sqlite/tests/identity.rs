//! A database of another program was changed before it was refused: its header had been rewritten for a write-ahead log. A
//! file that had lost its content was taken for an empty store, and stores were readable by every user of the machine.
#![allow(clippy::unwrap_used, reason = "test code")]

use std::{collections::BTreeMap, fs, path::Path};

use aforesaid_core::{
    store::{Batch, Store},
    types::{ConversationId, Draft, Namespace, SessionId, Turn},
};
use aforesaid_sqlite::{Creation, SqliteStore};
use rusqlite::Connection;

/// Every file of a folder with its bytes.
fn contents(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let files = fs::read_dir(folder).unwrap().map(|file| file.unwrap());
    files.map(|file| (file.file_name().into_string().unwrap(), fs::read(file.path()).unwrap())).collect()
}

/// Refuses to open a path, and leaves its folder as it was, byte for byte.
fn refused(folder: &Path, name: &str) -> String {
    let before = contents(folder);
    let mut messages = Vec::new();
    for creation in [Creation::Forbidden, Creation::Allowed] {
        messages.push(SqliteStore::open(folder.join(name), creation).err().unwrap().to_string());
        assert!(contents(folder) == before, "{creation:?}: {messages:?}");
    }
    assert_eq!(messages[0], messages[1]);
    messages.remove(0)
}

fn turn(text: &str) -> Draft {
    Draft::Turn(Turn::new(ConversationId::new("c").unwrap(), SessionId::new("s").unwrap(), "Ann", text))
}

fn filled(path: &Path) -> SqliteStore {
    let store = SqliteStore::open(path, Creation::Allowed).unwrap();
    store.append(&Namespace::new("me").unwrap(), Batch::of(&[turn("hello")])).unwrap();
    store
}

#[test]
fn a_database_of_another_program_stays_as_it_was() {
    let folder = tempfile::tempdir().unwrap();
    for (name, mode) in [("rollback.db", "DELETE"), ("log.db", "WAL")] {
        let file = Connection::open(folder.path().join(name)).unwrap();
        file.pragma_update(None, "journal_mode", mode).unwrap();
        file.execute_batch("CREATE TABLE cookies (id INTEGER); INSERT INTO cookies VALUES (1);").unwrap();
        drop(file);
        assert!(refused(folder.path(), name).contains("another program"), "{name}");
    }
}

#[test]
fn a_database_that_another_program_is_using_stays_as_it_was() {
    // All of it is in the log, but for a first page that says nothing.
    let folder = tempfile::tempdir().unwrap();
    let file = Connection::open(folder.path().join("log.db")).unwrap();
    file.pragma_update(None, "journal_mode", "WAL").unwrap();
    file.execute_batch("CREATE TABLE cookies (id INTEGER); INSERT INTO cookies VALUES (1);").unwrap();
    for creation in [Creation::Forbidden, Creation::Allowed] {
        let (before, log) = (contents(folder.path())["log.db"].clone(), contents(folder.path())["log.db-wal"].clone());
        let error = SqliteStore::open(folder.path().join("log.db"), creation).err().unwrap().to_string();
        assert!(error.contains("another program"), "{error}");
        let after = contents(folder.path());
        assert!(after["log.db"] == before && after["log.db-wal"] == log);
    }
    assert_eq!(file.query_row("SELECT count(*) FROM cookies", [], |row| row.get::<_, i64>(0)).unwrap(), 1);
}

#[test]
fn a_file_of_zero_bytes_is_no_empty_store() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("m.db"), "").unwrap();
    let message = refused(folder.path(), "m.db");
    assert!(message.contains("0 bytes") && message.contains("restore a backup"), "{message}");
}

#[test]
fn a_store_whose_name_is_strange_is_opened_all_the_same() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["a?b.db", "c#d.db", "50%.db", "e f.db", "g&h=i.db", "jälk.db", ".hidden"] {
        let path = folder.path().join(name);
        drop(filled(&path));
        let store = SqliteStore::open(&path, Creation::Forbidden).unwrap();
        assert_eq!(store.stats(&Namespace::new("me").unwrap()).unwrap().turns, 1, "{name}");
    }
}

#[test]
fn making_a_store_leaves_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    drop(filled(&folder.path().join("m.db")));
    assert_eq!(contents(folder.path()).into_keys().collect::<Vec<_>>(), ["m.db"]);
}

#[cfg(unix)]
mod permissions {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().permissions().mode() & 0o777
    }

    #[test]
    fn a_new_store_and_its_folder_are_for_their_owner_alone() {
        let folder = tempfile::tempdir().unwrap();
        let inner = folder.path().join("data/aforesaid");
        let store = filled(&inner.join("m.db"));
        assert_eq!((mode(&inner), mode(&folder.path().join("data"))), (0o700, 0o700));
        for file in ["m.db", "m.db-wal", "m.db-shm"] {
            assert_eq!(mode(&inner.join(file)), 0o600, "{file}");
        }
        drop(store);
        assert_eq!(mode(&inner.join("m.db")), 0o600);
    }

    #[test]
    fn an_existing_folder_keeps_its_permissions() {
        let folder = tempfile::tempdir().unwrap();
        fs::set_permissions(folder.path(), PermissionsExt::from_mode(0o755)).unwrap();
        drop(filled(&folder.path().join("m.db")));
        assert_eq!(mode(folder.path()), 0o755);
    }

    #[test]
    fn what_is_no_regular_file_is_refused_at_once() {
        let folder = tempfile::tempdir().unwrap();
        let fifo = folder.path().join("pipe");
        assert!(std::process::Command::new("mkfifo").arg(&fifo).status().unwrap().success());
        for path in [fifo.as_path(), Path::new("/dev/zero")] {
            let message = SqliteStore::open(path, Creation::Allowed).err().unwrap().to_string();
            assert!(message.contains("not a regular file"), "{message}");
        }
    }
}
