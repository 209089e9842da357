//! The leg `cue_dense`: the cosine of a candidate's best cue question (ROXY, section 3.2).

use crate::{
    analysis::Analyzer,
    error::StoreError,
    pipeline::{
        best_rows::{Best, fill},
        leg::{Column, Leg, LegInput, LegReader},
        request::SearchContext,
        vectors::VectorUse,
    },
    types::CueId,
};

/// Cosine of the best cue question; a text without any speaks by its own vector, and one without a vector is neutral.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CueDenseLeg;

/// Reads `cue_dense`.
pub(super) const READER: LegReader = LegReader { word: "cue_dense", read: |call| LegReader::plain(call, CueDenseLeg) };

impl Leg for CueDenseLeg {
    fn name(&self) -> &'static str {
        "cue_dense"
    }

    fn form(&self, _analyzer: Analyzer) -> String {
        self.name().to_owned()
    }

    fn score(&self, input: &LegInput<'_>) -> Result<Option<Box<dyn Column>>, StoreError> {
        let Some(compared) = input.shared.compared() else { return Ok(None) };
        let Some(questions) = compared.questions.clone() else { return Ok(None) };
        let SearchContext { index, candidates, request } = input.context;
        let best = Best::of(questions, index, candidates, request.unit, fill);
        Ok(Some(Box::new(CueDense(best))))
    }

    fn vectors(&self) -> Option<VectorUse<'_>> {
        Some(VectorUse { cue_questions: true, ..VectorUse::default() })
    }
}

struct CueDense(Best);

impl Column for CueDense {
    fn scores(&self) -> &[f64] {
        &self.0.units
    }

    fn turn_scores(&self, turns: &[u32]) -> Option<Vec<f64>> {
        Some(self.0.of_texts(turns))
    }

    fn best_cue(&self, context: SearchContext<'_>, texts: &[u32]) -> Option<Option<CueId>> {
        Some(self.0.cue(context.index, texts))
    }
}
