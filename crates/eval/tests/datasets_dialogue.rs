//! BEAM, RealMem and QMSum, on made-up files.

use std::fs;

use aforesaid::types::Granularity;
use aforesaid_eval::datasets::DataSet;

use crate::folder::{assert_refused, excluded, fixture, memories, question, remarks, unresolved};

#[test]
fn beam_chats_are_groups_in_numeric_order() {
    for path in ["beam", "beam/100K"] {
        let benchmark = DataSet::Beam.load(&fixture(path), Granularity::Turn).unwrap();
        let groups: Vec<_> = benchmark.groups.iter().map(|group| group.id.as_str()).collect();
        assert_eq!(groups, ["1", "2", "10"]);
    }
    let one = DataSet::Beam.load(&fixture("beam/100K/2"), Granularity::Turn).unwrap();
    assert_eq!(question(&one, "2::information_extraction-0").gold, ["0"]);
}

#[test]
fn beam_gold_is_message_ids_at_any_depth() {
    let benchmark = DataSet::Beam.load(&fixture("beam"), Granularity::Turn).unwrap();
    assert_eq!(
        memories(&benchmark, "1"),
        [
            "batch-1/0@2024-03-15T00:00:00Z user: I plan a bridge.",
            "batch-1/1@2024-03-15T00:00:00Z assistant: Of stone or wood? ->-> 1,1",
            "batch-1/2@2024-03-15T00:00:00Z user: Of wood.",
            "batch-2/3@2024-04-05T00:00:00Z user: Stone after all.",
        ]
    );
    assert_eq!(memories(&benchmark, "2"), ["batch-1/0 user: I plan a dam."]);
    let stone = question(&benchmark, "1::contradiction_resolution-0");
    assert_eq!(
        (&stone.gold[..], stone.category.as_deref()),
        (&["2".into(), "3".into()][..], Some("contradiction_resolution"))
    );
    assert_eq!(excluded(&benchmark, "abstention"), ["1::abstention-0"]);
    assert_eq!(excluded(&benchmark, "no gold"), ["1::summarization-0", "1::summarization-1"]);
    assert_eq!(excluded(&benchmark, "gold not in the history"), ["1::contradiction_resolution-1"]);
    assert_eq!(
        unresolved(&benchmark),
        [("1::contradiction_resolution-1", "99"), ("10::information_extraction-0", "7")]
    );
    let sessions = DataSet::Beam.load(&fixture("beam"), Granularity::Session).unwrap();
    assert_eq!(question(&sessions, "1::contradiction_resolution-0").gold, ["batch-1", "batch-2"]);
}

