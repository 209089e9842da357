//! `aforesaid mcp`, driven as its clients drive it: by messages on its standard input, or by HTTP requests.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout, reason = "test code")]

mod client;
mod ending;
mod http;
mod lifecycle;
mod malformed;
mod order;
mod project;
#[path = "../sandbox/mod.rs"]
mod sandbox;
mod tools;
