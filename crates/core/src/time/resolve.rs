//! From a pattern that was found to a stretch of the calendar.

use jiff::{
    Span,
    civil::{Date, ISOWeekDate, Weekday},
};

use super::{
    clock::Clock,
    language::{Amount, DayPart, Meaning, Modifier, Unit, between, exactly},
    pattern::Bound,
    stretch::{Stretch, days_after, midnight, span},
};

/// Hours of a day.
const DAY: i64 = 24;

/// How far back a day of the year is looked for: 29 February is missing for eight years at a turn of the century.
const YEARS: i16 = 8;

/// What a meaning comes to; `None` where it needs a clock and there is none, or names a day that does not exist.
pub(super) fn resolve(meaning: Meaning, bound: &Bound, clock: Option<&Clock>) -> Option<Stretch> {
    match meaning {
        Meaning::Named => named(bound, clock),
        Meaning::WeekOf => {
            let day = named(bound, clock)?.from?.date();
            let monday = monday(day)?;
            Stretch::days(monday, days_after(monday, 6)?)
        }
        Meaning::Nth => nth(bound, bound.nth?, named(&Bound { nth: None, unit: None, ..*bound }, clock)?),
        Meaning::NthUnit(unit) => resolve(Meaning::Nth, &Bound { unit: Some(unit), ..*bound }, clock),
        Meaning::NthOf(unit, turns) => nth(bound, bound.nth?, period(unit, turns, clock?)?),
        Meaning::LastOf => last_of(bound, clock),
        Meaning::Day(days) => {
            let day = days_after(clock?.today()?, days)?;
            in_daypart(day, bound.daypart)
        }
        Meaning::Of(unit, turns) => period(unit, turns, clock?),
        Meaning::OfYear(years) => in_year(bound, clock?.today()?.year().checked_add(i16::try_from(years).ok()?)?),
        Meaning::OfWeek(weeks) => {
            let monday = days_after(monday(clock?.today()?)?, weeks.checked_mul(7)?)?;
            in_daypart(days_after(monday, bound.weekday?.into())?, bound.daypart)
        }
        Meaning::OfMonth(months) => {
            let first = period(Unit::Month, months, clock?)?.from?.date();
            in_daypart(Date::new(first.year(), first.month(), bound.day?).ok()?, bound.daypart)
        }
        Meaning::Begun(unit) => begun(clock?, |turns| period(unit, turns, clock?)),
        Meaning::Part(part, unit) => {
            let unit = unit.or(bound.unit).filter(|unit| !matches!(unit, Unit::Minute | Unit::Hour | Unit::Day))?;
            begun(clock?, |turns| modified(period(unit, turns, clock?)?, part, &Bound::default()))
        }
        Meaning::Last => turn(bound, -1, clock?),
        Meaning::BeforeLast => turn(bound, -2, clock?),
        Meaning::This => turn(bound, 0, clock?),
        Meaning::Next => turn(bound, 1, clock?),
        Meaning::Ago => away(bound.number.unwrap_or(exactly(1)), bound.unit?, -1, clock?),
        Meaning::AgoOf(number, unit) => away(number, unit.or(bound.unit)?, -1, clock?),
        Meaning::HalfAgo(number) => {
            let number = number.or(bound.number.map(|number| number.most))?;
            let (number, unit, slack) = and_a_half(number, bound.unit?)?;
            Some(away(exactly(number), unit, -1, clock?)?.with_slack(slack))
        }
        Meaning::TurnsAgo => turn(bound, bound.number?.most.checked_neg()?, clock?),
        Meaning::Ahead => away(bound.number.unwrap_or(exactly(1)), bound.unit?, 1, clock?),
        Meaning::Past => match bound.unit {
            Some(unit) => past(bound.number.unwrap_or(exactly(1)), unit, clock?),
            // "The other day" is one of the last days.
            None => past(between(1, 2), Unit::Week, clock?),
        },
        Meaning::PastOf(number, unit) => past(number, unit.or(bound.unit)?, clock?),
    }
}

