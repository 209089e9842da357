//! A question that names a date is answered by what was said then.

use super::Candidates;
use crate::{
    analysis::{Days, Question},
    index::Index,
    types::{Timestamp, Unit},
};

const DAY: i64 = 24 * 60 * 60 * 1000;

/// How well the time of each unit fits the dates that a question names, in [0, 1]; `None` where it names none.
///
/// A session was held when its first turn was said. What has no time fits no date.
pub(super) fn fits(
    question: &Question,
    index: &Index,
    candidates: &Candidates,
    units: &[u32],
    unit: Unit,
) -> Option<Vec<f64>> {
    if question.dates.is_empty() {
        return None;
    }
    let documents = index.documents();
    let day = |text: u32| documents.said_at(text).map(|moment: Timestamp| moment.millis().div_euclid(DAY));
    let days: Vec<Option<i64>> = units
        .iter()
        .map(|&number| match unit {
            Unit::Turn => day(number),
            Unit::Session => candidates.turns_of(index, number).iter().find_map(|&text| day(text)),
        })
        .collect();
    let (first, last) = (days.iter().flatten().min()?, days.iter().flatten().max()?);
    let named = Days::of(&question.dates, (*first, *last));
    Some(days.into_iter().map(|day| day.map_or(0.0, |day| named.fit(day))).collect())
}
