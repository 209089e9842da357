//! When a recording was made, by the name of its file or folder.
//!
//! Zoom writes `GMT20251014-130000_Recording.transcript.vtt`, or a folder `2025-10-14 15.00.00 Planning`; Google Meet writes
//! `Planning (2025-10-14 at 15:00 GMT+2)`, and people `2025-10-14 planning.vtt` or `planning_20251014_1500.vtt`.

use std::sync::LazyLock;

use aforesaid_core::types::{Timestamp, Zone};
use regex::{Captures, Regex};

/// A day, and the time of day where one follows it.
static MOMENT: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let day = "(?<year>[12][0-9]{3})[-_.]?(?<month>[01][0-9])[-_.]?(?<day>[0-3][0-9])";
    let clock = "(?<hour>[0-2][0-9])[:.h_-]?(?<minute>[0-5][0-9])(?:[:.m_-]?(?<second>[0-5][0-9]))?";
    Regex::new(&format!("(?:^|(?<utc>GMT)|[^0-9]){day}(?:(?: at |[ _T-]){clock})?(?:[^0-9]|$)")).ok()
});

/// When a recording began.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Recorded {
    began: Timestamp,
    has_clock: bool,
}

impl Recorded {
    /// By the name of a file, or else by that of its folder; a clock that does not say its zone is in `zone`. `None` where neither
    /// names a day.
    pub(super) fn of(file: &str, zone: &Zone) -> Option<Self> {
        file.rsplit(['/', '\\']).take(2).find_map(|name| named(name, zone))
    }

    /// The moment so many milliseconds after it began; the day, where the name has no time of day.
    pub(super) fn after(self, millis: i64) -> Option<Timestamp> {
        let millis = if self.has_clock { millis } else { 0 };
        Timestamp::from_millis(self.began.millis().checked_add(millis)?).ok()
    }
}

fn named(name: &str, zone: &Zone) -> Option<Recorded> {
    let found = MOMENT.as_ref()?.captures(name)?;
    let zone = if found.name("utc").is_some() { &Zone::UTC } else { zone };
    let numbers = |parts: [&str; 3]| parts.map(|part| number(&found, part));
    let date = numbers(["year", "month", "day"]);
    let clock = numbers(["hour", "minute", "second"]);
    let at = |clock| zone.moment_of(date, clock);
    let has_clock = found.name("hour").is_some() && at(clock).is_some();
    Some(Recorded { began: at(if has_clock { clock } else { [0; 3] })?, has_clock })
}

/// A number of a name; 0 where it is left out.
fn number(found: &Captures<'_>, part: &str) -> u32 {
    found.name(part).and_then(|digits| digits.as_str().parse().ok()).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn began(file: &str) -> Option<(String, bool)> {
        let zone = "+02:00".parse().unwrap();
        Recorded::of(file, &zone).map(|of| (of.began.to_string(), of.has_clock))
    }

    #[test]
    fn names_of_programs_and_people_are_read() {
        let at = |moment: &str| Some((moment.to_owned(), true));
        let on = |moment: &str| Some((moment.to_owned(), false));
        assert_eq!(began("GMT20251014-130000_Recording.transcript.vtt"), at("2025-10-14T13:00:00Z"));
        assert_eq!(began("zoom/2025-10-14 15.00.07 Planning/closed_caption.vtt"), at("2025-10-14T13:00:07Z"));
        assert_eq!(began("Planning (2025-10-14 at 15:00 GMT+2).vtt"), at("2025-10-14T13:00:00Z"));
        assert_eq!(began("planning_20251014_1500.srt"), at("2025-10-14T13:00:00Z"));
        assert_eq!(began(r"C:\calls\2025_10_14T15-00.srt"), at("2025-10-14T13:00:00Z"));
        assert_eq!(began("2025-10-14 planning.vtt"), on("2025-10-13T22:00:00Z"));
        assert_eq!(began("planning-2025.10.14-3.vtt"), on("2025-10-13T22:00:00Z"));
        assert_eq!(
            began("2024-01-01/2025-10-14.vtt"),
            on("2025-10-13T22:00:00Z"),
            "the file is nearer than the folder"
        );
    }

    #[test]
    fn other_numbers_are_no_days() {
        for file in
            ["planning.vtt", "2025.vtt", "12025-10-14.vtt", "2025-10-143.vtt", "2025-13-14.vtt", "2025-02-30.vtt"]
        {
            assert_eq!(began(file), None, "{file}");
        }
        assert_eq!(began("2025-10-14/a/planning.vtt"), None, "a folder further up holds other things");
        assert_eq!(began("2025-10-14 29.00 x.vtt").map(|(_, has_clock)| has_clock), Some(false));
    }

    #[test]
    fn what_is_said_later_is_later_where_the_time_of_day_is_known() {
        let after =
            |file, millis| Recorded::of(file, &Zone::UTC).and_then(|of| of.after(millis)).map(|at| at.to_string());
        assert_eq!(after("2025-10-14 15.00.vtt", 61_500).as_deref(), Some("2025-10-14T15:01:01.5Z"));
        assert_eq!(after("2025-10-14.vtt", 61_500).as_deref(), Some("2025-10-14T00:00:00Z"));
        assert_eq!(after("2025-10-14 15.00.vtt", i64::MAX), None);
    }
}
