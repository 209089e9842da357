//! An encoder on a server, through the program: what it is sent, what it gives, and what happens where it does not.

use std::{
    net::TcpListener,
    process::Command,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::{
    sandbox::{STORE, Sandbox, finish},
    server::{Deed, Request, Server, ok, status},
};

/// The key that must never be seen.
const KEY: &str = "sk-never-to-be-seen";

const TOYS: &str = r#"{"id":"1","conversation":"c","session":"s","speaker":"Ann","text":"I gave the red kite away."}
{"id":"2","conversation":"c","session":"s","speaker":"Bob","text":"The blue boat sank."}
{"id":"3","conversation":"c","session":"s","speaker":"Cem","text":"Rain until Friday."}"#;

/// Vectors that tell texts about what flies from others.
fn vectors(request: &Request) -> Deed {
    let flies = |text: &str| ["kite", "glider"].iter().any(|word| text.contains(word));
    let vector = |text: &str| if flies(text) { [1, 9, 0] } else { [9, 1, 0] };
    let rows = request.inputs().into_iter().enumerate();
    ok(json!({"data": rows.map(|(i, text)| json!({"index": i, "embedding": vector(text)})).collect::<Vec<_>>()}))
}

fn toys() -> Server {
    Server::start(|_, request| vectors(request))
}

/// A server that wants another key, and quotes the one it got.
fn locked() -> Server {
    Server::start(|_, request| {
        let found = request.header("authorization").unwrap_or("no key").to_owned();
        status(401, json!({"error": {"message": format!("Incorrect API key provided: {found}")}}))
    })
}

/// `aforesaid` on the sandbox's store.
fn program(sandbox: &Sandbox, args: &[&str]) -> Command {
    let mut command = sandbox.bare(&["--store", STORE, "--offline"]);
    command.args(args);
    command
}

/// `aforesaid` with the model `tiny` of a server as its encoder.
fn with_server(sandbox: &Sandbox, url: &str, args: &[&str]) -> Command {
    let mut command = program(sandbox, args);
    command.args(["--encoder-url", url, "--encoder-model", "tiny"]).env("AFORESAID_ENCODER_KEY", KEY);
    command
}

fn json_of(command: &mut Command) -> Value {
    serde_json::from_str(&finish(command.arg("--json")).succeeded()).unwrap()
}

/// A sandbox whose namespace is served by a server's vectors.
fn served_by(server: &Server) -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write("toys.jsonl", TOYS);
    finish(&mut with_server(&sandbox, &server.url, &["import", "toys.jsonl"])).succeeded();
    sandbox
}

/// What a server was sent to encode, in order.
fn sent(server: &Server) -> Vec<String> {
    server
        .requests()
        .iter()
        .flat_map(|request| request.inputs().into_iter().map(str::to_owned).collect::<Vec<_>>())
        .collect()
}

fn stats(sandbox: &Sandbox) -> Value {
    json_of(&mut program(sandbox, &["stats"]))["namespaces"]["default"].clone()
}

/// The id of an answer's first hit, and why the search went by words only, if it did.
fn found(command: &mut Command) -> (String, Option<String>) {
    let answer = json_of(command);
    let id = answer["hits"][0]["id"].as_str().unwrap().to_owned();
    (id, answer["warnings"][0]["reason"].as_str().map(str::to_owned))
}

#[test]
fn what_shares_no_word_with_the_question_is_found_by_its_vector() {
    let server = toys();
    let sandbox = served_by(&server);
    let answer = json_of(&mut with_server(&sandbox, &server.url, &["search", "who had a glider?"]));
    assert!(answer.get("warnings").is_none(), "{answer}");
    assert_eq!(answer["hits"][0]["id"], "1");
    assert!(answer["hits"][0]["legs"]["dense"]["score"].as_f64().unwrap() > 0.99, "{answer}");

    // The probe for the dimension, the three turns; the probe, the question.
    let sent = sent(&server);
    assert_eq!((sent.len(), sent[0].as_str(), sent[4].as_str()), (6, "dimension", "dimension"), "{sent:?}");
    assert!(server.requests().iter().all(|request| request.header("authorization") == Some(&format!("Bearer {KEY}"))));

    let stats = stats(&sandbox);
    let serving = stats["active_encoder"].as_str().unwrap();
    assert!(serving.starts_with("tiny@") && serving.ends_with("/remote"), "{stats}");
    assert_eq!(stats["vectors"], json!({serving: 3}));
    let shown = finish(&mut program(&sandbox, &["stats"])).succeeded();
    assert!(shown.contains(&format!("3 vectors by {serving}; searches go by them")), "{shown}");
}

