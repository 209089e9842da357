//! A damaged store: no command passes fewer turns for all of them, and `check` says what is wrong.

use std::{fmt::Write, fs, os::unix::fs::PermissionsExt};

use crate::sandbox::{STORE, Sandbox, finish};

/// Bytes of a page.
const PAGE: usize = 8192;

/// The first byte of a leaf of a table without row ids, or of an index.
const LEAF: u8 = 0x0A;

fn history(turns: usize) -> String {
    let mut lines = String::new();
    for n in 1..=turns {
        let text = format!("Turn {n} is about a kite that flew over the wall number {n}.");
        writeln!(
            lines,
            r#"{{"id":"D1:{n}","conversation":"c1","session":"s{}","speaker":"Ann","text":"{text}"}}"#,
            n / 50
        )
        .unwrap();
    }
    lines
}

/// A store for its owner alone, in which `change` has done something to the page with a text.
fn damaged(text: &str, change: impl FnOnce(&mut [u8])) -> Sandbox {
    let sandbox = Sandbox::holding(&history(300));
    private(&sandbox);
    let mut bytes = fs::read(sandbox.path(STORE)).unwrap();
    let at = bytes.windows(text.len()).position(|window| window == text.as_bytes()).unwrap();
    let page = &mut bytes[at / PAGE * PAGE..][..PAGE];
    assert_eq!(page[0], LEAF);
    change(page);
    sandbox.write(STORE, bytes);
    sandbox
}

fn private(sandbox: &Sandbox) {
    fs::set_permissions(sandbox.path(STORE), PermissionsExt::from_mode(0o600)).unwrap();
    fs::set_permissions(sandbox.path(""), PermissionsExt::from_mode(0o700)).unwrap();
}

/// Export, stats and search gave 38 turns fewer with exit code 0.
#[test]
fn a_page_that_lost_turns() {
    let sandbox = damaged("Turn 100 is", |page| {
        let cells = u16::from_be_bytes([page[3], page[4]]) - 38;
        page[3..5].copy_from_slice(&cells.to_be_bytes());
    });
    for args in [&["export"][..], &["stats"], &["search", "kite"], &["export", "-o", "out.jsonl"]] {
        let outcome = finish(&mut sandbox.command(args));
        assert_eq!(outcome.code, 1, "{args:?}: {outcome:?}");
        let expected = "has 262 memories, and 300 are recorded; `aforesaid check --full` says what else is";
        assert!(outcome.stderr.contains(expected), "{args:?}: {}", outcome.stderr);
    }
    assert!(!sandbox.path("out.jsonl").exists(), "a file that is not whole is none");

    let checked = finish(&mut sandbox.command(&["check"]));
    assert_eq!(checked.code, 1, "{checked:?}");
    assert!(
        checked.stdout.contains("damage: namespace \"default\": 262 memories; expected 300 memories; "),
        "{checked:?}"
    );
    assert!(!checked.stdout.contains("kite"), "{checked:?}");

    let saved = finish(&mut sandbox.command(&["export", "--salvage", "-o", "saved.jsonl"]));
    assert_eq!(saved.code, 1, "{saved:?}");
    assert!(saved.stdout.contains("262 memories written to saved.jsonl"), "{saved:?}");
    assert!(saved.stderr.contains("38 memories could not be read and 0 are not what was stored"), "{saved:?}");
    sandbox.done(&["import", "saved.jsonl", "--store", "new.db"]);
    let stats = finish(sandbox.bare(&["--store", "new.db", "stats"]).arg("--json")).succeeded();
    assert!(stats.contains("\"turns\":262"), "{stats}");
}

#[test]
fn a_text_that_has_changed() {
    let sandbox = damaged("Turn 7 is", |page| {
        let at = page.windows(9).position(|window| window == b"Turn 7 is").unwrap();
        page[at] = b'B';
    });
    assert_eq!(finish(&mut sandbox.command(&["show", "D1:7"])).code, 1);
    assert!(finish(&mut sandbox.command(&["show", "D1:30"])).succeeded().contains("Turn 30"));
    assert_eq!(finish(&mut sandbox.command(&["export"])).code, 1);
    assert!(sandbox.done(&["check"]).starts_with("all is well; "), "a quick check does not read texts");
    let report = finish(sandbox.command(&["check", "--full"]).arg("--json"));
    assert_eq!(report.code, 1, "{report:?}");
    let report: serde_json::Value = serde_json::from_str(&report.stdout).unwrap();
    assert_eq!(report["damaged"], true);
    let finding = &report["findings"][0];
    assert_eq!(finding["gravity"], "damage");
    assert!(finding["found"].as_str().unwrap().contains("position 7"), "{finding}");
}

#[test]
fn a_sound_store_is_well_and_stays_as_it_is() {
    let sandbox = Sandbox::holding(&history(700));
    sandbox.done(&["search", "kite"]);
    private(&sandbox);
    let before = sandbox.files();
    assert_eq!(sandbox.done(&["check"]), "all is well; `aforesaid check --full` looks at every row\n");
    assert_eq!(sandbox.done(&["check", "--full"]), "all is well\n");
    let report = sandbox.json(&["check", "--full"]);
    assert_eq!((&report["damaged"], &report["findings"]), (&false.into(), &serde_json::json!([])));
    assert!(sandbox.files() == before);
    assert_eq!(
        finish(&mut sandbox.bare(&["--store", "memory:", "check"])).succeeded(),
        "all is well; `aforesaid check --full` looks at every row\n"
    );
}

