//! The best candidates that a first stage gives for questions, as a reranker learns from them.

use std::{num::NonZeroUsize, path::Path};

use aforesaid::{Pipeline, formats::Captions, models::training::EvidenceList, rerank::PairForm, types::Granularity};
use aforesaid_eval::{
    datasets::DataSet,
    experiments::{Bench, Observer},
    learning::evidence_examples,
    recipe::Equipment,
};
use serde::Serialize;

use super::histories::{Kind, with_abstentions};
use crate::{ShippableData, StudyError, place_of};

/// Questions of a kind and a history that is held out, of kinds of which not all are taken.
const MOST_HELD_OUT: usize = 12;

/// A question with its candidates, and where it comes from.
#[derive(Debug, Clone, Serialize)]
pub struct FoundList {
    /// The kind of the question.
    pub kind: String,
    /// The history that it is about.
    pub history: String,
    /// Whether its history is held out.
    pub held_out: bool,
    /// What is read.
    #[serde(flatten)]
    pub list: EvidenceList,
}

/// Which questions are asked, and how their candidates are found and written.
#[derive(Debug, Clone, Copy)]
pub struct Asked<'a> {
    /// The first stage.
    pub pipeline: &'a Pipeline,
    /// How pairs are written.
    pub form: PairForm,
    /// How many candidates a list has.
    pub depth: NonZeroUsize,
    /// Histories that are held out.
    pub hold_out: &'a [String],
    /// Every question, where otherwise some of each kind and history are taken.
    pub all: bool,
}

impl Asked<'_> {
    /// The lists of all data that a shipped model may be learned from.
    ///
    /// # Errors
    /// When data cannot be read or a search fails.
    pub fn shippable(
        &self,
        sources: ShippableData<'_>,
        equipment: &Equipment,
        observe: &Observer<'_>,
    ) -> Result<Vec<FoundList>, StudyError> {
        self.lists_of(sources.kinds()?, equipment, observe)
    }

    /// The lists of the labelled questions of a data set, by turns. All its histories count as held out.
    ///
    /// # Errors
    /// When the data cannot be read or a search fails.
    pub fn labelled(
        &self,
        dataset: DataSet,
        folder: &Path,
        equipment: &Equipment,
        observe: &Observer<'_>,
    ) -> Result<Vec<FoundList>, StudyError> {
        let benchmark = with_abstentions(&dataset.load(&place_of(dataset, folder), Granularity::Turn)?);
        let hold_out: Vec<String> = benchmark.groups.iter().map(|group| group.id.clone()).collect();
        let kind = Kind { name: "labelled questions", benchmark, most: usize::MAX };
        Asked { hold_out: &hold_out, ..*self }.lists_of(vec![kind], equipment, observe)
    }

    pub(super) fn lists_of(
        &self,
        kinds: Vec<Kind>,
        equipment: &Equipment,
        observe: &Observer<'_>,
    ) -> Result<Vec<FoundList>, StudyError> {
        let found: Result<Vec<Vec<FoundList>>, StudyError> =
            kinds.into_iter().map(|kind| self.of_kind(kind, equipment, observe)).collect();
        Ok(found?.into_iter().flatten().collect())
    }

    fn of_kind(
        &self,
        Kind { name, mut benchmark, most }: Kind,
        equipment: &Equipment,
        observe: &Observer<'_>,
    ) -> Result<Vec<FoundList>, StudyError> {
        let is_held_out = |id: &String| self.hold_out.contains(id);
        for group in &mut benchmark.groups {
            let wanted = match most {
                _ if self.all => usize::MAX,
                usize::MAX => usize::MAX,
                _ if is_held_out(&group.id) => MOST_HELD_OUT,
                most => most,
            };
            let step = group.questions.len().div_ceil(wanted).max(1);
            group.questions = std::mem::take(&mut group.questions).into_iter().step_by(step).collect();
        }
        let bench = Bench::new(&benchmark, &equipment.setup(Captions::Keep), observe)?;
        let examples = evidence_examples(&bench, |_| Some(self.pipeline), (self.form, self.depth), 0, observe)?;
        let of_history = |group: usize| &benchmark.groups[group].id;
        let found = examples.into_iter().map(|example| FoundList {
            kind: name.to_owned(),
            history: of_history(example.group).clone(),
            held_out: is_held_out(of_history(example.group)),
            list: example.list,
        });
        Ok(found.collect())
    }
}
