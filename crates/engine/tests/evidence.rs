//! The evidence reranker in a search: the same hits in another order, the turns around them, and what it refuses.

use std::sync::{Arc, Mutex};

use aforesaid::{
    Asking, EncodeError, Explanations, Hit, Memory, NoHits, Pipeline, Reranking, SearchResponse, SensitiveMemories,
    Warning,
    models::{PairScore, PairScorer},
    pipeline::confidence::Signal,
    rerank::{EvidenceReranker, FORBIDDEN_FIELDS, PairForm, Reranker, UnusableReranker},
    types::*,
};
use aforesaid_llm::AnswerSettings;

use crate::bags::{by_last_word, local, ns, open, turn};

/// Scores a pair by how short its passage is, and remembers what it read.
struct Short(EncoderId, Mutex<Vec<String>>);

impl Short {
    fn new() -> Arc<Self> {
        Arc::new(Self(EncoderId::new("short@1/f32").unwrap(), Mutex::default()))
    }

    fn read(&self) -> Vec<String> {
        self.1.lock().unwrap().clone()
    }
}

impl PairScorer for Short {
    fn id(&self) -> &EncoderId {
        &self.0
    }

    fn score(&self, query: &str, passages: &[&str]) -> Result<Vec<f32>, EncodeError> {
        let mut read = self.1.lock().unwrap();
        read.push(query.to_owned());
        read.extend(passages.iter().map(|passage| (*passage).to_owned()));
        Ok(passages.iter().map(|passage| -(passage.len() as f32)).collect())
    }
}

/// Fourteen turns about a kite, each longer than the one before.
fn memory() -> Memory {
    let memory = Memory::builder().open("memory:").unwrap();
    let said = |i: usize| turn("talk", "s1", &format!("t{i:02}"), "Ann", &format!("A kite{}.", " flew far".repeat(i)));
    memory.add_turns(&ns("me"), (1..=14).map(said).collect()).unwrap();
    memory
}

fn query() -> Query {
    Query { k: 14.try_into().unwrap(), ..Query::new(ns("me"), "kite") }
}

fn search(memory: &Memory, query: &Query, reranker: Option<&dyn Reranker>) -> SearchResponse {
    match reranker {
        None => memory.search(query, &Pipeline::lexical(), Explanations::Omit).unwrap(),
        Some(reranker) => {
            memory.search_reranked(query, &Pipeline::lexical(), Explanations::Omit, Reranking::new(reranker)).unwrap()
        }
    }
}

fn ids(found: &SearchResponse) -> Vec<String> {
    found.hits.iter().map(|hit| hit.id.clone()).collect()
}

#[test]
fn the_first_ten_stay_the_same_set_and_the_rest_stays_as_it_is() {
    let memory = memory();
    let plain = ids(&search(&memory, &query(), None));
    let reranker = EvidenceReranker::new(Short::new(), PairForm::Turn, 0.0);
    let found = ids(&search(&memory, &query(), Some(&reranker)));
    assert_eq!(found[10..], plain[10..]);
    let mut shortest = plain[..10].to_vec();
    shortest.sort();
    assert_eq!(found[..10], shortest);
    // Where the first stage counts enough, its order stays.
    let bound = EvidenceReranker::new(Short::new(), PairForm::Turn, 1e6);
    assert_eq!(ids(&search(&memory, &query(), Some(&bound))), plain);
}

#[test]
fn pairs_tell_places_in_the_history() {
    let scorer = Short::new();
    let reranker = EvidenceReranker::new(scorer.clone(), PairForm::Turn, 0.0);
    let found = search(&memory(), &Query { k: 3.try_into().unwrap(), ..query() }, Some(&reranker));
    assert_eq!(found.hits.len(), 3);
    let read = scorer.read();
    assert_eq!(read.len(), 11);
    assert!(read.contains(&"MEMORY_TIME: 2. Ann: A kite flew far flew far.".to_owned()), "{read:?}");
    let places = read[1..].iter().map(|text| text["MEMORY_TIME: ".len()..].split_once('.').unwrap().0);
    let latest = places.map(|place| place.parse::<u64>().unwrap()).max().unwrap();
    assert_eq!(read[0], format!("QUERY_TIME: {latest}. kite"));
}

