//! The leg `date_match`: a query that names a date is answered by what was said then.

use crate::{
    analysis::{Analyzer, Days},
    error::StoreError,
    pipeline::{
        leg::{Column, Leg, LegInput, LegReader},
        matches::FeatureMatch,
        request::SearchContext,
    },
    types::Timestamp,
};

const DAY: i64 = 24 * 60 * 60 * 1000;

/// How well the time of each candidate fits the dates that a query names, in [0, 1]; no column where it names none.
///
/// Asked at a known moment, these are the times that it names in any way, such as last week; else the dates alone.
///
/// A session was held when its first turn was said. A candidate without a time fits no date.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DateLeg;

/// Reads `date_match`.
pub(super) const READER: LegReader = LegReader { word: "date_match", read: |call| LegReader::plain(call, DateLeg) };

impl DateLeg {
    /// Its name in pipelines and results.
    pub const NAME: &'static str = "date_match";
}

impl Leg for DateLeg {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn form(&self, _analyzer: Analyzer) -> String {
        self.name().to_owned()
    }

    fn score(&self, input: &LegInput<'_>) -> Result<Option<Box<dyn Column>>, StoreError> {
        Ok(fits(input).map(|fits| Box::new(DateColumn(fits)) as Box<dyn Column>))
    }

    fn feeds_pool(&self) -> bool {
        false
    }
}

struct DateColumn(Vec<f64>);

impl Column for DateColumn {
    fn scores(&self) -> &[f64] {
        &self.0
    }

    fn floor(&self) -> Option<f64> {
        Some(0.0)
    }

    /// In parts of a whole fit: the boost's weight is not known here.
    fn features(&self, _context: SearchContext<'_>, place: usize) -> Vec<FeatureMatch> {
        let (fit, label) = (self.0[place], "said on the date that the query names");
        vec![FeatureMatch { feature: "date_match", label, met: fit > 0.0, adds: fit, at_best: 1.0 }]
    }

    fn weakness(&self, _context: SearchContext<'_>, _place: usize, _cut: usize) -> Option<String> {
        Some("it was said on another date".to_owned())
    }
}

fn fits(input: &LegInput<'_>) -> Option<Vec<f64>> {
    let SearchContext { index, request, .. } = input.context;
    let documents = index.documents();
    let times = request.question.times.as_ref().filter(|times| !times.expressions.is_empty());
    if let Some(times) = times {
        let said_at = |unit: &u32| input.context.texts_of(unit).iter().find_map(|&text| documents.said_at(text));
        let fit = |unit: &u32| said_at(unit).and_then(|moment| times.fit(moment)).unwrap_or(0.0);
        return Some(input.units.iter().map(fit).collect());
    }
    if request.question.dates.is_empty() {
        return None;
    }
    let day = |text: u32| documents.said_at(text).map(|moment: Timestamp| moment.millis().div_euclid(DAY));
    let day_of = |unit: &u32| input.context.texts_of(unit).iter().find_map(|&text| day(text));
    let days: Vec<Option<i64>> = input.units.iter().map(day_of).collect();
    let (first, last) = (days.iter().flatten().min()?, days.iter().flatten().max()?);
    let named = Days::of(&request.question.dates, (*first, *last));
    Some(days.into_iter().map(|day| day.map_or(0.0, |day| named.fit(day))).collect())
}