/// What a modifier makes of the stretch behind it; `bound` is what the modifier's own pattern holds.
pub(super) fn modified(stretch: Stretch, modifier: Modifier, bound: &Bound) -> Option<Stretch> {
    let once = Stretch { yearly: false, ..stretch };
    match modifier {
        Modifier::Leads | Modifier::Nothing => Some(stretch),
        Modifier::About => {
            let hours = match (stretch.from, stretch.to) {
                (Some(from), Some(to)) => to.duration_since(from).as_hours(),
                _ => 0,
            };
            let slack = if hours <= 3 * DAY { 7 * DAY } else { (hours / 2).max(10 * DAY) };
            Some(stretch.with_slack(slack))
        }
        Modifier::Early => stretch.third(0),
        Modifier::Middle => stretch.third(1),
        Modifier::Late => stretch.third(2),
        Modifier::FirstHalf => stretch.part(0, 2),
        Modifier::SecondHalf => stretch.part(1, 2),
        Modifier::Since => Some(Stretch { from: Some(stretch.from?), to: None, ..once }),
        Modifier::Until => Some(Stretch { from: None, to: Some(stretch.to?), ..once }),
        Modifier::Before => Some(Stretch { from: None, to: Some(stretch.from?), ..once }),
        Modifier::After => Some(Stretch { from: Some(stretch.to?), to: None, ..once }),
        Modifier::UnitBefore => before(stretch, bound.unit?, bound.number.unwrap_or(exactly(1))),
        Modifier::UnitAfter => after(stretch, bound.unit?, bound.number.unwrap_or(exactly(1))),
        Modifier::SoonBefore => Some(before(stretch, Unit::Week, exactly(1))?.with_slack(7 * DAY)),
        Modifier::SoonAfter => Some(after(stretch, Unit::Week, exactly(1))?.with_slack(7 * DAY)),
    }
}

/// The unit so many before a stretch begins; of a vague number, all that lies between.
fn before(stretch: Stretch, unit: Unit, number: Amount) -> Option<Stretch> {
    let at = |units: i64| stretch.from?.checked_sub(span(unit, units)?).ok();
    let of = Stretch { from: Some(at(number.most)?), to: Some(at(nearest(number)?)?), ..stretch };
    Some(of.with_slack(slack_of(unit, number)))
}

/// The unit so many after a stretch ends; of a vague number, all that lies between.
fn after(stretch: Stretch, unit: Unit, number: Amount) -> Option<Stretch> {
    let at = |units: i64| stretch.to?.checked_add(span(unit, units)?).ok();
    let of = Stretch { from: Some(at(nearest(number)?)?), to: Some(at(number.most)?), ..stretch };
    Some(of.with_slack(slack_of(unit, number)))
}

/// Two weeks before are the second; some weeks before begin at once.
fn nearest(number: Amount) -> Option<i64> {
    if number.least < number.most { Some(0) } else { number.least.checked_sub(1) }
}

/// Who counts weeks or months does not count their days.
fn slack_of(unit: Unit, number: Amount) -> i64 {
    if number.most > 1 && unit != Unit::Day { 3 * DAY } else { 0 }
}

/// From the beginning of one stretch to the end of another, of which one may have taken its year from the other.
pub(super) fn joined(mut first: Stretch, mut last: Stretch) -> Option<Stretch> {
    let year = |stretch: Stretch| stretch.from.map_or(0, |from| from.year());
    if first.yearly && first.from > last.from {
        first = years_later(first, year(last) - year(first))?;
        first = if first.from > last.from { years_later(first, -1)? } else { first };
    } else if last.yearly {
        last = years_later(last, year(first) - year(last))?;
        last = if last.from < first.from { years_later(last, 1)? } else { last };
    }
    let yearly = first.yearly && last.yearly;
    Some(Stretch { from: first.from, to: last.to, slack: first.slack.max(last.slack), yearly })
}

fn years_later(stretch: Stretch, years: i16) -> Option<Stretch> {
    let span = Span::new().try_years(years).ok()?;
    let moved = |end: Option<jiff::civil::DateTime>| match end {
        None => Some(None),
        Some(end) => end.checked_add(span).ok().map(Some),
    };
    Some(Stretch { from: moved(stretch.from)?, to: moved(stretch.to)?, ..stretch })
}

