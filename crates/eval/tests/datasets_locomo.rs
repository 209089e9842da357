//! LoCoMo, its audit and its splits, on a made-up file.

use std::fs;

use aforesaid::types::Granularity;
use aforesaid_eval::datasets::{DataSet, Splits};

use crate::folder::{Folder, assert_refused, excluded, fixture, memories, question, remarks, unresolved};

#[test]
fn turns_are_those_of_an_import() {
    let benchmark = DataSet::Locomo.load(&fixture("locomo"), Granularity::Turn).unwrap();
    assert_eq!(
        memories(&benchmark, "harbour"),
        [
            "session_1/D1:1@2021-05-08T13:56:00Z Ida: The ferry was painted green.",
            "session_1/D1:2@2021-05-08T13:56:00Z Bo: Look at this. [image: a heron on a mooring post]",
            "session_1/D1:3@2021-05-08T13:56:00Z Ida: It stood there all morning.",
            "session_2/D2:1@2021-06-01T09:05:00Z Bo: I bought an old rowing boat.",
            "session_2/D2:2@2021-06-01T09:05:00Z Ida: Name it after the heron.",
        ]
    );
    assert_eq!(remarks(&benchmark, "blank turn"), ["conversation 1, session_1, message 4: empty text"]);
    assert_eq!(remarks(&benchmark, "history without questions"), ["attic"]);
}

#[test]
fn sessions_follow_protocol_s() {
    let benchmark = DataSet::Locomo.load(&fixture("locomo/locomo10.json"), Granularity::Session).unwrap();
    let gold = |index: usize| question(&benchmark, &format!("harbour::qa{index}")).gold.clone();
    assert_eq!(gold(0), ["session_1"]);
    assert_eq!(gold(1), ["session_2"], "the item is trimmed");
    assert_eq!(gold(4), ["session_1", "session_2"], "a turn that does not exist stands for its session");
    assert_eq!(gold(6), ["session_1"], "a session is gold once");
    assert_eq!(benchmark.questions().count(), 4);
    assert_eq!(excluded(&benchmark, "no gold"), ["harbour::qa3"]);
    assert_eq!(excluded(&benchmark, "gold not in the history"), ["harbour::qa2", "harbour::qa5"]);
    assert_eq!(unresolved(&benchmark), [("harbour::qa2", "D1:2; D2:2"), ("harbour::qa5", "D9:1")]);
    assert_eq!(remarks(&benchmark, "repeated question"), ["harbour::qa6"]);
    let categories: Vec<_> = benchmark.questions().map(|question| question.category.as_deref().unwrap()).collect();
    assert_eq!(categories, ["single-hop", "temporal", "open-domain", "single-hop"]);
    assert_eq!((benchmark.dataset.as_str(), benchmark.unit, benchmark.excluded()), ("locomo", Granularity::Session, 3));
}

#[test]
fn turns_follow_protocol_t() {
    let benchmark = DataSet::Locomo.load(&fixture("locomo"), Granularity::Turn).unwrap();
    let gold = |index: usize| question(&benchmark, &format!("harbour::qa{index}")).gold.clone();
    assert_eq!(
        (gold(0), gold(4), gold(6)),
        (vec!["D1:1".into()], vec!["D1:2".into()], vec!["D1:1".into(), "D1:3".into()])
    );
    assert_eq!(benchmark.questions().count(), 3);
    assert_eq!(
        unresolved(&benchmark),
        [
            ("harbour::qa1", " D2:1 "),
            ("harbour::qa2", "D1:2; D2:2"),
            ("harbour::qa4", "D2:9"),
            ("harbour::qa5", "D9:1")
        ]
    );
}

#[test]
fn the_audit_replaces_gold_where_it_has_some() {
    let benchmark = DataSet::LocomoAudit.load(&fixture("locomo"), Granularity::Turn).unwrap();
    assert_eq!(question(&benchmark, "harbour::qa2").gold, ["D2:2"]);
    assert_eq!(question(&benchmark, "harbour::qa0").gold, ["D1:1"]);
    assert_eq!(remarks(&benchmark, "gold corrected"), ["locomo_0_qa2"]);
    assert_eq!(remarks(&benchmark, "audited without correct evidence"), ["locomo_0_qa5"]);
    assert_eq!(excluded(&benchmark, "gold not in the history"), ["harbour::qa1", "harbour::qa5"]);
}

/// The made-up file with one part replaced.
fn changed(from: &str, to: &str) -> String {
    let text = fs::read_to_string(fixture("locomo/locomo10.json")).unwrap();
    assert!(text.contains(from), "{from}");
    text.replacen(from, to, 1)
}

#[test]
fn what_makes_no_sense_is_an_error_that_names_the_question() {
    for (from, to, parts) in [
        ("\"category\": 2", "\"category\": 6", &["harbour, qa 1", "category", "the number 6", "1 to 5"][..]),
        ("\"category\": 2", "\"category\": \"2\"", &["harbour, qa 1", "the string \"2\""]),
        ("[\" D2:1 \"]", "\"D2:1\"", &["harbour, qa 1", "evidence", "the string \"D2:1\"", "an array of ids"]),
        ("[\" D2:1 \"]", "[[1]]", &["harbour, qa 1", "evidence", "an array of 1"]),
        ("What did Bo buy?", " ", &["harbour, qa 1", "\"harbour::qa1\" is blank"]),
        ("\"attic\"", "\"harbour\"", &["both have id \"D1:1\" in conversation \"harbour\""]),
        ("\"question\": \"What did Bo buy?\",", "", &["locomo10.json, line 23", "missing field `question`"]),
        ("\"qa\": []", "\"qa\": [", &["locomo10.json, line "]),
    ] {
        let text = changed(from, to);
        assert_refused(DataSet::Locomo, Granularity::Session, &[("locomo10.json", &text)], parts);
    }
}

