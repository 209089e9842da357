//! The tests of this crate, in one program: each program holds all of the engine, and one a file filled disks.
#![allow(clippy::expect_used, clippy::panic, clippy::print_stdout, clippy::unwrap_used, reason = "test code")]

mod agents;
mod ask;
mod backup;
mod bad_input;
mod bad_model;
mod bad_store;
mod browsing;
#[cfg(unix)]
mod client_programs;
mod confidence;
mod cues;
mod damage;
#[cfg(unix)]
mod docs;
mod evaluation;
mod every_test_file;
mod evidence;
#[cfg(unix)]
mod first_session;
mod forget;
#[cfg(unix)]
mod hostile_files;
mod import;
mod main_job;
mod mcp;
#[cfg(unix)]
mod mcp_clients;
mod migration;
#[path = "../../engine/tests/model/mod.rs"]
mod model;
mod models;
mod old_names;
mod reading;
mod real_model;
mod remote_encoder;
mod rerank;
mod sandbox;
mod sensitive_turns;
#[allow(dead_code, reason = "these tests use a part")]
#[path = "../../llm/tests/protocol/server.rs"]
mod server;
mod standard_output;
mod terminal;
mod time;
mod training;
mod unused_options;
