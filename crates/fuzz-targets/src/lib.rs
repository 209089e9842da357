//! What every parser must do with any bytes: return, without a panic, a hang or memory without bound; and where it
//! prints what it parsed, parse that to the same.
//!
//! `cargo test` runs each [`Target`] on inputs that a seeded [`Mutator`] makes of a small corpus; `AFORESAID_FUZZ` says
//! how many. The folder `fuzz` beside `crates` has the same targets for cargo-fuzz, which is guided by coverage.

mod corpus;
mod imports;
mod indexes;
mod logs;
mod models;
mod mutator;
mod runner;
mod servers;
mod texts;

pub use mutator::Mutator;
pub use runner::{Outcome, iterations, run};

/// A parser and what it is fed.
#[derive(Clone, Copy)]
pub struct Target {
    /// Its name, which is also that of its corpus.
    pub name: &'static str,
    /// Parses some bytes and checks what came of them.
    ///
    /// # Panics
    /// When the parser does, or does not keep what it promises.
    pub check: fn(&[u8]),
    /// Inputs to begin with.
    pub corpus: fn(&str) -> Vec<Vec<u8>>,
    /// Words of its grammar.
    pub words: &'static [&'static str],
    /// Inputs that `cargo test` runs, where `AFORESAID_FUZZ` is not set: fewer where each takes long.
    pub usual: u64,
}

/// Words of JSON.
const JSON: &[&str] = &[
    "{",
    "}",
    "[",
    "]",
    ":",
    ",",
    "\"",
    "null",
    "true",
    "-1",
    "1e999",
    "18446744073709551616",
    "\\u0000",
    "\\ud800",
    "\n",
];

/// Words of chats and transcripts.
const CHAT: &[&str] = &[
    "[31.12.24, 23:59:59] ",
    "1/2/24, 1:05 PM - ",
    ": ",
    "\n",
    " --> ",
    "00:00:01,000",
    "WEBVTT",
    "<v ",
    ">",
    "\u{200e}",
    "é",
    "99999999999",
];

/// Words of mailboxes.
const MAIL: &[&str] = &[
    "\nFrom ",
    "\n\nFrom a Mon Jan  1 00:00:00 2024\nSubject: x\n\n",
    "\r\n",
    "=?utf-8?B?w6k=?=",
    "=?iso-8859-1?Q?=E9?=",
    "Content-Type: multipart/alternative; boundary=b",
    "--b",
    "--b--",
    "Content-Transfer-Encoding: base64",
    "References: <a@b> <c@d>",
    "In-Reply-To: <a@b>",
    "Message-ID: <a@b>",
    "Re: ",
    "> ",
    ">From ",
    "=E9",
];

/// Words of notes.
const NOTES: &[&str] =
    &["---\n", "# ", "```", "~~~", "\n\n", "===", "tags: [a, b]", "- ", "date: 2024-05-01", "title: ", "\"", "é"];

/// Words of the logs of agents.
const LOGS: &[&str] = &[
    "{",
    "}",
    "[",
    "]",
    ",",
    "\"",
    "null",
    "true",
    "-1",
    "\n",
    "\t",
    "\"type\":\"user\"",
    "\"type\":\"assistant\"",
    "\"uuid\":\"u1\"",
    "\"parentUuid\":\"a7\"",
    "\"isSidechain\":true",
    "\"tool_use_id\":\"toolu_1\"",
    "\"content\":",
    "<system-reminder>",
    "{\"$rewindTo\":\"g1\"}",
    "\"call_id\":\"call_1\"",
    "\"thread_rolled_back\"",
    "\"role\":\"user\"",
    "\\u0000",
    "\u{feff}",
    "1e999",
    "é",
];

const fn target(name: &'static str, check: fn(&[u8]), words: &'static [&'static str]) -> Target {
    Target { name, check, corpus: corpus::files, words, usual: 2_000 }
}

/// Every target.
pub const TARGETS: &[Target] = &[
    target("import_detected", imports::detected, JSON),
    target("import_locomo", imports::locomo, JSON),
    target("import_openai", imports::messages, JSON),
    target("import_openai_jsonl", imports::messages_jsonl, JSON),
    target("import_chatgpt", imports::chatgpt, JSON),
    target("import_claude", imports::claude, JSON),
    target("import_jsonl", imports::jsonl, JSON),
    Target { usual: 10_000, ..target("import_claude_code", logs::claude_code, LOGS) },
    Target { usual: 10_000, ..target("import_codex", logs::codex, LOGS) },
    Target { usual: 10_000, ..target("import_gemini_cli", logs::gemini_cli, LOGS) },
    Target { usual: 10_000, ..target("log_opencode", logs::opencode, LOGS) },
    Target { usual: 10_000, ..target("log_cursor", logs::cursor, LOGS) },
    target("import_slack", imports::slack, JSON),
    target("import_telegram", imports::telegram, JSON),
    target("import_discord", imports::discord, JSON),
    target("import_whatsapp", imports::whatsapp, CHAT),
    target("import_subtitles", imports::subtitles, CHAT),
    target("import_mbox", imports::mbox, MAIL),
    target("import_markdown", imports::markdown, NOTES),
    target("cues_file", imports::cues, JSON),
    Target { corpus: servers::results, ..target("batch_file", servers::batch, JSON) },
    target("reply_chat", servers::chat, JSON),
    target("reply_text", servers::text, servers::WORDS),
    target("reply_stream", servers::stream, servers::EVENTS),
    target("reply_embeddings", servers::embeddings, JSON),
    target("retry_after", servers::retry_after, servers::DATES),
    target("pipeline", texts::pipeline, texts::PIPELINE),
    target("timestamp", texts::timestamp, texts::TIMES),
    target("question_dates", texts::dates, texts::TIMES),
    target("names", texts::names, &["@", "/", "\n", "\u{202e}"]),
    Target { corpus: indexes::corpus, ..target("index_snapshot", indexes::snapshot, &["\0", "\u{7f}"]) },
    Target { usual: 300, corpus: models::configurations, ..target("model_config", models::configuration, JSON) },
    Target {
        usual: 300,
        corpus: models::tokenizers,
        ..target("model_tokenizer", models::tokenizer, models::TOKENIZER)
    },
    Target { usual: 300, corpus: models::headers, ..target("model_weights", models::weights, JSON) },
];

/// The target of a name.
pub fn named(name: &str) -> Option<&'static Target> {
    TARGETS.iter().find(|target| target.name == name)
}

/// Checks some bytes by the target of a name; does nothing where there is none.
///
/// # Panics
/// As [`Target::check`].
pub fn check(name: &str, bytes: &[u8]) {
    if let Some(target) = named(name) {
        (target.check)(bytes);
    }
}
