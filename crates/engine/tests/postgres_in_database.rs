//! Namespaces that are searched in the database, beside the same ones held in memory.
//!
//! `held_memories=0` has every namespace searched there. `AFORESAID_SEED` says which history is made up (1).

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use aforesaid::{
    Explanations, Memory, Pipeline, SearchResponse, Target, Warning,
    pipeline::candidate::{CandidateRanker, CandidateStage, RankerRecord},
    store::{CheckDepth, Gravity, MemoryRef},
    types::*,
};
use aforesaid_postgres_server::server;

use crate::{bags::*, chance::Chance};

const SESSIONS: usize = 120;
const TURNS: usize = 14;

/// A word of a vocabulary, the first ones often and the last ones seldom.
fn word(chance: &mut Chance) -> String {
    let most = [12, 60, 300, 1_500][chance.below(4)];
    format!("w{}q", chance.below(most))
}

fn sentence(chance: &mut Chance) -> String {
    let count = 3 + chance.below(18);
    (0..count).map(|_| word(chance)).collect::<Vec<_>>().join(" ")
}

fn note(id: &str, text: &str) -> Note {
    Note {
        id: Some(MemoryId::new(id).unwrap()),
        conversation: None,
        text: text.to_owned(),
        said_at: None,
        importance: Importance::default(),
        tags: Vec::new(),
        sensitivity: Sensitivity::Ordinary,
        source: vec![MemoryId::new("p1").unwrap()],
    }
}

/// Turns of made-up words in two conversations, more than core fuses of a leg, with some notes between them.
fn fill(memory: &Memory, chance: &mut Chance) {
    for session in 0..SESSIONS {
        let conversation = if session % 8 == 0 { "small" } else { "large" };
        let speaker = |place: usize| ["Ann", "Bo", "tool"][(place + session) % 3];
        let turns = (0..TURNS).map(|place| {
            let id = format!("t{session}x{place}");
            turn(conversation, &format!("s{session}"), &id, speaker(place), &sentence(chance))
        });
        memory.add_turns(&ns("me"), turns.collect()).unwrap();
        if session % 6 == 0 {
            memory.add_note(&ns("me"), note(&format!("n{session}"), &sentence(chance))).unwrap();
        }
    }
}

fn ask(memory: &Memory, query: &Query, pipeline: &str) -> SearchResponse {
    memory.search(query, &pipeline.parse().unwrap(), Explanations::Include).unwrap()
}

fn scores(answer: &SearchResponse) -> Vec<(String, f64)> {
    answer.hits.iter().map(|hit| (hit.id.clone(), hit.score)).collect()
}

/// Ids are the same, and scores but for rounding.
fn assert_alike(held: &SearchResponse, found: &SearchResponse, told: &str) {
    let (held, found) = (scores(held), scores(found));
    let ids = |of: &[(String, f64)]| of.iter().map(|(id, _)| id.clone()).collect::<Vec<_>>();
    assert_eq!(ids(&held), ids(&found), "{told}: {held:?} {found:?}");
    for (held, found) in held.iter().zip(&found) {
        assert!((held.1 - found.1).abs() < 1e-9, "{told}: {held:?} {found:?}");
    }
}

fn questions(chance: &mut Chance) -> Vec<String> {
    (0..30).map(|_| (0..1 + chance.below(4)).map(|_| word(chance)).collect::<Vec<_>>().join(" ")).collect()
}