/// What has a name: its year is the one named, or that in which it began last.
fn named(bound: &Bound, clock: Option<&Clock>) -> Option<Stretch> {
    if let Some(first) = bound.decade {
        return Stretch::days(Date::new(first, 1, 1).ok()?, Date::new(first.checked_add(9)?, 12, 31).ok()?);
    }
    if let Some(year) = bound.year {
        return in_year(bound, year);
    }
    let today = clock?.today()?;
    if has_yearly_name(bound) {
        let begun = |year: i16| in_year(bound, year).filter(|of| of.from.is_some_and(|from| from.date() <= today));
        // The first week of a year may begin in the year before.
        let years = (-1..=YEARS).filter_map(|back| today.year().checked_sub(back));
        return years.filter_map(begun).next().map(|of| Stretch { yearly: true, ..of });
    }
    match bound.weekday {
        Some(_) => turn(bound, -1, clock?),
        None => in_daypart(today, Some(bound.daypart?)),
    }
}

fn has_yearly_name(bound: &Bound) -> bool {
    let is_part = bound.month.is_some() || bound.season.is_some() || bound.quarter.is_some() || bound.week.is_some();
    is_part || bound.holiday.is_some()
}

/// A holiday, season, quarter, week, month or day of a year, or the year itself.
fn in_year(bound: &Bound, year: i16) -> Option<Stretch> {
    if let Some(holiday) = bound.holiday {
        return Some(holiday.days(year)?.with_slack(2 * DAY));
    }
    if let Some(season) = bound.season {
        let first = Date::new(year, 3 * (season + 1), 1).ok()?;
        return months(first, 3).map(|of| of.with_slack(10 * DAY));
    }
    if let Some(quarter) = bound.quarter {
        return months(Date::new(year, 3 * (quarter - 1) + 1, 1).ok()?, 3);
    }
    if let Some(week) = bound.week {
        let monday = ISOWeekDate::new(year, week, Weekday::Monday).ok()?.date();
        return Stretch::days(monday, days_after(monday, 6)?);
    }
    match (bound.month, bound.day) {
        (Some(month), Some(day)) => in_daypart(Date::new(year, month, day).ok()?, bound.daypart),
        (Some(month), None) => months(Date::new(year, month, 1).ok()?, 1),
        (None, _) => months(Date::new(year, 1, 1).ok()?, 12),
    }
}

/// So many months from the first day of one on.
fn months(first: Date, number: i64) -> Option<Stretch> {
    let end = first.checked_add(Span::new().try_months(number).ok()?).ok()?;
    Some(Stretch::new(midnight(first), midnight(end)))
}

/// What has a unit, a weekday or a name, counted from the present one: -1 is the last, 0 this, 1 the next.
fn turn(bound: &Bound, turns: i64, clock: &Clock) -> Option<Stretch> {
    let today = clock.today()?;
    if let Some(unit) = bound.unit {
        return period(unit, turns, clock);
    }
    if has_yearly_name(bound) {
        return yearly_turn(bound, turns, today);
    }
    if let Some(weekday) = bound.weekday {
        let since = i64::from(today.weekday().to_monday_zero_offset() - weekday).rem_euclid(7);
        let days = match turns {
            0 => i64::from(weekday - today.weekday().to_monday_zero_offset()),
            // Today's own weekday is neither the last nor the next.
            ..0 => 7 * (turns + 1) - if since == 0 { 7 } else { since },
            1.. => 7 * turns - since,
        };
        return in_daypart(days_after(today, days)?, bound.daypart);
    }
    in_daypart(days_after(today, turns)?, Some(bound.daypart?))
}

/// Of what comes once a year: the last that is over, the one of this year, the next to begin.
fn yearly_turn(bound: &Bound, turns: i64, today: Date) -> Option<Stretch> {
    let now = midnight(today);
    let of = |offset: i16| in_year(bound, today.year().checked_add(offset)?);
    let mut over = (-YEARS..=1).rev().filter_map(of).filter(|of| of.to.is_some_and(|to| to <= now));
    match turns {
        ..0 => over.nth(usize::try_from(-turns - 1).ok()?),
        // A winter is of two years.
        0 => {
            let holds = |of: &Stretch| of.from.is_some_and(|from| from <= now) && of.to.is_some_and(|to| now < to);
            of(-1).filter(holds).or_else(|| of(0))
        }
        1.. => (0..=YEARS).filter_map(of).find(|of| of.from.is_some_and(|from| from > now)),
    }
}

