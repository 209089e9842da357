//! When something was said, as a language model reads it.

use aforesaid_core::types::{Timestamp, Zone};

/// `Monday, 8 May 2023, 13:56`, in UTC: the day of the week tells what "last Friday" means. Midnight is left out, for it
/// mostly means that only the day is known.
pub(crate) fn calendar(said_at: Timestamp) -> String {
    const DAY: i64 = 24 * 60 * 60 * 1000;
    let format = match said_at.millis().rem_euclid(DAY) {
        0 => "%A, %-d %B %Y",
        _ => "%A, %-d %B %Y, %H:%M",
    };
    match jiff::Timestamp::from_millisecond(said_at.millis()) {
        Ok(moment) => moment.strftime(format).to_string(),
        Err(_) => said_at.to_string(),
    }
}

/// The same as clocks show it in a zone, which is named where that is not UTC. Midnight in UTC is left out as there: a day that is
/// known alone is stored so.
pub(crate) fn calendar_in(zone: &Zone, said_at: Timestamp) -> String {
    const DAY: i64 = 24 * 60 * 60 * 1000;
    if *zone == Zone::UTC || said_at.millis().rem_euclid(DAY) == 0 {
        return calendar(said_at);
    }
    zone.at(said_at).map_or_else(|| calendar(said_at), |zoned| zoned.strftime("%A, %-d %B %Y, %H:%M %Z").to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_moment_shows_its_weekday() {
        let shown = |text: &str| calendar(text.parse().unwrap());
        assert_eq!(shown("2023-05-08T13:56:00Z"), "Monday, 8 May 2023, 13:56");
        assert_eq!(shown("2024-02-29"), "Thursday, 29 February 2024");
        assert_eq!(shown("1969-12-31T23:00:00Z"), "Wednesday, 31 December 1969, 23:00");
    }

    #[test]
    fn a_moment_shows_as_clocks_do_in_a_zone() {
        let shown = |zone: &str, text: &str| calendar_in(&zone.parse().unwrap(), text.parse().unwrap());
        assert_eq!(shown("Europe/Berlin", "2023-05-08T23:30:00Z"), "Tuesday, 9 May 2023, 01:30 CEST");
        assert_eq!(shown("UTC", "2023-05-08T13:56:00Z"), "Monday, 8 May 2023, 13:56");
        assert_eq!(shown("America/New_York", "2024-02-29"), "Thursday, 29 February 2024");
    }
}