#[test]
fn a_scorer_that_knows_english_alone_is_shown_english() {
    let memory = Memory::builder().open("memory:").unwrap();
    let said = |id: &str, text: &str| turn("talk", "s1", id, "Mia", text);
    let turns = vec![
        said("a", "Die Wohnung in der Lindenstraße wird im Mai frei, sagt der Vermieter."),
        said("b", "The flat is on the second floor."),
    ];
    memory.add_turns(&ns("me"), turns).unwrap();
    let query = Query::new(ns("me"), "Wann wird die Wohnung frei?");
    let read = |reranker: &EvidenceReranker, scorer: &Short| {
        let found = search(&memory, &query, Some(reranker));
        (ids(&found), scorer.read())
    };
    let scorer = Short::new();
    let (found, shown) = read(&EvidenceReranker::new(scorer.clone(), PairForm::Turn, 0.0).reading_english(), &scorer);
    assert_eq!(found.len(), 2);
    assert!(shown[0].ends_with(". when will the flat free?"), "{shown:?}");
    let of = |mark: &str| shown.iter().find(|text| text.starts_with(mark)).unwrap().clone();
    assert!(of("MEMORY_TIME: 1.").ends_with("free, says the landlord."), "{shown:?}");
    assert_eq!(of("MEMORY_TIME: 2."), "MEMORY_TIME: 2. Mia: The flat is on the second floor.");
    let scorer = Short::new();
    let (_, shown) = read(&EvidenceReranker::new(scorer.clone(), PairForm::Turn, 0.0), &scorer);
    assert!(shown[0].ends_with(". Wann wird die Wohnung frei?"), "{shown:?}");
}

#[test]
fn the_turns_around_are_of_the_session_and_of_the_time_that_is_asked() {
    let memory = Memory::builder().open("memory:").unwrap();
    let said = |session: &str, id: &str, text: &str| turn("talk", session, id, "Ann", text);
    let turns = vec![
        said("s1", "a", "Hello."),
        said("s1", "b", "The kite is red."),
        said("s1", "c", "Oh, is it?"),
        said("s2", "d", "Another day."),
    ];
    memory.add_turns(&ns("me"), turns).unwrap();
    let read = |query: &Query| {
        let scorer = Short::new();
        let reranker = EvidenceReranker::new(scorer.clone(), PairForm::Dialogue, 0.0);
        search(&memory, query, Some(&reranker));
        scorer.read()[1].clone()
    };
    let query = Query::new(ns("me"), "kite");
    assert_eq!(read(&query), "MEMORY_TIME: 2. Ann: The kite is red. BEFORE: Ann: Hello. AFTER: Ann: Oh, is it?");
    let earlier = Query { before: Some(MemoryId::new("c").unwrap()), ..query };
    assert_eq!(read(&earlier), "MEMORY_TIME: 2. Ann: The kite is red. BEFORE: Ann: Hello.");
}

#[test]
fn a_forbidden_field_is_named_and_the_order_of_the_search_stays() {
    for field in FORBIDDEN_FIELDS {
        let memory = memory();
        let labelled = Turn {
            meta: Some([(field.to_owned(), true.into())].into_iter().collect()),
            ..turn("talk", "s2", "labelled", "Ann", "The kite, the kite.")
        };
        memory.add_turns(&ns("me"), vec![labelled]).unwrap();
        let scorer = Short::new();
        let reranker = EvidenceReranker::new(scorer.clone(), PairForm::Turn, 0.0);
        let found = search(&memory, &query(), Some(&reranker));
        assert_eq!(ids(&found), ids(&search(&memory, &query(), None)));
        let [Warning::RerankSkipped { reason }] = &found.warnings[..] else { panic!("{:?}", found.warnings) };
        assert!(reason.contains(&format!("{field:?}")) && reason.contains("\"labelled\""), "{reason}");
        assert!(reason.contains("rename the field"), "{reason}");
        assert!(scorer.read().is_empty(), "{field}");
    }
}

#[test]
fn a_reranker_that_could_not_be_loaded_is_left_out_and_named() {
    let memory = memory();
    let unusable = UnusableReranker { name: "mine".to_owned(), reason: "the file is damaged".to_owned() };
    let found = search(&memory, &query(), Some(&unusable));
    assert_eq!(ids(&found), ids(&search(&memory, &query(), None)));
    let [Warning::RerankSkipped { reason }] = &found.warnings[..] else { panic!("{:?}", found.warnings) };
    assert_eq!(reason, "mine: the file is damaged");
}

