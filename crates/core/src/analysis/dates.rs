//! Dates that a question names, and the days they mean.

use jiff::{civil::Date, tz::TimeZone};

/// Days after a date in which people still tell of it.
const AFTERMATH: i64 = 10;

/// How well a day in the aftermath of a date fits, or the day before it (where zones differ).
const NEAR: f64 = 0.5;

/// English months, small letters, January first.
pub const MONTHS: [&str; 12] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];

/// A day, a month or a year, as a question names it; what it leaves open is `None`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NamedDate {
    year: Option<i16>,
    month: Option<i8>,
    day: Option<i8>,
}

/// Days since 1970-01-01 that a question's dates mean, first and last.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Days(Vec<(i64, i64)>);

impl NamedDate {
    /// All dates of a text, in order: `8 May 2023`, `May 8th`, `March`, `2023-05-08`, `in 2023`.
    pub fn all_in(text: &str) -> Vec<Self> {
        let tokens = tokens(text);
        let (mut dates, mut at) = (Vec::new(), 0);
        while at < tokens.len() {
            match iso(&tokens[at..]).or_else(|| by_month(&tokens, at)).or_else(|| year(tokens[at].word)) {
                Some((date, used)) => {
                    dates.push(date);
                    at += used;
                }
                None => at += 1,
            }
        }
        dates
    }

    /// First and last day of it, in `year` where it names none; `None` for a day that is not there.
    fn days(self, year: i16) -> Option<(i64, i64)> {
        let year = self.year.unwrap_or(year);
        let first = Date::new(year, self.month.unwrap_or(1), self.day.unwrap_or(1)).ok()?;
        let last = match (self.month, self.day) {
            (_, Some(_)) => first,
            (Some(_), None) => first.last_of_month(),
            (None, None) => first.last_of_year(),
        };
        Some((number(first)?, number(last)?))
    }
}

impl Days {
    /// The days that `dates` mean in a history that goes from the first to the last of `history`, also in days.
    pub fn of(dates: &[NamedDate], history: (i64, i64)) -> Self {
        let year = |day: i64| {
            let moment = jiff::Timestamp::from_second(day.saturating_mul(SECONDS)).ok()?;
            Some(moment.to_zoned(TimeZone::UTC).year())
        };
        let (Some(first), Some(last)) = (year(history.0), year(history.1)) else { return Self::default() };
        let mean = |date: &NamedDate| {
            // A date that names its year means the same in every year of the history.
            let years = if date.year.is_some() { first..=first } else { first..=last };
            let date = *date;
            years.filter_map(move |year| date.days(year)).collect::<Vec<_>>()
        };
        Self(dates.iter().flat_map(mean).collect())
    }

    /// How well a day fits the best of them, in [0, 1].
    pub fn fit(&self, day: i64) -> f64 {
        let fit = |&(first, last): &(i64, i64)| match () {
            () if (first..=last).contains(&day) => 1.0,
            () if (first - 1..=last + AFTERMATH).contains(&day) => NEAR,
            () => 0.0,
        };
        self.0.iter().map(fit).fold(0.0, f64::max)
    }
}

const SECONDS: i64 = 24 * 60 * 60;

fn number(date: Date) -> Option<i64> {
    Some(date.to_zoned(TimeZone::UTC).ok()?.timestamp().as_second().div_euclid(SECONDS))
}

struct Token<'a> {
    word: &'a str,
    /// What stands between it and the next.
    after: &'a str,
}

fn tokens(text: &str) -> Vec<Token<'_>> {
    let mut tokens: Vec<Token<'_>> = Vec::new();
    let mut rest = text;
    while let Some(start) = rest.find(char::is_alphanumeric) {
        if let Some(last) = tokens.last_mut() {
            last.after = &rest[..start];
        }
        rest = &rest[start..];
        let end = rest.find(|c: char| !c.is_alphanumeric()).unwrap_or(rest.len());
        tokens.push(Token { word: &rest[..end], after: "" });
        rest = &rest[end..];
    }
    tokens
}

