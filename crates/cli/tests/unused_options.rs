//! Options that a command cannot use are refused by name, never dropped in silence.
//!
//! `search --llm-url URL` without --rerank asked nobody, `models verify NAME --model-dir DIR` verified another directory,
//! `stats --model NAME` counted all vectors, `import --conversation NAME` of a file with conversations of its own kept
//! theirs; all exited 0. Why clap does not see to it is said in `sensitive_turns.rs`.

use crate::sandbox::{STORE, Sandbox, finish};

const HELD: &str = r#"{"id":"1","conversation":"c","session":"s","speaker":"Ann","text":"The kite is red."}
{"id":"2","conversation":"c","session":"s","speaker":"Bob","text":"The boat sank."}"#;

const LOCOMO: &str = r#"[{"sample_id":"conv-1","conversation":{"session_1_date_time":"1:56 pm on 8 May, 2023","session_1":[{"speaker":"Ann","dia_id":"D1:1","text":"Hello."}]}}]"#;

/// What is refused, the option that is named, and a word of why.
const REFUSED: &[(&[&str], &str, &str)] = &[
    // A note is said by nobody, and a turn is drawn from nothing.
    (&["add", "x", "--note", "--speaker", "N"], "--speaker", "note"),
    (&["add", "x", "--note", "--session", "s"], "--session", "note"),
    (&["add", "x", "--note", "--image-caption", "i"], "--image-caption", "note"),
    (&["add", "x", "--note", "--sensitive", "--speaker", "N"], "--speaker", "note"),
    (&["add", "x", "--source", "1"], "--source", "--note"),
    (&["add", "x", "--source", "1", "--speaker", "N"], "--source", "--note"),
    (&["add", "x", "--source", "1", "--session", "s", "--sensitive"], "--source", "--note"),
    (&["add", "x", "--pipeline", "lexical"], "--pipeline", "ranked"),
    // A name for a conversation that has one.
    (&["import", "locomo.json", "-c", "mine"], "--conversation", "locomo.json"),
    (&["import", "held.jsonl", "-c", "mine"], "--conversation", "held.jsonl"),
    // What makes vectors and ranks, where nothing does.
    (&["show", "1", "--model", "e5-small-v2"], "--model", "vectors"),
    (&["--model", "e5-small-v2", "show", "1"], "--model", "vectors"),
    (&["stats", "--model", "e5-small-v2"], "--model", "vectors"),
    (&["stats", "--model-dir", "m"], "--model-dir", "vectors"),
    (&["export", "--precision", "int8"], "--precision", "vectors"),
    (&["forget", "1", "--yes", "--model", "e5-small-v2"], "--model", "vectors"),
    (&["forget", "--all", "--yes", "--pipeline", "lexical"], "--pipeline", "ranks"),
    (&["stats", "--encoder-url", "http://127.0.0.1:9/v1", "--encoder-model", "m"], "--encoder-url", "vectors"),
    (&["cues", "list", "--model", "e5-small-v2"], "--model", "vectors"),
    (&["cues", "stats", "--pipeline", "lexical"], "--pipeline", "ranks"),
    (&["cues", "drop", "--yes", "--model", "e5-small-v2"], "--model", "vectors"),
    (&["completions", "bash", "--model", "e5-small-v2"], "--model", "vectors"),
    (&["eval", "compare", "a", "b", "--pipeline", "lexical"], "--pipeline", "ranks"),
    (&["eval", "data", "list", "--model", "e5-small-v2"], "--model", "vectors"),
    // A pipeline of words alone, and no model.
    (&["search", "kite", "--pipeline", "lexical", "--model", "e5-small-v2"], "--model", "pipeline"),
    (&["why", "1", "-q", "kite", "--pipeline", "bm25", "--precision", "f32"], "--precision", "pipeline"),
    (&["ask", "kite", "--context", "--pipeline", "lexical", "--model-dir", "m"], "--model-dir", "pipeline"),
    (&["search", "kite", "--model", "none", "--model-dir", "m"], "--model-dir", "--model none"),
    (&["search", "kite", "--model", "none", "--precision", "int8"], "--precision", "--model none"),
    // A language model that nothing asks.
    (&["search", "kite", "--llm-url", "http://127.0.0.1:9/v1"], "--llm-url", "--rerank llm"),
    (&["search", "kite", "--llm-model", "m"], "--llm-model", "--rerank llm"),
    (&["search", "kite", "--llm-cache", "kept"], "--llm-cache", "--rerank llm"),
    (&["search", "kite", "--llm-max-tokens", "9"], "--llm-max-tokens", "--rerank llm"),
    (&["ask", "kite", "--context", "--llm-timeout", "9"], "--llm-timeout", "--context"),
    (&["search", "kite", "--unit", "session", "-C", "2"], "--around", "--unit session"),
    (&["cues", "export", "c.jsonl", "--llm-model", "m"], "--llm-model", "--batch"),
    (&["cues", "export", "c.jsonl", "--questions", "2"], "--questions", "--batch"),
    (&["cues", "export", "c.jsonl", "--batch", "--llm-model", "m", "--llm-prices", "1:2"], "--llm-prices", "sent"),
    (&["cues", "export", "c.jsonl", "--batch", "--llm-model", "m", "--llm-cache", "kept"], "--llm-cache", "kept"),
    (&["cues", "import", "c.jsonl", "--llm-cache", "kept"], "--llm-cache", "--batch"),
    (&["cues", "import", "c.jsonl", "--prompt", "isolated"], "--prompt", "--batch"),
    (&["cues", "import", "c.jsonl", "--batch", "--llm-model", "m", "--llm-timeout", "9"], "--llm-timeout", "server"),
    // A mode of cues.
    (&["cues", "write", "--prompt", "isolated", "--before", "2"], "--before", "isolated"),
    (&["cues", "export", "-", "--batch", "--prompt", "isolated", "--before", "2"], "--before", "isolated"),
    (&["cues", "write", "--no-vectors", "--model", "e5-small-v2"], "--model", "--no-vectors"),
    (&["cues", "import", "c.jsonl", "--no-vectors", "--pipeline", "lexical"], "--pipeline", "--no-vectors"),
    // Models.
    (&["models", "list", "--pipeline", "lexical"], "--pipeline", "listed"),
    (&["models", "list", "--model-dir", "m"], "--model-dir", "--model"),
    (&["models", "list", "--precision", "int8"], "--precision", "precision"),
    (&["models", "verify", "e5-small-v2", "--model-dir", "m"], "--model-dir", "argument"),
    (&["models", "verify", "e5-small-v2", "--model", "gte-small"], "--model", "argument"),
    (&["models", "pull", "--encoder-url", "http://127.0.0.1:9/v1", "--encoder-model", "m"], "--encoder-url", "machine"),
    (&["models", "bench", "--pipeline", "lexical", "--model", "gte-small"], "--pipeline", "names no model"),
    // The pipeline of an evaluation.
    (&["eval", "run", "--dataset", "jsonl", "--system", "bm25", "--pipeline", "hybrid"], "--pipeline", "--system"),
    (&["eval", "run", "--dataset", "jsonl", "--system", "bm25", "--model", "e5-small-v2"], "--model", "pipeline"),
    (&["eval", "tune", "--dataset", "jsonl", "--system", "bm25", "--pipeline", "hybrid"], "--pipeline", "--system"),
    // An id is in one conversation; all is all.
    (&["forget", "1", "--yes", "--to", "2024-01-01"], "--to", "--conversation"),
    (&["forget", "1", "--yes", "--session", "s", "--from", "2024-01-01"], "--session, --from", "--conversation"),
];

