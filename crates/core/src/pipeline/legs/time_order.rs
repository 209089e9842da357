//! The leg `time_order`: of those that speak of the same matter, a query may ask for the newest or the oldest.

use crate::{
    analysis::Analyzer,
    error::StoreError,
    pipeline::{
        leg::{Column, Leg, LegInput, LegReader},
        request::SearchContext,
    },
    time::Order,
    types::Timestamp,
};

/// Where each candidate stands in time, from 0 for one without a time to 1 for the newest, or for the oldest where that is
/// asked for; no column where neither is.
///
/// A session was held when its first turn was said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TimeOrderLeg;

/// Reads `time_order`.
pub(super) const READER: LegReader =
    LegReader { word: TimeOrderLeg::NAME, read: |call| LegReader::plain(call, TimeOrderLeg) };

impl TimeOrderLeg {
    /// Its name in pipelines and results.
    pub const NAME: &'static str = "time_order";
}

impl Leg for TimeOrderLeg {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn form(&self, _analyzer: Analyzer) -> String {
        self.name().to_owned()
    }

    fn score(&self, input: &LegInput<'_>) -> Result<Option<Box<dyn Column>>, StoreError> {
        let times = input.context.request.question.times.as_ref();
        let Some(order) = times.and_then(|times| times.order) else { return Ok(None) };
        Ok(places(input, order).map(|scores| Box::new(InTime { scores, order }) as Box<dyn Column>))
    }

    fn feeds_pool(&self) -> bool {
        false
    }
}

struct InTime {
    scores: Vec<f64>,
    order: Order,
}

impl Column for InTime {
    fn scores(&self) -> &[f64] {
        &self.scores
    }

    fn floor(&self) -> Option<f64> {
        Some(0.0)
    }

    fn weakness(&self, _context: SearchContext<'_>, _place: usize, _cut: usize) -> Option<String> {
        Some(match self.order {
            Order::Current | Order::Newest => "newer ones speak of the same".to_owned(),
            Order::Oldest => "older ones speak of the same".to_owned(),
        })
    }
}

fn places(input: &LegInput<'_>, order: Order) -> Option<Vec<f64>> {
    let moment = |unit: &u32| -> Option<i64> {
        let mut texts = input.context.texts_of(unit).iter();
        let said_at = texts.find_map(|&text| input.context.index.documents().said_at(text));
        said_at.map(Timestamp::millis)
    };
    let moments: Vec<Option<i64>> = input.units.iter().map(moment).collect();
    let mut known: Vec<i64> = moments.iter().copied().flatten().collect();
    known.sort_unstable();
    known.dedup();
    if known.len() < 2 {
        return None;
    }
    let count = known.len();
    let place = |moment: i64| {
        let before = known.partition_point(|&other| other < moment);
        let place = if order.is_newest_first() { before + 1 } else { count - before };
        place as f64 / count as f64
    };
    Some(moments.into_iter().map(|moment| moment.map_or(0.0, place)).collect())
}
