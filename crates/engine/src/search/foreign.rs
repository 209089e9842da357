//! Questions in a language that the encoder was not trained on.

use aforesaid_core::{
    analysis::{Language, can_gloss, gloss_as},
    index::Index,
    types::EncoderId,
};
use aforesaid_models::{
    Languages, ModelKind,
    registry::{all, named},
};

use crate::answer::Warning;

/// What to say where a question is not in the language of a registered encoder, which does not read it in English either; nothing
/// of any other encoder.
pub(super) fn warning(query: &str, encoder: Option<&EncoderId>) -> Option<Warning> {
    let encoder = encoder.filter(|encoder| !encoder.is_remote())?;
    let entry = named(encoder.model()).ok().filter(|entry| entry.languages == Languages::English)?;
    let language = Language::of(query).filter(|language| *language != Language::English)?;
    if encoder.reads_glosses() && can_gloss(language) {
        return None;
    }
    let multilingual = all().find(|other| other.kind == ModelKind::Encoder && other.languages == Languages::Many);
    Some(Warning::ForeignQuery {
        language: language.to_string(),
        encoder: entry.name.to_owned(),
        multilingual: multilingual.map(|entry| entry.name),
    })
}

/// Texts are mostly in a language where this share of them is.
const MOSTLY: f64 = 0.5;

/// A question that is too short to tell its language, in English where most texts of an index are in one language: the encoder
/// reads those in English.
pub(super) fn in_english(question: String, index: &Index) -> String {
    let common = || index.documents().languages().into_iter().find(|(_, share)| *share >= MOSTLY);
    let glossed = match Language::of(&question) {
        None => common().and_then(|(language, _)| gloss_as(&question, language)),
        Some(_) => None,
    };
    glossed.unwrap_or(question)
}
