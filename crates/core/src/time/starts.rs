//! The words that anything of a language's table may start with: at every other word nothing needs to be looked for.

use std::{collections::HashSet, sync::OnceLock};

use super::{language::Language, languages::ALL};
use crate::analysis;

static STARTS: OnceLock<HashSet<(analysis::Language, &'static str)>> = OnceLock::new();

impl Language {
    /// Whether a pattern of the table, or a date in digits, may start with a word.
    pub(super) fn may_start(&self, word: &str) -> bool {
        let starts: &HashSet<(analysis::Language, &str)> = STARTS.get_or_init(starts);
        starts.contains(&(self.of, word)) || word.bytes().any(|byte| byte.is_ascii_digit())
    }
}

fn starts() -> HashSet<(analysis::Language, &'static str)> {
    ALL.into_iter().flat_map(|language| words(language).map(|word| (language.of, word))).collect()
}

fn words(language: &'static Language) -> impl Iterator<Item = &'static str> {
    names(language).map(|name| name.split(' ').next().unwrap_or(name)).chain(patterns(language).flat_map(openings))
}

/// What a slot may hold, but for digits.
fn names(language: &'static Language) -> impl Iterator<Item = &'static str> {
    let lists = language.months.iter().chain(&language.weekdays).chain(&language.seasons).chain(language.ordinals);
    let named = language.units.iter().map(|(name, _)| *name).chain(language.numbers.iter().map(|(name, _)| *name));
    let named = named.chain(language.holidays.iter().map(|(name, _)| *name));
    let named = named.chain(language.dayparts.iter().map(|(name, _)| *name));
    lists.flat_map(|names| names.iter().copied()).chain(named)
}

fn patterns(language: &'static Language) -> impl Iterator<Item = &'static str> {
    let patterns = language.modifiers.iter().map(|(pattern, _)| *pattern);
    let patterns = patterns.chain(language.expressions.iter().map(|(pattern, _)| *pattern));
    let patterns = patterns.chain(language.stretches.iter().map(|(open, _)| *open));
    let patterns = patterns.chain(language.orders.iter().map(|(pattern, _)| *pattern));
    let patterns = patterns.chain([language.no_times, language.mentions, language.when].into_iter().flatten().copied());
    // A date in digits may have a word in front that says so.
    patterns.chain(language.before_dates.iter().copied())
}

/// The words that a pattern may start with, slots left out.
fn openings(pattern: &'static str) -> impl Iterator<Item = &'static str> {
    let needed = pattern.split(' ').take_while(|part| part.ends_with('?')).count();
    let parts = pattern.split(' ').take(needed + 1).filter(|part| !part.starts_with('{'));
    parts.flat_map(|part| part.trim_end_matches('?').split('|'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_starts_with_any_part_up_to_the_first_that_it_needs() {
        assert_eq!(openings("la? {number}? in|am {unit} vor").collect::<Vec<_>>(), ["la", "in", "am"]);
        assert_eq!(openings("{weekday} de").count(), 0);
    }

    #[test]
    fn what_starts_nothing_is_told() {
        let [english, german] = [ALL[0], ALL[1]];
        for word in ["last", "the", "march", "8th", "2023", "q1", "christmas"] {
            assert!(english.may_start(word), "{word}");
        }
        assert!(german.may_start("letzte") && !english.may_start("letzte") && !english.may_start("trumpet"));
    }
}
