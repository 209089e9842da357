//! Learns the reranker from the lists of ten that the first stage gives for each question.

use aforesaid::{
    Pipeline,
    models::{
        EvidenceRecord, ModelFiles,
        training::{EvidenceList, EvidenceSettings, TrainedEvidence, train_evidence},
    },
    rerank::{CrossEncoderReranker, PairForm},
};
use aforesaid_eval::{learning::Watching, recipe::Equipment};

use super::lists::Asked;
use crate::{ShippableData, StudyError};

/// What is learned, and how.
#[derive(Debug, Clone)]
pub struct RerankerTraining<'a> {
    /// Where the questions come from.
    pub sources: ShippableData<'a>,
    /// Histories that are not learned from: by their questions the step is chosen.
    pub hold_out: &'a [String],
    /// The first stage.
    pub pipeline: &'a Pipeline,
    /// How pairs are written.
    pub form: PairForm,
    /// Most tokens of a pair.
    pub max_tokens: usize,
    /// The model to begin with.
    pub files: &'a ModelFiles,
    /// How it is learned.
    pub settings: EvidenceSettings,
}

impl RerankerTraining<'_> {
    /// Learns a reranker.
    ///
    /// # Errors
    /// When data cannot be read, a search fails, or there is nothing to learn from or to choose by.
    pub fn run(&self, equipment: &Equipment, watching: &mut Watching<'_>) -> Result<TrainedEvidence, StudyError> {
        let depth = CrossEncoderReranker::DEPTH;
        let asked = Asked { pipeline: self.pipeline, form: self.form, depth, hold_out: self.hold_out, all: false };
        let (held_out, learned): (Vec<_>, Vec<_>) = asked
            .lists_of(self.sources.kinds()?, equipment, watching.observe)?
            .into_iter()
            .partition(|list| list.held_out);
        let mut taught: Vec<(&str, usize)> = Vec::new();
        for found in learned.iter().filter(|found| found.list.teaches()) {
            match taught.last_mut().filter(|(kind, _)| *kind == found.kind) {
                Some((_, count)) => *count += 1,
                None => taught.push((&found.kind, 1)),
            }
        }
        let record = EvidenceRecord {
            base: self.files.pinned.clone(),
            form: self.form,
            max_tokens: self.max_tokens,
            first_stage_weight: 0.0,
            first_stage: self.pipeline.name.clone(),
            trained_on: taught.iter().map(|(kind, count)| format!("{count} {kind}")).collect(),
            questions: 0,
            seed: self.settings.seed,
            reads_english: true,
        };
        let [learned, held_out] =
            [learned, held_out].map(|found| found.into_iter().map(|found| found.list).collect::<Vec<EvidenceList>>());
        let lists = [learned.as_slice(), held_out.as_slice()];
        Ok(train_evidence(self.files, lists, &record, &self.settings, &mut watching.saving, watching.step)?)
    }
}
