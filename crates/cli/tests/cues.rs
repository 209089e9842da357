//! Cue questions through the program: asked of a server, sent by batch, brought by file, listed and dropped.

use std::process::{Command, Stdio};

use insta::{assert_json_snapshot, assert_snapshot};
use serde_json::{Value, json};

use crate::{
    sandbox::{Sandbox, finish},
    server::{Deed, Request, Server, ok, status},
};

/// The key that must never be seen.
const KEY: &str = "sk-never-to-be-seen";

/// Three turns in two sessions of a conversation, one turn in another.
const HELD: &str = include_str!("conversations/kites.jsonl");

/// A whole answer of a chat model; 15 tokens.
fn said(text: &str) -> Value {
    json!({
        "choices": [{"message": {"content": text}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 10, "completion_tokens": 5},
    })
}

/// Asks about what floats and what flies; nothing about anything else.
fn cues(request: &Request) -> Deed {
    let shown = request.body["messages"][1]["content"].to_string();
    let passage = shown.split("<passage>").nth(1).unwrap();
    let questions: Vec<_> = [("boat", "What happened to the vessel?"), ("kite", "Where is the glider?")]
        .into_iter()
        .filter(|(word, _)| passage.contains(word))
        .map(|(_, question)| question)
        .collect();
    ok(said(&json!({"questions": questions}).to_string()))
}

fn obliging() -> Server {
    Server::start(|_, request| cues(request))
}

fn with_server(sandbox: &Sandbox, url: &str, args: &[&str]) -> Command {
    let mut command = sandbox.command(args);
    command.env("AFORESAID_LLM_URL", url).env("AFORESAID_LLM_MODEL", "tiny").env("AFORESAID_LLM_KEY", KEY);
    command.env("AFORESAID_LLM_CONCURRENCY", "1");
    command
}

fn json_of(command: &mut Command) -> Value {
    serde_json::from_str(&finish(command.arg("--json")).succeeded()).unwrap()
}

fn asked(sandbox: &Sandbox) -> u64 {
    sandbox.json(&["cues", "stats"])["coverage"]["asked"].as_u64().unwrap()
}

#[test]
fn a_server_writes_cues_and_searches_go_by_them() {
    let (sandbox, server) = (Sandbox::holding(HELD), obliging());
    let write = || with_server(&sandbox, &server.url, &["cues", "write"]);
    assert!(sandbox.json(&["search", "glider"])["hits"].as_array().unwrap().is_empty());
    assert_json_snapshot!(json_of(&mut write()), @r#"
    {
      "namespace": "default",
      "memories": 4,
      "questions": 4,
      "skipped": {
        "count": 0,
        "first": []
      },
      "stopped": null,
      "warnings": [
        {
          "kind": "stored_without_vectors",
          "reason": "no model was chosen",
          "reason_code": "vectors_switched_off"
        }
      ],
      "spent": {
        "requests": 4,
        "estimated": 0,
        "prompt_tokens": 40,
        "completion_tokens": 20,
        "money": null
      }
    }
    "#);
    assert_eq!(server.requests().len(), 4);
    assert!(server.requests().iter().all(|request| request.header("authorization") == Some(&format!("Bearer {KEY}"))));
    let hit = &sandbox.json(&["search", "vessel"])["hits"][0];
    assert_eq!((&hit["id"], &hit["cue"]), (&json!("D1:2"), &json!("What happened to the vessel?")));
    let shown = sandbox.done(&["search", "vessel"]);
    assert!(shown.contains("\n   answers \"What happened to the vessel?\"\n"), "{shown}");
    let again = finish(&mut write());
    assert_eq!((again.code, again.stdout.as_str()), (0, "nothing to do: all that may be sent has cues\n"));

    assert_snapshot!(sandbox.done(&["cues", "list", "-c", "c1", "-s", "s1"]), @r#"
    D1:1  2024-03-09 18:02   Ann: I gave the red kite to my sister.
       Where is the glider?
    D1:2  2024-03-09 18:03   Bob: The blue boat sank. [image: a boat under water]
       What happened to the vessel?
    "#);
    assert_json_snapshot!(sandbox.json(&["cues", "list", "-c", "c2"]), @r#"
    {
      "namespace": "default",
      "memories": [
        {
          "conversation": "c2",
          "id": "D1:1",
          "text": "A kite is a bird, too.",
          "cues": {
            "model": "tiny",
            "prompt": "contextual/1",
            "questions": [
              "Where is the glider?"
            ]
          }
        }
      ],
      "without_cues": 0
    }
    "#);
    assert_snapshot!(sandbox.done(&["cues", "stats"]), @r#"
    4 memories asked, 4 with questions (4 questions), 0 without cues
      4 memories by tiny, contextual/1
    "#);
    assert_json_snapshot!(sandbox.json(&["cues", "stats"]), @r#"
    {
      "namespace": "default",
      "coverage": {
        "memories": 4,
        "asked": 4,
        "with_questions": 4,
        "questions": 4,
        "without_cues": 0,
        "sensitive": 0
      },
      "vectors": {},
      "sources": {
        "tiny, contextual/1": 4
      }
    }
    "#);
    let stats = sandbox.done(&["stats"]);
    assert!(stats.contains("4 cue questions of 4 memories"), "{stats}");
    assert_eq!(sandbox.json(&["stats"])["namespaces"]["default"]["cues"]["questions"], 4);

    let gone = sandbox.done(&["forget", "D1:2", "--yes"]);
    assert!(gone.starts_with("gone: 1 turn, 0 notes, 0 vectors, 1 cue question, 0 emptied sessions"), "{gone}");
    let refused = sandbox.refusal(&["cues", "drop", "-c", "c2"]);
    assert_snapshot!(refused, @"2 usage: this would drop the cues of 1 memory for good, and there is nobody to ask; add --yes");
    assert_snapshot!(sandbox.done(&["cues", "drop", "-c", "c2", "--yes"]), @"gone: 1 question of 1 memory, 0 vectors");
    assert_json_snapshot!(sandbox.json(&["cues", "drop", "--yes"]), @r#"
    {
      "namespace": "default",
      "dropped": {
        "memories": 2,
        "questions": 2,
        "vectors": 0
      },
      "erasure": "complete"
    }
    "#);
    assert_eq!(asked(&sandbox), 0);
    assert!(sandbox.json(&["search", "glider"])["hits"].as_array().unwrap().is_empty());
}

#[test]
fn what_is_skipped_and_what_it_costs_is_said() {
    let sandbox = Sandbox::holding(HELD);
    let server = Server::start(|_, request| match request.body.to_string().contains("<passage>\\n\\\"Bob") {
        true => ok(said("I cannot do that.")),
        false => cues(request),
    });
    let write = |more: &[&str]| {
        let mut command = with_server(&sandbox, &server.url, &["cues", "write", "--prompt", "isolated"]);
        finish(command.args(["--llm-prices", "100:200"]).args(more))
    };
    let stopped = write(&["--llm-max-tokens", "15"]);
    assert_eq!((stopped.code, asked(&sandbox)), (5, 1), "{stopped:?}");
    assert_snapshot!(stopped.stdout, @"1 memory got 1 question; 15 tokens in 1 requests, 0.0020 in money");
    assert_snapshot!(stopped.stderr, @r"
    note: stored without vectors, to be found by words only: no model was chosen (--model none); `aforesaid reembed` makes them later
    aforesaid: a language model: the budget is used up: spent 15 tokens in 1 requests, 0.0020 in money, allowed 15 tokens; allow more to go on, what was answered is kept
    ");
    let done = write(&[]);
    assert_snapshot!(done.succeeded(), @"2 memories got 2 questions; 1 was skipped: D1:2 (the reply is no JSON); 75 tokens in 5 requests, 0.0100 in money");
    let stopped = write(&["--llm-max-cost", "0.001", "--json"]);
    assert_eq!(stopped.code, 5);
    let report: Value = serde_json::from_str(&stopped.stdout).unwrap();
    assert_eq!((&report["memories"], &report["spent"]["requests"]), (&json!(0), &json!(1)));
    assert!(report["stopped"].as_str().unwrap().starts_with("the budget is used up"), "{report}");
    assert!(
        stopped.stderr.starts_with("{\"error\":{\"code\":\"out_of_budget\",\"kind\":\"model\""),
        "{}",
        stopped.stderr
    );
}

#[test]
fn a_server_that_refuses_the_key_is_named_and_the_key_is_not() {
    let sandbox = Sandbox::holding(HELD);
    let server = Server::start(|_, request| {
        let found = request.header("authorization").unwrap_or("no key").to_owned();
        status(401, json!({"error": {"message": format!("Incorrect API key provided: {found}")}}))
    });
    for more in [&[][..], &["--json"]] {
        let outcome = finish(with_server(&sandbox, &server.url, &["cues", "write"]).args(more));
        assert_eq!(outcome.code, 5);
        assert!(outcome.stderr.contains("status 401") && !format!("{outcome:?}").contains(KEY), "{outcome:?}");
    }
    for (file, bytes) in sandbox.files() {
        assert!(!String::from_utf8_lossy(&bytes).contains(KEY), "{file:?}");
    }
    let nowhere = sandbox.refusal(&["cues", "write"]);
    assert_snapshot!(nowhere, @"2 usage: a language model: found no URL; give --llm-url (AFORESAID_LLM_URL), or set it in the configuration file");
    let offline = sandbox.refusal_of(|| {
        let mut command = sandbox.command(&["cues", "write", "--offline", "--llm-model", "m"]);
        command.args(["--llm-url", "https://llm.example/v1"]);
        command
    });
    assert!(offline.starts_with("2 usage: the network is switched off") && offline.contains("--offline"), "{offline}");
}

#[test]
fn a_killed_run_goes_on_where_it_was() {
    let sandbox = Sandbox::holding(HELD);
    let stuck = Server::start(|number, request| match number {
        0..2 => cues(request),
        _ => Deed::Silence,
    });
    let mut write = with_server(&sandbox, &stuck.url, &["cues", "write"]);
    let mut child = write.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    while asked(&sandbox) < 2 {
        assert!(child.try_wait().unwrap().is_none(), "it waits for the third answer");
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let server = obliging();
    assert_eq!(json_of(&mut with_server(&sandbox, &server.url, &["cues", "write"]))["memories"], 2);
    assert_eq!((asked(&sandbox), server.requests().len()), (4, 2));
}

#[test]
fn a_batch_goes_out_comes_back_in_part_and_is_finished() {
    let sandbox = Sandbox::holding(HELD);
    let options = ["--batch", "--llm-model", "tiny", "--questions", "2"];
    let run = |args: &[&str]| sandbox.done(&[args, &options].concat());
    assert_snapshot!(run(&["cues", "export", "batch.jsonl"]), @"4 requests for 4 memories written to batch.jsonl");
    let requests = |name: &str| -> Vec<Value> {
        sandbox.read(name).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    };
    let batch = requests("batch.jsonl");
    assert_eq!((batch.len(), &batch[0]["body"]["model"]), (4, &json!("tiny")));
    let answer = |n: usize, text: &str| {
        let id = batch[n]["custom_id"].as_str().unwrap();
        json!({"custom_id": id, "response": {"status_code": 200, "body": said(text)}}).to_string()
    };
    // Two good ones, one that is no JSON, one line cut short; the fourth request has no answer.
    let good = r#"{"questions": ["Where is the glider?"]}"#;
    let lines =
        [answer(0, good), answer(1, "I obey."), answer(2, r#"{"questions": []}"#), answer(3, good)[..40].to_owned()];
    sandbox.write("results.jsonl", lines.join("\n"));

    let wrong = ["cues", "import", "results.jsonl", "--batch", "--llm-model", "tiny"];
    assert_snapshot!(sandbox.refusal(&wrong), @"4 invalid_input: file results.jsonl: found no custom_id that is a request's of these memories; give the --llm-model, --prompt, --questions, --before and namespace of the export");
    let import = [&["cues", "import", "results.jsonl"][..], &options].concat();
    let outcome = finish(&mut sandbox.command(&import));
    assert_snapshot!(outcome.stderr, @r"
    note: stored without vectors, to be found by words only: no model was chosen (--model none); `aforesaid reembed` makes them later
    note: results.jsonl, line 2: incomplete
    note: results.jsonl, line 4: unreadable
    ");
    assert_snapshot!(outcome.succeeded(), @"2 memories got 1 question; 0 unchanged, 2 without an answer yet; `aforesaid cues export --batch` asks for the rest");
    assert_json_snapshot!(sandbox.json(&import), @r#"
    {
      "namespace": "default",
      "memories": 0,
      "questions": 0,
      "skipped": {
        "count": 0,
        "first": []
      },
      "stopped": null,
      "warnings": [],
      "unchanged": 2,
      "unanswered": 2,
      "lines": {
        "incomplete": 1,
        "stored": 2,
        "unreadable": 1
      }
    }
    "#);
    assert_eq!(sandbox.json(&["search", "glider"])["hits"][0]["id"], "D1:1");

    assert_eq!(run(&["cues", "export", "rest.jsonl"]), "2 requests for 2 memories written to rest.jsonl\n");
    let left: Vec<_> = requests("rest.jsonl").iter().map(|line| line["custom_id"].clone()).collect();
    assert_eq!(left, [batch[1]["custom_id"].clone(), batch[3]["custom_id"].clone()]);

    let server = obliging();
    let written = json_of(&mut with_server(&sandbox, &server.url, &["cues", "write", "--questions", "2"]));
    assert_eq!((&written["memories"], asked(&sandbox)), (&json!(2), 4));
    assert_eq!(run(&["cues", "export", "rest.jsonl"]), "0 requests for 0 memories written to rest.jsonl\n");
}

#[test]
fn a_cue_file_comes_in_and_goes_out() {
    let sandbox = Sandbox::holding(HELD);
    sandbox.write(
        "c1.jsonl",
        "\u{feff}{\"id\": \"D1:1\", \"q\": [\"Where is the glider?\"]}\r\n\r\n{\"id\": \"D9:9\", \"q\": []}\r\n",
    );
    let import = ["cues", "import", "c1.jsonl", "--model-name", "me"];
    assert_json_snapshot!(sandbox.json(&import), @r#"
    {
      "namespace": "default",
      "added": 1,
      "unchanged": 0,
      "unknown": [
        "D9:9"
      ],
      "warnings": [
        {
          "kind": "stored_without_vectors",
          "reason": "no model was chosen",
          "reason_code": "vectors_switched_off"
        }
      ]
    }
    "#);
    let outcome = finish(&mut sandbox.command(&import));
    assert_eq!(outcome.stderr, "note: 1 id that nothing here has: D9:9\n");
    assert_eq!(outcome.succeeded(), "0 memories got cues, 1 unchanged, 1 unknown\n");
    assert_eq!(sandbox.done(&["cues", "export", "out.jsonl"]), "cues of 1 memory written to out.jsonl\n");
    let line = "{\"conversation\":\"c1\",\"id\":\"D1:1\",\"q\":[\"Where is the glider?\"],\"model\":\"me\",\"prompt\":\"unknown\"}\n";
    assert_eq!(sandbox.read("out.jsonl"), line);
    assert_eq!(sandbox.done(&["cues", "export", "-"]), line);
    assert_eq!(sandbox.json(&["cues", "import", "out.jsonl"])["unchanged"], 1);
    assert_eq!(sandbox.json(&["cues", "export", "out.jsonl"])["exported"], 1);
}

#[test]
fn bad_files_are_named_and_leave_everything_as_it_was() {
    let sandbox = Sandbox::holding(HELD);
    let good = "{\"id\": \"D2:1\", \"q\": [\"What is in the tree?\"]}\n";
    sandbox.write("good.jsonl", good);
    sandbox.write("bad.jsonl", format!("{good}\n{{\"id\": \"D2:1\", \"q\": 7}}\n"));
    sandbox.write("twice.jsonl", format!("{good}\n{good}"));
    sandbox.write("two.jsonl", "{\"id\": \"D1:1\", \"q\": [\"Who?\"]}\n");
    sandbox.write("latin.jsonl", b"{\"id\": \"D2:1\", \"q\": [\"\xE9?\"]}\n");
    let refused = |args: &[&str]| sandbox.refusal(&[&["cues", "import"], args].concat());
    assert_snapshot!(refused(&["good.jsonl", "bad.jsonl"]), @r#"4 invalid_input: bad.jsonl, line 3: found invalid type: integer `7`, expected a sequence, expected one object such as {"id": "D1:3", "q": ["Who has the kite?"]}, with "conversation", "model" and "prompt" where they are known; correct it and import the file again"#);
    assert_snapshot!(refused(&["good.jsonl", "twice.jsonl"]), @r#"4 invalid_input: twice.jsonl, line 3: found id "D2:1", which line 1 has too, expected each memory once, with all its questions; correct it and import the file again"#);
    assert_snapshot!(refused(&["good.jsonl", "two.jsonl"]), @r#"4 invalid_input: id "D1:1": found in 2 conversations (c1, c2); name one with --conversation"#);
    assert_snapshot!(refused(&["latin.jsonl"]), @"4 invalid_input: latin.jsonl, line 1: the byte at offset 22 is not UTF-8; expected UTF-8 text; convert the file, or remove what is damaged there");
    assert_snapshot!(refused(&["good.jsonl", "-c", "c3"]), @r#"3 not_found: conversation "c3": nothing in namespace "default" matches; `aforesaid list` shows conversations, `aforesaid export` all names"#);
    assert_snapshot!(refused(&["nowhere.jsonl"]), @"3 not_found: file nowhere.jsonl: could not be read; check the path: No such file or directory (os error 2)");
    assert_snapshot!(refused(&["good.jsonl", "--batch", "--llm-model", "tiny"]), @r#"4 invalid_input: file good.jsonl: found no line of batch results, expected {"custom_id": ..., "response": ...}; leave --batch out for a file of cues"#);
    assert_snapshot!(refused(&["good.jsonl", "--questions", "2"]), @"2 usage: --questions: nothing is asked for; add --batch; leave --questions out");
    assert_eq!(asked(&sandbox), 0);
    assert_eq!(
        sandbox.done(&["cues", "import", "two.jsonl", "-c", "c2"]),
        "1 memory got cues, 0 unchanged, 0 unknown\n"
    );
    assert!(sandbox.refusal(&["cues", "list", "-c", "c3"]).starts_with("3 not_found: "));
    assert!(sandbox.refusal(&["cues", "stats", "-n", "nobody"]).starts_with("3 not_found: "));
}
