//! Answers piece by piece.

use std::{sync::Arc, time::Duration};

use aforesaid_llm::{
    Budget, Chat, ChatSettings, Counted, Endpoint, Freshness, LlmError, Origin, Outcome, Reply, ResponseCache, Timeouts,
};
use serde_json::{Value, json};

use crate::{
    KEY, chat, client, endpoint, hello, said,
    server::{Deed, Server, events, ok, status},
};

fn delta(text: &str) -> String {
    event(&json!({"choices": [{"index": 0, "delta": {"content": text}, "finish_reason": null}]}))
}

fn event(value: &Value) -> String {
    format!("data: {value}\n\n")
}

fn stop() -> String {
    event(&json!({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}))
}

const DONE: &str = "data: [DONE]\n\n";

fn stream(chat: &Chat) -> (Result<Reply, LlmError>, Vec<String>) {
    let mut pieces = Vec::new();
    let reply = chat.stream(&hello(), Freshness::CacheAllowed, &mut |piece| pieces.push(piece.to_owned()));
    (reply, pieces)
}

fn streamed(deed: Deed) -> (Result<Reply, LlmError>, Vec<String>, Arc<Budget>) {
    let server = Server::script(vec![deed]);
    let budget = Arc::new(Budget::unlimited());
    let (reply, pieces) = stream(&chat(&server.url, ChatSettings { cache: None, budget: Some(budget.clone()) }));
    assert_eq!(server.requests().len(), 1, "a stream that has begun is not begun again");
    (reply, pieces, budget)
}

#[test]
fn pieces_come_as_they_are_written_and_the_end_is_counted() {
    let usage = event(&json!({"choices": [], "usage": {"prompt_tokens": 7, "completion_tokens": 2}}));
    let begin = event(&json!({"choices": [{"delta": {"role": "assistant", "content": ""}}]}));
    let body = [": warming up\n\n", &begin, &delta("The ki"), &delta("te."), &stop(), &usage, DONE].concat();
    let folder = tempfile::tempdir().unwrap();
    let cache = ResponseCache::open(folder.path()).unwrap();
    let server = Server::script(vec![status(503, ""), events(&body)]);
    let chat = chat(&server.url, ChatSettings { cache: Some(cache), budget: None });
    let (reply, pieces) = stream(&chat);
    let reply = reply.unwrap();
    assert_eq!(
        (&reply.outcome, pieces),
        (&Outcome::Text("The kite.".into()), vec!["The ki".to_owned(), "te.".to_owned()])
    );
    assert_eq!((reply.usage.prompt, reply.usage.completion, reply.usage.counted), (7, 2, Counted::Reported));
    let request = server.requests().pop().unwrap();
    assert_eq!(
        (&request.body["stream"], &request.body["stream_options"]["include_usage"]),
        (&json!(true), &json!(true))
    );
    // Kept, for the whole answer as for the stream.
    let (again, pieces) = stream(&chat);
    assert_eq!((again.unwrap().origin, pieces), (Origin::Cache, vec!["The kite.".to_owned()]));
    assert_eq!(chat.complete(&hello(), Freshness::CacheAllowed).unwrap().outcome, reply.outcome);
    assert_eq!(server.requests().len(), 2);
}

#[test]
fn a_stream_that_breaks_off_is_an_error_and_what_came_is_counted() {
    for body in [delta("The ki"), delta("The ki") + "data: {\"choices\": [{\"del", delta("The ki") + "data: [DO"] {
        let (reply, pieces, budget) = streamed(events(&body));
        let error = reply.unwrap_err();
        assert!(matches!(error, LlmError::Truncated { .. }), "{error}");
        assert!(error.to_string().contains(&format!("broke off after {} bytes", body.len())), "{error}");
        assert_eq!((pieces, budget.spent().completion_tokens), (vec!["The ki".to_owned()], 2));
    }
    let chunked =
        "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\nff\r\ndata: {";
    let (reply, _, budget) = streamed(Deed::Bytes(chunked.into()));
    assert!(matches!(reply, Err(LlmError::Truncated { .. })), "{reply:?}");
    assert_eq!(budget.spent().requests, 0);
}

#[test]
fn the_end_may_be_said_in_either_way() {
    for end in [stop(), DONE.to_owned(), "data: [DONE]".to_owned()] {
        let (reply, ..) = streamed(events(&(delta("hi") + &end)));
        assert_eq!(reply.unwrap().outcome, Outcome::Text("hi".into()), "{end}");
    }
    let cut = event(&json!({"choices": [{"delta": {}, "finish_reason": "length"}]}));
    assert_eq!(streamed(events(&(delta("h") + &cut + DONE))).0.unwrap().outcome, Outcome::Cut("h".into()));
    let refusal = event(&json!({"choices": [{"delta": {"refusal": "No."}, "finish_reason": "stop"}]}));
    assert_eq!(streamed(events(&(refusal + DONE))).0.unwrap().outcome, Outcome::Refused("No.".into()));
}

#[test]
fn an_error_within_a_stream_is_one() {
    let error = event(&json!({"error": {"message": format!("out of memory {KEY}")}}));
    let (reply, pieces, _) = streamed(events(&(delta("The ki") + &error + DONE)));
    let message = reply.unwrap_err().to_string();
    assert!(message.contains("out of memory [key]") && !message.contains(KEY), "{message}");
    assert_eq!(pieces, ["The ki"]);
    let (reply, ..) = streamed(events("data: <html>\n\n"));
    assert!(matches!(reply, Err(LlmError::NotJson { .. })), "{reply:?}");
    assert!(streamed(events("")).0.is_err());
    assert!(streamed(Deed::Answer(400, String::new(), "no".into())).0.unwrap_err().to_string().contains("status 400"));
}

#[test]
fn a_server_that_does_not_stream_answers_in_one_piece() {
    let (reply, pieces, budget) = streamed(ok(said("hi")));
    assert_eq!((reply.unwrap().outcome, pieces), (Outcome::Text("hi".into()), vec!["hi".to_owned()]));
    assert_eq!(budget.spent().tokens(), 15);
}

#[test]
fn an_endless_stream_ends_at_the_limit_and_a_stalled_one_in_time() {
    let server = Server::script(vec![events(&delta("ha").repeat(1000))]);
    let (limited, _) = client(Endpoint { max_answer: 2048, ..endpoint(&server.url) });
    let (reply, pieces) = stream(&Chat::new(limited, ChatSettings::default()));
    assert!(matches!(reply, Err(LlmError::TooLarge { limit: 2048, .. })), "{reply:?}");
    assert!(pieces.len() < 40);

    let server = Server::script(vec![Deed::Silence]);
    let timeouts = Timeouts { call: Duration::from_millis(100), ..Timeouts::default() };
    let (hasty, _) = client(Endpoint { timeouts, retry: aforesaid_llm::RetryPolicy::never(), ..endpoint(&server.url) });
    let (reply, _) = stream(&Chat::new(hasty, ChatSettings::default()));
    assert!(matches!(reply, Err(LlmError::TimedOut { .. })), "{reply:?}");
}
