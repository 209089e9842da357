//! The server over HTTP.

use std::{
    io::{BufRead, BufReader, Read, Write},
    net::TcpStream,
    process::{Child, Command, Stdio},
    thread,
};

use serde_json::{Value, json};

use super::client::meta;
use crate::sandbox::Sandbox;

/// A server that listens on a port of its own.
struct Server {
    process: Child,
    address: String,
}

/// What a server answered.
struct Response {
    status: u16,
    head: String,
    body: String,
}

impl Server {
    fn start(sandbox: &Sandbox, args: &[&str], key: Option<&str>) -> Self {
        let all = [&["mcp", "--namespace", "agent", "--http", "0"], args].concat();
        let mut command = sandbox.command(&all);
        command.envs(key.map(|key| ("AFORESAID_MCP_KEY", key)));
        let mut process = command.stderr(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let mut lines = BufReader::new(process.stderr.take().unwrap()).lines().map_while(Result::ok);
        let line = lines.nth(1).unwrap();
        let address = line.strip_prefix("listening at http://").unwrap().strip_suffix("/mcp").unwrap().to_owned();
        Self { process, address }
    }

    fn send(&self, request: &str) -> Response {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        // A request that is refused early is answered before all of it is read.
        let _ = stream.write_all(request.as_bytes());
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        Response { status, head: head.to_lowercase(), body: body.to_owned() }
    }

    /// Posts a message, with headers besides the usual ones.
    fn post(&self, headers: &[(&str, &str)], message: &Value) -> Response {
        let body = message.to_string();
        let host = &self.address;
        let host = headers.iter().find(|(name, _)| *name == "Host").map_or(host.as_str(), |(_, host)| host);
        let others = headers.iter().filter(|(name, _)| *name != "Host");
        let others: String = others.map(|(name, value)| format!("{name}: {value}\r\n")).collect();
        self.send(&format!(
            "POST /mcp HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\nContent-Type: application/json\r\n\
             Accept: application/json, text/event-stream\r\n{others}Content-Length: {}\r\n\r\n{body}",
            body.len()
        ))
    }

    /// Calls a tool, as clients of 2025-11-25 do.
    fn call(&self, tool: &str, arguments: Value) -> Value {
        let params = json!({"name": tool, "arguments": arguments});
        let message = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params});
        let response = self.post(&[("MCP-Protocol-Version", "2025-11-25")], &message);
        assert_eq!(response.status, 200, "{}", response.body);
        assert!(response.head.contains("content-type: application/json"), "{}", response.head);
        let mut response: Value = serde_json::from_str(&response.body).unwrap();
        response["result"].take()
    }

    #[cfg(unix)]
    fn end(mut self) -> (i32, String) {
        assert!(Command::new("kill").args(["-s", "TERM", &self.process.id().to_string()]).status().unwrap().success());
        let mut stdout = String::new();
        self.process.stdout.take().unwrap().read_to_string(&mut stdout).unwrap();
        (self.process.wait().unwrap().code().unwrap(), stdout)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn ping() -> Value {
    json!({"jsonrpc": "2.0", "id": 1, "method": "ping"})
}

#[cfg(unix)]
#[test]
fn both_lifecycles_are_served_without_sessions() {
    let sandbox = Sandbox::new();
    let server = Server::start(&sandbox, &[], None);
    let me = json!({"name": "test", "version": "1"});
    let params = json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": me});
    let begun = server.post(&[], &json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params}));
    assert_eq!(begun.status, 200, "{}", begun.body);
    assert!(begun.body.contains("\"protocolVersion\":\"2025-06-18\"") && !begun.head.contains("mcp-session-id"));
    let noted = server.post(&[], &json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
    assert_eq!((noted.status, noted.body.as_str()), (202, ""));

    let added = server.call("add_memory", json!({"note": "The kite is red."}));
    assert_eq!(added["structuredContent"]["added"], 1, "{added}");
    let refused = server.call("add_memory", json!({"text": "x"}));
    assert_eq!(refused["isError"], true);

    let newest = [("MCP-Protocol-Version", "2026-07-28"), ("Mcp-Method", "server/discover")];
    let discover = json!({"jsonrpc": "2.0", "id": 1, "method": "server/discover", "params": {"_meta": meta()}});
    let found: Value = serde_json::from_str(&server.post(&newest, &discover).body).unwrap();
    assert_eq!(found["result"]["resultType"], "complete", "{found}");
    let newest = [newest[0], ("Mcp-Method", "tools/call"), ("Mcp-Name", "search_memories")];
    let params = json!({"name": "search_memories", "arguments": {"query": "red kite"}, "_meta": meta()});
    let call = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params});
    let found: Value = serde_json::from_str(&server.post(&newest, &call).body).unwrap();
    assert_eq!(found["result"]["structuredContent"]["hits"][0]["text"], "The kite is red.", "{found}");
    assert_eq!(server.end(), (0, String::new()));
    sandbox.done(&["check", "--full"]);
}