#[test]
fn what_others_may_read_is_a_note() {
    let sandbox = Sandbox::holding(&history(3));
    private(&sandbox);
    fs::set_permissions(sandbox.path(STORE), PermissionsExt::from_mode(0o644)).unwrap();
    fs::set_permissions(sandbox.path(""), PermissionsExt::from_mode(0o777)).unwrap();
    let checked = sandbox.done(&["check"]);
    assert!(checked.contains("memory.db: permissions 644"), "{checked}");
    assert!(checked.contains("run `chmod 600 ") && !checked.contains("-wal"), "{checked}");
    assert!(checked.contains("permissions 777: others than its owner may replace"), "{checked}");
    assert!(checked.contains("no damage, 2 notes"), "{checked}");
}

/// A store of zero bytes, as an interrupted copy leaves it, was taken for an empty store.
#[test]
fn a_file_of_zero_bytes_is_no_empty_store() {
    let sandbox = Sandbox::new();
    sandbox.write(STORE, "");
    for args in [&["search", "kite"][..], &["add", "hello"], &["stats"], &["check"]] {
        let outcome = finish(&mut sandbox.command(args));
        assert_eq!(outcome.code, 1, "{args:?}: {outcome:?}");
        assert!(outcome.stderr.contains("empty"), "{args:?}: {outcome:?}");
        assert!(outcome.stderr.contains("restore") || outcome.stderr.contains("remove"), "{args:?}: {outcome:?}");
        assert_eq!(fs::metadata(sandbox.path(STORE)).unwrap().len(), 0, "{args:?}");
    }
}

#[test]
fn folders_of_this_program_that_others_may_look_into_are_noted() {
    let sandbox = Sandbox::holding(&history(3));
    private(&sandbox);
    for folder in ["home/data/aforesaid", "home/cache/aforesaid/models", "kept"] {
        fs::create_dir_all(sandbox.path(folder)).unwrap();
        fs::set_permissions(sandbox.path(folder), PermissionsExt::from_mode(0o755)).unwrap();
    }
    let checked = sandbox.done(&["check", "--llm-cache", "kept"]);
    assert_eq!(checked.matches("permissions 755: others than its owner may look into it").count(), 3, "{checked}");
    for folder in ["home/data/aforesaid", "home/cache/aforesaid/models", "kept"] {
        let mode = fs::metadata(sandbox.path(folder)).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode, 0o755, "{folder} is left as it was");
    }
}

/// `check --full` named `export --salvage` as the next step, and that named `check --full`, though both fail.
#[test]
fn a_file_whose_end_is_missing_is_read_from_a_longer_copy() {
    let sandbox = Sandbox::holding(&history(300));
    private(&sandbox);
    let bytes = fs::read(sandbox.path(STORE)).unwrap();
    // Half a page was taken for a whole one, and the next change wrote over what was missing.
    sandbox.write(STORE, &bytes[..bytes.len() - 4096]);
    for args in [&["stats"][..], &["add", "hi", "--note"], &["search", "kite"]] {
        let refusal = sandbox.refusal(args);
        assert!(refusal.contains("the file ends within a page; the end of the file is missing"), "{refusal}");
    }
    // The last page of a small store: most of its turns stand before it.
    let kept = bytes.len() - 2 * 4096;
    sandbox.write(STORE, &bytes[..kept]);
    let expected = format!("it has {kept} of {} bytes; restore a backup", bytes.len());
    for args in [&["check", "--full"][..], &["export", "--salvage"], &["search", "kite"]] {
        let refusal = sandbox.refusal(args);
        assert!(refusal.starts_with("1 store: store memory.db is damaged: "), "{refusal}");
        assert!(refusal.contains(&expected) && !refusal.contains("check --full"), "{refusal}");
        assert!(refusal.contains(&format!("truncate -s {} COPY", bytes.len())), "{refusal}");
    }
    // What it says works.
    fs::copy(sandbox.path(STORE), sandbox.path("copy.db")).unwrap();
    fs::OpenOptions::new().write(true).open(sandbox.path("copy.db")).unwrap().set_len(bytes.len() as u64).unwrap();
    let saved = finish(&mut sandbox.bare(&["--store", "copy.db", "export", "--salvage", "-o", "saved.jsonl"]));
    assert!(sandbox.path("saved.jsonl").exists(), "{saved:?}");
    let lines = sandbox.read("saved.jsonl").lines().count();
    assert!(lines > 0 && saved.stdout.contains(&format!("{lines} memories written")), "{saved:?}");
    finish(&mut sandbox.bare(&["--store", "new.db", "--pipeline", "lexical", "import", "saved.jsonl"])).succeeded();
}

#[test]
fn a_file_that_nothing_can_be_read_of_needs_a_backup() {
    let sandbox = Sandbox::holding(&history(30));
    let mut bytes = fs::read(sandbox.path(STORE)).unwrap();
    bytes[100..PAGE].fill(0x5A);
    sandbox.write(STORE, bytes);
    for args in [&["check", "--full"][..], &["export", "--salvage"]] {
        let refusal = sandbox.refusal(args);
        assert!(refusal.contains("restore a backup"), "{refusal}");
        assert!(!refusal.contains("salvage") && !refusal.contains("check --full"), "{refusal}");
    }
}
