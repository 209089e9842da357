//! New requests to an assistant, told from questions about what was.

use std::sync::LazyLock;

use super::{Language, phrases::PhraseModel, spaced::Spaced};

/// The model of English, made by `training/message_words.py`. That it can be read is tested: the table is part of the program.
static ENGLISH: LazyLock<PhraseModel> =
    LazyLock::new(|| PhraseModel::read(include_str!("requests.tsv")).unwrap_or_default());

/// What is less likely than this is no request at all.
const LEAST: f64 = 0.2;

/// Words of English that go back to what was: a text with one of them is no request, whatever stands around it.
const GOING_BACK: [&str; 28] = [
    "did",
    "have i",
    "have we",
    "have you",
    "how many",
    "i asked",
    "i mentioned",
    "i wrote",
    "in the order",
    "our conversation",
    "our conversations",
    "previous conversation",
    "remind me",
    "we discussed",
    "we talked",
    "what order",
    "what was",
    "you advised",
    "you gave",
    "you listed",
    "you mentioned",
    "you named",
    "you proposed",
    "you recommended",
    "you said",
    "you suggested",
    "you told",
    "you wrote",
];

/// How likely a text asks for something new, advice or work, and not for what was said or done, in [0, 1]. In another language than
/// English nothing is taken for a request.
pub(super) fn request(text: &str, language: Option<Language>) -> f64 {
    if language.and_then(Language::number).is_some() || Spaced::new(text).has_any(&GOING_BACK) {
        return 0.0;
    }
    Some(ENGLISH.probability(text)).filter(|&likely| likely >= LEAST).unwrap_or(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn likely(text: &str) -> f64 {
        request(text, Language::of(text))
    }

    #[test]
    fn the_model_reads() {
        assert!(PhraseModel::read(include_str!("requests.tsv")).is_ok());
    }

    #[test]
    fn a_request_asks_for_advice_or_work() {
        for text in [
            "How should I word the reminder to the supplier?",
            "Suggest some quick dinner ideas.",
            "could you write a packing list",
            "The insurer wants to phone me on Friday. Which slot should I give him?",
            "What\u{2019}s a good present for Nia?",
            "any ideas for a rainy day with the kids",
        ] {
            assert!(likely(text) >= 0.5, "{text}: {}", likely(text));
        }
    }

    #[test]
    fn a_question_for_what_was_is_no_request() {
        for text in [
            "How much did the boiler cost?",
            "can you remind me which shade we chose",
            "What should I do first, you said?",
            "which recipe did you suggest",
            "I'm planning a party for my sister and her family. Can you remind me of the caterer, please?",
            "How many days are there between my meeting and the review of my draft with her?",
            "what is my budget for the kitchen",
            "Where does Ann live?",
            "Welche Farbe soll ich nehmen?",
            "",
        ] {
            assert!(likely(text) < 0.5, "{text}: {}", likely(text));
        }
    }
}
