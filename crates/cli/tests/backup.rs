//! Backups: whole under their name or not there, whatever goes on meanwhile.

use std::{
    fmt::Write,
    fs,
    os::unix::fs::{PermissionsExt, symlink},
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use crate::sandbox::{PROGRAM, STORE, Sandbox, finish};

fn history(turns: usize) -> String {
    let mut lines = String::new();
    for n in 1..=turns {
        let text = format!("Turn {n} is about a kite. {}", "It flew over the wall and into the tree. ".repeat(5));
        writeln!(lines, r#"{{"id":"D1:{n}","conversation":"c1","session":"s1","speaker":"Ann","text":"{text}"}}"#)
            .unwrap();
    }
    lines
}

fn held(turns: usize) -> Sandbox {
    Sandbox::holding(&history(turns))
}

fn names(sandbox: &Sandbox) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(sandbox.path(""))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name != "home")
        .collect();
    names.sort();
    names
}

#[test]
fn a_backup_is_a_store_for_its_owner_alone() {
    let sandbox = held(300);
    let said = sandbox.done(&["backup", "copy.db"]);
    assert!(said.starts_with("300 memories of 1 namespace in copy.db, "), "{said}");
    assert_eq!(fs::metadata(sandbox.path("copy.db")).unwrap().permissions().mode() & 0o777, 0o600);
    assert_eq!(names(&sandbox), ["copy.db", "held.jsonl", STORE]);
    let all = finish(&mut sandbox.bare(&["--store", "copy.db", "export"])).succeeded();
    assert_eq!(all, sandbox.done(&["export"]));
    let report = sandbox.json(&["backup", "other.db"]);
    assert_eq!(
        (&report["memories"], &report["namespaces"], &report["file"]),
        (&300.into(), &1.into(), &"other.db".into())
    );
    // It goes on as any store does.
    finish(&mut sandbox.bare(&["--model", "none", "--store", "copy.db", "add", "hello"])).succeeded();
    finish(&mut sandbox.bare(&["--model", "none", "--store", "copy.db", "check", "--full"])).succeeded();
}

#[test]
fn a_backup_replaces_nothing_that_it_was_not_told_to() {
    let sandbox = held(3);
    sandbox.write("copy.db", "mine");
    sandbox.write("folder/file", "");
    sandbox.write("other.db-wal", "a log");
    symlink(sandbox.path(STORE), sandbox.path("link.db")).unwrap();
    fs::hard_link(sandbox.path(STORE), sandbox.path("same.db")).unwrap();
    let refusals = [
        (&["backup", "copy.db"][..], "copy.db: already exists; name another file, or give --replace"),
        (&["backup", "folder"], "folder: is a directory"),
        (&["backup", "nowhere/copy.db"], "nowhere/copy.db: lies in a folder that does not exist"),
        (&["backup", STORE, "--replace"], "memory.db: is the store itself"),
        (&["backup", "./folder/../memory.db", "--replace"], "is the store itself"),
        (&["backup", "link.db", "--replace"], "link.db: is the store itself"),
        (&["backup", "same.db", "--replace"], "same.db: is the store itself"),
        (&["backup", "memory.db-wal"], "memory.db-wal: is the store itself"),
        (&["backup", "other.db"], "other.db: has the log of another store beside it"),
    ];
    for (args, expected) in refusals {
        let refusal = sandbox.refusal(args);
        assert!(refusal.starts_with("1 store: ") && refusal.contains(expected), "{args:?}: {refusal}");
    }
    sandbox.done(&["backup", "copy.db", "--replace"]);
    assert!(finish(&mut sandbox.bare(&["--store", "copy.db", "export"])).succeeded().contains("Turn 3"));
}

/// What was forgotten is in no page of the copy, as it is in none of the store.
#[test]
fn a_backup_holds_nothing_that_was_forgotten() {
    let sandbox = held(200);
    sandbox.done(&["add", "The xylophone was stolen.", "--speaker", "Ann", "--session", "s9", "--conversation", "c1"]);
    sandbox.done(&["forget", "--conversation", "c1", "--session", "s9", "--yes"]);
    sandbox.done(&["backup", "copy.db"]);
    let copy = fs::read(sandbox.path("copy.db")).unwrap();
    assert!(!copy.windows(9).any(|window| window == b"xylophone"));
}

fn start(sandbox: &Sandbox, args: &[&str]) -> Child {
    sandbox.command(args).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap()
}

#[test]
fn a_backup_beside_writers_is_of_one_moment() {
    let sandbox = held(2_000);
    let mut writers: Vec<Child> = (0..2)
        .map(|writer| {
            let lines = history(1_500).replace("D1:", &format!("W{writer}:"));
            sandbox.write(&format!("more{writer}.jsonl"), lines);
            start(&sandbox, &["import", &format!("more{writer}.jsonl")])
        })
        .collect();
    for n in 0..6 {
        let report = sandbox.json(&["backup", &format!("copy{n}.db")]);
        let memories = report["memories"].as_u64().unwrap();
        // An import is one transaction: all of it is there, or nothing.
        assert!([2_000, 3_500, 5_000].contains(&memories), "{memories}");
        let copy = format!("copy{n}.db");
        let all = finish(&mut sandbox.bare(&["--store", &copy, "export"])).succeeded();
        assert_eq!(all.lines().count() as u64, memories);
        finish(&mut sandbox.bare(&["--store", &copy, "check", "--full"])).succeeded();
    }
    for writer in &mut writers {
        assert!(writer.wait().unwrap().success());
    }
    assert_eq!(sandbox.done(&["export"]).lines().count(), 5_000);
}

