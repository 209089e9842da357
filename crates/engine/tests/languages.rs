//! Histories in other languages than English: inflections, compounds, short texts and titles.

use aforesaid::{Explanations, Warning, types::*};

use crate::bags::*;

/// What somebody looked for in a history, by the first hit, and what was searched instead of its words.
fn first(said: &[(&str, &str)], text: &str) -> (Option<String>, Vec<(String, Vec<String>)>) {
    let memory = open("memory:", local());
    let turns = said.iter().map(|(id, text)| turn("c", "s", id, "Ann", text));
    memory.add_turns(&ns("me"), turns.collect()).unwrap();
    let pipeline = "bm25(spelling=1)".parse().unwrap();
    let found = memory.search(&Query::new(ns("me"), text), &pipeline, Explanations::Omit).unwrap();
    let corrected = found.warnings.into_iter().filter_map(|warning| match warning {
        Warning::Corrected { written, terms, .. } => Some((written, terms)),
        _ => None,
    });
    let corrected = corrected.collect();
    (found.hits.into_iter().next().map(|hit| hit.id), corrected)
}

const GERMAN: [(&str, &str); 8] = [
    ("flats", "Wir haben uns am Samstag zwei Wohnungen in der Südstadt angeschaut."),
    ("key", "Der Haustürschlüssel liegt jetzt bei der Nachbarin unter dem Blumentopf."),
    ("cake", "Ich habe gestern einen Kuchen für die Kinder gebacken."),
    ("train", "Der Zug nach Freiburg fährt am Montag nicht."),
    ("july", "Im Juni fahren wir mit dem Bus nach Wien, das ist schon gebucht."),
    ("room", "Das Zimmer im Krankenhaus ist auf der Station vier, sagt der Arzt."),
    ("washer", "Die Maschine hat ein Leck, und die Wäsche ist noch nass."),
    ("short", "Kisten sind da"),
];

#[test]
fn words_are_found_in_their_other_forms() {
    for (text, hit) in [
        ("Welche Wohnung haben wir gesehen?", "flats"),
        ("Welchen Zügen fehlt die Strecke?", "train"),
        ("Wo ist die Kiste?", "short"),
        ("Wohnung Südstadt", "flats"),
    ] {
        assert_eq!(first(&GERMAN, text).0.as_deref(), Some(hit), "{text}");
    }
    let chats = [
        ("it", "Abbiamo comprato due biciclette dall'amica di Carla, quelle con il cestino."),
        ("other", "La macchina è dal meccanico e non la riavremo prima di lunedì."),
    ];
    assert_eq!(first(&chats, "Quale bicicletta hanno comprato?").0.as_deref(), Some("it"));
    assert_eq!(first(&chats, "amica Carla").0.as_deref(), Some("it"), "behind an apostrophe");
    let chats = [
        ("it", "Мы наконец продали старую лодку соседу с озера."),
        ("other", "Кот опять спит на клавиатуре, работать не могу."),
    ];
    assert_eq!(first(&chats, "Кому продана лодка?").0.as_deref(), Some("it"));
}

/// Terms are stems, which nobody wrote.
#[test]
fn what_is_searched_instead_is_told_as_it_is_written() {
    let memory = open("memory:", local());
    let said = [
        ("coffee", "Meine Kaffeemaschine zeigt einen Fehler, und ich weiß nicht warum."),
        ("key", "Der Haustürschlüssel liegt jetzt bei der Nachbarin unter dem Blumentopf."),
    ];
    memory.add_turns(&ns("me"), said.map(|(id, text)| turn("c", "s", id, "Ann", text)).to_vec()).unwrap();
    let found = memory.search(
        &Query::new(ns("me"), "Wo ist der Schlüssel?"),
        &"bm25(spelling=1)".parse().unwrap(),
        Explanations::Omit,
    );
    let warnings: Vec<String> = found.unwrap().warnings.iter().map(ToString::to_string).collect();
    assert_eq!(warnings, ["no turn says \"Schlüssel\"; searched for \"Haustürschlüssel\""]);
}

#[test]
fn compounds_and_their_parts_are_found() {
    let (hit, corrected) = first(&GERMAN, "Wo ist der Schlüssel?");
    assert_eq!(hit.as_deref(), Some("key"), "{corrected:?}");
    assert_eq!(corrected, [("Schlüssel".to_owned(), vec!["hausturschlussel".to_owned()])]);
    let (hit, corrected) = first(&GERMAN, "Was ist mit der Waschmaschine?");
    assert_eq!(hit.as_deref(), Some("washer"), "{corrected:?}");
    assert_eq!(corrected, [("Waschmaschine".to_owned(), ["wasch", "maschin"].map(str::to_owned).to_vec())]);
}

#[test]
fn a_short_word_is_not_taken_for_another() {
    // "Juli" is no misspelt "Juni", and nobody cooked.
    for (text, word) in [("Was machen wir im Juli?", "Juli"), ("Wer hat gekocht?", "gekocht")] {
        let (_, corrected) = first(&GERMAN, text);
        assert!(corrected.iter().all(|(written, _)| written != word), "{text}: {corrected:?}");
    }
    let (hit, corrected) = first(&GERMAN, "Welches Zimer?");
    assert_eq!((hit.as_deref(), corrected.len()), (Some("room"), 1), "a letter is missing: {corrected:?}");
}

#[test]
fn a_name_is_found_in_every_language_of_a_history() {
    let chats = [
        ("german", "Heute hat Thomas die neue Heizung eingebaut, und sie läuft sehr leise."),
        ("english", "Thomas called about the boiler, and he wants to come on Friday."),
        ("spanish", "Carlos no viene a la cena porque está con su madre en el hospital."),
    ];
    for text in ["What did Thomas say?", "Was hat Thomas gesagt?", "Thomas"] {
        let memory = open("memory:", local());
        let turns = chats.iter().map(|(id, text)| turn("c", "s", id, "Ann", text));
        memory.add_turns(&ns("me"), turns.collect()).unwrap();
        let pipeline = "bm25(spelling=1)".parse().unwrap();
        let found = memory.search(&Query::new(ns("me"), text), &pipeline, Explanations::Omit).unwrap();
        let ids: std::collections::BTreeSet<&str> = found.hits.iter().map(|hit| hit.id.as_str()).collect();
        assert!(ids.contains("german") && ids.contains("english"), "{text}: {ids:?}");
    }
    assert_eq!(first(&chats, "Why is Carlos not coming?").0.as_deref(), Some("spanish"));
    assert_eq!(first(&chats, "Carlos").0.as_deref(), Some("spanish"));
}

#[test]
fn what_matched_is_marked_in_its_own_form() {
    let memory = open("memory:", local());
    let turns = GERMAN.iter().map(|(id, text)| turn("c", "s", id, "Ann", text));
    memory.add_turns(&ns("me"), turns.collect()).unwrap();
    let query = Query::new(ns("me"), "Welche Wohnung haben wir gesehen?");
    let found = memory.search(&query, &"bm25".parse().unwrap(), Explanations::Omit).unwrap();
    let snippet = &found.hits[0].snippet;
    let marked: Vec<&str> = snippet.marks.iter().map(|&[from, to]| &snippet.text[from..to]).collect();
    assert!(marked.contains(&"Wohnungen"), "{marked:?}");
}
