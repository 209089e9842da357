//! Receipts as files: what they say, what they may not say, and what they say of new figures.

use std::{fs, path::Path};

use aforesaid_eval::{
    datasets::DataSet,
    receipts::{Difference, Figures, Receipt, ReceiptError, Tolerance, Verdict},
};

const LEXICAL: &str = r#"title = "Words"
command = "aforesaid eval run --dataset locomo --unit session --system paper-bm25"
dataset = "locomo"
unit = "session"
system = "paper-bm25"
data_sha256 = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
n = 8
tolerance = 0.0005
note = "Spoken aloud."

[expected]
mrr = 0.75
"hit@1" = 1
"#;

const DENSE: &str = r#"title = "Meaning"
command = "aforesaid eval run --dataset beam --unit turn --system 'zscore(0.5, bm25, dense(max))' --model tiny"
dataset = "beam"
unit = "turn"
system = "zscore(0.5, bm25, dense(max))"
data_sha256 = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
encoder = "tiny@1/f32"
n = 8
tolerance = 0.0005

[expected]
"hit@1" = 0.5
"#;

const CHOSEN: &str = r#"title = "Words, chosen"
command = "aforesaid eval run --dataset locomo --unit turn --system 'bm25(k1={0.9, 1.2})' --criterion mrr+hit@1"
dataset = "locomo"
unit = "turn"
system = "bm25(k1={0.9, 1.2})"
criterion = "mrr+hit@1"
data_sha256 = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
n = 8
tolerance = 0.0005

[expected]
"hit@1" = 0.5
"#;

fn read(text: &str) -> Result<Receipt, ReceiptError> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("row.toml");
    fs::write(&path, text).unwrap();
    Receipt::read(&path)
}

fn figures() -> Figures {
    let measures = [("hit@1", 1.0), ("mrr", 0.7504)];
    Figures {
        data_sha256: "0123456789abcdef".repeat(4),
        encoder: None,
        reranker: None,
        cues_sha256: None,
        n: 8,
        measures: measures.map(|(name, value)| (name.parse().unwrap(), value)).into(),
    }
}

#[test]
fn a_receipt_is_read() {
    let receipt = read(LEXICAL).unwrap();
    assert_eq!((receipt.name(), receipt.title(), receipt.note()), ("row", "Words", Some("Spoken aloud.")));
    let recipe = receipt.recipe();
    assert_eq!((recipe.dataset, recipe.unit.to_string().as_str()), (DataSet::Locomo, "session"));
    let measures: Vec<String> = recipe.measures.iter().map(ToString::to_string).collect();
    assert_eq!((recipe.system.name.as_str(), measures), ("paper-bm25", vec!["hit@1".to_owned(), "mrr".to_owned()]));
    assert_eq!(receipt.expected().values().copied().collect::<Vec<_>>(), [1.0, 0.75]);
    assert_eq!(receipt.encoder(), None);
    assert_eq!(read(DENSE).unwrap().encoder().unwrap().as_str(), "tiny@1/f32");
    let chosen = read(CHOSEN).unwrap();
    assert_eq!(chosen.recipe().system.criterion.to_string(), "mrr+hit@1");
    assert!(CHOSEN.contains(&chosen.command()));
    let published = CHOSEN.replace(" --criterion mrr+hit@1", "").replace("criterion = \"mrr+hit@1\"\n", "");
    assert_eq!(read(&published).unwrap().recipe().system.criterion.to_string(), "hit@1");
}

