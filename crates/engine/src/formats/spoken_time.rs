//! Times as LoCoMo writes them.

use aforesaid_core::{analysis::MONTHS, types::Timestamp};
use jiff::{civil::DateTime, tz::TimeZone};

/// The moment that `1:56 pm on 8 May, 2023` names, in UTC; `None` where the text names none.
pub(super) fn read(text: &str) -> Option<Timestamp> {
    let (time, date) = text.split_once(" on ")?;
    let (hour, minute) = clock(time.trim())?;
    let (year, month, day) = calendar(date.trim())?;
    let moment = DateTime::new(year, month, day, hour, minute, 0, 0).ok()?.to_zoned(TimeZone::UTC).ok()?;
    Timestamp::from_millis(moment.timestamp().as_millisecond()).ok()
}

fn clock(text: &str) -> Option<(i8, i8)> {
    let (time, half) = text.split_once(' ')?;
    let (hour, minute) = time.split_once(':')?;
    let hour = number::<i8>(hour).filter(|hour| (1..=12).contains(hour))?;
    let minute = number(minute)?;
    match half.to_ascii_lowercase().as_str() {
        "am" => Some((hour % 12, minute)),
        "pm" => Some((hour % 12 + 12, minute)),
        _ => None,
    }
}

fn calendar(text: &str) -> Option<(i16, i8, i8)> {
    let (day_month, year) = text.split_once(',')?;
    let (day, month) = day_month.split_once(' ')?;
    let month = month.trim().to_ascii_lowercase();
    let index = MONTHS.iter().position(|known| *known == month)?;
    Some((number(year.trim())?, i8::try_from(index + 1).ok()?, number(day)?))
}

// `parse` alone would accept a sign.
fn number<T: std::str::FromStr>(digits: &str) -> Option<T> {
    digits.bytes().all(|byte| byte.is_ascii_digit()).then(|| digits.parse().ok())?
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn reads_noon_midnight_and_leap_days() {
        for (text, expected) in [
            ("1:56 pm on 8 May, 2023", "2023-05-08T13:56:00Z"),
            ("12:00 am on 1 January, 2024", "2024-01-01T00:00:00Z"),
            ("12:30 PM on 29 February, 2024", "2024-02-29T12:30:00Z"),
            ("9:05 am on 31 december, 2022", "2022-12-31T09:05:00Z"),
        ] {
            assert_eq!(read(text).map(|time| time.to_string()).as_deref(), Some(expected), "{text}");
        }
    }

    #[test]
    fn refuses_what_is_no_such_time() {
        for text in [
            "",
            "1:56 pm",
            "13:56 pm on 8 May, 2023",
            "0:10 am on 8 May, 2023",
            "1:60 pm on 8 May, 2023",
            "1:56 on 8 May, 2023",
            "1:56 pm on 30 February, 2023",
            "1:56 pm on 8 Mai, 2023",
            "1:56 pm on 8 May 2023",
            "1:56 pm on 8 May, 99999",
            "+1:56 pm on 8 May, 2023",
            "1:56 pm on -8 May, 2023",
        ] {
            assert_eq!(read(text), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused(text in "\\PC{0,12}( on )?\\PC{0,20}") {
            let _ = read(&text);
        }
    }
}
