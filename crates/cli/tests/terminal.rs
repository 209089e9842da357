//! Texts of users, models and servers do not act on a terminal, hide nothing, and do not pass for lines of ours.
//!
//! Single C1 controls, bidirectional controls and characters without a shape went through as they were, in JSON and
//! exports too; and the second line of a text, a name, an answer or a server's message began where ours begin, so that
//! it could be read as another hit, another source or an error.

use serde_json::{Value, json};

use crate::{
    model::streamed,
    sandbox::{self, Outcome, Sandbox, finish},
    server::{Server, status},
};

/// Acts on terminals, reorders, or hides.
const ACTING: &str = "\u{1b}[2J\u{9b}31m\u{7f}\u{7}\u{85}\u{2028}\u{2029}\u{202a}\u{202e}\u{2066}\u{2069}\u{200e}\u{200f}\u{61c}\
    \u{200b}\u{2060}\u{feff}\u{E0001}\u{E0068}\u{E0069}";

/// Lines like ours.
const LINES: &str = "2. S5:4  2024-01-01 10:00  c / s  words #1\n   S5:4  Eve: no\n   answers \"no\"\n[S5:4]  2024-01-01 10:00  no\n\
    S5:4  2024-01-01 10:00   no\naforesaid: S5:4\nnote: S5:4\n1 hit, S5:4\n";

/// Living scripts and emoji, with the joiners that they need.
const READABLE: &str = "\u{1F468}\u{200d}\u{1F469}\u{200d}\u{1F467} \u{2764}\u{FE0F} \u{1F3F4}\u{E0067}\u{E0062}\u{E0065}\u{E006E}\u{E0067}\u{E007F} \
    \u{645}\u{6cc}\u{200c}\u{62e}\u{648}\u{627}\u{647}\u{645} \u{5e9}\u{5dc}\u{5d5}\u{5dd} \u{915}\u{94d}\u{200d}\u{937} caf\u{e9} \u{732b}";

fn hostile(word: &str) -> String {
    format!("{word} {ACTING} {READABLE}\n{LINES}{ACTING}\r\n2. S5:4\rS5:4")
}

/// Names hold no controls, but these.
fn name(word: &str) -> String {
    format!("{word}\u{202e}\u{2066}\u{200b}\u{2028}S5:4")
}

fn held() -> Value {
    json!({
        "id": name("x"), "conversation": name("c"), "session": name("s"), "speaker": hostile("Eve"),
        "text": hostile("kite"), "image_caption": hostile("caption"), "tags": [hostile("tag")],
        "meta": {hostile("key"): hostile("value")},
    })
}

fn assert_harmless(what: &str, printed: &str) {
    let acts = |c: char| c.is_control() && !"\n\t".contains(c) || !c.is_ascii() && ACTING.contains(c);
    assert!(!printed.replace(READABLE, "").chars().any(acts), "{what}: {printed:?}");
    for line in printed.lines() {
        let imitates = LINES.lines().chain(["2. S5:4"]).any(|ours| line.starts_with(ours.trim_end()));
        assert!(!imitates, "{what}: {line:?} in {printed}");
    }
}

fn assert_outcome(what: &str, outcome: &Outcome) {
    assert_harmless(what, &outcome.stdout);
    assert_harmless(what, &outcome.stderr);
}

fn filled() -> Sandbox {
    let sandbox = Sandbox::holding(&held().to_string());
    let cues = json!({"conversation": name("c"), "id": name("x"), "q": [hostile("glider")], "model": hostile("model")});
    sandbox.write("cues.jsonl", cues.to_string());
    sandbox.done(&["cues", "import", "cues.jsonl"]);
    sandbox
}

