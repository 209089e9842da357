//! Messages that go on with something that earlier conversations were about.

use std::sync::LazyLock;

use super::{Language, phrases::PhraseModel};

/// The model of English, made by `training/message_words.py`. That it can be read is tested: the table is part of the program.
static ENGLISH: LazyLock<PhraseModel> =
    LazyLock::new(|| PhraseModel::read(include_str!("continuing.tsv")).unwrap_or_default());

/// What is less likely than this goes on with nothing.
const LEAST: f64 = 0.5;

/// How likely a text goes on with a matter that an earlier conversation left off, so that it means that matter as it stood last, in
/// [0, 1]. In another language than English nothing is taken for one that does.
pub(super) fn continues(text: &str, language: Option<Language>) -> f64 {
    if language.and_then(Language::number).is_some() {
        return 0.0;
    }
    Some(ENGLISH.probability(text)).filter(|&likely| likely >= LEAST).unwrap_or(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn likely(text: &str) -> f64 {
        continues(text, Language::of(text))
    }

    #[test]
    fn the_model_reads() {
        assert!(PhraseModel::read(include_str!("continuing.tsv")).is_ok());
    }

    #[test]
    fn a_message_goes_on_with_what_was_left_off() {
        for text in [
            "Hi, I'm back. The flights are booked. What should we do next?",
            "They said no to the second offer. Do we go up or walk away?",
            "The landlord agreed to the new date, so the movers need to change too.",
            "I finished the first chapter, here it is. Be honest.",
            "He wants the shorter version. Can you redo it without the last paragraph?",
        ] {
            assert!(likely(text) >= LEAST, "{text}");
        }
    }

    #[test]
    fn what_starts_something_or_asks_back_goes_on_with_nothing() {
        for text in [
            "How much did the boiler cost?",
            "Which colour did we choose for the kitchen?",
            "Suggest some quick dinner ideas.",
            "Write a short poem about the sea for my sister",
            "When did I first mention Noor?",
            "What is the name of my physio?",
            "Wir haben den zweiten genommen. Was kommt jetzt?",
            "",
        ] {
            assert!(likely(text) <= 0.0, "{text}: {}", likely(text));
        }
    }
}
