//! What a search prints for a person: lines that fit, words that matched, and no more than is read.
//!
//! Whole texts were printed on lines of any length, ids of 36 characters stood before what was said, and every question
//! was a process of its own that loaded the model again.

use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::sandbox::{self, Sandbox, feed, finish};

const LONG_ID: &str = "6f1c2a9e-0b1d-4c3e-9f00-000000000001";
const OTHER_ID: &str = "7a1c2a9e-0b1d-4c3e-9f00-000000000002";
const CHAT: &str = "11111111-0b1d-4c3e-9f00-000000000003";

fn turn(id: &str, speaker: &str, text: &str) -> String {
    let turn = json!({
        "id": id, "conversation": CHAT, "session": CHAT, "speaker": speaker, "title": "Dinners around night shifts",
        "said_at": "2023-09-04T14:12:00Z", "text": text,
    });
    turn.to_string() + "\n"
}

fn filling(sentences: usize) -> String {
    "We talked about this and about that. ".repeat(sentences)
}

fn kitchen() -> Sandbox {
    let long = format!("{}I have a 3.5 litre slow cooker that I got for a wedding.\n\n{}", filling(20), filling(20));
    Sandbox::holding(
        &[turn(LONG_ID, "Bronagh", &long), turn(OTHER_ID, "Assistant", "Cook it slowly,\nfor four hours.")].concat(),
    )
}

/// What a command prints in so many columns, without its first line, which has a time in it.
fn printed(sandbox: &Sandbox, columns: &str, args: &[&str]) -> String {
    let text = finish(sandbox.command(args).env("COLUMNS", columns)).succeeded();
    text.split_once('\n').unwrap().1.trim_end().to_owned()
}