#[test]
fn what_people_read_of_a_store_does_nothing() {
    let (sandbox, id) = (filled(), name("x"));
    for args in [
        &["search", "kite"][..],
        &["search", "glider", "--explain"],
        &["search", "kite", "--unit", "session"],
        &["search", "kite", "--full", "--explain"],
        &["search", "kite", "-C", "2"],
        &["search", &hostile("zeppelin")],
        &["show", &id],
        &["why", &id, "--query", "kite"],
        &["why", &id, "--query", &hostile("glider")],
        &["cues", "list"],
        &["cues", "stats"],
        &["ask", "kite", "--context"],
        &["stats"],
    ] {
        let outcome = finish(&mut sandbox.command(args));
        assert_eq!(outcome.code, 0, "{args:?}: {outcome:?}");
        assert_outcome(&format!("{args:?}"), &outcome);
        // With colours, nothing but ours.
        let coloured = finish(sandbox.command(args).env("CLICOLOR_FORCE", "1"));
        let plain = ["\u{1b}[1m", "\u{1b}[2m", "\u{1b}[36m", "\u{1b}[0m"];
        let strip = |text: &str| plain.iter().fold(text.to_owned(), |text, style| text.replace(style, ""));
        assert_harmless(&format!("{args:?}"), &strip(&coloured.stdout));
    }
    let found = sandbox.done(&["search", "kite", "--full"]);
    let joined = found.replace("\n   \u{2502} ", " ");
    assert!(joined.contains(READABLE), "{found}");
    assert!(found.contains("\n   \u{2502} 2. S5:4  2024-01-01 10:00  c / s  words #1\n"), "{found}");
    let at_the_margin = |text: &str| text.lines().filter(|line| line.starts_with(|c: char| c.is_ascii_digit())).count();
    assert!(at_the_margin(&found) == 1 && at_the_margin(&sandbox.done(&["search", "kite"])) == 1, "{found}");
    assert_outcome("forget", &finish(&mut sandbox.command(&["forget", &id, "--yes"])));
}

#[test]
fn documents_mean_the_same_and_do_nothing() {
    let (sandbox, id) = (filled(), name("x"));
    let text = hostile("kite");
    for args in [
        &["search", "kite"][..],
        &["search", "glider", "--explain"],
        &["show", &id],
        &["why", &id, "--query", "kite"],
        &["cues", "list"],
        &["ask", "kite", "--context"],
        &["stats"],
    ] {
        let outcome = finish(sandbox.command(args).arg("--json"));
        assert_eq!((outcome.code, outcome.stdout.lines().count()), (0, 1), "{args:?}: {outcome:?}");
        assert_outcome(&format!("{args:?}"), &outcome);
        serde_json::from_str::<Value>(&outcome.stdout).unwrap();
    }
    assert_eq!(sandbox.json(&["search", "kite"])["hits"][0]["text"], text);
    assert_eq!(sandbox.json(&["show", &id])["memory"]["speaker"], hostile("Eve"));

    let exported = sandbox.done(&["export"]);
    assert_harmless("export", &exported);
    assert_eq!(serde_json::from_str::<Value>(&exported).unwrap(), held());
    let other = Sandbox::holding(&exported);
    assert_eq!(other.done(&["export"]), exported);
    assert_eq!(other.json(&["show", &id])["memory"]["meta"], held()["meta"]);
    let cues = sandbox.done(&["cues", "export", "-"]);
    assert_harmless("cues export", &cues);
    assert_eq!(serde_json::from_str::<Value>(&cues).unwrap()["q"], json!([hostile("glider").trim()]));
    let batch = sandbox.done(&["cues", "drop", "--yes"])
        + &sandbox.done(&["cues", "export", "-", "--batch", "--llm-model", "m"]);
    assert_harmless("cues export --batch", &batch);
}

