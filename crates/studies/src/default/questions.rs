//! One row a question: its reciprocal rank under `hybrid`, without each piece, and under each reference.

use super::{Findings, ground::Ground, pieces};
use crate::StudyError;
use aforesaid_eval::{
    measures::{Evaluation, Measure},
    reports::{csv_text, inert},
};

pub(super) struct QuestionRows(csv::Writer<Vec<u8>>);

impl QuestionRows {
    pub(super) fn new() -> Result<Self, StudyError> {
        let mut writer = csv::Writer::from_writer(Vec::new());
        writer.write_record(["measured_on", "question", "category", "system", "reciprocal_rank"])?;
        Ok(Self(writer))
    }

    pub(super) fn add(&mut self, ground: &Ground, findings: &Findings) -> Result<(), StudyError> {
        let against = &findings.against;
        let without = pieces::all().zip(&findings.ablation.without);
        let without = without.filter_map(|(piece, found)| Some((format!("without {}", piece.name), found.as_ref()?)));
        let references = against.references().map(|(name, found)| (name.to_owned(), found));
        let systems: Vec<(String, &Evaluation)> =
            [("hybrid".to_owned(), &against.default)].into_iter().chain(without).chain(references).collect();
        for (place, question) in ground.benchmark.questions().enumerate() {
            for (system, evaluation) in &systems {
                let value = evaluation.values(Measure::Mrr).and_then(|values| values.get(place));
                let value = value.map(f64::to_string).unwrap_or_default();
                let category = question.category.as_deref().unwrap_or_default();
                self.0.write_record([ground.plan.name, &inert(&question.id), &inert(category), system, &value])?;
            }
        }
        Ok(())
    }

    pub(super) fn finish(self) -> Result<String, StudyError> {
        Ok(csv_text(self.0)?)
    }
}
