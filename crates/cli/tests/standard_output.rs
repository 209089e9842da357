//! What is printed goes where it should: to readers that leave, to full disks, to terminals.

use std::{fs, io::pipe, process::Command};

use insta::assert_snapshot;
use serde_json::json;

use crate::sandbox::{PROGRAM, Sandbox, finish};

const DEMO: &str = include_str!("../demo/conversation.jsonl");

/// Runs a command whose reader has gone before the first byte.
fn into_closed_pipe(mut command: Command) -> (i32, String) {
    let (reader, writer) = pipe().unwrap();
    drop(reader);
    let output = command.stdout(writer).output().unwrap();
    (output.status.code().unwrap(), String::from_utf8(output.stderr).unwrap())
}

#[test]
fn a_reader_that_leaves_is_no_failure() {
    let sandbox = Sandbox::holding(DEMO);
    for args in [
        &["export"][..],
        &["search", "cat", "--pipeline", "lexical"],
        &["search", "cat", "--json"],
        &["show", "S1:5"],
        &["show", "S1:5", "--json"],
        &["stats"],
        &["export", "-o", "out.jsonl"],
        &["models", "list"],
    ] {
        assert_eq!(into_closed_pipe(sandbox.command(args)), (0, String::new()), "{args:?}");
    }
    let head = r#""$0" --store memory.db --model none export | head -n 1"#;
    let outcome = finish(sandbox.isolated("sh").args(["-c", head, PROGRAM]));
    assert_eq!((outcome.stdout.lines().count(), outcome.stderr.as_str()), (1, ""));
}

#[test]
fn a_reader_that_leaves_completions_is_no_failure() {
    let sandbox = Sandbox::new();
    assert_eq!(into_closed_pipe(sandbox.bare(&["completions", "bash"])), (0, String::new()));
}

/// Runs a command whose standard output is a full disk.
#[cfg(target_os = "linux")]
fn onto_full_disk(mut command: Command) -> (i32, String) {
    let full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let output = command.stdout(full).output().unwrap();
    (output.status.code().unwrap(), String::from_utf8(output.stderr).unwrap())
}

#[test]
#[cfg(target_os = "linux")]
fn output_that_does_not_fit_is_a_failure() {
    let sandbox = Sandbox::holding(DEMO);
    let (code, export) = onto_full_disk(sandbox.command(&["export"]));
    assert_eq!(code, 1);
    assert_snapshot!(export, @"aforesaid: export: could not write; check the disk and the destination: No space left on device (os error 28)");
    let (code, search) = onto_full_disk(sandbox.command(&["search", "cat", "--json"]));
    assert_eq!(code, 1);
    assert_snapshot!(search, @r#"{"error":{"code":"io","kind":"io","message":"standard output: No space left on device (os error 28)","data":{}}}"#);
}

#[test]
#[cfg(target_os = "linux")]
fn text_that_does_not_fit_is_a_failure() {
    let sandbox = Sandbox::holding(DEMO);
    for args in [&["search", "cat"][..], &["show", "S1:5"], &["stats"], &["models", "list"], &["completions", "bash"]] {
        let (code, stderr) = onto_full_disk(sandbox.command(args));
        assert!(code == 1 && !stderr.contains("panicked"), "{args:?}: {code} {stderr}");
    }
}

#[test]
fn stored_text_does_not_drive_the_terminal() {
    let title = "\u{1b}]0;owned\u{7}";
    let turn = json!({
        "id": "x", "conversation": "c", "session": "s", "speaker": format!("Eve{title}"),
        "text": format!("a kite {title}\u{9b}31m"), "image_caption": format!("caption {title}"),
    });
    let sandbox = Sandbox::holding(&turn.to_string());
    for args in [&["search", "kite"][..], &["search", "kite", "--unit", "session"], &["show", "x"]] {
        let text = finish(sandbox.command(args).env("CLICOLOR_FORCE", "1")).succeeded();
        assert!(text.contains("\u{1b}[1m"), "colours were asked for: {text:?}");
        assert!(!text.contains("\u{1b}]") && !text.contains('\u{7}') && !text.contains('\u{9b}'), "{text:?}");
    }
}

#[test]
fn a_file_name_does_not_drive_the_terminal() {
    let sandbox = Sandbox::new();
    let name = "\u{1b}]0;owned\u{7}.jsonl";
    let outcome = finish(sandbox.command(&["import", name]).env("CLICOLOR_FORCE", "1"));
    assert!(outcome.code == 3 && !outcome.stderr.contains('\u{1b}'), "{outcome:?}");
}
