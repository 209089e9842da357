//! Dates in digits: `2023-05-08`, `2023-05`, `8.5.2023`, `28.11.24`, `28.11.`, `28/11/2023`.

use super::{
    language::Language,
    pattern::{Bound, year},
    tokens::Token,
};
use crate::analysis;

/// How a text writes dates in digits, as far as that can be told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Writing {
    /// In English, where `3/4/2024` may be of March or of April, and dots stand in versions.
    English,
    /// In a language that writes the day first.
    DayFirst,
    /// Too little tells it.
    Unknown,
    /// It is no text but a time, so that nothing in it is a version.
    Argument,
}

impl Writing {
    pub(super) fn of(text: &str) -> Self {
        match analysis::Language::of(text) {
            Some(analysis::Language::English) => Self::English,
            Some(_) => Self::DayFirst,
            None => Self::Unknown,
        }
    }
}

/// A date in digits at a place of some words, and how many words it takes.
pub(super) fn digits(language: &Language, tokens: &[Token], at: usize, writing: Writing) -> Option<(usize, Bound)> {
    let [first, second, rest @ ..] = tokens.get(at..)? else { return None };
    let before = at.checked_sub(1).and_then(|before| tokens.get(before));
    let is_led = before.is_some_and(|before| language.before_dates.contains(&before.word.as_str()));
    match first.joint {
        Some('-') => {
            let month = number(second, 12).filter(|_| second.word.len() == 2)?;
            let year = Some(year(&first.word)?);
            let third = rest.first().filter(|third| second.joint == Some('-') && third.word.len() == 2);
            Some(match third.and_then(|third| number(third, 31)) {
                Some(day) => (3, Bound { year, month: Some(month), day: Some(day), ..Bound::default() }),
                None => (2, Bound { year, month: Some(month), ..Bound::default() }),
            })
        }
        Some('.') => {
            let date = Bound { day: Some(number(first, 31)?), month: Some(number(second, 12)?), ..Bound::default() };
            let third = rest.first().filter(|_| second.joint == Some('.'));
            if let Some(year) = third.and_then(|third| year(&third.word)) {
                return Some((3, Bound { year: Some(year), ..date }));
            }
            if before.is_some_and(|before| before.joint == Some('.') || is_of_versions(&before.word)) {
                return None;
            }
            let Some(third) = third else {
                let may_lack_its_year = is_led || writing == Writing::Argument;
                return (may_lack_its_year && second.is_dotted && second.joint.is_none()).then_some((2, date));
            };
            let is_date = match writing {
                _ if is_led => true,
                Writing::DayFirst | Writing::Argument => true,
                Writing::Unknown => first.word.len() == 2 && second.word.len() == 2,
                Writing::English => false,
            };
            // An address of a network has four numbers.
            let is_last = third.joint != Some('.');
            Some((3, Bound { year: Some(short_year(third)?), ..date })).filter(|_| is_date && is_last)
        }
        Some('/') => {
            let year = Some(year(&rest.first().filter(|_| second.joint == Some('/'))?.word)?);
            let (day, month) = (number(first, 31)?, number(second, 12)?);
            let is_day_first = day > 12 || is_led || writing == Writing::DayFirst;
            is_day_first.then_some((3, Bound { year, month: Some(month), day: Some(day), ..Bound::default() }))
        }
        _ => None,
    }
}

fn number(token: &Token, most: i8) -> Option<i8> {
    let is_number = (1..=2).contains(&token.word.len()) && token.word.bytes().all(|byte| byte.is_ascii_digit());
    token.word.parse().ok().filter(|number| is_number && (1..=most).contains(number))
}

/// `24` for 2024.
fn short_year(token: &Token) -> Option<i16> {
    let is_short = token.word.len() == 2 && token.word.bytes().all(|byte| byte.is_ascii_digit());
    token.word.parse().ok().filter(|_| is_short).map(|year: i16| 2000 + year)
}

fn is_of_versions(word: &str) -> bool {
    matches!(word, "v" | "version" | "versionen" | "release")
}
