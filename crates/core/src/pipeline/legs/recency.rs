//! The leg `recency`: a message that goes on with something means it as it stood last.

use std::collections::HashMap;

use crate::{
    analysis::{Analyzer, SpeakerName},
    error::StoreError,
    pipeline::{
        leg::{Column, Leg, LegInput, LegReader},
        matches::FeatureMatch,
        request::SearchContext,
    },
    types::Timestamp,
};

/// How recent each candidate is, in [0, 1]; no column where the query goes on with nothing, no assistant speaks, or fewer than two
/// sessions have a time.
///
/// That is `e^(-n/30)` for one after which `n` sessions began, as much as the query is likely to go on with something; 0 for one without a
/// time. A session was held when its first turn was said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RecencyLeg;

/// Reads `recency`.
pub(super) const READER: LegReader =
    LegReader { word: RecencyLeg::NAME, read: |call| LegReader::plain(call, RecencyLeg) };

/// After so many sessions it is less recent by a factor of e.
const SESSIONS: f64 = 30.0;

impl RecencyLeg {
    /// Its name in pipelines and results.
    pub const NAME: &'static str = "recency";
}

impl Leg for RecencyLeg {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn form(&self, _analyzer: Analyzer) -> String {
        self.name().to_owned()
    }

    fn score(&self, input: &LegInput<'_>) -> Result<Option<Box<dyn Column>>, StoreError> {
        Ok(scores(input).map(|scores| Box::new(RecencyColumn(scores)) as Box<dyn Column>))
    }

    /// That something was said of late is no reason to show it.
    fn feeds_pool(&self) -> bool {
        false
    }
}

struct RecencyColumn(Vec<f64>);

impl Column for RecencyColumn {
    fn scores(&self) -> &[f64] {
        &self.0
    }

    fn floor(&self) -> Option<f64> {
        Some(0.0)
    }

    /// In parts of the newest: the boost's weight is not known here.
    fn features(&self, _context: SearchContext<'_>, place: usize) -> Vec<FeatureMatch> {
        let (has, label) = (self.0[place], "the message goes on with something, and this is recent");
        vec![FeatureMatch { feature: "recency", label, met: has > 0.0, adds: has, at_best: 1.0 }]
    }

    fn weakness(&self, _context: SearchContext<'_>, _place: usize, _cut: usize) -> Option<String> {
        Some("more sessions were held since".to_owned())
    }
}

fn scores(input: &LegInput<'_>) -> Option<Vec<f64>> {
    let context = input.context;
    let likely = context.request.question.continues;
    if likely <= 0.0 || !context.index.documents().speakers().iter().any(SpeakerName::is_assistant) {
        return None;
    }
    let starts = session_starts(context);
    if starts.len() < 2 {
        return None;
    }
    let score = |unit: &u32| {
        let Some(moment) = moment_of(context, unit) else { return 0.0 };
        let since = starts.len() - starts.partition_point(|&start| start <= moment);
        likely * (-(since as f64) / SESSIONS).exp()
    };
    Some(input.units.iter().map(score).collect())
}

/// When the sessions that may be found began, in milliseconds, ascending.
fn session_starts(context: SearchContext<'_>) -> Vec<i64> {
    let documents = context.index.documents();
    let mut first: HashMap<u32, i64> = HashMap::new();
    for unit in context.units() {
        let session = context.texts_of(unit).first().and_then(|&text| documents.session_of(text));
        if let (Some(session), Some(moment)) = (session, moment_of(context, unit)) {
            first.entry(session).and_modify(|first| *first = moment.min(*first)).or_insert(moment);
        }
    }
    let mut starts: Vec<i64> = first.into_values().collect();
    starts.sort_unstable();
    starts
}

/// When a candidate was said, in milliseconds.
fn moment_of(context: SearchContext<'_>, unit: &u32) -> Option<i64> {
    let said_at = |&text: &u32| context.index.documents().said_at(text);
    context.texts_of(unit).iter().find_map(said_at).map(Timestamp::millis)
}
