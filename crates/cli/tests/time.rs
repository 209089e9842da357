//! Times in options and questions, and times as they are printed.

use serde_json::json;

use crate::sandbox::{self, Sandbox};

const HELD: &str = r#"
{"id": "march", "conversation": "c", "session": "s1", "speaker": "Ann", "text": "the kite cost nine euros", "said_at": "2024-03-20T09:00:00Z"}
{"id": "week", "conversation": "c", "session": "s2", "speaker": "Ann", "text": "the kite cost ten euros", "said_at": "2024-05-08T23:30:00Z"}
{"id": "monday", "conversation": "c", "session": "s3", "speaker": "Ann", "text": "the kite cost twelve euros", "said_at": "2024-05-13T09:00:00Z"}
"#;

/// A Wednesday.
const NOW: [&str; 2] = ["--now", "2024-05-15T12:00:00Z"];

fn ids(sandbox: &Sandbox, args: &[&str]) -> Vec<String> {
    let answer = sandbox.json(&[&["search"], args, &NOW].concat());
    answer["hits"].as_array().unwrap().iter().map(|hit| hit["id"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn a_question_is_asked_at_a_moment() {
    let sandbox = Sandbox::holding(HELD);
    assert_eq!(ids(&sandbox, &["what did the kite cost last week?"])[0], "week");
    assert_eq!(ids(&sandbox, &["what does the kite cost now?"])[0], "monday");
    assert_eq!(ids(&sandbox, &["what did the kite cost in March?"])[0], "march");
    let answer = sandbox.json(&[&["search", "the kite last week", "--time-zone", "Europe/Berlin"][..], &NOW].concat());
    let understood = json!([{"text": "last week", "from": "2024-05-05T22:00:00Z", "to": "2024-05-12T22:00:00Z"}]);
    assert_eq!(answer["time"], understood);
    assert_eq!(answer["hits"][0]["said_at"], "2024-05-08T23:30:00Z", "JSON stays in UTC");
    let why = sandbox.json(&[&["why", "week", "-q", "the kite last week"][..], &NOW].concat());
    assert_eq!(why["time"][0]["text"], "last week");
    let context = sandbox.json(&[&["ask", "the kite last week", "--context"][..], &NOW].concat());
    assert_eq!(context["time"][0]["text"], "last week");
}

#[test]
fn times_of_options_are_in_digits_or_in_words() {
    let sandbox = Sandbox::holding(HELD);
    let found = |args: &[&str]| {
        let mut ids = ids(&sandbox, &[&["kite"], args].concat());
        ids.sort();
        ids
    };
    assert_eq!(found(&["--from", "last week"]), ["monday", "week"]);
    assert_eq!(found(&["--from", "last week", "--to", "last week"]), ["week"]);
    assert_eq!(found(&["--to", "2024-03"]), ["march"]);
    assert_eq!(found(&["--from", "two months ago", "--to", "spring 2024"]).len(), 3);
    assert_eq!(found(&["--from", "2024-05-13"]), ["monday"]);
    // The ninth has begun in Berlin.
    assert_eq!(found(&["--from", "2024-05-09", "--to", "2024-05-09", "--time-zone", "Europe/Berlin"]), ["week"]);
    assert_eq!(found(&["--from", "2024-05-09", "--to", "2024-05-09", "--time-zone", "UTC"]), Vec::<String>::new());
}

#[test]
fn what_is_no_time_is_refused_with_examples() {
    let sandbox = Sandbox::holding(HELD);
    let refused = |args: &[&str]| sandbox.refusal(&[&["search", "kite"], args].concat());
    for option in ["--from", "--to"] {
        let message = refused(&[option, "the day of the kite"]);
        assert!(
            message.starts_with(&format!("2 usage: {option}: time \"the day of the kite\": expected")),
            "{message}"
        );
        assert!(message.contains("2023-05-08") && message.contains("\"last week\""), "{message}");
    }
    let out = refused(&["--from", "2026-13-45"]);
    assert_eq!(
        out,
        "2 usage: --from: time \"2026-13-45\": found month 13, expected 1 to 12; found day 45, expected 1 to 31; correct it"
    );
    assert!(refused(&["--to", "2023-02-30"]).contains("found day 30 in 2023-02, expected 1 to 28"));
    assert!(refused(&["--from", "before Christmas"]).contains("has no beginning"));
    assert!(refused(&["--to", "since 2022"]).contains("has no end"));
    assert!(refused(&["--now", "soon"]).starts_with("2 usage: --now: time \"soon\""));
    let zone = sandbox::finish(&mut sandbox.command(&["search", "kite", "--time-zone", "Mars/Olympus"]));
    assert!(zone.code == 2 && zone.stderr.contains("Europe/Berlin"), "{}", zone.stderr);
}

#[test]
fn times_print_as_clocks_show_them() {
    let sandbox = Sandbox::holding(HELD);
    assert!(
        sandbox.done(&["show", "week"]).lines().any(|line| line.contains("2024-05-08 23:30 ") && !line.contains("UTC"))
    );
    assert!(sandbox.done(&["show", "week", "--time-zone", "Europe/Berlin"]).contains("2024-05-09 01:30 CEST"));
    sandbox.write("home/config/aforesaid/config.toml", "time_zone = \"Asia/Tokyo\"\n");
    assert!(sandbox.done(&["show", "week"]).contains("2024-05-09 08:30 JST"));
    assert!(
        sandbox
            .done(&["show", "week", "--time-zone", "UTC"])
            .lines()
            .any(|line| line.contains("2024-05-08 23:30 ") && !line.contains("UTC"))
    );
}

/// `ask --context` printed times in UTC and named no zone, where `search` prints them as clocks show them.
#[test]
fn a_context_shows_times_as_a_search_does() {
    let sandbox = Sandbox::holding(HELD);
    let context = |zone: &str| sandbox.done(&["ask", "kite", "--context", "--time-zone", zone]);
    assert!(
        context("Europe/Berlin").contains("[week] (Thursday, 9 May 2024, 01:30 CEST)"),
        "{}",
        context("Europe/Berlin")
    );
    assert!(context("UTC").contains("[week] (Wednesday, 8 May 2024, 23:30)"));
    let prompt = sandbox.json(&["ask", "kite", "--context", "--time-zone", "Asia/Tokyo"])["prompt"].to_string();
    assert!(prompt.contains("9 May 2024, 08:30 JST"), "{prompt}");
}

#[test]
fn what_was_said_yesterday_is_added_at_that_day() {
    let sandbox = Sandbox::new();
    let added = ["add", "a blue kite", "--at", "yesterday", "--id", "k", "--time-zone", "+02:00"];
    sandbox.done(&[&added[..], &NOW].concat());
    let shown = sandbox.json(&["show", "k"]);
    assert_eq!(shown["memory"]["said_at"], "2024-05-13T22:00:00Z");
    assert_eq!(shown["memory"]["session"], "2024-05-14");
}
