//! An evidence reranker learned on a tiny model: what it learns, what is written, and what is refused.
#![allow(clippy::unwrap_used, reason = "test code")]

use std::{ops::ControlFlow, path::Path, sync::Arc};

use aforesaid_core::rerank::PairForm;
use aforesaid_models::{
    EvidenceModel, EvidenceRecord, ModelError, ModelFiles, PairScorer, Precision, Runtime, Threads, from_directory,
    training::{EvidenceList, EvidenceSettings, Saving, TrainedEvidence, train_evidence},
};

fn model(name: &str) -> (tempfile::TempDir, ModelFiles) {
    let cache = tempfile::tempdir().unwrap();
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/reference").join(name);
    let files = from_directory(&dir, cache.path()).unwrap();
    (cache, files)
}

/// Lists whose gold candidate is the one about the kite; the first stage puts it last.
fn lists(count: usize) -> Vec<EvidenceList> {
    const OTHERS: [&str; 6] = ["ba co di", "fu ge", "ha jo me lu", "no pa", "qu", "re si ta"];
    let list = |i: usize| EvidenceList {
        query: format!("QUERY_TIME: {i}. me no?"),
        passages: [OTHERS[i % 6], OTHERS[(i + 1 + i / 6) % 6], "pa ki ki"].map(str::to_owned).to_vec(),
        first_stage: vec![1.2, 0.0, -1.2],
        gold: vec![false, false, true],
    };
    (0..count).map(list).collect()
}

fn record() -> EvidenceRecord {
    EvidenceRecord {
        base: String::new(),
        form: PairForm::Turn,
        max_tokens: 64,
        first_stage_weight: 9.0,
        first_stage: "hybrid".to_owned(),
        trained_on: vec!["kites".to_owned()],
        questions: 0,
        seed: 0,
        reads_english: false,
    }
}

fn settings() -> EvidenceSettings {
    EvidenceSettings {
        rank: 4,
        epochs: 10,
        batch: 4,
        rate: 1e-2,
        look_every: 10,
        patience: 100,
        precision: Precision::F32,
        threads: Threads::new(2.try_into().unwrap()),
        ..EvidenceSettings::default()
    }
}

