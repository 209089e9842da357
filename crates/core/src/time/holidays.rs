//! Days that move from year to year.

use jiff::civil::{Date, Weekday};

use super::{
    language::Holiday,
    stretch::{Stretch, days_after},
};

impl Holiday {
    /// Its days in a year; of the turn of the year, those with which the year ends.
    pub(super) fn days(self, year: i16) -> Option<Stretch> {
        match self {
            Holiday::Fixed(month, first, last) => {
                Stretch::days(Date::new(year, month, first).ok()?, Date::new(year, month, last).ok()?)
            }
            Holiday::Span((month, day), (last_month, last_day)) => {
                let last_year = if (last_month, last_day) < (month, day) { year.checked_add(1)? } else { year };
                Stretch::days(Date::new(year, month, day).ok()?, Date::new(last_year, last_month, last_day).ok()?)
            }
            Holiday::NewYear => {
                let eve = Date::new(year, 12, 31).ok()?;
                Stretch::days(eve, eve.tomorrow().ok()?)
            }
            Holiday::FromEaster(first, last) => days_from(easter(year)?, first, last),
            Holiday::Nth(month, weekday, which) => {
                let weekday = Weekday::from_monday_zero_offset(weekday).ok()?;
                let day = Date::new(year, month, 1).ok()?.nth_weekday_of_month(which, weekday).ok()?;
                Stretch::days(day, day)
            }
            Holiday::Of(days, first, last) => {
                let (_, month, day) = days.iter().find(|(of, ..)| *of == year)?;
                days_from(Date::new(year, *month, *day).ok()?, first, last)
            }
        }
    }
}

fn days_from(day: Date, first: i64, last: i64) -> Option<Stretch> {
    Stretch::days(days_after(day, first)?, days_after(day, last)?)
}

/// Easter Sunday of the Gregorian calendar (Meeus, Jones and Butcher).
fn easter(year: i16) -> Option<Date> {
    let year_number = i32::from(year);
    let (a, b, c) = (year_number.rem_euclid(19), year_number.div_euclid(100), year_number.rem_euclid(100));
    let (d, e) = (b.div_euclid(4), b.rem_euclid(4));
    let g = (8 * b + 13).div_euclid(25);
    let h = (19 * a + b - d - g + 15).rem_euclid(30);
    let (i, k) = (c.div_euclid(4), c.rem_euclid(4));
    let l = (32 + 2 * e + 2 * i - h - k).rem_euclid(7);
    let m = (a + 11 * h + 22 * l).div_euclid(451);
    let sum = h + l - 7 * m + 114;
    Date::new(year, i8::try_from(sum / 31).ok()?, i8::try_from(sum % 31 + 1).ok()?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn easter_is_where_almanacs_have_it() {
        for (year, expected) in [(1961, "1961-04-02"), (2000, "2000-04-23"), (2024, "2024-03-31"), (2038, "2038-04-25")]
        {
            assert_eq!(easter(year).unwrap().to_string(), expected);
        }
    }

    #[test]
    fn every_year_has_its_easter() {
        for year in -9999..=9999 {
            assert!(easter(year).is_some(), "{year}");
        }
    }
}
