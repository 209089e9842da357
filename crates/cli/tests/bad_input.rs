//! Input that cannot be used: one clear error, the documented exit code, and nothing written.

use insta::assert_snapshot;
use serde_json::json;

use crate::sandbox::{self, Sandbox, feed, finish};

/// Two conversations that share an id and the name of a session.
const HELD: &str = include_str!("conversations/kites.jsonl");

const TEN_MEGABYTES: usize = 10 << 20;

/// How the import of a file with this content is refused, by a store that holds something.
fn refused_file(name: &str, content: impl AsRef<[u8]>) -> String {
    let sandbox = Sandbox::holding(HELD);
    sandbox.write(name, content);
    sandbox.refusal(&["import", name])
}

/// How a command on [`HELD`] is refused.
fn refused(args: &[&str]) -> String {
    Sandbox::holding(HELD).refusal(args)
}

/// What the option parser says of a command, and its exit code.
fn misused(args: &[&str]) -> String {
    let sandbox = Sandbox::holding(HELD);
    let before = sandbox.files();
    let outcome = finish(&mut sandbox.command(args));
    assert!(sandbox.files() == before && outcome.stdout.is_empty());
    let first = outcome.stderr.lines().next().unwrap();
    format!("{} {first}", outcome.code)
}

#[test]
fn a_file_that_is_missing() {
    assert_snapshot!(refused(&["import", "nope.jsonl"]), @"3 not_found: file nope.jsonl: could not be read; check the path: No such file or directory (os error 2)");
    let sandbox = Sandbox::new();
    assert_snapshot!(sandbox.refusal(&["import", "nope.jsonl"]), @"3 not_found: file nope.jsonl: could not be read; check the path: No such file or directory (os error 2)");
    assert!(!sandbox.path(sandbox::STORE).exists());
}

#[test]
fn json_that_is_broken_at_a_line() {
    let first = r#"{"speaker": "Ann", "text": "fine"}"#;
    assert_snapshot!(refused_file("a.jsonl", format!("{first}\n\n{{\"speaker\": }}\n")), @"4 invalid_input: a.jsonl, line 3, column 13: broken JSON: expected value; expected one whole turn or note as an object on this line; mend it there, or export it again");
    assert_snapshot!(refused_file("cut.jsonl", format!("{first}\n{}", &first[..20])), @"4 invalid_input: cut.jsonl, line 2, column 20: broken JSON: EOF while parsing a string; expected one whole turn or note as an object on this line; mend it there, or export it again");
    assert_snapshot!(refused_file("a.json", "[{\"role\": \"user\",\n \"content\": \"hi\"},\n {]"), @"4 invalid_input: a.json, line 3, column 3: broken JSON: key must be a string; expected a JSON array of conversations or one conversation as a JSON object; mend it there, or export it again");
    assert_snapshot!(refused_file("deep.json", "[".repeat(100_000)), @"4 invalid_input: deep.json, line 1, column 128: broken JSON: recursion limit exceeded; expected a JSON array of conversations or one conversation as a JSON object; mend it there, or export it again");
}

