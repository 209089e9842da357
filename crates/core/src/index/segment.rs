//! Parts of an index as bytes, so that a one-shot command need not read a history again.
//!
//! Layout, little endian: magic, rows, CRC-32 of all before. SegmentKind of memories are columns, terms and vectors; rows of cues
//! are questions with their terms and vectors, then texts with all their questions. Names and terms are numbered in each
//! segment by itself, so that none holds anything of another's rows. Postings are stored as the texts' terms in order; the
//! lists are made again from them.

use std::{collections::BTreeSet, ops::Range};

use crate::{
    analysis::Form,
    dense::DenseIndex,
    store::{BLOCK, Segment, SegmentKind, Version},
    types::Seq,
};

use super::{
    Coded, CueIndex, Index, OwnedRows,
    documents::{Documents, NONE},
};

/// First bytes.
const MAGIC: &[u8; 8] = b"afseg\x00\x002";

/// Bytes are no segment of this index.
#[derive(Debug)]
pub(super) struct BadSegment;

/// Texts and their words, read from a segment.
struct Words<'a> {
    vocabulary: Vec<&'a str>,
    lengths: Vec<u32>,
    sequence: Vec<u32>,
}

impl Words<'_> {
    /// The terms of each text, by number.
    fn texts(&self) -> impl Iterator<Item = &[u32]> {
        let mut rest = self.sequence.as_slice();
        self.lengths.iter().map(move |&length| {
            let (text, after) = rest.split_at(length as usize);
            rest = after;
            text
        })
    }
}

impl Index {
    /// Texts and rows of cues that no segment of the store has.
    pub fn unkept_rows(&self) -> usize {
        let places = &self.documents.seq;
        let count = |(&(rows, block), &upto): (&(SegmentKind, u64), &u64)| {
            let first = Segment::first(block);
            match rows {
                SegmentKind::Memories => {
                    places.partition_point(|&at| at <= upto) - places.partition_point(|&at| at < first)
                }
                SegmentKind::Cues => {
                    self.cues.questions().rows().count(first, upto) + self.cues.passages().count(first, upto)
                }
            }
        };
        self.rows().saturating_sub(self.kept.iter().map(count).sum())
    }

    /// Segments of what the store has none of; none before the index has seen a version.
    pub fn unkept_segments(&self) -> impl Iterator<Item = Segment> {
        let terms = self.postings.vocabulary();
        let of_cues = self.cues.questions.postings.vocabulary();
        let version = self.version;
        let blocks = version.map(|_| self.unkept_blocks()).unwrap_or_default();
        blocks.into_iter().filter_map(move |(rows, block)| {
            let end = Segment::first(block + 1) - 1;
            let Version { last, cues, .. } = version?;
            let (upto, bytes) = match rows {
                SegmentKind::Memories => (end.min(last.0), self.memories_of(block, &terms)),
                SegmentKind::Cues => (end.min(cues.0), self.cues_of(block, &of_cues)),
            };
            Some(Segment { rows, block, upto, bytes })
        })
    }

    /// Notes that the store has segments that were made at `version`; says whether that is of use still.
    pub fn set_kept(&mut self, version: Version, segments: &[Segment]) -> bool {
        let continues = self.version.is_some_and(|now| now.continues(version));
        if continues {
            self.kept.extend(segments.iter().map(|segment| ((segment.rows, segment.block), segment.upto)));
        }
        continues
    }

    /// Blocks with rows beyond what segments of the store go up to.
    fn unkept_blocks(&self) -> BTreeSet<(SegmentKind, u64)> {
        let cues = self.cues.questions().rows().ids.iter().chain(&self.cues.passages().ids);
        let memories = self.documents.seq.iter().map(|&at| (SegmentKind::Memories, at));
        let mut blocks = BTreeSet::new();
        // SegmentKind of a block stand together, so that most are of the block before.
        let mut last = None;
        for (rows, at) in memories.chain(cues.map(|&id| (SegmentKind::Cues, id))) {
            let block = (rows, at / BLOCK);
            if last != Some(block) && self.kept.get(&block).is_none_or(|&upto| at > upto) {
                blocks.insert(block);
                last = Some(block);
            }
        }
        blocks
    }

