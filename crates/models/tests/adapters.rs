//! An adapter learned, written, read and merged, on a random model that is small enough to be committed.
#![allow(clippy::unwrap_used)]

use std::{ops::ControlFlow, path::Path, sync::Arc};

use aforesaid_core::{Encoder, types::Vectors};
use aforesaid_models::{
    Adapter, BertEncoder, ModelFiles, Precision, ReadWith, Runtime, Threads, from_directory,
    training::{StepChoice, TrainingPair, TrainingSet, TrainingSettings, TrainingStep, train},
};

fn tiny(name: &str) -> ModelFiles {
    let cache = tempfile::tempdir().unwrap();
    from_directory(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/reference").join(name), cache.path()).unwrap()
}

/// Turns, each asked for in words that are none of its own.
fn set() -> TrainingSet {
    // Words of the syllables that the tiny model knows.
    let turns = [
        ("baco difu", "geha"),
        ("jokilu me", "nopa qu"),
        ("tare sino", "luba"),
        ("hame qufu", "dire jo"),
        ("kisi geta", "come"),
        ("pano luge", "fusi ta"),
    ];
    let pair = |(passage, (_, question)): (usize, &(&str, &str))| TrainingPair {
        questions: vec![(*question).to_owned()],
        passage,
        also: Vec::new(),
    };
    TrainingSet {
        name: "turns".to_owned(),
        passages: turns.iter().map(|(turn, _)| vec![(*turn).to_owned()]).collect(),
        pairs: turns.iter().enumerate().map(pair).collect(),
        weight: 1.0,
        ..TrainingSet::default()
    }
}

fn settings(threads: usize) -> TrainingSettings {
    TrainingSettings {
        rank: 4,
        steps: 60,
        batch: 6,
        rate: 2e-2,
        strength: 1.0,
        look_every: 20,
        threads: Threads::new(threads.try_into().unwrap()),
        ..TrainingSettings::default()
    }
}

fn learn(files: &ModelFiles, threads: usize) -> (Adapter, Vec<u8>, Vec<TrainingStep>) {
    let mut steps = Vec::new();
    let mut observe = |step: &TrainingStep| {
        steps.push(step.clone());
        ControlFlow::Continue(())
    };
    let trained = train(files, &[set()], &[set()], "a test", &settings(threads), &mut observe).unwrap();
    assert_eq!((trained.before[0].len(), trained.after[0].len()), (6, 6));
    (trained.adapter, trained.file, steps)
}

/// The questions as an encoder reads them.
fn queries(encoder: &BertEncoder) -> Vectors {
    let set = set();
    let questions: Vec<&str> = set.pairs.iter().map(|pair| pair.questions[0].as_str()).collect();
    encoder.encode_queries(&questions).unwrap()
}

/// The same as a query adapter reads them.
fn adapted_queries(encoder: &BertEncoder, name: &str) -> Vectors {
    let set = set();
    let questions: Vec<&str> = set.pairs.iter().map(|pair| pair.questions[0].as_str()).collect();
    encoder.encode_adapted_queries(name, &questions).unwrap()
}

/// The cosine of each question with each turn, by an encoder that reads questions in some way.
fn cosines(encoder: &BertEncoder, read: impl Fn(&BertEncoder) -> Vectors) -> Vec<Vec<f32>> {
    let set = set();
    let passages: Vec<&str> = set.passages.iter().map(|forms| forms[0].as_str()).collect();
    let (passages, questions) = (encoder.encode_passages(&passages).unwrap(), read(encoder));
    let cosine =
        |i: usize, j: usize| questions.get(i).unwrap().iter().zip(passages.get(j).unwrap()).map(|(q, p)| q * p).sum();
    (0..questions.len()).map(|i| (0..passages.len()).map(|j| cosine(i, j)).collect()).collect()
}

/// Mean reciprocal rank of the turns, by cosine.
fn rank(encoder: &BertEncoder, read: impl Fn(&BertEncoder) -> Vectors) -> f64 {
    let cosines = cosines(encoder, read);
    let of_question = |(i, row): (usize, &Vec<f32>)| {
        let ahead = (0..row.len()).filter(|j| *j != i && row[*j] >= row[i]).count();
        1.0 / (ahead + 1) as f64
    };
    cosines.iter().enumerate().map(of_question).sum::<f64>() / cosines.len() as f64
}

#[test]
fn an_adapter_learns_and_the_merged_model_does_what_was_learned() {
    let files = tiny("tiny");
    let (adapter, file, steps) = learn(&files, 2);
    let looks: Vec<f64> = steps.iter().filter_map(|step| step.held_out.as_ref().map(|ranks| ranks[0])).collect();
    assert_eq!(looks.len(), 4);
    let best = looks.iter().copied().fold(0.0, f64::max);
    assert!(best > looks[0] + 0.2, "{looks:?}");
    let losses: Vec<f64> = steps.iter().map(|step| step.loss).skip(1).collect();
    assert!(losses[losses.len() - 1] < 0.5 * losses[0], "{losses:?}");

    let runtime = Runtime::new(Precision::F32, Threads::ONE);
    let base = BertEncoder::load(&files, runtime).unwrap();
    let adapted = files.clone().with_adapter("mine", adapter.clone()).unwrap();
    let encoder = BertEncoder::load(&adapted, runtime).unwrap();
    assert!((rank(&base, queries) - looks[0]).abs() < 1e-9);
    assert!((rank(&encoder, queries) - best).abs() < 0.1, "the file is rounded: {} {best}", rank(&encoder, queries));
    assert!(rank(&encoder, queries) > rank(&base, queries) + 0.2);
    assert!(encoder.id().as_str().starts_with("tiny+mine@") && encoder.id() != base.id(), "{}", encoder.id());

    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("mine.safetensors"), &file).unwrap();
    assert_eq!(Adapter::read(&dir.path().join("mine.safetensors")).unwrap(), adapter);
}

