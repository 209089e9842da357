//! Migrations that are killed: the target lacks something and nothing is broken, and the next run goes on.

use std::{fmt::Write, process::Stdio, thread, time::Duration};

use aforesaid_postgres_server::server;

use crate::sandbox::{STORE, Sandbox, finish};

fn history(turns: usize) -> String {
    let mut lines = String::new();
    for n in 1..=turns {
        let text = format!("Turn {n} is about a kite. {}", "It flew over the wall and into the tree. ".repeat(3));
        writeln!(
            lines,
            r#"{{"id":"D1:{n}","conversation":"c1","session":"s{}","speaker":"Ann","text":"{text}"}}"#,
            n / 50
        )
        .unwrap();
    }
    lines
}

#[test]
fn a_killed_migration_leaves_a_sound_store_and_goes_on() {
    let sandbox = Sandbox::holding(&history(4_000));
    let expected = sandbox.done(&["export"]);
    let servers = server().map(|server| server.new_store());
    for target in ["copy.db".to_owned()].into_iter().chain(servers) {
        let args = ["migrate", "--from", STORE, "--to", &target];
        let mut killed = 0;
        for n in 1..=6 {
            let mut child = sandbox.bare(&args).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
            thread::sleep(Duration::from_millis(60 * n));
            killed += usize::from(child.try_wait().unwrap().is_none());
            child.kill().unwrap();
            child.wait().unwrap();
            // It may have been killed before it made the store.
            let checked = finish(&mut sandbox.bare(&["--store", &target, "check", "--full"]));
            let is_missing = ["does not exist", "has no store"].iter().any(|missing| checked.stderr.contains(missing));
            // Sessions are made ahead of their turns, so that they keep their order; nothing else is missing.
            let only_ahead = |line: &str| {
                line.contains(" sessions without memories;") || line.contains(" conversations without memories;")
            };
            let is_ahead = !checked.stdout.is_empty() && checked.stdout.lines().all(only_ahead);
            assert!(checked.code == 0 || is_missing || is_ahead, "{checked:?}");
        }
        assert!(killed > 0);
        let said = finish(&mut sandbox.bare(&args)).succeeded();
        assert!(said.contains("complete") && said.contains("4000 memories"), "{said}");
        assert_eq!(finish(&mut sandbox.bare(&["--store", &target, "export"])).succeeded(), expected);
        let again = finish(&mut sandbox.bare(&[&args[..], &["--json"]].concat())).succeeded();
        let report: serde_json::Value = serde_json::from_str(&again).unwrap();
        assert_eq!(report["complete"], true);
        assert_eq!(report["namespaces"][0]["outcome"], "unchanged");
    }
}

#[test]
fn what_cannot_be_migrated_is_refused_by_name() {
    let sandbox = Sandbox::holding(&history(10));
    for (args, expected) in [
        (&["migrate", "--from", STORE, "--to", STORE][..], "it is the source and the target"),
        (&["migrate", "--from", STORE, "--to", "memory:"], "ends with the process"),
        (&["migrate", "--from", "nowhere.db", "--to", "copy.db"], "nowhere.db"),
        (&["migrate", "--from", STORE, "--to", "copy.db", "nobody"], "\"nobody\" does not exist"),
    ] {
        let outcome = finish(&mut sandbox.bare(args));
        assert!(outcome.stderr.contains(expected), "{args:?}: {}", outcome.stderr);
    }
    assert!(!sandbox.path("copy.db").exists());
}
