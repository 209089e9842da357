//! Every node of an explanation follows from its parts, and `why` says what the search does.

use std::num::NonZeroUsize;

use aforesaid::{
    Arithmetic, CueDraft, CueIndexing, Explain, Explanations, Locality, Memory, Pipeline, Why,
    pipeline::{TermPlace, Unranked},
    types::*,
};
use proptest::prelude::*;

use crate::bags::*;

const PIPELINES: [&str; 16] = [
    "hybrid",
    "lexical",
    "paper-bm25",
    "paper-dense-max",
    "paper-dense-top3",
    "paper-dense-mean",
    "paper-dense-lse",
    "rrf(60, 1, 0.5, lexical, dense(max))",
    "minmax(0.7, lexical, dense(max))",
    "dated(2, rrf(bm25, dense))",
    "dated(1, bm25(pairs=0.5, sessions=0.7:1, turns=0.4:1))",
    "zscore(bm25(question=9, brief=9, speaker=1), dense(mean))",
    "cued(0.5:1, rrf(bm25, dense))",
    "dated(1, cued(2:0, bm25(pairs=0.5, cues=0.5:1, context=0.5:0.5, sessions=0.7:1, turns=0.4:1)))",
    "zscore(bm25(cues=1:1), dense(max, multivec))",
    "cued(0:1, zscore(bm25, dense(max, concat)))",
];

const WORDS: [&str; 12] =
    ["kite", "red", "ladder", "soup", "pumpkin", "boat", "sister", "Sunday", "Ann", "why?", "yesterday", "the"];

const QUESTIONS: [&str; 7] = [
    "who has the red kite?",
    "When did Ann borrow the ladder?",
    "what did Bob say about pumpkin soup on 2 March 2024?",
    "red kite red boat",
    "zeppelin",
    "soup in February 2024",
    "when was Ann's sister on the boat in March 2024?",
];

/// A value follows from its parts, and so do they.
fn check(node: &Explain) {
    let values = node.parts.iter().map(|part| part.value);
    let expected = match node.how {
        Arithmetic::Given => {
            assert!(node.parts.is_empty(), "{node}");
            node.value
        }
        Arithmetic::Sum => values.sum(),
        Arithmetic::Largest => values.fold(f64::NEG_INFINITY, f64::max),
        Arithmetic::Scaled { weight, minus, over } => {
            assert_eq!(node.parts.len(), 1, "{node}");
            weight * (node.parts[0].value - minus) / over
        }
        Arithmetic::ReciprocalRank { weight, k, rank } => rank.map_or(0.0, |rank| weight / (k + f64::from(rank))),
    };
    assert!((node.value - expected).abs() < 1e-9, "{expected} expected of\n{node}");
    node.parts.iter().for_each(check);
}

#[derive(Debug, Clone)]
struct Said {
    words: Vec<usize>,
    session: u8,
    speaker: bool,
    day: Option<u8>,
    /// A note where it is there; half of them no vector is made of.
    importance: Option<u8>,
    /// Its cue questions, if it was asked for some.
    cues: Option<Vec<Vec<usize>>>,
}

fn said() -> impl Strategy<Value = Said> {
    let words = prop::collection::vec(0..WORDS.len(), 1..14);
    let cues = prop::collection::vec(prop::collection::vec(0..WORDS.len(), 1..6), 0..3);
    let rest = (prop::option::weighted(0.3, 0u8..=10), prop::option::weighted(0.4, cues));
    (words, 0u8..4, any::<bool>(), prop::option::of(1u8..28), rest).prop_map(
        |(words, session, speaker, day, (importance, cues))| Said { words, session, speaker, day, importance, cues },
    )
}

fn in_words(words: &[usize]) -> String {
    words.iter().map(|&word| WORDS[word]).collect::<Vec<_>>().join(" ")
}

fn fill(memory: &Memory, history: &[Said]) {
    for (n, said) in history.iter().enumerate() {
        let text = in_words(&said.words);
        let said_at = said.day.map(|day| format!("2024-0{}-{day:02}", 2 + day % 2).parse().unwrap());
        match said.importance {
            None => {
                let (conversation, session) = (format!("c{}", said.session / 2), format!("s{}", said.session));
                let speaker = if said.speaker { "Ann" } else { "Bob" };
                let turn = turn(&conversation, &session, &format!("t{n}"), speaker, &text);
                memory.add_turns(&ns("me"), vec![Turn { said_at, ..turn }]).unwrap();
            }
            Some(importance) => {
                let note = Note {
                    id: Some(MemoryId::new(format!("t{n}")).unwrap()),
                    conversation: None,
                    text,
                    said_at,
                    importance: Importance::new(f64::from(importance) / 10.0).unwrap(),
                    tags: Vec::new(),
                    sensitivity: if said.speaker { Sensitivity::Sensitive } else { Sensitivity::Ordinary },
                    source: Vec::new(),
                };
                memory.add_note(&ns("me"), note).unwrap();
            }
        }
    }
    let cues = history.iter().enumerate().filter_map(|(n, said)| {
        let questions = said.cues.as_ref()?.iter().map(|words| format!("{}?", in_words(words))).collect();
        Some(CueDraft { id: MemoryId::new(format!("t{n}")).unwrap(), conversation: None, questions })
    });
    let source = CueSource { model: "test".to_owned(), prompt: "isolated".to_owned() };
    let indexing = CueIndexing { questions: true, passage: true };
    memory.add_cues(&ns("me"), &source, &cues.collect::<Vec<_>>(), indexing, &mut |_| {}).unwrap();
}

