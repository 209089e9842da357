//! The tables, a file each. To add a language, write its file and add it to [`ALL`].

mod chinese;
mod dutch;
mod english;
mod french;
mod german;
mod italian;
mod japanese;
mod lunar;
mod portuguese;
mod russian;
mod spanish;
mod swedish;

use super::language::Language;

/// A text that does not tell its language may be in any of them: the longest expression wins, and of equals that of the language
/// named first.
pub(super) const ALL: [&Language; 11] = [
    &english::ENGLISH,
    &german::GERMAN,
    &spanish::SPANISH,
    &french::FRENCH,
    &italian::ITALIAN,
    &portuguese::PORTUGUESE,
    &dutch::DUTCH,
    &swedish::SWEDISH,
    &russian::RUSSIAN,
    &chinese::CHINESE,
    &japanese::JAPANESE,
];

/// The numbers of months in Chinese and Japanese, where the word for month follows.
const MONTHS_IN_CHARACTERS: [&[&str]; 12] = [
    &["1", "01", "一"],
    &["2", "02", "二"],
    &["3", "03", "三"],
    &["4", "04", "四"],
    &["5", "05", "五"],
    &["6", "06", "六"],
    &["7", "07", "七"],
    &["8", "08", "八"],
    &["9", "09", "九"],
    &["10", "十"],
    &["11", "十 一"],
    &["12", "十 二"],
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time::pattern::is_folded;

    const SLOTS: [&str; 14] = [
        "{number}",
        "{unit}",
        "{day}",
        "{nth}",
        "{weekday}",
        "{month}",
        "{year}",
        "{decade}",
        "{quarter}",
        "{week}",
        "{season}",
        "{holiday}",
        "{daypart}",
        "{word}",
    ];

    /// A word with a capital or an accent would never be found.
    #[test]
    fn every_word_of_a_table_is_one_a_text_can_have() {
        for language in ALL {
            let names = language.months.iter().chain(&language.weekdays).chain(&language.seasons);
            let ordinals = language.ordinals.iter().copied();
            let words = names.copied().chain(ordinals).flatten().copied();
            let words = words.chain(language.units.iter().map(|(word, _)| *word));
            let words = words.chain(language.numbers.iter().map(|(word, _)| *word));
            let words = words.chain(language.holidays.iter().map(|(word, _)| *word));
            let words = words.chain(language.dayparts.iter().map(|(word, _)| *word));
            let words = words.chain(language.of_any_time.iter().chain(language.before_dates).copied());
            let words = words.chain(language.past.iter().flat_map(|past| past.behind.iter().copied()));
            for word in words.chain(language.ambiguous.iter().chain(language.or).copied()) {
                assert!(is_folded(word), "{word:?}");
            }
            let patterns = language.modifiers.iter().chain(language.followers).map(|(pattern, _)| *pattern);
            let patterns = patterns.chain(language.expressions.iter().map(|(pattern, _)| *pattern));
            let patterns = patterns.chain(language.no_times.iter().copied());
            let patterns = patterns.chain(language.orders.iter().map(|(pattern, _)| *pattern));
            let patterns = patterns.chain(language.mentions.iter().copied()).chain(language.when.iter().copied());
            let patterns = patterns.chain(language.tenses.iter().map(|(pattern, _)| *pattern));
            for pattern in patterns {
                for part in pattern.split(' ') {
                    let part = part.trim_end_matches('?');
                    let known =
                        SLOTS.contains(&part) || part.split('|').all(|word| is_folded(word) && !word.is_empty());
                    assert!(known, "{pattern:?}: {part:?}");
                }
            }
        }
    }
}
