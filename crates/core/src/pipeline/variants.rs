//! Other ways to write a word: its umlauts and ß the other way, and every word that is one edit away.

use std::collections::BTreeSet;

/// What German writes as one letter or as two.
const LIGATURES: [(&str, &str); 4] = [("ä", "ae"), ("ö", "oe"), ("ü", "ue"), ("ß", "ss")];

/// A lower-case word with umlauts and ß as two letters, or pairs of letters as umlauts and ß: each kind alone, and all of
/// them.
pub(super) fn respellings(word: &str) -> BTreeSet<String> {
    let replace_all = |word: &str, pairs: &[(&str, &str)]| {
        pairs.iter().fold(word.to_owned(), |word, (from, to)| word.replace(from, to))
    };
    let joined = LIGATURES.map(|(one, two)| (two, one));
    let of = |pairs: [(&str, &str); 4]| {
        let alone = pairs.into_iter().map(move |pair| replace_all(word, &[pair]));
        alone.chain([replace_all(word, &pairs)]).collect::<Vec<_>>()
    };
    let mut found: BTreeSet<String> = of(LIGATURES).into_iter().chain(of(joined)).collect();
    found.remove(word);
    found
}

/// The words that are one edit from a word of lower-case letters: a letter too many, too few, another, or two swapped (optimal
/// string alignment). The first letter stays.
pub(super) fn one_edit_away(word: &str) -> BTreeSet<String> {
    let letters: Vec<char> = word.chars().collect();
    let alphabet: BTreeSet<char> = ('a'..='z').chain(letters.iter().copied()).collect();
    let mut found = BTreeSet::new();
    for place in 1..=letters.len() {
        let (before, after) = letters.split_at(place);
        let mut with = |middle: &[char], after: &[char]| {
            found.insert(before.iter().chain(middle).chain(after).collect::<String>());
        };
        for &letter in &alphabet {
            with(&[letter], after);
            if let [_, rest @ ..] = after {
                with(&[letter], rest);
            }
        }
        if let [_, rest @ ..] = after {
            with(&[], rest);
        }
        if let [first, second, rest @ ..] = after {
            with(&[*second, *first], rest);
        }
    }
    found.remove(word);
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn umlauts_are_written_both_ways() {
        let has = |word: &str, other: &str| respellings(word).contains(other);
        assert!(has("günterstalstrasse", "günterstalstraße") && has("günterstalstrasse", "guenterstalstrasse"));
        assert!(has("kaesespaetzle", "käsespätzle") && has("käsespätzle", "kaesespaetzle"));
        assert!(has("strassenbahngrösse", "straßenbahngröße") && has("grösse", "größe"));
        assert!(respellings("kite").is_empty());
    }

    #[test]
    fn edits_leave_the_first_letter() {
        let found = one_edit_away("kit");
        for word in ["kite", "kt", "ki", "kti", "knit", "kid", "kiwt"] {
            assert!(found.contains(word), "{word}");
        }
        assert!(found.iter().all(|word| word.starts_with('k')) && !found.contains("kit"));
        // One letter more in three places ("kiit" comes of two of them, and "kitt" too), another one in two places, one less in
        // two places, and one swap.
        assert_eq!(found.len(), (3 * 26 - 2) + 2 * 25 + 2 + 1);
        assert_eq!(one_edit_away("é").len(), 27);
        assert!(one_edit_away("").is_empty());
    }
}
