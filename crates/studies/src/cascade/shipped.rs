//! The ranker that ships on each data set with gold for turns.

use std::path::Path;

use aforesaid::{Pipeline, formats::Captions, pipeline::candidate::CandidateRanker, types::Granularity};

use crate::{Section, StudyError, place_of};
use aforesaid_eval::{
    datasets::DataSet,
    experiments::{Bench, Observer},
    learning::with_cues,
    measures::{Measure, evaluate},
    recipe::{Equipment, Recording},
    reports::{Table, four},
    statistics::Resampling,
};

const MEASURES: [Measure; 3] = [Measure::STANDARD[5], Measure::Mrr, Measure::STANDARD[0]];

/// Data sets, and whether cue questions are indexed.
const DATA: [(DataSet, bool); 6] = [
    (DataSet::Locomo, false),
    (DataSet::Locomo, true),
    (DataSet::Beam, false),
    (DataSet::LongMemEvalPooled, false),
    (DataSet::DialoguesDev, false),
    (DataSet::DialoguesTest, false),
];

pub(super) fn section(
    folder: &Path,
    ranker: &CandidateRanker,
    equipment: &Equipment,
    observe: &Observer<'_>,
) -> Result<Section, StudyError> {
    let mut table = Table::new(["data", "seen", "questions", "R@10", "gain", "MRR", "gain", "Hit@1", "gain"]);
    for (dataset, cued) in DATA {
        let path = place_of(dataset, folder);
        if !path.is_dir() {
            continue;
        }
        let benchmark = dataset.load(&path, Granularity::Turn)?;
        let mut setup = equipment.setup(Captions::Keep);
        if cued {
            setup = with_cues(setup, Recording::default().read(dataset, &path)?, &Pipeline::hybrid());
        }
        let bench = Bench::new(&benchmark, &setup, observe)?;
        let qrels = benchmark.qrels()?;
        let measured = |pipeline: &Pipeline| -> Result<_, StudyError> {
            Ok(evaluate(&bench.run(&pipeline.name, |_| pipeline, observe)?, &qrels, &MEASURES)?)
        };
        let (before, after) = (measured(&Pipeline::hybrid())?, measured(&Pipeline::learned())?);
        let resampling = Resampling::of(&bench.clusters());
        let name = if cued { format!("{dataset} with cue questions") } else { dataset.to_string() };
        let seen = ranker.record.trained_on.iter().any(|on| on.contains(dataset.name()));
        let mut row = vec![name, if seen { "yes" } else { "no" }.to_owned(), before.n().to_string()];
        for measure in MEASURES {
            let (a, b) = (before.values(measure).unwrap_or_default(), after.values(measure).unwrap_or_default());
            let gain = resampling.paired(a, b)?;
            row.push(after.mean(measure).map(four).unwrap_or_default());
            row.push(format!("{:+.4} [{:+.4}, {:+.4}]", gain.difference, gain.low, gain.high));
        }
        table.push(row);
    }
    let note = "Pipeline `learned` and what it has more than `hybrid`, by its query adapter and its ranker, with paired 95% \
                intervals (4,000 resamples of groups, or of questions within groups where there are fewer than ten). Of data \
                that the ranker has seen, a gain says little.";
    Ok(Section::table("The ranker that ships", note, table))
}