/// Is sure of the turn that ends so, and of no other, and reads of each that it answers with these log odds.
struct Sure(EncoderId, &'static str, f32);

impl PairScorer for Sure {
    fn id(&self) -> &EncoderId {
        &self.0
    }

    fn score(&self, _query: &str, passages: &[&str]) -> Result<Vec<f32>, EncodeError> {
        Ok(passages.iter().map(|passage| if passage.ends_with(self.1) { 25.0 } else { -5.0 }).collect())
    }

    fn score_pairs(&self, query: &str, passages: &[&str]) -> Result<Vec<PairScore>, EncodeError> {
        let pair =
            |(score, passage): (f32, &&str)| PairScore { score, answers: Some(self.2), bytes_read: passage.len() };
        Ok(self.score(query, passages)?.into_iter().zip(passages).map(pair).collect())
    }
}

/// Five turns with vectors, the third of which a reranker is sure of.
fn with_vectors(answers: f32) -> (Memory, EvidenceReranker) {
    let memory = open("memory:", local());
    let texts = ["Kites are toys.", "A kite is in the tree.", "We sold the kite on Sunday.", "What kite?", "My kite!"];
    let said = |(i, text): (usize, &&str)| turn("talk", "s1", &format!("t{i}"), "Ann", text);
    memory.add_turns(&ns("me"), texts.iter().enumerate().map(said).collect()).unwrap();
    let scorer = Sure(EncoderId::new("sure@1/f32").unwrap(), "on Sunday.", answers);
    (memory, EvidenceReranker::new(Arc::new(scorer), PairForm::Turn, 0.0))
}

#[test]
fn a_reranker_that_confidence_was_fitted_on_says_how_sure_its_first_hit_is() {
    let (memory, reranker) = with_vectors(25.0);
    let (_, doubting) = with_vectors(-8.0);
    for unit in [Granularity::Turn, Granularity::Session] {
        for pipeline in [Pipeline::hybrid(), Pipeline::lexical()] {
            let query = Query { unit, ..Query::new(ns("me"), "kite") };
            let ask = |reranker: &EvidenceReranker| {
                let reranking = Reranking::new(reranker);
                memory.search_reranked(&query, &pipeline, Explanations::Include, reranking).unwrap()
            };
            let before = memory.search(&query, &pipeline, Explanations::Include).unwrap();
            let (plain, calibrated) = (ask(&reranker), ask(&reranker.clone().calibrated()));
            assert_eq!(ids(&plain), ids(&calibrated));
            assert_eq!(plain.confidence, before.confidence, "it says nothing of the first hit");
            if pipeline == Pipeline::lexical() {
                assert_eq!(calibrated.confidence, before.confidence, "that was not fitted");
                continue;
            }
            let signals = calibrated.confidence.signals.unwrap();
            // The other turns of the session add next to nothing.
            assert!((signals.get(Signal::RerankScore) - 25.0).abs() < 1e-9);
            // The only session is ahead of nothing.
            let ahead = if unit == Granularity::Turn { 30.0 } else { 0.0 };
            assert_eq!([Signal::RerankGap, Signal::RerankLead].map(|signal| signals.get(signal)), [ahead; 2]);
            assert!(calibrated.confidence.probability > before.confidence.probability, "{:?}", calibrated.confidence);
            assert_eq!([Signal::RerankAnswer, Signal::RerankBestFit].map(|signal| signals.get(signal)), [25.0; 2]);
            let doubted = ask(&doubting.clone().calibrated());
            assert_eq!(ids(&doubted), ids(&calibrated), "the order is that of the scores");
            assert!(doubted.confidence.answerable < calibrated.confidence.answerable, "{:?}", doubted.confidence);
            assert!(doubted.confidence.probability < calibrated.confidence.probability, "{:?}", doubted.confidence);
            let ranking =
                memory.rank_reranked(&query, &pipeline, Reranking::new(&reranker.clone().calibrated())).unwrap();
            assert_eq!(ranking.confidence, calibrated.confidence);
        }
    }
}

#[test]
fn a_session_in_which_two_turns_answer_comes_before_one_in_which_a_single_one_does() {
    let memory = open("memory:", local());
    let said = |session: &str, id: &str, text: &str| turn("talk", session, id, "Ann", text);
    let texts = [
        said("s1", "a", "The kite was sold on Sunday."),
        said("s1", "b", "What a kite it was."),
        said("s2", "c", "It rained and rained, kite or no kite, and then at last it was gone on Sunday."),
        said("s2", "d", "Nobody saw the kite, nobody at all, and Ben saw to it that it went on Sunday."),
    ];
    memory.add_turns(&ns("me"), texts.into()).unwrap();
    let scorer = Sure(EncoderId::new("sure@1/f32").unwrap(), "on Sunday.", 1.0);
    let reranker = EvidenceReranker::new(Arc::new(scorer), PairForm::Turn, 0.0);
    let query = Query { unit: Granularity::Session, ..Query::new(ns("me"), "kite sold") };
    let first = |found: &SearchResponse| found.hits[0].session.clone().unwrap().to_string();
    let plain = memory.search(&query, &Pipeline::lexical(), Explanations::Omit).unwrap();
    assert_eq!(first(&plain), "s1");
    let reranked =
        memory.search_reranked(&query, &Pipeline::lexical(), Explanations::Omit, Reranking::new(&reranker)).unwrap();
    assert_eq!(first(&reranked), "s2");
    let score = |place: usize| reranked.hits[place].rerank_score.unwrap();
    assert!((score(0) - score(1) - 2f64.ln()).abs() < 1e-9, "{} {}", score(0), score(1));
}

#[test]
fn what_holds_now_stands_before_what_held_and_says_what_it_replaces() {
    let memory = Memory::builder().open("memory:").unwrap();
    let said = |id: &str, at: &str, text: &str| Turn {
        said_at: Some(at.parse().unwrap()),
        ..turn("talk", "s1", id, "Ann", text)
    };
    let turns = vec![
        said("oldest", "2024-01-05T10:00:00Z", "The rent is 700 now, my rent, the rent of the flat. 6.0"),
        said("older", "2024-02-05T10:00:00Z", "So the rent, my rent, is going to be 720. 2.0"),
        said("newest", "2024-03-05T10:00:00Z", "From April on I pay 750 of rent. 4.0"),
        said("other", "2024-04-05T10:00:00Z", "The garage has a rent of its own. -9.0"),
    ];
    memory.add_turns(&ns("me"), turns).unwrap();
    let reranker = by_last_word();
    let ask = |text: &str, now: Option<&str>, k: usize| {
        let now = now.map(|now| now.parse().unwrap());
        let query = Query { now, k: k.try_into().unwrap(), ..Query::new(ns("me"), text) };
        let pipeline = Pipeline::lexical();
        memory.search_reranked(&query, &pipeline, Explanations::Omit, Reranking::new(&reranker)).unwrap().hits
    };
    let may = Some("2024-05-01T10:00:00Z");
    let ids = |hits: &[Hit]| hits.iter().map(|hit| hit.id.clone()).collect::<Vec<_>>();
    let found = ask("what is the rent now?", may, 4);
    assert_eq!(ids(&found), ["newest", "older", "other", "oldest"]);
    assert_eq!((found[0].supersedes.as_slice(), found[1].supersedes.len()), (["oldest".to_owned()].as_slice(), 0));
    // What is not among the hits is not named.
    assert!(ask("what is the rent now?", may, 2)[0].supersedes.is_empty());
    // Another time beside it, no moment of asking, or no word for the present: the best one is the best one.
    for (text, now) in
        [("what was the rent in January, and now?", may), ("what is the rent now?", None), ("the rent", may)]
    {
        let found = ask(text, now, 4);
        assert_eq!((found[0].id.as_str(), found[0].supersedes.len()), ("oldest", 0), "{text}");
    }
}

#[test]
fn hits_are_withheld_by_the_confidence_in_the_first_one_shown() {
    let (memory, reranker) = with_vectors(25.0);
    let query = |least| Query { min_confidence: least, ..Query::new(ns("me"), "kite") };
    let before = memory.search(&query(0.0), &Pipeline::hybrid(), Explanations::Omit).unwrap().confidence.probability;
    let ask = |least, reranker: &dyn Reranker| {
        let reranking = Reranking::new(reranker);
        memory.search_reranked(&query(least), &Pipeline::hybrid(), Explanations::Omit, reranking).unwrap()
    };
    let calibrated = reranker.clone().calibrated();
    let after = ask(0.0, &calibrated).confidence.probability;
    let between = (before + after) / 2.0;
    assert!(before < between && between < after, "{before} {after}");
    assert_eq!(ask(between, &calibrated).hits[0].id, "t2");
    let (held, unread) = (ask(after + 1e-9, &calibrated), ask(between, &reranker));
    for found in [&held, &unread] {
        assert_eq!((found.hits.len(), found.reason), (0, Some(NoHits::LowConfidence)));
    }
    assert_eq!((held.confidence.probability, unread.confidence.probability), (after, before));
    let context = |least| {
        let (query, pipeline) = (query(least), Pipeline::hybrid());
        let settings = AnswerSettings::default();
        let asking = Asking {
            query: &query,
            pipeline: &pipeline,
            reranking: Some(Reranking::new(&calibrated)),
            around: 0,
            settings,
        };
        memory.context(&asking, SensitiveMemories::LeaveOut).unwrap()
    };
    assert_eq!(context(between).memories[0].memory.id.as_str(), "t2");
    assert_eq!((context(1.0).memories.len(), context(1.0).reason), (0, Some(NoHits::LowConfidence)));
}
