//! What the ranker that ships goes by.

use std::path::Path;

use aforesaid::{
    Pipeline,
    pipeline::candidate::{CandidateRanker, FEATURE_COUNT, FEATURES},
};

use crate::{Section, StudyError, place_of};
use aforesaid_eval::{
    datasets::DataSet,
    experiments::Observer,
    learning::{Source, Variant},
    recipe::Equipment,
    reports::Table,
};

/// Candidates of a question whose scores are taken apart: those that may come into the first ten.
const LOOKED_AT: usize = 20;
/// Features that are listed.
const LISTED: usize = 25;

pub(super) fn section(
    folder: &Path,
    ranker: &CandidateRanker,
    equipment: &Equipment,
    observe: &Observer<'_>,
) -> Result<Section, StudyError> {
    let dataset = DataSet::Locomo;
    let path = place_of(dataset, folder);
    if !path.is_dir() {
        return Ok(Section::note("What it goes by", "LoCoMo is not there."));
    }
    let source = Source { dataset, path, variant: Variant::Labelled, encoder: None };
    let examples = source.examples(&Pipeline::hybrid(), equipment, 0, observe)?;
    let mut sums = vec![0.0; FEATURE_COUNT];
    let mut rows = 0.0;
    for row in examples.iter().flat_map(|example| example.rows().take(LOOKED_AT)) {
        ranker.shares(row).features.iter().for_each(|(feature, adds)| sums[*feature] += adds.abs());
        rows += 1.0;
    }
    let mut order: Vec<usize> = (0..FEATURE_COUNT).collect();
    order.sort_by(|&a, &b| sums[b].total_cmp(&sums[a]));
    let mut table = Table::new(["feature", "mean change", "what it is"]);
    for feature in order.into_iter().take(LISTED) {
        let of = FEATURES[feature];
        table.push([of.name.to_owned(), format!("{:.4}", sums[feature] / rows), of.doc.to_owned()]);
    }
    let note = format!(
        "Mean size of what each feature adds to the score of one of the first {LOOKED_AT} turns of a LoCoMo question, the sum \
         over the ways through all trees; in standard deviations of the first stage's scores. The first {LISTED} features."
    );
    Ok(Section::table("What it goes by", note, table))
}
