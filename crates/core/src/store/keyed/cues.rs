//! Cues and their vectors.

use std::ops::ControlFlow;

use super::{
    access,
    key::{Key, Row},
    memories::selected,
    rows::{self, KeyedRows},
};
use crate::{
    error::StoreError,
    store::{
        cues::{CuePart, CueRow, CueStats, UnembeddedCue},
        lookup::Audience,
        removed::IdRanges,
        sink::IndexSink,
        tables::{CueTable, DeletedCues, MemoryTable, Selection},
    },
    types::{CueId, CueSource, Cues, EncoderId, Record, Scope, Seq, Vectors, cued_passage},
};

/// Ids of a memory's cues, in order.
fn ids_of<R: KeyedRows>(rows: &R, seq: Seq) -> Result<Vec<CueId>, StoreError> {
    rows::keys(rows, &Key::CueOf(seq, CueId(0)), |key| match key {
        Key::CueOf(of, id) if *of == seq => Some(*id),
        _ => None,
    })
}

/// A question by id.
fn question<R: KeyedRows>(rows: &R, id: CueId) -> Result<Option<String>, StoreError> {
    rows::get(rows, &Key::Cue(id), |row| match row.into_owned() {
        Row::Cue { question, .. } => question,
        _ => None,
    })
}

fn questions_of<R: KeyedRows>(rows: &R, seq: Seq) -> Result<Vec<String>, StoreError> {
    let ids = ids_of(rows, seq)?;
    ids.into_iter().filter_map(|id| question(rows, id).transpose()).collect()
}

/// Visits cues after an id, in order: id, memory, question.
fn each_cue<R: KeyedRows>(
    rows: &R,
    after: CueId,
    mut visit: impl FnMut(CueId, Seq, Option<&str>) -> Result<ControlFlow<()>, StoreError>,
) -> Result<(), StoreError> {
    let id = |key: &Key| match key {
        Key::Cue(id) => Some(*id),
        _ => None,
    };
    rows::each(rows, &Key::Cue(CueId(after.0.saturating_add(1))), id, |id, row| match row {
        Row::Cue { seq, question } => visit(id, *seq, question.as_deref()),
        _ => Ok(ControlFlow::Continue(())),
    })
}

impl<R: KeyedRows> CueTable for R {
    fn has_cue(&self, id: CueId) -> Result<bool, StoreError> {
        rows::has(self, &Key::Cue(id))
    }

    fn cues(&self, positions: &[Seq]) -> Result<Vec<Option<Cues>>, StoreError> {
        let cues = |seq: &Seq| {
            let source = rows::get(self, &Key::Cued(*seq), |row| match row.into_owned() {
                Row::Source(source) => Some(source),
                _ => None,
            })?;
            source.map(|source| Ok(Cues { source, questions: questions_of(self, *seq)? })).transpose()
        };
        positions.iter().map(cues).collect()
    }

    fn questions(&self, ids: &[CueId]) -> Result<Vec<(CueId, String)>, StoreError> {
        let mut found = Vec::with_capacity(ids.len());
        for id in ids {
            found.extend(question(self, *id)?.map(|question| (*id, question)));
        }
        Ok(found)
    }

    fn uncued(&self, scope: &Scope, audience: Audience, after: Seq, limit: usize) -> Result<Vec<Record>, StoreError> {
        let mut positions = self.positions(scope)?;
        positions.retain(|seq| *seq > after);
        positions.sort_unstable();
        let mut found = Vec::new();
        for seq in positions {
            if found.len() >= limit {
                break;
            }
            if !rows::has(self, &Key::Cued(seq))? {
                found.extend(access::record(self, seq)?.filter(|record| access::is_visible(record, audience)));
            }
        }
        Ok(found)
    }

    fn cue_stats(&self) -> Result<CueStats, StoreError> {
        let mut stats = CueStats::default();
        let is_cued = |key: &Key| matches!(key, Key::Cued(_)).then_some(());
        rows::each(self, &Key::Cued(Seq(0)), is_cued, |(), row| {
            if let Row::Source(source) = row {
                stats.memories += 1;
                *stats.sources.entry(format!("{}, {}", source.model, source.prompt)).or_default() += 1;
            }
            Ok(ControlFlow::Continue(()))
        })?;
        each_cue(self, CueId(0), |_, _, question| {
            stats.questions += u64::from(question.is_some());
            Ok(ControlFlow::Continue(()))
        })?;
        stats.vectors = access::count_by_encoder(self, &Key::CueVector(CueId(0), 0), |key| match key {
            Key::CueVector(_, encoder) => Some(*encoder),
            _ => None,
        })?;
        Ok(stats)
    }

