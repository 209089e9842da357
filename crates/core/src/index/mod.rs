//! A namespace in memory, derived from the store's rows and always rebuildable.

mod compare;
mod cues;
mod documents;
mod maker;
mod owned;
mod removal;
mod segment;
mod statistics;
#[cfg(test)]
mod tests;
mod titles;

use std::collections::BTreeMap;

pub use cues::{CueIndex, Questions};
pub use documents::{Documents, Session};
pub use owned::OwnedRows;
pub use statistics::{CollectionStatistics, CueQuestions, HolderCount, LengthCount, VectorCandidates};
pub use titles::Titles;

use crate::{
    analysis::{Analysis, Analyzer},
    dense::DenseIndex,
    error::StoreError,
    lexical::Postings,
    store::{
        CuePart, CueRow, IndexRow, IndexSink, Removed, Segment, SegmentKind, SegmentUse, SnapshotName, TitleRow,
        Version,
    },
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
    pub fn snapshot_name(&self) -> SnapshotName {
        let index = match &self.encoder {
            Some(encoder) => format!("{}+{encoder}", self.analyzer),
            None => self.analyzer.to_string(),
        };
        SnapshotName { index, maker: maker::maker().to_owned() }
    }
}

/// Names what analyzers make of a text: terms that were kept under another name are to be made again.
pub fn terms_fingerprint() -> &'static str {
    maker::terms()
}

/// Texts of a namespace as postings and vectors, in order of arrival.
pub struct Index {
    spec: IndexSpec,
    version: Option<Version>,
    documents: Documents,
    postings: Postings,
    /// Vectors of the texts' first windows.
    dense: Option<DenseIndex>,
    /// The other windows of long texts, each by its number.
    windows: OwnedRows,
    cues: CueIndex,
    titles: Titles,
    analysis: Analysis,
    /// Blocks that a store keeps segments of, and how far those go.
    kept: BTreeMap<(SegmentKind, u64), u64>,
    /// What it does with segments of coded vectors.
    coded: Coded,
    /// Counts of the whole namespace, where it holds a part.
    collection: Option<CollectionStatistics>,
}

/// Whether segments of coded vectors are of use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Coded {
    /// As long as the texts turn out to be too many for vectors as they are.
    Taken,
    /// They are not: the texts are few.
    Refused,
}

impl Index {
    /// An index that has seen nothing yet; `dim` are the components of its encoder's vectors.
    pub fn new(spec: IndexSpec, dim: usize) -> Self {
        let dense = spec.encoder.is_some().then(|| DenseIndex::new(dim));
        Self {
            version: None,
            documents: Documents::default(),
            postings: Postings::default(),
            windows: OwnedRows::new(dense.as_ref().map(DenseIndex::dim)),
            cues: CueIndex::new(dense.as_ref().map(DenseIndex::dim)),
            dense,
            titles: Titles::default(),
            analysis: spec.analyzer.session(),
            kept: BTreeMap::new(),
            coded: Coded::Taken,
            collection: None,
            spec,
        }
    }

    /// One of the same kind that has seen nothing yet.
    fn emptied(&self) -> Self {
        Self {
            dense: self.dense.as_ref().map(DenseIndex::like),
            windows: OwnedRows::like(&self.windows),
            cues: CueIndex::like(&self.cues),
            ..Self::new(self.spec.clone(), 1)
        }
    }

    /// Whether it holds codes of vectors though there is room for the vectors, so that its scores are not those of an
    /// index made anew: it is to be [started over](Index::start_over).
    pub fn is_needlessly_coded(&self) -> bool {
        self.dense.as_ref().is_some_and(DenseIndex::is_needlessly_coded)
            || self.windows.is_needlessly_coded()
            || self.cues.is_needlessly_coded()
    }

    /// Forgets everything, and takes no codes of vectors when it is made anew.
    pub fn start_over(&mut self) {
        *self = Self { coded: Coded::Refused, ..self.emptied() };
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
        self.coded = Coded::Taken;
    }

    /// Takes counts of the whole namespace: what it holds is a part of that.
    pub fn set_collection(&mut self, collection: CollectionStatistics) {
        self.collection = Some(collection);
    }

