//! Reading logs: the summary, two at once, and a process that is killed.

use std::{
    collections::BTreeSet,
    process::Stdio,
    thread,
    time::{Duration, Instant},
};

use super::logs::{SESSION, namespace, path, round};
use crate::sandbox::{Sandbox, finish};

#[test]
fn a_summary_says_what_came_and_what_to_ask() {
    let sandbox = Sandbox::new();
    let key = format!("{}_{}", "ghp", "aB3dE5fG7hI9jK1lM3nO5pQ7rS9tU1vW3xY5");
    let text = round(&sandbox, SESSION, 1, "Why does the reel jam in the cold?", "The pawl is bent.")
        + &round(&sandbox, SESSION, 2, &format!("Use {key} to publish."), "Published.");
    sandbox.write(&path(SESSION), text);
    let said = sandbox.done(&["sync"]);
    let project = namespace(&sandbox);
    assert!(said.contains("4 turns of 1 session in 1 project"), "{said}");
    assert!(said.contains(&project) && said.contains("2026-10-02 to 2026-10-03, claude-code"), "{said}");
    assert!(said.contains("cut out: 1 secret (1 github token)"), "{said}");
    assert!(said.contains("'Why does the reel jam in the cold?'"), "{said}");
    assert_eq!(sandbox.done(&["sync"]), "nothing new in 1 log\n");
    // The same namespace as that of the server in that folder, and of its status.
    let found = sandbox.json(&["search", "reel", "-n", &project]);
    assert_eq!(found["hits"][0]["id"], "u1");
    let mut status = sandbox.command(&["agents", "status", "--json"]);
    let status = finish(status.current_dir(sandbox.path("kites"))).succeeded();
    assert!(status.contains(&format!("\"namespace\":{project:?}")), "{status}");
    assert!(
        sandbox
            .files()
            .values()
            .all(|bytes| !bytes.windows(40).any(|part| part == key.as_bytes()) || bytes.starts_with(b"{\"type\""))
    );
}

#[test]
fn a_machine_without_logs_and_a_source_that_was_never_read_are_told() {
    let sandbox = Sandbox::new();
    assert!(sandbox.done(&["sync"]).starts_with("no logs of claude-code, codex"));
    sandbox.write(&path(SESSION), round(&sandbox, SESSION, 1, "Hello there.", "Hello."));
    sandbox.done(&["sync"]);
    let refused = sandbox.refusal(&["sync", "--forget", "codex", "--yes"]);
    assert!(refused.starts_with("4 invalid_input: codex: no log of it was read"), "{refused}");
    let gone = sandbox.done(&["sync", "--forget", "claude-code", "--yes"]);
    assert_eq!(gone, "gone: 2 turns of 1 log\n");
    assert_eq!(sandbox.done(&["sync"]), "nothing new in 1 log\n");
    let refused = sandbox.refusal(&["sync", "--deny", "a["]);
    assert!(refused.starts_with("4 invalid_input: project pattern \"a[\""), "{refused}");
}

/// Sessions with rounds of their own.
fn many(sandbox: &Sandbox, sessions: usize) -> usize {
    for session in 0..sessions {
        let id = format!("session-{session:04}");
        let rounds =
            (0..10).map(|number| round(sandbox, &id, session * 10 + number, "How is the tail tied?", "With a knot."));
        sandbox.write(&path(&id), rounds.collect::<String>());
    }
    sessions * 20
}

/// The memories of the project, each by conversation and id.
fn stored(sandbox: &Sandbox) -> Vec<(String, String)> {
    let lines = sandbox.done(&["export", "-n", &namespace(sandbox)]);
    let key = |line: &str| {
        let line: serde_json::Value = serde_json::from_str(line).unwrap();
        (line["conversation"].as_str().unwrap().to_owned(), line["id"].as_str().unwrap().to_owned())
    };
    lines.lines().map(key).collect()
}

#[test]
fn two_at_once_and_one_that_is_killed_lose_nothing_and_add_nothing_twice() {
    let sandbox = Sandbox::new();
    let turns = many(&sandbox, 30);
    for wait in [10, 60, 120, 250] {
        let mut child = sandbox.command(&["sync"]).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        thread::sleep(Duration::from_millis(wait));
        child.kill().unwrap();
        child.wait().unwrap();
    }
    let begun = Instant::now();
    let both: Vec<_> = (0..2)
        .map(|_| sandbox.command(&["sync", "--json"]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap())
        .collect();
    for child in both {
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
    assert!(begun.elapsed() < Duration::from_secs(300));
    let all = stored(&sandbox);
    let different: BTreeSet<_> = all.iter().collect();
    assert_eq!((all.len(), different.len()), (turns, turns));
    assert_eq!(sandbox.done(&["sync"]), "nothing new in 30 logs\n");
}

/// A backup knew nothing of what had been read, so that a run into it read what was forgotten again.
#[test]
fn a_backup_that_is_used_as_a_store_brings_nothing_back() {
    let sandbox = Sandbox::new();
    let text = round(&sandbox, SESSION, 1, "Why does the reel jam?", "The pawl is bent.");
    sandbox.write(&path(SESSION), &text);
    sandbox.done(&["sync"]);
    let project = namespace(&sandbox);
    let into = |store: &str| finish(sandbox.command(&["sync"]).args(["--store", store])).succeeded();
    for number in ["u1", "a1"] {
        sandbox.done(&["forget", number, "-n", &project, "--yes"]);
        sandbox.done(&["backup", "copy.db", "--replace"]);
        assert_eq!(into("copy.db"), "nothing new in 1 log\n");
    }
    // The log grows: what was forgotten is read again with the rest of its round.
    sandbox.write(&path(SESSION), text + &round(&sandbox, SESSION, 2, "And the line?", "It is new."));
    into("copy.db");
    let export = ["--store", "copy.db", "--model", "none", "export", "-n", &project];
    let stored = finish(&mut sandbox.bare(&export));
    assert!(stored.stdout.contains("It is new") && !stored.stdout.contains("pawl"), "{stored:?}");
}
