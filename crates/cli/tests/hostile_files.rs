//! Files without an end and files that nobody writes to: an error, not a wait or a full memory.

use std::{fs, process::Command, thread};

use insta::assert_snapshot;

use crate::sandbox::{Sandbox, finish};

const LINE: &str = r#"{"id":"D1:1","conversation":"c1","session":"s1","speaker":"Ann","text":"A kite."}"#;

fn with_pipe(name: &str) -> Sandbox {
    let sandbox = Sandbox::holding(LINE);
    assert!(Command::new("mkfifo").arg(sandbox.path(name)).status().unwrap().success());
    sandbox
}

/// /dev/zero was read until the memory was full.
#[test]
fn devices_are_no_files() {
    let sandbox = Sandbox::holding(LINE);
    let refused = |args: &[&str]| sandbox.refusal(args);
    assert_snapshot!(refused(&["import", "/dev/zero"]), @"4 invalid_input: file /dev/zero: could not be read; check the path: found a device, expected a regular file");
    assert_snapshot!(refused(&["cues", "import", "/dev/zero"]), @"4 invalid_input: file /dev/zero: could not be read; check the path: found a device, expected a regular file");
    assert_snapshot!(refused(&["stats", "--config", "/dev/zero"]), @"4 invalid_input: configuration file /dev/zero: could not be read: found a device, expected a regular file");
}

/// A named pipe in the place of the configuration file was waited for.
#[test]
fn a_configuration_is_a_regular_file_of_a_bounded_size() {
    let sandbox = with_pipe("pipe");
    // The sandbox would read the pipe to see whether it changed.
    let refused = |args: &[&str]| finish(&mut sandbox.command(args)).stderr;
    assert_snapshot!(refused(&["stats", "--config", "pipe"]), @"aforesaid: configuration file pipe: could not be read: found a named pipe, expected a regular file");
    fs::File::create(sandbox.path("large.toml")).unwrap().set_len((1 << 20) + 1).unwrap();
    assert_snapshot!(refused(&["stats", "--config", "large.toml"]), @"aforesaid: configuration file large.toml: could not be read: found 1048577 bytes, expected at most 1048576");
    fs::File::create(sandbox.path("large.jsonl")).unwrap().set_len((1 << 30) + 1).unwrap();
    assert_snapshot!(refused(&["import", "large.jsonl"]), @"aforesaid: file large.jsonl: could not be read; check the path: found 1073741825 bytes, expected at most 1073741824");
}

/// What a shell makes of `import <(zcat FILE)`.
#[test]
fn a_pipe_with_a_writer_is_imported() {
    let sandbox = with_pipe("pipe.jsonl");
    let path = sandbox.path("pipe.jsonl");
    let writer = thread::spawn(move || fs::write(path, r#"{"conversation":"c2","speaker":"Bob","text":"A boat."}"#));
    assert_eq!(sandbox.json(&["import", "pipe.jsonl"])["added"], 1);
    writer.join().unwrap().unwrap();
}
