//! The leg `reply_match`: what answers a question that is like the query speaks for the answer.

use crate::{
    analysis::Analyzer,
    error::StoreError,
    pipeline::{
        leg::{Column, Leg, LegInput, LegReader, Scores},
        request::SearchContext,
    },
    types::Granularity,
};

/// How much more the query is like the question that a turn answers than like the turn itself; turns only.
///
/// A turn answers the one before it in its session, where another speaker asks. The score is the share of that turn that
/// asks, times what its cosine is above the candidate's own, or 0. There is none between a person and an assistant:
/// the question is as often what is looked for, and both are said at length.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReplyLeg;

/// Reads `reply_match`.
pub(super) const READER: LegReader = LegReader { word: "reply_match", read: |call| LegReader::plain(call, ReplyLeg) };

impl Leg for ReplyLeg {
    fn name(&self) -> &'static str {
        "reply_match"
    }

    fn form(&self, _analyzer: Analyzer) -> String {
        self.name().to_owned()
    }

    fn score(&self, input: &LegInput<'_>) -> Result<Option<Box<dyn Column>>, StoreError> {
        Ok(replies(input).map(|scores| Box::new(Scores::new(scores, Some(0.0))) as Box<dyn Column>))
    }

    fn feeds_pool(&self) -> bool {
        false
    }
}

fn replies(input: &LegInput<'_>) -> Option<Vec<f64>> {
    let SearchContext { index, candidates, request } = input.context;
    if request.unit == Granularity::Session {
        return None;
    }
    let cosines = &input.shared.compared()?.own;
    let documents = index.documents();
    let assists = documents.said_by_assistant();
    let cosine = |text: u32| candidates.texts.binary_search(&text).ok().and_then(|place| cosines[place]);
    let reply = |&text: &u32| -> Option<f64> {
        let asked = documents.neighbour(text, -1)?;
        if assists(text) || assists(asked) {
            return None;
        }
        let share = documents.form(asked).asking();
        if share == 0.0 || documents.speaker_of(asked) == documents.speaker_of(text) {
            return None;
        }
        Some(share * (cosine(asked)? - cosine(text)?).max(0.0))
    };
    let scores: Vec<f64> = input.units.iter().map(|unit| reply(unit).unwrap_or(0.0)).collect();
    scores.iter().any(|&score| score > 0.0).then_some(scores)
}
