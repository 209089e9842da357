//! Unicode words, and what stands in for them where a script does not space them.

use unicode_segmentation::UnicodeSegmentation;

/// Calls `found` with each word of a text that is folded, or lower-case alone.
///
/// Runs of Han, Kana and other unspaced script give every character and every
/// pair of neighbours, so that both a one-character and a longer query match.
/// Pictographs are words of their own.
pub(super) fn words(text: &str, found: &mut dyn FnMut(&str)) {
    let mut previous: Option<(usize, &str)> = None;
    let mut pair = String::new();
    for (start, segment) in text.split_word_bound_indices() {
        let Some(first) = segment.chars().next() else { continue };
        if is_unspaced(first) {
            for (offset, character) in segment.char_indices() {
                let at = start + offset;
                let character = &text[at..at + character.len_utf8()];
                if let Some((_, before)) = previous.filter(|(end, _)| *end == at) {
                    pair.clear();
                    pair.push_str(before);
                    pair.push_str(character);
                    found(&pair);
                }
                found(character);
                previous = Some((at + character.len(), character));
            }
        } else if segment.chars().any(char::is_alphanumeric) {
            found(segment.strip_suffix("'s").unwrap_or(segment));
        } else if is_pictograph(first) {
            found(&segment[..first.len_utf8()]);
        }
    }
}

/// Scripts written without spaces between words.
pub(super) fn is_unspaced(c: char) -> bool {
    matches!(u32::from(c),
        0x0E00..=0x0EFF        // Thai, Lao
        | 0x1000..=0x109F      // Myanmar
        | 0x1780..=0x17FF      // Khmer
        | 0x3005 | 0x3007      // ideographic iteration mark and zero
        | 0x3040..=0x30FF      // Hiragana, Katakana
        | 0x31F0..=0x31FF      // Katakana extensions
        | 0x3400..=0x4DBF | 0x4E00..=0x9FFF | 0xF900..=0xFAFF | 0x20000..=0x323AF // Han
    )
}

/// Han characters, each of which can be a word.
pub(super) fn is_han(c: char) -> bool {
    matches!(u32::from(c), 0x3400..=0x4DBF | 0x4E00..=0x9FFF | 0xF900..=0xFAFF | 0x20000..=0x323AF)
}

fn is_pictograph(c: char) -> bool {
    matches!(u32::from(c), 0x2600..=0x27BF | 0x2B50..=0x2B59 | 0x1F000..=0x1FAFF)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    fn words(text: &str) -> Vec<String> {
        let mut words = Vec::new();
        super::words(&crate::analysis::folded(text), &mut |word| words.push(word.to_owned()));
        words
    }

    #[test]
    fn words_numbers_and_possessives() {
        assert_eq!(words("LGBTQ+ at 3.5 km; Ann's e-mail"), ["lgbtq", "at", "3.5", "km", "ann", "e", "mail"]);
    }

    #[test]
    fn unspaced_script_gives_characters_and_pairs() {
        assert_eq!(words("黒猫"), ["黒", "黒猫", "猫"]);
        assert_eq!(words("黒 猫"), ["黒", "猫"]);
        assert_eq!(words("スキー"), ["ス", "スキ", "キ", "キー", "ー"]);
    }

    #[test]
    fn pictographs_can_be_asked_for() {
        assert_eq!(words("well done 🎉!"), ["well", "done", "🎉"]);
    }

    proptest! {
        #[test]
        fn any_text_is_taken(text in "\\PC*") {
            for word in words(&text) {
                prop_assert!(!word.is_empty());
            }
        }
    }
}
