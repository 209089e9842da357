//! What to do next about an error or a warning, with the options and commands of this program.
//!
//! Messages of the library name none of them. Each remedy here follows such a message, with what separates the two.

use aforesaid::{
    Error, NoHits, NoVectors, SHORTEST_BEGINNING, StoreError, Warning, models::ModelError, types::EncoderId,
};
use aforesaid_llm::LlmError;

use crate::{local_time, server};

/// Holds the language model's key.
const LLM_KEY: &str = "AFORESAID_LLM_KEY";

/// What follows the message of an error.
pub(crate) fn of(error: &Error) -> String {
    match error {
        Error::Store(error) => of_store(error),
        Error::Model(error) => of_model(error),
        Error::NoDenseLeg { reason, .. } => of_no_vectors(reason),
        Error::NoEncoder { reason } => {
            format!("{}; name one with --model, --model-dir or --encoder-url", of_no_vectors(reason))
        }
        Error::EncoderServer(LlmError::Key { .. }) => format!("; it is read from {}", server::KEY),
        Error::Llm(LlmError::Key { .. }) => format!("; it is read from {LLM_KEY}"),
        Error::MissingSetting { of, setting } => missing(of, setting).to_owned(),
        Error::UnknownMemory { id, .. } => of_unknown_id(id.as_str()),
        Error::AmbiguousTitle { conversation, session, .. } => {
            format!(": --conversation {:?}, with --session {:?}", conversation.as_str(), session.as_str())
        }
        _ => of_code(error.code(), &error.to_string()).to_owned(),
    }
}

/// How to find the id of a turn or note that was not found by what was given for one.
fn of_unknown_id(given: &str) -> String {
    if local_time::is_date(given) {
        return format!("; `aforesaid list recent --from {given} --to {given}` shows what was said then, with ids");
    }
    let too_short = match given.chars().count() < SHORTEST_BEGINNING {
        true => format!("; the beginning of an id has at least {SHORTEST_BEGINNING} characters"),
        false => String::new(),
    };
    format!("{too_short}; `aforesaid search` prints ids")
}

/// What follows in an import alone.
pub(crate) fn of_importing(error: &Error) -> &'static str {
    match error {
        Error::Store(StoreError::Conflict { .. }) => ", or import with --on-conflict newest or keep",
        _ => "",
    }
}

fn of_code(code: &str, message: &str) -> &'static str {
    match code {
        "unknown_speaker" => "; `aforesaid list speakers` shows them",
        "empty_scope" => "; `aforesaid list` shows conversations, `aforesaid export` all names",
        "ambiguous_memory" | "ambiguous_session" => " with --conversation",
        "note_without_id" => "; give --id",
        "other_encoder" => "; choose with --model",
        "precision_on_server" => "; leave --precision out, or name a model of this machine with --model",
        "language_model_offline" => ": leave out --offline, or name another server with --llm-url",
        "encode_failed" => verify(message),
        "unknown_format" | "wrong_type" | "missing_field" if message.contains("name ") => " with --format",
        _ => "",
    }
}

/// How to verify a model, where a message asks for that.
fn verify(message: &str) -> &'static str {
    if message.contains("verify the checksums") { ": `aforesaid models verify`" } else { "" }
}

fn missing(of: &str, setting: &str) -> &'static str {
    match (of, setting) {
        ("a language model", "URL") => "; give --llm-url (AFORESAID_LLM_URL), or set it in the configuration file",
        ("a language model", _) => "; give --llm-model (AFORESAID_LLM_MODEL), or set it in the configuration file",
        _ => "; give --encoder-url and --encoder-model",
    }
}

fn of_store(error: &StoreError) -> String {
    match error {
        StoreError::EncoderMismatch { asked, .. } => of_mismatch(asked),
        StoreError::UnknownNamespace { known, .. } if known.is_empty() => {
            "; `aforesaid import` or `aforesaid add` makes one".to_owned()
        }
        StoreError::Dimension { .. } => ": `aforesaid reembed`".to_owned(),
        StoreError::Location { next, .. } if names_a_store(next) => " with --store".to_owned(),
        StoreError::FileExists { .. } => ", or give --replace".to_owned(),
        StoreError::Damaged { .. } => {
            "; `aforesaid check --full` says what else is, `aforesaid export --salvage` saves \
             what can be read; or restore a backup, which `aforesaid backup` makes"
                .to_owned()
        }
        StoreError::Backend { .. } => "; `aforesaid check` says whether the store is sound".to_owned(),
        _ => String::new(),
    }
}

