//! The study of the default, on two made-up data sets.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "test code")]

#[path = "../../eval/tests/folder.rs"]
#[allow(dead_code, reason = "other tests use the rest")]
mod folder;

use std::{num::NonZeroUsize, ops::Range, sync::Arc};

use aforesaid::{
    EncodeError, Encoder, Locality,
    types::{EncoderId, Granularity, Vectors},
};
use aforesaid_eval::{
    datasets::DataSet,
    experiments::{Bench, Place, try_system},
    measures::Measure,
    recipe::Equipment,
    reports::{Table, four},
};
use aforesaid_studies::{Study, default_study};
use folder::Folder;
use serde_json::{Value, json};

const DIM: usize = 32;

/// Words hash to components. It reads so many words of a text.
struct Bags(EncoderId, usize);

/// The parts of a text with so many words each.
fn parts(text: &str, words: usize) -> Vec<Range<usize>> {
    let mut parts: Vec<Range<usize>> = std::iter::once(0..0).collect();
    for (number, word) in text.split_inclusive(char::is_whitespace).enumerate() {
        let end = parts.last().unwrap().end;
        if number > 0 && number % words == 0 {
            parts.push(end..end);
        }
        parts.last_mut().unwrap().end += word.len();
    }
    parts
}

impl Encoder for Bags {
    fn id(&self) -> &EncoderId {
        &self.0
    }

    fn dim(&self) -> usize {
        DIM
    }

    fn locality(&self) -> Locality {
        Locality::Local
    }

    fn windows(&self, passage: &str) -> Result<Vec<Range<usize>>, EncodeError> {
        Ok(parts(passage, self.1))
    }

    fn encode_queries(&self, texts: &[&str]) -> Result<Vectors, EncodeError> {
        let row = |text: &&str| {
            let text = &text[parts(text, self.1)[0].clone()];
            let mut row = vec![0.01f32; DIM];
            for word in text.to_lowercase().split(|c: char| !c.is_alphanumeric()).filter(|word| word.len() > 2) {
                let hash = word.bytes().fold(7u32, |hash, byte| hash.wrapping_mul(31).wrapping_add(byte.into()));
                row[hash as usize % DIM] += 1.0;
            }
            let norm = row.iter().map(|x| x * x).sum::<f32>().sqrt();
            row.into_iter().map(|x| x / norm).collect::<Vec<f32>>()
        };
        Ok(Vectors::new(DIM, texts.iter().flat_map(row).collect()).unwrap())
    }

    fn encode_passages(&self, texts: &[&str]) -> Result<Vectors, EncodeError> {
        self.encode_queries(texts)
    }
}

fn equipment() -> Equipment {
    reading(1_000)
}

/// With an encoder that reads so many words of a text.
fn reading(words: usize) -> Equipment {
    let encoder: Arc<dyn Encoder> = Arc::new(Bags(EncoderId::new("bags@1/f32").unwrap(), words));
    Equipment { encoder: Ok(encoder), threads: NonZeroUsize::MIN, place: Place::Process, reranker: None }
}

/// A conversation about one thing a session; the last turn is a picture with nothing but a caption.
fn conversation(name: &str, things: [&str; 3], picture: &str) -> Value {
    let session = |number: usize, thing: &str| {
        json!([
            {"speaker": "Ada", "dia_id": format!("D{number}:1"), "text": format!("Have you seen the {thing} lately?")},
            {"speaker": "Ole", "dia_id": format!("D{number}:2"), "text": "Yes, it was repaired with copper wire."},
            {"speaker": "Ada", "dia_id": format!("D{number}:3"), "text": format!("A {thing} with wire, how odd.")},
        ])
    };
    let mut sessions = json!({"session_4_date_time": "1:00 pm on 4 May, 2021"});
    for (number, thing) in (1..).zip(things) {
        sessions[format!("session_{number}")] = session(number, thing);
        sessions[format!("session_{number}_date_time")] = json!(format!("1:00 pm on {number} May, 2021"));
    }
    sessions["session_4"] = json!([{"speaker": "Ole", "dia_id": "D4:1", "text": "", "blip_caption": picture}]);
    let mut questions: Vec<Value> = (1..)
        .zip(things)
        .map(|(number, thing)| {
            json!({"question": format!("What was the {thing} repaired with?"), "evidence": [format!("D{number}:2")], "category": 4})
        })
        .collect();
    questions
        .push(json!({"question": format!("Who has a picture of {picture}?"), "evidence": ["D4:1"], "category": 4}));
    json!({"sample_id": name, "conversation": sessions, "qa": questions})
}