fn chance() -> Chance {
    Chance::new(std::env::var("AFORESAID_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(1))
}

#[test]
fn scores_are_those_of_a_namespace_that_is_held() {
    let Some(server) = server() else { return };
    let location = server.new_store();
    let mut chance = chance();
    let held = Memory::builder().open(&location).unwrap();
    fill(&held, &mut chance);
    let large = Memory::builder().open(&format!("{location}&held_memories=0")).unwrap();
    for text in questions(&mut chance) {
        for unit in [Granularity::Turn, Granularity::Session] {
            for pipeline in ["lexical", "bm25(k1=1.2, bigrams=0.4, sessions=1:1, turns=0.3:1)"] {
                let query = Query { unit, ..Query::new(ns("me"), &text) };
                let (held, found) = (ask(&held, &query, pipeline), ask(&large, &query, pipeline));
                assert_alike(&held, &found, &format!("{text} {unit:?} {pipeline}"));
                assert_eq!(held.searched, found.searched);
                let signals = |answer: &SearchResponse| answer.confidence.probability;
                assert!((signals(&held) - signals(&found)).abs() < 1e-9, "{text}: {held:?} {found:?}");
            }
        }
    }
    assert_eq!(large.index_bytes(), 0, "nothing is held");
}

#[test]
fn a_conversation_is_measured_by_itself() {
    let Some(server) = server() else { return };
    let location = server.new_store();
    let mut chance = chance();
    let held = Memory::builder().open(&location).unwrap();
    fill(&held, &mut chance);
    let large = Memory::builder().open(&format!("{location}&held_memories=0&candidates=100")).unwrap();
    let conversation = Some(ConversationId::new("small").unwrap());
    for text in questions(&mut chance) {
        let scope = Scope { conversation: conversation.clone(), ..Scope::default() };
        let query = Query { scope, ..Query::new(ns("me"), &text) };
        assert_alike(&ask(&held, &query, "lexical"), &ask(&large, &query, "lexical"), &text);
        let nowhere = Scope { conversation: Some(ConversationId::new("none").unwrap()), ..Scope::default() };
        let nowhere = Query { scope: nowhere, ..query.clone() };
        assert!(large.search(&nowhere, &Pipeline::lexical(), Explanations::Omit).is_err());
        let by_ann = MemoryFilter { speakers: vec!["Ann".to_owned()], ..MemoryFilter::default() };
        let query = Query { scope: Scope { filter: by_ann, ..Scope::default() }, ..Query::new(ns("me"), &text) };
        let found = ask(&large, &query, "lexical");
        assert!(found.hits.iter().all(|hit| hit.speaker.as_deref() == Some("Ann")), "{text}");
    }
}

#[test]
fn what_was_added_is_found_and_what_was_forgotten_is_not() {
    let Some(server) = server() else { return };
    let Some(location) = server.new_store_with_pgvector() else { return };
    let location = format!("{location}&held_memories=0&candidates=30");
    let mut chance = chance();
    let memory = open(&location, local());
    fill(&memory, &mut chance);
    let finds = |memory: &Memory, word: &str| {
        let answer = memory.search(&Query::new(ns("me"), word), &Pipeline::hybrid(), Explanations::Omit).unwrap();
        answer.hits.iter().any(|hit| hit.text.contains(word))
    };
    assert!(!finds(&memory, "zeppelin"));
    memory.add_turns(&ns("me"), vec![turn("large", "s1", "new", "Ann", "a zeppelin over the sea")]).unwrap();
    let other = open(&location, local());
    assert!(finds(&memory, "zeppelin") && finds(&other, "zeppelin"));
    let id = MemoryRef { id: MemoryId::new("new").unwrap(), conversation: None };
    memory.forget(&ns("me"), &Target::One(id)).unwrap();
    assert!(!finds(&memory, "zeppelin") && !finds(&other, "zeppelin"));
    let scope = Scope { session: Some(SessionId::new("s3").unwrap()), ..Scope::default() };
    memory.forget(&ns("me"), &Target::Within(scope)).unwrap();
    let damage = memory.check(CheckDepth::Full, &mut |_| {}).unwrap();
    let damage: Vec<_> = damage.iter().filter(|of| of.gravity == Gravity::Damage).collect();
    assert!(damage.is_empty(), "{damage:?}");
    let count = "DO $$ BEGIN ASSERT (SELECT count(*) FROM lexical) = (SELECT count(*) FROM memory); \
                 ASSERT (SELECT count(*) FROM half) = (SELECT count(*) FROM vector); END $$";
    server.sql(&location, count).unwrap();
    memory.forget(&ns("me"), &Target::Within(Scope::default())).unwrap();
    let nothing = "DO $$ BEGIN ASSERT (SELECT count(*) FROM lexical) + (SELECT count(*) FROM half) \
                   + (SELECT count(*) FROM term) + (SELECT count(*) FROM length) = 0; END $$";
    server.sql(&location, nothing).unwrap();
}

#[test]
fn without_pgvector_it_goes_by_words_and_says_so() {
    let Some(server) = server() else { return };
    let location = server.new_store();
    let mut chance = chance();
    fill(&open(&location, local()), &mut chance);
    let large = open(&format!("{location}&held_memories=0&candidates=30"), local());
    let lexical = open(&format!("{location}&held_memories=0&candidates=30&prepared_statements=off"), local());
    for text in questions(&mut chance) {
        let query = Query::new(ns("me"), &text);
        let found = ask(&large, &query, "hybrid");
        let says_so = |warning: &Warning| matches!(warning, Warning::LexicalOnly { reason } if reason.code() == "vectors_not_in_store");
        assert!(found.warnings.iter().any(says_so), "{:?}", found.warnings);
        let ids = |answer: &SearchResponse| answer.hits.iter().map(|hit| hit.id.clone()).collect::<Vec<_>>();
        assert_eq!(ids(&found), ids(&ask(&lexical, &query, "lexical")), "{text}");
    }
}

#[test]
fn candidates_by_vectors_lose_next_to_nothing() {
    let Some(server) = server() else { return };
    let Some(location) = server.new_store_with_pgvector() else { return };
    let mut chance = chance();
    let held = open(&location, local());
    fill(&held, &mut chance);
    for (depth, prepared, least) in [(1_000, "on", 1.0), (180, "off", 0.9)] {
        let options = format!("&held_memories=0&candidates={depth}&prepared_statements={prepared}");
        let large = open(&format!("{location}{options}"), local());
        let (mut same, mut all) = (0, 0);
        for text in questions(&mut chance) {
            let query = Query::new(ns("me"), &text);
            let (held, found) = (ask(&held, &query, "hybrid"), ask(&large, &query, "hybrid"));
            assert_eq!(found.warnings, held.warnings);
            let found: Vec<String> = scores(&found).into_iter().map(|(id, _)| id).collect();
            all += held.hits.len();
            same += held.hits.iter().filter(|hit| found.contains(&hit.id)).count();
        }
        println!("{same} of {all} hits at depth {depth}");
        assert!(same as f64 >= least * all as f64, "{same} of {all} at depth {depth}");
    }
}

#[test]
fn a_large_namespace_earns_an_index_and_loses_it() {
    let Some(server) = server() else { return };
    let Some(location) = server.new_store_with_pgvector() else { return };
    let mut chance = chance();
    let held = open(&location, local());
    fill(&held, &mut chance);
    let large = open(&format!("{location}&held_memories=0&candidates=240&hnsw_from=800&hnsw_indexes=1"), local());
    let indexes = |expected: usize| {
        let count = format!(
            "DO $$ BEGIN ASSERT (SELECT count(*) FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid \
             WHERE i.indisvalid AND c.relname LIKE 'half\\_hnsw%' \
             AND i.indrelid = 'half'::regclass) = {expected}; END $$"
        );
        server.sql(&location, &count).is_ok()
    };
    let search = |text: &str| ask(&large, &Query::new(ns("me"), text), "hybrid");
    let until = |expected: usize| {
        let started = Instant::now();
        while !indexes(expected) {
            assert!(started.elapsed() < Duration::from_secs(60), "there are not {expected} indexes");
            search("w1q w2q");
            std::thread::sleep(Duration::from_millis(50));
        }
    };
    until(1);
    let (mut same, mut all) = (0, 0);
    for text in questions(&mut chance) {
        let (held, found) = (ask(&held, &Query::new(ns("me"), &text), "hybrid"), search(&text));
        let found: Vec<String> = scores(&found).into_iter().map(|(id, _)| id).collect();
        all += held.hits.len();
        same += held.hits.iter().filter(|hit| found.contains(&hit.id)).count();
        // A filter leaves few: those are found, too.
        let scope = Scope { session: Some(SessionId::new("s9").unwrap()), ..Scope::default() };
        let query = Query { scope, ..Query::new(ns("me"), &text) };
        assert_eq!(ask(&large, &query, "hybrid").hits.len(), 10);
    }
    println!("{same} of {all} hits");
    assert!(same as f64 >= 0.9 * all as f64, "{same} of {all}");
    let scope = Scope { conversation: Some(ConversationId::new("large").unwrap()), ..Scope::default() };
    large.forget(&ns("me"), &Target::Within(scope)).unwrap();
    until(0);
}

#[test]
fn why_looks_at_what_is_no_candidate() {
    let Some(server) = server() else { return };
    let location = server.new_store();
    let mut chance = chance();
    let held = Memory::builder().open(&location).unwrap();
    fill(&held, &mut chance);
    let large = Memory::builder().open(&format!("{location}&held_memories=0")).unwrap();
    for text in questions(&mut chance).into_iter().take(10) {
        let query = Query::new(ns("me"), &text);
        for id in ["t5x3", "t40x0", "t119x13"] {
            let [held, found] = [&held, &large].map(|memory| memory.why(&query, &Pipeline::lexical(), id).unwrap());
            assert_eq!(held.summary, found.summary, "{text} {id}");
        }
        let query = Query { unit: Granularity::Session, ..query };
        assert!(large.why(&query, &Pipeline::lexical(), "s7").unwrap().report.is_some());
    }
}

/// A store of the first format had no terms: the next opening makes the tables, the first search fills them.
#[test]
fn a_store_of_the_first_format_is_brought_forward() {
    let Some(server) = server() else { return };
    let location = server.new_store();
    let memory = open(&location, local());
    memory.add_turns(&ns("me"), history()).unwrap();
    drop(memory);
    let back = "DROP TABLE lexical, term, length; ALTER TABLE namespace DROP COLUMN lexical_maker, DROP COLUMN lexical_upto, \
                DROP COLUMN half_encoder, DROP COLUMN half_upto, DROP COLUMN half_whole; UPDATE format SET version = 1";
    server.sql(&location, back).unwrap();
    let large = open(&format!("{location}&held_memories=0"), local());
    let found = ask(&large, &Query::new(ns("me"), "kite"), "lexical");
    assert!(found.hits[0].text.contains("kite"), "{:?}", found.hits);
}

#[test]
fn a_ranker_rests_and_says_so() {
    let Some(location) = server().and_then(|server| server.new_store_with_pgvector()) else { return };
    let mut chance = chance();
    fill(&open(&location, local()), &mut chance);
    let large = open(&format!("{location}&held_memories=0&candidates=30"), local());
    let record = RankerRecord {
        pipeline: Pipeline::hybrid().to_string(),
        encoder: CandidateRanker::encoder_of(&local().id).to_owned(),
        trained_on: Vec::new(),
        questions: 0,
        seed: 0,
        base_weight: 1.0,
        among_people: false,
        plain_queries: false,
    };
    let ranker = CandidateRanker::new(record, Vec::new());
    let pipeline = Pipeline::hybrid().with_stage(CandidateStage::Ranker(Arc::new(ranker)));
    let query = Query::new(ns("me"), &questions(&mut chance)[0]);
    let search = |pipeline: &Pipeline| large.search(&query, pipeline, Explanations::Omit).unwrap();
    let (before, after) = (search(&Pipeline::hybrid()), search(&pipeline));
    let ids = |answer: &SearchResponse| answer.hits.iter().map(|hit| hit.id.clone()).collect::<Vec<_>>();
    assert_eq!(ids(&after), ids(&before));
    let reason = after.warnings.iter().find_map(|warning| match warning {
        Warning::RankerSkipped { reason } => Some(reason),
        _ => None,
    });
    assert!(reason.unwrap().contains("searched in its store"), "{:?}", after.warnings);
}