#[test]
fn strangers_are_turned_away() {
    let sandbox = Sandbox::new();
    let server =
        Server::start(&sandbox, &["--allow-host", "memory.example", "--allow-origin", "https://app.example:443"], None);
    let status = |headers: &[(&str, &str)]| server.post(headers, &ping()).status;
    for host in ["localhost", "127.0.0.1:99", "[::1]", "memory.example", "Memory.Example:80"] {
        assert_eq!(status(&[("Host", host)]), 200, "{host}");
    }
    for host in ["evil.example", "localhost.evil.example", "127.0.0.1.evil.example:80", "memory.example.evil"] {
        assert_eq!(status(&[("Host", host)]), 403, "{host}");
    }
    assert_eq!(status(&[("Origin", "https://app.example")]), 200);
    for origin in ["http://localhost", "https://evil.example", "http://app.example", "https://app.example:444", "null"]
    {
        assert_eq!(status(&[("Origin", origin)]), 403, "{origin}");
    }
    // Without names of its own, a server answers no page at all.
    let server = Server::start(&sandbox, &[], None);
    assert_eq!(server.post(&[("Origin", "http://localhost")], &ping()).status, 403);
}

#[test]
fn a_key_is_asked_for_where_one_is_set() {
    let sandbox = Sandbox::new();
    let server = Server::start(&sandbox, &[], Some("sesame-7"));
    let with = |value: &str| server.post(&[("Authorization", value)], &ping());
    assert_eq!(with("Bearer sesame-7").status, 200);
    assert_eq!(with("bearer sesame-7").status, 200);
    for wrong in ["Bearer sesame-8", "Bearer sesame", "Bearer ", "Basic sesame-7", "sesame-7", "é"] {
        let refused = with(wrong);
        assert!(refused.status == 401 && refused.head.contains("www-authenticate: bearer"), "{wrong}");
        assert!(!refused.body.contains("sesame"));
    }
    assert_eq!(server.post(&[], &ping()).status, 401);
}

#[test]
fn what_is_no_message_is_refused() {
    let sandbox = Sandbox::new();
    let server = Server::start(&sandbox, &[], None);
    let host = &server.address;
    let get =
        |path: &str| server.send(&format!("GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n")).status;
    assert_eq!((get("/mcp"), get("/"), get("/mcp/x")), (405, 404, 404));
    let post = |headers: &str, body: &str| {
        let length = body.len();
        let head = format!(
            "POST /mcp HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n{headers}Content-Length: {length}\r\n\r\n"
        );
        server.send(&(head + body)).status
    };
    let accept = "Accept: application/json, text/event-stream\r\n";
    assert_eq!(post(accept, "{}"), 415);
    let json = format!("{accept}Content-Type: application/json\r\n");
    assert!(post("Content-Type: application/json\r\n", &ping().to_string()) == 406);
    assert_eq!(post(&json, &format!("\"{}\"", "x".repeat(5 << 20))), 413);
    // It said that the media type was not supported.
    for (wrong, code) in [
        ("", -32700),
        ("{", -32700),
        ("\u{0}", -32700),
        ("[]", -32600),
        ("3", -32600),
        ("{\"jsonrpc\":\"2.0\"}", -32600),
    ] {
        let length = wrong.len();
        let refused = server.send(&format!(
            "POST /mcp HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n{json}Content-Length: {length}\r\n\r\n{wrong}"
        ));
        assert!(refused.status == 400 && refused.head.contains("content-type: application/json"), "{}", refused.head);
        let answer: Value = serde_json::from_str(&refused.body).unwrap();
        assert_eq!(
            (&answer["jsonrpc"], &answer["error"]["code"]),
            (&json!("2.0"), &json!(code)),
            "{wrong:?}: {answer}"
        );
    }
    assert_eq!(server.call("list_sessions", json!({}))["structuredContent"]["total"], 0);
}

