//! The main job from a shell: import, ask, get the exact turns back, forget. Without a model.

use std::fs;

use insta::{assert_json_snapshot, assert_snapshot};
use serde_json::{Value, json};

use crate::sandbox::{self, STORE, Sandbox, finish, without_floats};

const DEMO: &str = include_str!("../demo/conversation.jsonl");
const DEMO_TURNS: usize = 109;

/// Three turns in two sessions of a conversation, one turn in another.
const HELD: &str = include_str!("conversations/kites.jsonl");

const MESSAGES: &str = r#"{"messages": [
    {"role": "system", "content": "You are a gardener."},
    {"role": "user", "content": "When do I plant garlic?"},
    {"role": "assistant", "content": "In October, three fingers deep."}
]}"#;

/// The hits of an answer as `conversation/id`.
fn found(answer: &Value) -> Vec<String> {
    let name = |hit: &Value, field: &str| hit[field].as_str().unwrap().to_owned();
    answer["hits"].as_array().unwrap().iter().map(|hit| name(hit, "conversation") + "/" + &name(hit, "id")).collect()
}

/// The `n`-th line of a text, from 0.
fn line(text: &str, n: usize) -> &str {
    text.lines().nth(n).unwrap()
}

#[test]
fn two_formats_come_in_once_each() {
    let sandbox = Sandbox::new();
    sandbox.write("demo.jsonl", DEMO);
    sandbox.write("garden.json", MESSAGES);
    let import = ["import", "demo.jsonl", "garden.json"];
    assert_json_snapshot!(sandbox.json(&import), @r#"
    {
      "namespace": "default",
      "added": 111,
      "unchanged": 0,
      "replaced": 0,
      "kept": 0,
      "removed": 0,
      "skipped": 1,
      "files": [
        {
          "file": "demo.jsonl",
          "format": "jsonl",
          "conversations": 1,
          "sessions": 6,
          "added": 109,
          "unchanged": 0,
          "replaced": 0,
          "kept": 0,
          "removed": 0,
          "skipped": [],
          "warnings": [
            {
              "kind": "stored_without_vectors",
              "reason": "no model was chosen",
              "reason_code": "vectors_switched_off"
            }
          ],
          "skipped_by_reason": {}
        },
        {
          "file": "garden.json",
          "format": "openai",
          "conversations": 1,
          "sessions": 1,
          "added": 2,
          "unchanged": 0,
          "replaced": 0,
          "kept": 0,
          "removed": 0,
          "skipped": [
            {
              "at": "message 1",
              "why": "system message"
            }
          ],
          "warnings": [
            {
              "kind": "stored_without_vectors",
              "reason": "no model was chosen",
              "reason_code": "vectors_switched_off"
            }
          ],
          "skipped_by_reason": {
            "system message": 1
          }
        }
      ],
      "failed": [],
      "left_out": {},
      "vectors": {
        "made": 0,
        "waiting": 111,
        "reason": "no model was chosen",
        "reason_code": "vectors_switched_off"
      }
    }
    "#);
    let again = sandbox.json(&import);
    assert_eq!((&again["added"], &again["unchanged"]), (&json!(0), &json!(DEMO_TURNS + 2)));
    assert_snapshot!(sandbox.done(&import), @r#"
    demo.jsonl: 1 conversation, 6 sessions; 0 added, 109 already there, 0 skipped (jsonl)
    garden.json: 1 conversation, 1 session; 0 added, 2 already there, 1 skipped (openai)
      skipped message 1: system message
    2 files in all: 2 conversations; 0 added, 111 already there, 1 skipped: 1 system message
    "#);
}

#[test]
fn a_file_named_twice_comes_in_once() {
    let sandbox = Sandbox::new();
    sandbox.write("held.jsonl", HELD);
    let report = sandbox.json(&["import", "held.jsonl", "held.jsonl"]);
    assert_eq!((&report["added"], &report["unchanged"]), (&json!(4), &json!(4)));
}

#[test]
fn a_file_without_ids_comes_in_once() {
    let sandbox = Sandbox::new();
    sandbox.write("a.jsonl", r#"{"speaker": "Ann", "text": "Nobody gave me an id."}"#);
    assert_eq!(sandbox.json(&["import", "a.jsonl"])["added"], 1);
    assert_eq!(sandbox.json(&["import", "a.jsonl"])["added"], 0);
}

#[test]
fn standard_input_and_other_line_ends_are_read() {
    let sandbox = Sandbox::new();
    let crlf = format!("\u{FEFF}{}", HELD.replace('\n', "\r\n"));
    sandbox::feed(&mut sandbox.command(&["import", "-"]), crlf.as_bytes()).succeeded();
    assert_eq!(sandbox.done(&["export"]), HELD);
}

#[test]
fn a_search_prints_the_documented_json() {
    let answer = Sandbox::holding(HELD).json(&["search", "who has the red kite?", "-k", "1"]);
    assert_json_snapshot!(without_floats(answer), @r#"
    {
      "query": "who has the red kite?",
      "namespace": "default",
      "unit": "turn",
      "pipeline": "learned",
      "confidence": {
        "probability": "[float]",
        "word": "good",
        "answerable": "[float]"
      },
      "searched": 4,
      "hits": [
        {
          "id": "D1:1",
          "kind": "turn",
          "conversation": "c1",
          "session": "s1",
          "speaker": "Ann",
          "said_at": "2024-03-09T18:02:00Z",
          "text": "I gave the red kite to my sister.",
          "snippet": {
            "text": "I gave the red kite to my sister.",
            "marks": [
              [
                11,
                14
              ],
              [
                15,
                19
              ]
            ]
          },
          "tags": [],
          "importance": "[float]",
          "sensitive": false,
          "score": "[float]",
          "legs": {
            "lexical": {
              "rank": 1,
              "score": "[float]"
            }
          }
        }
      ],
      "warnings": [
        {
          "kind": "lexical_only",
          "reason": "no model was chosen",
          "reason_code": "vectors_switched_off"
        }
      ],
      "timing_ms": {
        "encode": "[float]",
        "search": "[float]",
        "total": "[float]"
      }
    }
    "#);
}

#[test]
fn a_session_comes_with_its_best_turns() {
    let answer = Sandbox::holding(HELD).json(&["search", "blue boat", "--unit", "session", "-k", "1"]);
    assert_json_snapshot!(without_floats(answer), @r#"
    {
      "query": "blue boat",
      "namespace": "default",
      "unit": "session",
      "pipeline": "learned",
      "confidence": {
        "probability": "[float]",
        "word": "good",
        "answerable": "[float]"
      },
      "searched": 3,
      "hits": [
        {
          "id": "s1",
          "conversation": "c1",
          "session": "s1",
          "speaker": "Bob",
          "said_at": "2024-03-09T18:02:00Z",
          "text": "The blue boat sank.",
          "snippet": {
            "text": "The blue boat sank.",
            "marks": [
              [
                4,
                8
              ],
              [
                9,
                13
              ]
            ]
          },
          "image_caption": "a boat under water",
          "tags": [],
          "importance": "[float]",
          "sensitive": false,
          "score": "[float]",
          "legs": {
            "lexical": {
              "rank": 1,
              "score": "[float]"
            }
          },
          "turns": [
            {
              "id": "D1:2",
              "speaker": "Bob",
              "said_at": "2024-03-09T18:03:00Z",
              "text": "The blue boat sank.",
              "snippet": {
                "text": "The blue boat sank.",
                "marks": [
                  [
                    4,
                    8
                  ],
                  [
                    9,
                    13
                  ]
                ]
              }
            },
            {
              "id": "D1:1",
              "speaker": "Ann",
              "said_at": "2024-03-09T18:02:00Z",
              "text": "I gave the red kite to my sister.",
              "snippet": {
                "text": "I gave the red kite to my sister.",
                "marks": []
              }
            }
          ]
        }
      ],
      "warnings": [
        {
          "kind": "lexical_only",
          "reason": "no model was chosen",
          "reason_code": "vectors_switched_off"
        }
      ],
      "timing_ms": {
        "encode": "[float]",
        "search": "[float]",
        "total": "[float]"
      }
    }
    "#);
}

#[test]
fn a_hit_for_people_says_who_when_where_and_why() {
    let text = Sandbox::holding(HELD).done(&["search", "boat", "-k", "1"]);
    assert!(line(&text, 0).contains("1 of 4 turns, "), "{text}");
    assert_snapshot!(text.lines().skip(1).take(3).collect::<Vec<_>>().join("\n"), @"
    1  c1 / s1 · 2024-03-09 18:03 · Bob                                         D1:2
       │ The blue boat sank.
       │ [image: a boat under water]
    ");
}

#[test]
fn a_memory_that_is_not_found_says_why() {
    let sandbox = Sandbox::holding(DEMO);
    let question = "does Maya drink coffee these days?";
    let summary = |args: &[&str]| {
        let text = sandbox.done(&[&["why"], args, &["--query", question]].concat());
        text.lines().take(2).collect::<Vec<_>>().join("\n")
    };
    assert_snapshot!(summary(&["S5:4"]), @r#"
    S5:4  2025-02-16 16:23  maya-and-tomas / session-5
    ranked 1st of 109, so it is a hit: it holds "coffe", "maya"
    "#);
    assert_snapshot!(summary(&["S2:4", "-k", "5"]), @r#"
    S2:4  2024-06-18 20:13  maya-and-tomas / session-2
    ranked 20th of 109, 1.3512 below the 5th: most of it in the time_order leg: newer ones speak of the same
    "#);
    assert_snapshot!(summary(&["session-2", "--unit", "session", "-k", "1"]), @r#"
    session-2  2024-06-18 20:11  maya-and-tomas / session-2
    ranked 4th of 6, 4.3552 below the 1st: most of it in the lexical leg: it lacks "coffe"
    "#);
    assert_snapshot!(summary(&["S2:4", "-s", "session-5"]), @"
    S2:4  2024-06-18 20:13  maya-and-tomas / session-2
    not searched: it is not in the session asked for
    ");
    let text = |query: &str| sandbox.done(&["why", "S2:4", "-q", query]);
    assert_snapshot!(text("zeppelin"), @r#"
    S2:4  2024-06-18 20:13  maya-and-tomas / session-2
    the search has no hits: no word of the query occurs in this scope; try other words
    not ranked: it has none of "zeppelin"

    stage                rank      score       adds
    lexical              none
    final                none
    109 candidates, 0 ranked

    lacks               "zeppelin"  idf 5.39, held by none

    met                 is not only a question  adds 0.00 of 0.00
    not met             is not short  adds 0.00 of 0.00
    "#);
    assert_snapshot!(text(" "), @"
    S2:4  2024-06-18 20:13  maya-and-tomas / session-2
    nothing is looked for: the query is empty; ask something
    ");
}

#[test]
fn the_reasons_agree_with_the_search() {
    let sandbox = Sandbox::holding(DEMO);
    let question = "what did Tomas say about the sea in June 2024?";
    let answer = sandbox.json(&["search", question, "-k", "4", "--explain"]);
    for (place, hit) in answer["hits"].as_array().unwrap().iter().enumerate() {
        let why = sandbox.json(&["why", hit["id"].as_str().unwrap(), "-q", question, "-k", "4"]);
        let stages = why["report"]["stages"].as_array().unwrap();
        let last = stages.last().unwrap();
        assert_eq!((&last["rank"], &last["score"]), (&json!(place + 1), &hit["score"]));
        assert_eq!(why["report"]["explain"], hit["explain"]);
        let sum: f64 =
            hit["explain"]["parts"].as_array().unwrap().iter().map(|part| part["value"].as_f64().unwrap()).sum();
        assert_eq!(hit["explain"]["how"], "sum");
        assert!((sum - hit["score"].as_f64().unwrap()).abs() < 1e-9, "{hit}");
    }
}

#[test]
fn a_scope_narrows_a_search() {
    let sandbox = Sandbox::holding(HELD);
    for (scope, expected) in [
        (&["-c", "c2"][..], &["c2/D1:1"][..]),
        (&["-c", "c1", "-s", "s2"], &["c1/D2:1"]),
        (&["-s", "s2"], &["c1/D2:1"]),
        (&["--from", "2024-05-01"], &["c2/D1:1"]),
        (&["--from", "2024-04-01T09:00:00Z", "--to", "2024-04-01T09:00:00Z"], &["c1/D2:1"]),
        (&["--from", "2025-01-01", "--to", "2025-01-02"], &[]),
    ] {
        let answer = sandbox.json(&[&["search", "kite"], scope].concat());
        assert_eq!(found(&answer), expected, "{scope:?}");
    }
    let answer = sandbox.json(&["search", "kite", "--sort-by", "recency", "-k", "3"]);
    assert_eq!(found(&answer)[0], "c2/D1:1");
}

#[test]
fn as_many_hits_as_there_are_is_enough() {
    let sandbox = Sandbox::holding(HELD);
    let all = sandbox.json(&["search", "kite", "-k", &usize::MAX.to_string()]);
    assert!(found(&all).len() <= 4);
    assert_eq!(found(&sandbox.json(&["search", "kite", "-k", "1"])), found(&all)[..1]);
}

#[test]
fn a_turn_is_shown_with_its_context() {
    let sandbox = Sandbox::holding(DEMO);
    assert_snapshot!(sandbox.done(&["show", "S1:5", "-B", "1", "-A", "1"]), @r#"
    maya-and-tomas / session-1
    S1:4  2024-03-09 18:05  Tomas
     │ On the sofa. Under a blanket. I sit on the floor now.
    S1:5  2024-03-09 18:06  Maya
     │ Name?
    S1:6  2024-03-09 18:07  Tomas
     │ Not deciding. If I name him, he's mine. For now he's just the Lodger.
     │ Rehearsal's in forty minutes and he's lying on my strap, so I may be playing
     │ sitting down.
    "#);
    assert_eq!(sandbox.done(&["show", "S1:5", "-C", "1"]), sandbox.done(&["show", "S1:5", "-B", "1", "-A", "1"]));
    let shown = sandbox.json(&["show", "S1:1", "-A", "2"]);
    let ids = |part: &str| shown[part].as_array().unwrap().iter().map(|turn| turn["id"].clone()).collect::<Vec<_>>();
    assert_eq!((ids("before"), ids("after")), (vec![], vec![json!("S1:2"), json!("S1:3")]));
    assert_eq!(shown["memory"]["speaker"], "Maya");
}

#[test]
fn a_turn_and_a_note_are_added() {
    let sandbox = Sandbox::new();
    let turn = ["add", "I am moving to Ghent.", "--speaker", "Ann", "-s", "monday", "--at", "2024-03-09", "--id", "t1"];
    assert_json_snapshot!(sandbox.json(&turn), @r#"
    {
      "namespace": "default",
      "ids": [
        "t1"
      ],
      "added": 1,
      "unchanged": 0,
      "warnings": [
        {
          "kind": "stored_without_vectors",
          "reason": "no model was chosen",
          "reason_code": "vectors_switched_off"
        }
      ]
    }
    "#);
    assert_eq!(sandbox.json(&turn)["unchanged"], 1);
    let note = ["add", "Ann lives in Ghent.", "--note", "--importance", "0.9", "--tag", "home", "--tag", "Ann"];
    sandbox.done(&[&note[..], &["--sensitive", "--source", "t1", "--id", "n1", "--at", "2024-03-10"]].concat());
    assert_snapshot!(sandbox.done(&["export"]), @r#"
    {"id":"t1","conversation":"default","session":"monday","speaker":"Ann","text":"I am moving to Ghent.","said_at":"2024-03-09T00:00:00Z"}
    {"id":"n1","kind":"note","text":"Ann lives in Ghent.","said_at":"2024-03-10T00:00:00Z","importance":0.9,"tags":["home","Ann"],"sensitive":true,"source":["t1"]}
    "#);
    assert_eq!(sandbox.json(&["search", "Ghent"])["hits"].as_array().unwrap().len(), 2);
}

#[test]
fn a_text_is_added_from_standard_input() {
    let sandbox = Sandbox::new();
    let text = "Two lines,\nand 'quotes' in them.";
    let mut add = sandbox.command(&["add", "-", "--at", "2024-03-09"]);
    sandbox::feed(&mut add, format!("{text}\n").as_bytes()).succeeded();
    let stored: Value = serde_json::from_str(&sandbox.done(&["export"])).unwrap();
    assert_eq!((&stored["text"], &stored["session"]), (&json!(text), &json!("2024-03-09")));
}

#[test]
fn what_is_forgotten_is_gone_and_counted() {
    let sandbox = Sandbox::holding(HELD);
    assert_snapshot!(sandbox.done(&["forget", "D1:2", "--yes"]), @"gone: 1 turn, 0 notes, 0 vectors, 0 emptied sessions, 0 emptied conversations");
    assert_json_snapshot!(sandbox.json(&["forget", "-c", "c1", "-s", "s2", "--yes"]), @r#"
    {
      "namespace": "default",
      "forgotten": {
        "turns": 1,
        "notes": 0,
        "vectors": 0,
        "cues": 0,
        "sessions": 1,
        "conversations": 0,
        "staged": 0,
        "erasure": "complete"
      }
    }
    "#);
    let left = sandbox.done(&["export"]);
    assert_eq!(left.lines().collect::<Vec<_>>(), [line(HELD, 0), line(HELD, 3)]);
    sandbox.done(&["forget", "--all", "--yes"]);
    assert_snapshot!(sandbox.done(&["stats"]), @r#"
    store memory.db
    empty; `aforesaid import FILE` fills it
    "#);
    for file in sandbox.files() {
        let is_store = file.0.to_str().unwrap().contains(STORE);
        assert!(!is_store || !contains(&file.1, b"red kite"), "{:?} still has it", file.0);
    }
}

fn contains(haystack: &[u8], needle: &[u8]) -> bool {
    haystack.windows(needle.len()).any(|window| window == needle)
}

#[test]
fn an_export_comes_back_the_same() {
    let sandbox = Sandbox::holding(DEMO);
    sandbox.done(&["add", "Tomas has a cat.", "--note", "--tag", "cat", "--at", "2024-03-10"]);
    let printed = sandbox.done(&["export"]);
    assert_eq!(sandbox.done(&["export", "-o", "out.jsonl"]), "110 memories written to out.jsonl\n");
    assert_eq!(sandbox.read("out.jsonl"), printed);
    sandbox.done(&["import", "out.jsonl", "-n", "again"]);
    assert_eq!(sandbox.done(&["export", "-n", "again"]), printed);
    let part = sandbox.done(&["export", "-s", "session-2"]);
    assert!(part.lines().count() > 1 && part.lines().all(|line| line.contains("\"session-2\"")));
}

#[test]
fn odd_text_comes_back_the_same() {
    let odd = json!({
        "id": "'); DROP TABLE memory;--",
        "conversation": "Ω \"quoted\"",
        "session": "日本 🪁",
        "speaker": "a\u{0}b",
        "text": "nul \u{0}, escape \u{1b}[31m, right to left \u{202e}, e\u{301} and \u{e9}, 👩‍👩‍👧",
        "meta": {"k": [1, 2.5, null]},
    });
    let sandbox = Sandbox::holding(&format!("{odd}\n"));
    let exported: Value = serde_json::from_str(&sandbox.done(&["export"])).unwrap();
    assert_eq!(exported, odd);
    let session = ["-c", "Ω \"quoted\"", "-s", "日本 🪁"];
    assert_eq!(sandbox.json(&[&["search", "escape"], &session[..]].concat())["hits"].as_array().unwrap().len(), 1);
    let mut forget = sandbox.command(&["forget", "--yes", "'); DROP TABLE memory;--"]);
    assert!(finish(&mut forget).succeeded().starts_with("gone: 1 turn,"));
}

#[test]
fn namespaces_do_not_see_each_other() {
    let sandbox = Sandbox::holding(HELD);
    let name = "o'hara\"; DROP TABLE memory;--";
    sandbox.done(&["add", "my own kite", "--at", "2024-01-01", "-n", name]);
    assert_eq!(sandbox.json(&["search", "kite", "-n", name])["hits"].as_array().unwrap().len(), 1);
    sandbox.done(&["forget", "--all", "--yes", "-n", name]);
    assert_eq!(sandbox.done(&["export"]), HELD);
}

#[test]
fn stats_count_what_is_there() {
    let sandbox = Sandbox::holding(HELD);
    sandbox.done(&["add", "A note.", "--note", "--at", "2024-06-01", "-n", "other"]);
    assert_snapshot!(sandbox.done(&["stats"]), @r#"
    store memory.db
    default: 2 conversations, 3 sessions, 4 turns, 0 notes
      from 2024-03-09 18:02 to 2024-05-01 09:00
      no vectors, found by words only; `aforesaid reembed` makes them
    other: 0 conversations, 0 sessions, 0 turns, 1 note
      from 2024-06-01 00:00 to 2024-06-01 00:00
      no vectors, found by words only; `aforesaid reembed` makes them
    "#);
    assert_json_snapshot!(sandbox.json(&["stats", "-n", "default"]), @r#"
    {
      "store": "memory.db",
      "erasure": "complete",
      "namespaces": {
        "default": {
          "conversations": 2,
          "sessions": 3,
          "turns": 4,
          "notes": 0,
          "vectors": {},
          "active_encoder": null,
          "staged": 0,
          "first": "2024-03-09T18:02:00Z",
          "last": "2024-05-01T09:00:00Z",
          "without_vectors": 4
        }
      }
    }
    "#);
}

#[test]
fn completions_are_written_for_every_shell() {
    let sandbox = Sandbox::new();
    for (shell, start) in [("bash", "_aforesaid()"), ("zsh", "#compdef aforesaid"), ("fish", "# Print an optspec")] {
        let script = finish(&mut sandbox.bare(&["completions", shell])).succeeded();
        assert!(script.starts_with(start) && script.contains("reembed"), "{shell}: {}", &script[..200]);
    }
}

#[test]
fn an_option_beats_the_environment_beats_the_file_beats_the_default() {
    let sandbox = Sandbox::new();
    let add = |expected: &str, args: &[&str], variables: &[(&str, &str)]| {
        let mut add = sandbox.command(&["add", "hello", "--json"]);
        let report: Value =
            serde_json::from_str(&finish(add.args(args).envs(variables.iter().copied())).succeeded()).unwrap();
        assert_eq!(report["namespace"], expected);
    };
    add("default", &[], &[]);
    sandbox.write("home/config/aforesaid/config.toml", "namespace = \"usual\"");
    sandbox.write("other.toml", "namespace = \"other\"");
    add("usual", &[], &[]);
    add("other", &["--config", "other.toml"], &[]);
    add("other", &[], &[("AFORESAID_CONFIG", "other.toml")]);
    add("variable", &[], &[("AFORESAID_NAMESPACE", "variable")]);
    add("option", &["-n", "option"], &[("AFORESAID_NAMESPACE", "variable")]);
}

#[test]
fn the_default_store_is_in_the_data_directory() {
    let sandbox = Sandbox::new();
    finish(&mut sandbox.bare(&["--model", "none", "add", "hello"])).succeeded();
    assert!(sandbox.path("home/data/aforesaid/memory.db").is_file());
}

#[test]
fn a_store_in_memory_leaves_nothing() {
    let sandbox = Sandbox::new();
    finish(&mut sandbox.bare(&["--model", "none", "--store", "memory:", "add", "hello"])).succeeded();
    assert!(sandbox.files().is_empty());
}

#[test]
fn an_export_leaves_other_files_alone() {
    let sandbox = Sandbox::holding(HELD);
    sandbox.write("chat.partial", "precious");
    sandbox.done(&["export", "-o", "chat.jsonl"]);
    assert_eq!(sandbox.read("chat.partial"), "precious");
}

#[test]
fn an_export_follows_a_link() {
    let sandbox = Sandbox::holding(HELD);
    sandbox.write("real.jsonl", "");
    std::os::unix::fs::symlink("real.jsonl", sandbox.path("link.jsonl")).unwrap();
    sandbox.done(&["export", "-o", "link.jsonl"]);
    assert!(fs::symlink_metadata(sandbox.path("link.jsonl")).unwrap().is_symlink());
    assert_eq!(sandbox.read("real.jsonl"), HELD);
}
