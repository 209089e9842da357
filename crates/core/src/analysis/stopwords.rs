//! Words too common to tell one turn from another.

/// Sorted, for binary search; contractions as the word rule leaves them.
#[rustfmt::skip]
const ENGLISH: [&str; 157] = [
    "a", "about", "after", "again", "all", "am", "an", "and", "any", "are", "aren't", "as", "at", "be", "because",
    "been", "before", "being", "both", "but", "by", "can", "can't", "could", "couldn't", "did", "didn't", "do",
    "does", "doesn't", "doing", "don't", "for", "from", "had", "hadn't", "has", "hasn't", "have", "haven't", "having",
    "he", "he'd", "he'll", "her", "hers", "herself", "him", "himself", "his", "how", "i", "i'd", "i'll", "i'm",
    "i've", "if", "in", "into", "is", "isn't", "it", "it'll", "its", "itself", "just", "let", "me", "might", "must",
    "my", "myself", "no", "nor", "not", "now", "of", "on", "only", "or", "other", "our", "ours", "ourselves", "own",
    "same", "shall", "she", "she'd", "she'll", "should", "shouldn't", "so", "some", "such", "than", "that", "that'd",
    "the", "their", "theirs", "them", "themselves", "then", "there", "these", "they", "they'd", "they'll", "they're",
    "they've", "this", "those", "through", "to", "too", "until", "us", "very", "was", "wasn't", "we", "we'd", "we'll",
    "we're", "we've", "were", "weren't", "what", "what'd", "what'll", "what're", "when", "where", "which", "while",
    "who", "who'd", "who'll", "whom", "whose", "why", "will", "with", "won't", "would", "wouldn't", "yes", "you",
    "you'd", "you'll", "you're", "you've", "your", "yours", "yourself", "yourselves",
];

/// Whether a folded word is an English stop word.
pub(super) fn is_english(word: &str) -> bool {
    ENGLISH.binary_search(&word).is_ok()
}

/// All of them.
pub(super) fn all_english() -> impl Iterator<Item = &'static str> {
    ENGLISH.into_iter()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_can_be_searched() {
        assert!(ENGLISH.is_sorted());
        assert!(is_english("the") && is_english("yourselves") && is_english("a"));
        assert!(!is_english("cat"));
    }
}