    fn memories_of(&self, block: u64, vocabulary: &[&str]) -> Vec<u8> {
        let Range { start, end } = range_of(&self.documents.seq, block);
        let texts = || start as u32..end as u32;
        let mut documents = Documents::default();
        documents.take(&self.documents, texts(), self.postings.lengths());
        let mut out = Writer::new();
        out.documents(&documents);
        out.words(vocabulary, texts().map(|text| self.postings.terms_of(text)));
        out.dense(slice(self.dense.as_ref(), texts()).as_ref());
        let mut windows = OwnedRows::like(&self.windows);
        windows.take(&self.windows, |_, owner| texts().contains(&owner).then(|| owner - start as u32));
        out.windows(&windows);
        out.finish()
    }

    fn cues_of(&self, block: u64, vocabulary: &[&str]) -> Vec<u8> {
        let mut cues = CueIndex::like(&self.cues);
        cues.take(&self.cues, vocabulary, |id, owner| (id / BLOCK == block).then_some(owner));
        let mut out = Writer::new();
        out.owned(&cues.questions.rows, &self.documents);
        let postings = &cues.questions.postings;
        let rows = 0..cues.questions.rows.len() as u32;
        out.words(&postings.vocabulary(), rows.map(|row| postings.terms_of(row)));
        out.owned(&cues.passages, &self.documents);
        out.finish()
    }

    /// Appends the rows of a segment, or leaves everything as it was.
    pub(super) fn put_back(&mut self, segment: &Segment) -> Result<(), BadSegment> {
        let (body, sum) = segment.bytes.split_last_chunk::<4>().ok_or(BadSegment)?;
        if !body.starts_with(MAGIC) || crc32fast::hash(body) != u32::from_le_bytes(*sum) {
            return Err(BadSegment);
        }
        let input = Reader(&body[MAGIC.len()..]);
        let places = Segment::first(segment.block)..=segment.upto;
        match segment.rows {
            _ if segment.upto / BLOCK != segment.block => return Err(BadSegment),
            SegmentKind::Memories => self.put_back_memories(input, |at| places.contains(&at))?,
            SegmentKind::Cues => self.put_back_cues(input, |id| places.contains(&id))?,
        }
        self.kept.insert((segment.rows, segment.block), segment.upto);
        Ok(())
    }

    fn put_back_memories(
        &mut self,
        mut input: Reader<'_>,
        is_of_block: impl Fn(u64) -> bool,
    ) -> Result<(), BadSegment> {
        let documents = input.documents()?;
        let words = input.words_of(documents.len())?;
        let dense = input.dense(documents.len())?;
        let windows = input.windows(documents.len())?;
        let last = self.documents.seq.last().copied().unwrap_or(0);
        check(input.0.is_empty() && is_after(&documents.seq, last, is_of_block))?;
        check(self.fits(dense.as_ref()) && self.fits(windows.dense.as_ref()))?;
        let before = self.documents.len() as u32;
        let texts = 0..documents.len() as u32;
        self.documents.take(&documents, texts.clone(), &words.lengths);
        self.postings.append(&words.vocabulary, words.texts());
        if let (Some(here), Some(there)) = (&mut self.dense, &dense) {
            here.take(there, texts);
        }
        self.windows.take(&windows, |_, owner| Some(before + owner));
        Ok(())
    }

    fn put_back_cues(&mut self, mut input: Reader<'_>, is_of_block: impl Fn(u64) -> bool) -> Result<(), BadSegment> {
        let questions = input.owned(&self.documents)?;
        let words = input.words_of(questions.len())?;
        let passages = input.owned(&self.documents)?;
        let of_here = [(&questions, &self.cues.questions.rows), (&passages, &self.cues.passages)];
        for (rows, here) in of_here {
            let last = here.ids.last().copied().unwrap_or(0);
            check(is_after(&rows.ids, last, &is_of_block) && self.fits(rows.dense.as_ref()))?;
        }
        check(input.0.is_empty())?;
        self.cues.questions.rows.take(&questions, |_, owner| Some(owner));
        self.cues.questions.append(&words.vocabulary, words.texts());
        self.cues.passages.take(&passages, |_, owner| Some(owner));
        Ok(())
    }

    /// Whether vectors can join those of this index.
    fn fits(&self, vectors: Option<&DenseIndex>) -> bool {
        match (&self.dense, vectors) {
            (Some(here), Some(there)) => here.dim() == there.dim() && (there.is_exact() || self.coded == Coded::Taken),
            (here, there) => here.is_none() && there.is_none(),
        }
    }
}

