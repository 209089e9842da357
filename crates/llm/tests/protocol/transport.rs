//! Retries, timeouts, refusals, redirects, and answers that are none.

use std::{num::NonZeroU32, time::Duration};

use aforesaid_llm::{Chat, ChatSettings, Endpoint, LlmError, Outcome, RetryPolicy, Timeouts};

use crate::{
    KEY, ask, chat, client, endpoint, said,
    server::{Deed, Server, ok, promised, status},
};

fn seconds(sleeps: &[Duration]) -> Vec<f64> {
    sleeps.iter().map(Duration::as_secs_f64).collect()
}

fn outcome_of(deeds: Vec<Deed>) -> (Result<Outcome, LlmError>, Vec<f64>, usize) {
    let server = Server::script(deeds);
    let (client, clock) = client(endpoint(&server.url));
    let result = ask(&Chat::new(client, ChatSettings::default()));
    (result.map(|reply| reply.outcome), seconds(&clock.slept()), server.requests().len())
}

#[test]
fn the_key_and_the_model_go_to_the_server() {
    let server = Server::script(vec![ok(said("hi"))]);
    let reply = ask(&chat(&server.url, ChatSettings::default())).unwrap();
    assert_eq!(reply.outcome, Outcome::Text("hi".to_owned()));
    let request = &server.requests()[0];
    assert_eq!(request.path, "/v1/chat/completions");
    assert_eq!(request.header("authorization"), Some(format!("Bearer {KEY}").as_str()));
    assert_eq!(request.header("content-type"), Some("application/json"));
    assert_eq!(request.body["model"], "tiny");
}

#[test]
fn a_busy_server_is_given_the_time_it_asks_for() {
    let busy = |after: &str| Deed::Answer(429, format!("retry-after: {after}\r\n"), String::new());
    let deeds = vec![busy("7"), busy("Wed, 01 May 2024 12:00:17 GMT"), ok(said("hi"))];
    let (outcome, slept, requests) = outcome_of(deeds);
    assert_eq!((outcome.unwrap(), slept, requests), (Outcome::Text("hi".to_owned()), vec![7.0, 10.0], 3));

    let (outcome, slept, requests) = outcome_of(vec![busy("3600")]);
    let message = outcome.unwrap_err().to_string();
    assert!(message.contains("status 429") && message.contains("wait 3600 s"), "{message}");
    assert_eq!((slept, requests), (vec![], 1), "an hour is more than our patience");
}

