//! A server on a port of this machine that does as a test tells it.

use std::{
    io::{BufRead, BufReader, Read, Write},
    net::{TcpListener, TcpStream},
    sync::{Arc, Mutex},
    thread,
    time::Duration,
};

use serde_json::Value;

/// A request as it came.
#[derive(Debug, Clone)]
pub(crate) struct Request {
    pub(crate) path: String,
    /// Names in lower case.
    headers: Vec<(String, String)>,
    pub(crate) body: Value,
}

impl Request {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// The texts of an embeddings request.
    pub(crate) fn inputs(&self) -> Vec<&str> {
        self.body["input"].as_array().unwrap().iter().map(|text| text.as_str().unwrap()).collect()
    }
}

/// What the server does about a request.
#[derive(Debug, Clone)]
pub(crate) enum Deed {
    /// Answers with a status, headers (`name: value\r\n` each) and a body of known length.
    Answer(u16, String, String),
    /// Writes these bytes and closes the connection.
    Bytes(Vec<u8>),
    /// Writes these bytes, then a space every few milliseconds until the client has gone.
    Trickle(Vec<u8>),
    /// Says nothing until the client has gone.
    Silence,
}

pub(crate) fn ok(body: impl ToString) -> Deed {
    status(200, body)
}

pub(crate) fn status(status: u16, body: impl ToString) -> Deed {
    Deed::Answer(status, "content-type: application/json\r\n".to_owned(), body.to_string())
}

/// The head of an answer, then `body`, which may be shorter or longer than `length`.
pub(crate) fn promised(length: usize, body: &str) -> Deed {
    Deed::Bytes(format!("HTTP/1.1 200 OK\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{body}").into_bytes())
}

/// A stream of server-sent events that ends when the connection does.
pub(crate) fn events(stream: &str) -> Deed {
    let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n";
    Deed::Bytes(format!("{head}{stream}").into_bytes())
}

/// A running server; it ends with the test's process.
pub(crate) struct Server {
    pub(crate) url: String,
    seen: Arc<Mutex<Vec<Request>>>,
}

impl Server {
    /// Does `deed(n, request)` about the n-th request, from 0; each connection has a thread.
    pub(crate) fn start(deed: impl Fn(usize, &Request) -> Deed + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/v1", listener.local_addr().unwrap());
        let seen = Arc::new(Mutex::new(Vec::new()));
        let (deed, requests) = (Arc::new(deed), Arc::clone(&seen));
        thread::spawn(move || {
            for stream in listener.incoming() {
                let (mut stream, deed, requests) = (stream.unwrap(), Arc::clone(&deed), Arc::clone(&requests));
                thread::spawn(move || {
                    let Some(request) = read(&stream) else { return };
                    let number = {
                        let mut requests = requests.lock().unwrap();
                        requests.push(request.clone());
                        requests.len() - 1
                    };
                    act(&mut stream, deed(number, &request));
                });
            }
        });
        Self { url, seen }
    }

    /// Does one deed after the other; the last one again and again.
    pub(crate) fn script(deeds: Vec<Deed>) -> Self {
        Self::start(move |number, _| deeds[number.min(deeds.len() - 1)].clone())
    }

    /// The requests so far.
    pub(crate) fn requests(&self) -> Vec<Request> {
        self.seen.lock().unwrap().clone()
    }
}

fn read(stream: &TcpStream) -> Option<Request> {
    let mut reader = BufReader::new(stream);
    let mut line = String::new();
    reader.read_line(&mut line).ok()?;
    let path = line.split(' ').nth(1)?.to_owned();
    let mut headers = Vec::new();
    loop {
        line.clear();
        reader.read_line(&mut line).ok()?;
        let Some((name, value)) = line.trim_end().split_once(": ") else { break };
        headers.push((name.to_lowercase(), value.to_owned()));
    }
    let length =
        headers.iter().find(|(name, _)| name == "content-length").map_or(0, |(_, value)| value.parse().unwrap());
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    Some(Request { path, headers, body: serde_json::from_slice(&body).unwrap_or_default() })
}

fn act(stream: &mut TcpStream, deed: Deed) {
    let bytes = match deed {
        Deed::Silence => {
            let _ = stream.read_to_end(&mut Vec::new());
            return;
        }
        Deed::Trickle(bytes) => {
            let mut alive = stream.write_all(&bytes);
            while alive.is_ok() {
                thread::sleep(Duration::from_millis(10));
                alive = stream.write_all(b" ");
            }
            return;
        }
        Deed::Bytes(bytes) => bytes,
        Deed::Answer(status, headers, body) => {
            let length = body.len();
            format!("HTTP/1.1 {status} X\r\n{headers}content-length: {length}\r\nconnection: close\r\n\r\n{body}")
                .into_bytes()
        }
    };
    // A client that has heard enough hangs up.
    let _ = stream.write_all(&bytes);
}