    /// Takes names of people who said something, in what it holds or not.
    pub fn note_speakers<'n>(&mut self, names: impl IntoIterator<Item = &'n str>) {
        names.into_iter().for_each(|name| _ = self.documents.number_speaker(name));
    }

    /// Counts of the whole namespace; `None` where it holds everything that term weights are measured on.
    pub fn collection(&self) -> Option<&CollectionStatistics> {
        self.collection.as_ref()
    }

    /// How many texts there are in all, held or not.
    pub fn texts(&self) -> usize {
        self.collection.as_ref().map_or(self.documents.len(), CollectionStatistics::texts)
    }

    /// How many texts hold a term of the query, in their own words.
    pub fn holders(&self, term: &str) -> usize {
        let held = self.postings.of(term).len();
        self.term_holders(term).map_or(held, |holders| holders.texts.max(held))
    }

    /// Who holds a term of the query in the whole namespace, where the index holds a part of it.
    pub(crate) fn term_holders(&self, term: &str) -> Option<HolderCount> {
        Some(self.collection.as_ref()?.terms.get(term).copied().unwrap_or_default())
    }

    /// As [`Index::term_holders`], of two terms side by side.
    pub(crate) fn pair_holders(&self, first: &str, second: &str) -> Option<HolderCount> {
        let pair = (first.to_owned(), second.to_owned());
        Some(self.collection.as_ref()?.pairs.get(&pair).copied().unwrap_or_default())
    }

    /// Sessions, times and places of the texts.
    pub fn documents(&self) -> &Documents {
        &self.documents
    }

    /// Which texts hold which terms.
    pub fn postings(&self) -> &Postings {
        &self.postings
    }

    /// The vectors of the texts' first windows, when the index has an encoder and some text a vector.
    pub fn dense(&self) -> Option<&DenseIndex> {
        self.dense.as_ref().filter(|dense| dense.has_any())
    }

    /// The other windows of texts that have several, each by its number in its text, from 1.
    pub fn windows(&self) -> &OwnedRows {
        &self.windows
    }

    /// The questions that its texts answer; `None` where it has none.
    pub fn cues(&self) -> Option<&CueIndex> {
        Some(&self.cues).filter(|cues| !cues.questions().rows().is_empty())
    }

    /// The titles of its sessions.
    pub fn titles(&self) -> &Titles {
        &self.titles
    }

    /// Texts and rows of cues: what a store has to be read for.
    pub fn rows(&self) -> usize {
        self.documents.len() + self.cues.questions().rows().len() + self.cues.passages().len()
    }

    /// Bytes held, approximately.
    pub fn heap_bytes(&self) -> usize {
        let dense = self.dense.as_ref().map_or(0, DenseIndex::heap_bytes);
        self.documents.heap_bytes()
            + self.postings.heap_bytes()
            + dense
            + self.windows.heap_bytes()
            + self.cues.heap_bytes()
            + self.titles.heap_bytes()
    }

    /// Checks that vectors are whole: `count` of them, or any number.
    fn check_dim(&self, vectors: Option<&[f32]>, count: Option<usize>) -> Result<(), StoreError> {
        let (Some(dense), Some(vectors), Some(encoder)) = (&self.dense, vectors, &self.spec.encoder) else {
            return Ok(());
        };
        let (expected, found) = (dense.dim(), vectors.len());
        let is_whole =
            found > 0 && found.is_multiple_of(expected) && count.is_none_or(|count| found == count * expected);
        match is_whole {
            true => Ok(()),
            false => Err(StoreError::Dimension { encoder: encoder.clone(), expected, found }),
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
        *self = Self { coded: self.coded, ..self.emptied() };
    }

    fn remove(&mut self, gone: &Removed) -> Result<(), StoreError> {
        self.take_out(gone);
        Ok(())
    }

    fn kept_as(&self) -> Option<SnapshotName> {
        Some(self.spec.snapshot_name())
    }

    fn segment(&mut self, segment: &Segment) -> SegmentUse {
        // A segment that cannot be read costs time, nothing else: the rows have everything.
        match self.put_back(segment) {
            Ok(()) => SegmentUse::Yes,
            Err(_) => SegmentUse::No,
        }
    }

    fn row(&mut self, row: IndexRow<'_>) -> Result<(), StoreError> {
        self.check_dim(row.vectors, None)?;
        let terms = self.terms_of(&passage(row.speaker, row.text, row.image_caption));
        self.postings.push(terms.iter().map(String::as_str));
        self.documents.push(&row, terms.len() as u32);
        if let Some(dense) = &mut self.dense {
            let (text, dim) = (self.documents.len() as u32 - 1, dense.dim());
            let mut windows = row.vectors.into_iter().flat_map(|vectors| vectors.chunks_exact(dim));
            dense.push(windows.next());
            (1..).zip(windows).for_each(|(number, vector)| self.windows.push(number, text, Some(vector)));
        }
        Ok(())
    }

    fn titles_upto(&self) -> Option<u64> {
        Some(self.titles.upto())
    }

    fn title(&mut self, title: TitleRow<'_>) {
        // A session without turns is not found.
        if let Some(session) = self.documents.session_number(title.conversation, title.session) {
            let terms = self.terms_of(title.title);
            self.titles.push(title.number, session, &terms);
        }
    }

    fn cue(&mut self, cue: CueRow<'_>) -> Result<(), StoreError> {
        self.check_dim(cue.vector, Some(1))?;
        // A cue of a memory that is not there is nobody's answer.
        let Some(owner) = self.documents.position(cue.seq) else { return Ok(()) };
        match cue.part {
            CuePart::Passage => self.cues.passages.push(cue.id.0, owner, cue.vector),
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