#[test]
fn options_of_the_encoder_reach_the_server() {
    let server = toys();
    let sandbox = Sandbox::new();
    let run = |args: &[&str]| {
        let mut command = with_server(&sandbox, &server.url, args);
        command.args(["--encoder-dim", "3", "--encoder-revision", "r1"]);
        command.args(["--encoder-query-prefix", "query: ", "--encoder-passage-prefix", "passage: "]);
        command
    };
    finish(&mut run(&["add", "The kite is red.", "--speaker", "Ann"])).succeeded();
    assert_eq!(found(&mut run(&["search", "a glider?"])).1, None);
    assert_eq!(sent(&server), ["passage: Ann: The kite is red.", "query: a glider?"], "and no probe");
    assert_eq!(server.requests()[0].body["model"], "tiny");
    // With a revision the address of the server is no part of the id: worked out apart from this program.
    assert_eq!(stats(&sandbox)["active_encoder"], "tiny@r1.9eb88fb9b4bb/remote");

    let refused = sandbox.refusal_of(|| {
        let mut command = with_server(&sandbox, &server.url, &["add", "A boat."]);
        command.args(["--encoder-dim", "4", "--encoder-revision", "r1"]);
        command.args(["--encoder-query-prefix", "query: ", "--encoder-passage-prefix", "passage: "]);
        command
    });
    assert!(refused.starts_with("5 model: ") && refused.contains("3 components in vector 0, expected 4"), "{refused}");
}

#[test]
fn a_sensitive_note_is_not_sent() {
    let server = toys();
    let sandbox = served_by(&server);
    let run = |args: &[&str]| with_server(&sandbox, &server.url, args);
    finish(&mut run(&["add", "The safe opens with 4711.", "--note", "--sensitive"])).succeeded();
    finish(&mut run(&["add", "Lyon won by 4712 votes.", "--note"])).succeeded();
    finish(&mut run(&["reembed"])).succeeded();
    let sent = sent(&server);
    assert!(
        sent.iter().any(|text| text.contains("4712")) && !sent.iter().any(|text| text.contains("4711")),
        "{sent:?}"
    );
    let answer = json_of(&mut run(&["search", "safe opens"]));
    assert_eq!(answer["hits"][0]["text"], "The safe opens with 4711.", "it is found by its words");
}

#[test]
fn a_key_that_is_refused_is_not_shown() {
    let server = locked();
    let sandbox = Sandbox::new();
    sandbox.write("toys.jsonl", TOYS);
    for command in [&["add", "hello"][..], &["import", "toys.jsonl"]] {
        let refused = sandbox.refusal_of(|| with_server(&sandbox, &server.url, command));
        let expected = "5 model: an encoder on a server: URL/embeddings: status 401, attempts: 1: Incorrect API key \
                        provided: Bearer [key]; check the key";
        assert_eq!(refused.replace(&server.url, "URL"), expected);
    }
    // No store was made, and with one that is there a search goes on.
    assert!(!sandbox.path(STORE).exists());
    let open = toys();
    let sandbox = served_by(&open);
    let (id, reason) = {
        let mut search = program(&sandbox, &["search", "kite", "--encoder-revision", "r1"]);
        search.args(["--encoder-url", &server.url, "--encoder-model", "tiny"]).env("AFORESAID_ENCODER_KEY", KEY);
        found(&mut search)
    };
    let reason = reason.unwrap();
    assert!(reason.contains("status 401") && reason.contains("check the key") && !reason.contains(KEY), "{reason}");
    assert_eq!(id, "1");

    let refused = sandbox.refusal_of(|| {
        let mut command = with_server(&sandbox, &open.url, &["search", "kite"]);
        command.env("AFORESAID_ENCODER_KEY", "sk-01 23");
        command
    });
    assert_snapshot!(refused, @"2 usage: an encoder on a server: key: found white space or characters beyond ASCII within it, expected printable ASCII without spaces; copy it again; it is read from AFORESAID_ENCODER_KEY");
}

