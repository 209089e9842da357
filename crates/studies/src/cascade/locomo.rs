//! Protocol T: a ranker for each split, of its dev side.

use std::{path::Path, sync::Arc};

use aforesaid::{Pipeline, formats::Captions, pipeline::candidate::CandidateStage, types::Granularity};

use crate::{
    Section, StudyError,
    turns::{MEASURES, Measured, SplitRows, against_first, by_slice, by_split, full, slice_places},
};
use aforesaid_eval::{
    datasets::DataSet,
    experiments::{Bench, Observer, System},
    learning::{Boosting, CandidateTraining, Example, Trained, examples, with_cues},
    measures::evaluate,
    recipe::{Equipment, Recording},
    reports::systems_csv,
};

/// What protocol T comes to.
pub(super) struct Found {
    pub(super) sections: Vec<Section>,
    /// One row a question and system, as CSV.
    pub(super) questions: String,
}

const RAW: &str = "dense(max)";

pub(super) fn sections(
    locomo: &Path,
    cued: bool,
    equipment: &Equipment,
    observe: &Observer<'_>,
) -> Result<Found, StudyError> {
    let pipeline = Pipeline::hybrid();
    let benchmark = DataSet::Locomo.load(locomo, Granularity::Turn)?;
    let splits = DataSet::Locomo.splits(locomo, &benchmark)?;
    let mut setup = equipment.setup(Captions::Keep);
    if cued {
        setup = with_cues(setup, Recording::default().read(DataSet::Locomo, locomo)?, &pipeline);
    }
    let encoder = setup.encoder.clone();
    let bench = Bench::new(&benchmark, &setup, observe)?;
    let qrels = benchmark.qrels()?;
    let rows = SplitRows::of(&benchmark, &bench.clusters(), &splits);
    let mut systems = Vec::new();
    let mut slices = Vec::new();
    for (name, spec) in [("raw dense", RAW), ("first stage (hybrid)", "hybrid"), ("ranker that ships", "learned")] {
        let system: System = spec.parse()?;
        let run = bench.run(name, |_| &system.pipeline, observe)?;
        if spec == RAW {
            slices = slice_places(&benchmark, &run);
        }
        let evaluation = evaluate(&run, &qrels, &MEASURES)?;
        systems.push(Measured { name, by_split: vec![evaluation; rows.splits.len()], note: String::new() });
    }
    let all = examples(&bench, &pipeline, 0, observe)?;
    let mut by_dev_side = Vec::new();
    let mut notes = Vec::new();
    for split in &rows.splits {
        let dev: Vec<Example> = all.iter().filter(|example| split.dev[example.group]).cloned().collect();
        let boosting = Boosting { seed: split.seed, ..Boosting::default() };
        let training = CandidateTraining {
            sources: &[],
            pipeline: &pipeline,
            boosting,
            among_people: false,
            plain_queries: false,
        };
        let id = encoder.as_ref().map_err(|reason| aforesaid_eval::EvalError::NoEncoder {
            system: pipeline.name.clone(),
            reason: reason.clone(),
        })?;
        let name = vec![format!("locomo, dev side of split {}", split.seed)];
        let Trained { ranker, report, .. } = training.learn(&dev, id.id(), name, (equipment.threads.get(), observe))?;
        notes.push(format!("{} (seed {}, {} questions)", report.trees, split.seed, report.questions));
        let learned = pipeline.clone().with_stage(CandidateStage::Ranker(Arc::new(ranker)));
        let run = bench.run("ranker of the dev side", |_| &learned, observe)?;
        by_dev_side.push(evaluate(&run, &qrels, &MEASURES)?);
    }
    systems.push(Measured { name: "ranker of the dev side", by_split: by_dev_side, note: String::new() });
    let with = if cued { "with recorded cue questions" } else { "without cue questions" };
    let unslice = |title: &str| format!("LoCoMo turns {with}: {title}");
    let caution = match cued {
        true => {
            "A language model wrote the cue questions from the dialogue; LoCoMo is public, so that it may have known it. "
        }
        false => "",
    };
    let note = format!(
        "{caution}Each figure is the mean over the five splits of the mean over a split's test questions. Trees: {}.",
        notes.join(", ")
    );
    let questions = {
        let fixed = systems.iter().filter(|system| system.name != "ranker of the dev side");
        let rows = fixed.filter_map(|system| Some((system.name.to_owned(), system.by_split.first()?)));
        systems_csv(&benchmark, &rows.collect::<Vec<_>>(), &MEASURES)?
    };
    let sections = vec![
        Section::table(unslice("all test rows"), note, full(&systems, &rows)),
        Section::table(unslice("by split, MRR"), "", by_split(&systems, &rows)),
        Section::table(
            unslice("against the first stage"),
            "Paired bootstrap over the pooled test rows, keyed by split and question (4,000 resamples, 95%).",
            against_first(&systems[1..], &rows)?,
        ),
        Section::table(unslice("slices, MRR"), "Slices as in the study of turns.", by_slice(&systems, &rows, &slices)),
    ];
    Ok(Found { sections, questions })
}