#[test]
fn beam_errors_name_chat_and_question() {
    let chat = fs::read_to_string(fixture("beam/100K/1/chat.json")).unwrap();
    let probe = |gold: &str| {
        format!(r#"{{"abstention": [], "summarization": [{{"question": "Sum up.", "source_chat_ids": {gold}}}]}}"#)
    };
    for (chat, questions, parts) in [
        (
            chat.clone(),
            probe("[\"2\"]"),
            &["probing_questions.json, summarization 0", "source_chat_ids", "the string \"2\""][..],
        ),
        (chat.clone(), probe("[-2]"), &["summarization 0", "the number -2"]),
        (chat.clone(), probe("[2]").replace("Sum up.", ""), &["summarization 0", "\"1::summarization-0\" is blank"]),
        (chat.clone(), "{\"summarization\": [{}]}".to_owned(), &["summarization 0", "missing field `question`"]),
        (chat.clone(), "{\"summarization\": {}}".to_owned(), &["summarization", "an object", "expected an array"]),
        (chat.replace("\"id\": 3", "\"id\": 2"), probe("[2]"), &["chat.json", "memory \"2\" is there already"]),
        ("[]".to_owned(), probe("[2]"), &["group \"1\"", "no memories"]),
        (chat.clone(), "{}".to_owned(), &["data set beam", "holds no questions"]),
    ] {
        let files = [("beam/100K/1/chat.json", chat.as_str()), ("beam/100K/1/probing_questions.json", &questions)];
        assert_refused(DataSet::Beam, Granularity::Turn, &files, parts);
    }
    let files = [("100K/1/chat.json", chat.as_str())];
    assert_refused(DataSet::Beam, Granularity::Turn, &files, &["probing_questions.json: could not read the file"]);
    assert_refused(
        DataSet::Beam,
        Granularity::Turn,
        &[],
        &["chat.json and probing_questions.json", "eval data fetch beam"],
    );
    let questions = probe("[2]");
    let sizes =
        ["100K/1/", "1M/1/"].map(|folder| [format!("{folder}chat.json"), format!("{folder}probing_questions.json")]);
    let files: Vec<_> =
        sizes.iter().flat_map(|[a, b]| [(a.as_str(), chat.as_str()), (b.as_str(), &questions)]).collect();
    assert_refused(DataSet::Beam, Granularity::Turn, &files, &["100K and 1M", "name it in the path"]);
}

#[test]
fn a_realmem_query_sees_the_sessions_before_its_own() {
    let benchmark = DataSet::RealMem.load(&fixture("realmem"), Granularity::Session).unwrap();
    let groups: Vec<_> = benchmark.groups.iter().map(|group| group.id.as_str()).collect();
    assert_eq!(groups, ["Ari", "Nora"]);
    assert_eq!(
        memories(&benchmark, "Nora")[..4],
        [
            "aaaa/aaaa:1@2025-12-20T00:00:00Z User: What did we plan?",
            "aaaa/aaaa:2@2025-12-20T00:00:00Z Assistant: Nothing yet.",
            "bbbb/bbbb:1@2025-12-15T00:00:00Z User: Let us plan a greenhouse.",
            "bbbb/bbbb:2@2025-12-15T00:00:00Z Assistant: Gladly.",
        ],
        "the order is the file's, not that of the times"
    );
    let size = question(&benchmark, "Nora::Q-1");
    assert_eq!((&size.gold[..], size.category.as_deref()), (&["bbbb".into()][..], Some("Dynamic")));
    assert_eq!(size.before.as_ref().unwrap().as_str(), "cccc:2", "the first turn of its session that is not blank");
    assert_eq!(excluded(&benchmark, "nothing was said before"), ["Nora::Q-0"]);
    assert_eq!(excluded(&benchmark, "no gold"), ["Nora::Q-2"]);
    assert_eq!(excluded(&benchmark, "gold not in the history"), ["Nora::Q-3"]);
    assert_eq!(
        unresolved(&benchmark),
        [
            ("Nora::Q-0", "bbbb"),
            ("Nora::Q-1", "cccc"),
            ("Nora::Q-1", "dddd"),
            ("Nora::Q-3", "dddd"),
            ("Nora::Q-3", "zzzz")
        ]
    );
    assert_eq!(remarks(&benchmark, "blank turn"), ["Nora::cccc:1"]);
    assert_eq!(remarks(&benchmark, "time not understood"), ["Nora::cccc: \"some day\""]);
    assert_eq!(remarks(&benchmark, "history without questions"), ["Ari"]);
}

#[test]
fn realmem_errors_name_session_and_turn() {
    let text = fs::read_to_string(fixture("realmem/Nora.json")).unwrap();
    for (from, to, parts) in [
        ("\"Q-3\"", "\"Q-1\"", &["session dddd, turn 1", "\"Nora::Q-1\" is there already", "session cccc, turn 3"][..]),
        ("\"Q-3\"", "null", &["session dddd, turn 1", "no field \"query_id\""]),
        ("Is it built?", "", &["session dddd, turn 1", "blank"]),
        ("[\"bbbb\"]", "\"bbbb\"", &["session aaaa, turn 1", "memory_session_uuids", "the string \"bbbb\""]),
        ("\"session_uuid\": \"dddd\"", "\"session_uuid\": \"bbbb\"", &["memory \"bbbb:1\" is there already"]),
        ("\"speaker\": \"User\"", "\"speaker\": \" \"", &["turn \"aaaa:1\": the speaker is empty"]),
        ("\"dialogues\"", "\"talks\"", &["Nora.json, line ", "missing field `dialogues`"]),
    ] {
        assert!(text.contains(from), "{from}");
        let text = text.replacen(from, to, 1);
        assert_refused(DataSet::RealMem, Granularity::Session, &[("Nora.json", &text)], parts);
    }
    let parts = ["data set realmem", "unit turn", "whole sessions", "--unit session"];
    assert_refused(DataSet::RealMem, Granularity::Turn, &[("Nora.json", &text)], &parts);
    assert_refused(DataSet::RealMem, Granularity::Session, &[("a.txt", "")], &["a persona's .json file"]);
}

#[test]
fn qmsum_spans_include_both_ends() {
    let benchmark = DataSet::QmSum.load(&fixture("qmsum"), Granularity::Turn).unwrap();
    assert_eq!(
        memories(&benchmark, "M1"),
        [
            "meeting/0 Chair: Let us begin .",
            "meeting/1 Kit: The old door sticks .",
            "meeting/3 Kit: A new one would not ."
        ]
    );
    assert_eq!(question(&benchmark, "M1::q0").gold, ["1", "3", "0"], "without the blank turn 2");
    assert_eq!(excluded(&benchmark, "gold not in the history"), ["M1::q1", "M1::q3"]);
    assert_eq!(excluded(&benchmark, "no gold"), ["M1::q2"]);
    assert_eq!(unresolved(&benchmark), [("M1::q1", "3-4"), ("M1::q1", "2-1"), ("M1::q3", "2-2")]);
    assert_eq!(remarks(&benchmark, "blank turn"), ["M1::2"]);
    assert_eq!(remarks(&benchmark, "history without questions"), ["meeting-2"]);
    assert!(benchmark.questions().all(|question| question.category.is_none()));
}

#[test]
fn qmsum_errors_name_the_line() {
    let text = fs::read_to_string(fixture("qmsum/train.jsonl")).unwrap();
    for (from, to, parts) in [
        (
            "{\"specific",
            "{\"meeting_id\": \"M1\", \"specific",
            &["train.jsonl, line 3", "group \"M1\" is there already"][..],
        ),
        ("[\"1\", \"3\"]", "[\"1\"]", &["line 1, specific query 0", "relevant_text_span", "[first, last]"]),
        ("[\"1\", \"3\"]", "[\"1\", \"x\"]", &["line 1, specific query 0", "an array of 2"]),
        ("[[\"3\", \"4\"], [\"2\", \"1\"]]", "7", &["line 1, specific query 1", "the number 7"]),
        ("Who will pay?", " ", &["line 1, specific query 1", "blank"]),
        ("\"Nobody came .\"", "1", &["line 3, column ", "expected a string"]),
        ("{\"specific", "[\"specific", &["line 3, column "]),
    ] {
        assert!(text.contains(from), "{from}");
        let text = text.replacen(from, to, 1);
        assert_refused(DataSet::QmSum, Granularity::Turn, &[("data/ALL/jsonl/train.jsonl", &text)], parts);
    }
    let parts = ["data set qmsum", "unit session", "a meeting is one session", "--unit turn"];
    assert_refused(DataSet::QmSum, Granularity::Session, &[("train.jsonl", &text)], &parts);
}