#[test]
fn without_its_server_a_search_goes_by_words_and_an_addition_fails() {
    let nobody = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/v1", nobody.local_addr().unwrap());
    drop(nobody);
    let sandbox = Sandbox::holding(TOYS);
    for dim in [&[][..], &["--encoder-dim", "3"]] {
        let (id, reason) = found(with_server(&sandbox, &url, &["search", "kite"]).args(dim));
        assert_eq!(id, "1");
        // With known dimensions nobody is asked for a vector that has nothing to be compared with.
        let expected = if dim.is_empty() { "check that the server runs there" } else { "none are stored" };
        assert!(reason.as_ref().unwrap().contains(expected), "{reason:?}");
    }
    let before = sandbox.files();
    let added = finish(with_server(&sandbox, &url, &["add", "A boat.", "--json"]).args(["--encoder-dim", "3"]));
    assert_eq!((added.code, added.stdout.as_str()), (5, ""), "{added:?}");
    let error: Value = serde_json::from_str(&added.stderr).unwrap();
    assert_eq!(error["error"]["kind"], "model");
    assert!(error["error"]["message"].as_str().unwrap().contains("attempts: 5"), "{error}");
    assert!(sandbox.files() == before);
}

#[test]
fn an_import_that_fails_on_the_way_keeps_the_texts_and_goes_on_later() {
    let refuses = Arc::new(AtomicBool::new(true));
    let asked = Arc::clone(&refuses);
    let server = Server::start(move |_, request| {
        match asked.load(Ordering::SeqCst) && request.inputs().iter().any(|text| text.contains("boat")) {
            true => status(400, "no boats"),
            false => vectors(request),
        }
    });
    let sandbox = Sandbox::new();
    finish(&mut with_server(&sandbox, &server.url, &["add", "The kite is red.", "--id", "0"])).succeeded();
    sandbox.write("toys.jsonl", TOYS);
    let failed = finish(&mut with_server(&sandbox, &server.url, &["import", "toys.jsonl"]));
    assert_eq!(failed.code, 5, "{failed:?}");
    let lines: Vec<&str> = failed.stdout.lines().collect();
    assert!(lines[0].starts_with("toys.jsonl: ") && lines[1] == "3 memories wait for vectors", "{failed:?}");
    assert!(failed.stderr.contains("status 400, attempts: 1: no boats"), "{failed:?}");
    let turns = TOYS.lines().count() + 1;
    let before = stats(&sandbox);
    assert_eq!(
        (before["turns"].as_u64(), before["without_vectors"].as_u64()),
        (Some(turns as u64), Some(turns as u64 - 1))
    );
    // The question's vector may fail as well.
    let (_, reason) = found(&mut with_server(&sandbox, &server.url, &["search", "kite or boat"]));
    assert!(reason.as_ref().unwrap().contains("no boats"), "{reason:?}");
    // The same command goes on where the server answers.
    refuses.store(false, Ordering::SeqCst);
    let report = json_of(&mut with_server(&sandbox, &server.url, &["import", "toys.jsonl"]));
    assert_eq!((report["added"].as_u64(), report["vectors"]["made"].as_u64()), (Some(0), Some(turns as u64 - 1)));
    assert_eq!(stats(&sandbox)["without_vectors"], 0);
}

