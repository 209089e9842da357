//! Errors as programs read them.

use std::error::Error as _;

use aforesaid_core::{StoreError, pipeline::SearchError, store::MemoryRef};
use aforesaid_llm::LlmError;
use aforesaid_models::ModelError;
use serde::Serialize;
use serde_json::{Value, json};

use crate::{
    error::{Error, ErrorKind},
    formats::FormatError,
};

/// An error as programs read it, by whatever way they called.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ErrorReport {
    /// What went wrong; it never changes.
    pub code: &'static str,
    /// What a caller can do about it.
    pub kind: ErrorKind,
    /// What went wrong and why, for people.
    pub message: String,
    /// What it was about, by field.
    pub data: Value,
}

impl Error {
    /// A stable code.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Store(error) | Self::Search(SearchError::Store(error)) => error.code(),
            Self::Search(_) => "score_not_a_number",
            Self::Encode(_) => "encode_failed",
            Self::Format(error) => error.code(),
            Self::Source(error) => error.code(),
            Self::Name(_) => "invalid_name",
            Self::UnknownMemory { .. } => "unknown_memory",
            Self::InvalidCues { .. } => "invalid_cues",
            Self::CueFile { .. } => "cue_file",
            Self::EmptyScope { .. } => "empty_scope",
            Self::AmbiguousMemory { .. } => "ambiguous_memory",
            Self::AmbiguousSession { .. } => "ambiguous_session",
            Self::AmbiguousId { .. } => "ambiguous_id",
            Self::AmbiguousConversation { .. } => "ambiguous_conversation",
            Self::AmbiguousTitle { .. } => "ambiguous_title",
            Self::UnknownSpeaker { .. } => "unknown_speaker",
            Self::AmbiguousSpeaker { .. } => "ambiguous_speaker",
            Self::NoteWithoutId => "note_without_id",
            Self::NoDenseLeg { .. } => "no_dense_leg",
            Self::OtherEncoder { .. } => "other_encoder",
            Self::NoEncoder { .. } => "no_encoder",
            Self::UnknownLocation { .. } => "unknown_location",
            Self::Model(error) => error.code(),
            Self::EncoderServer(error) | Self::Llm(error) => error.code(),
            Self::PrecisionOnServer => "precision_on_server",
            Self::MissingSetting { .. } => "missing_setting",
            Self::LlmOffline { .. } => "language_model_offline",
            Self::Reranker { .. } => "reranker_settings",
            Self::NoAnswer { .. } => "no_answer",
            Self::NoLayout { .. } => "no_layout",
            Self::SameStore { .. } => "same_store",
            Self::AdapterRecord { .. } => "adapter_record",
            Self::TargetTaken { .. } => "target_taken",
            Self::MigrationDiffers { .. } => "migration_differs",
            Self::Write(_) => "write_failed",
        }
    }

    /// The error as programs read it.
    pub fn report(&self) -> ErrorReport {
        ErrorReport { code: self.code(), kind: self.kind(), message: self.message(), data: self.data() }
    }

    /// The message with its causes, on one line unless a cause has several.
    pub fn message(&self) -> String {
        let mut message = self.to_string();
        let mut cause = self.source();
        while let Some(error) = cause {
            let text = error.to_string();
            if !message.contains(&text) {
                message.push_str(&format!(": {text}"));
            }
            cause = error.source();
        }
        message
    }

    /// What it was about.
    fn data(&self) -> Value {
        match self {
            Self::Store(error) | Self::Search(SearchError::Store(error)) => of_store(error),
            Self::Format(error) => of_format(error),
            Self::Source(error) => json!({"file": error.file()}),
            Self::Model(error) => of_model(error),
            Self::EncoderServer(error) => of_server("encoder", error),
            Self::Llm(error) => of_server("language_model", error),
            Self::Encode(error) => json!({"encoder": error.encoder}),
            Self::UnknownMemory { id, namespace, conversation } => {
                json!({"id": id, "namespace": namespace, "conversation": conversation})
            }
            Self::InvalidCues { id, found, expected } => json!({"id": id, "found": found, "expected": expected}),
            Self::CueFile { file, line, found, expected } => {
                json!({"file": file, "line": line, "found": found, "expected": expected})
            }
            Self::EmptyScope { scope, namespace } => json!({"scope": scope, "namespace": namespace}),
            Self::AmbiguousMemory { id, conversations } => json!({"id": id, "conversations": conversations}),
            Self::AmbiguousId { beginning, candidates, more } => {
                let one = |of: &MemoryRef| json!({"id": of.id, "conversation": of.conversation});
                let candidates: Vec<Value> = candidates.iter().map(one).collect();
                json!({"id": beginning, "candidates": candidates, "more": more})
            }
            Self::AmbiguousConversation { name, conversations } => {
                json!({"name": name, "conversations": conversations})
            }
            Self::AmbiguousTitle { title, conversation, session, others } => {
                json!({"title": title, "conversation": conversation, "session": session, "others": others})
            }
            Self::UnknownSpeaker { name, namespace, known, total } => {
                json!({"name": name, "namespace": namespace, "known": known, "total": total})
            }
            Self::AmbiguousSpeaker { name, speakers, total } => {
                json!({"name": name, "speakers": speakers, "total": total})
            }
            Self::AmbiguousSession { session, conversations } => {
                json!({"session": session, "conversations": conversations})
            }
            Self::NoDenseLeg { pipeline, reason } => json!({"pipeline": pipeline, "because": reason}),
            Self::OtherEncoder { pipeline, asked, found } => {
                json!({"pipeline": pipeline, "expected": asked, "found": found})
            }
            Self::NoEncoder { reason } => json!({"because": reason}),
            Self::UnknownLocation { location } | Self::NoLayout { location } | Self::SameStore { location } => {
                json!({"location": location})
            }
            Self::TargetTaken { namespace, location, found } => {
                json!({"namespace": namespace, "location": location, "found": found})
            }
            Self::MigrationDiffers { namespace, location, expected, found } => {
                json!({"namespace": namespace, "location": location, "expected": expected, "found": found})
            }
            Self::AdapterRecord { path, .. } => json!({"file": path}),
            Self::MissingSetting { of, setting } => json!({"of": of, "setting": setting}),
            Self::LlmOffline { url } => json!({"url": url}),
            Self::Reranker { reranker, problem } => json!({"reranker": reranker, "problem": problem}),
            Self::Search(_)
            | Self::Name(_)
            | Self::NoteWithoutId
            | Self::PrecisionOnServer
            | Self::NoAnswer { .. }
            | Self::Write(_) => json!({}),
        }
    }
}

