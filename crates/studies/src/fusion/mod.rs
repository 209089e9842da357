//! The fusion study (Lysenstøen 2026, *Training-Free Lexical-Dense Fusion for Conversational-Memory
//! Retrieval*): its Tables 1 to 10 and Figures 1 to 3 for one encoder.

mod charts;
mod findings;
mod sweep;
mod tables;

use std::path::Path;

use aforesaid::{formats::Captions, types::Granularity};

use self::{findings::Findings, sweep::Stage};
use super::Study;
use crate::{StudyError, encoder_of};
use aforesaid_eval::{
    datasets::DataSet,
    experiments::{Bench, Observer},
    recipe::Equipment,
};

/// What the study is run on.
#[derive(Debug, Clone, Copy)]
pub struct FusionStudy<'a> {
    /// LoCoMo.
    pub locomo: &'a Path,
    /// LongMemEval-S in the official format, where it is at hand (Table 8).
    pub longmemeval: Option<&'a Path>,
}

/// Runs the whole study.
///
/// # Errors
/// When the data cannot be read, there is no encoder, or a search fails.
pub fn fusion_study(
    study: &FusionStudy<'_>,
    equipment: &Equipment,
    observe: &Observer<'_>,
) -> Result<Study, StudyError> {
    let encoder = encoder_of("the fusion study", equipment)?;
    let data = DataSet::Locomo.fingerprint(study.locomo)?;
    let benchmark = DataSet::Locomo.load(study.locomo, Granularity::Session)?;
    // The study indexes `speaker: text`, without image captions.
    let bench = Bench::new(&benchmark, &equipment.setup(Captions::Drop), observe)?;
    let findings = Findings::gather(&Stage {
        qrels: bench.benchmark().qrels()?,
        clusters: bench.clusters(),
        bench: &bench,
        observe,
    })?;
    drop(bench);
    let shipped = tables::shipped(&benchmark, equipment, observe)?;
    let boundary = match study.longmemeval {
        Some(path) => tables::longmemeval(path, equipment, observe)?,
        None => tables::no_longmemeval(),
    };
    Ok(Study {
        title: "Lexical-dense fusion on LoCoMo sessions".to_owned(),
        preface: format!(
            "{} questions in {} conversations; candidates: all sessions of the conversation; encoder {encoder}; data \
             sha256 {data}. Intervals resample whole conversations (4,000 times, 95%), p is one-sided. Weights are \
             chosen by Hit@1 on the nine other conversations, from 0 to 1 by 0.05.",
            benchmark.questions().count(),
            benchmark.groups.len(),
        ),
        questions: findings.questions_csv(&benchmark)?,
        sections: [
            tables::of_study(&findings, &benchmark, &encoder)?,
            vec![boundary, shipped],
            charts::of_study(&findings, &benchmark)?,
        ]
        .into_iter()
        .flatten()
        .collect(),
    })
}