/// A unit of the calendar, counted from the one that holds now.
fn period(unit: Unit, turns: i64, clock: &Clock) -> Option<Stretch> {
    let today = clock.today()?;
    let year = |years: i64| today.year().checked_add(i16::try_from(years).ok()?);
    match unit {
        Unit::Minute | Unit::Hour => {
            let from = clock.civil()?.checked_add(span(unit, turns)?).ok()?;
            Some(Stretch::new(from, from.checked_add(span(unit, 1)?).ok()?))
        }
        Unit::Day => {
            let day = days_after(today, turns)?;
            Stretch::days(day, day)
        }
        Unit::Week => {
            let monday = days_after(monday(today)?, turns.checked_mul(7)?)?;
            Stretch::days(monday, days_after(monday, 6)?)
        }
        Unit::Weekend => {
            let saturday = days_after(monday(today)?, turns.checked_mul(7)?.checked_add(5)?)?;
            Some(Stretch::days(saturday, days_after(saturday, 1)?)?.with_slack(DAY / 2))
        }
        Unit::Month => {
            let first = today.first_of_month().checked_add(span(Unit::Month, turns)?).ok()?;
            months(first, 1)
        }
        Unit::Quarter => {
            let first = Date::new(today.year(), 3 * ((today.month() - 1) / 3) + 1, 1).ok()?;
            months(first.checked_add(span(Unit::Quarter, turns)?).ok()?, 3)
        }
        Unit::Year => months(Date::new(year(turns)?, 1, 1).ok()?, 12),
        Unit::Decade => {
            let first = year(turns.checked_mul(10)?)?;
            months(Date::new(first - first.rem_euclid(10), 1, 1).ok()?, 120)
        }
    }
}

/// What `of` gives for the present turn, or for the one before where that begins after now.
fn begun(clock: &Clock, of: impl Fn(i64) -> Option<Stretch>) -> Option<Stretch> {
    let now = clock.civil()?;
    of(0).filter(|of| of.from.is_some_and(|from| from <= now)).or_else(|| of(-1))
}

/// So many units and a half, in smaller ones, and the hours beyond them in which it fits less and less.
fn and_a_half(number: i64, unit: Unit) -> Option<(i64, Unit, i64)> {
    let (each, half, smaller, slack) = match unit {
        Unit::Hour => (60, 30, Unit::Minute, 1),
        Unit::Day => (24, 12, Unit::Hour, 12),
        Unit::Week => (7, 3, Unit::Day, 2 * DAY),
        Unit::Month => (30, 15, Unit::Day, 10 * DAY),
        Unit::Year => (12, 6, Unit::Month, 60 * DAY),
        Unit::Decade => (10, 5, Unit::Year, 730 * DAY),
        Unit::Minute | Unit::Weekend | Unit::Quarter => return None,
    };
    Some((number.checked_mul(each)?.checked_add(half)?, smaller, slack))
}

/// Around the moment so many units before now (`sign` -1) or after it (1): half a unit or less to each side.
fn away(number: Amount, unit: Unit, sign: i64, clock: &Clock) -> Option<Stretch> {
    let (least, most) = (number.least.checked_mul(sign)?, number.most.checked_mul(sign)?);
    let (early, late) = (least.min(most), least.max(most));
    let today = clock.today()?;
    if matches!(unit, Unit::Minute | Unit::Hour) {
        let half = span(Unit::Minute, if unit == Unit::Hour { 30 } else { 5 })?;
        let now = clock.civil()?;
        let at = |number: i64| now.checked_add(span(unit, number)?).ok();
        let (from, to) = (at(early)?.checked_sub(half).ok()?, at(late)?.checked_add(half).ok()?);
        return Some(Stretch::new(from, to).with_slack(1));
    }
    if unit == Unit::Weekend {
        let (first, last) = (period(unit, early, clock)?, period(unit, late, clock)?);
        return Some(Stretch { from: first.from, to: last.to, ..first });
    }
    // Days to each side, and days beyond these in which it fits less and less.
    let (half, slack) = match unit {
        Unit::Week => (3, 2),
        Unit::Month => (15, 7),
        Unit::Quarter => (45, 20),
        Unit::Year => (91, 91),
        Unit::Decade => (730, 730),
        _ if early < -3 || least != most => (0, 1),
        _ => (0, 0),
    };
    let at = |number: i64| today.checked_add(span(unit, number)?).ok();
    let (first, last) = (days_after(at(early)?, -half)?, days_after(at(late)?, half)?);
    Some(Stretch::days(first, last)?.with_slack(slack * DAY))
}

