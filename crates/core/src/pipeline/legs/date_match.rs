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

/// A fit counts once where one candidate in twelve was said then: the logarithm of twelve, about.
const USUAL: f64 = 2.5;

/// The most that a fit counts.
const MOST: f64 = 2.0;

/// What a fit counts where nothing but a time is asked for: more than words can weigh, which are then those of the time.
const ALONE: f64 = 20.0;

/// How well the time of each candidate fits the dates that a query names, in [0, 2]; no column where it names none. In [0, 20]
/// where it asks for nothing but what was then.
///
/// Asked at a known moment, these are the times that it names in any way, such as last week; else the dates alone.
///
/// Where a question about what was tells its time from the moment of asking, a time in which little was said tells more than
/// one of half a history, and counts up to twice: the fit is multiplied by `ln(candidates / sum of fits) / 2.5`, held in
/// [1, 2]. A time that is named by its year is written in texts as it is asked for. In another question a time is often that of
/// the matter ("am I free on Tuesday?").
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
        Ok(column(input).map(|column| Box::new(column) as Box<dyn Column>))
    }
}

struct DateColumn {
    fits: Vec<f64>,
    /// What a whole fit counts.
    whole: f64,
}

impl Column for DateColumn {
    fn scores(&self) -> &[f64] {
        &self.fits
    }

    fn floor(&self) -> Option<f64> {
        Some(0.0)
    }

    /// That something was said on a day is a reason to show it where the day alone is asked for.
    fn suffices(&self, score: f64) -> bool {
        self.whole == ALONE && score > 0.0
    }

    fn enters_pool(&self, score: f64) -> bool {
        self.suffices(score)
    }

    /// In parts of a whole fit: the boost's weight is not known here.
    fn features(&self, _context: SearchContext<'_>, place: usize) -> Vec<FeatureMatch> {
        let (fit, label) = (self.fits[place], "said on the date that the query names");
        vec![FeatureMatch { feature: "date_match", label, met: fit > 0.0, adds: fit, at_best: self.whole }]
    }

    fn weakness(&self, _context: SearchContext<'_>, _place: usize, _cut: usize) -> Option<String> {
        Some("it was said on another date".to_owned())
    }
}

fn column(input: &LegInput<'_>) -> Option<DateColumn> {
    let SearchContext { index, request, .. } = input.context;
    let documents = index.documents();
    let times = request.question.times.as_ref().filter(|times| !times.expressions.is_empty());
    if let Some(times) = times {
        let said_at = |unit: &u32| input.context.texts_of(unit).iter().find_map(|&text| documents.said_at(text));
        let fit = |unit: &u32| said_at(unit).and_then(|moment| times.fit(moment)).unwrap_or(0.0);
        let mut fits: Vec<f64> = input.units.iter().map(fit).collect();
        let is_told_from_now = request.question.is_of_the_past && times.are_relative();
        let whole = match () {
            () if request.question.asks_for_a_time_alone() => ALONE,
            () if is_told_from_now => rarity(&fits),
            () => 1.0,
        };
        fits.iter_mut().for_each(|fit| *fit *= whole);
        return Some(DateColumn { fits, whole });
    }
    if request.question.dates.is_empty() {
        return None;
    }
    let day = |text: u32| documents.said_at(text).map(|moment: Timestamp| moment.millis().div_euclid(DAY));
    let day_of = |unit: &u32| input.context.texts_of(unit).iter().find_map(|&text| day(text));
    let days: Vec<Option<i64>> = input.units.iter().map(day_of).collect();
    let (first, last) = (days.iter().flatten().min()?, days.iter().flatten().max()?);
    let named = Days::of(&request.question.dates, (*first, *last));
    let fits = days.into_iter().map(|day| day.map_or(0.0, |day| named.fit(day))).collect();
    Some(DateColumn { fits, whole: 1.0 })
}

/// What a whole fit counts, by how few candidates fit.
fn rarity(fits: &[f64]) -> f64 {
    let fitting: f64 = fits.iter().sum::<f64>().max(1.0);
    ((fits.len().max(1) as f64 / fitting).ln() / USUAL).clamp(1.0, MOST)
}

#[cfg(test)]
mod tests {
    use super::rarity;

    #[test]
    fn a_rare_time_counts_more() {
        let of = |fitting: usize, all: usize| {
            let mut fits = vec![0.0; all];
            fits[..fitting].fill(1.0);
            rarity(&fits)
        };
        assert_eq!((of(600, 1000), of(0, 5), rarity(&[])), (1.0, 1.0, 1.0));
        assert_eq!((of(1, 1_000_000), of(0, 1_000_000)), (2.0, 2.0));
        assert!((of(10, 1000) - 100f64.ln() / 2.5).abs() < 1e-12);
    }
}
