//! The moment at which somebody asks, and where.

use jiff::civil::{Date, DateTime};

use crate::types::{Timestamp, Zone};

/// A moment and the time zone in which days begin and end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Clock {
    /// What "now" means.
    pub now: Timestamp,
    /// Whose midnight it is.
    pub zone: Zone,
}

impl Clock {
    /// The moment as a calendar and a clock on the wall show it; `None` where the year leaves what they can show.
    pub(super) fn civil(&self) -> Option<DateTime> {
        let moment = jiff::Timestamp::from_millisecond(self.now.millis()).ok()?;
        Some(self.zone.inner().to_datetime(moment))
    }

    /// The date on that calendar.
    pub(super) fn today(&self) -> Option<Date> {
        Some(self.civil()?.date())
    }
}
