//! The tests of this crate, in one program: each program holds all of the engine, and one a file filled disks.
#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::print_stderr,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "test code"
)]

mod choosing;
mod datasets_dialogue;
mod datasets_dialogues;
mod datasets_exports;
mod datasets_fetch;
mod datasets_jsonl;
mod datasets_locomo;
mod datasets_longmemeval;
mod datasets_real;
#[allow(dead_code, reason = "these tests use a part")]
mod folder;
mod in_database;
mod own_store;
mod places;
mod published;
mod receipts;
mod receipts_replay;
mod receipts_tables;
mod trec_oracle;
