//! An index as bytes, so that a one-shot command need not read a history again.
//!
//! Layout, little endian: magic, version of the namespace, documents, postings,
//! vectors, cues, CRC-32 of all before. Postings are stored as the texts' terms in order; the lists are made again from them.

use crate::{
    analysis::Form,
    dense::DenseIndex,
    lexical::Postings,
    store::Version,
    types::{CueId, Seq},
};

use super::{
    CueIndex, Index, IndexSpec, Owned, Questions,
    documents::{Documents, NONE},
};

/// First bytes; the digit moves when the layout or an analyzer changes.
const MAGIC: &[u8; 8] = b"afidx\x00\x004";

/// Bytes that are not a snapshot of this program's making.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("index snapshot: {0}; it will be made anew")]
pub struct BadSnapshot(&'static str);

impl Index {
    /// The index as bytes; `None` before it has seen a version.
    pub fn to_snapshot(&self) -> Option<Vec<u8>> {
        let version = self.version?;
        let mut out = Writer(Vec::with_capacity(self.heap_bytes() + 1024));
        out.0.extend_from_slice(MAGIC);
        out.int(version.epoch);
        out.int(version.last.0);
        out.int(version.cues.0);
        out.documents(&self.documents);
        out.postings(&self.postings);
        out.dense(self.dense.as_ref());
        out.cues(&self.cues);
        let sum = crc32fast::hash(&out.0);
        out.0.extend_from_slice(&sum.to_le_bytes());
        Some(out.0)
    }

    /// Puts an index of `spec` back.
    ///
    /// # Errors
    /// When the bytes were damaged, or made by another version of the program.
    pub fn from_snapshot(spec: IndexSpec, bytes: &[u8]) -> Result<Self, BadSnapshot> {
        let (body, sum) = bytes.split_last_chunk::<4>().ok_or(BadSnapshot("too short"))?;
        if !body.starts_with(MAGIC) {
            return Err(BadSnapshot("of another version of the program"));
        }
        if crc32fast::hash(body) != u32::from_le_bytes(*sum) {
            return Err(BadSnapshot("wrong checksum"));
        }
        let mut input = Reader(&body[MAGIC.len()..]);
        let version = Version { epoch: input.int()?, last: Seq(input.int()?), cues: CueId(input.int()?) };
        let mut documents = input.documents()?;
        let postings = input.postings(documents.len())?;
        documents.fill_sessions(postings.lengths());
        let dense = input.dense(documents.len())?;
        if spec.encoder.is_some() != dense.is_some() {
            return Err(BadSnapshot("of another kind of index"));
        }
        let cues = input.cues(documents.len(), spec.encoder.is_some())?;
        let analysis = spec.analyzer.session();
        Ok(Self { spec, version: Some(version), documents, postings, dense, cues, analysis })
    }
}

struct Writer(Vec<u8>);

impl Writer {
    /// LEB128: seven bits a byte, least significant first.
    fn int(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.0.push(value as u8 | 0x80);
            value >>= 7;
        }
        self.0.push(value as u8);
    }

    fn text(&mut self, text: &str) {
        self.int(text.len() as u64);
        self.0.extend_from_slice(text.as_bytes());
    }

    fn floats(&mut self, values: &[f32]) {
        values.iter().for_each(|value| self.0.extend_from_slice(&value.to_le_bytes()));
    }

    fn documents(&mut self, documents: &Documents) {
        self.int(documents.len() as u64);
        self.int(documents.conversations.len() as u64);
        documents.conversations.iter().for_each(|name| self.text(name));
        self.int(documents.sessions.len() as u64);
        for session in &documents.sessions {
            self.int(u64::from(session.conversation));
            self.text(&session.name);
        }
        self.int(documents.speakers.len() as u64);
        documents.speakers.iter().for_each(|name| self.text(name));
        for column in [&documents.session, &documents.conversation, &documents.speaker] {
            // Shifted by one, so that NONE is a single 0.
            column.iter().for_each(|&value| self.int(u64::from(value.wrapping_add(1))));
        }
        let mut before = 0;
        for &seq in &documents.seq {
            self.int(seq - before);
            before = seq;
        }
        documents.said_at.iter().for_each(|at| self.0.extend_from_slice(&at.to_le_bytes()));
        self.floats(&documents.importance);
        documents.form.iter().for_each(|form| self.0.extend_from_slice(&form.code().to_le_bytes()));
    }

    fn postings(&mut self, postings: &Postings) {
        postings.lengths().iter().for_each(|&length| self.int(u64::from(length)));
        let vocabulary = postings.vocabulary();
        self.int(vocabulary.len() as u64);
        vocabulary.iter().for_each(|term| self.text(term));
        self.int(postings.sequence().len() as u64);
        postings.sequence().iter().for_each(|&term| self.int(u64::from(term)));
    }

    fn dense(&mut self, dense: Option<&DenseIndex>) {
        use crate::dense::Parts;
        let Some(dense) = dense else { return self.int(0) };
        self.int(dense.dim() as u64);
        let (present, rows) = dense.parts();
        present.iter().for_each(|&has| self.0.push(u8::from(has)));
        match rows {
            Parts::Exact(rows) => {
                self.0.push(0);
                self.floats(rows);
            }
            Parts::Compact(codes, scales) => {
                self.0.push(1);
                self.0.extend(codes.iter().map(|&code| code as u8));
                self.floats(scales);
            }
        }
    }

    fn owned(&mut self, rows: &Owned) {
        self.int(rows.len() as u64);
        let mut before = 0;
        for &id in &rows.ids {
            self.int(id - before);
            before = id;
        }
        rows.owners.iter().for_each(|&owner| self.int(u64::from(owner)));
        self.dense(rows.dense.as_ref());
    }

    fn cues(&mut self, cues: &CueIndex) {
        self.owned(&cues.questions.rows);
        self.postings(&cues.questions.postings);
        self.owned(&cues.passages);
    }
}

