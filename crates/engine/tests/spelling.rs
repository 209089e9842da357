//! A word that nothing holds is looked up among those that something does; the vocabulary of a real encoder is in the evaluation.

use aforesaid::{Explanations, Pipeline, Warning, types::*};

use crate::bags::*;

/// The ids of the hits in what Ann said, and the warnings.
fn hits(said: &[(&str, &str)], text: &str, pipeline: &str) -> (Vec<String>, Vec<Warning>) {
    let memory = open("memory:", local());
    let turns = said.iter().map(|(id, text)| turn("c", "s", id, "Ann", text));
    memory.add_turns(&ns("me"), turns.collect()).unwrap();
    let found = memory.search(&Query::new(ns("me"), text), &pipeline.parse().unwrap(), Explanations::Omit).unwrap();
    (found.hits.into_iter().map(|hit| hit.id).collect(), found.warnings)
}

fn asked(text: &str, pipeline: &str) -> (Option<String>, Vec<Warning>) {
    let said = [
        ("p", "The passport is in the blue drawer."),
        ("e", "The pump stopped with err 4711 again."),
        ("k", "Leena keeps her kites in the cellar."),
        ("r", "We receive guests in the garden."),
    ];
    let (hits, warnings) = hits(&said, text, pipeline);
    (hits.into_iter().next(), warnings)
}

fn searched(text: &str) -> (Option<String>, Vec<String>) {
    let (hit, warnings) = asked(text, "lexical");
    (hit, warnings.iter().map(ToString::to_string).collect())
}

#[test]
fn the_nearest_known_word_is_searched_and_named() {
    let (hit, warnings) = searched("where is the pasport");
    assert_eq!(hit.as_deref(), Some("p"));
    assert_eq!(warnings, ["no turn says \"pasport\"; searched for \"passport\""]);
    assert_eq!(searched("who do we recieve").0.as_deref(), Some("r"), "swapped letters");
    assert_eq!(searched("where are the kits of Lena").0.as_deref(), Some("k"), "two words");
    let (hit, warnings) = searched("err4711");
    assert_eq!((hit.as_deref(), warnings.len()), (Some("e"), 1), "{warnings:?}");
    assert!(warnings[0].contains("\"err\" and \"4711\""), "{warnings:?}");
}

#[test]
fn a_word_whose_stem_is_far_is_found_by_what_is_one_edit_from_it() {
    let found = |said: &str, text: &str| {
        let (hits, warnings) = hits(&[("it", said), ("k", "Kites need wind.")], text, "lexical");
        (hits.into_iter().next(), warnings.iter().map(ToString::to_string).collect::<Vec<_>>())
    };
    for (said, text, word) in [
        ("Send me the reference of the parcel.", "refrence", "reference"),
        ("The birth certificate is in the safe.", "certficate", "certificate"),
        ("80% hydration makes it sticky.", "hydrtion", "hydration"),
        ("We receive guests in the garden.", "recieve", "receive"),
    ] {
        let (hit, warnings) = found(said, text);
        assert_eq!(hit.as_deref(), Some("it"), "{text}");
        assert_eq!(warnings, [format!("no turn says {text:?}; searched for {word:?}")]);
    }
}

#[test]
fn a_word_without_end_is_no_word() {
    let text = format!("{} {}", "k".repeat(100_000), "ß".repeat(50_000));
    assert_eq!(searched(&text), (None, vec![]));
}

#[test]
fn umlauts_are_found_however_they_are_written() {
    for (said, text) in [
        ("Wir treffen uns in der Günterstalstraße.", "Günterstalstrasse"),
        ("Wir treffen uns in der Günterstalstraße.", "GUENTERSTALSTRASSE"),
        ("Meet me in Guenterstalstrasse.", "Günterstalstraße"),
        ("Heute gibt es Käsespätzle.", "Kaesespaetzle"),
    ] {
        let (hits, warnings) = hits(&[("it", said), ("k", "Kites need wind.")], text, "lexical");
        assert_eq!(hits.first().map(String::as_str), Some("it"), "{text}: {warnings:?}");
    }
}

#[test]
fn what_is_known_short_or_far_stays() {
    assert_eq!(searched("passport").1, [""; 0]);
    // Nobody here knows which words there are, and another word of the query is known.
    assert_eq!(searched("the passport in the drawe").1, [""; 0]);
    assert_eq!(searched("the dog").1, [""; 0], "three letters");
    assert_eq!(searched("submarine passport").1, [""; 0], "nothing is near");
    assert_eq!(searched("crawer").1, [""; 0], "another first letter");
    assert_eq!(searched("err 4712").1, [""; 0], "another number is another thing");
}

#[test]
fn it_is_part_of_the_pipeline() {
    let (hit, warnings) = asked("pasport", "bm25(spelling=1)");
    assert_eq!((hit.as_deref(), warnings.len()), (Some("p"), 1));
    for pipeline in ["bm25", "paper-bm25", "bm25(spelling=0)"] {
        assert_eq!(asked("pasport", pipeline), (None, vec![]), "{pipeline}");
    }
    assert!("bm25(spelling=3)".parse::<Pipeline>().unwrap_err().to_string().contains("0 to 2"));
}