/// `2023-05-08`, or `2023-05`.
fn iso(tokens: &[Token<'_>]) -> Option<(NamedDate, usize)> {
    let [first, second, rest @ ..] = tokens else { return None };
    let two_digits = |token: &Token<'_>| token.word.len() == 2 && token.word.bytes().all(|byte| byte.is_ascii_digit());
    if first.after != "-" || !two_digits(second) {
        return None;
    }
    let (date, _) = year(first.word)?;
    let month = second.word.parse().ok().filter(|month| (1..=12).contains(month))?;
    let date = NamedDate { month: Some(month), ..date };
    Some(
        match rest.first().filter(|third| second.after == "-" && two_digits(third)).and_then(|third| day(third.word)) {
            Some(day) => (NamedDate { day: Some(day), ..date }, 3),
            None => (date, 2),
        },
    )
}

/// `8 May`, `8th of May`, `May 8`, `May`, each also with a year after it.
fn by_month(tokens: &[Token<'_>], at: usize) -> Option<(NamedDate, usize)> {
    let word = |place: usize| tokens.get(place).map(|token| token.word);
    let before = word(at).and_then(day);
    let of = usize::from(before.is_some() && word(at + 1) == Some("of"));
    let place = at + usize::from(before.is_some()) + of;
    let name = word(place)?;
    let month = month(name)?;
    let after = word(place + 1).and_then(day).filter(|_| before.is_none());
    let end = place + 1 + usize::from(after.is_some());
    let year = word(end).and_then(year).and_then(|(date, _)| date.year);
    let day = before.or(after);
    // Two of the months are also words, and short forms may be anything.
    let is_certain = name.chars().next().is_some_and(char::is_uppercase) && name.len() > 3
        || !matches!(month, 3 | 5) && name.len() > 3
        || name == "May";
    if !is_certain && day.is_none() && year.is_none() {
        return None;
    }
    Some((NamedDate { year, month: Some(month), day }, end + usize::from(year.is_some()) - at))
}

/// A month by its name or the first three letters of it.
fn month(word: &str) -> Option<i8> {
    let means = |name: &&str| {
        let short = word.len() == 3 || (word.len() == 4 && word.eq_ignore_ascii_case("sept"));
        name.eq_ignore_ascii_case(word)
            || (short && name.get(..word.len()).is_some_and(|head| head.eq_ignore_ascii_case(word)))
    };
    MONTHS.iter().position(means).map(|place| place as i8 + 1)
}

/// `8`, `8th`.
fn day(word: &str) -> Option<i8> {
    let suffix = ["st", "nd", "rd", "th"].iter().find_map(|suffix| word.strip_suffix(suffix));
    let digits = suffix.unwrap_or(word);
    digits.parse().ok().filter(|day| (1..=31).contains(day) && digits.len() <= 2)
}

fn year(word: &str) -> Option<(NamedDate, usize)> {
    let is_year = word.len() == 4 && (word.starts_with("19") || word.starts_with("20"));
    let year = word.parse().ok().filter(|_| is_year)?;
    Some((NamedDate { year: Some(year), month: None, day: None }, 1))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn date(year: Option<i16>, month: Option<i8>, day: Option<i8>) -> NamedDate {
        NamedDate { year, month, day }
    }

    fn day_of(text: &str) -> i64 {
        number(text.parse().unwrap()).unwrap()
    }

    #[test]
    fn dates_as_people_write_them() {
        let full = date(Some(2023), Some(5), Some(8));
        for text in
            ["on 8 May, 2023", "May 8th 2023?", "the 8th of may 2023", "2023-05-08", "8 may 2023", "(May 8, 2023)"]
        {
            assert_eq!(NamedDate::all_in(text), [full], "{text}");
        }
        assert_eq!(NamedDate::all_in("in June"), [date(None, Some(6), None)]);
        assert_eq!(NamedDate::all_in("in May?"), [date(None, Some(5), None)]);
        assert_eq!(
            NamedDate::all_in("since sept 2021 or in 2019"),
            [date(Some(2021), Some(9), None), date(Some(2019), None, None)]
        );
        assert_eq!(NamedDate::all_in("5 Dec"), [date(None, Some(12), Some(5))]);
        for text in ["", "may I march", "room 31", "8 kites", "1750", "2150b", "in dec", "20231"] {
            assert!(NamedDate::all_in(text).is_empty(), "{text}");
        }
    }

    #[test]
    fn days_fit_inside_and_shortly_after() {
        let history = (day_of("2022-11-03"), day_of("2023-09-01"));
        let days = Days::of(&NamedDate::all_in("in May"), history);
        let fit = |day: &str| days.fit(day_of(day));
        assert_eq!((fit("2023-05-01"), fit("2023-05-31"), fit("2022-05-17")), (1.0, 1.0, 1.0));
        assert_eq!((fit("2023-06-10"), fit("2023-04-30")), (NEAR, NEAR));
        assert_eq!((fit("2023-06-11"), fit("2023-04-29")), (0.0, 0.0));

        let days = Days::of(&NamedDate::all_in("on 30 February, or in 2022"), history);
        assert_eq!((days.fit(day_of("2022-12-31")), days.fit(day_of("2023-02-28"))), (1.0, 0.0));
    }

    proptest! {
        #[test]
        fn no_text_is_a_panic(text in "([0-9]{1,4}|[a-z]{1,4}|May|of|-| |,|\\PC){0,12}", first in any::<i64>(), last in any::<i64>()) {
            let days = Days::of(&NamedDate::all_in(&text), (first, last));
            prop_assert!((0.0..=1.0).contains(&days.fit(first.clamp(-1 << 40, 1 << 40))));
        }
    }
}
