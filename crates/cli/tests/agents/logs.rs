//! Logs of an agent in a sandbox.

use std::fs;

use crate::sandbox::Sandbox;

pub(crate) const SESSION: &str = "0b8f5c1e-9a43-4a0e-8a53-5d8f6b2c7e10";

/// The path of a session's log.
pub(crate) fn path(session: &str) -> String {
    format!("home/.claude/projects/-kites/{session}.jsonl")
}

/// A prompt and its answer, as Claude Code writes them.
pub(crate) fn round(sandbox: &Sandbox, session: &str, number: usize, asked: &str, answered: &str) -> String {
    let cwd = sandbox.path("kites");
    fs::create_dir_all(&cwd).unwrap();
    let cwd = serde_json::to_string(&cwd).unwrap();
    let day = 1 + number % 28;
    format!(
        "{{\"type\":\"user\",\"uuid\":\"u{number}\",\"sessionId\":\"{session}\",\"cwd\":{cwd},\"gitBranch\":\"main\",\
         \"timestamp\":\"2026-10-{day:02}T08:00:00Z\",\"message\":{{\"role\":\"user\",\"content\":\"{asked}\"}}}}\n\
         {{\"type\":\"assistant\",\"uuid\":\"a{number}\",\"sessionId\":\"{session}\",\"cwd\":{cwd},\
         \"timestamp\":\"2026-10-{day:02}T08:00:09Z\",\"message\":{{\"id\":\"m{number}\",\"role\":\"assistant\",\"content\":\
         [{{\"type\":\"text\",\"text\":\"{answered}\"}}]}}}}\n"
    )
}

/// The namespace of the project that the rounds are in.
pub(crate) fn namespace(sandbox: &Sandbox) -> String {
    let folder = sandbox.path("kites");
    fs::create_dir_all(&folder).unwrap();
    folder.canonicalize().unwrap().to_string_lossy().into_owned()
}
