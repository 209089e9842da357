//! Cue questions of the texts of an index, searched like texts of their own.

use super::owned::OwnedRows;
use crate::{lexical::Postings, types::CueId};

/// Cues in order of arrival, each with the text it belongs to.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct CueIndex {
    pub(super) questions: Questions,
    pub(super) passages: OwnedRows,
}

/// Questions, their words and their vectors.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Questions {
    pub(super) rows: OwnedRows,
    pub(super) postings: Postings,
    /// Terms of the questions of each text, by text position; shorter than the texts where the last have none.
    terms: Vec<u32>,
}

impl CueIndex {
    /// No cues yet, with vectors of `dim` components where there is an encoder.
    pub(super) fn new(dim: Option<usize>) -> Self {
        let rows = || OwnedRows::new(dim);
        Self { questions: Questions { rows: rows(), ..Questions::default() }, passages: rows() }
    }

    /// No cues yet, with vectors of a kind with those of `other`.
    pub(super) fn like(other: &Self) -> Self {
        Self {
            questions: Questions { rows: OwnedRows::like(&other.questions.rows), ..Questions::default() },
            passages: OwnedRows::like(&other.passages),
        }
    }

    /// Appends the cues of `other`, whose vocabulary is given, that `chosen` names by id and owner: it answers with the
    /// owner here.
    pub(super) fn take(&mut self, other: &Self, vocabulary: &[&str], chosen: impl Fn(u64, u32) -> Option<u32>) {
        let rows = self.questions.rows.take(&other.questions.rows, &chosen);
        let terms = |&row: &u32| other.questions.postings.terms_of(row);
        self.questions.append(vocabulary, rows.iter().map(terms));
        self.passages.take(&other.passages, chosen);
    }

    /// Whether vectors of it are coded that need not be.
    pub(super) fn is_needlessly_coded(&self) -> bool {
        self.questions.rows.is_needlessly_coded() || self.passages.is_needlessly_coded()
    }

    /// The questions, each a row.
    pub fn questions(&self) -> &Questions {
        &self.questions
    }

    /// Texts with all their questions, each one row.
    pub fn passages(&self) -> &OwnedRows {
        &self.passages
    }

    /// Bytes held, approximately.
    pub(super) fn heap_bytes(&self) -> usize {
        let Questions { rows, postings, terms } = &self.questions;
        rows.heap_bytes() + self.passages.heap_bytes() + postings.heap_bytes() + 4 * terms.capacity()
    }
}

impl Questions {
    pub(super) fn push(&mut self, id: CueId, owner: u32, terms: &[String], vector: Option<&[f32]>) {
        self.rows.push(id.0, owner, vector);
        self.postings.push(terms.iter().map(String::as_str));
        self.count(owner, terms.len() as u32);
    }

    fn count(&mut self, owner: u32, terms: u32) {
        let texts = self.terms.len().max(owner as usize + 1);
        self.terms.resize(texts, 0);
        self.terms[owner as usize] += terms;
    }

    /// Gives the last rows their words.
    pub(super) fn append<'t>(&mut self, vocabulary: &[&str], texts: impl IntoIterator<Item = &'t [u32]>) {
        let from = self.postings.lengths().len();
        self.postings.append(vocabulary, texts);
        for row in from..self.postings.lengths().len() {
            self.count(self.rows.owners[row], self.postings.lengths()[row]);
        }
    }

    /// Whose they are, and their vectors.
    pub fn rows(&self) -> &OwnedRows {
        &self.rows
    }

    /// Which questions hold which terms, by row.
    pub fn postings(&self) -> &Postings {
        &self.postings
    }

    /// Terms of the questions of the text at `position`, repeats included.
    pub fn terms_of(&self, position: u32) -> u32 {
        self.terms.get(position as usize).copied().unwrap_or(0)
    }
}