#[test]
fn an_answer_does_nothing_and_is_told_from_its_sources() {
    let sandbox =
        Sandbox::holding(r#"{"id":"1","conversation":"c","session":"s","speaker":"Ann","text":"A red kite."}"#);
    let answer = hostile("To her sister [1].");
    let half = answer.char_indices().nth(60).unwrap().0;
    let server = Server::start(move |_, _| streamed(&[&answer[..half], &answer[half..]]));
    let ask = |args: &[&str]| {
        let mut command = sandbox.command(&["ask", "who has the kite?", "--offline"]);
        finish(command.args(args).env("AFORESAID_LLM_URL", &server.url).env("AFORESAID_LLM_MODEL", "tiny"))
    };
    let told = ask(&[]);
    assert_outcome("ask", &told);
    assert!(told.stdout.contains("\n     \u{2502} [S5:4]  2024-01-01 10:00  no\n"), "{}", told.stdout);
    assert!(told.stdout.contains("\n[1]  undated  Ann: A red kite.\n"), "{}", told.stdout);
    let document = ask(&["--json"]);
    assert_outcome("ask --json", &document);
    let document: Value = serde_json::from_str(&document.stdout).unwrap();
    assert_eq!(document["answer"], hostile("To her sister [1]."));
}

#[test]
fn what_a_server_says_in_an_error_has_one_line() {
    let sandbox =
        Sandbox::holding(r#"{"id":"1","conversation":"c","session":"s","speaker":"Ann","text":"A red kite."}"#);
    let server = Server::start(|_, _| status(400, json!({"error": {"message": hostile("no kites")}})));
    for (args, code) in [
        (&["ask", "who has the kite?"][..], 5),
        (&["search", "kite", "--judge"], 0),
        (&["cues", "write"], 5),
        (&["reembed"], 5),
    ] {
        for json in [false, true] {
            let mut command = sandbox.bare(&["--store", sandbox::STORE, "--offline"]);
            for (name, value) in [("ENCODER_URL", &server.url), ("LLM_URL", &server.url)] {
                command.env(format!("AFORESAID_{name}"), value);
            }
            command.env("AFORESAID_ENCODER_MODEL", "tiny").env("AFORESAID_LLM_MODEL", "tiny").args(args);
            let outcome = finish(if json { command.arg("--json") } else { &mut command });
            assert_eq!(outcome.code, code, "{args:?}: {outcome:?}");
            assert_outcome(&format!("{args:?}"), &outcome);
            let ours = ["note: ", "aforesaid: ", "  ", "{"];
            let said = outcome.stderr.lines().all(|line| ours.iter().any(|ours| line.starts_with(ours)));
            assert!(said, "{args:?}: {outcome:?}");
        }
    }
}

#[test]
fn names_of_files_and_options_have_one_line() {
    let sandbox = Sandbox::new();
    let file = format!("{}.jsonl", hostile("file").replace('/', "")).chars().take(60).collect::<String>();
    sandbox.write(&file, r#"{"id":"1","speaker":"Ann","text":"A red kite."}"#);
    let absent = format!("absent{}", file);
    let (text, namespace) = (hostile("text"), name("me"));
    for (args, code) in [
        (&["import", &file, "-c", "c", "--format", "jsonl", "-n", &namespace][..], 0),
        (&["stats"], 0),
        (&["export", "-n", &namespace, "-o", &file], 0),
        (&["import", &absent], 3),
        (&["show", &name("nobody"), "-n", &namespace], 3),
        (&["search", "kite", "-n", &name("nobody")], 3),
        (&["forget", "--session", &name("none"), "--yes", "-n", &namespace], 3),
        (&["cues", "import", &absent, "-n", &namespace], 3),
        (&["--config", &absent, "stats"], 3),
        (&["--store", &absent, "stats"], 1),
        (&["--model-dir", &absent, "add", "x"], 5),
        (&["--model", &text, "add", "x"], 5),
        (&["search", "kite", "--pipeline", &text], 2),
        (&["search", "kite", "--unit", &text], 2),
        (&["search", "--batch", &absent, "--model", "none"], 3),
        (&[&text], 2),
        (&["-n", &text, "stats"], 2),
        (&["eval", "compare", &absent, &absent], 2),
        (&["eval", "data", "fetch", &text], 2),
    ] {
        for json in [false, true] {
            let mut command = sandbox.bare(&["--offline", "--model-cache", "cache"]);
            command.env("AFORESAID_STORE", sandbox::STORE).args(args);
            let outcome = finish(if json { command.arg("--json") } else { &mut command });
            assert_eq!(outcome.code, code, "{args:?}: {outcome:?}");
            assert_outcome(&format!("{args:?}"), &outcome);
        }
    }
}
