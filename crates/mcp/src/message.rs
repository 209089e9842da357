//! What a line or a body of the client is: a message, several, or none.

use std::str;

use rmcp::{
    ErrorData,
    model::{ClientJsonRpcMessage, ErrorCode, RequestId},
};
use serde_json::{Value, json};

/// Marks the beginning of a text in some editors; JSON may begin with it.
const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

/// What a line holds.
#[derive(Debug)]
pub(crate) enum Received {
    Message(Box<ClientJsonRpcMessage>),
    Batch(Vec<Value>),
    /// Nothing that is answered.
    Nothing,
    /// No message; this answers it.
    Refused(Value),
}

/// Reads a line without its end, or a body.
pub(crate) fn read(line: &[u8]) -> Received {
    let line = line.strip_prefix(BYTE_ORDER_MARK).unwrap_or(line).trim_ascii();
    if line.is_empty() {
        return Received::Nothing;
    }
    let wrong = |why: String| Received::Refused(refusal(ErrorData::parse_error(why, None), None));
    let text = match str::from_utf8(line) {
        Ok(text) => text,
        Err(error) => return wrong(format!("parse error: no UTF-8 after byte {}", error.valid_up_to())),
    };
    match serde_json::from_str(text) {
        Ok(Value::Array(messages)) => Received::Batch(messages),
        Ok(message) => message_of(message),
        // The error says where, and nothing of what is there.
        Err(error) => wrong(format!("parse error: no JSON: {error}")),
    }
}

/// Reads one message.
pub(crate) fn message_of(message: Value) -> Received {
    let has = |name: &str| message.get(name).is_some();
    let is_notification = has("method") && !has("id");
    // What answers an answer is answered in turn, without end.
    let is_answer = !has("method") && (has("result") || has("error"));
    let id = message.get("id").and_then(|id| serde_json::from_value(id.clone()).ok());
    match serde_json::from_value(message) {
        Ok(message) => Received::Message(Box::new(message)),
        Err(_) if is_notification || is_answer => Received::Nothing,
        Err(_) => Received::Refused(invalid(
            "invalid request: expected an object with \"jsonrpc\": \"2.0\", a method and an id that is a text or a whole \
             number",
            id,
        )),
    }
}

/// Answers what is no request.
pub(crate) fn invalid(why: &'static str, id: Option<RequestId>) -> Value {
    refusal(ErrorData::new(ErrorCode::INVALID_REQUEST, why, None), id)
}

/// An error as JSON-RPC has it; the id is null where that of the request is not known.
pub(crate) fn refusal(error: ErrorData, id: Option<RequestId>) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "error": error})
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(line: &[u8]) -> (i64, Value, String) {
        match read(line) {
            Received::Refused(mut answer) => {
                let message = answer["error"]["message"].as_str().unwrap().to_owned();
                (answer["error"]["code"].as_i64().unwrap(), answer["id"].take(), message)
            }
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn what_is_no_json_is_told_without_what_it_says() {
        for (line, why) in [
            (&b"{\"secret\": "[..], "parse error: no JSON: EOF"),
            (b"secret", "parse error: no JSON: expected value at line 1 column 1"),
            (b"{\"id\":6,\"x\":\"\xff\"}", "parse error: no UTF-8 after byte 13"),
        ] {
            let (code, id, message) = refused(line);
            assert_eq!((code, id), (-32700, Value::Null));
            assert!(message.starts_with(why) && !message.contains("secret"), "{message}");
        }
    }

    #[test]
    fn json_that_is_no_request_is_told_with_its_id() {
        for (line, id) in [
            ("3", Value::Null),
            ("{}", Value::Null),
            (r#"{"id": 5, "method": "ping"}"#, json!(5)),
            (r#"{"jsonrpc": "2.0", "id": null, "method": "ping"}"#, Value::Null),
            (r#"{"jsonrpc": "2.0", "id": 1.5, "method": "ping"}"#, Value::Null),
            (r#"{"jsonrpc": "2.0", "id": "a"}"#, json!("a")),
        ] {
            let (code, found, message) = refused(line.as_bytes());
            assert_eq!((code, found), (-32600, id), "{line}");
            assert!(message.contains("\"jsonrpc\": \"2.0\""), "{message}");
        }
    }

    #[test]
    fn what_needs_no_answer_gets_none() {
        for line in ["", " \r", "\u{feff}", r#"{"method": "x"}"#, r#"{"id": 1, "error": "no"}"#] {
            assert!(matches!(read(line.as_bytes()), Received::Nothing), "{line}");
        }
        let ping = "\u{feff}{\"jsonrpc\": \"2.0\", \"id\": 1, \"method\": \"ping\"}\r";
        assert!(matches!(read(ping.as_bytes()), Received::Message(_)));
        assert!(matches!(read(b"[1, {}]"), Received::Batch(batch) if batch == [json!(1), json!({})]));
    }
}