#[test]
fn a_field_of_the_wrong_type() {
    assert_snapshot!(refused_file("a.jsonl", r#"{"speaker": "Ann", "text": 5}"#), @r#"4 invalid_input: a.jsonl, line 1: field "text" is the number 5; expected a string; correct it, or name another format with --format"#);
    assert_snapshot!(refused_file("a.jsonl", r#"{"speaker": "Ann", "text": "x", "said_at": "soon"}"#), @r#"4 invalid_input: a.jsonl, line 1: field "said_at" is the string "soon"; expected ISO 8601 such as 2023-05-08T13:56:00Z, or seconds since 1970 as a number; correct it and import the file again"#);
    assert_snapshot!(refused_file("a.jsonl", r#"{"speaker": "Ann", "text": "x", "mood": "good"}"#), @r#"4 invalid_input: a.jsonl, line 1: a turn has no field "mood"; expected id, kind, conversation, session, title, speaker, text, said_at, image_caption, importance, tags, sensitive, meta; rename it or take it out"#);
    assert_snapshot!(refused_file("a.jsonl", r#"{"text": "x"}"#), @r#"4 invalid_input: a.jsonl, line 1: there is no field "speaker"; expected a string; add it, or name another format with --format"#);
    assert_snapshot!(refused_file("a.jsonl", "{\"speaker\": \"Ann\", \"text\": \"x\"}\n[1]"), @"4 invalid_input: a.jsonl, line 2: the line is an array of 1; expected an object; correct it, or name another format with --format");
    assert_snapshot!(refused_file("a.json", r#"[{"role": 1, "content": "hi"}]"#), @r#"4 invalid_input: a.json, message 1: field "role" is the number 1; expected a string; correct it, or name another format with --format"#);
}

#[test]
fn a_text_without_content() {
    assert_snapshot!(refused_file("a.jsonl", r#"{"id": "7", "speaker": "Ann", "text": " \n"}"#), @r#"4 invalid_input: a.jsonl, line 1: memory "7": the text is empty; expected at least one visible character"#);
    assert_snapshot!(refused(&["add", ""]), @"4 invalid_input: memory without id: the text is empty; expected at least one visible character");
    assert_snapshot!(refused(&["add", " ", "--id", "7"]), @r#"4 invalid_input: memory "7": the text is empty; expected at least one visible character"#);
    let sandbox = Sandbox::holding(HELD);
    assert_snapshot!(sandbox.refusal_given(b"\n", || sandbox.command(&["add", "-"])), @"4 invalid_input: memory without id: the text is empty; expected at least one visible character");
}

#[test]
fn a_turn_of_ten_megabytes() {
    let text = "ten ".repeat(TEN_MEGABYTES / 4);
    assert_snapshot!(refused_file("a.jsonl", json!({"speaker": "Ann", "text": text}).to_string()), @r#"4 invalid_input: a.jsonl, line 1: memory "session-1:1": the text has 10485760 bytes; expected at most 1048576; split it into several turns"#);
    let sandbox = Sandbox::holding(HELD);
    assert_snapshot!(sandbox.refusal_given(text.as_bytes(), || sandbox.command(&["add", "-", "--id", "7"])), @r#"4 invalid_input: memory "7": the text has 10485759 bytes; expected at most 1048576; split it into several turns"#);
}

#[test]
fn a_turn_of_ten_megabytes_in_an_export_of_another_program_is_skipped_and_reported() {
    let sandbox = Sandbox::new();
    let long = json!({"role": "user", "content": "x".repeat(TEN_MEGABYTES)});
    sandbox.write("a.json", json!([long, {"role": "user", "content": "short"}]).to_string());
    let report = sandbox.json(&["import", "a.json"]);
    assert_eq!(report["added"], 1);
    assert_snapshot!(report["files"][0]["skipped"], @r#"[{"at":"message 1","why":"text too long (10485760 bytes, at most 1048576)"}]"#);
}

#[test]
fn an_id_that_is_taken_by_another_text() {
    let other = r#"{"id":"D1:2","conversation":"c1","session":"s1","speaker":"Bob","text":"The boat did not sink."}"#;
    let new = r#"{"id":"D1:3","conversation":"c1","session":"s1","speaker":"Bob","text":"New."}"#;
    assert_snapshot!(refused_file("a.jsonl", format!("{new}\n{other}")), @r#"4 invalid_input: file a.jsonl: id "D1:2" in conversation "c1": already stored with another text; give the new one another id, or forget the old one first, or import with --on-conflict newest or keep"#);
    assert_snapshot!(refused_file("a.jsonl", format!("{new}\n{}", new.replace("New", "Old"))), @r#"4 invalid_input: a.jsonl, line 1, and line 2: both have id "D1:3" in conversation "c1"; expected the same text; give one of them another id"#);
    assert_snapshot!(refused(&["add", "Never.", "--id", "D1:2", "-c", "c1", "-s", "s1"]), @r#"4 invalid_input: id "D1:2" in conversation "c1": already stored with another speaker; give the new one another id, or forget the old one first"#);
}

#[test]
fn text_that_is_not_utf8() {
    assert_snapshot!(refused_file("a.jsonl", b"{}\n{\"speaker\": \"Ann\", \"text\": \"caf\xE9\"}"), @"4 invalid_input: a.jsonl, line 2: the byte at offset 34 is not UTF-8; expected UTF-8 text; convert the file, or remove what is damaged there");
    assert_snapshot!(refused_file("a.json", b"\xFF\xFE[\0]\0"), @"4 invalid_input: a.json: the text is UTF-16; expected UTF-8; convert it, for example with `iconv -f UTF-16 -t UTF-8`");
    assert_snapshot!(refused_file("a.zip", b"PK\x03\x04rest"), @"4 invalid_input: a.zip: the zip archive cannot be read: Could not find EOCD; download it again, or unpack it and import the folder");
}

#[test]
fn a_file_of_no_known_format() {
    assert_snapshot!(refused_file("empty.jsonl", ""), @"4 invalid_input: empty.jsonl: cannot tell the format: it is empty; expected locomo, openai, openai-jsonl, chatgpt, claude, claude-projects, claude-code, codex, gemini-cli, slack, telegram, discord, whatsapp, subtitles, mbox, markdown or jsonl; name the right one with --format");
    assert_snapshot!(refused_file("list.json", "[]"), @"4 invalid_input: list.json: cannot tell the format: it is an empty array; expected locomo, openai, openai-jsonl, chatgpt, claude, claude-projects, claude-code, codex, gemini-cli, slack, telegram, discord, whatsapp, subtitles, mbox, markdown or jsonl; name the right one with --format");
    assert_snapshot!(refused_file("notes.txt", "Dear diary"), @"4 invalid_input: notes.txt: cannot tell the format: it begins with 'D'; expected locomo, openai, openai-jsonl, chatgpt, claude, claude-projects, claude-code, codex, gemini-cli, slack, telegram, discord, whatsapp, subtitles, mbox, markdown or jsonl; name the right one with --format");
    assert_snapshot!(refused_file("rows.json", r#"[{"name": "Ann", "age": 7}]"#), @r#"4 invalid_input: rows.json: cannot tell the format: it is an array of objects with the fields "name", "age"; expected locomo, openai, openai-jsonl, chatgpt, claude, claude-projects, claude-code, codex, gemini-cli, slack, telegram, discord, whatsapp, subtitles, mbox, markdown or jsonl; name the right one with --format"#);
}

#[test]
fn a_folder_without_conversations() {
    let sandbox = Sandbox::holding(HELD);
    sandbox.write("folder/a.jsonl", "");
    sandbox.write("folder/b.png", "");
    let outcome = finish(&mut sandbox.command(&["import", "folder"]));
    assert_eq!(outcome.code, 4, "{outcome:?}");
    assert_eq!(outcome.stdout, "left out: 1 other JSON file, 1 image\n");
    assert!(outcome.stderr.contains("found no conversations"), "{outcome:?}");
}

#[test]
fn a_bad_file_after_a_good_one_leaves_the_good_one_in() {
    let sandbox = Sandbox::new();
    sandbox.write("good.jsonl", HELD);
    sandbox.write("bad.jsonl", format!("{}\n{{", HELD.replace("\"D", "\"E")));
    let outcome = finish(&mut sandbox.command(&["import", "good.jsonl", "bad.jsonl"]));
    assert_eq!(outcome.code, 6, "{outcome:?}");
    assert_eq!(sandbox.done(&["export"]), HELD);
}

#[test]
fn a_namespace_that_does_not_exist() {
    let expected = refused(&["search", "kite", "-n", "nope"]);
    assert_snapshot!(expected, @r#"3 not_found: namespace "nope" does not exist; there are: default"#);
    for args in [
        &["show", "D1:1", "-n", "nope"][..],
        &["forget", "D1:1", "--yes", "-n", "nope"],
        &["forget", "--all", "--yes", "-n", "nope"],
        &["export", "-n", "nope"],
        &["stats", "-n", "nope"],
    ] {
        assert_eq!(refused(args), expected, "{args:?}");
    }
    let sandbox = Sandbox::holding(HELD);
    sandbox.done(&["forget", "--all", "--yes"]);
    assert_snapshot!(sandbox.refusal(&["search", "kite"]), @r#"3 not_found: namespace "default" does not exist; the store is empty; `aforesaid import` or `aforesaid add` makes one"#);
}

#[test]
fn an_id_that_does_not_exist() {
    assert_snapshot!(refused(&["show", "D9:9"]), @r#"3 not_found: id "D9:9": no such turn or note in namespace "default"; `aforesaid search` prints ids"#);
    assert_snapshot!(refused(&["forget", "D9:9", "--yes"]), @r#"3 not_found: id "D9:9": no such turn or note in namespace "default"; `aforesaid search` prints ids"#);
    assert_snapshot!(refused(&["show", "D1:2", "-c", "c2"]), @r#"3 not_found: id "D1:2": no such turn or note in namespace "default", conversation "c2"; `aforesaid search` prints ids"#);
}

#[test]
fn an_id_or_session_of_several_conversations() {
    assert_snapshot!(refused(&["show", "D1:1"]), @r#"4 invalid_input: id "D1:1": found in 2 conversations (c1, c2); name one with --conversation"#);
    assert_snapshot!(refused(&["forget", "D1:1", "--yes"]), @r#"4 invalid_input: id "D1:1": found in 2 conversations (c1, c2); name one with --conversation"#);
    let expected = refused(&["search", "kite", "-s", "s1"]);
    assert_snapshot!(expected, @r#"4 invalid_input: session "s1": found in 2 conversations (c1, c2); name one with --conversation"#);
    for args in [&["export", "-s", "s1"][..], &["forget", "-s", "s1", "--yes"]] {
        assert_eq!(refused(args), expected, "{args:?}");
    }
}

#[test]
fn the_reasons_of_what_is_not_there() {
    assert_eq!(refused(&["why", "D9:9", "-q", "kite"]), refused(&["show", "D9:9"]));
    assert_eq!(refused(&["why", "D1:1", "-q", "kite"]), refused(&["show", "D1:1"]));
    assert_eq!(refused(&["why", "D1:2", "-q", "kite", "-c", "nope"]), refused(&["search", "kite", "-c", "nope"]));
    let session = ["why", "s1", "-q", "kite", "--unit", "session"];
    assert_eq!(refused(&session), refused(&["search", "kite", "-s", "s1"]));
    assert!(misused(&["why", "D1:2"]).starts_with("2 error: the following required arguments"));
}

#[test]
fn a_scope_that_holds_nothing() {
    assert_snapshot!(refused(&["search", "kite", "-c", "nope"]), @r#"3 not_found: conversation "nope": nothing in namespace "default" matches; `aforesaid list` shows conversations, `aforesaid export` all names"#);
    assert_snapshot!(refused(&["search", "kite", "-c", "c1", "-s", "nope"]), @r#"3 not_found: conversation "c1", session "nope": nothing in namespace "default" matches; `aforesaid list` shows conversations, `aforesaid export` all names"#);
    // Names are right and the time is empty: that is an answer, not a mistake.
    let answer = Sandbox::holding(HELD).json(&["search", "kite", "-c", "c1", "--to", "1999-01-01"]);
    assert_eq!(answer["reason"], "empty_history");
}

#[test]
fn forgetting_without_a_word_about_what_or_a_yes() {
    assert_snapshot!(refused(&["forget"]), @"2 usage: nothing was named; give an id, a scope (--conversation, --session, --except, --from, --to, --speaker, --tag, --kind, --source, --meta), or --all");
    assert_snapshot!(refused(&["forget", "--yes"]), @"2 usage: nothing was named; give an id, a scope (--conversation, --session, --except, --from, --to, --speaker, --tag, --kind, --source, --meta), or --all");
    assert_snapshot!(refused(&["forget", "D1:2"]), @"2 usage: this would forget 1 memory for good, and there is nobody to ask; add --yes");
    assert_snapshot!(refused(&["forget", "--all"]), @"2 usage: this would forget 4 memories for good, and there is nobody to ask; add --yes");
    assert_snapshot!(refused(&["forget", "D1:2", "-s", "s1", "--yes"]), @"2 usage: --session: an id goes with --conversation only; leave --session out");
}

#[test]
fn options_that_name_no_choice() {
    assert_snapshot!(misused(&["search", "kite", "--pipeline", "best"]), @r#"2 error: invalid value 'best' for '--pipeline <PIPELINE>': pipeline "best": "best" is neither a preset nor a leg; expected a preset (hybrid, learned, adapted, lexical, fast, paper-bm25, paper-dense-max, paper-dense-top3, paper-dense-mean or paper-dense-lse), a leg such as bm25 or dense(max), or zscore(bm25, dense(max))"#);
    assert_snapshot!(misused(&["search", "kite", "--unit", "word"]), @r#"2 error: invalid value 'word' for '--unit <UNIT>': unit "word": expected turn or session"#);
    assert_snapshot!(misused(&["search", "kite", "--sort-by", "mood"]), @r#"2 error: invalid value 'mood' for '--sort-by <SORT_BY>': sort order "mood": expected relevance, importance or recency"#);
    assert_snapshot!(misused(&["search", "kite", "--from", "someday"]), @r#"2 aforesaid: --from: time "someday": expected a date or a moment such as 2023-05-08, 2023-05 or 2023-05-08T13:56:00Z, or words such as yesterday, "last week", "3 months ago" or "summer 2022""#);
    assert_snapshot!(misused(&["search", "kite", "-n", " "]), @"2 error: invalid value ' ' for '--namespace <NAMESPACE>': namespace is blank: expected 1 to 256 bytes without control characters; choose another name");
    assert_snapshot!(misused(&["import", "a.jsonl", "--format", "csv"]), @r#"2 error: invalid value 'csv' for '--format <FORMAT>': format "csv": expected locomo, openai, openai-jsonl, chatgpt, claude, claude-projects, claude-code, codex, gemini-cli, slack, telegram, discord, whatsapp, subtitles, mbox, markdown or jsonl"#);
    assert_snapshot!(misused(&["add", "x", "--note", "--importance", "2"]), @"2 error: invalid value '2' for '--importance <IMPORTANCE>': importance 2: expected a number from 0 to 1");
    assert_snapshot!(misused(&["add", "x", "--importance", "-1"]), @"2 error: unexpected argument '-1' found");
    assert_snapshot!(misused(&["forget", "D1:2", "--all"]), @"2 error: the argument '[ID]...' cannot be used with '--all'");
}

#[test]
fn no_hits_are_asked_for() {
    assert!(misused(&["search", "kite", "-k", "0"]).starts_with("2 error: invalid value '0' for '--limit <N>'"));
}

#[test]
fn a_configuration_file_that_cannot_be_used() {
    let refused = |content: &str| {
        let sandbox = Sandbox::holding(HELD);
        sandbox.write("home/config/aforesaid/config.toml", content);
        // The message has the path of the sandbox in it.
        let outcome = finish(&mut sandbox.command(&["stats"]));
        assert!(outcome.stdout.is_empty(), "{outcome:?}");
        format!("{} {}", outcome.code, outcome.stderr.replace(sandbox.path("").to_str().unwrap(), ""))
    };
    assert_snapshot!(refused("stoer = \"x\""), @"4 aforesaid: configuration file home/config/aforesaid/config.toml, line 1: unknown field `stoer`, expected one of `store`, `namespace`, `model`, `model_dir`, `model_cache`, `precision`, `encoder_url`, `encoder_model`, `encoder_dim`, `encoder_revision`, `encoder_query_prefix`, `encoder_passage_prefix`, `llm_url`, `llm_model`, `offline`, `threads`, `pipeline`, `ranker`, `query_adapter`, `preset`, `min_confidence`, `rerank`, `rerank_depth`, `time_zone`, `agents`");
    assert_snapshot!(refused("offline = true\nstore = "), @"4 aforesaid: configuration file home/config/aforesaid/config.toml, line 2: string values must be quoted, expected literal string");
    assert_snapshot!(refused("threads = 0"), @"4 aforesaid: configuration file home/config/aforesaid/config.toml, line 1: invalid value: integer `0`, expected a nonzero usize");
    assert_snapshot!(refused("pipeline = \"best\""), @r#"4 aforesaid: configuration file home/config/aforesaid/config.toml: pipeline "best": "best" is neither a preset nor a leg; expected a preset (hybrid, learned, adapted, lexical, fast, paper-bm25, paper-dense-max, paper-dense-top3, paper-dense-mean or paper-dense-lse), a leg such as bm25 or dense(max), or zscore(bm25, dense(max))"#);
    assert_snapshot!(refused("namespace = \"\""), @"4 aforesaid: configuration file home/config/aforesaid/config.toml, line 1: namespace is blank: expected 1 to 256 bytes without control characters; choose another name");
}

#[test]
fn a_configuration_file_that_is_named_and_missing() {
    assert_snapshot!(refused(&["stats", "--config", "nope.toml"]), @"3 not_found: configuration file nope.toml: could not be read: No such file or directory (os error 2)");
}

#[test]
fn nothing_to_search_for() {
    let sandbox = Sandbox::holding(HELD);
    for query in ["", " \n", "the of and", "?!"] {
        let answer = sandbox.json(&["search", query]);
        assert_eq!(answer["hits"], json!([]), "{query:?}");
        let reason = if query.trim().is_empty() { "empty_query" } else { "only_stop_words" };
        assert_eq!(answer["reason"], reason, "{query:?}");
    }
    let text = |query| sandbox.done(&["search", query]).lines().next().unwrap().to_owned();
    assert_snapshot!(text(""), @"no hits: the query is empty; ask something");
    assert_snapshot!(text("the of and"), @"no hits: the query has only stop words or signs; add a word that the answer is about");
}

#[test]
fn nothing_to_find() {
    let sandbox = Sandbox::holding(HELD);
    let answer = sandbox.json(&["search", "kite", "--from", "2030-01-01"]);
    assert_eq!((&answer["hits"], &answer["reason"]), (&json!([]), &json!("empty_history")));
    let answer = sandbox.json(&["search", "zeppelin"]);
    assert_eq!((&answer["hits"], &answer["reason"]), (&json!([]), &json!("nothing_matches")));
    let text = |args: &[&str]| sandbox.done(args).lines().next().unwrap().to_owned();
    assert_snapshot!(text(&["search", "kite", "--from", "2030-01-01"]), @"no hits: nothing is stored in this scope; `aforesaid list` shows what is, and tags match as they are stored");
    assert_snapshot!(sandbox.refusal(&["search", "kite", "--from", "2024-03-02", "--to", "2024-03-01"]), @"2 usage: --from is 2024-03-02 00:00 and --to is 2024-03-01 23:59: expected --from before --to; swap them");
    assert_snapshot!(text(&["search", "zeppelin"]), @"no hits: no word of the query occurs in this scope; try other words");
}

#[test]
fn an_option_that_names_no_choice_is_reported_as_json() {
    let sandbox = Sandbox::holding(HELD);
    for args in [&["search", "kite", "-k", "0"][..], &["search", "kite", "--pipeline", "best"], &["serach"]] {
        let outcome = finish(sandbox.command(args).arg("--json"));
        let report: serde_json::Value = serde_json::from_str(&outcome.stderr).unwrap();
        assert_eq!((outcome.code, &report["error"]["kind"]), (2, &json!("usage")), "{outcome:?}");
    }
}

#[test]
fn a_broken_file_makes_no_store() {
    let sandbox = Sandbox::new();
    sandbox.write("a.jsonl", "{\"speaker\": }");
    sandbox.refusal(&["import", "a.jsonl"]);
    assert!(!sandbox.path(sandbox::STORE).exists());
}

#[test]
fn a_turn_on_standard_input_that_is_not_utf8() {
    let sandbox = Sandbox::holding(HELD);
    let outcome = feed(&mut sandbox.command(&["add", "-"]), b"caf\xE9");
    assert_eq!(outcome.code, 4, "{outcome:?}");
}

#[test]
fn a_precision_that_does_not_exist() {
    assert_snapshot!(misused(&["search", "kite", "--precision", "int4"]), @r#"2 error: invalid value 'int4' for '--precision <PRECISION>': precision "int4": expected auto, f32, bf16 or int8"#);
    let sandbox = Sandbox::new();
    sandbox.write("settings.toml", "precision = \"int4\"");
    assert_snapshot!(sandbox.refusal(&["stats", "--config", "settings.toml"]), @r#"4 invalid_input: configuration file settings.toml: precision "int4": expected auto, f32, bf16 or int8"#);
}

#[test]
fn instructions_that_the_processor_lacks() {
    let foreign = if cfg!(target_arch = "x86_64") { "neon" } else { "avx512" };
    let refusal = misused(&["search", "kite", "--instructions", foreign]);
    assert!(refusal.starts_with("2 error: ") && refusal.contains("this processor lacks them"), "{refusal}");
    assert_snapshot!(misused(&["search", "kite", "--instructions", "mmx"]), @r#"2 error: invalid value 'mmx' for '--instructions <INSTRUCTIONS>': instructions "mmx": expected amx, avx512, avxvnni, avx2, neon or portable"#);
    let sandbox = Sandbox::holding(r#"{"speaker":"Ann","text":"A kite."}"#);
    sandbox.done(&["search", "kite", "--instructions", "portable"]);
}

#[test]
fn stats_of_a_namespace_option_that_does_not_exist() {
    assert_snapshot!(refused(&["stats", "-n", "nope"]), @r#"3 not_found: namespace "nope" does not exist; there are: default"#);
}

#[test]
fn forgetting_or_exporting_a_conversation_that_does_not_exist() {
    for args in [
        &["forget", "-c", "nope", "--yes"][..],
        &["forget", "--from", "2030-01-01", "--yes"],
        &["export", "-c", "nope"],
        &["export", "-c", "nope", "-o", "out.jsonl"],
    ] {
        let refusal = refused(args);
        assert!(refusal.starts_with("3 not_found: "), "{refusal}");
    }
}

#[test]
fn usage_names_no_option_that_the_environment_sets() {
    let sandbox = Sandbox::holding(HELD);
    let outcome = finish(sandbox.bare(&["search"]).env("AFORESAID_NAMESPACE", "me").env("AFORESAID_OFFLINE", "1"));
    assert!(outcome.stderr.contains("Usage: aforesaid search <QUESTION>..."), "{outcome:?}");
    // A value from the environment is refused as one that was given.
    let outcome = finish(sandbox.bare(&["search", "kite"]).env("AFORESAID_PRECISION", "int4"));
    let named = "error: invalid value 'int4' for AFORESAID_PRECISION (--precision <PRECISION>): precision \"int4\": expected auto";
    assert!(outcome.stderr.starts_with(named), "{outcome:?}");
    assert_eq!(outcome.code, 2);
    let help = finish(&mut sandbox.bare(&["search", "--help"])).succeeded();
    assert!(help.contains("[env: AFORESAID_NAMESPACE"), "{help}");
}

/// `AFORESAID_THREADS=abc` named an option that nobody typed and printed `\n\n`; `AFORESAID_OFFLINE=maybe` was taken for a yes.
#[test]
fn a_variable_that_cannot_be_read_is_named() {
    let sandbox = Sandbox::holding(HELD);
    let with = |variable: &str, value: &str, args: &[&str]| finish(sandbox.command(args).env(variable, value));
    let threads = with("AFORESAID_THREADS", "abc", &["stats"]);
    assert_snapshot!(threads.stderr.lines().next().unwrap(), @"error: invalid value 'abc' for AFORESAID_THREADS (--threads <THREADS>): expected a whole number from 1; correct the variable, or unset it");
    assert!(threads.code == 2 && !threads.stderr.contains("\\n"), "{threads:?}");
    let offline = with("AFORESAID_OFFLINE", "maybe", &["stats", "--json"]);
    let report: serde_json::Value = serde_json::from_str(&offline.stderr).unwrap();
    let message = report["error"]["message"].as_str().unwrap();
    assert!(
        message.starts_with("invalid value 'maybe' for AFORESAID_OFFLINE (--offline): expected 1 or 0"),
        "{message}"
    );
    assert_eq!(offline.code, 2);
    for value in ["1", "0", "TRUE", "false", "yes", "no", ""] {
        assert_eq!(with("AFORESAID_OFFLINE", value, &["stats"]).code, 0, "{value}");
    }
    // What an option says in its place is all that counts.
    assert_eq!(with("AFORESAID_THREADS", "abc", &["stats", "--threads", "1"]).code, 0);
    assert_eq!(with("AFORESAID_THREADS", "abc", &["stats", "--threads=1"]).code, 0);
    assert_eq!(with("AFORESAID_THREADS", "abc", &["search", "--", "--threads"]).code, 2);
    // What is wrong on the command line is said of the option, whatever the environment has.
    let typed = with("AFORESAID_THREADS", "1", &["stats", "--threads", "abc"]);
    assert!(typed.stderr.starts_with("error: invalid value 'abc' for '--threads <THREADS>'"), "{typed:?}");
    let both = with("AFORESAID_RERANK", "none", &["search", "kite", "--judge"]);
    assert!(both.code == 2 && !both.stderr.contains("\\n"), "{both:?}");
}
