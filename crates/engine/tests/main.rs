//! The tests of this crate, in one program: each program holds all of the engine, and one a file filled disks.
#![allow(clippy::expect_used, clippy::panic, clippy::print_stdout, clippy::unwrap_used, reason = "test code")]

mod ask;
mod bags;
mod beside_forgetting;
mod browsing;
mod chance;
mod check;
mod confidence;
mod cue_search;
mod cues;
mod encoders;
mod error_codes;
mod evidence;
mod explain;
mod exports;
mod ingest;
mod judge;
mod languages;
mod learned;
mod long_turns;
mod marked_turns;
mod migration;
mod model;
mod one_file;
mod other_languages;
mod own_leg;
mod own_reranker;
mod postgres;
mod postgres_in_database;
mod processes;
mod reading;
mod recall;
mod reembed;
mod remote_encoder;
mod requests;
mod search;
mod secret_corpus;
mod secrets;
#[allow(dead_code, reason = "these tests use a part")]
#[path = "../../llm/tests/protocol/server.rs"]
mod server;
mod session_recency;
mod snapshots;
mod sources;
mod spelling;
mod state_machine;
mod sync;
mod time;
mod titles;
mod why;
mod workers;
