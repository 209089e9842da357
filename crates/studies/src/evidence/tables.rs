//! The tables of the study.

use crate::{
    Section, StudyError,
    turns::{Measured, SplitRows, against_first, by_split, full},
};

pub(super) fn sections(
    systems: &[Measured],
    rows: &SplitRows,
    checked: usize,
    cued: bool,
) -> Result<Vec<Section>, StudyError> {
    let with = if cued { "with recorded cue questions" } else { "without cue questions" };
    let title = |part: &str| format!("LoCoMo turns {with}: {part}");
    let guarantee = format!(
        "The first ten are the same set and the rest is the same list with and without the reranker; checked on all {checked} \
         searches of test questions. The oracle puts gold of these ten first. The arms read the same candidates with damaged \
         texts, by logits alone; scalar_only weighs place, score and time, as the dev side says."
    );
    Ok(vec![
        Section::table(title("all test rows"), guarantee, full(systems, rows)),
        Section::table(title("by split, MRR"), "", by_split(systems, rows)),
        Section::table(
            title("against the candidate ranker"),
            "Paired bootstrap over the pooled test rows, keyed by split and question (4,000 resamples, 95%).",
            against_first(systems, rows)?,
        ),
    ])
}