#[test]
fn every_error_names_the_file_the_line_and_the_key() {
    for (text, from, to, line, expected) in [
        (LEXICAL, "n = 8", "n =", ", line 7: ", "expected TOML"),
        (LEXICAL, "title = \"Words\"\n", "", ": ", "no key \"title\"; expected what the row is called"),
        (LEXICAL, "\"Words\"", "3", ", line 1: ", "key \"title\": found 3; expected a string"),
        (LEXICAL, "dataset = \"locomo\"", "dataset = \"lokomo\"", ", line 3: ", "\"dataset\": data set \"lokomo\""),
        (
            LEXICAL,
            "unit = \"session\"",
            "unit = \"word\"",
            ", line 4: ",
            "key \"unit\": unit \"word\": expected turn or",
        ),
        (LEXICAL, "system = \"paper", "system = \"papyrus", ", line 5: ", "key \"system\": pipeline \"papyrus-bm25\""),
        (
            LEXICAL,
            "--unit session",
            "--unit turn",
            ", line 2: ",
            "the other keys say: \"aforesaid eval run --dataset loc",
        ),
        (LEXICAL, "bm25\"\ndata", "bm25 --data x\"\ndata", ", line 2: ", "key \"command\""),
        (LEXICAL, "\"0123", "\"O123", ", line 6: ", "\"data_sha256\": found \"O123"),
        (LEXICAL, "n = 8", "n = 0", ", line 7: ", "key \"n\": found 0; expected a whole number from 1"),
        (LEXICAL, "n = 8", "n = 8.5", ", line 7: ", "key \"n\": found 8.5; expected a whole number from 1"),
        (LEXICAL, "0.0005", "0", ", line 8: ", "\"tolerance\": found 0; expected a number above 0 and below 1"),
        (LEXICAL, "0.0005", "nan", ", line 8: ", "\"tolerance\": found nan; expected a number above 0"),
        (LEXICAL, "note", "notes", ", line 9: ", "key \"notes\" is unknown; expected one of title, command, dataset"),
        (LEXICAL, "[expected]", "[expect]", ": ", "no key \"expected\""),
        (LEXICAL, "[expected]\nmrr = 0.75\n\"hit@1\" = 1", "expected = 1", ", line 11: ", "found 1; expected a table"),
        (LEXICAL, "mrr = 0.75\n\"hit@1\" = 1", "", ", line 11: ", "expected at least one measure"),
        (LEXICAL, "mrr", "mmr", ", line 12: ", "key \"mmr\": measure \"mmr\": expected hit@k"),
        (LEXICAL, "mrr", "\"HIT@1\"", ", line 13: ", "key \"hit@1\": hit@1 is there already"),
        (LEXICAL, "0.75", "nan", ", line 12: ", "key \"mrr\": found nan; expected a number from 0 to 1"),
        (LEXICAL, "0.75", "1.25", ", line 12: ", "key \"mrr\": found 1.25; expected a number from 0 to 1"),
        (LEXICAL, "0.75", "[]", ", line 12: ", "key \"mrr\": found an empty array; expected a number"),
        (
            LEXICAL,
            "n = 8",
            "n = 8\nencoder = \"tiny\"",
            ", line 8: ",
            "\"encoder\": found \"tiny\"; expected no such key",
        ),
        (DENSE, "encoder = \"tiny@1/f32\"\n", "", ": ", "no key \"encoder\"; expected the id of the encoder"),
        (DENSE, "tiny@1/f32", " ", ", line 7: ", "key \"encoder\": encoder is blank"),
        (
            LEXICAL,
            "n = 8",
            "n = 8\ncriterion = \"mrr\"",
            ", line 8: ",
            "key \"criterion\": found \"mrr\"; expected no such key, since the system has no numbers to choose",
        ),
        (LEXICAL, "n = 8", "n = 8\ncriterion = \"mmr\"", ", line 8: ", "key \"criterion\": measure \"mmr\""),
        (CHOSEN, " --criterion mrr+hit@1", "", ", line 2: ", "the other keys say: \"aforesaid eval run"),
        (CHOSEN, "criterion = \"mrr+hit@1\"\n", "", ", line 2: ", "the other keys say: \"aforesaid eval run"),
        (DENSE, "'zscore", "zscore", ", line 2: ", "key \"command\""),
    ] {
        assert!(text.contains(from), "{from}");
        let message = read(&text.replacen(from, to, 1)).unwrap_err().to_string();
        assert!(message.contains(&format!("row.toml{line}")) && message.contains(expected), "{message}");
    }
    let message = Receipt::read(Path::new("nowhere.toml")).unwrap_err().to_string();
    assert!(message.starts_with("nowhere.toml: could not read the file: "), "{message}");
}

#[test]
fn all_receipts_of_a_folder_by_name() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    write("tables.toml", "not a receipt");
    write("notes.md", "neither");
    let message = Receipt::read_all(folder.path()).unwrap_err().to_string();
    assert!(message.contains(": holds no receipts; expected a .toml file besides tables.toml"), "{message}");
    for name in ["b.toml", "a-2.toml", "a.toml"] {
        write(name, LEXICAL);
    }
    let receipts = Receipt::read_all(folder.path()).unwrap();
    assert_eq!(receipts.iter().map(Receipt::name).collect::<Vec<_>>(), ["a", "a-2", "b"]);
    assert!(Receipt::read_all(Path::new("nowhere")).is_err());
}

