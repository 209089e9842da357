//! Whom a question is about.

use std::collections::HashSet;

use crate::{analysis::Question, index::Index};

/// People who are asked about.
#[derive(Debug, Default)]
pub(super) struct Named {
    /// By speaker number.
    about: Vec<bool>,
    /// Terms of the question that are names.
    terms: Vec<String>,
}

impl Named {
    pub(super) fn of(question: &Question, index: &Index) -> Self {
        let speakers = index.documents().speakers();
        let about = question.is_about(speakers);
        let content = question.terms_of(&question.without_names(speakers), index.spec().analyzer);
        let content: HashSet<&String> = content.iter().collect();
        let terms = question.terms.iter().filter(|term| !content.contains(term)).cloned().collect();
        Self { about, terms }
    }

    /// Whether nobody is.
    pub(super) fn nobody(&self) -> bool {
        !self.about.contains(&true)
    }

    /// Whether a term is of the name of somebody asked about.
    pub(super) fn has_term(&self, term: &str) -> bool {
        self.terms.iter().any(|name| name == term)
    }

    /// Whether somebody asked about said the text.
    pub(super) fn said(&self, index: &Index, text: u32) -> bool {
        let speaker = index.documents().speaker_of(text);
        speaker.is_some_and(|speaker| self.about.get(speaker as usize).copied().unwrap_or(false))
    }
}
