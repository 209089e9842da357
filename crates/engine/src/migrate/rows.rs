//! Rows of a namespace as they are read on both sides of a migration, a few hundred at a time.

use std::collections::{BTreeSet, HashMap};

use aforesaid_core::{
    StoreError,
    store::{
        CuePart, CueRow, IndexRow, IndexSink, Removed, Store,
        tables::{NamespaceState, Tables},
    },
    types::{CueId, CueSource, EncoderId, Namespace, Record, Seq},
};

/// Positions of memories, and ids of cues, that are read at once.
pub(super) const AT_ONCE: u64 = 256;

/// A namespace of a store.
#[derive(Clone, Copy)]
pub(super) struct Side<'a> {
    pub(super) store: &'a dyn Store,
    pub(super) namespace: &'a Namespace,
}

/// A memory with what is kept of it in other tables; its title is its session's.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct MemoryRow {
    pub(super) record: Record,
    /// Who wrote its cues, if it was asked for any.
    pub(super) cued: Option<CueSource>,
    /// The vectors of its windows by encoder, in the order of the encoders asked for.
    pub(super) vectors: Vec<Option<Vec<f32>>>,
}

/// A cue with its vectors, in the order of the encoders asked for.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct CopiedCue {
    pub(super) id: CueId,
    pub(super) seq: Seq,
    /// Its number among those of its memory: 0 is the text with all questions, questions count from 1.
    pub(super) number: u64,
    pub(super) question: Option<String>,
    pub(super) vectors: Vec<Option<Vec<f32>>>,
}

/// Numbers cues that come in order of their ids, in which those of one memory follow each other.
#[derive(Debug, Default)]
pub(super) struct CueNumbers {
    memory: Option<Seq>,
    questions: u64,
}

impl CueNumbers {
    fn next(&mut self, seq: Seq, is_question: bool) -> u64 {
        if self.memory != Some(seq) {
            (self.memory, self.questions) = (Some(seq), 0);
        }
        self.questions += u64::from(is_question);
        if is_question { self.questions } else { 0 }
    }
}