fn check(is_well: bool) -> Result<(), BadSegment> {
    if is_well { Ok(()) } else { Err(BadSegment) }
}

/// Whether places come in order, after `last`, and in their block.
fn is_after(places: &[u64], last: u64, is_of_block: impl Fn(u64) -> bool) -> bool {
    places.first().is_none_or(|&first| first > last)
        && places.is_sorted_by(|a, b| a < b)
        && places.iter().all(|&place| is_of_block(place))
}

/// Where the places of a block stand among places in order.
fn range_of(places: &[u64], block: u64) -> Range<usize> {
    let from = |block| places.partition_point(|&place| place < Segment::first(block));
    from(block)..from(block + 1)
}

fn slice(dense: Option<&DenseIndex>, texts: Range<u32>) -> Option<DenseIndex> {
    dense.map(|dense| {
        let mut slice = DenseIndex::like(dense);
        slice.take(dense, texts);
        slice
    })
}

struct Writer(Vec<u8>);

impl Writer {
    fn new() -> Self {
        Self(MAGIC.to_vec())
    }

    fn finish(mut self) -> Vec<u8> {
        let sum = crc32fast::hash(&self.0);
        self.0.extend_from_slice(&sum.to_le_bytes());
        self.0
    }

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

    /// The terms of texts, numbered anew in the order they are first seen.
    fn words<'t>(&mut self, vocabulary: &[&str], texts: impl Iterator<Item = &'t [u32]> + Clone) {
        const UNKNOWN: u32 = u32::MAX;
        let mut numbers = vec![UNKNOWN; vocabulary.len()];
        let (mut terms, mut sequence) = (Vec::new(), Vec::new());
        for &term in texts.clone().flatten() {
            let number = &mut numbers[term as usize];
            if *number == UNKNOWN {
                *number = terms.len() as u32;
                terms.push(vocabulary[term as usize]);
            }
            sequence.push(*number);
        }
        texts.for_each(|text| self.int(text.len() as u64));
        self.int(terms.len() as u64);
        terms.iter().for_each(|term| self.text(term));
        self.int(sequence.len() as u64);
        sequence.iter().for_each(|&term| self.int(u64::from(term)));
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

    /// The further windows of texts, which are told by their places in the segment.
    fn windows(&mut self, rows: &OwnedRows) {
        self.int(rows.len() as u64);
        for (&number, &owner) in rows.ids.iter().zip(&rows.owners) {
            self.int(number);
            self.int(u64::from(owner));
        }
        self.dense(rows.dense.as_ref());
    }

    /// SegmentKind with the places of the texts they belong to.
    fn owned(&mut self, rows: &OwnedRows, documents: &Documents) {
        self.int(rows.len() as u64);
        let mut before = 0;
        for &id in &rows.ids {
            self.int(id - before);
            before = id;
        }
        rows.owners.iter().for_each(|&owner| self.int(documents.seq(owner).0));
        self.dense(rows.dense.as_ref());
    }
}

struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn int(&mut self) -> Result<u64, BadSegment> {
        let mut value = 0;
        for shift in (0..64).step_by(7) {
            let (&byte, rest) = self.0.split_first().ok_or(BadSegment)?;
            self.0 = rest;
            value |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Ok(value);
            }
        }
        Err(BadSegment)
    }

    fn small(&mut self) -> Result<u32, BadSegment> {
        u32::try_from(self.int()?).map_err(|_| BadSegment)
    }

    /// A count of things that take at least one byte each.
    fn count(&mut self) -> Result<usize, BadSegment> {
        let count = self.int()?;
        if count > self.0.len() as u64 { Err(BadSegment) } else { Ok(count as usize) }
    }

    fn bytes(&mut self, count: usize) -> Result<&'a [u8], BadSegment> {
        let (bytes, rest) = self.0.split_at_checked(count).ok_or(BadSegment)?;
        self.0 = rest;
        Ok(bytes)
    }

    fn text(&mut self) -> Result<&'a str, BadSegment> {
        let length = self.count()?;
        std::str::from_utf8(self.bytes(length)?).map_err(|_| BadSegment)
    }

    fn words<const N: usize, T>(&mut self, count: usize, read: fn([u8; N]) -> T) -> Result<Vec<T>, BadSegment> {
        let bytes = self.bytes(count.checked_mul(N).ok_or(BadSegment)?)?;
        Ok(bytes.as_chunks::<N>().0.iter().map(|word| read(*word)).collect())
    }

    fn documents(&mut self) -> Result<Documents, BadSegment> {
        let texts = self.count()?;
        let mut documents = Documents::default();
        for _ in 0..self.count()? {
            let name = self.text()?;
            documents.number_conversation(name);
        }
        for _ in 0..self.count()? {
            let conversation = self.small()?;
            let name = self.text()?;
            check(conversation == NONE || (conversation as usize) < documents.conversations.len())?;
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
                    check(value == NONE || (value as usize) < limit)?;
                    Ok(value)
                })
                .collect::<Result<Vec<u32>, _>>()
        };
        documents.session = column(self, documents.sessions.len())?;
        documents.conversation = column(self, documents.conversations.len())?;
        documents.speaker = column(self, documents.speakers.len())?;
        let mut seq = 0u64;
        for _ in 0..texts {
            seq = seq.checked_add(self.int()?).ok_or(BadSegment)?;
            documents.seq.push(seq);
        }
        documents.said_at = self.words(texts, i64::from_le_bytes)?;
        documents.importance = self.words(texts, f32::from_le_bytes)?;
        check(documents.importance.iter().all(|importance| (0.0..=1.0).contains(importance)))?;
        let forms = self.words(texts, u16::from_le_bytes)?.into_iter().map(Form::from_code);
        documents.form = forms.collect::<Option<_>>().ok_or(BadSegment)?;
        Ok(documents)
    }

    fn words_of(&mut self, texts: usize) -> Result<Words<'a>, BadSegment> {
        let lengths = (0..texts).map(|_| self.small()).collect::<Result<Vec<_>, _>>()?;
        let terms = self.count()?;
        let vocabulary = (0..terms).map(|_| self.text()).collect::<Result<Vec<_>, _>>()?;
        let total = self.count()?;
        let sequence = (0..total).map(|_| self.small()).collect::<Result<Vec<_>, _>>()?;
        check(lengths.iter().map(|&length| length as usize).sum::<usize>() == total)?;
        check(sequence.iter().all(|&term| (term as usize) < terms))?;
        Ok(Words { vocabulary, lengths, sequence })
    }

    /// Numbers that can be compared.
    fn floats(&mut self, count: usize) -> Result<Vec<f32>, BadSegment> {
        let floats = self.words(count, f32::from_le_bytes)?;
        check(floats.iter().all(|number| number.is_finite()))?;
        Ok(floats)
    }

    fn dense(&mut self, texts: usize) -> Result<Option<DenseIndex>, BadSegment> {
        let dim = self.int()? as usize;
        if dim == 0 {
            return Ok(None);
        }
        let present = self.bytes(texts)?.iter().map(|&has| has != 0).collect();
        let components = texts.checked_mul(dim).ok_or(BadSegment)?;
        let dense = match self.bytes(1)? {
            [0] => DenseIndex::from_exact(dim, present, self.floats(components)?),
            [1] => {
                let codes = self.bytes(components)?.iter().map(|&code| code as i8).collect();
                DenseIndex::from_codes(dim, present, codes, self.floats(texts)?)
            }
            _ => None,
        };
        dense.map(Some).ok_or(BadSegment)
    }

    fn windows(&mut self, texts: usize) -> Result<OwnedRows, BadSegment> {
        let mut windows = OwnedRows::default();
        for _ in 0..self.count()? {
            windows.ids.push(u64::from(self.small()?));
            let owner = self.small()?;
            check((owner as usize) < texts)?;
            windows.owners.push(owner);
        }
        windows.dense = self.dense(windows.len())?;
        Ok(windows)
    }

    /// SegmentKind of cues of texts that are here.
    fn owned(&mut self, documents: &Documents) -> Result<OwnedRows, BadSegment> {
        let rows = self.count()?;
        let mut id = 0u64;
        let mut ids = Vec::with_capacity(rows);
        for _ in 0..rows {
            id = id.checked_add(self.int()?).ok_or(BadSegment)?;
            ids.push(id);
        }
        let owner = |input: &mut Self| documents.position(Seq(input.int()?)).ok_or(BadSegment);
        let owners = (0..rows).map(|_| owner(self)).collect::<Result<Vec<_>, _>>()?;
        Ok(OwnedRows { ids, owners, dense: self.dense(rows)? })
    }
}