#[test]
fn figures_are_the_same_or_not() {
    let receipt = read(LEXICAL).unwrap();
    let measures = figures().measures.into_iter().collect();
    assert_eq!(receipt.check(&figures()), Verdict::Ok { measures });

    let differences = |figures: Figures| match receipt.check(&figures) {
        Verdict::Failed { differences } => differences.iter().map(Difference::to_string).collect::<Vec<_>>().join("; "),
        other => panic!("{other:?}"),
    };
    let mut off = figures();
    off.measures.insert("mrr".parse().unwrap(), 0.75051);
    off.measures.insert("hit@1".parse().unwrap(), f64::NAN);
    let expected =
        "hit@1 expected 1 +- 0.0005, actual NaN (NaN); mrr expected 0.75 +- 0.0005, actual 0.750510 (+0.000510)";
    assert_eq!(differences(off), expected);

    let short = Figures { measures: figures().measures.into_iter().take(1).collect(), ..figures() };
    assert_eq!(differences(short), "mrr expected 0.75 +- 0.0005, not measured");

    let data = Figures { data_sha256: "abc".to_owned(), ..figures() };
    assert_eq!(differences(data), format!("data_sha256 expected {}, actual abc", "0123456789abcdef".repeat(4)));
    let cues = Figures { cues_sha256: Some("def".to_owned()), ..figures() };
    assert_eq!(differences(cues), "cues_sha256 expected none, actual def");
    let encoder = Figures { encoder: Some("tiny@1/f32".to_owned()), n: 7, ..figures() };
    assert_eq!(differences(encoder), "encoder expected none, actual tiny@1/f32; n expected 8, actual 7");
}

#[test]
fn a_new_receipt_reads_back() {
    let recipe = read(DENSE).unwrap().recipe();
    let measures = [("hit@1", 2.0 / 3.0), ("mrr", 1.0)];
    let measures = measures.map(|(name, value)| (name.parse().unwrap(), value)).into();
    let figures = Figures { encoder: Some("tiny@1/f32".to_owned()), measures, ..figures() };
    let text = Receipt::of("Ann's \"best\"\nrow", Tolerance::new(0.00005).unwrap(), &recipe, &figures, None);
    let lines: Vec<&str> = text.lines().filter(|line| !line.is_empty()).collect();
    let keys: Vec<&str> = lines.iter().filter_map(|line| line.split_once(" = ")).map(|(key, _)| key).collect();
    let measured = ["\"hit@1\"", "\"mrr\""];
    let named = ["title", "command", "dataset", "unit", "system", "data_sha256", "encoder", "n", "tolerance"];
    assert_eq!(keys, [&named[..], &measured[..]].concat());
    assert!(text.contains("tolerance = 0.00005\n") && text.ends_with("\"hit@1\" = 0.66666667\n\"mrr\" = 1.00000000\n"));

    let receipt = read(&text).unwrap();
    assert_eq!(receipt.title(), "Ann's \"best\"\nrow");
    assert_eq!((receipt.recipe().dataset, receipt.recipe().system), (recipe.dataset, recipe.system));
    assert_eq!(
        receipt.check(&figures),
        Verdict::Ok { measures: figures.measures.iter().map(|(m, v)| (*m, *v)).collect() }
    );
}

#[test]
fn a_new_receipt_says_where_data_of_the_repository_are() {
    let repository = tempfile::tempdir().unwrap();
    let path = repository.path().join("receipts/dialogues.toml");
    for folder in ["receipts", "datasets/dialogues"] {
        fs::create_dir_all(repository.path().join(folder)).unwrap();
    }
    let data = Receipt::data_beside(&path, DataSet::DialoguesTest);
    assert_eq!(data.as_deref(), Some(Path::new("../datasets/dialogues")));
    assert_eq!(Receipt::data_beside(&path, DataSet::Ranking), None, "it is not there");
    assert_eq!(Receipt::data_beside(&path, DataSet::Locomo), None, "it goes with no repository");
    assert_eq!(Receipt::data_beside(Path::new("dialogues.toml"), DataSet::Dialogues), None);

    let recipe = read(LEXICAL).unwrap().recipe();
    let text = Receipt::of("Mine", Tolerance::new(0.0005).unwrap(), &recipe, &figures(), data.as_deref());
    assert!(text.contains("\ndata = \"../datasets/dialogues\"\nunit = "), "{text}");
    read(&text).unwrap();
}
