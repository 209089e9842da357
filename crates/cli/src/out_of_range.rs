//! What of a date in digits is out of range: its form is right, so that an example of the form helps nobody.

use jiff::civil::Date;

/// The parts of a date, and of a time of day after it, that no calendar or clock has; `None` where all are in range, or the text
/// has another form.
pub(crate) fn out_of_range(text: &str) -> Option<String> {
    let (date, time) = match text.trim().split_once(['T', 't', ' ']) {
        Some((date, time)) => (date, Some(time)),
        None => (text.trim(), None),
    };
    let date: Vec<i16> = date.split('-').map(number).collect::<Option<_>>()?;
    let (year, month, day) = match *date.as_slice() {
        [year, month] => (year, month, None),
        [year, month, day] => (year, month, Some(day)),
        _ => return None,
    };
    let begins = i8::try_from(month).ok().and_then(|month| Date::new(year, month, 1).ok());
    let days = begins.map_or(31, |begins| i16::from(begins.days_in_month()));
    let of_month = begins.map(|begins| begins.strftime(" in %Y-%m").to_string()).unwrap_or_default();
    let day = day.map(|day| ("day", day, 1, days, of_month.as_str()));
    let clock = [("hour", 23), ("minute", 59), ("second", 59)].into_iter().zip(time.into_iter().flat_map(clock_parts));
    let clock = clock.map(|((what, most), found)| (what, found, 0, most, ""));
    let parts = [("month", month, 1, 12, "")].into_iter().chain(day).chain(clock);
    let wrong = parts.filter(|(_, found, least, most, _)| !(least..=most).contains(&found));
    let wrong: Vec<String> =
        wrong.map(|(what, found, least, most, of)| format!("{what} {found}{of}, expected {least} to {most}")).collect();
    (!wrong.is_empty()).then(|| format!("found {}", wrong.join("; found ")))
}

/// The numbers of a time of day; what follows the seconds is left out.
fn clock_parts(time: &str) -> Vec<i16> {
    let end = time.find(|c: char| !c.is_ascii_digit() && c != ':').unwrap_or(time.len());
    time[..end].split(':').map_while(number).collect()
}

fn number(digits: &str) -> Option<i16> {
    let is_number = (1..=4).contains(&digits.len()) && digits.bytes().all(|digit| digit.is_ascii_digit());
    is_number.then(|| digits.parse().ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_no_calendar_has_is_named() {
        let found = |text: &str| out_of_range(text).unwrap_or_default();
        assert_eq!(found("2026-13-45"), "found month 13, expected 1 to 12; found day 45, expected 1 to 31");
        assert_eq!(found("2023-02-29"), "found day 29 in 2023-02, expected 1 to 28");
        assert_eq!(found("2024-02-29"), "");
        assert_eq!(found("2024-00"), "found month 0, expected 1 to 12");
        assert_eq!(found("2024-01-02T25:61:00Z"), "found hour 25, expected 0 to 23; found minute 61, expected 0 to 59");
        for text in ["someday", "2024", "2024-1-", "a-b-c", "2024-01-02-03", "99999-13-01", "", "T"] {
            assert_eq!(out_of_range(text), None, "{text}");
        }
    }
}
