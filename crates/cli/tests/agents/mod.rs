//! `sync`, `agents` and `hook` as people and agents run them.

mod clients;
mod hooks;
mod logs;
mod sync;
mod watch;
