//! The moment and the place of the one who asks, and times as they are shown there.

use std::sync::OnceLock;

use aforesaid::{
    time::{Clock, TimeRange},
    types::{Timestamp, Zone},
};
use jiff::tz::TimeZone;

use crate::{failure::Failure, out_of_range::out_of_range};

/// The zone of all times that this process prints; UTC until it is set.
static ZONE: OnceLock<Zone> = OnceLock::new();

/// Has times printed as clocks show them in a zone; the first call counts.
pub(crate) fn print_in(zone: &Zone) {
    // A second call would be of the same settings.
    let _ = ZONE.set(zone.clone());
}

/// The zone of this machine; UTC where it says none, as in many containers.
pub(crate) fn of_machine() -> Zone {
    TimeZone::try_system().map_or(Zone::UTC, Zone::from)
}

/// What the clock of this machine shows.
pub(crate) fn now() -> Result<Timestamp, Failure> {
    Timestamp::from_millis(jiff::Timestamp::now().as_millisecond())
        .map_err(|error| Failure::Input(format!("the clock of this machine: {error}")))
}

/// Reads the value of an option that names a time.
pub(crate) fn read(option: &str, text: &str, clock: &Clock) -> Result<TimeRange, Failure> {
    TimeRange::read(text, clock).map_err(|error| {
        let wrong = out_of_range(text).map(|wrong| format!("{option}: time {text:?}: {wrong}; correct it"));
        Failure::Usage(wrong.unwrap_or_else(|| format!("{option}: {error}")))
    })
}

/// Whether a text is a day or a month in digits: 2023-05-08 or 2023-05.
pub(crate) fn is_date(text: &str) -> bool {
    let is_written_so = text.len() >= 7 && text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-');
    let is_day = |text: &str| text.parse::<jiff::civil::Date>().is_ok();
    is_written_so && (is_day(text) || is_day(&format!("{text}-01")))
}

/// The beginning of a time that an option names.
pub(crate) fn beginning(option: &str, text: &str, clock: &Clock) -> Result<Timestamp, Failure> {
    let open =
        || Failure::Usage(format!("{option}: {text:?} has no beginning; name a time that has one, such as 2023-05"));
    read(option, text, clock)?.from.ok_or_else(open)
}

/// The last moment of a time that an option names.
pub(crate) fn end(option: &str, text: &str, clock: &Clock) -> Result<Timestamp, Failure> {
    let open = || Failure::Usage(format!("{option}: {text:?} has no end; name a time that has one, such as 2023-05"));
    let after = read(option, text, clock)?.to.ok_or_else(open)?;
    Timestamp::from_millis(after.millis() - 1).map_err(|error| Failure::Usage(format!("{option}: {error}")))
}

/// Date and time to the minute, with the zone where that is not UTC: what people remember by.
pub(crate) fn shown(at: Timestamp) -> String {
    shown_in(ZONE.get().unwrap_or(&Zone::UTC), at)
}

fn shown_in(zone: &Zone, at: Timestamp) -> String {
    let format = if *zone == Zone::UTC { "%Y-%m-%d %H:%M" } else { "%Y-%m-%d %H:%M %Z" };
    match zone.at(at) {
        Some(zoned) => zoned.strftime(format).to_string(),
        None => at.to_string(),
    }
}

/// The date alone, as it shows.
pub(crate) fn shown_date(at: Timestamp) -> String {
    date(ZONE.get().unwrap_or(&Zone::UTC), at)
}

/// The date at a moment.
pub(crate) fn date(zone: &Zone, at: Timestamp) -> String {
    zone.at(at).map_or_else(|| at.to_string(), |zoned| zoned.date().to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_show_as_clocks_do_there() {
        let at: Timestamp = "2023-05-08T23:30:00Z".parse().unwrap();
        assert_eq!(shown_in(&Zone::UTC, at), "2023-05-08 23:30");
        // From the database that the program carries: this machine may have none.
        let berlin: Zone = "Europe/Berlin".parse().unwrap();
        assert_eq!(shown_in(&berlin, at), "2023-05-09 01:30 CEST");
        assert_eq!(shown_in(&"-03:00".parse().unwrap(), at), "2023-05-08 20:30 -03");
        assert_eq!(date(&berlin, at), "2023-05-09");
    }
}