#[cfg(unix)]
#[test]
fn many_clients_at_once_are_served() {
    let sandbox = Sandbox::new();
    let server = Server::start(&sandbox, &[], None);
    thread::scope(|scope| {
        for client in 0..16 {
            let server = &server;
            scope.spawn(move || {
                for n in 0..5 {
                    let added = server.call("add_memory", json!({"note": format!("client {client} note {n}")}));
                    assert_eq!(added["structuredContent"]["added"], 1, "{added}");
                    server.call("search_memories", json!({"query": format!("client {client}")}));
                }
            });
        }
    });
    assert_eq!(server.end().0, 0);
    let stats = sandbox.json(&["stats", "--namespace", "agent"]);
    assert_eq!(stats["namespaces"]["agent"]["notes"], 80);
}

/// Requests on one connection, sent without waiting for answers.
#[test]
fn a_connection_is_served_in_its_order() {
    let sandbox = Sandbox::new();
    let server = Server::start(&sandbox, &[], None);
    let host = &server.address;
    let requests: String = (0..12)
        .map(|n| {
            let turns = json!([{"speaker": "Ann", "text": format!("step {n}")}]);
            let params = json!({"name": "add_memory", "arguments": {"turns": turns, "session": "s"}});
            let body = json!({"jsonrpc": "2.0", "id": n, "method": "tools/call", "params": params}).to_string();
            let (length, connection) = (body.len(), if n == 11 { "close" } else { "keep-alive" });
            format!(
                "POST /mcp HTTP/1.1\r\nHost: {host}\r\nConnection: {connection}\r\nContent-Type: application/json\r\n\
                 MCP-Protocol-Version: 2025-11-25\r\nAccept: application/json, text/event-stream\r\n\
                 Content-Length: {length}\r\n\r\n{body}"
            )
        })
        .collect();
    assert_eq!(server.send(&requests).status, 200);
    let shown = server.call("get_memory", json!({"id": "s:1", "around": 20}));
    let after = shown["structuredContent"]["after"].as_array().unwrap().clone();
    let texts: Vec<&str> = after.iter().map(|turn| turn["text"].as_str().unwrap()).collect();
    let expected: Vec<String> = (1..12).map(|n| format!("step {n}")).collect();
    assert_eq!(texts, expected);
}

#[test]
fn an_address_that_others_can_reach_needs_a_key_and_a_name() {
    let sandbox = Sandbox::new();
    let args = ["mcp", "--namespace", "n", "--http", "0.0.0.0:0"];
    let refused = || crate::sandbox::finish(&mut sandbox.command(&args));
    let outcome = refused();
    assert_eq!(outcome.code, 2, "{outcome:?}");
    assert!(outcome.stderr.contains("AFORESAID_MCP_KEY, and --allow-host"), "{}", outcome.stderr);
    let taken = Server::start(&sandbox, &[], None);
    let port = taken.address.rsplit(':').next().unwrap();
    let outcome = crate::sandbox::finish(&mut sandbox.command(&["mcp", "--namespace", "n", "--http", port]));
    assert!(outcome.code == 1 && outcome.stderr.contains("name another with --http"), "{outcome:?}");
    let alone = crate::sandbox::finish(&mut sandbox.command(&["mcp", "--namespace", "n", "--allow-host", "x"]));
    assert!(alone.code == 2 && alone.stderr.contains("--http"), "{alone:?}");
}
