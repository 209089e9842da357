//! A store that cannot be used, or not be written: one clear error, and nothing lost.

use std::{
    fmt::Write,
    fs,
    os::unix::{fs::PermissionsExt, process::CommandExt},
    process::Command,
};

use insta::assert_snapshot;

use crate::sandbox::{PROGRAM, STORE, Sandbox, finish};

const HELD: &str = r#"{"id":"D1:1","conversation":"c1","session":"s1","speaker":"Ann","text":"A red kite."}
"#;

/// How a store is refused by a command that reads and by one that writes.
fn refused_store(sandbox: &Sandbox, store: &str) -> String {
    let refused = |command: &[&str]| {
        sandbox.refusal_of(|| {
            let mut refused = sandbox.bare(&["--model", "none", "--store", store]);
            refused.args(command);
            refused
        })
    };
    let reading = refused(&["search", "kite"]);
    let writing = refused(&["add", "hello"]);
    match reading == writing {
        true => reading,
        false => format!("{reading}\n{writing}"),
    }
}

/// Changes the integer of the header at `offset`.
fn patch_header(sandbox: &Sandbox, offset: usize, value: u32) {
    let mut bytes = fs::read(sandbox.path(STORE)).unwrap();
    bytes[offset..offset + 4].copy_from_slice(&value.to_be_bytes());
    sandbox.write(STORE, bytes);
}

#[test]
fn a_store_of_a_newer_version() {
    const USER_VERSION: usize = 60;
    let sandbox = Sandbox::holding(HELD);
    patch_header(&sandbox, USER_VERSION, 99);
    assert_snapshot!(refused_store(&sandbox, STORE), @"1 store: store memory.db: has format 99; this program knows formats up to 10; use the newer version of aforesaid that wrote it");
}

#[test]
fn a_store_of_another_program() {
    const APPLICATION_ID: usize = 68;
    let sandbox = Sandbox::holding(HELD);
    patch_header(&sandbox, APPLICATION_ID, 7);
    assert_snapshot!(refused_store(&sandbox, STORE), @"1 store: store memory.db: is an SQLite file of another program; name another store with --store");
}

#[test]
fn a_folder_as_store() {
    let sandbox = Sandbox::new();
    sandbox.write("folder/a.txt", "");
    assert_snapshot!(refused_store(&sandbox, "folder"), @"1 store: store folder: is a directory; name a file in it, such as memory.db with --store");
}

#[test]
fn a_file_that_is_not_sqlite_as_store() {
    let sandbox = Sandbox::new();
    sandbox.write("diary.txt", "Dear diary, today I was not a database, and I shall not become one.".repeat(20));
    assert_snapshot!(refused_store(&sandbox, "diary.txt"), @"1 store: store diary.txt: is not an aforesaid store (no SQLite file); name another store with --store");
}

#[test]
fn a_damaged_store() {
    let sandbox = Sandbox::holding(HELD);
    let mut bytes = fs::read(sandbox.path(STORE)).unwrap();
    bytes[16_384..].fill(0x5A);
    sandbox.write(STORE, bytes);
    let refusal = sandbox.refusal(&["search", "kite"]);
    assert!(refusal.starts_with("1 store: store memory.db is damaged: "), "{refusal}");
}