/// Trains; ends after `stop` steps where that is given, and returns the last state.
fn train(
    files: &ModelFiles,
    learned: &[EvidenceList],
    settings: &EvidenceSettings,
    (resume, stop): (Option<&[u8]>, Option<usize>),
) -> Result<(TrainedEvidence, Vec<u8>), ModelError> {
    let mut last = Vec::new();
    let mut keep = |state: &[u8]| {
        last = state.to_vec();
        Ok(())
    };
    let mut saving = Saving { resume, every: 7, keep: &mut keep };
    let mut observe = |step: &aforesaid_models::training::EvidenceStep| match stop {
        Some(stop) if step.step >= stop => ControlFlow::Break(()),
        _ => ControlFlow::Continue(()),
    };
    let held_out = lists(5);
    let trained = train_evidence(files, [learned, &held_out], &record(), settings, &mut saving, &mut observe)?;
    Ok((trained, last))
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

#[test]
fn it_learns_what_tells_gold_and_every_precision_scores_alike() {
    let (_cache, files) = model("tiny");
    let (trained, _) = train(&files, &lists(24), &settings(), (None, None)).unwrap();
    assert_eq!((mean(&trained.before), mean(&trained.after)), (1.0 / 3.0, 1.0));
    let read = EvidenceModel::from_bytes(&trained.file).unwrap();
    assert_eq!(read, trained.model);
    assert_eq!((read.record().questions, read.record().base.as_str()), (24, files.pinned.as_str()));
    assert!(read.record().first_stage_weight < 9.0);
    let list = &lists(1)[0];
    let passages: Vec<&str> = list.passages.iter().map(String::as_str).collect();
    for precision in Precision::ALL {
        let runtime = Runtime::new(precision, settings().threads);
        let scorer = read.load(files.clone(), "kites", runtime).unwrap();
        assert!(scorer.id().as_str().starts_with("tiny+kites@"), "{}", scorer.id());
        assert!(scorer.id().as_str().ends_with(&precision.to_string()), "{}", scorer.id());
        let scores = scorer.score(&list.query, &passages).unwrap();
        assert!(scores[2] > scores[0] && scores[2] > scores[1], "{precision}: {scores:?}");
    }
}

#[test]
fn an_interrupted_training_goes_on_to_the_same_file() {
    let (_cache, files) = model("tiny");
    let (whole, _) = train(&files, &lists(24), &settings(), (None, None)).unwrap();
    for stop in [0, 13, 20] {
        let (cut, state) = train(&files, &lists(24), &settings(), (None, Some(stop))).unwrap();
        assert_eq!(cut.steps, stop);
        let (resumed, _) = train(&files, &lists(24), &settings(), (Some(&state), None)).unwrap();
        assert_eq!((resumed.file == whole.file, resumed.best_step), (true, whole.best_step), "{stop}");
    }
    let (one_thread, _) = {
        let settings = EvidenceSettings { threads: Threads::new(std::num::NonZeroUsize::MIN), ..settings() };
        train(&files, &lists(24), &settings, (None, None)).unwrap()
    };
    assert!(one_thread.file == whole.file);
}

#[test]
fn a_state_of_another_training_is_refused() {
    let (_cache, files) = model("tiny");
    let (_, state) = train(&files, &lists(24), &settings(), (None, Some(5))).unwrap();
    let refused = |learned: usize, settings: &EvidenceSettings, state: &[u8]| {
        train(&files, &lists(learned), settings, (Some(state), None)).unwrap_err().to_string()
    };
    assert!(refused(23, &settings(), &state).contains("other data"));
    assert!(refused(24, &EvidenceSettings { rate: 2e-2, ..settings() }, &state).contains("other settings"));
    assert!(refused(24, &settings(), &state[..state.len() - 1]).contains("cannot be read"));
}

#[test]
fn lists_without_gold_teach_nothing_and_change_nothing() {
    let (_cache, files) = model("tiny");
    let masked = |mut list: EvidenceList| {
        list.gold.fill(false);
        list
    };
    let none: Vec<EvidenceList> = lists(24).into_iter().map(masked).collect();
    let refused = train(&files, &none, &settings(), (None, None)).unwrap_err();
    assert!(refused.to_string().contains("found 0 questions"), "{refused}");
    let (plain, _) = train(&files, &lists(8), &settings(), (None, Some(9))).unwrap();
    let with: Vec<EvidenceList> = lists(8).into_iter().chain(none).collect();
    let (beside, _) = train(&files, &with, &settings(), (None, Some(9))).unwrap();
    assert!(plain.file == beside.file);
}

#[test]
fn a_training_begins_with_a_reranker_that_was_learned() {
    let (_cache, files) = model("tiny");
    let (first, _) = train(&files, &lists(24), &settings(), (None, None)).unwrap();
    let begin = Some(Arc::new(first.model.clone()));
    let further = EvidenceSettings { begin, first_stage_weight: Some(0.25), ..settings() };
    let (same, _) = train(&files, &lists(24), &further, (None, Some(0))).unwrap();
    let list = &lists(1)[0];
    let passages: Vec<&str> = list.passages.iter().map(String::as_str).collect();
    let scores = |of: &TrainedEvidence| {
        let runtime = Runtime::new(Precision::F32, settings().threads);
        of.model.load(files.clone(), "kites", runtime).unwrap().score(&list.query, &passages).unwrap()
    };
    assert_eq!(scores(&same), scores(&first));
    assert_eq!(same.model.record().first_stage_weight, 0.25);
    let (other, _) = train(&files, &lists(24), &further, (None, Some(3))).unwrap();
    assert_ne!(scores(&other), scores(&first));
    let refused = train(&files, &lists(24), &EvidenceSettings { rank: 3, ..further }, (None, None)).unwrap_err();
    assert!(refused.to_string().contains("begin with of rank 4"), "{refused}");
}

#[test]
fn what_the_first_stage_knows_is_not_learned_again() {
    let (_cache, files) = model("tiny");
    let known: Vec<EvidenceList> =
        lists(24).into_iter().map(|list| EvidenceList { first_stage: vec![-1.0, -1.0, 2.0], ..list }).collect();
    let moved = |weight| {
        let settings = EvidenceSettings { first_stage_weight: Some(weight), epochs: 2, ..settings() };
        let (trained, _) = train(&files, &known, &settings, (None, None)).unwrap();
        let runtime = Runtime::new(Precision::F32, settings.threads);
        let scorer = trained.model.load(files.clone(), "kites", runtime).unwrap();
        let passages: Vec<&str> = known[0].passages.iter().map(String::as_str).collect();
        let scores = scorer.score(&known[0].query, &passages).unwrap();
        scores[2] - scores[0].max(scores[1])
    };
    assert!(moved(10.0) < 0.5 * moved(0.0), "{} {}", moved(10.0), moved(0.0));
}

#[test]
fn another_model_is_refused() {
    let (_cache, files) = model("tiny");
    let (trained, _) = train(&files, &lists(24), &settings(), (None, Some(0))).unwrap();
    let (_other_cache, other) = model("tiny-roberta");
    let runtime = Runtime::new(Precision::F32, Threads::available());
    let refused = trained.model.load(other, "kites", runtime).err().unwrap().to_string();
    assert!(refused.contains(&files.pinned) && refused.contains("tiny-roberta@"), "{refused}");
}
