//! Protocol T: turns of LoCoMo over the five conversation-level splits of the reranker papers
//! (ConvMemory v2, section 6): measures are taken on each split's test side and averaged over splits.

mod rows;
mod slices;
mod tables;

use std::path::Path;

use aforesaid::{Pipeline, formats::Captions, types::Granularity};

use self::tables::notes;
pub(crate) use self::{
    rows::{Side, SplitRows},
    slices::slice_places,
    tables::{against_first, by_slice, by_split, full},
};
use crate::{Section, Study};
use crate::{StudyError, encoder_of};
use aforesaid_eval::{
    datasets::DataSet,
    experiments::{
        Bench, Observer, System,
        tuning::{alphas, best_on},
    },
    measures::{Evaluation, Measure, evaluate},
    recipe::Equipment,
    reports::systems_csv,
};

/// Recall@10, MRR and Hit@1, the measures of the papers, and Recall@5.
pub(crate) const MEASURES: [Measure; 4] =
    [Measure::STANDARD[5], Measure::Mrr, Measure::STANDARD[0], Measure::STANDARD[4]];

const RAW: &str = "dense(max)";
const SYSTEMS: [(&str, &str); 4] = [("raw dense", RAW), ("BM25", "bm25"), ("lexical", "lexical"), ("hybrid", "hybrid")];
const TUNED: (&str, &str) = ("dense + BM25, weight by the dev side", "zscore(loco, bm25, dense(max))");

/// A system's measures on the questions, one evaluation a split (the same one where nothing is tuned).
pub(crate) struct Measured {
    pub(crate) name: &'static str,
    pub(crate) by_split: Vec<Evaluation>,
    pub(crate) note: String,
}

/// Runs the whole study.
///
/// # Errors
/// When the data or the splits beside it cannot be read, there is no encoder, or a search fails.
pub fn turns_study(locomo: &Path, equipment: &Equipment, observe: &Observer<'_>) -> Result<Study, StudyError> {
    let encoder = encoder_of("the study of turns", equipment)?;
    let data = DataSet::Locomo.fingerprint(locomo)?;
    let benchmark = DataSet::Locomo.load(locomo, Granularity::Turn)?;
    let splits = DataSet::Locomo.splits(locomo, &benchmark)?;
    let bench = Bench::new(&benchmark, &equipment.setup(Captions::Keep), observe)?;
    let rows = SplitRows::of(&benchmark, &bench.clusters(), &splits);
    let mut systems = Vec::new();
    let mut slices = Vec::new();
    for (name, spec) in SYSTEMS {
        let system: System = spec.parse()?;
        let run = bench.run(name, |_| &system.pipeline, observe)?;
        if spec == RAW {
            slices = slice_places(&benchmark, &run);
        }
        let evaluation = evaluate(&run, &bench.benchmark().qrels()?, &MEASURES)?;
        systems.push(Measured { name, by_split: vec![evaluation; rows.splits.len()], note: String::new() });
    }
    systems.push(tuned(&bench, &rows, observe)?);
    drop(bench);
    Ok(Study {
        title: "Turns of LoCoMo over five splits".to_owned(),
        preface: format!(
            "{} questions; candidates: all turns of the conversation, image captions included; encoder {encoder}; data \
             sha256 {data}. Test rows by split: {}, together {}. Each figure is the mean over the splits of the mean \
             over a split's test questions.",
            benchmark.questions().count(),
            rows.splits
                .iter()
                .map(|split| format!("{} (seed {})", split.test.len(), split.seed))
                .collect::<Vec<_>>()
                .join(", "),
            rows.splits.iter().map(|split| split.test.len()).sum::<usize>(),
        ),
        sections: vec![
            Section::table("All test rows", notes(&systems), full(&systems, &rows)),
            Section::table("By split, MRR", "", by_split(&systems, &rows)),
            Section::table(
                "Against raw dense",
                "Paired bootstrap over the pooled test rows, keyed by split and question (4,000 resamples, 95%).",
                against_first(&systems, &rows)?,
            ),
            Section::table(
                "Slices, MRR",
                "RAW\\_TOP1\\_WRONG\\_GOLD\\_IN\\_POOL: raw dense puts a wrong turn first and has gold in its first 500. \
                 RAW\\_RESCUABLE\\_STALE\\_TOP1: besides, that turn is older than gold of the same speaker. \
                 T\\_SUP\\_auto: the question asks for a latest state by its words, or its gold spans sessions; set by \
                 rule.",
                by_slice(&systems, &rows, &slices),
            ),
        ],
        questions: {
            let fixed = systems.iter().filter(|system| system.name != TUNED.0);
            let rows = fixed.filter_map(|system| Some((system.name.to_owned(), system.by_split.first()?)));
            systems_csv(&benchmark, &rows.collect::<Vec<_>>(), &MEASURES)?
        },
    })
}

fn tuned(bench: &Bench<'_>, rows: &SplitRows, observe: &Observer<'_>) -> Result<Measured, StudyError> {
    let system: System = TUNED.1.parse()?;
    let presets = system.along_first()?;
    let qrels = bench.benchmark().qrels()?;
    let evaluate_one =
        |pipeline: &Pipeline| Ok(evaluate(&bench.run(TUNED.0, |_| pipeline, observe)?, &qrels, &MEASURES)?);
    let candidates = presets.iter().map(evaluate_one).collect::<Result<Vec<Evaluation>, StudyError>>()?;
    let chosen: Vec<usize> = rows
        .splits
        .iter()
        .map(|split| best_on(&candidates, &rows.clusters, &split.dev, Measure::Mrr).unwrap_or(0))
        .collect();
    let weights: Vec<f64> = alphas().collect();
    let picked: Vec<String> = chosen.iter().map(|&place| weights[place].to_string()).collect();
    Ok(Measured {
        name: TUNED.0,
        by_split: chosen.iter().map(|&place| candidates[place].clone()).collect(),
        note: format!("Weights of BM25 chosen on the dev sides by MRR: {}.", picked.join(", ")),
    })
}