#[test]
fn what_may_pass_is_tried_again_and_what_cannot_is_not() {
    for code in [408, 429, 500, 502, 503] {
        let (outcome, slept, requests) = outcome_of(vec![status(code, ""), ok(said("hi"))]);
        assert_eq!((outcome.unwrap(), requests), (Outcome::Text("hi".to_owned()), 2), "{code}");
        assert!(slept[0] >= 0.25 && slept[0] <= 0.5, "{slept:?}");
    }
    for (code, next) in [
        (400, "correct the request"),
        (401, "check the key"),
        (403, "check the key"),
        (404, "ends in /v1"),
        (422, "correct"),
    ] {
        let (outcome, slept, requests) = outcome_of(vec![status(code, r#"{"error": {"message": "no such luck"}}"#)]);
        let message = outcome.unwrap_err().to_string();
        assert!(message.contains(&format!("status {code}")) && message.contains("no such luck"), "{message}");
        assert!(message.contains("/v1/chat/completions") && message.contains(next), "{message}");
        assert_eq!((slept.len(), requests), (0, 1));
    }
    let broke = status(429, r#"{"error": {"message": "pay first", "code": "insufficient_quota"}}"#);
    let (outcome, _, requests) = outcome_of(vec![broke]);
    assert!(outcome.unwrap_err().to_string().contains("pay first; check the account's quota"));
    assert_eq!(requests, 1);
}

#[test]
fn attempts_end() {
    let (outcome, slept, requests) = outcome_of(vec![status(500, "boom")]);
    let message = outcome.unwrap_err().to_string();
    assert!(message.contains("status 500, attempts: 5: boom; try again later"), "{message}");
    assert_eq!(requests, 5);
    assert!(
        slept.iter().zip([0.5, 1.0, 2.0, 4.0]).all(|(slept, most)| (most / 2.0..=most).contains(slept)),
        "{slept:?}"
    );
}

#[test]
fn what_a_server_says_is_shown_without_the_key_on_one_short_line() {
    let said = format!("bad key {KEY}\u{1b}[2J\n{}", "x".repeat(10_000));
    let (outcome, ..) = outcome_of(vec![status(401, serde_json::json!({"error": {"message": said}}))]);
    let error = outcome.unwrap_err();
    let message = format!("{error} {error:?}");
    assert!(message.contains("bad key [key]") && !message.contains(KEY), "{message}");
    assert!(error.to_string().len() < 600 && !error.to_string().contains(char::is_control), "{message}");
}

#[test]
fn no_redirect_is_followed_and_the_key_stays() {
    let elsewhere = Server::script(vec![ok(said("give me the key"))]);
    for code in [301, 302, 303, 307, 308] {
        let location = elsewhere.url.replace("http://", "http://ann:pw@");
        let (outcome, ..) =
            outcome_of(vec![Deed::Answer(code, format!("location: {location}/x?token=t\r\n"), String::new())]);
        let message = outcome.unwrap_err().to_string();
        assert!(message.contains(&format!("status {code} to {}/x, expected", elsewhere.url)), "{message}");
        assert!(message.contains("make it the base URL"), "{message}");
    }
    assert!(elsewhere.requests().is_empty());
}

#[test]
fn a_dead_port_is_tried_again_and_named() {
    // A port that was free a moment ago: nobody listens there.
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let url = format!("http://127.0.0.1:{port}/v1");
    let (client, clock) = client(endpoint(&url));
    let message = ask(&Chat::new(client, ChatSettings::default())).unwrap_err().to_string();
    assert!(message.starts_with(&url) && message.contains("attempts: 5; check that the server runs"), "{message}");
    assert_eq!(clock.slept().len(), 4);
}

#[test]
fn a_silent_server_is_left() {
    let server = Server::script(vec![Deed::Silence, Deed::Silence, ok(said("hi"))]);
    let timeouts = Timeouts { call: Duration::from_millis(100), ..Timeouts::default() };
    let two = RetryPolicy { attempts: NonZeroU32::new(2).unwrap(), ..RetryPolicy::default() };
    let (client, clock) = client(Endpoint { timeouts, retry: two, ..endpoint(&server.url) });
    let message = ask(&Chat::new(client, ChatSettings::default())).unwrap_err().to_string();
    assert!(message.contains("no whole answer within 0.1 s (in all), attempts: 2; allow more time"), "{message}");
    assert_eq!((clock.slept().len(), server.requests().len()), (1, 2));
}

#[test]
fn an_answer_that_breaks_off_is_asked_for_again() {
    let whole = said("hi").to_string();
    let (outcome, slept, _) = outcome_of(vec![promised(whole.len(), &whole[..20]), ok(&whole)]);
    assert_eq!((outcome.unwrap(), slept.len()), (Outcome::Text("hi".to_owned()), 1));
    let (outcome, _, requests) = outcome_of(vec![promised(whole.len(), &whole[..20])]);
    let message = outcome.unwrap_err().to_string();
    assert!(message.contains("broke off after 20 bytes") && message.contains("attempts: 5"), "{message}");
    assert_eq!(requests, 5);
    let chunked = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\n{\"cho\r\n";
    let (outcome, ..) = outcome_of(vec![Deed::Bytes(chunked.into())]);
    assert!(matches!(outcome, Err(LlmError::Truncated { received: 5, attempts: 5, .. })), "{outcome:?}");
}

#[test]
fn what_is_no_answer_is_shown() {
    for (body, found) in [
        ("<html>please log in</html>", "<html>please log in</html>"),
        ("", "found \"\""),
        (r#"{"choices": [{"mess"#, "EOF while parsing"),
    ] {
        let (outcome, _, requests) = outcome_of(vec![ok(body)]);
        let error = outcome.unwrap_err();
        assert!(matches!(error, LlmError::NotJson { .. }) && error.to_string().contains(found), "{error}");
        assert_eq!(requests, 1);
    }
    for (body, found) in [
        (r#"{"error": {"message": "model is loading"}}"#, "model is loading"),
        ("[]", "found"),
        (r#"{"choices": []}"#, "found no choice"),
        (r#"{"choices": [{"message": {"content": 7}}]}"#, "invalid type: number"),
    ] {
        let (outcome, ..) = outcome_of(vec![ok(body)]);
        let error = outcome.unwrap_err();
        assert!(matches!(error, LlmError::Answer { .. }) && error.to_string().contains(found), "{error}");
    }
}

#[test]
fn garbage_in_place_of_http_is_an_error() {
    for garbage in
        ["", "SSH-2.0-OpenSSH_9.2\r\n", "HTTP/1.1 9999 X\r\n\r\n", "HTTP/1.1 200 OK\r\ncontent-length: -1\r\n\r\n{}"]
    {
        let (outcome, ..) = outcome_of(vec![Deed::Bytes(garbage.into())]);
        assert!(matches!(outcome, Err(LlmError::Connection { .. })), "{garbage:?}: {outcome:?}");
    }
    let endless = format!("HTTP/1.1 200 OK\r\n{}", "x-header: y\r\n".repeat(20_000));
    assert!(outcome_of(vec![Deed::Bytes(endless.into())]).0.is_err());
}

#[test]
fn a_huge_answer_is_refused_at_the_limit() {
    let server = Server::script(vec![promised(usize::MAX >> 1, &"x".repeat(5000))]);
    let (client, _) = client(Endpoint { max_answer: 4096, ..endpoint(&server.url) });
    let error = ask(&Chat::new(client, ChatSettings::default())).unwrap_err();
    assert!(matches!(error, LlmError::TooLarge { limit: 4096, .. }), "{error}");
    let whole = said("hi").to_string();
    let server = Server::script(vec![ok(&whole)]);
    for (limit, fits) in [(whole.len(), true), (whole.len() - 1, false)] {
        let (client, _) = crate::client(Endpoint { max_answer: limit as u64, ..endpoint(&server.url) });
        assert_eq!(ask(&Chat::new(client, ChatSettings::default())).is_ok(), fits);
    }
}

#[test]
fn a_model_without_a_name_is_refused() {
    let nameless = Endpoint::new("http://localhost".parse().unwrap(), " ");
    let message = aforesaid_llm::Client::new(nameless).unwrap_err().to_string();
    assert!(message.contains("model: found \" \""), "{message}");
}

#[test]
fn nothing_that_is_printed_holds_the_key() {
    let (client, _) = client(endpoint("http://localhost"));
    let shown =
        format!("{client:?} {:?}", Chat::new(crate::client(endpoint("http://localhost")).0, ChatSettings::default()));
    assert!(shown.contains("[key]") && !shown.contains(KEY), "{shown}");
}
