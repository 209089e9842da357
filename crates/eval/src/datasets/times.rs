//! Times as the data sets write them; without a zone, so in UTC.

use aforesaid::types::{Timestamp, Zone};

const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

/// The moment that `2023/05/20 (Sat) 07:22` or `2025-12-15 (Monday)` names.
pub(super) fn with_weekday(text: &str) -> Option<Timestamp> {
    let (date, rest) = text.split_once('(')?;
    let (_, clock) = rest.split_once(')')?;
    format!("{} {}", date.trim().replace('/', "-"), clock.trim()).parse().ok()
}

/// The day that `March-15-2024` names.
pub(super) fn with_month_name(text: &str) -> Option<Timestamp> {
    let [month, day, year] = text.trim().split('-').collect::<Vec<_>>()[..] else { return None };
    let month = MONTHS.iter().position(|known| known.eq_ignore_ascii_case(month))? + 1;
    format!("{year}-{month:02}-{day:0>2}").parse().ok()
}

/// The moment of asking in ISO 8601, and the zone of its offset; UTC where it has none.
pub(crate) fn asked_at(text: &str) -> Option<(Timestamp, Zone)> {
    let clock = text.find('T').and_then(|place| text.get(place..));
    let offset = clock.and_then(|clock| clock.get(clock.find(['+', '-', 'Z'])?..));
    Some((text.parse().ok()?, offset.and_then(|offset| offset.parse().ok()).unwrap_or(Zone::UTC)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_notation_is_read() {
        let read = |time: Option<Timestamp>| time.map(|time| time.to_string());
        assert_eq!(read(with_weekday("2023/05/20 (Sat) 07:22")).as_deref(), Some("2023-05-20T07:22:00Z"));
        assert_eq!(read(with_weekday("2025-12-15 (Monday)")).as_deref(), Some("2025-12-15T00:00:00Z"));
        assert_eq!(read(with_month_name("March-15-2024")).as_deref(), Some("2024-03-15T00:00:00Z"));
        assert_eq!(read(with_month_name("May-5-2024")).as_deref(), Some("2024-05-05T00:00:00Z"));
    }

    #[test]
    fn a_question_is_asked_in_the_zone_of_its_offset() {
        let read = |text: &str| asked_at(text).map(|(moment, zone)| (moment.to_string(), zone.to_string()));
        let at = |moment: &str, zone: &str| Some((moment.to_owned(), zone.to_owned()));
        assert_eq!(read("2024-03-15T12:30:00+02:00"), at("2024-03-15T10:30:00Z", "+02"));
        assert_eq!(read("2024-03-15T12:30:00Z"), at("2024-03-15T12:30:00Z", "UTC"));
        assert_eq!(read("2024-03-15"), at("2024-03-15T00:00:00Z", "UTC"));
        assert_eq!(read("yesterday"), None);
    }

    #[test]
    fn what_names_no_time_is_none() {
        for text in ["", "(", "2023/13/40 (Sat) 07:22", "2023/05/20 07:22", "soon (Monday)"] {
            assert_eq!(with_weekday(text), None, "{text}");
        }
        for text in ["", "March-2024", "Mars-15-2024", "February-30-2024", "March-15-2024-1"] {
            assert_eq!(with_month_name(text), None, "{text}");
        }
    }
}