#[test]
fn a_query_adapter_learns_and_passages_keep_their_vectors() {
    let files = tiny("tiny");
    let learn = |threads: usize| {
        let settings = TrainingSettings { read_with: ReadWith::Queries, ..settings(threads) };
        let observe = &mut |_: &TrainingStep| ControlFlow::Continue(());
        train(&files, &[set()], &[set()], "", &settings, observe).unwrap()
    };
    let trained = learn(2);
    let mean = |ranks: &[Vec<f64>]| ranks[0].iter().sum::<f64>() / ranks[0].len() as f64;
    let (before, after) = (mean(&trained.before), mean(&trained.after));
    assert!(after > before + 0.2, "{before} {after}");
    assert_eq!(learn(1).file, trained.file, "threads change nothing");

    let for_both = files.clone().with_adapter("mine", trained.adapter.clone()).unwrap_err();
    assert!(for_both.to_string().contains("with a query adapter"), "{for_both}");
    let runtime = Runtime::new(Precision::F32, Threads::ONE);
    let base = BertEncoder::load(&files, runtime).unwrap();
    let reading = files.clone().with_query_adapter(Arc::new(trained.adapter.clone())).unwrap();
    let encoder = BertEncoder::load(&reading, runtime).unwrap();
    assert_eq!(encoder.id(), base.id(), "passages are the same");
    assert_eq!(queries(&encoder), queries(&base));
    let name = trained.adapter.query_name();
    assert_eq!(encoder.query_adapter(&name), Some(trained.adapter.sha256()));
    assert_eq!((encoder.query_adapter("mine"), base.query_adapter(&name)), (None, None));
    assert_eq!(adapted_queries(&base, &name), queries(&base), "an encoder without it reads questions as they are");
    assert!((rank(&base, queries) - before).abs() < 1e-9);
    let found = rank(&encoder, |encoder| adapted_queries(encoder, &name));
    assert!((found - after).abs() < 0.1, "the file is rounded: {found} {after}");
}

/// The same turns, each asked for in the words that another was asked for in.
fn further() -> TrainingSet {
    let mut further = set();
    let questions: Vec<Vec<String>> = further.pairs.iter().map(|pair| pair.questions.clone()).collect();
    further
        .pairs
        .iter_mut()
        .zip(questions.into_iter().cycle().skip(1))
        .for_each(|(pair, other)| pair.questions = other);
    further
}

