//! The commands of a document, run in order by one shell.

use std::fmt::Write;

use super::{
    expected,
    markdown::{Document, Kind},
    root, servers,
};
use crate::sandbox::{Sandbox, finish};

/// What the documents call a server of this machine; a server of the test's own takes its place.
const SERVER: &str = "http://localhost:11434/v1";

/// A conversation that documents import by its path in the repository.
const DEMO: &str = "crates/cli/demo/conversation.jsonl";

/// Stands before the number of a command in what the shell prints; no text of the tests has it.
const MARK: char = '\u{1e}';

/// The encoder of a document's commands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Encoder {
    /// None: searches are lexical.
    None,
    /// A server of the test's own, for what is refused without vectors.
    Played,
}

/// A command with its line, and what it must print where that is shown.
struct Command<'a> {
    line: usize,
    text: String,
    printed: Option<Vec<&'a str>>,
}

/// Runs all commands of a document, and compares what they print with what it shows.
pub(crate) fn run(document: &Document, encoder: Encoder) {
    let commands = commands(document);
    if commands.is_empty() {
        return;
    }
    let (sandbox, server) = (prepared(document), servers::start());
    let mut script = String::new();
    for (number, command) in commands.iter().enumerate() {
        let text = command.text.replace(SERVER, &server.url);
        let mark = format!("printf '\\036%s\\n' {number}");
        write!(script, "{mark}; {mark} >&2\n{text}\nstatus=$?; [ $status -eq 0 ] || exit $status\n").unwrap();
    }
    sandbox.write("script.sh", script);
    let mut shell = sandbox.isolated("/bin/sh");
    let path = std::env::var("PATH").unwrap_or_default();
    let program = std::path::Path::new(crate::sandbox::PROGRAM).parent().unwrap().display();
    shell.arg("script.sh").env("PATH", format!("{program}:{path}"));
    if encoder == Encoder::Played {
        shell.env("AFORESAID_ENCODER_URL", &server.url).env("AFORESAID_ENCODER_MODEL", "played");
    }
    let outcome = finish(&mut shell);
    let (printed, errors) = (pieces(&outcome.stdout), pieces(&outcome.stderr));
    let last = &commands[printed.len() - 1];
    let shown = || format!("{}, line {}: `{}`", document.name, last.line, last.text);
    assert_eq!(outcome.code, 0, "{}:\n{}", shown(), errors.last().unwrap());
    for (command, actual) in commands.iter().zip(printed) {
        if let Some(expected) = &command.printed {
            let actual: Vec<&str> = actual.lines().map(str::trim_end).collect();
            let shown = format!("{}, line {}: `{}`", document.name, command.line, command.text);
            assert!(expected::matches(expected, &actual), "{shown} prints\n{}", actual.join("\n"));
        }
    }
}

/// A sandbox with the files of a document, and a configuration without a model.
fn prepared(document: &Document) -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write("home/config/aforesaid/config.toml", "model = \"none\"\n");
    sandbox.write(DEMO, std::fs::read(root().join(DEMO)).unwrap());
    for block in &document.blocks {
        if let (Kind::Data, Some(file)) = (block.kind, &block.file) {
            sandbox.write(file, &block.text);
        }
    }
    sandbox
}

fn commands(document: &Document) -> Vec<Command<'_>> {
    let mut commands: Vec<Command<'_>> = Vec::new();
    for block in &document.blocks {
        let mut continued = false;
        for (at, text) in block.text.lines().enumerate() {
            let line = block.line + at + 1;
            let command = match block.kind {
                Kind::Commands => Some(text),
                Kind::Session if continued => Some(text.strip_prefix("> ").unwrap_or(text)),
                Kind::Session => text.strip_prefix("$ "),
                _ => break,
            };
            match (command, commands.last_mut()) {
                (Some(text), Some(last)) if continued => last.text += &format!("\n{text}"),
                (Some(text), _) if text.trim().is_empty() => continue,
                (Some(text), _) => {
                    let printed = (block.kind == Kind::Session).then(Vec::new);
                    commands.push(Command { line, text: text.to_owned(), printed });
                }
                (None, Some(Command { printed: Some(printed), .. })) => printed.push(text.trim_end()),
                (None, _) => panic!("{}, line {line}: output before a command", document.name),
            }
            continued = command.is_some_and(|text| text.ends_with('\\'));
        }
    }
    // A command without output shown may print anything.
    commands.iter_mut().for_each(|command| command.printed = command.printed.take().filter(|lines| !lines.is_empty()));
    commands
}

/// What each command printed.
fn pieces(output: &str) -> Vec<&str> {
    output.split(MARK).skip(1).map(|piece| piece.split_once('\n').map_or("", |(_, rest)| rest)).collect()
}
