//! Numbers of a pipeline chosen on some groups of a small history and measured on others.

use std::{
    num::NonZeroUsize,
    path::{Path, PathBuf},
    sync::{Arc, Mutex},
};

use aforesaid::{
    EncodeError, Encoder, Locality,
    formats::Captions,
    types::{EncoderId, Granularity, Vectors},
};
use aforesaid_eval::{
    datasets::{Benchmark, DataSet},
    experiments::{Bench, Place, Protocol, Setup, Step, System, Tuned, Tuning, sweep, try_system},
    measures::Measure,
    reports::TuningReport,
};

/// Sees whether a text speaks of beans.
struct Beans(EncoderId);

impl Encoder for Beans {
    fn id(&self) -> &EncoderId {
        &self.0
    }

    fn dim(&self) -> usize {
        2
    }

    fn locality(&self) -> Locality {
        Locality::Local
    }

    fn encode_queries(&self, texts: &[&str]) -> Result<Vectors, EncodeError> {
        let row = |text: &&str| if text.contains("beans") { [1.0, 0.0] } else { [0.0, 1.0] };
        Ok(Vectors::new(2, texts.iter().flat_map(row).collect()).unwrap())
    }

    fn encode_passages(&self, texts: &[&str]) -> Result<Vectors, EncodeError> {
        self.encode_queries(texts)
    }
}

/// Two groups.
fn garden() -> Benchmark {
    let folder: PathBuf = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/garden");
    DataSet::Jsonl.load(&folder, Granularity::Turn).unwrap()
}

fn bench(benchmark: &Benchmark) -> Bench<'_> {
    let encoder: Arc<dyn Encoder> = Arc::new(Beans(EncoderId::new("beans").unwrap()));
    let threads = NonZeroUsize::new(2).unwrap();
    Bench::new(
        benchmark,
        &Setup { encoder: Ok(encoder), captions: Captions::Keep, cues: None, threads, place: Place::Process },
        &|_| {},
    )
    .unwrap()
}

fn system(text: &str, criterion: &str) -> System {
    System { criterion: criterion.parse().unwrap(), ..text.parse().unwrap() }
}

#[test]
fn one_set_is_the_sweep() {
    let benchmark = garden();
    let bench = bench(&benchmark);
    for fusion in ["zscore", "minmax", "rrf"] {
        let system = system(&format!("{fusion}(loco, bm25, dense(max))"), "hit@1");
        let swept = sweep(&bench, &system, &Measure::STANDARD, &|_| {}).unwrap();
        let trial = try_system(&bench, &system, &Measure::STANDARD, &|_| {}).unwrap();
        assert_eq!(trial.pipelines, swept.pipelines, "{fusion}");
        let chosen = trial.chosen.unwrap();
        assert_eq!((chosen.configurations, swept.by_alpha.len()), (21, 21));
        let weights: Vec<f64> = chosen.by_group.iter().map(|places| places[0] as f64 / 20.0).collect();
        assert_eq!(weights, swept.weights, "{fusion}");
    }
}

#[test]
fn groups_share_the_runs_of_a_search_and_progress_counts_them() {
    let benchmark = garden();
    let bench = bench(&benchmark);
    let described = "zscore({0.5, 0..1/0.25}, bm25(k1={0.9, 1.5}, b={0.4, 0.75}), dense(max))";
    let steps = Mutex::new(Vec::new());
    let observe = |step: Step| {
        if step.work == "choosing numbers" {
            steps.lock().unwrap().push((step.done, step.total));
        }
    };
    let trial = try_system(&bench, &system(described, "mrr+hit@1"), &Measure::STANDARD, &observe).unwrap();
    let chosen = trial.chosen.unwrap();
    let steps = steps.into_inner().unwrap();
    assert_eq!(steps.len(), chosen.configurations);
    assert_eq!(steps[..2], [(1, 7), (2, 7)], "a pass is the start, 4 other weights, and one other of each of two");
    assert!((7..=20).contains(&chosen.configurations), "{}", chosen.configurations);
    assert_eq!((chosen.by_group.len(), chosen.unsettled.len()), (2, 0));
    for (set, named) in chosen.sets.iter().enumerate() {
        assert_eq!(chosen.counts(set).len(), named.values.len());
        assert_eq!(chosen.counts(set).iter().sum::<usize>(), 2);
    }
    let system = system(described, "mrr+hit@1");
    for (places, pipeline) in chosen.by_group.iter().zip(&trial.pipelines) {
        assert_eq!(system.at(places).unwrap(), *pipeline);
    }
}

#[test]
fn what_is_chosen_is_no_worse_where_it_was_chosen() {
    let benchmark = garden();
    let bench = bench(&benchmark);
    let described = "zscore({0..1/0.25}, bm25(k1={0.9, 1.5}), dense(max))";
    let system = system(described, "mrr");
    let tune = |protocol: &Protocol| -> Tuned {
        Tuning { system: &system, protocol, measures: &Measure::STANDARD }.run(&bench, &|_| {}).unwrap()
    };
    let all = tune(&Protocol::All);
    assert!(all.folds.is_empty() && all.whole.settled);
    let (before, seen) = (all.mean_before(Measure::Mrr).unwrap(), all.mean(Measure::Mrr).unwrap());
    assert!(seen > before, "{before} to {seen}: words are of use here");
    assert_eq!(Some(before), all.before.mean(Measure::Mrr));

    let held_out = tune(&Protocol::LeaveOneOut);
    assert_eq!((held_out.folds.len(), &held_out.whole), (2, &all.whole));
    assert!(held_out.configurations >= all.configurations);
    let trial = try_system(&bench, &system, &Measure::STANDARD, &|_| {}).unwrap();
    let folds: Vec<_> = held_out.folds.iter().map(|fold| fold.pipeline.clone()).collect();
    assert_eq!(folds, trial.pipelines, "run and tune choose alike");
    let (pooled, ran) = (held_out.mean(Measure::Mrr).unwrap(), trial.evaluation.mean(Measure::Mrr).unwrap());
    assert!((pooled - ran).abs() < 1e-12);

    let tuning = Tuning { system: &system, protocol: &Protocol::All, measures: &Measure::STANDARD };
    let report = TuningReport { benchmark: &benchmark, tuning: &tuning, tuned: &all };
    assert!(report.to_json()["held_out"].is_null());
    let text = report.to_markdown();
    assert!(text.contains("chosen on the same questions") && text.contains("no estimate of others"), "{text}");
    assert!(text.contains(&format!("On all the data: `{}`", all.whole.pipeline)), "{text}");
}
