//! Learns the reranker from the lists of ten that the first stage gives for each question.

use aforesaid::{
    Pipeline,
    formats::Captions,
    models::{
        EvidenceRecord, ModelFiles,
        training::{EvidenceList, EvidenceSettings, TrainedEvidence, train_evidence},
    },
    rerank::PairForm,
};
use aforesaid_eval::{
    experiments::Bench,
    learning::{Watching, evidence_examples},
    recipe::Equipment,
};

use super::histories::Kind;
use crate::{ShippableData, StudyError};

/// Questions of a kind and a history that is held out, of kinds of which not all are taken.
const MOST_HELD_OUT: usize = 12;

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
        let (mut learned, mut held_out) = (Vec::new(), Vec::new());
        let mut trained_on = Vec::new();
        for kind in self.sources.kinds()? {
            let name = kind.name;
            let [taught, kept] = self.lists(kind, equipment, watching)?;
            trained_on.push(format!("{} {name}", taught.iter().filter(|list| list.teaches()).count()));
            learned.extend(taught);
            held_out.extend(kept);
        }
        let record = EvidenceRecord {
            base: self.files.pinned.clone(),
            form: self.form,
            max_tokens: self.max_tokens,
            first_stage_weight: 0.0,
            first_stage: self.pipeline.name.clone(),
            trained_on,
            questions: 0,
            seed: self.settings.seed,
        };
        let lists = [learned.as_slice(), held_out.as_slice()];
        Ok(train_evidence(self.files, lists, &record, &self.settings, &mut watching.saving, watching.step)?)
    }

    /// The lists that are learned from, and those of histories that are held out.
    fn lists(
        &self,
        Kind { name: _, mut benchmark, most }: Kind,
        equipment: &Equipment,
        watching: &Watching<'_>,
    ) -> Result<[Vec<EvidenceList>; 2], StudyError> {
        let is_held_out = |id: &String| self.hold_out.contains(id);
        for group in &mut benchmark.groups {
            let wanted = if is_held_out(&group.id) && most != usize::MAX { MOST_HELD_OUT } else { most };
            let step = group.questions.len().div_ceil(wanted).max(1);
            group.questions = std::mem::take(&mut group.questions).into_iter().step_by(step).collect();
        }
        let bench = Bench::new(&benchmark, &equipment.setup(Captions::Keep), watching.observe)?;
        let examples = evidence_examples(&bench, |_| Some(self.pipeline), self.form, 0, watching.observe)?;
        let (held_out, learned): (Vec<_>, Vec<_>) =
            examples.into_iter().partition(|example| is_held_out(&benchmark.groups[example.group].id));
        Ok([learned, held_out].map(|examples| examples.into_iter().map(|example| example.list).collect()))
    }
}
