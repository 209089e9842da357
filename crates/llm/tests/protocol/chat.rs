//! Text, JSON, what becomes of a format that a server does not know, cache and budget.

use std::sync::Arc;

use aforesaid_llm::{
    Budget, ChatRequest, ChatSettings, Counted, Format, Freshness, Limits, LlmError, Message, Origin, Outcome, Prices,
    ResponseCache, Schema,
};
use serde_json::{Value, json};

use crate::{
    ask, chat, hello, said,
    server::{Server, ok, status},
};

fn cues() -> ChatRequest {
    let schema = json!({"type": "object", "properties": {"q": {"type": "array"}}});
    let format = Format::Json(Schema { name: "cues".to_owned(), schema });
    ChatRequest { format, ..ChatRequest::new(vec![Message::system("Write cues."), Message::user("My kite is red.")]) }
}

fn message(message: Value, finish: &str) -> Value {
    json!({"choices": [{"message": message, "finish_reason": finish}]})
}

#[test]
fn each_end_of_an_answer_has_its_outcome() {
    for (answer, text, cue) in [
        (said("hi"), Outcome::Text("hi".into()), Outcome::Malformed("hi".into())),
        (said("{\"q\": []}"), Outcome::Text("{\"q\": []}".into()), Outcome::Json(json!({"q": []}))),
        (
            said("```json\n{\"q\": []}\n```"),
            Outcome::Text("```json\n{\"q\": []}\n```".into()),
            Outcome::Json(json!({"q": []})),
        ),
        (
            message(
                json!({"content": [{"type": "text", "text": "It is "}, {"type": "image"}, {"text": "red."}]}),
                "stop",
            ),
            Outcome::Text("It is red.".into()),
            Outcome::Malformed("It is red.".into()),
        ),
        (said(" "), Outcome::Malformed(" ".into()), Outcome::Malformed(" ".into())),
        (
            message(json!({"content": null, "refusal": "I would rather not."}), "stop"),
            Outcome::Refused("I would rather not.".into()),
            Outcome::Refused("I would rather not.".into()),
        ),
        (
            message(json!({"content": "{\"q\": ["}), "length"),
            Outcome::Cut("{\"q\": [".into()),
            Outcome::Cut("{\"q\": [".into()),
        ),
        (message(json!({"content": null}), "length"), Outcome::Cut(String::new()), Outcome::Cut(String::new())),
        (message(json!({"content": null}), "content_filter"), Outcome::Filtered, Outcome::Filtered),
        (
            message(json!({"content": null, "tool_calls": []}), "tool_calls"),
            Outcome::Malformed(String::new()),
            Outcome::Malformed(String::new()),
        ),
    ] {
        let server = Server::script(vec![ok(answer)]);
        let chat = chat(&server.url, ChatSettings::default());
        assert_eq!(ask(&chat).unwrap().outcome, text);
        assert_eq!(chat.complete(&cues(), Freshness::CacheAllowed).unwrap().outcome, cue);
    }
}

