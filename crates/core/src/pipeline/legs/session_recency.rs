//! The leg `session_recency`: a message that goes on with something means it as it stood last.

use std::collections::{HashMap, HashSet};

use crate::{
    analysis::{Analyzer, SpeakerName},
    error::StoreError,
    pipeline::{
        leg::{Column, Leg, LegInput, LegReader},
        matches::FeatureMatch,
        request::SearchContext,
    },
    types::{Granularity, Timestamp},
};

/// How recent the session of each candidate is, in [0, 1]; no column where the query goes on with nothing, no assistant speaks, or
/// fewer than two sessions have a time.
///
/// That is `e^(-n/30)` where `n` sessions of other candidates ended after it, multiplied by how likely the query goes on with
/// something; 0 without a time. A session ends with its last turn. A note has the time that it was made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SessionRecencyLeg;

/// Reads `session_recency`.
pub(super) const READER: LegReader =
    LegReader { word: SessionRecencyLeg::NAME, read: |call| LegReader::plain(call, SessionRecencyLeg) };

/// After so many sessions it is less recent by a factor of e.
const SESSIONS: f64 = 30.0;

impl SessionRecencyLeg {
    /// Its name in pipelines and results.
    pub const NAME: &'static str = "session_recency";
}

impl Leg for SessionRecencyLeg {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn form(&self, _analyzer: Analyzer) -> String {
        self.name().to_owned()
    }

    fn score(&self, input: &LegInput<'_>) -> Result<Option<Box<dyn Column>>, StoreError> {
        Ok(scores(input).map(|scores| Box::new(SessionRecencyColumn(scores)) as Box<dyn Column>))
    }

    /// That something was said of late is no reason to show it.
    fn feeds_pool(&self) -> bool {
        false
    }
}

struct SessionRecencyColumn(Vec<f64>);

impl Column for SessionRecencyColumn {
    fn scores(&self) -> &[f64] {
        &self.0
    }

    fn floor(&self) -> Option<f64> {
        Some(0.0)
    }

    /// In parts of the newest: the boost's weight is not known here.
    fn features(&self, _context: SearchContext<'_>, place: usize) -> Vec<FeatureMatch> {
        let (has, label) = (self.0[place], "the message goes on with something: how few sessions were held since");
        vec![FeatureMatch { feature: "session_recency", label, met: has > 0.0, adds: has, at_best: 1.0 }]
    }

    fn weakness(&self, _context: SearchContext<'_>, _place: usize, _cut: usize) -> Option<String> {
        Some("more sessions were held since, or it has no time".to_owned())
    }
}

fn scores(input: &LegInput<'_>) -> Option<Vec<f64>> {
    let context = input.context;
    let likely = context.request.question.continues;
    if likely <= 0.0 || !context.index.documents().speakers().iter().any(SpeakerName::is_assistant) {
        return None;
    }
    let sessions: HashSet<u32> = input.units.iter().filter_map(|&unit| session_of(context, unit)).collect();
    let moments: HashMap<u32, i64> =
        sessions.into_iter().filter_map(|session| Some((session, ended_at(context, session)?))).collect();
    if moments.len() < 2 {
        return None;
    }
    let mut ends: Vec<i64> = moments.values().copied().collect();
    ends.sort_unstable();
    let score = |&unit: &u32| {
        let moment = match session_of(context, unit) {
            Some(session) => moments.get(&session).copied(),
            None => context.index.documents().said_at(unit).map(Timestamp::millis),
        };
        let since = |moment| ends.len() - ends.partition_point(|&end| end <= moment);
        moment.map_or(0.0, |moment| likely * (-(since(moment) as f64) / SESSIONS).exp())
    };
    Some(input.units.iter().map(score).collect())
}

/// The session of a candidate; a note has none.
fn session_of(context: SearchContext<'_>, unit: u32) -> Option<u32> {
    match context.request.unit {
        Granularity::Turn => context.index.documents().session_of(unit),
        Granularity::Session => Some(unit),
    }
}

/// When the last turn of a session was said, in milliseconds.
fn ended_at(context: SearchContext<'_>, session: u32) -> Option<i64> {
    let said_at = |&text: &u32| context.index.documents().said_at(text);
    context.candidates.turns_of(context.index, session).iter().rev().find_map(said_at).map(Timestamp::millis)
}
