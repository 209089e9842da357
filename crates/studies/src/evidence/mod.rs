//! The evidence reranker on the ten candidates that each split's candidate ranker puts first (protocol T), beside the
//! ceiling of their order and the arms without their texts.

mod arms;
mod scalar;
mod split;
mod tables;

use std::path::Path;

use aforesaid::{
    Pipeline,
    formats::Captions,
    models::{ModelFiles, Runtime, training::EvidenceSettings},
    rerank::PairForm,
    types::Granularity,
};

use self::split::SplitTraining;
pub(crate) use self::{arms::Remembering, split::same_sets};
use crate::{
    Study, StudyError, encoder_of,
    turns::{MEASURES, Measured, SplitRows},
};
use aforesaid_eval::{
    datasets::DataSet,
    experiments::{Bench, Observer},
    learning::{examples, with_cues},
    measures::{Evaluation, evaluate},
    recipe::{Equipment, Recording},
    reports::systems_csv,
};

/// What the study trains, and where it keeps it.
#[derive(Debug, Clone)]
pub struct EvidenceStudy<'a> {
    /// LoCoMo's file or folder, with its splits and cue questions.
    pub locomo: &'a Path,
    /// The folder of the splits' rerankers: one that is there is measured, one that is not is trained.
    pub models: &'a Path,
    /// Seeds of the splits; all of them where there is none.
    pub splits: &'a [u64],
    /// How pairs are written.
    pub form: PairForm,
    /// Most tokens of a pair; 256 in ConvMemory v2, section 5.2.
    pub max_tokens: usize,
    /// How rerankers are learned; the seed is the split's.
    pub settings: EvidenceSettings,
    /// The model to begin with.
    pub files: &'a ModelFiles,
    /// How learned models are run.
    pub runtime: Runtime,
    /// What else is measured.
    pub scope: EvidenceScope,
}

/// What the study measures beside the cascade without cue questions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EvidenceScope {
    /// Not even the cascade: the lists of the dev sides are written, and nothing is learned.
    Lists,
    /// Nothing.
    Cascade,
    /// The arms, and the same rerankers on candidates found with recorded cue questions.
    Full,
}

/// A system's evaluations, one a split.
#[derive(Default)]
struct Collected(Vec<(&'static str, Vec<Evaluation>)>);

impl Collected {
    fn push(&mut self, name: &'static str, evaluation: Evaluation) {
        match self.0.iter_mut().find(|(known, _)| *known == name) {
            Some((_, evaluations)) => evaluations.push(evaluation),
            None => self.0.push((name, vec![evaluation])),
        }
    }

    fn measured(self) -> Vec<Measured> {
        self.0.into_iter().map(|(name, by_split)| Measured { name, by_split, note: String::new() }).collect()
    }
}

/// Runs the study.
///
/// # Errors
/// When LoCoMo or its splits cannot be read, there is no encoder, a reranker cannot be learned, read or written, or a
/// search fails.
pub fn evidence_study(
    study: &EvidenceStudy<'_>,
    equipment: &Equipment,
    observe: &Observer<'_>,
) -> Result<Study, StudyError> {
    let encoder = encoder_of("the study of the evidence reranker", equipment)?;
    let mut sections = Vec::new();
    let mut questions = String::new();
    let mut notes = Vec::new();
    let scopes: &[bool] = if study.scope == EvidenceScope::Full { &[false, true] } else { &[false] };
    for &cued in scopes {
        let pipeline = Pipeline::hybrid();
        let benchmark = DataSet::Locomo.load(study.locomo, Granularity::Turn)?;
        let splits = DataSet::Locomo.splits(study.locomo, &benchmark)?;
        let mut setup = equipment.setup(Captions::Keep);
        if cued {
            setup = with_cues(setup, Recording::default().read(DataSet::Locomo, study.locomo)?, &pipeline);
        }
        let bench = Bench::new(&benchmark, &setup, observe)?;
        let qrels = benchmark.qrels()?;
        let mut rows = SplitRows::of(&benchmark, &bench.clusters(), &splits);
        rows.splits.retain(|split| study.splits.is_empty() || study.splits.contains(&split.seed));
        let all = examples(&bench, &pipeline, 0, observe)?;
        let mut collected = Collected::default();
        let mut checked = 0;
        for side in &rows.splits {
            let training = SplitTraining { study, bench: &bench, examples: &all, side, pipeline: &pipeline };
            let found = training.run(cued, equipment, observe)?;
            notes.extend(found.note);
            checked += found.checked;
            for (name, run) in found.runs {
                collected.push(name, evaluate(&run, &qrels, &MEASURES)?);
            }
        }
        let systems = collected.measured();
        if study.scope == EvidenceScope::Lists {
            continue;
        }
        if !cued {
            let first = systems.iter().filter_map(|system| Some((system.name.to_owned(), system.by_split.first()?)));
            questions = systems_csv(&benchmark, &first.collect::<Vec<_>>(), &MEASURES)?;
        }
        sections.extend(tables::sections(&systems, &rows, checked, cued)?);
    }
    Ok(Study {
        title: "The evidence reranker".to_owned(),
        preface: format!(
            "Encoder {encoder}; reranker begun from {}. Each reranker was trained on the dev side of its split, on the ten \
             candidates of rankers that did not see the question. {}",
            study.files.pinned,
            notes.join(" ")
        ),
        sections,
        questions,
    })
}
