//! The namespace of a server that is told none.

use std::{fs, path::Path, process::Command};

use serde_json::json;

use super::client::Client;
use crate::sandbox::Sandbox;

/// A repository, as far as Git asks for it.
fn repository(sandbox: &Sandbox, folder: &str, url: &str) {
    for part in ["objects", "refs"] {
        fs::create_dir_all(sandbox.path(folder).join(".git").join(part)).unwrap();
    }
    sandbox.write(&format!("{folder}/.git/HEAD"), "ref: refs/heads/main\n");
    sandbox.write(&format!("{folder}/.git/config"), format!("[remote \"origin\"]\n\turl = {url}\n"));
}

fn server(sandbox: &Sandbox, folder: &Path) -> Command {
    let store = sandbox.path("memory.db");
    let mut command = sandbox.bare(&["--store", store.to_str().unwrap(), "--model", "none", "mcp"]);
    command.current_dir(folder);
    command
}

#[test]
fn clones_of_one_remote_share_memories_and_others_do_not() {
    let sandbox = Sandbox::new();
    repository(&sandbox, "one", "git@forge.example:ann/kites.git");
    repository(&sandbox, "two", "https://ann:token@forge.example/Ann/Kites");
    repository(&sandbox, "other", "https://forge.example/ann/tails");
    sandbox.write("one/src/deep/file", "");
    let mut client = Client::initialized(server(&sandbox, &sandbox.path("one/src/deep")));
    client.done("add_memory", json!({"note": "The tail is six feet long."}));
    let outcome = client.end();
    let said = "serving namespace forge.example/ann/kites (by the remote of its repository) of store ";
    assert!(outcome.stderr.starts_with(said), "{}", outcome.stderr);
    for (folder, found) in [("two", 1), ("other", 0), ("one", 1)] {
        let mut client = Client::initialized(server(&sandbox, &sandbox.path(folder)));
        let hits = client.done("search_memories", json!({"query": "how long is the tail?"}))["hits"].clone();
        assert_eq!(hits.as_array().unwrap().len(), found, "{folder}");
        let outcome = client.end();
        assert!(!outcome.stderr.contains("token"), "{}", outcome.stderr);
    }
    let found = sandbox.json(&["search", "tail", "--namespace", "forge.example/ann/kites"]);
    assert_eq!(found["hits"].as_array().unwrap().len(), 1);
}

#[test]
fn a_folder_without_a_repository_is_its_path() {
    let sandbox = Sandbox::new();
    sandbox.write("plain/file", "");
    let path = sandbox.path("plain").canonicalize().unwrap();
    let outcome = Client::start(server(&sandbox, &path)).end();
    let said = format!("serving namespace {} (by its folder) of store ", path.display());
    assert!(outcome.stderr.starts_with(&said), "{}", outcome.stderr);

    // The same from elsewhere.
    let mut command = server(&sandbox, &sandbox.path(""));
    command.args(["--project", "plain"]);
    assert!(Client::start(command).end().stderr.starts_with(&said));
}

#[test]
fn a_namespace_is_named_once() {
    let sandbox = Sandbox::new();
    let refused = sandbox.refusal(&["mcp", "--namespace", "n", "--project", "."]);
    assert!(refused.starts_with("2 usage: --project: the namespace is named already"), "{refused}");
    let refused = sandbox.refusal(&["mcp", "--project", "nowhere"]);
    assert!(refused.starts_with("3 not_found: project: nowhere could not be read"), "{refused}");
    assert!(refused.contains("or name a namespace with --namespace"), "{refused}");
    sandbox.write("lost/.git", "gitdir: ../gone\n");
    let refused = sandbox.refusal(&["mcp", "--project", "lost"]);
    assert!(refused.starts_with("4 invalid_input: project: ") && refused.contains("git worktree repair"), "{refused}");
    let refused = sandbox.refusal(&["mcp", "--now", "2025-01-01"]);
    assert!(refused.contains("--now: each call is made at its own moment"), "{refused}");
}

/// The server began, and every search said that its reranker was being loaded, and then that there was none.
#[test]
fn a_reranker_that_is_not_there_is_refused_at_once() {
    let sandbox = Sandbox::new();
    // No store is left behind, and a model that is no reranker is not one either.
    for name in ["nosuch", "all-MiniLM-L6-v2"] {
        let refused = sandbox.refusal(&["mcp", "--namespace", "n", "--rerank", name]);
        assert!(
            refused
                .starts_with(&format!("2 usage: --rerank {name}: found no reranker of that name; expected evidence")),
            "{refused}"
        );
        assert!(!sandbox.path(crate::sandbox::STORE).exists());
    }
}