fn subjects(history: &[Said], unit: Granularity) -> Vec<String> {
    match unit {
        Granularity::Turn => (0..history.len()).map(|n| format!("t{n}")).collect(),
        Granularity::Session => (0..4)
            .filter(|s| history.iter().any(|said| said.importance.is_none() && said.session == *s))
            .map(|s| format!("s{s}"))
            .collect(),
    }
}

/// The explanations of a search hold, and each subject stands where the search puts it.
fn check_query(memory: &Memory, query: &Query, pipeline: &Pipeline, subjects: &[String]) {
    let whole = Query { k: NonZeroUsize::new(1000).unwrap(), ..query.clone() };
    let answer = memory.search(&whole, pipeline, Explanations::Include).unwrap();
    for hit in &answer.hits {
        let explain = hit.explain.as_ref().unwrap();
        assert!((explain.value - hit.score).abs() < 1e-12, "{explain}");
        check(explain);
    }
    if answer.reason == Some(aforesaid::NoHits::OnlyStopWords) {
        return;
    }
    let cut = answer.hits.len().min(query.k.get());
    for id in subjects {
        let why = memory.why(query, pipeline, id).unwrap();
        let report = why.report.as_ref().unwrap();
        assert_eq!(report.ranked, answer.hits.len());
        assert_eq!(report.cut.as_ref().map(|cut| cut.rank), Some(cut).filter(|cut| *cut > 0), "{why:?}");
        let Some(place) = answer.hits.iter().position(|hit| hit.id == *id) else {
            assert_eq!((report.unranked, report.last()), (Some(Unranked::NoEvidence), None), "{why:?}");
            assert!(report.terms.iter().all(|word| word.place == TermPlace::Missing), "{why:?}");
            continue;
        };
        let (hit, last) = (&answer.hits[place], report.last().unwrap());
        assert_eq!((last.rank, last.score), (place + 1, hit.score), "{why:?}");
        assert_eq!((&report.legs, &report.explain), (&hit.legs, &hit.explain));
        let sum: f64 = report.shares.iter().map(|(_, share)| share).sum();
        assert!((sum - hit.score).abs() < 1e-9, "{why:?}");
        let lacks = report.cut.as_ref().unwrap().lacks.unwrap();
        assert_eq!(lacks, answer.hits[cut - 1].score - hit.score);
        assert!(if place < cut { lacks <= 0.0 } else { lacks >= 0.0 }, "{why:?}");
        assert_eq!(why.summary.contains("so it is a hit"), place < query.k.get(), "{}", why.summary);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn every_score_adds_up_and_why_agrees_with_the_search(
        history in prop::collection::vec(said(), 1..24), k in 1usize..8, unmatched in any::<bool>(),
    ) {
        let with = open("memory:", Bags::new("bags@1/f32", Locality::Remote));
        let without = Memory::builder().open("memory:").unwrap();
        for (memory, vectors) in [(&with, true), (&without, false)] {
            fill(memory, &history);
            for pipeline in PIPELINES {
                let pipeline: Pipeline = pipeline.parse().unwrap();
                if pipeline.leg::<aforesaid::pipeline::LexicalLeg>().is_none() && !vectors {
                    continue;
                }
                for (unit, question) in QUESTIONS.iter().flat_map(|q| [(Granularity::Turn, q), (Granularity::Session, q)]) {
                    let query = Query {
                        unit,
                        k: NonZeroUsize::new(k).unwrap(),
                        unmatched: if unmatched { Unmatched::Include } else { Unmatched::Exclude },
                        ..Query::new(ns("me"), *question)
                    };
                    // Where all vectors are missing a dense preset is refused.
                    if memory.search(&query, &pipeline, Explanations::Omit).is_ok() {
                        check_query(memory, &query, &pipeline, &subjects(&history, unit));
                    }
                }
            }
        }
    }
}

#[test]
fn notes_of_different_importance_add_up() {
    let memory = open("memory:", local());
    memory.add_turns(&ns("me"), history()).unwrap();
    for (n, importance) in [(0, 0.0), (1, 0.9)] {
        let note = Note {
            id: Some(MemoryId::new(format!("n{n}")).unwrap()),
            conversation: None,
            text: "The kite hangs in the attic.".to_owned(),
            said_at: None,
            importance: Importance::new(importance).unwrap(),
            tags: Vec::new(),
            sensitivity: Sensitivity::Ordinary,
            source: Vec::new(),
        };
        memory.add_note(&ns("me"), note).unwrap();
    }
    let query = Query::new(ns("me"), "who has the kite?");
    let why = |id: &str| -> Why { memory.why(&query, &Pipeline::hybrid(), id).unwrap() };
    let explain = why("n0").report.unwrap().explain.unwrap();
    check(&explain);
    assert!(explain.label.starts_with("importance 0.00, factor 0.700: 0.7 * ("), "{explain}");
    assert!(matches!(explain.how, Arithmetic::Scaled { weight, .. } if (weight - 0.7).abs() < 1e-12));
    let (plain, important) = (why("n0").report.unwrap(), why("n1").report.unwrap());
    assert_eq!(plain.legs.get("lexical").unwrap().score, important.legs.get("lexical").unwrap().score);
    assert!(plain.shares.get("importance") < important.shares.get("importance"));
}
