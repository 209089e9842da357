//! `aforesaid mcp` with the official clients in Python and TypeScript, the newest and those of a year ago (November 2025),
//! over standard input and output and over HTTP: client.py and client.mjs list, call and page every tool.
//!
//! The packages are installed once, below the target folder. Where that is not possible the test says so and is skipped.

use std::{
    fs,
    io::{BufRead, BufReader},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
};

use serde_json::Value;

use crate::sandbox::{PROGRAM, Sandbox, finish};

/// A client that is installed.
struct Client {
    program: PathBuf,
    /// What stands before the way of connecting.
    args: Vec<PathBuf>,
}

fn script(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/mcp_clients").join(name)
}

/// The folder of an installation, which `install` makes where it is not whole; or why there is none.
fn installed(name: &str, install: impl FnOnce(&Path) -> Result<(), String>) -> Result<PathBuf, String> {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("mcp-clients").join(name);
    if !folder.join("whole").exists() {
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).unwrap();
        install(&folder)?;
        fs::write(folder.join("whole"), "").unwrap();
    }
    Ok(folder)
}

/// Runs a command of an installation, in the environment of whoever runs the tests.
fn run(command: &mut Command) -> Result<(), String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let output = command.stdin(Stdio::null()).output().map_err(|error| format!("{name}: {error}"))?;
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    let last = || errors.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or("no reason").to_owned();
    if output.status.success() { Ok(()) } else { Err(format!("{name}: {}", last())) }
}

/// A client from PyPI.
fn python(name: &str, package: &str) -> Result<Client, String> {
    let folder = installed(name, |folder| {
        run(Command::new("python3").args(["-m", "venv"]).arg(folder))?;
        let pip = ["-m", "pip", "install", "--quiet", "--no-input", "--disable-pip-version-check", package];
        run(Command::new(folder.join("bin/python")).args(pip))
    })?;
    Ok(Client { program: folder.join("bin/python"), args: vec![script("client.py")] })
}

/// A client from npm.
fn typescript(name: &str, package: &str) -> Result<Client, String> {
    let folder = installed(name, |folder| {
        run(Command::new("node").arg("--version"))?;
        fs::write(folder.join("package.json"), "{\"private\": true}\n").unwrap();
        let install = ["install", "--no-audit", "--no-fund", "--ignore-scripts", "--silent", package];
        run(Command::new("npm").args(install).current_dir(folder))
    })?;
    Ok(Client { program: "node".into(), args: vec![script("client.mjs"), folder] })
}

/// Has a client use the server in both ways, and checks by which revision of the protocol it did.
fn use_the_server(client: Result<Client, String>, revisions: &[&str]) {
    let client = match client {
        Ok(client) => client,
        Err(reason) => {
            println!("skipped: the client could not be installed: {reason}");
            return;
        }
    };
    for way in ["stdio", "http"] {
        let sandbox = Sandbox::new();
        let store = sandbox.path("memory.db");
        let server = [PROGRAM, "--store", store.to_str().unwrap(), "--model", "none", "mcp", "--namespace", "agent"];
        let mut command = sandbox.isolated(&client.program);
        command.args(&client.args).arg(way);
        let mut listening = None;
        match way {
            "stdio" => {
                command.args(server);
            }
            _ => {
                let (process, url) = listen(&sandbox, &server);
                listening = Some(process);
                command.arg(url);
            }
        }
        let outcome = finish(&mut command);
        if let Some(mut process) = listening {
            process.kill().unwrap();
            process.wait().unwrap();
        }
        assert_eq!(outcome.code, 0, "{way}: {}\n{}", outcome.stdout, outcome.stderr);
        let used: Vec<Value> = outcome.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        println!("{way}: {}", outcome.stdout);
        assert_eq!(used.iter().map(|one| one["protocol"].as_str().unwrap()).collect::<Vec<_>>(), revisions, "{way}");
        assert!(used.iter().all(|one| one["tools"] == 5), "{way}: {}", outcome.stdout);
        sandbox.done(&["check", "--full"]);
    }
}

/// A server that listens on a port of its own, and its URL.
fn listen(sandbox: &Sandbox, server: &[&str]) -> (Child, String) {
    let mut command = sandbox.isolated(server[0]);
    let mut process = command.args(&server[1..]).args(["--http", "0"]).stderr(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(process.stderr.take().unwrap()).lines().map_while(Result::ok);
    let url = lines.find_map(|line| Some(line.strip_prefix("listening at ")?.to_owned())).unwrap();
    (process, url)
}

#[test]
fn the_newest_python_client() {
    use_the_server(python("python-newest", "mcp"), &["2026-07-28", "2025-11-25"]);
}

#[test]
fn the_python_client_of_a_year_ago() {
    use_the_server(python("python-1.22.0", "mcp==1.22.0"), &["2025-06-18"]);
}

#[test]
fn the_newest_typescript_client() {
    use_the_server(typescript("typescript-newest", "@modelcontextprotocol/client"), &["2026-07-28", "2025-11-25"]);
}

#[test]
fn the_newest_typescript_client_of_version_1() {
    use_the_server(typescript("typescript-1", "@modelcontextprotocol/sdk"), &["2025-11-25"]);
}

#[test]
fn the_typescript_client_of_a_year_ago() {
    use_the_server(typescript("typescript-1.22.0", "@modelcontextprotocol/sdk@1.22.0"), &["2025-06-18"]);
}