/// From so many units before now until today is over.
fn past(number: Amount, unit: Unit, clock: &Clock) -> Option<Stretch> {
    let (now, today) = (clock.civil()?, clock.today()?);
    let from = now.checked_sub(span(unit, number.most)?).ok()?;
    let from = if matches!(unit, Unit::Minute | Unit::Hour) { from } else { midnight(from.date()) };
    let stretch = Stretch::new(from, midnight(today.tomorrow().ok()?));
    let hours = now.duration_since(from).as_hours();
    Some(if number.least < number.most { stretch.with_slack(hours / 4) } else { stretch })
}

/// The so-many-th unit of a month, a season or a year.
fn nth(bound: &Bound, number: i64, whole: Stretch) -> Option<Stretch> {
    let first = whole.from?.date();
    let turns = number.checked_sub(1)?;
    let stretch = match bound.unit? {
        Unit::Day => {
            let day = days_after(first, turns)?;
            Stretch::days(day, day)?
        }
        Unit::Week => {
            let day = days_after(first, turns.checked_mul(7)?)?;
            Stretch::days(day, days_after(day, 6)?)?.with_slack(3 * DAY)
        }
        Unit::Weekend => {
            let saturday = i64::from(first.weekday().until(Weekday::Saturday));
            let day = days_after(first, saturday.checked_add(turns.checked_mul(7)?)?)?;
            Stretch::days(day, days_after(day, 1)?)?
        }
        Unit::Month => months(first.checked_add(span(Unit::Month, turns)?).ok()?, 1)?,
        Unit::Quarter => months(first.checked_add(span(Unit::Quarter, turns)?).ok()?, 3)?,
        Unit::Minute | Unit::Hour | Unit::Year | Unit::Decade => return None,
    };
    let is_within = stretch.from < whole.to;
    is_within.then_some(Stretch { yearly: whole.yearly, ..stretch })
}

/// The last unit of a month, a season or a year.
fn last_of(bound: &Bound, clock: Option<&Clock>) -> Option<Stretch> {
    let whole = named(&Bound { unit: None, number: None, ..*bound }, clock)?;
    let (to, number) = (whole.to?, bound.number.map_or(1, |number| number.most));
    let from = match bound.unit? {
        Unit::Weekend if number == 1 => {
            let last = to.date().yesterday().ok()?;
            let saturday = days_after(last, -i64::from(Weekday::Saturday.until(last.weekday())))?;
            return Stretch::days(saturday, days_after(saturday, 1)?).map(|of| Stretch { yearly: whole.yearly, ..of });
        }
        unit => to.checked_sub(span(unit, number)?).ok()?,
    };
    Some(Stretch { from: Some(from), ..whole }.with_slack(if bound.unit == Some(Unit::Week) { 3 * DAY } else { 0 }))
}

/// A day, or a part of it.
fn in_daypart(day: Date, part: Option<DayPart>) -> Option<Stretch> {
    let Some(DayPart { from, to }) = part else { return Stretch::days(day, day) };
    let at = |hour: i8| midnight(day).checked_add(span(Unit::Hour, hour.into())?).ok();
    Some(Stretch::new(at(from)?, at(to)?).with_slack(2))
}

fn monday(day: Date) -> Option<Date> {
    days_after(day, -i64::from(day.weekday().to_monday_zero_offset()))
}
