//! A time given as an argument: in digits, or in words.

use jiff::civil::{Date, DateTime};

use super::{clock::Clock, range::TimeRange, read::whole, stretch::Stretch};
use crate::types::Timestamp;

/// No time could be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "time {found:?}: expected a date or a moment such as 2023-05-08, 2023-05 or 2023-05-08T13:56:00Z, or words such as \
     yesterday, \"last week\", \"3 months ago\" or \"summer 2022\""
)]
pub struct InvalidTime {
    found: String,
}

impl TimeRange {
    /// Reads a time as somebody means it at the moment of `clock`: ISO 8601, or an expression that is the whole text.
    ///
    /// A moment is a range of one millisecond. A date, or a moment without a zone, is one of the clock's zone.
    ///
    /// # Errors
    /// When the text is neither.
    pub fn read(text: &str, clock: &Clock) -> Result<Self, InvalidTime> {
        let text = text.trim();
        let range = in_digits(text, clock).or_else(|| match text.eq_ignore_ascii_case("now") {
            true => instant(clock.now),
            false => whole(text, clock),
        });
        range.ok_or_else(|| InvalidTime { found: text.to_owned() })
    }
}

fn in_digits(text: &str, clock: &Clock) -> Option<TimeRange> {
    if let Ok(moment) = text.parse::<jiff::Timestamp>() {
        return instant(Timestamp::from_millis(moment.as_millisecond()).ok()?);
    }
    if text.contains(['T', 't', ':']) {
        let civil: DateTime = text.parse().ok()?;
        let moment = civil.to_zoned(clock.zone.inner().clone()).ok()?.timestamp();
        return instant(Timestamp::from_millis(moment.as_millisecond()).ok()?);
    }
    let day: Date = text.parse().ok()?;
    Stretch::days(day, day)?.range(&clock.zone)
}

fn instant(from: Timestamp) -> Option<TimeRange> {
    let to = Timestamp::from_millis(from.millis().checked_add(1)?).ok()?;
    Some(TimeRange { from: Some(from), to: Some(to), slack: 0, yearly: false })
}