/// What is searched instead of a part of a query, in a history with codes.
fn codes(text: &str) -> (Option<String>, Vec<(String, Vec<String>)>) {
    let said = [
        ("ferry", "The ferry reference is BZ4471K, put that somewhere."),
        ("customer", "Write to them with our customer number, 40-1187, before June."),
        ("parcel", "The complaint is about parcel KV-7QG2M40XTR8C."),
        ("kiln", "It said E-4 on the box and shut itself off."),
        ("deposit", "The deposit is 38,700 kroner."),
        ("engine", "His reader showed P0302 and P0300."),
        ("letters", "Section B, U and Y10 are sold. Buy 1 or none."),
        ("digits", "The row was 1 0 1 1."),
        ("rooms", "We are 40 people in 12 rooms, and 1187 steps from the sea."),
    ];
    let (hits, warnings) = hits(&said, text, "bm25(spelling=1)");
    let corrected = warnings.into_iter().filter_map(|warning| match warning {
        Warning::Corrected { written, terms, .. } => Some((written, terms)),
        _ => None,
    });
    (hits.into_iter().next(), corrected.collect())
}

#[test]
fn a_code_is_found_however_it_is_written() {
    let cases: [(&str, &str, &str, &[&str]); 8] = [
        ("bz-4471-k", "ferry", "bz-4471-k", &["bz4471k"]),
        ("what was BZ 4471K?", "ferry", "BZ 4471K", &["bz4471k"]),
        ("customer no. 401187", "customer", "401187", &["40", "1187"]),
        ("kv 7qg2 m40x tr8c", "parcel", "kv 7qg2 m40x tr8c", &["kv", "7qg2m40xtr8c"]),
        ("7QG2 M40X TR8C", "parcel", "7QG2 M40X TR8C", &["7qg2m40xtr8c"]),
        ("E4 on the kiln", "kiln", "E4", &["e", "4"]),
        ("deposit 38.700 kr", "deposit", "38.700", &["38,700"]),
        ("engine code p 0302", "engine", "p 0302", &["p0302"]),
    ];
    for (text, hit, written, terms) in cases {
        let (found, corrected) = codes(text);
        assert_eq!(found.as_deref(), Some(hit), "{text}");
        let terms = terms.iter().map(|term| (*term).to_owned()).collect();
        assert_eq!(corrected, [(written.to_owned(), terms)], "{text}");
    }
}

#[test]
fn a_code_that_the_history_writes_so_or_has_not_stays() {
    for text in [
        "BZ4471K",
        "40-1187",
        "KV-7QG2M40XTR8C",
        "E-4",
        "p0302 and p0300",
        "BZ 4472",
        "12 rooms",
        "1240",
        "the 5 of us",
        "buy 10",
    ] {
        assert_eq!(codes(text).1, [], "{text}");
    }
    let log = "7qg2 x1 ".repeat(5_000);
    assert_eq!(codes(&log).1, []);
}

#[test]
fn a_code_takes_the_place_of_pieces_that_are_known() {
    let said = [("a", "The P 7 bus leaves from stop 12."), ("b", "The fault was P12.")];
    assert_eq!(hits(&said, "p 12", "bm25(spelling=1)").0, ["b"]);
}

#[test]
fn digits_without_end_are_given_up() {
    let row = "1 11 ".repeat(200) + &"1 ".repeat(200);
    let number = "1".repeat(39) + "2";
    let warnings = hits(&[("row", &row)], &format!("{number} {number} {number}"), "bm25(spelling=1)").1;
    assert_eq!(warnings, [Warning::Unsaid { written: number }]);
}

/// A search for a ticket that nobody mentioned gave turns about others, and nothing said so.
#[test]
fn a_code_that_is_nowhere_is_named() {
    let said = [("a", "Ticket OPS-1187 is about exports."), ("b", "The fault was P0302, in unit 12, since May 2024.")];
    let unsaid = |text: &str, pipeline: &str| hits(&said, text, pipeline).1.iter().map(ToString::to_string).collect();
    let searched = |text: &str| -> Vec<String> { unsaid(text, "bm25(spelling=1)") };
    assert_eq!(searched("what was OPS-9999 about?"), ["no turn says \"OPS-9999\""]);
    assert_eq!(searched("tickets P0302, P0999 and 98765"), ["no turn says \"P0999\"", "no turn says \"98765\""]);
    for text in ["OPS-1187", "ops 1187", "P0302", "since 2019, at 10:30, 7pm", "unit 13", "the fault of mid-2019"] {
        assert_eq!(searched(text), Vec::<String>::new(), "{text}");
    }
    // Hashes begin with a digit as often as not, and a part of an identifier is said.
    let said = [("a", "Committed as 3fa91c7."), ("b", "The flag is LEDGER_RATE_LIMIT_V2.")];
    let unsaid = |text: &str, pipeline: &str| hits(&said, text, pipeline).1.iter().map(ToString::to_string).collect();
    let searched = |text: &str| -> Vec<String> { unsaid(text, "bm25(spelling=1)") };
    assert_eq!(searched("9c04be2"), ["no turn says \"9c04be2\""]);
    for text in ["3fa91c7", "ledger rate limit v2"] {
        assert_eq!(searched(text), Vec::<String>::new(), "{text}");
    }
    let plain: Vec<String> = unsaid("OPS-9999", "bm25");
    assert_eq!(plain, Vec::<String>::new());
    // A pasted log has no end of them.
    let log: String = (0..1_000).map(|line| format!("E{line:04} ")).collect();
    assert_eq!(searched(&log).len(), 4);
}
