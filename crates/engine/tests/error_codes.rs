//! Error codes are stable, and messages of the library name no option and no command of the command line.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

use aforesaid::{Error, ErrorKind, Memory, NoVectors, store::MemoryRef, types::*};
use serde_json::json;

/// The crates whose messages any caller may show.
const LIBRARIES: [&str; 5] = ["core", "engine", "models", "llm", "sqlite"];

/// Every Rust file of the library crates that is no test.
fn sources() -> Vec<PathBuf> {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let mut folders: Vec<PathBuf> = LIBRARIES.iter().map(|name| crates.join(name).join("src")).collect();
    let mut files = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_str().unwrap().to_owned();
            match path.is_dir() {
                true if name != "tests" && name != "conformance" => folders.push(path),
                false if name.ends_with(".rs") && name != "tests.rs" && name != "testing.rs" => files.push(path),
                _ => {}
            }
        }
    }
    files
}

/// The source of a file without its tests.
fn product_code(path: &Path) -> String {
    let text = fs::read_to_string(path).unwrap();
    text.split("#[cfg(test)]\nmod tests {").next().unwrap().to_owned()
}

/// String literals of a line that is no comment.
fn literals(line: &str) -> impl Iterator<Item = &str> {
    let code = if line.trim_start().starts_with("//") { "" } else { line };
    code.split('"').skip(1).step_by(2)
}

#[test]
fn messages_name_no_option_and_no_command() {
    let mut found = Vec::new();
    for path in sources() {
        // Options of other programs: of one that is run to download a file, and of those that are told passwords.
        if path.ends_with("resolve/pypi.rs") || path.ends_with("secrets/commands.rs") {
            continue;
        }
        for (number, line) in (1..).zip(product_code(&path).lines()) {
            let in_code = if line.trim_start().starts_with("//") { "" } else { line };
            let names_option = |text: &str| {
                text.match_indices("--")
                    .any(|(at, _)| text[at + 2..].starts_with(|next: char| next.is_ascii_lowercase()))
            };
            if names_option(in_code) || in_code.contains("`aforesaid ") || in_code.contains("AFORESAID_") {
                found.push(format!("{}:{number}: {}", path.display(), line.trim()));
            }
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn the_codes_are_these() {
    let mut codes = BTreeSet::new();
    for path in sources() {
        let text = product_code(&path);
        for function in text.split("fn code(&self) -> &'static str {").skip(1) {
            let body = function.split("\n    }\n").next().unwrap();
            codes.extend(body.lines().flat_map(literals).map(str::to_owned));
        }
    }
    let codes: Vec<String> = codes.into_iter().collect();
    insta::assert_snapshot!(codes.join("\n"), @r"
    adapter_of_another_model
    adapter_record
    ambiguous_conversation
    ambiguous_id
    ambiguous_memory
    ambiguous_session
    ambiguous_speaker
    ambiguous_title
    archive_entries
    archive_file_too_large
    archive_overlap
    archive_path
    archive_ratio
    batch_file_io
    broken_archive
    broken_json
    cue_file
    empty_scope
    empty_text
    encode_failed
    encoder_failed
    encoder_mismatch
    encoder_not_registered
    encoder_server_failed
    encoder_server_not_configured
    encoder_server_offline
    encrypted_archive
    file_exists
    file_not_utf8
    file_packed
    file_unreadable
    file_utf16
    folders_too_deep
    id_conflict
    instructions_missing
    invalid_cues
    invalid_importance
    invalid_name
    invalid_pattern
    language_model_offline
    migration_differs
    missing_field
    missing_setting
    model_checksum
    model_config
    model_download
    model_file_missing
    model_io
    model_kind
    model_tensor
    model_tokenizer
    model_training
    model_unavailable
    model_weights
    namespace_changed
    nested_archive
    no_answer
    no_dense_leg
    no_encoder
    no_encoder_configured
    no_layout
    no_speaker
    no_threads
    no_vectors_stored
    note_metadata
    note_without_id
    other_encoder
    out_of_budget
    pattern_without_match
    precision_on_server
    reranker_settings
    response_cache_io
    same_store
    score_not_a_number
    server_answer_not_json
    server_answer_too_large
    server_answer_truncated
    server_answer_unexpected
    server_connection
    server_key
    server_proxy
    server_redirected
    server_setting
    server_status
    server_timed_out
    server_url
    staged_vectors_gone
    store_damaged
    store_failed
    store_location
    target_taken
    text_too_long
    title_too_long
    unknown_field
    unknown_format
    unknown_location
    unknown_memory
    unknown_model
    unknown_namespace
    unknown_speaker
    vector_dimension
    vectors_not_in_store
    vectors_not_used
    vectors_switched_off
    was_said
    write_failed
    wrong_type
    wrong_value
    ");
}

#[test]
fn an_error_is_reported_with_code_kind_message_and_data() {
    let memory = Memory::builder().open("memory:").unwrap();
    let namespace = Namespace::new("me").unwrap();
    let note = |text: &str| Note {
        id: None,
        conversation: None,
        text: text.to_owned(),
        said_at: None,
        importance: Importance::default(),
        tags: Vec::new(),
        sensitivity: Sensitivity::Ordinary,
        source: Vec::new(),
    };
    memory.add_note(&namespace, note("A kite.")).unwrap();
    let memory_ref = MemoryRef { id: MemoryId::new("nobody").unwrap(), conversation: None };
    let error = memory.show(&namespace, &memory_ref, 0, 0).unwrap_err();
    assert_eq!(
        serde_json::to_value(error.report()).unwrap(),
        json!({
            "code": "unknown_memory",
            "kind": "not_found",
            "message": "id \"nobody\": no such turn or note in namespace \"me\"",
            "data": {"id": "nobody", "namespace": "me", "conversation": null},
        })
    );
    let error = memory.stats(&Namespace::new("you").unwrap()).unwrap_err();
    assert_eq!((error.code(), error.kind()), ("unknown_namespace", ErrorKind::NotFound));
    assert_eq!(error.report().data, json!({"namespace": "you", "known": ["me"]}));
    let error = Error::NoEncoder { reason: NoVectors::SwitchedOff };
    assert_eq!(error.report().data["because"]["reason_code"], "vectors_switched_off");
}
