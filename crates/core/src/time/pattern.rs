//! Finds the patterns of a language's table in a text.

use super::{
    language::{Amount, DayPart, Holiday, Language, Unit, exactly},
    tokens::Token,
};

/// What the slots of a pattern were found to hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Bound {
    pub(super) number: Option<Amount>,
    pub(super) unit: Option<Unit>,
    pub(super) day: Option<i8>,
    /// From 1.
    pub(super) nth: Option<i64>,
    /// 0 for Monday.
    pub(super) weekday: Option<i8>,
    pub(super) month: Option<i8>,
    pub(super) year: Option<i16>,
    /// Its first year.
    pub(super) decade: Option<i16>,
    pub(super) quarter: Option<i8>,
    /// As ISO 8601 counts the weeks of a year.
    pub(super) week: Option<i8>,
    /// 0 for spring.
    pub(super) season: Option<i8>,
    pub(super) holiday: Option<Holiday>,
    pub(super) daypart: Option<DayPart>,
}

impl Language {
    /// How many words a pattern takes from the start of `found`, at the most, and what its slots hold.
    pub(super) fn find(&self, pattern: &str, found: &[Token]) -> Option<(usize, Bound)> {
        let (words, bound) = self.follow(pattern, found, Bound::default())?;
        (words > 0).then_some((words, bound))
    }

    fn follow(&self, pattern: &str, found: &[Token], bound: Bound) -> Option<(usize, Bound)> {
        if pattern.is_empty() {
            return Some((0, bound));
        }
        let (part, rest) = pattern.split_once(' ').unwrap_or((pattern, ""));
        let (part, is_optional) = part.strip_suffix('?').map_or((part, false), |part| (part, true));
        let taken = self.take(part, found, bound).and_then(|(words, bound)| {
            let (more, bound) = self.follow(rest, found.get(words..)?, bound)?;
            Some((words + more, bound))
        });
        match taken {
            None if is_optional => self.follow(rest, found, bound),
            taken => taken,
        }
    }

    /// One part of a pattern: a slot, or one of some words.
    fn take(&self, part: &str, found: &[Token], mut bound: Bound) -> Option<(usize, Bound)> {
        let first = found.first()?;
        let word = first.word.as_str();
        let Some(slot) = part.strip_prefix('{') else {
            return part.split('|').any(|one| one == word).then_some((1, bound));
        };
        let words = match slot.trim_end_matches('}') {
            "word" => 1,
            "number" => {
                let (number, words) = self.number(found)?;
                bound.number = Some(number);
                words
            }
            "unit" => {
                let (unit, words) = longest(self.units, found)?;
                bound.unit = Some(unit);
                words
            }
            "day" => {
                // Behind a colon come minutes.
                bound.day = Some(self.day(word).filter(|_| first.joint != Some(':'))?);
                1
            }
            "nth" => {
                bound.nth = Some(self.day(word)?.into());
                1
            }
            "weekday" => {
                let (weekday, words) = longest_place(&self.weekdays, found)?;
                bound.weekday = Some(weekday);
                words
            }
            "month" => {
                let (month, words) = longest_place(&self.months, found)?;
                bound.month = Some(month + 1);
                words
            }
            "year" => {
                bound.year = Some(year(word)?);
                1
            }
            "decade" => {
                bound.decade = Some(decade(word)?);
                1
            }
            "quarter" => {
                bound.quarter = Some(quarter(word)?);
                1
            }
            "week" => {
                bound.week = Some(week(word)?);
                1
            }
            "season" => {
                let (season, words) = longest_place(&self.seasons, found)?;
                bound.season = Some(season);
                words
            }
            "holiday" => {
                let (holiday, words) = longest(self.holidays, found)?;
                bound.holiday = Some(holiday);
                words
            }
            "daypart" => {
                bound.daypart = Some(named(self.dayparts, word)?);
                1
            }
            _ => return None,
        };
        Some((words, bound))
    }