#[test]
fn a_killed_backup_leaves_nothing_under_its_name() {
    let sandbox = held(5_000);
    let before = fs::read(sandbox.path(STORE)).unwrap();
    sandbox.done(&["backup", "old.db"]);
    let old = fs::read(sandbox.path("old.db")).unwrap();
    let mut whole = 0;
    for n in 0..20 {
        let (new, replaced) = (format!("copy{n}.db"), "old.db");
        for args in [&["backup", new.as_str()][..], &["backup", replaced, "--replace"]] {
            let mut child = start(&sandbox, args);
            thread::sleep(Duration::from_millis(5 * n));
            let _ = child.kill();
            child.wait().unwrap();
        }
        if sandbox.path(&new).exists() {
            whole += 1;
            let all = finish(&mut sandbox.bare(&["--store", &new, "export"])).succeeded();
            assert_eq!(all.lines().count(), 5_000);
        }
        let all = finish(&mut sandbox.bare(&["--store", replaced, "export"])).succeeded();
        assert_eq!(all.lines().count(), 5_000);
    }
    assert!(whole < 20, "some were killed");
    assert!(!old.is_empty() && fs::read(sandbox.path(STORE)).unwrap() == before, "the store is as it was");
}

/// What was left of a stopped one held what was forgotten later, and nothing took it away for a day.
#[test]
fn a_stopped_backup_leaves_nothing_and_what_a_killed_one_leaves_goes_with_the_next() {
    let sandbox = held(5_000);
    sandbox.done(&["backup", "made.db"]);
    let rest = |sandbox: &Sandbox| -> Vec<String> {
        names(sandbox).into_iter().filter(|name| name.starts_with(".aforesaid-backup-")).collect()
    };
    let begun = |sandbox: &Sandbox, name: &str| {
        let child = start(sandbox, &["backup", name]);
        let until = Instant::now() + Duration::from_secs(60);
        while rest(sandbox).is_empty() && Instant::now() < until {
            thread::sleep(Duration::from_millis(1));
        }
        child
    };
    let mut stopped = begun(&sandbox, "stopped.db");
    let pressed = Command::new("kill").args(["-INT", &stopped.id().to_string()]).status().unwrap();
    let ended = stopped.wait().unwrap();
    if pressed.success() && !sandbox.path("stopped.db").exists() {
        assert_eq!(ended.code(), Some(130));
    }
    assert_eq!(rest(&sandbox), [""; 0]);
    let mut killed = begun(&sandbox, "killed.db");
    let _ = killed.kill();
    killed.wait().unwrap();
    for folder in rest(&sandbox) {
        let mode = fs::metadata(sandbox.path(&folder)).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode, 0o700);
    }
    sandbox.done(&["backup", "next.db"]);
    assert_eq!(rest(&sandbox), [""; 0]);
}

#[test]
fn a_backup_on_a_full_disk_is_not_there() {
    let sandbox = held(2_000);
    // No file may grow above 300 blocks of 512 or 1,024 bytes; the signal that says so is ignored.
    let limited = r#"trap "" XFSZ; ulimit -f 300; exec "$0" "$@""#;
    let args = ["--store", STORE, "backup", "copy.db"];
    let outcome = finish(sandbox.isolated("sh").args(["-c", limited, PROGRAM]).args(args));
    assert_eq!((outcome.code, outcome.stdout.as_str()), (1, ""), "{outcome:?}");
    assert!(outcome.stderr.contains("store copy.db: "), "{outcome:?}");
    assert!(
        outcome.stderr.contains("check the disk and its free space") || outcome.stderr.contains("disk is full"),
        "{outcome:?}"
    );
    assert_eq!(names(&sandbox), ["held.jsonl", STORE], "nothing is left of it");
    assert_eq!(sandbox.done(&["export"]).lines().count(), 2_000);
}

#[test]
fn a_damaged_store_is_not_copied_as_if_it_were_whole() {
    let sandbox = held(300);
    let mut bytes = fs::read(sandbox.path(STORE)).unwrap();
    let at = bytes.windows(9).position(|window| window == b"Turn 100 ").unwrap() / 8192 * 8192;
    let cells = u16::from_be_bytes([bytes[at + 3], bytes[at + 4]]) - 5;
    bytes[at + 3..at + 5].copy_from_slice(&cells.to_be_bytes());
    sandbox.write(STORE, bytes);
    let outcome = finish(&mut sandbox.command(&["backup", "copy.db"]));
    assert_eq!(outcome.code, 1, "{outcome:?}");
    assert!(outcome.stderr.contains("store memory.db is damaged: "), "{outcome:?}");
    assert_eq!(names(&sandbox), ["held.jsonl", STORE]);
}