fn persona(name: &str, topics: [&str; 2]) -> String {
    let said = |uuid: usize, topic: &str| {
        json!({"session_uuid": format!("{name}-{uuid}"), "current_time": "2025-12-20 (Saturday)", "dialogue_turns": [
            {"speaker": "User", "content": format!("I want to learn about {topic}.")},
            {"speaker": "Assistant", "content": "Gladly."},
        ]})
    };
    let asks = |gold: usize, topic: &str| json!({"speaker": "User", "is_query": true, "query_id": format!("Q-{gold}"), "content": format!("Go on about {topic}.")});
    let answer = |gold: usize| json!({"speaker": "Assistant", "content": "As before.", "memory_session_uuids": [format!("{name}-{gold}")]});
    let dialogues = json!([
        said(1, topics[0]),
        said(2, topics[1]),
        {"session_uuid": format!("{name}-3"), "current_time": "2025-12-22 (Monday)", "dialogue_turns": [
            asks(1, topics[0]), answer(1), asks(2, topics[1]), answer(2),
        ]},
    ]);
    json!({"_metadata": {"person_name": name}, "dialogues": dialogues}).to_string()
}

fn data() -> Folder {
    let conversations = json!([
        conversation("loft", ["kettle", "barometer", "sledge"], "an owl on a roof"),
        conversation("pier", ["lantern", "anchor", "rudder"], "two seals asleep"),
        conversation("mill", ["grindstone", "sluice", "ladder"], "a swan in the reeds"),
    ]);
    Folder::with(&[
        ("locomo/locomo10.json", &conversations.to_string()),
        ("realmem/Kai.json", &persona("Kai", ["knots", "tides"])),
        ("realmem/Lou.json", &persona("Lou", ["mosses", "lichens"])),
    ])
}

fn study(data: &Folder) -> Study {
    default_study(&data.path(""), &equipment(), &|_| ()).unwrap()
}

fn table<'a>(study: &'a Study, title: &str) -> &'a Table {
    let section = study.sections.iter().find(|section| section.title == title);
    section.unwrap_or_else(|| panic!("no section {title:?}")).table.as_ref().unwrap()
}

/// The cell of the row whose first cells are these.
fn cell<'a>(table: &'a Table, row: &[&str], column: &str) -> &'a str {
    let column = table.head.iter().position(|name| name == column).unwrap();
    let row = table.rows.iter().find(|cells| cells.iter().zip(row).all(|(cell, name)| cell == name));
    &row.unwrap()[column]
}

#[test]
fn what_is_there_is_measured_and_what_is_not_is_named() {
    let data = data();
    let study = study(&data);
    let grounds = table(&study, "Data");
    assert_eq!(grounds.rows.len(), 8);
    assert_eq!(cell(grounds, &["LoCoMo turns"], "questions"), "12");
    assert_eq!(cell(grounds, &["RealMem sessions"], "histories"), "2");
    for missing in ["BEAM turns", "LongMemEval pooled, turns", "dialogues dev, turns", "LoCoMo turns, audited"] {
        assert_eq!(cell(grounds, &[missing], "questions"), "left out: not there");
    }

    let benchmark = DataSet::Locomo.load(&data.path("locomo"), Granularity::Turn).unwrap();
    let of = |system: &str| {
        let system: aforesaid_eval::experiments::System = system.parse().unwrap();
        let bench = Bench::new(&benchmark, &equipment().setup(system.captions), &|_| ()).unwrap();
        let trial = try_system(&bench, &system, &[Measure::STANDARD[0], Measure::Mrr], &|_| ()).unwrap();
        trial.evaluation.mean(Measure::Mrr).unwrap()
    };
    let pieces = table(&study, "Without a piece");
    assert_eq!(cell(pieces, &["hybrid"], "LoCoMo turns MRR"), four(of("hybrid")));
    let ranked = table(&study, "What the candidate ranker adds");
    assert_eq!(cell(ranked, &["LoCoMo turns", "MRR", &four(of("hybrid"))], "learned"), four(of("learned")));
    let against = table(&study, "Hybrid against references");
    let row = ["LoCoMo turns", "MRR", &four(of("hybrid")), "turn vectors alone"];
    assert_eq!(cell(against, &row, "its value"), four(of("paper-dense-max")));
    let words = 100.0 * (of("lexical") - of("hybrid"));
    assert!(cell(pieces, &["the vectors"], "LoCoMo turns MRR").starts_with(&format!("{words:+.1}")));
    let equal = table(&study, "Fusions: the published legs, equal weights");
    assert_eq!(cell(equal, &["LoCoMo turns", "MRR"], "rrf"), four(of("rrf(60, 1, 1, bm25(paper-2606), dense(max))")),);
    let chosen = of("minmax(loco, lexical, dense(max))");
    let hits = table(&study, "Fusions: hybrid's legs, chosen weights");
    assert!((cell(hits, &["LoCoMo turns", "MRR"], "minmax").parse::<f64>().unwrap() - chosen).abs() < 0.2);
}

