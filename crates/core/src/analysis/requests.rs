//! New requests to an assistant, and what people once said of how they want things.
//!
//! Words of a language make up a table, so that another language is another table. English is the one that there is.

/// The words of a language by which requests and wishes are told, each one or several words in order.
struct Words {
    /// They ask for advice or for work to be done.
    asks: &'static [&'static str],
    /// They ask for what was said or done: a text that has one is a question, not a request.
    recalls: &'static [&'static str],
    /// They say how somebody wants things to be: an instruction that goes on, a taste, a habit, a limit.
    wishes: &'static [&'static str],
}

const LANGUAGES: [Words; 1] = [ENGLISH];

const ENGLISH: Words = Words {
    asks: &[
        "advise",
        "any ideas",
        "best way",
        "can you",
        "come up with",
        "could",
        "create",
        "design",
        "draft",
        "explain",
        "find me",
        "give me",
        "help me",
        "how can i",
        "how do i",
        "how might i",
        "how to",
        "how would you",
        "i'd like a",
        "i'd like to",
        "i'm looking for",
        "i'm planning",
        "i'm thinking about",
        "i'm thinking of",
        "i'm trying to",
        "i need a",
        "i need some",
        "i want to",
        "ideas",
        "let's",
        "make a",
        "make me",
        "outline",
        "plan",
        "please",
        "prepare",
        "propose",
        "put together",
        "recommend",
        "recommendation",
        "recommendations",
        "set me up",
        "shall",
        "should",
        "show me",
        "suggest",
        "suggestions",
        "tips",
        "walk me through",
        "what are some",
        "what can i",
        "what do i say",
        "what is a good",
        "what is the best",
        "what options",
        "what would",
        "what's a good",
        "what's the best",
        "will you",
        "worth",
        "would you",
        "write",
    ],
    recalls: &[
        "across",
        "again",
        "agreed",
        "called",
        "chose",
        "decided",
        "did",
        "earlier",
        "ever",
        "gave",
        "had",
        "has my",
        "have i",
        "have we",
        "have you",
        "how much is my",
        "how old is",
        "i asked",
        "i bought",
        "i got",
        "i used",
        "i wrote",
        "in order",
        "last time",
        "mentioned",
        "previously",
        "recommended",
        "remember",
        "remind",
        "said",
        "settled",
        "so far",
        "suggested",
        "summarize",
        "summary of",
        "throughout",
        "told",
        "was",
        "we discussed",
        "we talked",
        "were",
        "what are my",
        "what is my",
        "what's my",
        "when is my",
        "where is my",
        "which of my",
        "who is my",
        "you advised",
        "you listed",
        "you named",
        "you proposed",
        "you wrote",
    ],
    wishes: &[
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
    ],
};

/// Whether a text asks for something new, advice or work, and not for what was said or done.
pub(super) fn is_request(text: &str) -> bool {
    let text = spaced(text);
    LANGUAGES.iter().any(|of| has(&text, of.asks) && !has(&text, of.recalls))
}

/// Whether a text says how the one who speaks wants things to be.
pub(super) fn states_a_wish(text: &str) -> bool {
    let text = spaced(text);
    LANGUAGES.iter().any(|of| has(&text, of.wishes))
}

fn has(spaced: &str, phrases: &[&str]) -> bool {
    phrases.iter().any(|phrase| {
        let whole = |at: usize| spaced[..at].ends_with(' ') && spaced[at + phrase.len()..].starts_with(' ');
        spaced.match_indices(phrase).any(|(at, _)| whole(at))
    })
}

/// Its words in lower case, each with a space before and after it.
fn spaced(text: &str) -> String {
    let mut spaced = String::with_capacity(text.len() + 2);
    spaced.push(' ');
    let is_word = |char: char| char.is_alphanumeric() || matches!(char, '\'' | '\u{2019}');
    for word in text.split(|char| !is_word(char)).filter(|word| !word.is_empty()) {
        let lower = |char: char| if char == '\u{2019}' { '\''.to_string() } else { char.to_lowercase().to_string() };
        spaced.extend(word.chars().map(lower));
        spaced.push(' ');
    }
    spaced
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_asks_for_advice_or_work() {
        for text in [
            "How should I word the reminder to the supplier?",
            "Plan three dinners for the weekend",
            "could you write a packing list",
            "The insurer wants to phone me on Friday. Which slot should I give him?",
            "What\u{2019}s a good present for Nia?",
            "any ideas for a rainy day with the kids",
        ] {
            assert!(is_request(text), "{text}");
        }
    }

    #[test]
    fn a_question_for_what_was_is_no_request() {
        for text in [
            "How much did the boiler cost?",
            "can you remind me which shade we chose",
            "What should I do first, you said?",
            "which recipe did you suggest",
            "what is my budget for the kitchen",
            "Where does Ann live?",
            "a suggestion box",
            "",
        ] {
            assert!(!is_request(text), "{text}");
        }
    }

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
