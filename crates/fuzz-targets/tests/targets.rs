//! Every target on inputs made of its corpus; `AFORESAID_FUZZ` says how many.
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "test code")]

use aforesaid_fuzz_targets::{TARGETS, iterations, named, run};

fn holds(name: &str) {
    let target = named(name).unwrap();
    assert!(!(target.corpus)(name).is_empty(), "{name}: no corpus");
    let outcome = run(target, iterations(target));
    println!("{name}: {} inputs, the longest took {:?}", outcome.inputs, outcome.longest);
    if let Some((input, what)) = outcome.failure {
        assert!(input.is_empty() && what.is_empty(), "{name}: {what} on \"{}\"", input.escape_ascii());
    }
}

macro_rules! each {
    ($($name:ident)*) => {
        $(
            #[test]
            fn $name() {
                holds(stringify!($name));
            }
        )*

        #[test]
        fn all_targets_are_run() {
            let named: Vec<_> = TARGETS.iter().map(|target| target.name).collect();
            assert_eq!(named, [$(stringify!($name)),*]);
        }
    };
}

each! {
    import_detected import_locomo import_openai import_openai_jsonl import_chatgpt import_claude import_jsonl
    import_claude_code import_codex import_gemini_cli log_opencode log_cursor
    import_slack import_telegram import_discord import_whatsapp import_subtitles import_mbox import_markdown
    cues_file batch_file reply_chat reply_text reply_stream reply_embeddings retry_after
    pipeline timestamp question_dates names index_snapshot model_config model_tokenizer model_weights
}