#[test]
fn a_picture_without_words_needs_its_caption() {
    let study = study(&data());
    let pieces = table(&study, "Without a piece");
    let change = cell(pieces, &["image captions"], "LoCoMo turns MRR").trim_end_matches(" *");
    assert!(change.parse::<f64>().unwrap() < -20.0, "{change}");
    assert_eq!(cell(pieces, &["image captions"], "RealMem sessions MRR"), "", "there are none");
    let alone = table(&study, "A piece alone");
    assert!(cell(alone, &["image captions"], "LoCoMo turns MRR").starts_with('+'));
}

#[test]
fn what_stands_deep_in_a_long_turn_needs_its_windows() {
    let mut conversation = conversation("loft", ["kettle", "barometer", "sledge"], "an owl on a roof");
    // Stop words, so that only vectors can tell.
    let deep = format!("{}{}", "Nothing to report of note. ".repeat(8), "Ourselves itself through. ".repeat(4));
    conversation["conversation"]["session_4"] = json!([{"speaker": "Ole", "dia_id": "D4:1", "text": deep.trim()}]);
    conversation["qa"][3] = json!({"question": "Ourselves itself through?", "evidence": ["D4:1"], "category": 4});
    let data = Folder::with(&[
        ("locomo/locomo10.json", &json!([conversation]).to_string()),
        ("realmem/Kai.json", &persona("Kai", ["knots", "tides"])),
    ]);
    let row = "a vector for each window of a long turn";
    let study = default_study(&data.path(""), &reading(10), &|_| ()).unwrap();
    let pieces = table(&study, "Without a piece");
    let change = cell(pieces, &[row], "LoCoMo turns MRR").trim_end_matches(" *");
    assert!(change.parse::<f64>().unwrap() < 0.0, "{change}");
    assert_eq!(cell(pieces, &[row], "RealMem sessions MRR"), "", "all of them are short");
    assert!(cell(table(&study, "A piece alone"), &[row], "LoCoMo turns MRR").starts_with('+'));

    let study = default_study(&data.path(""), &equipment(), &|_| ()).unwrap();
    let names: Vec<&str> = table(&study, "Without a piece").rows.iter().map(|cells| cells[0].as_str()).collect();
    assert!(!names.contains(&row), "the encoder reads all of it: {names:?}");
}

#[test]
fn importance_that_tells_helps_and_importance_that_misleads_harms() {
    let study = study(&data());
    let importance = table(&study, "Importance: MRR by how much it tells");
    let change = |fusion: &str, column: &str| {
        let cell = cell(importance, &["LoCoMo turns", fusion], column);
        cell.split(' ').next().unwrap().parse::<f64>().unwrap()
    };
    assert!(change("hybrid's", "means +0.75 apart") > 10.0, "{importance}");
    // `hybrid` already has the answers last here: what each question asks for is never in their words.
    assert!(change("rrf, equal weights", "means -0.75 apart") < 0.0, "{importance}");
    let share = |column: &str| {
        let row = ["LoCoMo turns", "gold above others, share of pairs"];
        cell(importance, &row, column).parse::<f64>().unwrap()
    };
    assert!(share("means +0.75 apart") > 0.95 && share("means -0.75 apart") < 0.05);
}

#[test]
fn a_study_is_the_same_every_time_and_can_be_drawn() {
    let data = data();
    let (first, second) = (study(&data), study(&data));
    assert_eq!((first.to_markdown(), &first.questions), (second.to_markdown(), &second.questions));
    let figures: Vec<&str> =
        first.sections.iter().filter_map(|section| Some(section.figure.as_ref()?.0.as_str())).collect();
    assert!(figures.contains(&"figure-1-ablation") && figures.contains(&"figure-fusions"), "{figures:?}");
    assert!(figures.contains(&"figure-importance-locomo-turns"), "{figures:?}");
    let mut different = figures.clone();
    different.dedup();
    assert_eq!(different, figures);
    // Every question under `hybrid`; RealMem has no captions to leave out.
    let rows = |system: &str| first.questions.lines().filter(|line| line.contains(system)).count();
    assert_eq!((rows(",hybrid,"), rows(",without image captions,")), (12 + 12 + 4, 12 + 12));
}

#[test]
fn a_study_without_data_or_vectors_is_refused() {
    let refused = |folder: &Folder, equipment: &Equipment| {
        default_study(&folder.path(""), equipment, &|_| ()).err().unwrap().to_string()
    };
    let empty = refused(&Folder::with(&[]), &equipment());
    assert!(
        empty.contains("none of the data sets") && empty.contains("locomo, realmem, beam, longmemeval, dialogues"),
        "{empty}"
    );
    let wordless = Equipment {
        encoder: Err("there is no model".to_owned()),
        threads: NonZeroUsize::MIN,
        place: Place::Process,
        reranker: None,
    };
    let message = refused(&data(), &wordless);
    assert!(message.starts_with("system the study of the default: it needs vectors"), "{message}");
}
