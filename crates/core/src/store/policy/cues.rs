//! Cues: derived data that is kept with its memory and goes with it. Those of a memory are replaced as a whole, and an
//! id is never given twice.

use super::{encoders, indexes};
use crate::{
    error::StoreError,
    store::{
        cues::{CuePart, CueVectors, DroppedCues, NewCues},
        removed::{IdRanges, Removed},
        tables::{DeletedCues, Selection, Tables},
    },
    types::{CueId, CueSource, EncoderId, MOST_BEFORE, Namespace, Scope, Seq, VectorSet},
};

/// Gives memories that are there their cues; says how many got theirs.
pub(super) fn put(
    tables: &mut dyn Tables,
    namespace: &Namespace,
    source: &CueSource,
    encoder: Option<&EncoderId>,
    cues: &[NewCues],
) -> Result<u64, StoreError> {
    let encoder = match encoder {
        Some(name) => dim_of(tables, namespace, name, cues)?.map(|dim| (name, dim)),
        None => None,
    };
    let last = tables.state()?.version.cues.0;
    let mut writer = CueWriter { tables, source, encoder, last, replaced: Vec::new() };
    let (mut put, mut questions) = (0, 0);
    for new in cues {
        if writer.tables.has_memory(new.seq)? {
            writer.replace(new)?;
            put += 1;
            questions += new.questions.len() as u64;
        }
    }
    let CueWriter { tables, last, replaced, .. } = writer;
    tables.advance_cues(CueId(last), questions)?;
    if !replaced.is_empty() {
        tables.delete_unused_sources()?;
        lose(tables, IdRanges::of_runs(replaced))?;
    }
    Ok(put)
}

/// Components of the vectors of cues, whose encoder must be the active one; `None` where there is no vector.
fn dim_of(
    tables: &mut dyn Tables,
    namespace: &Namespace,
    encoder: &EncoderId,
    cues: &[NewCues],
) -> Result<Option<usize>, StoreError> {
    let first = cues.iter().find_map(|new| new.vectors.passage.as_ref().or(new.vectors.questions.first()));
    let Some(first) = first else { return Ok(None) };
    encoders::claim(tables, namespace, VectorSet { encoder, dim: first.len() })?;
    Ok(Some(first.len()))
}

/// Writes cues in the place of those that memories have.
struct CueWriter<'a> {
    tables: &'a mut dyn Tables,
    source: &'a CueSource,
    /// What made the vectors, and how many components they must have.
    encoder: Option<(&'a EncoderId, usize)>,
    /// The last id given.
    last: u64,
    /// Ids of cues that were replaced, in runs.
    replaced: Vec<(u64, u64)>,
}

impl CueWriter<'_> {
    fn replace(&mut self, new: &NewCues) -> Result<(), StoreError> {
        let deleted = self.tables.delete_cues(Selection::One(new.seq))?;
        self.replaced.extend(deleted.ids.runs());
        self.tables.insert_cued(new.seq, self.source)?;
        let CueVectors { questions, passage } = &new.vectors;
        if let Some(vector) = passage {
            self.insert(new, 0, CuePart::Passage, Some(vector))?;
        }
        for (i, question) in new.questions.iter().enumerate() {
            self.insert(new, i as u64 + 1, CuePart::Question(question), questions.get(i))?;
        }
        Ok(())
    }

    fn insert(
        &mut self,
        new: &NewCues,
        number: u64,
        part: CuePart<'_>,
        vector: Option<&Vec<f32>>,
    ) -> Result<(), StoreError> {
        self.last += 1;
        let id = CueId(self.last);
        self.tables.insert_cue(id, new.seq, number, part)?;
        if let (Some((encoder, dim)), Some(vector)) = (self.encoder, vector) {
            encoders::check_dim(encoder, dim, vector.len())?;
            self.tables.put_cue_vector(encoder, id, vector)?;
        }
        Ok(())
    }
}

/// Deletes the cues of a scope.
pub(super) fn drop_within(tables: &mut dyn Tables, scope: &Scope) -> Result<DroppedCues, StoreError> {
    let deleted = tables.delete_cues(Selection::Within(scope))?;
    tables.delete_unused_sources()?;
    lose(tables, deleted.ids)?;
    Ok(deleted.dropped)
}

/// Deletes the cues of turns that follow some turns, where their writer was shown these: the questions may repeat what they say.
pub(super) fn drop_written_beside(tables: &mut dyn Tables, shown: &[Seq]) -> Result<DeletedCues, StoreError> {
    let (mut dropped, mut runs) = (DroppedCues::default(), Vec::new());
    // Most namespaces never had any.
    let shown = if tables.state()?.version.cues.0 == 0 { &[] } else { shown };
    for &seq in shown {
        let after = tables.around(seq, 0, MOST_BEFORE)?.into_iter().map(|turn| turn.seq).filter(|turn| *turn != seq);
        let after: Vec<Seq> = after.collect();
        for ((distance, turn), cues) in (1..).zip(&after).zip(tables.cues(&after)?) {
            if cues.is_some_and(|cues| distance <= cues.source.turns_before()) {
                let deleted = tables.delete_cues(Selection::One(*turn))?;
                dropped.memories += deleted.dropped.memories;
                dropped.questions += deleted.dropped.questions;
                dropped.vectors += deleted.dropped.vectors;
                runs.extend(deleted.ids.runs());
            }
        }
    }
    Ok(DeletedCues { dropped, ids: IdRanges::of_runs(runs) })
}

/// Adds vectors to cues that are there.
pub(super) fn embed(
    tables: &mut dyn Tables,
    encoder: &EncoderId,
    vectors: &[(CueId, &[f32])],
) -> Result<(), StoreError> {
    let Some((_, first)) = vectors.first() else { return Ok(()) };
    let dim = first.len();
    encoders::know(tables, VectorSet { encoder, dim })?;
    for (id, vector) in vectors {
        encoders::check_dim(encoder, dim, vector.len())?;
        if tables.has_cue(*id)? {
            tables.put_cue_vector(encoder, *id, vector)?;
        }
    }
    encoders::moved(tables, encoder)
}

pub(super) fn lose(tables: &mut dyn Tables, cues: IdRanges) -> Result<(), StoreError> {
    let removed = Removed { memories: IdRanges::default(), cues };
    indexes::note_removed(tables, &removed, &removed.cues)
}