#[test]
fn a_hit_is_its_origin_in_a_line_and_the_part_that_matches() {
    let sandbox = kitchen();
    let args = ["search", "slow", "cooker", "wedding", "-k", "1"];
    assert_snapshot!(printed(&sandbox, "72", &args), @"
    1  Dinners around night shifts · 2023-09-04 14:12 · Bronagh     6f1c2a9e
       │ … I have a 3.5 litre slow cooker that I got for a wedding. We
       │ talked about this and about that. We talked about this and about
       │ that. We talked about this and about that. We talked about this and
       │ about that. …
    ");
    assert_snapshot!(printed(&sandbox, "48", &args), @"
    1  Dinners around night shifts          6f1c2a9e
       2023-09-04 14:12 · Bronagh
       │ … I have a 3.5 litre slow cooker that I got
       │ for a wedding. We talked about this and
       │ about that. We talked about this and about
       │ that. We talked about this and about that.
       │ We talked about this and about that. …
    ");
    for columns in ["30", "48", "72", "100"] {
        let lines = printed(&sandbox, columns, &args);
        let widest = lines.lines().map(|line| line.chars().count()).max().unwrap();
        assert!(widest <= columns.parse().unwrap(), "{columns}: {lines}");
    }
    let coloured = finish(sandbox.command(&args).env("CLICOLOR_FORCE", "1")).succeeded();
    for word in ["slow", "cooker", "wedding"] {
        assert!(coloured.contains(&format!("\u{1b}[1m{word}\u{1b}[0m")), "{coloured:?}");
    }
    let silent = finish(sandbox.command(&args).env("NO_COLOR", "1").env("CLICOLOR", "1")).succeeded();
    assert!(!silent.contains('\u{1b}'), "{silent:?}");
}

#[test]
fn what_stands_around_a_hit_is_one_line_each_and_all_of_it_with_full() {
    let sandbox = kitchen();
    assert_snapshot!(printed(&sandbox, "60", &["search", "hours", "-k", "1", "-C", "1"]), @"
    1  Dinners around night shifts · 2023-09-04 14:12   7a1c2a9e
       6f1c2a9e  Bronagh: We talked about this and about that.…
       7a1c2a9e  Assistant
       │ Cook it slowly, for four hours.
    ");
    let full = printed(&sandbox, "60", &["search", "hours", "-k", "1", "-C", "1", "--full"]);
    assert!(full.contains(LONG_ID) && full.contains(OTHER_ID) && full.contains(CHAT), "{full}");
    assert!(full.contains("   │ Cook it slowly,\n   │ for four hours.\n") && full.contains("lexical #1"), "{full}");
    let around = sandbox.json(&["search", "hours", "-k", "1", "-C", "1"]);
    assert_eq!((&around["hits"][0]["before"][0]["id"], around["hits"][0].get("after")), (&json!(LONG_ID), None));
}

#[test]
fn scripts_without_spaces_are_wrapped_by_their_width() {
    let text =
        "\u{79c1}\u{306f}\u{9ed2}\u{3044}\u{732b}\u{3092}\u{98fc}\u{3063}\u{3066}\u{3044}\u{307e}\u{3059}\u{3002}"
            .repeat(4);
    let sandbox = Sandbox::holding(&turn("1", "\u{6816}", &text));
    let lines = printed(&sandbox, "40", &["search", "\u{732b}"]);
    let width = |line: &str| line.chars().map(|c| if c > '\u{2fff}' { 2 } else { 1 }).sum::<usize>();
    assert!(lines.lines().all(|line| width(line) <= 40) && lines.lines().count() == 6, "{lines}");
    let marks = sandbox.json(&["search", "\u{732b}"])["hits"][0]["snippet"]["marks"].clone();
    assert_eq!((marks.as_array().unwrap().len(), &marks[0]), (4, &json!([12, 15])));
}

#[test]
fn a_question_is_words_or_standard_input() {
    let sandbox = kitchen();
    let query = |outcome: sandbox::Outcome| {
        serde_json::from_str::<Value>(&outcome.succeeded()).unwrap()["query"].as_str().unwrap().to_owned()
    };
    let words = finish(&mut sandbox.command(&["search", "what", "is", "my cooker?", "--json"]));
    assert_eq!(query(words), "what is my cooker?");
    let read = feed(&mut sandbox.command(&["search", "-", "--json"]), b" what is\nmy cooker?\n");
    assert_eq!(query(read), "what is\nmy cooker?");
    let wrong = sandbox.refusal_given(b"\xff", || sandbox.command(&["search", "-"]));
    assert_eq!(wrong, "4 invalid_input: standard input: found bytes that are not UTF-8");
}

#[test]
fn a_batch_is_a_question_a_line() {
    let sandbox = kitchen();
    let questions = "slow cooker\n\nzeppelin\r\n  four hours";
    sandbox.write("questions.txt", questions);
    let of_file =
        finish(&mut sandbox.command(&["search", "--batch", "questions.txt", "--json", "-k", "1"])).succeeded();
    let of_input = feed(&mut sandbox.command(&["search", "--batch", "-", "--json", "-k", "1"]), questions.as_bytes());
    let answers = |text: &str| {
        let answers = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        answers.map(|answer| (answer["query"].clone(), answer["hits"][0]["id"].clone())).collect::<Vec<_>>()
    };
    let expected = [
        ("slow cooker", json!(LONG_ID)),
        ("", Value::Null),
        ("zeppelin", Value::Null),
        ("four hours", json!(OTHER_ID)),
    ];
    assert_eq!(answers(&of_file), expected.map(|(query, id)| (json!(query), id)));
    assert_eq!(answers(&of_file), answers(&of_input.succeeded()));
    let read = finish(&mut sandbox.command(&["search", "--batch", "questions.txt"])).succeeded();
    let asked: Vec<&str> = read.lines().filter(|line| line.starts_with("? ")).collect();
    assert_eq!(asked, ["? slow cooker", "? ", "? zeppelin", "? four hours"]);
    for args in
        [&["search"][..], &["search", "kite", "--batch", "questions.txt"], &["search", "kite", "--full", "--json"]]
    {
        let outcome = finish(&mut sandbox.command(args));
        assert!(outcome.code == 2 && outcome.stdout.is_empty(), "{args:?}: {outcome:?}");
    }
}

#[test]
fn a_help_begins_with_the_options_of_its_command() {
    let sandbox = Sandbox::new();
    for (flag, is_long) in [("-h", false), ("--help", true)] {
        let help = finish(&mut sandbox.bare(&["search", flag])).succeeded();
        let place = |what: &str| help.find(what).unwrap_or_else(|| panic!("{what}: {help}"));
        assert!(place("--batch") < place("Common options:") && place("Common options:") < place("--store"), "{help}");
        assert_eq!(help.matches("--namespace").count(), 1, "{help}");
        assert_eq!((help.contains("--encoder-url"), help.contains("--llm-url")), (is_long, is_long), "{help}");
        assert_eq!(help.contains("`--help` lists all options."), !is_long, "{help}");
    }
}

#[test]
fn there_is_a_manual_page_of_every_command() {
    let sandbox = Sandbox::new();
    let page = finish(&mut sandbox.bare(&["man"])).succeeded();
    assert!(page.contains(".TH aforesaid 1") && page.contains("search"), "{page}");
    std::fs::create_dir(sandbox.path("man1")).unwrap();
    finish(&mut sandbox.bare(&["man", "--output", "man1"])).succeeded();
    assert!(sandbox.read("man1/aforesaid-search.1").contains("batch"));
    assert!(sandbox.read("man1/aforesaid-cues-write.1").starts_with(".ie"));
    let refused = sandbox.refusal_of(|| sandbox.bare(&["man", "--output", "absent"]));
    assert!(refused.starts_with("3 not_found: folder absent: could not be written"), "{refused}");
}
