//! A namespace in memory, derived from the store's rows and always rebuildable.

mod compare;
mod cues;
mod documents;
mod snapshot;

pub use cues::{CueIndex, Owned, Questions};
pub use documents::{Documents, Session};
pub use snapshot::BadSnapshot;

use crate::{
    analysis::{Analysis, Analyzer},
    dense::DenseIndex,
    error::StoreError,
    lexical::Postings,
    store::{CuePart, CueRow, IndexRow, IndexSink, Version},
    types::{EncoderId, passage},
};

/// What an index is made of; two indexes of one namespace are the same when these are.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct IndexSpec {
    /// How text becomes terms.
    pub analyzer: Analyzer,
    /// Whose vectors it holds; `None` for a lexical index.
    pub encoder: Option<EncoderId>,
}

impl IndexSpec {
    /// The name a snapshot is kept under.
    pub fn key(&self) -> String {
        match &self.encoder {
            Some(encoder) => format!("{}+{encoder}", self.analyzer),
            None => self.analyzer.to_string(),
        }
    }
}

/// Texts of a namespace as postings and vectors, in order of arrival.
pub struct Index {
    spec: IndexSpec,
    version: Option<Version>,
    documents: Documents,
    postings: Postings,
    dense: Option<DenseIndex>,
    cues: CueIndex,
    analysis: Analysis,
}

impl Index {
    /// An index that has seen nothing yet; `dim` are the components of its encoder's vectors.
    pub fn new(spec: IndexSpec, dim: usize) -> Self {
        let dense = spec.encoder.is_some().then(|| DenseIndex::new(dim));
        Self {
            version: None,
            documents: Documents::default(),
            postings: Postings::default(),
            cues: CueIndex::new(dense.as_ref().map(DenseIndex::dim)),
            dense,
            analysis: spec.analyzer.session(),
            spec,
        }
    }

    /// What it is made of.
    pub fn spec(&self) -> &IndexSpec {
        &self.spec
    }

    /// The state of the namespace it reflects; `None` before the first.
    pub fn version(&self) -> Option<Version> {
        self.version
    }

    /// Declares that every row up to `version` has been taken.
    pub fn set_version(&mut self, version: Version) {
        self.version = Some(version);
    }

    /// Sessions, times and places of the texts.
    pub fn documents(&self) -> &Documents {
        &self.documents
    }

    /// Which texts hold which terms.
    pub fn postings(&self) -> &Postings {
        &self.postings
    }

    /// The vectors, when the index has an encoder and some text a vector.
    pub fn dense(&self) -> Option<&DenseIndex> {
        self.dense.as_ref().filter(|dense| dense.has_any())
    }

    /// The questions that its texts answer; `None` where it has none.
    pub fn cues(&self) -> Option<&CueIndex> {
        Some(&self.cues).filter(|cues| !cues.questions().rows().is_empty())
    }

    /// Texts and rows of cues: what a store has to be read for.
    pub fn rows(&self) -> usize {
        self.documents.len() + self.cues.questions().rows().len() + self.cues.passages().len()
    }

    /// Bytes held, approximately.
    pub fn heap_bytes(&self) -> usize {
        let dense = self.dense.as_ref().map_or(0, DenseIndex::heap_bytes);
        self.documents.heap_bytes() + self.postings.heap_bytes() + dense + self.cues.heap_bytes()
    }

    fn check_dim(&self, vector: Option<&[f32]>) -> Result<(), StoreError> {
        match (&self.dense, vector, &self.spec.encoder) {
            (Some(dense), Some(vector), Some(encoder)) if vector.len() != dense.dim() => {
                Err(StoreError::Dimension { encoder: encoder.clone(), expected: dense.dim(), found: vector.len() })
            }
            _ => Ok(()),
        }
    }

    fn terms_of(&mut self, text: &str) -> Vec<String> {
        let mut terms = Vec::new();
        self.analysis.terms(text, &mut |term| terms.push(term.to_owned()));
        terms
    }
}

impl IndexSink for Index {
    fn reset(&mut self) {
        let dim = self.dense.as_ref().map_or(0, DenseIndex::dim);
        *self = Self::new(self.spec.clone(), dim);
    }

    fn row(&mut self, row: IndexRow<'_>) -> Result<(), StoreError> {
        self.check_dim(row.vector)?;
        let terms = self.terms_of(&passage(row.speaker, row.text, row.image_caption));
        self.postings.push(terms.iter().map(String::as_str));
        self.documents.push(&row, terms.len() as u32);
        if let Some(dense) = &mut self.dense {
            dense.push(row.vector);
        }
        Ok(())
    }

    fn cue(&mut self, cue: CueRow<'_>) -> Result<(), StoreError> {
        self.check_dim(cue.vector)?;
        // A cue of a memory that is not there is nobody's answer.
        let Some(owner) = self.documents.position(cue.seq) else { return Ok(()) };
        match cue.part {
            CuePart::Passage => self.cues.passages.push(cue.id, owner, cue.vector),
            CuePart::Question(question) => {
                let terms = self.terms_of(question);
                self.cues.questions.push(cue.id, owner, &terms, cue.vector);
            }
        }
        Ok(())
    }
}

impl std::fmt::Debug for Index {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Index")
            .field("spec", &self.spec)
            .field("version", &self.version)
            .field("texts", &self.documents.len())
            .finish_non_exhaustive()
    }
}
