//! The program in a folder and an environment of its own: it sees and changes nothing else.
#![allow(dead_code, reason = "each test file uses a part")]

pub(crate) mod minilm;

use std::{
    collections::BTreeMap,
    fs,
    io::Write,
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
};

use serde_json::Value;
use tempfile::TempDir;

/// The program under test.
pub(crate) const PROGRAM: &str = env!("CARGO_BIN_EXE_aforesaid");

/// The store of every command that names none, in the sandbox's folder.
pub(crate) const STORE: &str = "memory.db";

/// A folder that goes when the test ends.
pub(crate) struct Sandbox {
    folder: TempDir,
}

impl Sandbox {
    pub(crate) fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    /// A sandbox whose store holds a file of JSON lines.
    pub(crate) fn holding(lines: &str) -> Self {
        let sandbox = Self::new();
        sandbox.write("held.jsonl", lines);
        sandbox.done(&["import", "held.jsonl"]);
        sandbox
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }

    pub(crate) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    /// A program started here, with nothing of the caller's environment but the search path.
    pub(crate) fn isolated(&self, program: impl AsRef<Path>) -> Command {
        let mut command = Command::new(program.as_ref());
        command.env_clear().current_dir(self.folder.path()).stdin(Stdio::null());
        command.envs(std::env::var_os("PATH").map(|path| ("PATH", path)));
        // Times print in the zone of the machine.
        command.env("TZ", "UTC");
        let home = self.path("home");
        for (name, folder) in [
            ("HOME", home.clone()),
            ("XDG_CONFIG_HOME", home.join("config")),
            ("XDG_DATA_HOME", home.join("data")),
            ("XDG_CACHE_HOME", home.join("cache")),
        ] {
            command.env(name, folder);
        }
        command
    }

    /// `aforesaid` with these arguments and no others.
    pub(crate) fn bare(&self, args: &[&str]) -> Command {
        let mut command = self.isolated(PROGRAM);
        command.args(args);
        command
    }

    /// `aforesaid` on [`STORE`], without a model.
    pub(crate) fn command(&self, args: &[&str]) -> Command {
        let mut command = self.bare(&["--store", STORE, "--model", "none"]);
        command.args(args);
        command
    }

    /// What a command that must succeed prints on standard output.
    pub(crate) fn done(&self, args: &[&str]) -> String {
        finish(&mut self.command(args)).succeeded()
    }

    /// The JSON that a command that must succeed prints.
    pub(crate) fn json(&self, args: &[&str]) -> Value {
        serde_json::from_str(&finish(self.command(args).arg("--json")).succeeded()).unwrap()
    }

    /// How a command is refused, as one line of exit code, kind and message.
    ///
    /// It is run twice, for people and for programs. Both must say the same, each in one line on
    /// standard error and with nothing on standard output, and no file may be touched.
    pub(crate) fn refusal(&self, args: &[&str]) -> String {
        self.refusal_of(|| self.command(args))
    }

    /// [`Sandbox::refusal`] of any command.
    pub(crate) fn refusal_of(&self, command: impl Fn() -> Command) -> String {
        self.refusal_given(b"", command)
    }

    /// [`Sandbox::refusal`] of a command that reads standard input.
    pub(crate) fn refusal_given(&self, input: &[u8], command: impl Fn() -> Command) -> String {
        let before = self.files();
        let text = feed(&mut command(), input);
        let json = feed(command().arg("--json"), input);
        assert_eq!(text.code, json.code, "{text:?} {json:?}");
        assert!(text.stdout.is_empty() && json.stdout.is_empty(), "{text:?} {json:?}");
        let message = text.stderr.strip_prefix("aforesaid: ").and_then(|text| text.strip_suffix('\n')).unwrap();
        assert!(message.lines().count() == 1 && !message.contains("panicked"), "{message}");
        let report: Value = serde_json::from_str(&json.stderr).unwrap();
        assert_eq!(json.stderr.lines().count(), 1, "{}", json.stderr);
        assert_eq!(report["error"]["message"], message);
        assert!(self.files() == before, "files changed: {:?}, {:?}", before.keys(), self.files().keys());
        format!("{} {}: {message}", text.code, report["error"]["kind"].as_str().unwrap())
    }

    /// Every file here with its content.
    pub(crate) fn files(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        let mut files = BTreeMap::new();
        let mut folders = vec![self.folder.path().to_owned()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                match path.is_dir() {
                    true => folders.push(path),
                    false => drop(files.insert(path.clone(), fs::read(path).unwrap())),
                }
            }
        }
        files
    }
}

/// What became of a process.
#[derive(Debug)]
pub(crate) struct Outcome {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Outcome {
    /// Standard output, of a process that must have succeeded.
    pub(crate) fn succeeded(self) -> String {
        assert_eq!(self.code, 0, "{self:?}");
        self.stdout
    }
}

/// Runs a process to its end.
pub(crate) fn finish(command: &mut Command) -> Outcome {
    outcome(command.output().unwrap())
}

/// Runs a process to its end, with `input` on its standard input.
pub(crate) fn feed(command: &mut Command, input: &[u8]) -> Outcome {
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    // A process that is done before it has read everything closes the pipe; that is its right.
    let _ = child.stdin.take().unwrap().write_all(input);
    outcome(child.wait_with_output().unwrap())
}

fn outcome(output: Output) -> Outcome {
    Outcome {
        code: output.status.code().unwrap(),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

/// The same document with every score and time that may differ by machine replaced by a word.
pub(crate) fn without_floats(mut value: Value) -> Value {
    mask(&mut value);
    value
}

fn mask(value: &mut Value) {
    match value {
        Value::Number(number) if number.is_f64() => *value = Value::from("[float]"),
        Value::Array(items) => items.iter_mut().for_each(mask),
        Value::Object(fields) => fields.values_mut().for_each(mask),
        _ => {}
    }
}
