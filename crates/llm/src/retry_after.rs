//! The `Retry-After` header: seconds, or a date.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

const MONTHS: [&str; 12] = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/// How long to wait from `now`; a date that has passed is no wait; `None` for what is neither number nor date.
pub(crate) fn retry_after(value: &str, now: SystemTime) -> Option<Duration> {
    let value = value.trim();
    match value.parse::<f64>() {
        Ok(seconds) => Duration::try_from_secs_f64(seconds).ok(),
        Err(_) => Some(http_date(value)?.duration_since(now).unwrap_or_default()),
    }
}

/// A date in one of the three formats of RFC 9110, section 5.6.7.
fn http_date(text: &str) -> Option<SystemTime> {
    let parts: Vec<&str> = text.split([' ', ',', '-']).filter(|part| !part.is_empty()).collect();
    let (day, month, year, time) = match parts[..] {
        // Sun, 06 Nov 1994 08:49:37 GMT, and Sunday, 06-Nov-94 08:49:37 GMT
        [_, day, month, year, time, "GMT"] => (day, month, year, time),
        // Sun Nov  6 08:49:37 1994
        [_, month, day, time, year] => (day, month, year, time),
        _ => return None,
    };
    let number = |text: &str, most: i64| text.parse::<u16>().ok().map(i64::from).filter(|&n| n <= most);
    let year = match (number(year, 9999)?, year.len()) {
        (short @ 0..70, 2) => 2000 + short,
        (short, 2) => 1900 + short,
        (long, _) => long,
    };
    let month = MONTHS.iter().position(|name| *name == month)? as i64 + 1;
    let mut clock = time.splitn(3, ':');
    let (hour, minute, second) = (number(clock.next()?, 23)?, number(clock.next()?, 59)?, number(clock.next()?, 60)?);
    let seconds = (days(year, month, number(day, 31)?) * 24 + hour) * 3600 + minute * 60 + second;
    UNIX_EPOCH.checked_add(Duration::from_secs(u64::try_from(seconds).ok()?))
}

/// Days from 1970-01-01 in the Gregorian calendar, counted in years that begin in March, so that the leap day is the last.
fn days(year: i64, month: i64, day: i64) -> i64 {
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let leap_days = year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400);
    365 * year + leap_days + (153 * month + 2) / 5 + day - 1 - 719_468
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn at(seconds: u64) -> SystemTime {
        UNIX_EPOCH + Duration::from_secs(seconds)
    }

    #[test]
    fn seconds_and_the_three_formats_of_a_date() {
        // 1994-11-06T08:49:37Z, the date of RFC 9110, is 784111777.
        let now = at(784_111_777 - 90);
        for (value, expected) in [
            ("120", Some(120.0)),
            (" 1.5 ", Some(1.5)),
            ("0", Some(0.0)),
            ("Sun, 06 Nov 1994 08:49:37 GMT", Some(90.0)),
            ("Sunday, 06-Nov-94 08:49:37 GMT", Some(90.0)),
            ("Sun Nov  6 08:49:37 1994", Some(90.0)),
            ("Sun, 06 Nov 1994 08:00:00 GMT", Some(0.0)),
            ("-1", None),
            ("inf", None),
            ("NaN", None),
            ("1e300", None),
            ("soon", None),
            ("", None),
            ("Sun, 06 Nov 1994 28:49:37 GMT", None),
            ("Sun, 06 Nov 1994 08:49 GMT", None),
            ("Sun, 06 Now 1994 08:49:37 GMT", None),
            ("Sun, 06 Nov 1994 08:49:37 CET", None),
            ("Thu, 01 Jan 1900 00:00:00 GMT", None),
        ] {
            assert_eq!(retry_after(value, now).map(|wait| wait.as_secs_f64()), expected, "{value:?}");
        }
    }

    #[test]
    fn leap_years_follow_the_gregorian_rule() {
        assert_eq!(days(1970, 1, 1), 0);
        assert_eq!(days(2000, 3, 1) - days(2000, 2, 28), 2);
        assert_eq!(days(1900, 3, 1) - days(1900, 2, 28), 1);
        assert_eq!(days(2024, 12, 31), 20_088);
    }

    proptest! {
        #[test]
        fn nothing_makes_it_panic(value in "\\PC*", numbers in prop::collection::vec(any::<i64>(), 6)) {
            let now = at(1_000_000_000);
            retry_after(&value, now);
            let [d, y, h, m, s, _] = numbers[..] else { unreachable!() };
            retry_after(&format!("Sun, {d} Nov {y} {h}:{m}:{s} GMT"), now);
        }
    }
}
