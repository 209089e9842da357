//! A client of a few lines: JSON-RPC over the pipes of a process.

use std::{
    io::{BufRead, BufReader, Write},
    process::{Child, ChildStdin, Command, Stdio},
    sync::mpsc::{Receiver, channel},
    thread,
    time::Duration,
};

use serde_json::{Map, Value, json};

use crate::sandbox::{Outcome, Sandbox};

/// After so long without an answer the server hangs.
const PATIENCE: Duration = Duration::from_secs(120);

/// A server and the client at its other end.
pub(crate) struct Client {
    server: Child,
    input: Option<ChildStdin>,
    lines: Receiver<String>,
    seen: Vec<String>,
    requests: u64,
}

/// `aforesaid mcp` in a sandbox, on a namespace named `agent`.
pub(crate) fn server(sandbox: &Sandbox) -> Command {
    sandbox.command(&["mcp", "--namespace", "agent"])
}

impl Client {
    /// Starts a server, and says nothing to it.
    pub(crate) fn start(mut server: Command) -> Self {
        let server = server.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut server = server.spawn().unwrap();
        let output = BufReader::new(server.stdout.take().unwrap());
        let (send, lines) = channel();
        thread::spawn(move || output.lines().map_while(Result::ok).try_for_each(|line| send.send(line)));
        Self { input: server.stdin.take(), server, lines, seen: Vec::new(), requests: 0 }
    }

    /// A client that has begun as clients before 2026-07-28 do.
    pub(crate) fn initialized(server: Command) -> Self {
        let mut client = Self::start(server);
        client.initialize("2025-11-25");
        client
    }

    /// Begins, and gives the result.
    pub(crate) fn initialize(&mut self, version: &str) -> Value {
        let me = json!({"name": "test", "version": "1"});
        let params = json!({"protocolVersion": version, "capabilities": {}, "clientInfo": me});
        let result = self.result("initialize", params);
        self.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}).to_string());
        result
    }

    /// Sends a line.
    pub(crate) fn send(&mut self, line: &str) {
        writeln!(self.input.as_mut().unwrap(), "{line}").unwrap();
    }

    /// The next message of the server.
    pub(crate) fn receive(&mut self) -> Value {
        let line = self.lines.recv_timeout(PATIENCE).expect("the server has not answered");
        let message: Value = serde_json::from_str(&line).unwrap_or_else(|_| panic!("no protocol on stdout: {line}"));
        assert_eq!(message["jsonrpc"], "2.0", "{line}");
        self.seen.push(line);
        message
    }

    /// Sends a request, and gives the whole response.
    pub(crate) fn request(&mut self, method: &str, params: Value) -> Value {
        self.requests += 1;
        let id = self.requests;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}).to_string());
        let response = self.receive();
        assert_eq!(response["id"], id, "{response}");
        response
    }

    /// The result of a request that must succeed.
    pub(crate) fn result(&mut self, method: &str, params: Value) -> Value {
        let mut response = self.request(method, params);
        assert!(response.get("error").is_none(), "{response}");
        response["result"].take()
    }

    /// The result of a tool call, which may be an error that the tool tells.
    pub(crate) fn call(&mut self, tool: &str, arguments: Value) -> Value {
        self.result("tools/call", json!({"name": tool, "arguments": arguments}))
    }

    /// The structured content of a tool call that must succeed.
    pub(crate) fn done(&mut self, tool: &str, arguments: Value) -> Value {
        let mut result = self.call(tool, arguments);
        assert_ne!(result["isError"], true, "{result}");
        assert!(!text(&result).is_empty(), "{result}");
        result["structuredContent"].take()
    }

    /// What a tool says when it cannot do as asked.
    pub(crate) fn refused(&mut self, tool: &str, arguments: Value) -> String {
        let result = self.call(tool, arguments);
        assert_eq!(result["isError"], true, "{result}");
        assert!(result.get("structuredContent").is_none(), "{result}");
        text(&result).to_owned()
    }

    /// Process id of the server.
    pub(crate) fn id(&self) -> u32 {
        self.server.id()
    }

    /// Ends the server by ending its input; what it wrote on standard output is all that it ever wrote.
    pub(crate) fn end(mut self) -> Outcome {
        drop(self.input.take());
        self.ended()
    }

    /// What became of a server that ends.
    pub(crate) fn ended(mut self) -> Outcome {
        let _open = self.input.take();
        while let Ok(line) = self.lines.recv_timeout(PATIENCE) {
            self.seen.push(line);
        }
        let output = self.server.wait_with_output().unwrap();
        Outcome {
            code: output.status.code().expect("the server was killed"),
            stdout: self.seen.join("\n"),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }
}

/// The text of a tool's result.
pub(crate) fn text(result: &Value) -> &str {
    let content = result["content"].as_array().unwrap();
    assert_eq!((content.len(), &content[0]["type"]), (1, &json!("text")), "{result}");
    content[0]["text"].as_str().unwrap()
}

/// What a request of the revision 2026-07-28 carries.
pub(crate) fn meta() -> Map<String, Value> {
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    meta.as_object().unwrap().clone()
}