/// What clap refuses by itself.
const MISUSED: &[(&[&str], &str)] = &[
    (&["forget", "1", "--all", "--yes"], "--all"),
    (&["search", "kite", "--rerank-depth", "3"], "--rerank"),
    (&["ask", "kite", "--include-sensitive"], "--context"),
    (&["cues", "write", "--no-vectors", "--concat"], "--concat"),
    (&["cues", "import", "c.jsonl", "--batch", "--model-name", "me"], "--model-name"),
    (&["eval", "run", "--dataset", "jsonl", "--system", "bm25", "--title", "t"], "--receipt"),
    (&["eval", "run", "--dataset", "jsonl", "--system", "bm25", "--cue-questions", "2"], "--cues"),
    (&["eval", "run", "--dataset", "jsonl", "--system", "bm25", "out.json"], "--json"),
    (&["show", "1", "--min-confidence", "0.5"], "--min-confidence"),
    (&["why", "1", "-q", "kite", "--sort-by", "recency"], "--sort-by"),
];

fn sandbox() -> Sandbox {
    let sandbox = Sandbox::holding(HELD);
    sandbox.write("locomo.json", LOCOMO);
    sandbox
}

#[test]
fn what_a_command_cannot_use_is_refused_by_name() {
    let sandbox = sandbox();
    for (args, option, why) in REFUSED {
        let refusal = sandbox.refusal_of(|| {
            let mut command = sandbox.bare(&["--store", STORE, "--offline"]);
            command.args(*args);
            command
        });
        assert!(refusal.starts_with(&format!("2 usage: {option}")), "{args:?}: {refusal}");
        assert!(refusal.contains(why) && refusal.ends_with("out"), "{args:?}: {refusal}");
    }
    for (args, option) in MISUSED {
        let outcome = finish(&mut sandbox.command(args));
        assert!(outcome.code == 2 && outcome.stdout.is_empty(), "{args:?}: {outcome:?}");
        assert!(outcome.stderr.contains(option), "{args:?}: {outcome:?}");
    }
}

