//! The candidate ranker: trained on the dev sides of LoCoMo's splits and measured on the test sides (protocol T), and the
//! ranker that ships on data sets that it never saw.

mod locomo;
mod shares;
mod shipped;

use std::path::Path;

use aforesaid::{
    Pipeline,
    pipeline::candidate::{CandidateRanker, CandidateStage},
};

use crate::{Study, StudyError, encoder_of};
use aforesaid_eval::{experiments::Observer, recipe::Equipment};

/// Runs the whole study over the data sets that are in `folder`.
///
/// # Errors
/// When LoCoMo or its splits cannot be read, there is no encoder, the shipped ranker cannot be used, or a search fails.
pub fn cascade_study(folder: &Path, equipment: &Equipment, observe: &Observer<'_>) -> Result<Study, StudyError> {
    let encoder = encoder_of("the study of the cascade", equipment)?;
    let mut sections = Vec::new();
    let mut questions = String::new();
    for cued in [false, true] {
        let found = locomo::sections(&folder.join("locomo"), cued, equipment, observe)?;
        sections.extend(found.sections);
        if !cued {
            questions = found.questions;
        }
    }
    let shipped = CandidateStage::shipped();
    let record = match shipped.ranker() {
        Ok(ranker) => {
            sections.push(shipped::section(folder, ranker, equipment, observe)?);
            sections.push(shares::section(folder, ranker, equipment, observe)?);
            described(ranker)
        }
        Err(misfit) => format!("The ranker that ships is not measured: {misfit}"),
    };
    Ok(Study {
        title: "The candidate ranker".to_owned(),
        preface: format!("Encoder {encoder}. First stage: `{}`. {record}", Pipeline::hybrid().name),
        sections,
        questions,
    })
}

fn described(ranker: &CandidateRanker) -> String {
    let record = &ranker.record;
    format!(
        "The ranker that ships has {} trees and {} bytes; it was trained on {} questions: {}.",
        ranker.trees().len(),
        ranker.write().len(),
        record.questions,
        record.trained_on.join(", ")
    )
}
