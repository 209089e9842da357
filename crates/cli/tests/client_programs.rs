//! The clients' own programs: Claude Code, Codex and Gemini CLI add the server and report it connected.
//!
//! They are 740 MB of npm packages, so that nothing fetches them: `AFORESAID_CLIENT_PROGRAMS` names a folder with `claude`,
//! `codex` and `gemini`, such as `node_modules/.bin`. Without it the test says that it is skipped.

use std::path::{Path, PathBuf};

use crate::sandbox::{PROGRAM, Sandbox, finish};

/// A program, the name that `agents install` knows it by, what stands before the server's command in its `mcp add`, and what its
/// `mcp list` says of a server that it uses. Codex lists servers without starting them.
struct Client {
    program: &'static str,
    name: &'static str,
    before_command: &'static [&'static str],
    connected: &'static str,
}

const CLIENTS: [Client; 3] = [
    Client { program: "claude", name: "claude-code", before_command: &["--"], connected: "Connected" },
    Client { program: "codex", name: "codex", before_command: &["--"], connected: "enabled" },
    Client { program: "gemini", name: "gemini-cli", before_command: &[], connected: "Connected" },
];

#[test]
fn the_clients_programs_report_the_server_connected() {
    let Some(programs) = std::env::var_os("AFORESAID_CLIENT_PROGRAMS").map(PathBuf::from) else {
        println!("skipped: AFORESAID_CLIENT_PROGRAMS names no folder with the clients' programs");
        return;
    };
    for client in CLIENTS {
        let program = programs.join(client.program);
        if !program.exists() {
            println!("skipped: {} is not there", program.display());
            continue;
        }
        check(&client, &program, |sandbox| {
            let mut add = sandbox.isolated(&program);
            let args = ["mcp", "add", "aforesaid"].iter().chain(client.before_command);
            finish(add.args(args).args([PROGRAM, "mcp"])).succeeded();
        });
        check(&client, &program, |sandbox| {
            sandbox.done(&["agents", "install", client.name, "--yes"]);
        });
    }
}

/// Adds the server in a home of its own, and asks the client about it.
fn check(client: &Client, program: &Path, add: impl FnOnce(&Sandbox)) {
    let sandbox = Sandbox::new();
    let folder = sandbox.path("").canonicalize().unwrap();
    // Gemini CLI starts no server in a folder that nobody has called trusted.
    let trusted = serde_json::json!({folder.to_str().unwrap(): "TRUST_FOLDER"});
    sandbox.write("home/.gemini/trustedFolders.json", trusted.to_string());
    sandbox.write("home/.codex/config.toml", "");
    add(&sandbox);
    let mut list = sandbox.isolated(program);
    let outcome = finish(list.env("AFORESAID_MODEL", "none").args(["mcp", "list"]));
    // Gemini CLI lists on standard error.
    let listed = format!("{}{}", outcome.stdout, outcome.stderr);
    assert_eq!(outcome.code, 0, "{}: {listed}", client.program);
    println!("{}: {listed}", client.program);
    let line = listed.lines().find(|line| line.contains("aforesaid") && line.contains(PROGRAM));
    assert!(line.is_some_and(|line| line.contains(client.connected)), "{}: {listed}", client.program);
}
