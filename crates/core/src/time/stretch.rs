//! A stretch of the calendar, before it is a range of moments.

use jiff::{
    Span,
    civil::{Date, DateTime, Time},
};

use super::{language::Unit, range::TimeRange};
use crate::types::{Timestamp, Zone};

const HOUR: i64 = 60 * 60 * 1000;

/// Civil times of one zone: `from` belongs to it, `to` does not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Stretch {
    pub(super) from: Option<DateTime>,
    pub(super) to: Option<DateTime>,
    /// Hours beyond each end that still fit somehow.
    pub(super) slack: i64,
    pub(super) yearly: bool,
}

impl Stretch {
    /// Whole days, the last included.
    pub(super) fn days(first: Date, last: Date) -> Option<Self> {
        Some(Self::new(midnight(first), midnight(last.tomorrow().ok()?)))
    }

    pub(super) fn new(from: DateTime, to: DateTime) -> Self {
        Self { from: Some(from), to: Some(to), slack: 0, yearly: false }
    }

    pub(super) fn with_slack(self, hours: i64) -> Self {
        Self { slack: self.slack.max(hours), ..self }
    }

    /// A third of it: 0, 1 or 2. Nobody measures it, so half of the whole to each side fits somehow.
    pub(super) fn third(self, number: i64) -> Option<Self> {
        let of = self.part(number, 3)?;
        Some(of.with_slack(self.to?.duration_since(self.from?).as_hours() / 2))
    }

    /// One of `parts` equal parts of it, from 0.
    pub(super) fn part(self, number: i64, parts: i64) -> Option<Self> {
        let (from, to) = (self.from?, self.to?);
        let hours = to.duration_since(from).as_hours();
        let at = |number: i64| from.checked_add(Span::new().try_hours(hours * number / parts).ok()?).ok();
        let end = if number + 1 == parts { to } else { at(number + 1)? };
        Some(Self { from: Some(at(number)?), to: Some(end), ..self })
    }

    /// The moments it comes to; `None` where it is empty or leaves the years that a timestamp can hold.
    pub(super) fn range(self, zone: &Zone) -> Option<TimeRange> {
        let moment = |civil: DateTime| {
            let zoned = civil.to_zoned(zone.inner().clone()).ok()?;
            Timestamp::from_millis(zoned.timestamp().as_millisecond()).ok()
        };
        let ends = |civil: Option<DateTime>| match civil {
            None => Some(None),
            Some(civil) => moment(civil).map(Some),
        };
        let (from, to) = (ends(self.from)?, ends(self.to)?);
        let is_ordered = match (from, to) {
            (Some(from), Some(to)) => from < to,
            (from, to) => from.is_some() || to.is_some(),
        };
        is_ordered.then(|| TimeRange { from, to, slack: self.slack.saturating_mul(HOUR), yearly: self.yearly })
    }
}

/// Midnight at which a day begins.
pub(super) fn midnight(day: Date) -> DateTime {
    day.to_datetime(Time::midnight())
}

/// The day so many after another.
pub(super) fn days_after(day: Date, days: i64) -> Option<Date> {
    day.checked_add(span(Unit::Day, days)?).ok()
}

/// So many units as a span of the calendar.
pub(super) fn span(unit: Unit, number: i64) -> Option<Span> {
    let empty = Span::new();
    match unit {
        Unit::Minute => empty.try_minutes(number),
        Unit::Hour => empty.try_hours(number),
        Unit::Day => empty.try_days(number),
        Unit::Week | Unit::Weekend => empty.try_weeks(number),
        Unit::Month => empty.try_months(number),
        Unit::Quarter => empty.try_months(number.checked_mul(3)?),
        Unit::Year => empty.try_years(number),
        Unit::Decade => empty.try_years(number.checked_mul(10)?),
    }
    .ok()
}