fn of_store(error: &StoreError) -> Value {
    match error {
        StoreError::Conflict { id, conversation, field } => {
            json!({"id": id, "conversation": conversation, "field": field})
        }
        StoreError::UnknownNamespace { namespace, known } => json!({"namespace": namespace, "known": known}),
        StoreError::EncoderMismatch { namespace, active, asked } => {
            json!({"namespace": namespace, "active_encoder": active, "encoder": asked})
        }
        StoreError::Unstaged { encoder } => json!({"encoder": encoder}),
        StoreError::Dimension { encoder, expected, found } => {
            json!({"encoder": encoder, "expected": expected, "found": found})
        }
        StoreError::Location { location, found, .. } | StoreError::Damaged { location, found } => {
            json!({"location": location, "found": found})
        }
        StoreError::FileExists { location, .. } => json!({"location": location}),
        StoreError::Outdated { namespace } => json!({"namespace": namespace}),
        StoreError::Backend { location, action, .. } => json!({"location": location, "action": action}),
        _ => json!({}),
    }
}

fn of_format(error: &FormatError) -> Value {
    match error {
        FormatError::Packed { file, .. } | FormatError::Utf16 { file } | FormatError::Unrecognized { file, .. } => {
            json!({"file": file})
        }
        FormatError::NotUtf8 { file, line, offset } => json!({"file": file, "line": line, "offset": offset}),
        FormatError::Json { file, line, column, .. } => json!({"file": file, "line": line, "column": column}),
        FormatError::WrongType { place, what, found, expected }
        | FormatError::WrongValue { place, what, found, expected } => {
            json!({"place": place, "field": what, "found": found, "expected": expected})
        }
        FormatError::Missing { place, field, expected } => {
            json!({"place": place, "field": field, "expected": expected})
        }
        FormatError::UnknownField { place, field, .. } => json!({"place": place, "field": field}),
        FormatError::Name { place, what, .. } => json!({"place": place, "field": what}),
        FormatError::Invalid { place, .. } => json!({"place": place}),
        FormatError::Conflict { first, second, id, conversation, field } => {
            json!({"first": first, "second": second, "id": id, "conversation": conversation, "field": field})
        }
    }
}

fn of_model(error: &ModelError) -> Value {
    match error {
        ModelError::Unknown { name, known } => json!({"model": name, "known": known}),
        ModelError::Unavailable { model, attempts } => {
            let tried: Vec<String> = attempts.iter().map(ToString::to_string).collect();
            json!({"model": model, "tried": tried})
        }
        ModelError::WrongChecksum { path, .. }
        | ModelError::MissingFile { path, .. }
        | ModelError::Io { path, .. }
        | ModelError::Config { path, .. }
        | ModelError::Weights { path, .. }
        | ModelError::Tensor { path, .. }
        | ModelError::Tokenizer { path, .. } => json!({"path": path}),
        ModelError::Kind { model, .. } => json!({"model": model}),
        _ => json!({}),
    }
}

fn of_server(server: &str, error: &LlmError) -> Value {
    match error {
        LlmError::Connection { url, .. }
        | LlmError::TimedOut { url, .. }
        | LlmError::Redirected { url, .. }
        | LlmError::TooLarge { url, .. }
        | LlmError::Truncated { url, .. }
        | LlmError::NotJson { url, .. }
        | LlmError::Answer { url, .. } => json!({"server": server, "url": url}),
        LlmError::Status { url, status, .. } => json!({"server": server, "url": url, "status": status}),
        LlmError::Setting { setting, found, .. } => json!({"server": server, "setting": setting, "found": found}),
        LlmError::Io { path, .. } => json!({"server": server, "path": path}),
        _ => json!({"server": server}),
    }
}