impl Side<'_> {
    /// Reads rows in one view; `None` where there is no such namespace.
    pub(super) fn read<T>(
        self,
        mut work: impl FnMut(&dyn Tables) -> Result<T, StoreError>,
    ) -> Result<Option<T>, StoreError> {
        let mut found = None;
        self.store.read_rows(self.namespace, "read rows to migrate", &mut |tables| {
            found = Some(work(tables)?);
            Ok(())
        })?;
        Ok(found)
    }

    /// The row of the namespace.
    pub(super) fn state(self) -> Result<Option<NamespaceState>, StoreError> {
        self.read(|tables| tables.state())
    }

    /// Encoders that made vectors of memories or cues, and the active one, by name.
    pub(super) fn encoders(self) -> Result<BTreeSet<String>, StoreError> {
        let found = self.read(|tables| {
            let active = tables.state()?.active_encoder.map(|encoder| encoder.as_str().to_owned());
            Ok(tables
                .stats()?
                .vectors
                .into_keys()
                .chain(tables.cue_stats()?.vectors.into_keys())
                .chain(active)
                .collect())
        })?;
        Ok(found.unwrap_or_default())
    }

    /// Memories after a position, up to another, in order.
    pub(super) fn memories(
        self,
        encoders: &[EncoderId],
        (after, upto): (u64, u64),
    ) -> Result<Vec<MemoryRow>, StoreError> {
        let positions: Vec<Seq> = (after + 1..=upto).map(Seq).collect();
        let found = self.read(|tables| {
            let mut records = tables.fetch(&positions)?;
            records.sort_by_key(|record| record.seq);
            let positions: Vec<Seq> = records.iter().map(|record| record.seq).collect();
            let cues = tables.cues(&positions)?;
            let rows = records.into_iter().zip(cues).map(|(record, cues)| MemoryRow {
                record: Record { title: None, ..record },
                cued: cues.map(|cues| cues.source),
                vectors: Vec::with_capacity(encoders.len()),
            });
            let mut rows: Vec<MemoryRow> = rows.collect();
            for encoder in encoders {
                let mut read = Read::default();
                tables.feed_memories(Some(encoder), (after, upto), &mut read)?;
                rows.iter_mut().for_each(|row| row.vectors.push(read.vectors.remove(&row.record.seq.0)));
            }
            Ok(rows)
        })?;
        Ok(found.unwrap_or_default())
    }

    /// Cues after an id, up to another, in order; `numbers` has numbered those before.
    pub(super) fn cues(
        self,
        encoders: &[EncoderId],
        (after, upto): (u64, u64),
        numbers: &mut CueNumbers,
    ) -> Result<Vec<CopiedCue>, StoreError> {
        let found = self.read(|tables| {
            let mut read = Read::default();
            tables.feed_cues(encoders.first(), (after, upto), &mut read)?;
            let cues = std::mem::take(&mut read.cues).into_iter().map(|(id, seq, question)| CopiedCue {
                id,
                seq,
                number: 0,
                question,
                vectors: Vec::with_capacity(encoders.len()),
            });
            let mut cues: Vec<CopiedCue> = cues.collect();
            for (i, encoder) in encoders.iter().enumerate() {
                if i > 0 {
                    read = Read::default();
                    tables.feed_cues(Some(encoder), (after, upto), &mut read)?;
                }
                cues.iter_mut().for_each(|cue| cue.vectors.push(read.vectors.remove(&cue.id.0)));
            }
            Ok(cues)
        })?;
        let mut cues = found.unwrap_or_default();
        cues.iter_mut().for_each(|cue| cue.number = numbers.next(cue.seq, cue.question.is_some()));
        Ok(cues)
    }
}

/// Takes vectors, and cues, of the rows that a table shows.
#[derive(Default)]
struct Read {
    /// By position or id.
    vectors: HashMap<u64, Vec<f32>>,
    cues: Vec<(CueId, Seq, Option<String>)>,
}

impl IndexSink for Read {
    fn reset(&mut self) {}

    fn remove(&mut self, _gone: &Removed) -> Result<(), StoreError> {
        Ok(())
    }

    fn row(&mut self, row: IndexRow<'_>) -> Result<(), StoreError> {
        if let Some(vectors) = row.vectors {
            self.vectors.insert(row.seq.0, vectors.to_vec());
        }
        Ok(())
    }

    fn cue(&mut self, cue: CueRow<'_>) -> Result<(), StoreError> {
        let question = match cue.part {
            CuePart::Passage => None,
            CuePart::Question(question) => Some(question.to_owned()),
        };
        self.cues.push((cue.id, cue.seq, question));
        if let Some(vector) = cue.vector {
            self.vectors.insert(cue.id.0, vector.to_vec());
        }
        Ok(())
    }
}

/// Numbers after one, up to another, [`AT_ONCE`] at a time.
pub(super) fn parts(after: u64, upto: u64) -> impl Iterator<Item = (u64, u64)> {
    (after..upto).step_by(AT_ONCE as usize).map(move |from| (from, upto.min(from + AT_ONCE)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_follow_each_other() {
        assert_eq!(parts(0, 0).count(), 0);
        assert_eq!(parts(3, 600).collect::<Vec<_>>(), [(3, 259), (259, 515), (515, 600)]);
    }

    #[test]
    fn questions_are_numbered_by_memory() {
        let mut numbers = CueNumbers::default();
        let given = [(1, false), (1, true), (1, true), (2, true), (7, false)];
        let numbered: Vec<u64> = given.iter().map(|(seq, is_question)| numbers.next(Seq(*seq), *is_question)).collect();
        assert_eq!(numbered, [0, 1, 2, 1, 0]);
    }
}
