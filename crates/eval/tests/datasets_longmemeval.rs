//! LongMemEval, official and pooled, on made-up files.

use std::fs;

use aforesaid::types::Granularity;
use aforesaid_eval::datasets::DataSet;

use crate::folder::{assert_refused, excluded, fixture, memories, question, remarks, unresolved};

#[test]
fn every_question_has_its_own_history() {
    let benchmark = DataSet::LongMemEval.load(&fixture("longmemeval/official.json"), Granularity::Session).unwrap();
    assert_eq!(
        memories(&benchmark, "q_one"),
        [
            "filler_7/filler_7:1@2023-05-20T07:22:00Z user: Tell me about moss.",
            "filler_7/filler_7:2@2023-05-20T07:22:00Z assistant: Moss has no roots.",
            "answer_a_1/answer_a_1:1@2023-05-21T00:05:00Z user: I bought a brass lamp.",
            "answer_a_1/answer_a_1:3@2023-05-21T00:05:00Z assistant: Brass is easy to clean.",
            "answer_a_2/answer_a_2:1 assistant: You said two more lamps came by post.",
        ]
    );
    let lamps = question(&benchmark, "q_one::q0");
    assert_eq!(lamps.gold, ["answer_a_1", "answer_a_2"]);
    assert_eq!((lamps.category.as_deref(), lamps.text.as_str()), (Some("multi-session"), "How many lamps do I own?"));
    assert_eq!(excluded(&benchmark, "abstention"), ["q_two_abs::q0"]);
    assert_eq!(excluded(&benchmark, "gold not in the history"), ["q_three::q0"]);
    assert_eq!(unresolved(&benchmark), [("q_three::q0", "gone")]);
    assert_eq!(remarks(&benchmark, "repeated session"), ["q_one::filler_7"]);
    assert_eq!(remarks(&benchmark, "time not understood"), ["q_one::answer_a_2: \"one day\""]);
    assert_eq!(remarks(&benchmark, "blank turn"), ["q_one::answer_a_1:2"]);
    assert!(remarks(&benchmark, "history without questions").is_empty(), "abstention is asked for");
}

#[test]
fn turn_gold_is_what_has_the_answer() {
    let benchmark = DataSet::LongMemEval.load(&fixture("longmemeval/official.json"), Granularity::Turn).unwrap();
    assert_eq!(question(&benchmark, "q_one::q0").gold, ["answer_a_1:1", "answer_a_2:1"]);
    assert_eq!(excluded(&benchmark, "no gold"), ["q_three::q0"]);
}

#[test]
fn what_makes_no_sense_is_an_error_that_names_the_item() {
    let text = fs::read_to_string(fixture("longmemeval/official.json")).unwrap();
    for (from, to, parts) in [
        ("\"q_three\"", "\"q_one\"", &["item 3, q_one", "group \"q_one\" is there already"][..]),
        ("What colour is my kettle?", "", &["item 3, q_three", "blank"]),
        ("[\"gone\"]", "\"gone\"", &["item 3, q_three", "answer_session_ids", "the string \"gone\""]),
        ("[\"s\"]", "[]", &["item 3, q_three", "0 ids, 1 dates and 1 sessions"]),
        ("\"My kettle is red.\"", "\"\"", &["item 3, q_three", "no memories"]),
        (
            "\"filler_7\", \"answer_a_1\"",
            "\"filler_7\", \"filler_7\"",
            &["item 1, q_one", "session \"filler_7\"", "other turns"],
        ),
        ("\"has_answer\": true", "\"has_answer\": \"yes\"", &["longmemeval_s.json, line 14", "expected a boolean"]),
        ("\"question_id\": \"q_three\",", "", &["line ", "missing field `question_id`"]),
    ] {
        assert!(text.contains(from), "{from}");
        let text = text.replacen(from, to, 1);
        assert_refused(DataSet::LongMemEval, Granularity::Session, &[("longmemeval_s.json", &text)], parts);
    }
    let two = [("longmemeval_s.json", "[]"), ("longmemeval_m.json", "[]")];
    assert_refused(
        DataSet::LongMemEval,
        Granularity::Turn,
        &two,
        &["longmemeval_s.json and longmemeval_m.json", "name it"],
    );
}

#[test]
fn pooled_evidence_and_distractors_are_one_history_by_date() {
    let benchmark = DataSet::LongMemEvalPooled.load(&fixture("longmemeval/pooled"), Granularity::Turn).unwrap();
    assert_eq!(
        memories(&benchmark, "pooled"),
        [
            "p1/e0/p1/e0:1@2023-03-01T10:00:00Z user: The spare key is in the shed.",
            "p3_abs/e0/p3_abs/e0:1@2023-03-02T10:00:00Z user: There is a garage.",
            "filler_1/filler_1:1@2023-03-15T10:14:00Z user: How deep is a peat bog?",
            "filler_1/filler_1:3@2023-03-15T10:14:00Z assistant: A few metres.",
            "p1/e1/p1/e1:1@2023-04-01T10:00:00Z user: I moved the spare key.",
            "p1/e1/p1/e1:2@2023-04-01T10:00:00Z assistant: Under the pot, then.",
        ]
    );
    assert_eq!(question(&benchmark, "pooled::p1").gold, ["p1/e0:1", "p1/e1:1", "p1/e1:2"]);
    assert_eq!(question(&benchmark, "pooled::p2").gold, ["p1/e0:1"], "equal evidence is shared");
    assert_eq!(excluded(&benchmark, "abstention"), ["pooled::p3_abs"]);
    assert_eq!(remarks(&benchmark, "shared evidence session"), ["p2/e0 is p1/e0"]);
    assert_eq!(remarks(&benchmark, "distractor turn equal to evidence"), ["pooled::filler_1:2"]);
    let sessions =
        DataSet::LongMemEvalPooled.load(&fixture("longmemeval/pooled/full_sessions.json"), Granularity::Session);
    assert_eq!(question(&sessions.unwrap(), "pooled::p1").gold, ["p1/e0", "p1/e1"]);
}

#[test]
fn a_pool_needs_both_files_and_unique_questions() {
    let read = |name: &str| fs::read_to_string(fixture(name)).unwrap();
    let (evidence, full) =
        (read("longmemeval/pooled/evidence_turns.json"), read("longmemeval/pooled/full_sessions.json"));
    let parts = ["longmemeval-pooled", "all of evidence_turns.json and full_sessions.json in it"];
    assert_refused(DataSet::LongMemEvalPooled, Granularity::Turn, &[("evidence_turns.json", &evidence)], &parts);
    let twice = evidence.replacen("\"p2\"", "\"p1\"", 1);
    let files = [("evidence_turns.json", twice.as_str()), ("full_sessions.json", &full)];
    assert_refused(
        DataSet::LongMemEvalPooled,
        Granularity::Turn,
        &files,
        &["\"pooled::p1\" is there already", "evidence_turns.json, p1"],
    );
}