/// Whether a remedy ends with the name of another store.
fn names_a_store(next: &str) -> bool {
    ["name another store", "such as memory.db", "name a store in a file"].iter().any(|end| next.ends_with(end))
}

/// How to re-embed by the encoder asked for, and how to use the active one.
fn of_mismatch(asked: &EncoderId) -> String {
    // The id names neither the server nor the prefixes.
    if asked.is_remote() {
        return ": `aforesaid reembed` with the same --encoder options, or leave these out".to_owned();
    }
    let precision = asked.precision().map(|precision| format!(" --precision {precision}")).unwrap_or_default();
    format!(": `aforesaid reembed --model {}{precision}`, or leave --model and --precision out", asked.model())
}

/// What follows the message of a model's error.
pub(crate) fn of_model(error: &ModelError) -> String {
    match error {
        ModelError::Unavailable { model, .. } => unavailable(model),
        _ => of_model_code(error.code(), &error.to_string()).to_owned(),
    }
}

fn of_model_code(code: &str, message: &str) -> &'static str {
    match code {
        "unknown_model" => " (--model-dir)",
        "model_checksum" | "model_file_missing" if message.contains("directory") => " (--model-dir)",
        "model_checksum" | "model_file_missing" | "model_weights" | "model_tokenizer"
            if message.contains("download") =>
        {
            ": `aforesaid models pull --force` downloads it"
        }
        "model_kind" => "; `aforesaid models list` says which is which",
        "no_threads" => " with --threads",
        _ => "",
    }
}

fn unavailable(model: &str) -> String {
    format!(
        "\nrun `aforesaid models pull {model}` where there is a network, give a directory with --model-dir DIR, or go on \
         with lexical search"
    )
}

fn of_no_vectors(reason: &NoVectors) -> String {
    match reason {
        NoVectors::SwitchedOff => " (--model none)".to_owned(),
        NoVectors::NotInStore => "; its administrator adds it with CREATE EXTENSION vector".to_owned(),
        NoVectors::NoneStored => "; `aforesaid reembed` makes them".to_owned(),
        NoVectors::UnknownServer { .. } => {
            "; name it with --encoder-url and --encoder-model, and with the prefixes and revision it had".to_owned()
        }
        NoVectors::UnregisteredModel { encoder } if encoder.has_adapter() => {
            "; name the file of its adapter with --model".to_owned()
        }
        NoVectors::UnregisteredModel { .. } => "; give its directory with --model-dir".to_owned(),
        NoVectors::Offline { .. } => " (--offline)".to_owned(),
        NoVectors::ModelUnavailable { model, .. } => unavailable(model),
        NoVectors::EncoderFailed { message } => verify(message).to_owned(),
        NoVectors::ModelFailed { code, message } => of_model_code(code, message).to_owned(),
        _ => String::new(),
    }
}

/// What follows a warning.
pub(crate) fn of_warning(warning: &Warning) -> String {
    match warning {
        Warning::LexicalOnly { reason } => of_no_vectors(reason),
        Warning::StoredWithoutVectors { reason } => {
            format!("{}; `aforesaid reembed` makes them later", of_no_vectors(reason))
        }
        Warning::MissingVectors { .. } => "; `aforesaid reembed` adds them".to_owned(),
        Warning::ForeignQuery { multilingual: Some(model), .. } => {
            format!("; `aforesaid reembed --model {model}` has it compare meaning across languages")
        }
        Warning::SensitiveLeftOut { .. } => "; `aforesaid search` shows them".to_owned(),
        Warning::ErasurePending => ", and `aforesaid stats` says whether one has".to_owned(),
        _ => String::new(),
    }
}

/// What follows the reason why there are no hits.
pub(crate) fn of_no_hits(reason: NoHits) -> &'static str {
    match reason {
        NoHits::LowConfidence => "; lower --min-confidence to see what there is",
        NoHits::EmptyHistory => "; `aforesaid list` shows what is, and tags match as they are stored",
        _ => "",
    }
}

/// What follows the remedy of a check's finding.
pub(crate) fn of_finding(next: &str) -> &'static str {
    match () {
        () if next.contains("salvage") => " (`aforesaid export --salvage`)",
        () if next.contains("re-embed") => " (`aforesaid reembed`)",
        () if next.contains("drop the cues") => " (`aforesaid cues drop`)",
        () => "",
    }
}
