//! `sync`, `agents` and `hook` as people and agents run them.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "test code")]

#[path = "../sandbox/mod.rs"]
mod sandbox;

mod clients;
mod hooks;
mod logs;
mod sync;
mod watch;