#[test]
fn a_format_that_is_refused_is_weakened_and_remembered() {
    for (knows, code, sent) in [("json_object", 400, 2), ("", 422, 3), ("json_object", 500, 2)] {
        let server = Server::start(move |_, request| match request.body["response_format"]["type"].as_str() {
            Some(format) if format != knows => status(code, "unknown response_format"),
            _ => ok(said("Here: {\"q\": [\"What colour is the kite?\"]}")),
        });
        let chat = chat(&server.url, ChatSettings::default());
        for _ in 0..2 {
            let reply = chat.complete(&cues(), Freshness::CacheAllowed).unwrap();
            assert_eq!(reply.outcome, Outcome::Json(json!({"q": ["What colour is the kite?"]})));
        }
        let requests = server.requests();
        assert_eq!(requests.len(), sent + 1, "the second time it knows");
        assert_eq!(requests[0].body["response_format"]["json_schema"]["name"], "cues");
        assert_eq!(requests[0].body["messages"][0]["content"], "Write cues.");
        let told = requests[sent].body["messages"][0]["content"].as_str().unwrap();
        assert!(told.starts_with("Write cues.\n\n") && told.contains(r#""properties":{"q""#), "{told}");
    }
}

#[test]
fn a_request_that_is_refused_in_every_format_is_wrong_in_itself() {
    let server = Server::script(vec![
        status(400, "too many tokens"),
        status(400, "second"),
        status(400, "third"),
        ok(said("{}")),
    ]);
    let chat = chat(&server.url, ChatSettings::default());
    let error = chat.complete(&cues(), Freshness::CacheAllowed).unwrap_err();
    assert!(error.to_string().contains("too many tokens"), "{error}");
    chat.complete(&cues(), Freshness::CacheAllowed).unwrap();
    let last = server.requests().pop().unwrap();
    assert_eq!(last.body["response_format"]["type"], "json_schema", "it teaches nothing about formats");
    let failing =
        Server::script(vec![status(500, "response_format?"), status(400, "too many tokens"), status(400, "no")]);
    let error =
        self::chat(&failing.url, ChatSettings::default()).complete(&cues(), Freshness::CacheAllowed).unwrap_err();
    assert!(error.to_string().contains("status 400") && error.to_string().contains("too many tokens"), "{error}");
    let text = Server::script(vec![status(400, "no")]);
    assert!(ask(&self::chat(&text.url, ChatSettings::default())).is_err());
    assert_eq!(text.requests().len(), 1, "for text there is nothing to weaken");
}

#[test]
fn complete_answers_are_kept_and_others_are_not() {
    let folder = tempfile::tempdir().unwrap();
    let settings = || ChatSettings { cache: Some(ResponseCache::open(folder.path()).unwrap()), budget: None };
    let cut = message(json!({"content": "h"}), "length");
    let server = Server::script(vec![ok(cut), ok(said("hi")), ok(said("new"))]);
    let chat = chat(&server.url, settings());
    assert_eq!(ask(&chat).unwrap().outcome, Outcome::Cut("h".into()));
    let first = ask(&chat).unwrap();
    assert_eq!((&first.outcome, first.origin), (&Outcome::Text("hi".into()), Origin::Server));
    // Another server of the same model, and one that is dead.
    let again = ask(&self::chat("http://127.0.0.1:1/v1", settings())).unwrap();
    assert_eq!((again.outcome, again.usage, again.origin), (first.outcome, first.usage, Origin::Cache));
    assert_eq!(server.requests().len(), 2);
    let renewed = chat.complete(&hello(), Freshness::Renewed).unwrap();
    assert_eq!(renewed.outcome, Outcome::Text("new".into()));
    assert_eq!(ask(&chat).unwrap().outcome, Outcome::Text("new".into()));
    assert_eq!(server.requests().len(), 3);
}

#[test]
fn a_budget_stops_before_the_next_request_and_costs_nothing_from_the_cache() {
    let folder = tempfile::tempdir().unwrap();
    let prices = Prices { prompt_million: 100_000.0, completion_million: 200_000.0 };
    // A request is 10 tokens read and 5 written: 1 + 1 in money.
    let budget = Arc::new(Budget::new(Limits { tokens: None, money: Some(3.0) }, Some(prices)).unwrap());
    let cache = ResponseCache::open(folder.path()).unwrap();
    let server = Server::script(vec![ok(said("hi"))]);
    let chat = chat(&server.url, ChatSettings { cache: Some(cache), budget: Some(budget.clone()) });
    let numbered = |n: usize| ChatRequest::new(vec![Message::user(n.to_string())]);
    for n in [0, 0, 0, 1] {
        chat.complete(&numbered(n), Freshness::CacheAllowed).unwrap();
    }
    assert_eq!((budget.spent().requests, budget.spent().tokens(), budget.spent().money), (2, 30, Some(4.0)));
    let error = chat.complete(&numbered(2), Freshness::CacheAllowed).unwrap_err();
    assert!(matches!(error, LlmError::OutOfBudget { .. }), "{error}");
    assert_eq!(server.requests().len(), 2);
    assert_eq!(chat.complete(&numbered(1), Freshness::CacheAllowed).unwrap().origin, Origin::Cache);
}

#[test]
fn tokens_that_nobody_counted_are_guessed() {
    let server = Server::script(vec![ok(message(json!({"content": "12345"}), "stop"))]);
    let budget = Arc::new(Budget::unlimited());
    let chat = chat(&server.url, ChatSettings { cache: None, budget: Some(budget.clone()) });
    let usage = ask(&chat).unwrap().usage;
    // [{"role":"user","content":"hello"}] has 35 bytes, a quarter of which is 9 rounded up.
    assert_eq!((usage.prompt, usage.completion, usage.counted), (9, 2, Counted::Estimated));
    assert_eq!((budget.spent().estimated, budget.spent().tokens()), (1, 11));
}
