//! Requests to a file, results from one, and a run that replays them.

use std::{
    error::Error,
    io::{BufReader, Read},
};

use aforesaid_llm::{
    Batch, ChatRequest, ChatSettings, Format, Freshness, LineOutcome, Message, Origin, Outcome, ResponseCache, Schema,
};
use serde_json::{Value, json};

use crate::{chat, said};

/// Nobody listens there.
const NOWHERE: &str = "http://127.0.0.1:1/v1";

fn request(text: &str) -> ChatRequest {
    let format = Format::Json(Schema { name: "cues".to_owned(), schema: json!({"type": "object"}) });
    ChatRequest { format, temperature: Some(0.1), ..ChatRequest::new(vec![Message::user(text)]) }
}

fn batch() -> Batch {
    Batch::new("tiny", ["kite", "soup", "kite", "boat"].map(request))
}

fn id(text: &str) -> String {
    request(text).key("tiny").to_string()
}

fn result(id: &str, status: u16, body: &Value) -> String {
    json!({"id": "r", "custom_id": id, "response": {"status_code": status, "request_id": "q", "body": body}, "error": null})
        .to_string()
}

#[test]
fn requests_are_written_as_the_batch_api_wants_them() {
    let mut out = Vec::new();
    batch().write(&mut out).unwrap();
    let lines: Vec<Value> =
        String::from_utf8(out).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines.len(), 3, "the second kite is the first one");
    assert_eq!(lines[0]["custom_id"].as_str(), Some(id("kite").as_str()));
    assert_eq!((&lines[0]["method"], &lines[0]["url"]), (&json!("POST"), &json!("/v1/chat/completions")));
    assert_eq!(lines[1]["body"]["messages"], json!([{"role": "user", "content": "soup"}]));
    assert_eq!(lines[1]["body"]["model"], "tiny");
    assert_eq!(lines[1]["body"]["response_format"]["json_schema"]["name"], "cues");
}

#[test]
fn results_are_replayed_without_a_server_and_a_half_finished_batch_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let cache = ResponseCache::open(folder.path()).unwrap();
    let results =
        [result(&id("boat"), 200, &said("{\"q\": [2]}")), result(&id("kite"), 200, &said("{\"q\": [1]}"))].join("\n");
    let report = batch().read(results.as_bytes(), &cache).unwrap();
    assert_eq!(report.to_string(), "2 stored, 1 unanswered");
    assert_eq!(report.unanswered, [request("soup").key("tiny")]);

    let chat = chat(NOWHERE, ChatSettings { cache: Some(cache.clone()), budget: None });
    for (text, cues) in [("kite", json!({"q": [1]})), ("boat", json!({"q": [2]}))] {
        let reply = chat.complete(&request(text), Freshness::CacheAllowed).unwrap();
        assert_eq!((reply.outcome, reply.origin), (Outcome::Json(cues), Origin::Cache));
    }

    let rest = batch().unanswered(&cache).unwrap();
    assert_eq!((rest.len(), rest.is_empty()), (1, false));
    rest.read(result(&id("soup"), 200, &said("{}")).as_bytes(), &cache).unwrap();
    assert!(batch().unanswered(&cache).unwrap().is_empty());
}

#[test]
fn every_kind_of_line_is_told_apart_and_counted() {
    let folder = tempfile::tempdir().unwrap();
    let cache = ResponseCache::open(folder.path()).unwrap();
    let refusal = json!({"choices": [{"message": {"content": null, "refusal": "No."}, "finish_reason": "stop"}]});
    let cut = json!({"choices": [{"message": {"content": "{"}, "finish_reason": "length"}]});
    let failed = |status, message: &str| LineOutcome::Failed { status, message: message.to_owned() };
    let lines = [
        (result(&id("kite"), 429, &json!({"error": {"message": "busy"}})), failed(Some(429), "busy")),
        (
            json!({"custom_id": id("kite"), "response": null, "error": {"code": "expired", "message": "too late"}})
                .to_string(),
            failed(None, "too late"),
        ),
        (json!({"custom_id": id("kite")}).to_string(), failed(None, "neither a response nor an error")),
        (result(&id("kite"), 200, &json!({"choices": []})), failed(Some(200), "no choice")),
        (result(&id("kite"), 200, &json!("text")), failed(Some(200), "\"text\"")),
        (result(&id("kite"), 200, &refusal), LineOutcome::Incomplete(Outcome::Refused("No.".into()))),
        (result(&id("kite"), 200, &cut), LineOutcome::Incomplete(Outcome::Cut("{".into()))),
        (result(&id("kite"), 200, &said("no")), LineOutcome::Incomplete(Outcome::Malformed("no".into()))),
        (result(&id("kite"), 200, &said("{\"q\": [1]}")), LineOutcome::Stored),
        (result(&id("kite"), 200, &said("{\"q\": [2]}")), LineOutcome::Repeated),
        (result(&id("kite"), 500, &json!({})), LineOutcome::Repeated),
        (result("another run\u{1b}", 200, &said("{}")), LineOutcome::Unknown),
    ];
    // Edited by hand on another system: a byte order mark, CRLF, empty lines, and a last line that broke off.
    let mut file = String::from("\u{feff}");
    lines.iter().for_each(|(line, _)| file.push_str(&format!("{line}\r\n\r\n")));
    file.push_str(&result(&id("soup"), 200, &said("{}"))[..80]);

    let report = batch().read(file.as_bytes(), &cache).unwrap();
    let (last, whole) = report.lines.split_last().unwrap();
    assert_eq!(whole.len(), lines.len());
    for (i, (found, (_, expected))) in whole.iter().zip(&lines).enumerate() {
        assert_eq!((&found.outcome, found.line), (expected, 2 * i + 1));
    }
    assert!(matches!(&last.outcome, LineOutcome::Unreadable(why) if why.contains("EOF")), "{last:?}");
    assert_eq!((last.line, &last.custom_id), (25, &None));
    assert_eq!(whole[11].custom_id.as_deref(), Some("another run\\u{1b}"));
    let counts = "5 failed, 3 incomplete, 2 repeated, 1 stored, 1 unknown, 1 unreadable, 2 unanswered";
    assert_eq!(report.to_string(), counts);
    let kept = cache.get(&request("kite").key("tiny")).unwrap().unwrap();
    assert_eq!(kept.text, "{\"q\": [1]}", "the first complete answer counts");
}

#[test]
fn bytes_that_are_no_text_are_reported() {
    let folder = tempfile::tempdir().unwrap();
    let cache = ResponseCache::open(folder.path()).unwrap();
    let report = batch().read(&b"\xff\xfe\n{}\n[1]\n"[..], &cache).unwrap();
    assert_eq!(report.to_string(), "3 unreadable, 3 unanswered");
    assert!(batch().read(&b""[..], &cache).unwrap().lines.is_empty());
}

/// A line without an end was read into memory as a whole, and lines without an end for ever.
#[test]
fn a_file_without_an_end_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let cache = ResponseCache::open(folder.path()).unwrap();
    let first = result(&id("kite"), 200, &said("{\"q\": [1]}")) + "\n";
    for (endless, found) in [
        (Box::new(std::io::repeat(0)) as Box<dyn Read>, "a line of more than 16777216 bytes"),
        (Box::new(std::io::repeat(b'\n')), "more than 1000003 lines"),
    ] {
        let error = batch().read(BufReader::new(first.as_bytes().chain(endless)), &cache).unwrap_err();
        assert!(error.source().unwrap().to_string().contains(found), "{error:?}");
        assert!(cache.get(&request("kite").key("tiny")).unwrap().is_some(), "what came before is kept");
    }
}
