//! Starts a server as a client would, and speaks to it.

use std::{
    io::{BufRead, BufReader, Read, Write},
    path::Path,
    process::{Child, Command, Stdio},
    sync::mpsc::{Receiver, RecvTimeoutError, channel},
    thread,
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use super::ServerCommand;

/// What a server says of itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Probed {
    /// Its name and version.
    pub server: String,
    /// Its tools.
    pub tools: Vec<String>,
    /// What it printed on standard error.
    pub aside: String,
    /// How long it took to answer, in milliseconds.
    pub millis: u128,
}

/// A server that does not answer as it should.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ProbeError {
    /// The program could not be started.
    #[error("{command} could not be started; install it there, or install the server again")]
    Start {
        /// The program.
        command: String,
        /// Why.
        source: std::io::Error,
    },
    /// It said nothing in time.
    #[error("no answer to {request} within {seconds} s{said}")]
    Silent {
        /// What was asked.
        request: &'static str,
        /// How long was waited.
        seconds: u64,
        /// What it printed on standard error.
        said: String,
    },
    /// It ended.
    #[error("the server ended before it answered {request}{said}")]
    Ended {
        /// What was asked.
        request: &'static str,
        /// What it printed on standard error.
        said: String,
    },
    /// It printed something else than the protocol.
    #[error("the answer to {request} is no message of the protocol: {found}")]
    NoProtocol {
        /// What was asked.
        request: &'static str,
        /// The beginning of the line.
        found: String,
    },
}

struct Server {
    child: Child,
    lines: Receiver<String>,
    patience: Duration,
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Starts a server in a folder, and asks who it is and what tools it has.
///
/// # Errors
/// When it cannot be started, or does not answer each request within `patience`.
pub fn probe(server: &ServerCommand, folder: &Path, patience: Duration) -> Result<Probed, ProbeError> {
    let begun = Instant::now();
    let shown = folder.to_string_lossy();
    let args = server.args.iter().map(|arg| arg.replace("${workspaceFolder}", &shown));
    let mut command = Command::new(&server.command);
    command.args(args).current_dir(folder).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let failed = |source| ProbeError::Start { command: server.command.clone(), source };
    let mut child = command.spawn().map_err(failed)?;
    let output = child.stdout.take();
    let (send, lines) = channel();
    thread::spawn(move || {
        let Some(output) = output else { return };
        let _ = BufReader::new(output).lines().map_while(Result::ok).try_for_each(|line| send.send(line));
    });
    let mut server = Server { child, lines, patience };
    let me = json!({"name": "aforesaid doctor", "version": env!("CARGO_PKG_VERSION")});
    let params = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": me});
    let hello = server.ask("initialize", 1, params)?;
    server.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
    let tools = server.ask("tools/list", 2, json!({}))?;
    let text = |value: &Value| value.as_str().unwrap_or("?").to_owned();
    let info = &hello["serverInfo"];
    let names = tools["tools"].as_array().into_iter().flatten().map(|tool| text(&tool["name"])).collect();
    let millis = begun.elapsed().as_millis();
    Ok(Probed {
        server: format!("{} {}", text(&info["name"]), text(&info["version"])),
        tools: names,
        aside: server.said(),
        millis,
    })
}

impl Server {
    fn send(&mut self, message: &Value) {
        if let Some(input) = &mut self.child.stdin {
            // Where this fails it has ended, which the answer tells.
            let _ = writeln!(input, "{message}").and_then(|()| input.flush());
        }
    }

    fn ask(&mut self, request: &'static str, id: u64, params: Value) -> Result<Value, ProbeError> {
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": request, "params": params}));
        loop {
            let line = match self.lines.recv_timeout(self.patience) {
                Ok(line) => line,
                Err(RecvTimeoutError::Timeout) => {
                    let seconds = self.patience.as_secs();
                    return Err(ProbeError::Silent { request, seconds, said: with_colon(&self.said()) });
                }
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(ProbeError::Ended { request, said: with_colon(&self.said()) });
                }
            };
            let found = line.chars().take(80).collect();
            let Ok(mut message) = serde_json::from_str::<Value>(&line) else {
                return Err(ProbeError::NoProtocol { request, found });
            };
            if message["id"] == id {
                return match message.get("result") {
                    Some(_) => Ok(message["result"].take()),
                    None => Err(ProbeError::NoProtocol { request, found }),
                };
            }
        }
    }

    /// Ends the server, and gives what it printed on standard error.
    fn said(&mut self) -> String {
        drop(self.child.stdin.take());
        let _ = self.child.kill();
        let mut said = Vec::new();
        if let Some(error) = self.child.stderr.take() {
            let _ = error.take(4_096).read_to_end(&mut said);
        }
        String::from_utf8_lossy(&said).trim().to_owned()
    }
}

fn with_colon(said: &str) -> String {
    if said.is_empty() { String::new() } else { format!("; it said: {said}") }
}