    fn number(&self, found: &[Token]) -> Option<(Amount, usize)> {
        let word = found.first()?.word.as_str();
        let is_number = word.len() <= 4 && word.bytes().all(|byte| byte.is_ascii_digit());
        match word.parse() {
            Ok(number) if is_number => Some((exactly(number), 1)),
            _ => longest(self.numbers, found),
        }
    }

    /// `8`, `8th`, `eighth`.
    fn day(&self, word: &str) -> Option<i8> {
        if let Some(place) = place(self.ordinals, word) {
            return Some(place + 1);
        }
        let ending = self.ordinal_endings.iter().find_map(|ending| word.strip_suffix(ending));
        let digits = ending.unwrap_or(word);
        let is_number = digits.len() <= 2 && digits.bytes().all(|byte| byte.is_ascii_digit());
        digits.parse().ok().filter(|day| is_number && (1..=31).contains(day))
    }
}

/// What a word stands for in a list.
fn named<T: Copy>(list: &[(&str, T)], word: &str) -> Option<T> {
    list.iter().find(|(name, _)| *name == word).map(|(_, meaning)| *meaning)
}

/// What the words at the start of `found` stand for in a list of names of one or more words, and how many these are.
fn longest<T: Copy>(list: &[(&str, T)], found: &[Token]) -> Option<(T, usize)> {
    list.iter().filter_map(|(name, meaning)| Some((*meaning, starts(name, found)?))).max_by_key(|(_, words)| *words)
}

/// The place of the list with the longest name at the start of `found`, and how many words that has.
fn longest_place(lists: &[&[&str]], found: &[Token]) -> Option<(i8, usize)> {
    let longest = |names: &&[&str]| names.iter().filter_map(|name| starts(name, found)).max();
    let places =
        lists.iter().enumerate().filter_map(|(place, names)| Some((i8::try_from(place).ok()?, longest(names)?)));
    places.max_by_key(|(_, words)| *words)
}

/// How many words a name has, if `found` begins with them.
fn starts(name: &str, found: &[Token]) -> Option<usize> {
    // Nearly every name fails here, and every place of a text is held against every name.
    if !name.starts_with(found.first()?.word.as_str()) {
        return None;
    }
    let words = name.split(' ').count();
    (name.split(' ').zip(found).filter(|(word, token)| *word == token.word).count() == words).then_some(words)
}

fn place(lists: &[&[&str]], word: &str) -> Option<i8> {
    lists.iter().position(|names| names.contains(&word)).and_then(|place| i8::try_from(place).ok())
}

pub(super) fn year(word: &str) -> Option<i16> {
    let is_year = word.len() == 4 && (word.starts_with("19") || word.starts_with("20"));
    word.parse().ok().filter(|_| is_year)
}

/// `1990s`, `90s`, and with the ending of other languages.
fn decade(word: &str) -> Option<i16> {
    let digits = word.strip_suffix('s').or_else(|| word.strip_suffix("er"))?;
    let number: i16 = digits.parse().ok().filter(|number| number % 10 == 0)?;
    match digits.len() {
        4 => year(digits),
        2 => Some(if number >= 30 { 1900 + number } else { 2000 + number }),
        _ => None,
    }
}

/// `q3`.
fn quarter(word: &str) -> Option<i8> {
    let digits = word.strip_prefix('q').filter(|digits| digits.len() == 1)?;
    digits.parse().ok().filter(|quarter| (1..=4).contains(quarter))
}

/// `12`, of the weeks of a year.
fn week(word: &str) -> Option<i8> {
    let is_number = word.len() <= 2 && word.bytes().all(|byte| byte.is_ascii_digit());
    word.parse().ok().filter(|week| is_number && (1..=53).contains(week))
}

/// Whether every word of a table is folded, as the words of a text are: for tests of tables.
#[cfg(test)]
pub(super) fn is_folded(words: &str) -> bool {
    super::tokens::tokens(words).iter().map(|token| token.word.as_str()).collect::<Vec<_>>().join(" ") == words
}
