//! Tables of a document, made from receipts.

use std::fs;

use aforesaid_eval::receipts::{ReceiptError, Tables};

const RECEIPT: &str = r#"title = "Words"
command = "aforesaid eval run --dataset locomo --unit session --system paper-bm25"
dataset = "locomo"
unit = "session"
system = "paper-bm25"
data_sha256 = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
n = 8
tolerance = 0.0005
[expected]
mrr = 0.912649
"hit@1" = 0.639512
"#;

const TABLES: &str = r#"[[table]]
name = "sessions"
columns = { mrr = "MRR", "hit@1" = "Hit@1", "recall@3" = "R@3" }
[[table.row]]
label = "BM25, as published"
encoder = "none"
source = "Doe 2026, Table 5"
values = { "hit@1" = 0.6395, mrr = 0.912, "recall@3" = 0.8 }
[[table.row]]
label = "`aforesaid`"
encoder = "tiny, 1M"
receipt = "words"
[[table]]
name = "small"
columns = { mrr = "MRR" }
[[table.row]]
label = "ours"
encoder = "none"
receipt = "words"
"#;

const FILLED: &str = "\
# Figures

<!-- table: sessions -->

| system | encoder | MRR | Hit@1 | R@3 | source |
|---|---|---|---|---|---|
| BM25, as published | none | 0.912 | **0.6395** | **0.800** | Doe 2026, Table 5 |
| `aforesaid` | tiny, 1M | **0.9126** | **0.6395** |  | `words` |

<!-- end of table -->
Text after it, and `<!-- table: no -->` in a line.

<!-- table: small -->

| system | encoder | MRR |
|---|---|---|
| ours | none | **0.9126** |

<!-- end of table -->
";

fn read(tables: &str) -> Result<Tables, ReceiptError> {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("tables.toml"), tables).unwrap();
    fs::write(folder.path().join("words.toml"), RECEIPT).unwrap();
    Tables::read(folder.path())
}

#[test]
fn tables_are_filled_and_stay_as_they_are() {
    let tables = read(TABLES).unwrap();
    assert_eq!(tables.fill(FILLED).unwrap(), FILLED);
    assert!(!tables.is_stale(FILLED).unwrap());

    let older = FILLED.replace("| BM25, as published | none | 0.912 ", "| older | none | 0.9 ");
    assert!(tables.is_stale(&older).unwrap());
    assert_eq!(tables.fill(&older).unwrap(), FILLED);
    let bare = "# Figures\n\n<!-- table: sessions -->\n<!-- end of table -->\n\
                Text after it, and `<!-- table: no -->` in a line.\n\n\
                <!-- table: small -->\nanything\n<!-- end of table -->\n";
    assert!(tables.is_stale(bare).unwrap());
    assert_eq!(tables.fill(bare).unwrap(), FILLED);
}

#[test]
fn a_changed_receipt_makes_a_document_stale() {
    let better = read(&TABLES.replace("mrr = 0.912,", "mrr = 0.9130,")).unwrap();
    assert!(better.is_stale(FILLED).unwrap());
    let filled = better.fill(FILLED).unwrap();
    assert!(filled.contains("| **0.9130** |") && filled.contains("| tiny, 1M | 0.9126 |"), "{filled}");
}

#[test]
fn all_else_of_a_document_stays() {
    let tables = read(TABLES).unwrap();
    for document in ["", "no table", "a\r\nb", "\n\n", "a <!-- end of table --> b\n"] {
        assert_eq!(tables.fill(document).unwrap(), document);
    }
    let windows = FILLED.replace('\n', "\r\n");
    assert_eq!(tables.fill(&windows).unwrap(), windows);
    let cut = "<!-- table: small -->\n<!--end of table-->";
    let filled = tables.fill(cut).unwrap();
    assert!(filled.ends_with("| ours | none | **0.9126** |\n\n<!--end of table-->"), "{filled}");
    assert_eq!(tables.fill(&filled).unwrap(), filled);
}