/// Ctrl-C in the middle of the vectors keeps the texts and the vectors made so far, and says what is left.
#[cfg(unix)]
#[test]
fn an_import_that_is_interrupted_goes_on_later() {
    use std::{io::Read, process::Stdio, thread, time::Duration};

    let slow = Arc::new(AtomicBool::new(true));
    let asked = Arc::clone(&slow);
    let server = Server::start(move |_, request| {
        if asked.load(Ordering::SeqCst) {
            thread::sleep(Duration::from_millis(300));
        }
        vectors(request)
    });
    let sandbox = Sandbox::new();
    let line = |n: usize| format!("{{\"speaker\":\"Ann\",\"text\":\"kite number{n}\",\"session\":\"s{}\"}}\n", n / 50);
    sandbox.write("many.jsonl", (0..2_000).map(line).collect::<String>());
    let mut import = with_server(&sandbox, &server.url, &["import", "many.jsonl"]);
    let mut child = import.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    // Once the first vectors are stored, somebody presses Ctrl-C. The texts are found by their words all the while.
    let made =
        || stats(&sandbox)["vectors"].as_object().map_or(0, |sets| sets.values().filter_map(Value::as_u64).sum());
    while !sandbox.path(STORE).exists() || made() == 0 {
        assert!(child.try_wait().unwrap().is_none(), "it ended before it could be interrupted");
        thread::sleep(Duration::from_millis(50));
    }
    let answer = json_of(&mut program(&sandbox, &["search", "number1999", "--pipeline", "lexical"]));
    assert_eq!(answer["hits"][0]["text"], "kite number1999");
    finish(Command::new("kill").args(["-INT", &child.id().to_string()])).succeeded();
    let code = child.wait().unwrap().code();
    let mut said = String::new();
    child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
    assert_eq!(code, Some(130), "{said}");
    assert!(said.contains("stopping after this step") && said.contains("wait for vectors"), "{said}");
    let half = stats(&sandbox);
    let waiting = half["without_vectors"].as_u64().unwrap();
    assert_eq!(half["turns"], 2_000);
    assert!(0 < waiting && waiting < 2_000 && waiting + made() == 2_000, "{half}");

    // A search goes by what there is, and says what is missing.
    slow.store(false, Ordering::SeqCst);
    let answer = json_of(&mut with_server(&sandbox, &server.url, &["search", "number1999"]));
    assert_eq!(answer["hits"][0]["text"], "kite number1999");
    assert_eq!(
        (&answer["warnings"][0]["kind"], answer["warnings"][0]["missing"].as_u64()),
        (&json!("missing_vectors"), Some(waiting))
    );

    let report = json_of(&mut with_server(&sandbox, &server.url, &["import", "many.jsonl"]));
    assert_eq!((report["unchanged"].as_u64(), report["vectors"]["made"].as_u64()), (Some(2_000), Some(waiting)));
    assert_eq!(stats(&sandbox)["without_vectors"], 0);
}

#[test]
fn offline_only_servers_of_this_machine_are_asked() {
    let sandbox = Sandbox::holding(TOYS);
    let url = "http://models.example/v1";
    let (id, reason) = found(&mut with_server(&sandbox, url, &["search", "kite"]));
    assert_eq!(id, "1");
    assert_snapshot!(reason.unwrap(), @"the network is switched off, and the server http://models.example/v1 is not on this machine");
    assert_snapshot!(sandbox.refusal_of(|| with_server(&sandbox, url, &["reembed"])), @"5 model: no encoder: the network is switched off, and the server http://models.example/v1 is not on this machine (--offline); name one with --model, --model-dir or --encoder-url");
}

#[test]
fn a_namespace_served_by_a_server_says_which_options_are_missing() {
    let server = toys();
    let sandbox = served_by(&server);
    let serving = stats(&sandbox)["active_encoder"].as_str().unwrap().to_owned();
    let (id, reason) = found(&mut program(&sandbox, &["search", "kite"]));
    assert_eq!(id, "1");
    assert_snapshot!(reason.unwrap().replace(&serving, "ID"), @"they are by ID, a model on a server that is not configured");
    let added = finish(&mut program(&sandbox, &["add", "A glider."]));
    assert!(added.stderr.contains("stored without vectors") && added.stderr.contains("--encoder-url"), "{added:?}");
    // Back with its server, what is missing is made.
    let made = json_of(&mut with_server(&sandbox, &server.url, &["reembed"]));
    assert_eq!((&made["embedded"], &made["encoder"]), (&json!(1), &json!(serving)));
}

#[test]
fn reembed_has_another_server_serve() {
    let (first, second) = (toys(), toys());
    let sandbox = served_by(&first);
    let before = stats(&sandbox)["active_encoder"].as_str().unwrap().to_owned();
    for command in [&["search", "kite"][..], &["add", "hello"]] {
        let refused = sandbox.refusal_of(|| with_server(&sandbox, &second.url, command));
        assert!(refused.starts_with("5 model: the active encoder of namespace \"default\" is tiny@"), "{refused}");
        let end = "use the active one: `aforesaid reembed` with the same --encoder options, or leave these out";
        assert!(refused.ends_with(end), "{refused}");
    }
    let done = json_of(&mut with_server(&sandbox, &second.url, &["reembed", "--drop-old"]));
    assert_eq!((&done["embedded"], &done["dropped"], &done["before"]), (&json!(3), &json!(3), &json!(before)));
    assert_ne!(done["encoder"], json!(before));
    let (id, reason) = found(&mut with_server(&sandbox, &second.url, &["search", "who had a glider?"]));
    assert_eq!((id.as_str(), reason), ("1", None));
}

