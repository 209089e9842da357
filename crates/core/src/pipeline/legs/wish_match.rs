//! The leg `wish_match`: a request to an assistant is answered by what people said of how they want things.

use crate::{
    analysis::{Analyzer, SpeakerName},
    error::StoreError,
    pipeline::{
        leg::{Column, Leg, LegInput, LegReader},
        matches::FeatureMatch,
        request::SearchContext,
    },
    types::Granularity,
};

/// How much each turn has of what a request must heed, in [0, 1]; no column for sessions, where no assistant speaks, or where nothing
/// new is asked for.
///
/// Half of it is that a person said it, or nobody did, as in a note; the other half is that it says how somebody wants things to be
/// ([`Form::states_a_wish`](crate::analysis::Form::states_a_wish)). Both count as much as the query is likely to be a request
/// that does not go on with something, which is answered by where that matter stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WishLeg;

/// Reads `wish_match`.
pub(super) const READER: LegReader = LegReader { word: "wish_match", read: |call| LegReader::plain(call, WishLeg) };

impl WishLeg {
    /// Its name in pipelines and results.
    pub const NAME: &'static str = "wish_match";
}

impl Leg for WishLeg {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn form(&self, _analyzer: Analyzer) -> String {
        self.name().to_owned()
    }

    fn score(&self, input: &LegInput<'_>) -> Result<Option<Box<dyn Column>>, StoreError> {
        Ok(scores(input).map(|scores| Box::new(WishColumn(scores)) as Box<dyn Column>))
    }

    /// That somebody once said what they want is no reason to show it.
    fn feeds_pool(&self) -> bool {
        false
    }
}

struct WishColumn(Vec<f64>);

impl Column for WishColumn {
    fn scores(&self) -> &[f64] {
        &self.0
    }

    fn floor(&self) -> Option<f64> {
        Some(0.0)
    }

    /// In parts of a whole wish: the boost's weight is not known here.
    fn features(&self, _context: SearchContext<'_>, place: usize) -> Vec<FeatureMatch> {
        let (has, label) = (self.0[place], "a request is asked, and a person said it, or how they want things");
        vec![FeatureMatch { feature: "wish_match", label, met: has > 0.0, adds: has, at_best: 1.0 }]
    }

    fn weakness(&self, _context: SearchContext<'_>, _place: usize, _cut: usize) -> Option<String> {
        Some("it says less of how somebody wants things".to_owned())
    }
}

fn scores(input: &LegInput<'_>) -> Option<Vec<f64>> {
    let SearchContext { index, request, .. } = input.context;
    let documents = index.documents();
    let likely = request.question.request * (1.0 - request.question.continues);
    let speakers = documents.speakers();
    let is_asked = likely > 0.0 && request.unit == Granularity::Turn;
    if !is_asked || !speakers.iter().any(SpeakerName::is_assistant) {
        return None;
    }
    let is_persons: Vec<bool> = speakers.iter().map(|name| !name.is_assistant() && !name.is_tool()).collect();
    let score = |&text: &u32| {
        if documents.speaker_of(text).is_some_and(|speaker| !is_persons[speaker as usize]) {
            return 0.0;
        }
        likely * if documents.form(text).states_a_wish { 1.0 } else { 0.5 }
    };
    Some(input.units.iter().map(score).collect())
}