#[test]
fn learning_goes_on_from_an_adapter() {
    let runtime = Runtime::new(Precision::F32, Threads::ONE);
    let files = tiny("tiny");
    let (first, ..) = learn(&files, 2);
    let adapted = files.clone().with_adapter("mine", first.clone()).unwrap();
    let mean = |ranks: &[Vec<f64>]| ranks[0].iter().sum::<f64>() / ranks[0].len() as f64;
    let observe = &mut |_: &TrainingStep| ControlFlow::Continue(());

    // Of questions and passages: one file, for the model as it was published.
    let none = TrainingSettings { steps: 0, ..settings(2) };
    let same = train(&adapted, &[set()], &[set()], "nothing more", &none, observe).unwrap().adapter;
    assert_eq!((same.base(), same.rank(), same.note()), (first.base(), 8, "a test; then nothing more"));
    let same = BertEncoder::load(&files.clone().with_adapter("same", same).unwrap(), runtime).unwrap();
    let encoder = BertEncoder::load(&adapted, runtime).unwrap();
    let close = queries(&same).as_slice().iter().zip(queries(&encoder).as_slice()).all(|(a, b)| (a - b).abs() < 1e-6);
    assert!(close, "without a step it does what the first one does");
    let more = train(&adapted, &[further()], &[further()], "", &settings(2), observe).unwrap();
    assert!(mean(&more.after) > mean(&more.before) + 0.2, "{:?} {:?}", more.before, more.after);

    // Of questions alone: an adapter of the model with the first one.
    let asked = TrainingSettings { read_with: ReadWith::Queries, ..settings(2) };
    let trained = train(&adapted, &[further()], &[further()], "", &asked, observe).unwrap();
    assert_eq!(trained.adapter.base(), adapted.pinned);
    assert!(
        files.with_query_adapter(Arc::new(trained.adapter.clone())).is_err(),
        "it is no adapter of the plain model"
    );
    let (before, after) = (mean(&trained.before), mean(&trained.after));
    let name = trained.adapter.query_name();
    let reading = adapted.with_query_adapter(Arc::new(trained.adapter)).unwrap();
    let reading = BertEncoder::load(&reading, runtime).unwrap();
    assert_eq!((reading.id(), queries(&reading)), (encoder.id(), queries(&encoder)), "passages are the same");
    let place = |row: &[f32], right: usize| 1.0 / row.iter().filter(|other| **other >= row[right]).count() as f64;
    let cosines = cosines(&reading, |encoder| {
        let questions: Vec<String> = further().pairs.into_iter().map(|mut pair| pair.questions.remove(0)).collect();
        let questions: Vec<&str> = questions.iter().map(String::as_str).collect();
        encoder.encode_adapted_queries(&name, &questions).unwrap()
    });
    let found = cosines.iter().enumerate().map(|(i, row)| place(row, i)).sum::<f64>() / cosines.len() as f64;
    assert!(after > before + 0.2 && (found - after).abs() < 0.1, "{before} {after} {found}");
}

#[test]
fn threads_change_nothing() {
    let files = tiny("tiny");
    assert_eq!(learn(&files, 1).1, learn(&files, 3).1);
}

#[test]
fn hard_passages_change_what_is_learned_and_are_learned_from() {
    let files = tiny("tiny");
    // Of six questions a step takes two; without hard passages it sees two passages.
    let settings = TrainingSettings { batch: 2, ..settings(2) };
    let learn = |negatives: usize| {
        let hard = TrainingSet { negatives, ..set() };
        let observe = &mut |_: &TrainingStep| ControlFlow::Continue(());
        let trained = train(&files, &[hard], &[set()], "", &settings, observe).unwrap();
        let mean = |ranks: &[Vec<f64>]| ranks[0].iter().sum::<f64>() / ranks[0].len() as f64;
        (trained.file, mean(&trained.before), mean(&trained.after))
    };
    let (with, before, after) = learn(3);
    assert_ne!(with, learn(0).0);
    assert_eq!(with, learn(3).0);
    assert!(after > before + 0.2, "{before} {after}");
}