    fn unembedded_cues(
        &self,
        encoder: &EncoderId,
        audience: Audience,
        after: CueId,
        limit: usize,
    ) -> Result<Vec<UnembeddedCue>, StoreError> {
        let encoder = access::encoder_number(self, Some(encoder))?;
        let mut found = Vec::new();
        each_cue(self, after, |id, seq, question| {
            if found.len() >= limit {
                return Ok(ControlFlow::Break(()));
            }
            let is_missing = !rows::has(self, &Key::CueVector(id, encoder))?;
            let visible = |record: &Record| access::is_visible(record, audience).then(|| record.passage());
            if is_missing && let Some(passage) = access::memory(self, seq, |memory| visible(&memory.record))?.flatten()
            {
                let text = match question {
                    Some(question) => question.to_owned(),
                    None => cued_passage(&passage, questions_of(self, seq)?.iter().map(String::as_str)),
                };
                found.push(UnembeddedCue { id, text });
            }
            Ok(ControlFlow::Continue(()))
        })?;
        Ok(found)
    }

    fn cue_vectors(&self, encoder: &EncoderId, ids: &[CueId]) -> Result<Option<Vectors>, StoreError> {
        match access::encoder(self, encoder)? {
            Some((number, dim)) => access::vectors(self, dim, ids.iter().map(|id| (Key::CueVector(*id, number), 0))),
            None => Ok(None),
        }
    }

    fn feed_cues(
        &self,
        encoder: Option<&EncoderId>,
        (after, upto): (u64, u64),
        sink: &mut dyn IndexSink,
    ) -> Result<u64, StoreError> {
        let encoder = access::encoder_number(self, encoder)?;
        let mut questions = 0;
        each_cue(self, CueId(after), |id, seq, question| {
            if id.0 > upto {
                return Ok(ControlFlow::Break(()));
            }
            let vector = self.get(&Key::CueVector(id, encoder))?;
            let vector = vector.as_deref().and_then(access::components);
            questions += u64::from(question.is_some());
            sink.cue(CueRow { id, seq, part: question.map_or(CuePart::Passage, CuePart::Question), vector })?;
            Ok(ControlFlow::Continue(()))
        })?;
        Ok(questions)
    }

    fn insert_cued(&mut self, seq: Seq, source: &CueSource) -> Result<(), StoreError> {
        self.put(Key::Cued(seq), Row::Source(source.clone()))
    }

    fn insert_cue(&mut self, id: CueId, seq: Seq, _number: u64, part: CuePart<'_>) -> Result<(), StoreError> {
        let question = match part {
            CuePart::Passage => None,
            CuePart::Question(question) => Some(question.to_owned()),
        };
        self.put(Key::Cue(id), Row::Cue { seq, question })?;
        self.put(Key::CueOf(seq, id), Row::Nothing)
    }

    fn put_cue_vector(&mut self, encoder: &EncoderId, id: CueId, vector: &[f32]) -> Result<(), StoreError> {
        let encoder = access::encoder_number(self, Some(encoder))?;
        self.put(Key::CueVector(id, encoder), Row::Vector(vector.to_vec()))
    }

    fn advance_cues(&mut self, last: CueId, _questions: u64) -> Result<(), StoreError> {
        access::update(self, |state| state.version.cues = last)
    }

    fn delete_cues(&mut self, selection: Selection<'_>) -> Result<DeletedCues, StoreError> {
        let (mut deleted, mut ids) = (DeletedCues::default(), Vec::new());
        for seq in selected(self, selection)? {
            if rows::has(self, &Key::Cued(seq))? {
                self.delete(&Key::Cued(seq))?;
                deleted.dropped.memories += 1;
            }
            for id in ids_of(self, seq)? {
                deleted.dropped.questions += u64::from(question(self, id)?.is_some());
                let vectors = rows::keys(self, &Key::CueVector(id, 0), |key| {
                    matches!(key, Key::CueVector(of, _) if *of == id).then(|| key.clone())
                })?;
                deleted.dropped.vectors += rows::delete_all(self, vectors)?;
                rows::delete_all(self, [Key::Cue(id), Key::CueOf(seq, id)])?;
                ids.push(id.0);
            }
        }
        deleted.ids = IdRanges::of(ids);
        Ok(deleted)
    }
}
