//! Questions in a language that the encoder was not trained on.

use aforesaid_core::{analysis::Language, types::EncoderId};
use aforesaid_models::{
    Languages, ModelKind,
    registry::{all, named},
};

use crate::answer::Warning;

/// What to say where a question is not in the language of a registered encoder; nothing of any other encoder.
pub(super) fn warning(query: &str, encoder: Option<&EncoderId>) -> Option<Warning> {
    let encoder = encoder.filter(|encoder| !encoder.is_remote())?;
    let entry = named(encoder.model()).ok().filter(|entry| entry.languages == Languages::English)?;
    let language = Language::of(query).filter(|language| *language != Language::English)?;
    let multilingual = all().find(|other| other.kind == ModelKind::Encoder && other.languages == Languages::Many);
    Some(Warning::ForeignQuery {
        language: language.to_string(),
        encoder: entry.name.to_owned(),
        multilingual: multilingual.map(|entry| entry.name),
    })
}