/// The same options are no error where nobody typed them: they are there for other commands.
#[test]
fn what_the_environment_says_is_no_error() {
    let sandbox = sandbox();
    sandbox.write("all.toml", "model = \"e5-small-v2\"\npreset = \"lexical\"\nllm_url = \"http://127.0.0.1:9/v1\"\n");
    for args in [&["stats"][..], &["show", "1"], &["export"], &["search", "kite"], &["add", "x"], &["cues", "list"]] {
        let mut command = sandbox.bare(&["--store", STORE, "--offline", "--config", "all.toml"]);
        finish(command.args(args)).succeeded();
        let mut command = sandbox.bare(&["--store", STORE, "--offline"]);
        for (name, value) in [
            ("MODEL", "e5-small-v2"),
            ("PRESET", "lexical"),
            ("PRECISION", "int8"),
            ("LLM_URL", "http://127.0.0.1:9/v1"),
            ("LLM_MAX_TOKENS", "9"),
            ("MIN_CONFIDENCE", "0"),
        ] {
            command.env(format!("AFORESAID_{name}"), value);
        }
        finish(command.args(args)).succeeded();
    }
}

/// Places, resources and the way of answering may be said to every command, and no model is no contradiction.
#[test]
fn what_holds_for_all_commands_is_taken_by_all() {
    let sandbox = sandbox();
    sandbox.write("empty.toml", "");
    let everywhere = ["--store", STORE, "-n", "default", "--json", "--offline", "--threads", "1", "--model", "none"];
    let places = ["--config", "empty.toml", "--model-cache", "cache"];
    for args in [
        &["stats"][..],
        &["show", "1"],
        &["export"],
        &["search", "kite"],
        &["add", "x", "--id", "9", "--at", "2024-01-01"],
        &["models", "list"],
        &["cues", "stats"],
        &["eval", "data", "list"],
        &["completions", "bash"],
        &["forget", "2", "--yes"],
    ] {
        finish(sandbox.bare(args).args(everywhere).args(places)).succeeded();
        if args[0] != "forget" {
            finish(sandbox.bare(&everywhere).args(places).args(args)).succeeded();
        }
    }
}

/// A name that some of a file's turns take is used, and said where they name none.
#[test]
fn a_conversation_is_named_where_the_file_names_none() {
    let sandbox = Sandbox::new();
    sandbox.write("some.jsonl", format!("{HELD}\n{{\"speaker\":\"Cem\",\"text\":\"Rain.\"}}"));
    sandbox.done(&["import", "some.jsonl", "-c", "mine"]);
    assert!(sandbox.done(&["export", "-c", "mine"]).contains("Rain."));
    sandbox.write("same.jsonl", HELD);
    sandbox.done(&["import", "same.jsonl", "-c", "c"]);
}