#[test]
fn an_audit_of_other_conversations_is_an_error() {
    let conversations = changed("x", "x");
    let item = |id: &str, question: &str, gold: &str| {
        format!(r#"{{"question_id": "{id}", "question": "{question}", "correct_evidence": {gold}}}"#)
    };
    let first = item("locomo_0_qa1", "What did Bo buy?", "[\"D2:1\"]");
    for (audit, parts) in [
        (
            item("locomo_0_qa1", "What did Ida buy?", "[]"),
            &["locomo_0_qa1", "What did Ida buy?", "What did Bo buy?"][..],
        ),
        (item("locomo_7_qa1", "What did Bo buy?", "[]"), &["locomo_7_qa1", "which no question has"]),
        (item("qa1", "What did Bo buy?", "[]"), &["item 1", "\"qa1\"", "locomo_<conversation index>_qa<index>"]),
        (item("locomo_0_qa1", "What did Bo buy?", "\"D2:1\""), &["item 1", "correct_evidence", "an array of ids"]),
        (format!("{first}, {first}"), &["item 2", "\"locomo_0_qa1\" is there already"]),
    ] {
        let audit = format!("[{audit}]");
        let files = [("locomo10.json", conversations.as_str()), ("audit.json", &audit)];
        assert_refused(DataSet::LocomoAudit, Granularity::Turn, &files, parts);
    }
    let alone = [("locomo10.json", conversations.as_str())];
    assert_refused(
        DataSet::LocomoAudit,
        Granularity::Turn,
        &alone,
        &["locomo-audit", "audit.json beside it", "put audit.json"],
    );
}

#[test]
fn splits_are_read_and_checked() {
    let benchmark = DataSet::Locomo.load(&fixture("locomo"), Granularity::Turn).unwrap();
    let splits = DataSet::Locomo.splits(&fixture("locomo/locomo10.json"), &benchmark).unwrap();
    let sides: Vec<_> = splits.by_seed.iter().map(|(seed, split)| (*seed, &split.dev[..], &split.test[..])).collect();
    let (attic, harbour) = (["attic".to_owned()], ["harbour".to_owned()]);
    assert_eq!(sides, [(3, &attic[..], &harbour[..]), (12, &harbour[..], &attic[..])]);
    for (text, parts) in [
        (
            r#"{"3": {"dev": ["attic"], "test": ["harbour", "attic"]}}"#,
            &["seed 3", "group \"attic\" is there already"][..],
        ),
        (r#"{"3": {"dev": ["attic"], "test": ["cellar"]}}"#, &["seed 3", "\"cellar\", which is no group"]),
        (r#"{"3": {"dev": [], "test": ["attic"]}}"#, &["seed 3", "dev is empty"]),
        (r#"{"3": {"dev": ["attic"]}}"#, &["line 1", "missing field `test`"]),
        (r#"{"three": {"dev": ["attic"], "test": ["harbour"]}}"#, &["line 1", "seeds"]),
        ("{}", &["at least one seed"]),
    ] {
        let folder = Folder::with(&[("splits.json", text)]);
        let message = Splits::read(&folder.path("splits.json"), &benchmark).unwrap_err().to_string();
        assert!(parts.iter().all(|part| message.contains(part)), "{message}");
    }
}

#[test]
fn the_file_is_found_in_its_folder_and_in_a_clone() {
    let text = changed("x", "x");
    for name in ["locomo10.json", "locomo/locomo10.json", "data/locomo10.json"] {
        let folder = Folder::with(&[(name, &text)]);
        assert_eq!(DataSet::Locomo.load(&folder.path(""), Granularity::Turn).unwrap().groups.len(), 2, "{name}");
    }
    let parts =
        ["data set locomo: not found at", "locomo10.json in it or in locomo or in data", "eval data fetch locomo"];
    assert_refused(DataSet::Locomo, Granularity::Turn, &[("other.json", "[]")], &parts);
    assert_refused(
        DataSet::Locomo,
        Granularity::Turn,
        &[("locomo10.json", "[]")],
        &["locomo10.json holds no questions"],
    );
}

#[test]
fn a_fingerprint_is_what_sha256sum_prints() {
    let files = [("locomo10.json", "abc"), ("audit.json", "")];
    let folder = Folder::with(&files);
    let (abc, empty) = (
        "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
        "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    );
    assert_eq!(DataSet::Locomo.fingerprint(&folder.path("")).unwrap(), abc);
    // printf '%s  audit.json\n%s  locomo10.json\n' EMPTY ABC | sha256sum
    let manifest = format!("{empty}  audit.json\n{abc}  locomo10.json\n");
    let folder_of_manifest = Folder::with(&[("locomo10.json", &manifest)]);
    let expected = DataSet::Locomo.fingerprint(&folder_of_manifest.path("")).unwrap();
    assert_eq!(DataSet::LocomoAudit.fingerprint(&folder.path("")).unwrap(), expected);
}
