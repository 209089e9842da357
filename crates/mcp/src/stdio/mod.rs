//! Serving one client over standard input and output.

mod batches;
mod beginning;
mod lines;
mod transport;

use rmcp::{service::ServerInitializeError, transport::stdio_pipes};
use tokio::pin;

use self::transport::LineTransport;
use crate::{ServeError, calls::Calls, handler::Handler, stop::asked_to_end, tools::Toolbox};

/// Serves the client at standard input and output until it closes its end, or the process is asked to end.
///
/// Calls that run by then are finished, and answered where the client still listens.
///
/// # Errors
/// When the server cannot be started, or the client does not begin as the protocol says.
pub fn serve_stdio(toolbox: Toolbox) -> Result<(), ServeError> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(ServeError::Start)?;
    let calls = Calls::new(toolbox);
    let served = runtime.block_on(async {
        let served = serve(&calls).await;
        // A second signal waits for nothing.
        tokio::select! {
            () = calls.end() => {}
            () = asked_to_end() => {}
        }
        served
    });
    // A thread may wait for standard input without end.
    runtime.shutdown_background();
    served
}

async fn serve(calls: &Calls) -> Result<(), ServeError> {
    let begun = tokio::select! {
        begun = rmcp::serve_server(Handler::new(calls.clone()), LineTransport::new(stdio_pipes(), calls.clone())) => begun,
        () = asked_to_end() => return Ok(()),
    };
    let running = match begun {
        Ok(running) => running,
        // A client that looked for the program only, and went away.
        Err(ServerInitializeError::ConnectionClosed(_)) => return Ok(()),
        Err(ServerInitializeError::ExpectedInitializeRequest(_)) => return Err(ServeError::NoRequest),
        // What the errors hold was said by the client, and is not shown.
        Err(_) => return Err(ServeError::Connection),
    };
    let stop = running.cancellation_token();
    let ended = running.waiting();
    pin!(ended);
    let ended = tokio::select! {
        ended = &mut ended => ended,
        () = asked_to_end() => {
            calls.keep();
            stop.cancel();
            ended.await
        }
    };
    ended.map(|_| ()).map_err(|_| ServeError::Connection)
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use serde_json::{Value, json};
    use tokio::io::AsyncReadExt;

    use super::*;
    use crate::tools::tests::toolbox;

    /// What a server answers to these lines.
    fn answers(lines: &[Vec<u8>]) -> Vec<Value> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let (output, mut client) = tokio::io::duplex(4 << 20);
        let output = runtime.block_on(async {
            let calls = Calls::new(toolbox());
            let transport = LineTransport::new((Cursor::new(lines.concat()), output), calls.clone());
            rmcp::serve_server(Handler::new(calls), transport).await.unwrap().waiting().await.unwrap();
            let mut output = String::new();
            client.read_to_string(&mut output).await.unwrap();
            output
        });
        output.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    fn line(message: &Value) -> Vec<u8> {
        format!("{message}\n").into_bytes()
    }

    fn request(id: u64, method: &str, params: &Value) -> Value {
        json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})
    }

    fn initialize(version: &str) -> Vec<u8> {
        let me = json!({"name": "test", "version": "1"});
        line(&request(0, "initialize", &json!({"protocolVersion": version, "capabilities": {}, "clientInfo": me})))
    }

    /// The answer to a request, or the first without an id.
    fn to(answers: &[Value], id: &Value) -> Value {
        answers.iter().find(|answer| answer.get("id") == Some(id)).unwrap().clone()
    }

    #[test]
    fn what_is_no_message_is_answered_and_the_next_one_is_served() {
        let too_long = [b"{\"x\":\"".to_vec(), vec![b'x'; 16 << 20], b"\"}\n".to_vec()].concat();
        for (wrong, code, why) in [
            (b"{\"jsonrpc\": \n".to_vec(), -32700, "no JSON"),
            (b"\"\xff\"\n".to_vec(), -32700, "no UTF-8"),
            (too_long, -32600, "longer than 16 MiB"),
            (b"[]\n".to_vec(), -32600, "2025-03-26"),
        ] {
            let found =
                answers(&[wrong.clone(), initialize("2025-11-25"), wrong, line(&request(1, "ping", &json!({})))]);
            assert_eq!(found.len(), 4, "{found:?}");
            for wrong in [&found[0], &to(&found, &Value::Null)] {
                assert_eq!((&wrong["error"]["code"], &wrong["id"]), (&json!(code), &Value::Null), "{wrong}");
                assert!(wrong["error"]["message"].as_str().unwrap().contains(why), "{wrong}");
            }
            assert_eq!(to(&found, &json!(1))["result"], json!({}));
        }
    }

    #[test]
    fn a_request_that_is_wrong_is_told_what_is() {
        let call = |id, params: Value| line(&request(id, "tools/call", &params));
        let found = answers(&[
            line(&request(1, "tools/list", &json!({}))),
            line(&request(2, "initialize", &json!({}))),
            initialize("2025-11-25"),
            call(3, json!({})),
            call(4, json!({"name": "list_sessions", "arguments": [1]})),
            line(&request(5, "kites/list", &json!({}))),
        ]);
        for (id, code, why) in [
            (1, -32602, "initialize comes first"),
            (2, -32602, "expected protocolVersion"),
            (3, -32602, "params have no name"),
            (4, -32602, "arguments: found a list"),
            (5, -32601, "kites/list"),
        ] {
            let error = &to(&found, &json!(id))["error"];
            assert!(error["code"] == code && error["message"].as_str().unwrap().contains(why), "{error}");
        }
        assert_eq!(to(&found, &json!(0))["result"]["protocolVersion"], "2025-11-25");
    }

    #[test]
    fn a_batch_of_the_revision_that_has_them_is_answered_by_one() {
        let list = json!({"name": "list_sessions", "arguments": {}});
        let noted = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
        let batch = json!([noted, request(1, "ping", &json!({})), request(2, "tools/call", &list), {"id": 3}]);
        let found = answers(&[initialize("2025-03-26"), line(&batch), line(&request(4, "ping", &json!({})))]);
        assert_eq!((found.len(), &found[0]["id"]), (3, &json!(0)), "{found:?}");
        let batch = found.iter().find_map(Value::as_array).unwrap();
        assert_eq!((batch.len(), &to(batch, &json!(1))["result"]), (3, &json!({})));
        assert_eq!(to(batch, &json!(2))["result"]["structuredContent"]["total"], 0);
        assert_eq!(to(batch, &json!(3))["error"]["code"], -32600);
        let many: Vec<Value> = (10..20_010).map(|id| request(id, "ping", &json!({}))).collect();
        let found = answers(&[initialize("2025-03-26"), line(&json!(many))]);
        assert_eq!(found[1].as_array().map(Vec::len), Some(20_000));
        for version in ["2024-11-05", "2025-06-18"] {
            let found = answers(&[initialize(version), line(&json!([request(1, "ping", &json!({}))]))]);
            assert_eq!(found[1]["error"]["code"], -32600, "{found:?}");
        }
    }
}