#[test]
fn what_the_model_itself_teaches_holds_it_where_it_was() {
    let files = tiny("tiny");
    let looks = |base_share: f32| {
        let mut looks = Vec::new();
        let mut observe = |step: &TrainingStep| {
            looks.extend(step.held_out.clone());
            ControlFlow::Continue(())
        };
        let taught = TrainingSet { base_share, ..set() };
        let trained = train(&files, &[taught], &[set()], "", &settings(2), &mut observe).unwrap();
        (looks.concat(), trained.file)
    };
    let (alone, _) = looks(1.0);
    // Its own target is reached from the start: rounding moves the parameters a little.
    assert!(alone.iter().all(|rank| (rank - alone[0]).abs() < 0.05), "{alone:?}");
    let (half, file) = looks(0.5);
    assert!(half[0] == alone[0] && half[3] > half[0] + 0.2, "{half:?}");
    assert_ne!(file, looks(0.0).1);
}

#[test]
fn the_worst_set_keeps_what_the_mean_gives_away() {
    let files = tiny("tiny");
    // The turns that the model puts first as it is: what is learned for the right ones is lost here.
    let base = BertEncoder::load(&files, Runtime::new(Precision::F32, Threads::ONE)).unwrap();
    let first = |row: &Vec<f32>| (0..row.len()).max_by(|a, b| row[*a].total_cmp(&row[*b])).unwrap();
    let mut crossed = set();
    for (pair, row) in crossed.pairs.iter_mut().zip(cosines(&base, queries)) {
        pair.passage = first(&row);
    }
    let count = crossed.pairs.len();
    let learn = |choice: StepChoice| {
        let settings = TrainingSettings { choice, ..settings(2) };
        let observe = &mut |_: &TrainingStep| ControlFlow::Continue(());
        let trained = train(&files, &[set()], &[set(), crossed.clone()], "", &settings, observe).unwrap();
        let means = |ranks: &[Vec<f64>]| [0, 1].map(|set: usize| ranks[set].iter().sum::<f64>() / count as f64);
        [means(&trained.before), means(&trained.after)]
    };
    let [before, after] = learn(StepChoice::Mean);
    assert!(before[1] == 1.0 && after[1] < 1.0 && after[0] > before[0] + 0.2, "{before:?} {after:?}");
    assert_eq!(learn(StepChoice::WorstSet), [before, before]);
}

#[test]
fn an_adapter_stays_with_its_model() {
    let (adapter, ..) = learn(&tiny("tiny"), 1);
    let other = tiny("tiny-roberta").with_adapter("mine", adapter.clone()).unwrap_err();
    assert_eq!(other.code(), "adapter_of_another_model");
    let twice = tiny("tiny").with_adapter("mine", adapter.clone()).unwrap().with_adapter("mine", adapter.clone());
    assert!(twice.is_err());
    assert_eq!(tiny("tiny").with_adapter("mine", adapter.clone()).unwrap().published(), tiny("tiny"));
    assert!(adapter.entry().unwrap_err().to_string().contains("registered"), "it is no registered model's");
}

#[test]
fn what_cannot_be_learned_from_is_refused() {
    let files = tiny("tiny");
    let refused = |set: TrainingSet| {
        let observe = &mut |_: &TrainingStep| ControlFlow::Continue(());
        train(&files, &[set], &[], "", &settings(1), observe).unwrap_err().to_string()
    };
    let alone = TrainingSet { pairs: set().pairs[..1].to_vec(), ..set() };
    assert!(refused(alone).contains("no set with two questions"));
    let astray = TrainingPair { passage: 6, ..set().pairs[0].clone() };
    assert!(refused(TrainingSet { pairs: vec![astray], ..set() }).contains("\"turns\""));
    let astray = TrainingPair { also: vec![6], ..set().pairs[0].clone() };
    assert!(refused(TrainingSet { pairs: vec![astray], ..set() }).contains("\"turns\""));
    let observe = &mut |_: &TrainingStep| ControlFlow::Continue(());
    let positions = train(&tiny("tiny-mpnet"), &[set()], &[], "", &settings(1), observe).unwrap_err();
    assert_eq!(positions.code(), "model_training");
}

#[test]
fn stopping_keeps_what_was_learned() {
    let files = tiny("tiny");
    let mut seen = 0;
    let mut observe = |step: &TrainingStep| {
        seen = step.step;
        if step.step == 20 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let trained = train(&files, &[set()], &[], "", &settings(1), &mut observe).unwrap();
    assert_eq!((seen, trained.adapter.rank(), trained.after.len()), (20, 4, 0));
}