#[test]
fn wrong_markers_name_their_line() {
    let tables = read(TABLES).unwrap();
    for (document, expected) in [
        (
            "\n<!-- table: big -->\n<!-- end of table -->",
            "line 2: table \"big\" is unknown; expected one of sessions, small",
        ),
        ("\n\n<!-- table: small -->\nx", "line 3: table \"small\" does not end; expected <!-- end of table -->"),
        ("<!-- table: small -->\n<!-- table: small -->\n<!-- end of table -->", "line 1: table \"small\" does not end"),
        ("a\n<!-- end of table -->", "line 2: a table ends that did not begin"),
        ("<!-- table: -->\n<!-- end of table -->", "line 1: table \"\" is unknown"),
    ] {
        let message = tables.fill(document).unwrap_err().to_string();
        assert!(message.starts_with(expected), "{message}");
        assert!(tables.is_stale(document).is_err());
    }
}

#[test]
fn every_error_names_the_file_the_line_and_the_key() {
    for (from, to, line, expected) in [
        ("[[table]]\nname = \"sessions\"", "[[table", ", line 1: ", "expected TOML"),
        ("name = \"small\"", "name = \"sessions\"", ", line 14: ", "\"name\": \"sessions\" is there already"),
        ("name = \"small\"", "nam = \"small\"", ", line 13: ", "no key \"name\""),
        (
            "name = \"small\"",
            "name = \"small\"\nnote = 1",
            ", line 15: ",
            "key \"note\" is unknown; expected one of name,",
        ),
        ("{ mrr = \"MRR\" }", "{}", ", line 15: ", "expected at least one measure"),
        (
            "{ mrr = \"MRR\" }",
            "{ mrr = \"M|R\" }",
            ", line 15: ",
            "\"mrr\": found \"M|R\"; expected one line of Markdown",
        ),
        ("\"hit@1\" = \"Hit@1\"", "\"hit@0\" = \"Hit@0\"", ", line 3: ", "key \"hit@0\": measure \"hit@0\""),
        ("\"ours\"", "\"<!-- table: x -->\"", ", line 17: ", "key \"label\": found \"<!-- table: x -->\""),
        ("label = \"ours\"\n", "", ", line 16: ", "no key \"label\""),
        ("label = \"ours\"\nencoder = \"none\"", "label = \"ours\"", ", line 16: ", "no key \"encoder\""),
        (
            "receipt = \"words\"\n[[table]]",
            "[[table]]",
            ", line 9: ",
            "no key \"receipt\"; expected the name of a receipt",
        ),
        (
            "receipt = \"words\"\n[[table]]",
            "receipt = \"word\"\n[[table]]",
            ", line 12: ",
            "there is no word.toml beside",
        ),
        ("source = ", "receipt = \"words\"\nsource = ", ", line 7: ", "found both receipt and values"),
        (
            "receipt = \"words\"\n[[table]]",
            "receipt = \"words\"\nsource = \"x\"\n[[table]]",
            ", line 13: ",
            "key \"source\"",
        ),
        ("source = ", "sauce = ", ", line 7: ", "key \"sauce\" is unknown"),
        (
            "mrr = 0.912,",
            "\"hit@5\" = 0.9,",
            ", line 8: ",
            "key \"hit@5\" is unknown; expected one of mrr, hit@1, recall@3",
        ),
        (
            "mrr = 0.912,",
            "mrr = 9.12e-1,",
            ", line 8: ",
            "key \"mrr\": found 9.12e-1; expected a share in plain decimals",
        ),
        ("mrr = 0.912,", "mrr = 91.2,", ", line 8: ", "key \"mrr\": found 91.2; expected a number from 0 to 1"),
    ] {
        assert!(TABLES.contains(from), "{from}");
        let message = read(&TABLES.replacen(from, to, 1)).unwrap_err().to_string();
        assert!(message.contains(&format!("tables.toml{line}")) && message.contains(expected), "{message}");
    }
    for (tables, expected) in [
        ("", "tables.toml: there is no key \"table\""),
        ("table = []", "key \"table\": found an empty array; expected one table or more"),
        ("table = [1]", "key \"table\": found 1; expected one table or more"),
        ("[[table]]\nname = \"x\"\ncolumns = { mrr = \"MRR\" }", "line 1: there is no key \"row\""),
    ] {
        let message = read(tables).unwrap_err().to_string();
        assert!(message.contains(expected), "{message}");
    }
}