#[test]
fn a_place_where_no_store_can_be() {
    let sandbox = Sandbox::new();
    sandbox.write("file", "");
    let refusal = sandbox.refusal(&["add", "hello", "--store", "file/memory.db"]);
    assert!(refusal.starts_with("1 store: store file/memory.db: its folder cannot be made"), "{refusal}");
    assert_snapshot!(refused_store(&sandbox, "mysql://localhost/memory"), @r#"1 store: store "mysql://localhost/memory": unknown kind of location; expected a path, sqlite:PATH, postgres://USER:PASSWORD@HOST/DATABASE or memory:"#);
    for store in ["mysql://ann:s3cret@db/memory", "POSTGRES://ann:s3cret@db/memory", "postgres:// ann:s3cret@db:port"] {
        let refusal = refused_store(&sandbox, store);
        assert!(refusal.starts_with("1 store: ") && !refusal.contains("s3cret"), "{refusal}");
    }
}

#[test]
fn a_store_that_does_not_exist() {
    let sandbox = Sandbox::new();
    let expected = sandbox.refusal(&["search", "kite"]);
    assert_snapshot!(expected, @"1 store: store memory.db: does not exist; import or add something to create one, or name another store with --store");
    for args in [&["show", "D1:1"][..], &["forget", "--all", "--yes"], &["export"], &["stats"], &["reembed"]] {
        assert_eq!(sandbox.refusal(args), expected, "{args:?}");
    }
}

#[test]
fn a_full_disk() {
    let sandbox = Sandbox::holding(HELD);
    let mut many = String::new();
    for n in 0..5_000 {
        let text = format!("Turn {n} has quite some words, so that all of them need more room than there is.");
        writeln!(many, r#"{{"id":"D2:{n}","conversation":"c1","session":"s2","speaker":"Ann","text":"{text}"}}"#)
            .unwrap();
    }
    sandbox.write("many.jsonl", many);
    let import = ["--store", STORE, "--model", "none", "import", "many.jsonl"];
    // No file may grow above 300 blocks of 512 or 1,024 bytes; the signal that says so is ignored.
    let limited = r#"trap "" XFSZ; ulimit -f 300; exec "$0" "$@""#;
    let outcome = finish(sandbox.isolated("sh").args(["-c", limited, PROGRAM]).args(import));
    assert_eq!((outcome.code, outcome.stdout.as_str()), (1, ""), "{outcome:?}");
    assert_snapshot!(outcome.stderr, @"aforesaid: store memory.db: the system could not read or write it; check the disk and its free space; what was stored before stays");
    assert_eq!(sandbox.done(&["export"]), HELD);
    assert_eq!(sandbox.json(&["import", "many.jsonl"])["added"], 5_000);
}

/// The user `nobody`: root may write whatever the permission bits say.
const NOBODY: u32 = 65_534;

/// A store in a folder of its own, with the given permissions, and the command as one they bind.
struct Guarded {
    sandbox: Sandbox,
    root: bool,
}

impl Guarded {
    fn new(file: u32, folder: u32) -> Self {
        let sandbox = Sandbox::new();
        sandbox.write("held.jsonl", HELD);
        sandbox.write("guarded/aforesaid", fs::read(PROGRAM).unwrap());
        sandbox.done(&["import", "held.jsonl", "--store", "guarded/memory.db"]);
        let set = |name: &str, mode| fs::set_permissions(sandbox.path(name), PermissionsExt::from_mode(mode)).unwrap();
        set("", 0o755);
        set("guarded/aforesaid", 0o755);
        set("guarded/memory.db", file);
        set("guarded", folder);
        let root = fs::OpenOptions::new().append(true).open(sandbox.path("guarded/memory.db")).is_ok();
        Self { sandbox, root }
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = self.sandbox.isolated(self.sandbox.path("guarded/aforesaid"));
        command.args(["--model", "none", "--store", "guarded/memory.db"]).args(args);
        if self.root {
            command.uid(NOBODY).gid(NOBODY);
        }
        command
    }

    fn refusal(&self, args: &[&str]) -> String {
        self.sandbox.refusal_of(|| self.command(args))
    }
}

impl Drop for Guarded {
    fn drop(&mut self) {
        // Else the folder could not be removed.
        let _ = fs::set_permissions(self.sandbox.path("guarded"), PermissionsExt::from_mode(0o755));
    }
}

#[test]
fn a_read_only_store_answers() {
    let guarded = Guarded::new(0o444, 0o777);
    let found = finish(&mut guarded.command(&["search", "kite"])).succeeded();
    assert!(found.contains("red kite"), "{found}");
}

/// A reader who may not write made a log and shared memory of its own, and the owner could not write any more.
#[test]
fn a_reader_leaves_no_files_of_its_own() {
    let guarded = Guarded::new(0o444, 0o777);
    finish(&mut guarded.command(&["search", "kite"])).succeeded();
    let folder = guarded.sandbox.path("guarded");
    let mut files: Vec<_> = fs::read_dir(&folder).unwrap().map(|file| file.unwrap().file_name()).collect();
    files.sort();
    assert_eq!(files, ["aforesaid", "memory.db"]);
    fs::set_permissions(folder.join("memory.db"), PermissionsExt::from_mode(0o644)).unwrap();
    guarded.sandbox.done(&["add", "hello", "--store", "guarded/memory.db"]);
}

/// Read without locks, it could change under the reader.
#[test]
fn a_store_that_others_may_write_is_not_read_as_if_nobody_could() {
    let guarded = Guarded::new(0o644, 0o777);
    if !guarded.root {
        // The tests' user owns the file, and may write it.
        return;
    }
    assert_snapshot!(guarded.refusal(&["search", "kite"]), @"1 store: store guarded/memory.db: may be written by others and not here, so that it can change while it is read; ask its owner for write permission or for a backup");
    assert!(!guarded.sandbox.path("guarded/memory.db-shm").exists());
}

#[test]
fn a_read_only_store_is_not_added_to() {
    let guarded = Guarded::new(0o444, 0o777);
    let outcome = finish(&mut guarded.command(&["add", "hello"]));
    assert_eq!(outcome.code, 1, "{outcome:?}");
    assert_snapshot!(outcome.stderr, @"aforesaid: store guarded/memory.db: cannot be written (read-only file or folder); give write permission, or name another store with --store");
}

#[test]
fn a_store_in_a_read_only_folder_is_not_added_to() {
    let guarded = Guarded::new(0o666, 0o555);
    assert_snapshot!(guarded.refusal(&["add", "hello"]), @"1 store: store guarded/memory.db: cannot be written (read-only file or folder); give write permission, or name another store with --store");
}

#[test]
fn a_store_in_a_read_only_folder_answers() {
    // Where the file may be written and the folder not, nothing did.
    for file in [0o444, 0o666] {
        let guarded = Guarded::new(file, 0o555);
        let found = finish(&mut guarded.command(&["search", "kite"])).succeeded();
        assert!(found.contains("red kite"), "{found}");
    }
}

#[test]
fn a_store_in_a_folder_that_others_may_write_is_not_read_as_if_nobody_could() {
    let guarded = Guarded::new(0o666, 0o755);
    if !guarded.root {
        return;
    }
    assert_snapshot!(guarded.refusal(&["search", "kite"]), @"1 store: store guarded/memory.db: may be written by others and not here, so that it can change while it is read; ask its owner for write permission or for a backup");
}

#[test]
fn what_is_left_of_a_store_is_told_from_another_file() {
    let sandbox = Sandbox::holding(HELD);
    let whole = fs::read(sandbox.path(STORE)).unwrap();
    fs::write(sandbox.path(STORE), &whole[..50]).unwrap();
    assert_snapshot!(sandbox.refusal(&["search", "kite"]), @"1 store: store memory.db: has 50 bytes, and a store has at least 512; restore a backup of it, or name another store with --store");
}

#[test]
fn a_store_that_may_not_be_read() {
    let guarded = Guarded::new(0o000, 0o755);
    let outcome = finish(&mut guarded.command(&["search", "kite"]));
    assert_eq!(outcome.code, 1, "{outcome:?}");
    assert_snapshot!(outcome.stderr, @"aforesaid: store guarded/memory.db: cannot be opened; check the path and the permissions of the file and its folder");
}

#[test]
fn a_store_without_a_file_is_refused() {
    let sandbox = Sandbox::new();
    for store in ["", "sqlite:", ":memory:", "file:odd.db?mode=memory"] {
        let outcome = finish(&mut sandbox.bare(&["--model", "none", "--store", store, "add", "hello"]));
        let kept = finish(&mut sandbox.bare(&["--model", "none", "--store", store, "export"]));
        assert!(outcome.code != 0 || kept.stdout.contains("hello"), "{store:?}: {outcome:?} {kept:?}");
    }
}

/// `export -o STORE` put its lines in the place of the store, with all namespaces.
#[test]
fn nothing_is_written_over_a_store() {
    let sandbox =
        Sandbox::holding("{\"speaker\":\"Ann\",\"text\":\"kites\",\"conversation\":\"c\",\"session\":\"s\"}\n");
    sandbox.done(&["backup", "other.db"]);
    std::os::unix::fs::symlink(sandbox.path(STORE), sandbox.path("link")).unwrap();
    let before = std::fs::read(sandbox.path(STORE)).unwrap();
    for args in [
        &["export", "-o", STORE][..],
        &["export", "-o", "link"],
        &["export", "-o", "memory.db-wal"],
        &["export", "--salvage", "-o", "other.db"],
        &["cues", "export", STORE],
    ] {
        let refusal = sandbox.refusal(args);
        let expected =
            "is an SQLite database, such as a store, or belongs to one; nothing was written; name another file";
        assert!(refusal.starts_with("4 invalid_input: file ") && refusal.ends_with(expected), "{args:?}: {refusal}");
    }
    assert!(std::fs::read(sandbox.path(STORE)).unwrap() == before && !sandbox.path("memory.db-wal").exists());
    sandbox.done(&["export", "-o", "lines.jsonl"]);
    sandbox.done(&["export", "-o", "lines.jsonl"]);
    assert_eq!(sandbox.read("lines.jsonl").lines().count(), 1);
}
