//! Hooks: what is queued, what is handed over, and what never is.

use std::{
    fs,
    net::TcpListener,
    process::Command,
    thread,
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use super::logs::{SESSION, namespace, path, round};
use crate::sandbox::{STORE, Sandbox, feed, finish};

const OTHER: &str = "11111111-2222-4333-8444-555555555555";

/// What a hook prints for an event.
fn hook(sandbox: &Sandbox, event: &str, fields: Value) -> Option<Value> {
    let mut input = json!({"session_id": SESSION, "cwd": sandbox.path("kites"), "hook_event_name": event});
    input.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
    let outcome = feed(&mut sandbox.command(&["hook", event]), input.to_string().as_bytes());
    let printed = outcome.succeeded();
    (!printed.is_empty()).then(|| serde_json::from_str(&printed).unwrap())
}

fn context(sandbox: &Sandbox, prompt: &str) -> Option<String> {
    let printed = hook(sandbox, "UserPromptSubmit", json!({"prompt": prompt}))?;
    let output = &printed["hookSpecificOutput"];
    assert_eq!(output["hookEventName"], "UserPromptSubmit");
    Some(output["additionalContext"].as_str().unwrap().to_owned())
}

/// A project with an earlier session and the present one.
fn project() -> Sandbox {
    let sandbox = Sandbox::new();
    let mut text =
        round(&sandbox, OTHER, 1, "Why does the reel jam in the cold?", "The pawl of the reel is bent by frost.");
    for number in 2..30 {
        text += &round(&sandbox, OTHER, number, "How long is the tail?", &format!("It has {number} bows."));
    }
    sandbox.write(&path(OTHER), text);
    sandbox.write(
        &path(SESSION),
        round(&sandbox, SESSION, 40, "The zeppelin of the present session jams.", "Which zeppelin?"),
    );
    sandbox.done(&["sync"]);
    sandbox
}

#[test]
fn a_prompt_is_answered_with_what_fits_of_earlier_sessions_alone() {
    let sandbox = project();
    let found = context(&sandbox, "why does the reel jam in the cold").unwrap();
    assert!(found.contains("2026-10-02 u1") || found.contains("2026-10-02 a1"), "{found}");
    assert!(found.contains(&format!("claude-code:{OTHER}")) && found.chars().count() <= 1_500, "{found}");
    // What was said in this session the agent has anyway; where it would answer best, an earlier one is still handed over.
    assert_eq!(context(&sandbox, "the zeppelin of the present session"), None);
    let present =
        round(&sandbox, SESSION, 41, "Why does the reel jam in the cold?", "Why does the reel jam in the cold?");
    sandbox.write(&path(SESSION), sandbox.read(&path(SESSION)) + &present);
    sandbox.done(&["sync"]);
    let found = context(&sandbox, "why does the reel jam in the cold").unwrap();
    assert!(found.contains(OTHER) && !found.contains(SESSION), "{found}");
    // Nothing is likely enough.
    assert_eq!(context(&sandbox, "quarterly tax forecast"), None);
    let begun = hook(&sandbox, "SessionStart", json!({"source": "startup"})).unwrap();
    let said = begun["hookSpecificOutput"]["additionalContext"].as_str().unwrap();
    assert!(said.contains("58 turns of 27 earlier sessions"), "{said}");
    // What the last session was about helps to go on with it.
    let (asked, answered) = said.split_once("\n  answered by [a29] assistant: It has 29 bows.").unwrap();
    assert!(
        asked.ends_with("u29, claude-code:11111111-2222-4333-8444-555555555555] user: How long is the tail?"),
        "{said}"
    );
    assert_eq!(answered, "");
    assert_eq!(hook(&sandbox, "SessionStart", json!({"source": "compact"})), None);
}

/// A model that is damaged hid what words find.
#[test]
fn a_prompt_is_searched_by_words_where_the_model_cannot_be_used() {
    let sandbox = project();
    sandbox.write("model/config.json", "{}");
    let event = json!({
        "session_id": SESSION, "cwd": sandbox.path("kites"), "prompt": "why does the reel jam in the cold",
    });
    let mut command = sandbox.bare(&["--store", STORE, "--model-dir", "model", "hook", "UserPromptSubmit"]);
    let outcome = feed(&mut command, event.to_string().as_bytes());
    assert!(outcome.stdout.contains("pawl") && outcome.code == 0, "{outcome:?}");
    assert!(outcome.stderr.contains("model.safetensors"), "{outcome:?}");
    // Where keywords are asked for, it is not even looked at.
    sandbox.write("home/config/aforesaid/config.toml", "[agents]\ncontext_search = \"keywords\"\n");
    let outcome = feed(&mut command, event.to_string().as_bytes());
    assert!(outcome.stdout.contains("pawl") && outcome.stderr.is_empty(), "{outcome:?}");
}

#[test]
fn nothing_sensitive_is_handed_over_nor_its_title() {
    let sandbox = project();
    let line = |id: &str, title: &str, day: u32, text: &str, sensitive: bool| {
        let said_at = format!("2026-12-{day:02}T10:00:00Z");
        json!({
            "id": id, "conversation": "codex:x", "session": id, "title": title, "speaker": "user", "text": text,
            "said_at": said_at, "sensitive": sensitive,
        })
    };
    let owed = "I owe the harbour bank nine hundred florins.";
    let import = |line: Value| {
        sandbox.write("more.jsonl", line.to_string());
        sandbox.done(&["import", "more.jsonl", "-n", &namespace(&sandbox)]);
    };
    let begun = || {
        let begun = hook(&sandbox, "SessionStart", json!({"source": "startup"})).unwrap();
        begun["hookSpecificOutput"]["additionalContext"].as_str().unwrap().to_owned()
    };
    import(line("open", "Sails of the boat", 1, "The sails are red.", false));
    assert!(begun().contains("about: Sails of the boat"), "{}", begun());
    import(line("secret", "Debts at the harbour", 2, owed, true));
    assert!(!begun().contains("Debts") && begun().contains("2026-12-02"), "{}", begun());
    assert!(!begun().contains("florins") && !begun().contains("ended"), "{}", begun());
    assert_eq!(context(&sandbox, "how many florins do I owe the harbour bank"), None);
    assert!(context(&sandbox, "why does the reel jam in the cold").is_some());
}

#[test]
fn settings_keep_a_hook_quiet() {
    let sandbox = project();
    let asked = "why does the reel jam in the cold";
    let project = namespace(&sandbox);
    for (settings, expected) in [
        ("context = \"off\"".to_owned(), None),
        (format!("deny = [{project:?}]"), None),
        ("context_chars = 100".to_owned(), None),
        ("context = \"ask\"".to_owned(), Some("Ask the person")),
    ] {
        sandbox.write("home/config/aforesaid/config.toml", format!("[agents]\n{settings}\n"));
        let found = context(&sandbox, asked);
        match expected {
            None => assert_eq!(found, None, "{settings}"),
            Some(words) => {
                let found = found.unwrap();
                assert!(found.contains(words) && !found.contains("pawl"), "{found}");
            }
        }
    }
}

#[test]
fn a_log_that_grew_is_read_by_a_process_of_its_own() {
    let sandbox = Sandbox::new();
    let log = path(SESSION);
    sandbox.write(&log, round(&sandbox, SESSION, 1, "How is the kite?", "High."));
    assert_eq!(hook(&sandbox, "Stop", json!({"transcript_path": sandbox.path(&log)})), None);
    wait_for_queue(&sandbox);
    let told = sandbox.done(&["export", "-n", &namespace(&sandbox)]);
    assert!(told.contains("How is the kite?") && told.contains("High."), "{told}");
}

/// Waits until the logs that hooks have told of are read.
fn wait_for_queue(sandbox: &Sandbox) {
    let queue = sandbox.path("memory.db.sync/queue.jsonl");
    let is_done = || {
        let worked_off = std::fs::metadata(&queue).is_ok_and(|found| found.len() == 0);
        worked_off && sandbox.path("memory.db").exists()
    };
    // Ends a test that would hang; how long it takes is not what is tested.
    let begun = Instant::now();
    while !is_done() {
        assert!(begun.elapsed() < Duration::from_secs(120), "the queue is not worked off");
        thread::sleep(Duration::from_millis(50));
    }
}

/// What a resumed session repeats is stored with the session before, and was handed to the one that has it before its eyes.
#[test]
fn a_resumed_session_is_not_handed_what_it_repeats() {
    let sandbox = project();
    let asked = "why does the reel jam in the cold";
    assert!(context(&sandbox, asked).is_some());
    let repeated = sandbox.read(&path(OTHER)).replace(OTHER, SESSION);
    sandbox.write(&path(SESSION), repeated + &sandbox.read(&path(SESSION)));
    sandbox.done(&["sync"]);
    let event = json!({"prompt": asked, "transcript_path": sandbox.path(&path(SESSION))});
    assert_eq!(hook(&sandbox, "UserPromptSubmit", event), None);
    wait_for_queue(&sandbox);
}

/// A hook waited ten seconds for a server that did not answer, and for ever for one that took the connection and said nothing.
#[test]
fn a_server_that_does_not_answer_keeps_no_prompt_waiting() {
    let sandbox = Sandbox::new();
    fs::create_dir_all(sandbox.path("kites")).unwrap();
    // The system takes connections for it, and nobody reads them.
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("postgres://ann@{}/memory", silent.local_addr().unwrap());
    let log = path(SESSION);
    sandbox.write(&log, round(&sandbox, SESSION, 1, "How is the kite?", "High."));
    let input = json!({
        "session_id": SESSION, "cwd": sandbox.path("kites"), "prompt": "how is the kite", "transcript_path": sandbox.path(&log),
    });
    let hook = |event: &str| {
        let mut command = sandbox.bare(&["--store", &url, "--model", "none", "hook", event]);
        feed(&mut command, input.to_string().as_bytes())
    };
    for event in ["SessionStart", "UserPromptSubmit", "Stop"] {
        let outcome = hook(event);
        assert_eq!((outcome.code, outcome.stdout.as_str()), (0, ""), "{event}");
        // An event that only notes something opens no store.
        let expected = if event == "Stop" { "" } else { "the server did not answer within 1 seconds" };
        assert!(outcome.stderr.contains(expected) && outcome.stderr.is_empty() == expected.is_empty(), "{outcome:?}");
    }
    // What came is read when the server answers again.
    let queues = sandbox.files().into_iter().filter(|(path, _)| path.ends_with("queue.jsonl"));
    let noted: Vec<String> = queues.map(|(_, bytes)| String::from_utf8(bytes).unwrap()).collect();
    assert!(noted.len() == 1 && noted[0].lines().count() == 3, "{noted:?}");
}

/// Claude Code takes the exit code 2 for a refusal of the prompt: a wrong option, variable or key of the configuration file blocked
/// every prompt of a person.
#[test]
fn whatever_is_wrong_a_hook_prints_nothing_and_ends_well() {
    let sandbox = project();
    let event = json!({
        "session_id": SESSION, "cwd": sandbox.path("kites"), "hook_event_name": "UserPromptSubmit",
        "prompt": "why does the reel jam in the cold",
    });
    let event = event.to_string();
    let ends_well = |change: &dyn Fn(&mut Command), args: &[&str], input: &str, expected: &str| {
        let mut command = sandbox.bare(args);
        change(&mut command);
        let outcome = feed(&mut command, input.as_bytes());
        assert_eq!((outcome.code, outcome.stdout.as_str()), (0, ""), "{args:?}: {outcome:?}");
        assert!(!outcome.stderr.is_empty(), "{args:?}: {outcome:?}");
        assert!(outcome.stderr.contains(expected) && !outcome.stderr.contains("panicked"), "{args:?}: {outcome:?}");
    };
    let usual = ["--store", STORE, "--model", "none", "hook", "UserPromptSubmit"];
    for (variable, value) in [
        ("AFORESAID_THREADS", "many"),
        ("AFORESAID_TIME_ZONE", "Europe/Atlantis"),
        ("AFORESAID_PIPELINE", "telepathy"),
        ("AFORESAID_PRESET", "telepathy"),
        ("AFORESAID_PRECISION", "f7"),
        ("AFORESAID_NAMESPACE", "   "),
        ("AFORESAID_CONFIG", "not/there.toml"),
        ("AFORESAID_QUERY_ADAPTER", "not/there.safetensors"),
        ("AFORESAID_ENCODER_URL", "http://localhost:1"),
    ] {
        ends_well(&|command| _ = command.env(variable, value), &usual, &event, "");
        let mut stats = sandbox.bare(&["--store", STORE, "stats"]);
        assert_ne!(finish(stats.env(variable, value)).code, 0, "{variable} is wrong for other commands");
    }
    let unchanged = |_: &mut Command| ();
    for (args, expected) in [
        (&["--store", STORE, "hook", "UserPromptSubmit", "--nosuch"][..], "unexpected argument '--nosuch'"),
        (&["--nosuch", "hook", "UserPromptSubmit"], "unexpected argument '--nosuch'"),
        (&["--json", "--nosuch", "hook", "UserPromptSubmit"], "\"usage\""),
        (&["--store", STORE, "hook"], "<EVENT>"),
        (&["--store", STORE, "hook", "UserPromptSubmit", "more"], "unexpected argument 'more'"),
        (&["--store", STORE, "hook", "Stopp"], "event \"Stopp\": expected one of SessionStart"),
        (&["--json", "--store", STORE, "hook", "Stopp"], "event \\\"Stopp\\\": expected one of SessionStart"),
        (&["--store", STORE, "hook", "UserPromptSubmit", "--now", "sometime"], "--now"),
        (&["--store", "home", "hook", "UserPromptSubmit"], "home"),
        (&["--store", "held.txt", "hook", "UserPromptSubmit"], "held.txt"),
        (&["--store", "memory:", "hook", "flush"], "--store memory:"),
    ] {
        sandbox.write("held.txt", "this is no store");
        ends_well(&unchanged, args, &event, expected);
    }
    for (input, expected) in [
        ("[", "aforesaid hook: standard input: found no JSON from line 1, column 1 on"),
        ("", "standard input"),
        ("{\"prompt\": 4711}", "found a number in its field \"prompt\", where a text should be"),
        // What it held was shown.
        ("\"the pin is 4711\"", "found a text; expected the JSON object of an agent's hook"),
        ("[4711]", "found a list"),
    ] {
        ends_well(&unchanged, &usual, input, expected);
        assert!(!feed(&mut sandbox.bare(&usual), input.as_bytes()).stderr.contains("4711"), "{input}");
    }
    let configuration = "home/config/aforesaid/config.toml";
    for (text, expected) in [
        ("colour = \"red\"\n", "unknown field `colour`"),
        ("[agents]\ncontext_confidence = 3\n", "agents.context_confidence 3"),
        ("[agents]\ncontext = \"maybe\"\n", "configuration file"),
        ("[agents]\ncontext_search = \"telepathy\"\n", "expected `full` or `keywords`"),
        ("threads = [\n", "configuration file"),
    ] {
        sandbox.write(configuration, text);
        ends_well(&unchanged, &usual, &event, expected);
    }
    fs::remove_file(sandbox.path(configuration)).unwrap();
    // Nothing was wrong but that.
    assert!(feed(&mut sandbox.bare(&usual), event.as_bytes()).succeeded().contains("pawl"));
    // Help is printed, and other commands are refused as ever.
    assert!(finish(&mut sandbox.bare(&["hook", "--help"])).succeeded().contains("SessionStart"));
    assert_eq!(finish(&mut sandbox.bare(&["search", "--nosuch", "hook"])).code, 2);
    assert_eq!(finish(&mut sandbox.bare(&["--store", "hook", "stats", "--nosuch"])).code, 2);
}
