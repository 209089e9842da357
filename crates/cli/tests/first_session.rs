//! The first session of a new user, as a document shows it: docs/first-session.md is the transcript of this test.
//!
//! The document says what is run, this test what it prints. With `AFORESAID_UPDATE_DOCS` set it writes that into the
//! document.

use std::{
    env, fmt, fs,
    io::{Cursor, Read, Write},
    path::{Path, PathBuf},
};

use serde_json::json;
use zip::{ZipArchive, ZipWriter, write::SimpleFileOptions};

use crate::sandbox::{PROGRAM, Sandbox, finish, minilm};

/// Questions of the document, and what the first hit of each says.
const ANSWERS: [(&str, &str); 10] = [
    ("what did I say I think of smoked paprika?", "tastes like an ashtray"),
    ("reference number of the Rosslare ferry booking", "ferry BZ4471K"),
    ("where are the car keys now?", "a bowl on top of the fridge"),
    ("why can't I have anti-inflammatory tablets?", "a stomach ulcer"),
    ("engine code P0302", "misfire on cylinder 2"),
    ("what is the current dose of iron I am on?", "two tablets a week"),
    ("what precentage cashew did the curry paste at school contain?", "cashew 3%"),
    ("what did I say two months ago about the interview panel?", "panel of three"),
    ("which lender do I need three payslips for?", "Three payslips"),
    ("comparing loans for the Yaris", "Comparing loans for the Yaris"),
];

/// A message of the later export: what it was, and what it is.
const EDITED: (&str, &str) = ("They're in a bowl on top of the fridge now.", "They're in the biscuit tin now.");

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn export(name: &str) -> Vec<u8> {
    fs::read(repository().join("datasets/dialogues/exports").join(name)).unwrap()
}

/// The export of ChatGPT some weeks later: one message was edited, and there is one more chat.
fn later(export: &[u8]) -> Vec<u8> {
    let mut old = ZipArchive::new(Cursor::new(export)).unwrap();
    let mut new = ZipWriter::new(Cursor::new(Vec::new()));
    let mut edited = 0;
    for n in 0..old.len() {
        let mut file = old.by_index(n).unwrap();
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).unwrap();
        let name = file.name().unwrap().into_owned();
        if name.starts_with("conversations") {
            let text = String::from_utf8(bytes).unwrap();
            edited += text.matches(EDITED.0).count();
            bytes = text.replace(EDITED.0, EDITED.1).into_bytes();
        }
        new.start_file(name, SimpleFileOptions::default()).unwrap();
        new.write_all(&bytes).unwrap();
    }
    assert_eq!(edited, 1, "the message to edit is there once");
    let message = |id: &str, role: &str, time: f64, text: &str| {
        let content = json!({"content_type": "text", "parts": [text]});
        json!({"id": id, "author": {"role": role}, "create_time": time, "content": content, "recipient": "all"})
    };
    let (asked, answered) = ("5b0c9e2e-0000-4000-8000-000000000001", "7d31f0aa-0000-4000-8000-000000000002");
    let chat = json!([{
        "conversation_id": "5b0c9e2e-0000-4000-8000-000000000000", "title": "A bike for Orla", "current_node": answered,
        "mapping": {
            asked: {"parent": null, "message": message(asked, "user", 1.7410e9, "Orla wants a bike. She is 104 cm tall.")},
            answered: {"parent": asked, "message":
                message(answered, "assistant", 1.7410e9, "At 104 cm, sixteen-inch wheels fit: both feet on the ground.")},
        },
    }]);
    new.start_file("conversations-002.json", SimpleFileOptions::default()).unwrap();
    new.write_all(chat.to_string().as_bytes()).unwrap();
    new.finish().unwrap().into_inner()
}

/// A folder with what the commands of the document find.
fn prepared() -> Sandbox {
    let sandbox = Sandbox::new();
    let chatgpt = export("chatgpt-nurse.zip");
    sandbox.write("chatgpt-march.zip", later(&chatgpt));
    sandbox.write("chatgpt.zip", chatgpt);
    sandbox.write("claude.zip", export("claude-consultant.zip"));
    sandbox
}

/// The document with what its commands print here.
fn transcript(document: &str, sandbox: &Sandbox) -> String {
    let (mut told, mut in_session) = (String::new(), false);
    for line in document.lines() {
        let fence = line.starts_with("```");
        if fence {
            in_session = !in_session && line == "```console";
        }
        if !in_session || fence {
            told += line;
            told.push('\n');
        } else if let Some(command) = line.strip_prefix("$ ") {
            told += &format!("{line}\n{}", printed(command, sandbox));
        }
    }
    told
}

/// What a command prints, in the order in which a terminal shows it.
fn printed(command: &str, sandbox: &Sandbox) -> String {
    let mut shell = sandbox.isolated("/bin/sh");
    let path = env::var("PATH").unwrap_or_default();
    let program = Path::new(PROGRAM).parent().unwrap().display();
    shell.args(["-c", &format!("exec 2>&1; {command}")]).env("PATH", format!("{program}:{path}"));
    // What is printed must not depend on the processor.
    shell.envs([
        ("AFORESAID_MODEL", minilm::NAME),
        ("AFORESAID_MODEL_DIR", minilm::directory()),
        ("AFORESAID_PRECISION", "f32"),
    ]);
    let outcome = finish(&mut shell);
    assert_eq!(outcome.code, 0, "{command}: {}", outcome.stdout);
    outcome.stdout
}

/// A transcript without what differs from run to run: how long things took.
fn timeless(text: &str) -> String {
    let mut words: Vec<&str> = text.split(' ').collect();
    for n in 1..words.len() {
        let is_time = words[n - 1].chars().all(|char| char.is_ascii_digit() || char == '.');
        if words[n].split('\n').next() == Some("ms") && is_time {
            words[n - 1] = "some";
        }
    }
    // The room before a time is as wide as the time leaves it.
    words.retain(|word| !word.is_empty());
    words.join(" ").replace("under 1 ms", "some ms")
}

/// Where two texts differ.
struct Difference<'a>(&'a str, &'a str);

impl fmt::Display for Difference<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (expected, actual): (Vec<&str>, Vec<&str>) = (self.0.lines().collect(), self.1.lines().collect());
        let same = expected.iter().zip(&actual).take_while(|(a, b)| a == b).count();
        let from = |lines: &[&str]| lines.iter().skip(same).take(6).copied().collect::<Vec<_>>().join("\n");
        write!(f, "from line {}:\n{}\ninstead of\n{}", same + 1, from(&actual), from(&expected))
    }
}

#[test]
fn the_first_session_goes_as_it_is_told() {
    let path = repository().join("docs/first-session.md");
    let document = fs::read_to_string(&path).unwrap();
    let told = transcript(&document, &prepared());
    if env::var_os("AFORESAID_UPDATE_DOCS").is_some() {
        fs::write(&path, &told).unwrap();
    }
    for (question, answer) in ANSWERS {
        let at = told.find(question).unwrap_or_else(|| panic!("the document asks: {question}"));
        let shown = told[at..].split("\n$ ").next().unwrap().split("\n2  ").next().unwrap();
        let shown = shown.replace("\n   │ ", " ");
        assert!(shown.split_once('\n').unwrap().1.contains(answer), "{question} is answered by {answer:?}: {shown}");
    }
    let (expected, actual) = (timeless(&document), timeless(&told));
    assert!(
        expected == actual || env::var_os("AFORESAID_UPDATE_DOCS").is_some(),
        "docs/first-session.md tells another session, {}; AFORESAID_UPDATE_DOCS=1 writes it anew",
        Difference(&expected, &actual)
    );
}