#[test]
fn a_server_may_be_set_in_the_environment_and_in_the_configuration_file() {
    let server = toys();
    let sandbox = served_by(&server);
    let search = ["search", "who had a glider?"];
    let mut environment = program(&sandbox, &search);
    environment.env("AFORESAID_ENCODER_URL", &server.url).env("AFORESAID_ENCODER_MODEL", "tiny");
    assert_eq!(found(&mut environment).1, None);

    sandbox.write("server.toml", format!("encoder_url = {:?}\nencoder_model = \"tiny\"\n", server.url));
    let configured = |args: &[&str]| {
        let mut command = program(&sandbox, &["--config", "server.toml"]);
        command.args(args);
        command
    };
    assert_eq!(found(&mut configured(&search)).1, None);
    let words = found(&mut configured(&["search", "kite", "--model", "none"])).1;
    assert_eq!(words.as_deref(), Some("no model was chosen"), "an option goes over the file");
    // The file is for new namespaces: vectors of another server serve on.
    let other = toys();
    finish(&mut with_server(&sandbox, &other.url, &["add", "A kite.", "-n", "other"])).succeeded();
    let reason = found(&mut configured(&["search", "kite", "-n", "other"])).1.unwrap();
    assert!(reason.contains("a model on a server that is not configured"), "{reason}");
    finish(&mut configured(&["add", "A kite.", "-n", "new"])).succeeded();
    let stats = json_of(&mut configured(&["stats"]));
    assert_eq!(stats["namespaces"]["new"]["active_encoder"], stats["namespaces"]["default"]["active_encoder"]);
    let refused = sandbox.refusal_of(|| configured(&["search", "kite", "--precision", "f32"]));
    assert!(refused.starts_with("2 usage: a precision was chosen, and the encoder is on a server"), "{refused}");
}

#[test]
fn settings_that_do_not_go_together_are_refused() {
    let sandbox = Sandbox::holding(TOYS);
    let url = "http://127.0.0.1:9/v1";
    let refused = |args: &[&str]| sandbox.refusal_of(|| program(&sandbox, &[args, &["search", "kite"]].concat()));
    for other in [["--model", "none"], ["--model-dir", "x"], ["--precision", "f32"]] {
        let both = refused(&[&["--encoder-url", url, "--encoder-model", "tiny"][..], &other].concat());
        assert!(both.starts_with("2 usage: an encoder on a server (--encoder-url) beside --model"), "{both}");
    }
    assert_snapshot!(refused(&["--encoder-url", url]), @"2 usage: an encoder on a server: found no model's name; give --encoder-url and --encoder-model");
    assert_snapshot!(refused(&["--encoder-model", "tiny"]), @"2 usage: an encoder on a server: found no URL; give --encoder-url and --encoder-model");
    assert_snapshot!(refused(&["--encoder-url", "http://ann:hidden@127.0.0.1", "--encoder-model", "tiny"]), @"2 usage: an encoder on a server: base URL: found a user name or password; give a key apart from the URL, expected http://HOST or https://HOST, a port and a path such as /v1 if need be; correct it");
    assert_snapshot!(refused(&["--encoder-url", url, "--encoder-model", "a\tb"]), @r#"2 usage: an encoder on a server: encoder "a\tb@6e8038372631/remote" has a control character: expected 1 to 256 bytes without control characters; choose another name"#);
    sandbox.write("both.toml", format!("encoder_url = {url:?}\nencoder_model = \"tiny\"\nprecision = \"int8\"\n"));
    assert_snapshot!(refused(&["--config", "both.toml"]), @"4 invalid_input: configuration file both.toml: encoder_url beside model, model_dir or precision; keep the one or the others");
    sandbox.write("half.toml", format!("encoder_url = {url:?}\n"));
    assert_snapshot!(refused(&["--config", "half.toml"]), @"4 invalid_input: configuration file half.toml: an encoder on a server: found no model's name; give --encoder-url and --encoder-model");
    sandbox.write("key.toml", format!("encoder_url = {url:?}\nencoder_key = \"hidden\"\n"));
    let key = refused(&["--config", "key.toml"]);
    assert!(
        key.starts_with("4 invalid_input: configuration file key.toml, line 2: unknown field `encoder_key`"),
        "{key}"
    );
}
