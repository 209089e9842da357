//! Cue questions of the texts of an index, searched like texts of their own.

use crate::{dense::DenseIndex, lexical::Postings, types::CueId};

/// Cues in order of arrival, each with the text it belongs to.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct CueIndex {
    pub(super) questions: Questions,
    pub(super) passages: CueRows,
}

/// Rows that belong to texts.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct CueRows {
    pub(super) ids: Vec<u64>,
    pub(super) owners: Vec<u32>,
    pub(super) dense: Option<DenseIndex>,
}

/// Questions, their words and their vectors.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Questions {
    pub(super) rows: CueRows,
    pub(super) postings: Postings,
    /// Terms of the questions of each text, by text position; shorter than the texts where the last have none.
    terms: Vec<u32>,
}

impl CueIndex {
    /// No cues yet, with vectors of `dim` components where there is an encoder.
    pub(super) fn new(dim: Option<usize>) -> Self {
        let rows = || CueRows { dense: dim.map(DenseIndex::new), ..CueRows::default() };
        Self { questions: Questions { rows: rows(), ..Questions::default() }, passages: rows() }
    }

    /// No cues yet, with vectors of a kind with those of `other`.
    pub(super) fn like(other: &Self) -> Self {
        let of = |rows: &CueRows| CueRows { dense: rows.dense.as_ref().map(DenseIndex::like), ..CueRows::default() };
        Self {
            questions: Questions { rows: of(&other.questions.rows), ..Questions::default() },
            passages: of(&other.passages),
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
        let rows = [&self.questions.rows, &self.passages];
        rows.into_iter().filter_map(|rows| rows.dense.as_ref()).any(DenseIndex::is_needlessly_coded)
    }

    /// The questions, each a row.
    pub fn questions(&self) -> &Questions {
        &self.questions
    }

    /// Texts with all their questions, each one row.
    pub fn passages(&self) -> &CueRows {
        &self.passages
    }

    /// Bytes held, approximately.
    pub(super) fn heap_bytes(&self) -> usize {
        let Questions { rows, postings, terms } = &self.questions;
        rows.heap_bytes() + self.passages.heap_bytes() + postings.heap_bytes() + 4 * terms.capacity()
    }
}

impl CueRows {
    pub(super) fn push(&mut self, id: CueId, owner: u32, vector: Option<&[f32]>) {
        self.ids.push(id.0);
        self.owners.push(owner);
        if let Some(dense) = &mut self.dense {
            dense.push(vector);
        }
    }

    /// Appends chosen rows of others; says which those are there.
    pub(super) fn take(&mut self, other: &Self, chosen: impl Fn(u64, u32) -> Option<u32>) -> Vec<u32> {
        let mut taken = Vec::new();
        for (row, (&id, &owner)) in (0..).zip(other.ids.iter().zip(&other.owners)) {
            if let Some(owner) = chosen(id, owner) {
                self.ids.push(id);
                self.owners.push(owner);
                taken.push(row);
            }
        }
        if let (Some(dense), Some(other)) = (&mut self.dense, &other.dense) {
            dense.take(other, taken.iter().copied());
        }
        taken
    }

    /// Rows.
    pub fn len(&self) -> usize {
        self.owners.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.owners.is_empty()
    }

    /// The text that each row belongs to, by position.
    pub fn owners(&self) -> &[u32] {
        &self.owners
    }

    /// What the store calls a row.
    pub fn id(&self, row: u32) -> CueId {
        CueId(self.ids[row as usize])
    }

    /// The vectors, when the index has an encoder and some row a vector.
    pub fn dense(&self) -> Option<&DenseIndex> {
        self.dense.as_ref().filter(|dense| dense.has_any())
    }

    /// Rows from the place `first` to `last`, both included.
    pub(super) fn count(&self, first: u64, last: u64) -> usize {
        self.ids.partition_point(|id| *id <= last) - self.ids.partition_point(|id| *id < first)
    }

    fn heap_bytes(&self) -> usize {
        12 * self.ids.capacity() + self.dense.as_ref().map_or(0, DenseIndex::heap_bytes)
    }
}

impl Questions {
    pub(super) fn push(&mut self, id: CueId, owner: u32, terms: &[String], vector: Option<&[f32]>) {
        self.rows.push(id, owner, vector);
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
    pub fn rows(&self) -> &CueRows {
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