struct Reader<'a>(&'a [u8]);

const SHORT: BadSnapshot = BadSnapshot("ends too early");

impl<'a> Reader<'a> {
    fn int(&mut self) -> Result<u64, BadSnapshot> {
        let mut value = 0;
        for shift in (0..64).step_by(7) {
            let (&byte, rest) = self.0.split_first().ok_or(SHORT)?;
            self.0 = rest;
            value |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Ok(value);
            }
        }
        Err(BadSnapshot("holds a number too large"))
    }

    fn small(&mut self) -> Result<u32, BadSnapshot> {
        u32::try_from(self.int()?).map_err(|_| BadSnapshot("holds a number too large"))
    }

    /// A count of things that take at least one byte each.
    fn count(&mut self) -> Result<usize, BadSnapshot> {
        let count = self.int()?;
        if count > self.0.len() as u64 { Err(SHORT) } else { Ok(count as usize) }
    }

    fn bytes(&mut self, count: usize) -> Result<&'a [u8], BadSnapshot> {
        let (bytes, rest) = self.0.split_at_checked(count).ok_or(SHORT)?;
        self.0 = rest;
        Ok(bytes)
    }

    fn text(&mut self) -> Result<&'a str, BadSnapshot> {
        let length = self.count()?;
        std::str::from_utf8(self.bytes(length)?).map_err(|_| BadSnapshot("holds text that is not UTF-8"))
    }

    fn words<const N: usize, T>(&mut self, count: usize, read: fn([u8; N]) -> T) -> Result<Vec<T>, BadSnapshot> {
        let bytes = self.bytes(count.checked_mul(N).ok_or(SHORT)?)?;
        Ok(bytes.as_chunks::<N>().0.iter().map(|word| read(*word)).collect())
    }

    fn documents(&mut self) -> Result<Documents, BadSnapshot> {
        let texts = self.count()?;
        let mut documents = Documents::default();
        for _ in 0..self.count()? {
            let name = self.text()?;
            documents.number_conversation(name);
        }
        for _ in 0..self.count()? {
            let conversation = self.small()?;
            let name = self.text()?;
            documents.number_session(conversation, name);
        }
        for _ in 0..self.count()? {
            let name = self.text()?;
            documents.number_speaker(name);
        }
        let column = |input: &mut Self, limit: usize| {
            (0..texts)
                .map(|_| {
                    let value = input.small()?.wrapping_sub(1);
                    let known = value == NONE || (value as usize) < limit;
                    known.then_some(value).ok_or(BadSnapshot("names a session or a speaker that is not there"))
                })
                .collect::<Result<Vec<u32>, _>>()
        };
        documents.session = column(self, documents.sessions.len())?;
        documents.conversation = column(self, documents.conversations.len())?;
        documents.speaker = column(self, documents.speakers.len())?;
        let mut seq = 0u64;
        for _ in 0..texts {
            seq = seq.checked_add(self.int()?).ok_or(BadSnapshot("holds a number too large"))?;
            documents.seq.push(seq);
        }
        documents.said_at = self.words(texts, i64::from_le_bytes)?;
        documents.importance = self.words(texts, f32::from_le_bytes)?;
        let forms = self.words(texts, u16::from_le_bytes)?.into_iter().map(Form::from_code);
        documents.form = forms.collect::<Option<_>>().ok_or(BadSnapshot("holds a form that is none"))?;
        Ok(documents)
    }

    fn postings(&mut self, texts: usize) -> Result<Postings, BadSnapshot> {
        let lengths = (0..texts).map(|_| self.small()).collect::<Result<Vec<_>, _>>()?;
        let terms = self.count()?;
        let vocabulary = (0..terms).map(|_| self.text().map(Box::from)).collect::<Result<Vec<_>, _>>()?;
        let total = self.count()?;
        let sequence = (0..total).map(|_| self.small()).collect::<Result<Vec<_>, _>>()?;
        Postings::from_sequence(vocabulary, &lengths, sequence).ok_or(BadSnapshot("names a term that is not there"))
    }

    fn dense(&mut self, texts: usize) -> Result<Option<DenseIndex>, BadSnapshot> {
        let dim = self.int()? as usize;
        if dim == 0 {
            return Ok(None);
        }
        let present = self.bytes(texts)?.iter().map(|&has| has != 0).collect();
        let components = texts.checked_mul(dim).ok_or(SHORT)?;
        let dense = match self.bytes(1)? {
            [0] => DenseIndex::from_exact(dim, present, self.words(components, f32::from_le_bytes)?),
            [1] => {
                let codes = self.bytes(components)?.iter().map(|&code| code as i8).collect();
                DenseIndex::from_codes(dim, present, codes, self.words(texts, f32::from_le_bytes)?)
            }
            _ => None,
        };
        dense.map(Some).ok_or(BadSnapshot("holds vectors of an unknown kind"))
    }

    fn owned(&mut self, texts: usize, has_encoder: bool) -> Result<Owned, BadSnapshot> {
        let rows = self.count()?;
        let mut id = 0u64;
        let mut ids = Vec::with_capacity(rows);
        for _ in 0..rows {
            id = id.checked_add(self.int()?).ok_or(BadSnapshot("holds a number too large"))?;
            ids.push(id);
        }
        let owners = (0..rows).map(|_| self.small()).collect::<Result<Vec<_>, _>>()?;
        if owners.iter().any(|&owner| owner as usize >= texts) {
            return Err(BadSnapshot("holds a cue of a text that is not there"));
        }
        let dense = self.dense(rows)?;
        match dense.is_some() == has_encoder {
            true => Ok(Owned { ids, owners, dense }),
            false => Err(BadSnapshot("of another kind of index")),
        }
    }

    fn cues(&mut self, texts: usize, has_encoder: bool) -> Result<CueIndex, BadSnapshot> {
        let rows = self.owned(texts, has_encoder)?;
        let postings = self.postings(rows.len())?;
        let questions = Questions::from_parts(rows, postings);
        Ok(CueIndex { questions, passages: self.owned(texts, has_encoder)? })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{
        analysis::Analyzer,
        store::{CuePart, CueRow, IndexRow, IndexSink},
        types::{EncoderId, Kind, Timestamp},
    };

    fn spec() -> IndexSpec {
        IndexSpec { analyzer: Analyzer::English, encoder: Some(EncoderId::new("test@1").unwrap()) }
    }

    fn index() -> Index {
        let mut index = Index::new(spec(), 2);
        let rows = [
            (3, Some("a"), Some("s1"), "cats and dogs", Some(5), Some(&[0.6f32, 0.8][..])),
            (4, Some("b"), Some("s1"), "dogs again", None, None),
            (9, None, None, "a note", Some(-7), Some(&[1.0, 0.0][..])),
        ];
        for (seq, conversation, session, text, at, vector) in rows {
            index
                .row(IndexRow {
                    seq: Seq(seq),
                    kind: Kind::Turn,
                    conversation,
                    session,
                    speaker: Some("Ann"),
                    text,
                    image_caption: None,
                    said_at: at.map(|at| Timestamp::from_millis(at).unwrap()),
                    importance: 0.5,
                    vector,
                })
                .unwrap();
        }
        let cues = [
            (2, 4, CuePart::Passage, None),
            (3, 4, CuePart::Question("Who has dogs again?"), Some(&[0.0f32, 1.0][..])),
            (7, 3, CuePart::Question("Whose cats?"), None),
        ];
        for (id, seq, part, vector) in cues {
            index.cue(CueRow { id: CueId(id), seq: Seq(seq), part, vector }).unwrap();
        }
        index.set_version(Version { epoch: 2, last: Seq(9), cues: CueId(7) });
        index
    }

    #[test]
    fn an_index_comes_back_as_it_was() {
        let index = index();
        let back = Index::from_snapshot(spec(), &index.to_snapshot().unwrap()).unwrap();
        assert_eq!(back.version, index.version);
        assert_eq!(back.documents, index.documents);
        assert_eq!(back.postings, index.postings);
        assert_eq!(back.dense, index.dense);
        assert_eq!(back.cues, index.cues);
    }

    #[test]
    fn another_kind_of_index_is_refused() {
        let bytes = index().to_snapshot().unwrap();
        let lexical = IndexSpec { encoder: None, ..spec() };
        assert!(Index::from_snapshot(lexical, &bytes).is_err());
    }

    proptest! {
        #[test]
        fn damage_is_noticed(at in 0usize..10_000, bit in 0u8..8) {
            let mut bytes = index().to_snapshot().unwrap();
            let at = at % bytes.len();
            bytes[at] ^= 1 << bit;
            prop_assert!(Index::from_snapshot(spec(), &bytes).is_err());
        }

        #[test]
        fn no_bytes_are_a_panic(mut bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            // With the right magic and checksum, so that the reader itself is tested.
            let mut whole = MAGIC.to_vec();
            whole.append(&mut bytes);
            let sum = crc32fast::hash(&whole);
            whole.extend_from_slice(&sum.to_le_bytes());
            let _ = Index::from_snapshot(spec(), &whole);
        }
    }
}
