//! A reranker on data that it never saw, with the guarantee checked on every question.

use std::{path::Path, sync::Arc};

use aforesaid::{
    Pipeline, Reranking,
    formats::Captions,
    models::{EvidenceRecord, PairScorer},
    rerank::EvidenceReranker,
    types::Granularity,
};
use aforesaid_eval::{
    datasets::{Benchmark, DataSet},
    experiments::{Bench, Observer},
    learning::with_cues,
    measures::{Measure, evaluate},
    recipe::{Equipment, Recording},
    reports::{Table, four, systems_csv},
    statistics::Resampling,
};

use crate::{
    Section, Study, StudyError, encoder_of,
    evidence::{Remembering, same_sets},
    place_of,
    shippable::LEARNED_PERSONAS,
};

const MEASURES: [Measure; 3] = [Measure::Mrr, Measure::STANDARD[0], Measure::STANDARD[5]];

/// What is measured: a data set, its unit, and whether recorded cue questions are indexed.
const DATA: [(DataSet, Granularity, bool); 5] = [
    (DataSet::Locomo, Granularity::Turn, false),
    (DataSet::DialoguesTest, Granularity::Turn, false),
    (DataSet::Beam, Granularity::Turn, false),
    (DataSet::RealMem, Granularity::Session, false),
    (DataSet::Locomo, Granularity::Turn, true),
];

/// What is measured.
#[derive(Debug, Clone, Copy)]
pub struct UnseenData<'a> {
    /// The folder with the data sets; one that is not there is left out.
    pub folder: &'a Path,
    /// Data sets; all where there is none.
    pub datasets: &'a [DataSet],
    /// First stages.
    pub pipelines: &'a [Pipeline],
}

/// Measures a reranker behind pipelines on data that it never saw.
///
/// # Errors
/// When a data set cannot be read, there is no encoder, a search fails, or the reranker changed more than the order of ten.
pub fn reranker_study(
    unseen: UnseenData<'_>,
    (record, scorer): (&EvidenceRecord, Arc<dyn PairScorer>),
    equipment: &Equipment,
    observe: &Observer<'_>,
) -> Result<Study, StudyError> {
    let encoder = encoder_of("the study of the reranker", equipment)?;
    let scorer = Arc::new(Remembering::new(scorer));
    let reranker = record.reranker(scorer);
    let mut table = Table::new(["data", "first stage", "questions", "MRR", "gain", "Hit@1", "gain", "R@10"]);
    let mut checked = 0;
    let mut questions = String::new();
    for (dataset, unit, cued) in DATA {
        let path = place_of(dataset, unseen.folder);
        if !path.is_dir() || !(unseen.datasets.is_empty() || unseen.datasets.contains(&dataset)) {
            continue;
        }
        let mut benchmark = dataset.load(&path, unit)?;
        if dataset == DataSet::RealMem {
            benchmark.groups.retain(|group| !LEARNED_PERSONAS.contains(&group.id.as_str()));
        }
        let mut setup = equipment.setup(Captions::Keep);
        if cued {
            setup = with_cues(setup, Recording::default().read(dataset, &path)?, &Pipeline::hybrid());
        }
        let bench = Bench::new(&benchmark, &setup, observe)?;
        let name = match (dataset, cued) {
            (DataSet::RealMem, _) => "realmem, personas not learned from".to_owned(),
            (_, true) => format!("{dataset} with cue questions"),
            (_, false) => dataset.to_string(),
        };
        for pipeline in unseen.pipelines {
            let found = measured(&bench, &benchmark, pipeline, &reranker, observe)?;
            checked += found.checked;
            table.push([vec![name.clone(), pipeline.name.clone()], found.cells].concat());
            if questions.is_empty() {
                questions = found.questions;
            }
        }
    }
    let note = format!(
        "With the reranker, and what it has more than without, with paired 95% intervals (4,000 resamples of groups, or of \
         questions within groups where there are fewer than ten). The first ten are the same set and the rest is the same list \
         with and without it; checked on all {checked} searches."
    );
    Ok(Study {
        title: "The reranker on data that it never saw".to_owned(),
        preface: format!(
            "Encoder {encoder}. The reranker learned from {} questions ({}), in the form `{}` with {} tokens at most; the first \
             stage counts {}.",
            record.questions,
            record.trained_on.join(", "),
            record.form,
            record.max_tokens,
            record.first_stage_weight
        ),
        sections: vec![Section::table("Turns, and sessions of RealMem", note, table)],
        questions,
    })
}

struct Found {
    cells: Vec<String>,
    checked: usize,
    questions: String,
}

fn measured(
    bench: &Bench<'_>,
    benchmark: &Benchmark,
    pipeline: &Pipeline,
    reranker: &EvidenceReranker,
    observe: &Observer<'_>,
) -> Result<Found, StudyError> {
    let qrels = benchmark.qrels()?;
    let (first, _) = bench.reranked_where("first", |_| Some(pipeline), None, observe)?;
    let (second, skipped) = bench.reranked("reranked", pipeline, Reranking::new(reranker), observe)?;
    if skipped > 0 {
        let found = format!("{skipped} questions were not reranked; expected none");
        return Err(aforesaid_eval::EvalError::Scorer(found).into());
    }
    let checked = same_sets(&first, &second)?;
    let (before, after) = (evaluate(&first, &qrels, &MEASURES)?, evaluate(&second, &qrels, &MEASURES)?);
    let resampling = Resampling::of(&bench.clusters());
    let mut cells = vec![before.n().to_string()];
    for measure in &MEASURES[..2] {
        let (a, b) = (before.values(*measure).unwrap_or_default(), after.values(*measure).unwrap_or_default());
        let gain = resampling.paired(a, b)?;
        cells.push(after.mean(*measure).map(four).unwrap_or_default());
        cells.push(format!("{:+.4} [{:+.4}, {:+.4}]", gain.difference, gain.low, gain.high));
    }
    cells.push(after.mean(MEASURES[2]).map(four).unwrap_or_default());
    let systems = [(pipeline.name.clone(), &before), (format!("{} reranked", pipeline.name), &after)];
    let questions = systems_csv(benchmark, &systems, &MEASURES)?;
    Ok(Found { cells, checked, questions })
}
