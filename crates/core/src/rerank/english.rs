//! What a reranker that knows English alone is shown of other languages.

use super::RerankCandidate;
use crate::analysis::{Language, can_gloss, gloss_as};

/// A question and its candidates, word for word in English as far as they can be ([`gloss_as`]); `None` where neither the question
/// nor a candidate is in a language that can be read so.
///
/// What is too short to tell its language is read in that of half of the candidates, where they have one.
pub fn in_english(query: &str, candidates: &[RerankCandidate]) -> Option<(String, Vec<RerankCandidate>)> {
    let told: Vec<Option<Language>> = candidates.iter().map(|candidate| Language::of(&candidate.text)).collect();
    let times = |language: Language| told.iter().filter(|other| **other == Some(language)).count();
    let common = told.iter().copied().flatten().find(|language| 2 * times(*language) >= candidates.len());
    let of_query = Language::of(query);
    if !told.iter().chain([&of_query]).any(|language| language.or(common).is_some_and(can_gloss)) {
        return None;
    }
    let english = |language: Option<Language>, text: &str| {
        let glossed = language.or(common).and_then(|language| gloss_as(text, language));
        glossed.unwrap_or_else(|| text.to_owned())
    };
    let all = |texts: &[String]| texts.iter().map(|text| english(Language::of(text), text)).collect();
    let shown = candidates.iter().zip(&told).map(|(candidate, language)| RerankCandidate {
        text: english(*language, &candidate.text),
        before: all(&candidate.before),
        after: all(&candidate.after),
        ..candidate.clone()
    });
    Some((english(of_query, query), shown.collect()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(query: &str, texts: &[&str]) -> Option<(String, Vec<String>)> {
        let candidate = |text: &&str| RerankCandidate { text: (*text).to_owned(), ..RerankCandidate::default() };
        let candidates: Vec<RerankCandidate> = texts.iter().map(candidate).collect();
        let (query, shown) = in_english(query, &candidates)?;
        Some((query, shown.into_iter().map(|candidate| candidate.text).collect()))
    }

    #[test]
    fn english_is_shown_as_it_is() {
        assert_eq!(shown("When will it be free?", &["The flat is free in May.", "Ok."]), None);
        assert_eq!(shown("고양이 이름이 뭐야?", &["The cat is called Olive."]), None, "the dictionary lacks it");
    }

    #[test]
    fn what_is_too_short_to_tell_its_language_is_read_as_half_of_the_candidates_are() {
        let (query, texts) = shown("Schlüssel?", &["Wo sind die Schlüssel?", "Danke!"]).unwrap();
        assert_eq!((query.as_str(), texts[0].as_str()), ("key?", "where are the key?"));
        let (query, texts) =
            shown("Schlüssel?", &["Wo sind die Schlüssel?", "The key is here.", "It is on the hook."]).unwrap();
        assert_eq!((query.as_str(), texts[1].as_str()), ("Schlüssel?", "The key is here."));
    }
}
