//! What people once said of how they want things: an instruction that goes on, a taste, a habit, a limit.
//!
//! Words of a language make up a table, so that another language is another table. English is the one that there is.

use super::spaced::Spaced;

/// Tables of words by which wishes are told, each one or several words in order.
const LANGUAGES: [&[&str]; 1] = [&ENGLISH];

const ENGLISH: [&str; 86] = [
    "afford",
    "allergic",
    "allergy",
    "always",
    "as a rule",
    "at most",
    "bear in mind",
    "be sure to",
    "coeliac",
    "do not use",
    "don't give",
    "don't use",
    "each time",
    "every time",
    "favorite",
    "favourite",
    "for the record",
    "from here on",
    "from now on",
    "going forward",
    "has to",
    "have to",
    "house rule",
    "i am allergic",
    "i avoid",
    "i can't",
    "i cannot",
    "i care about",
    "i dislike",
    "i do not like",
    "i don't",
    "i enjoy",
    "i find",
    "i hate",
    "i like",
    "i love",
    "i mean to",
    "i must",
    "i need",
    "i only want",
    "i prefer",
    "i refuse",
    "i tend to",
    "i usually",
    "i want",
    "i won't",
    "i work best",
    "i would like you to",
    "i would prefer",
    "i would rather",
    "i'd like",
    "i'd prefer",
    "i'd rather",
    "i'm not a fan",
    "i'm trying to avoid",
    "i'm used to",
    "if i ask",
    "important to me",
    "in future",
    "in the future",
    "intolerant",
    "keep in mind",
    "make sure",
    "matters to me",
    "my budget",
    "my rule",
    "my style",
    "never",
    "no longer than",
    "no more",
    "not a fan",
    "note that i",
    "only ever",
    "please do not",
    "please don't",
    "remember that i",
    "stick to",
    "stop",
    "suits me",
    "vegan",
    "vegetarian",
    "whenever",
    "when i ask",
    "when you",
    "works best for me",
    "works for me",
];

/// Whether a text says how the one who speaks wants things to be.
pub(super) fn states_a_wish(text: &str) -> bool {
    let text = Spaced::new(text);
    LANGUAGES.iter().any(|phrases| text.has_any(phrases))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wishes_are_told_by_their_words() {
        for text in [
            "From now on metric units only, please.",
            "I don\u{2019}t eat nuts",
            "Never book me before ten.",
            "my budget is 400 a month",
        ] {
            assert!(states_a_wish(text), "{text}");
        }
        for text in ["The van broke down near Lyon.", "unstoppable", "We nevertheless went.", "\u{732b}", ""] {
            assert!(!states_a_wish(text), "{text}");
        }
    }
}
