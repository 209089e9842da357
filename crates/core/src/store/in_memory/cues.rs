//! Cues in this process.

use std::collections::BTreeMap;

use super::{InMemoryStore, Tenant, is_visible};
use crate::{
    error::StoreError,
    store::{
        Audience, CuePart, CueRow, CueStats, CueStore, DroppedCues, IndexSink, NewCues, Removed, Spans, UnembeddedCue,
        Version,
    },
    types::{CueId, CueSource, Cues, EncoderId, Memory, Namespace, Scope, Seq, Vectors, cued_passage},
};

/// The cues of one namespace.
#[derive(Debug, Default, Clone)]
pub(super) struct CueTable {
    pub(super) last: u64,
    sources: BTreeMap<Seq, CueSource>,
    rows: BTreeMap<CueId, Row>,
    vectors: BTreeMap<(EncoderId, CueId), Vec<f32>>,
}

#[derive(Debug, Clone)]
struct Row {
    seq: Seq,
    /// `None` for the text with all questions.
    question: Option<String>,
}

impl CueTable {
    /// Takes the cues of memories away.
    pub(super) fn remove(&mut self, goes: impl Fn(Seq) -> bool) -> DroppedCues {
        let (memories, vectors) = (self.sources.len(), self.vectors.len());
        self.sources.retain(|seq, _| !goes(*seq));
        let gone: Vec<CueId> = self.rows.iter().filter(|(_, row)| goes(row.seq)).map(|(id, _)| *id).collect();
        let rows = gone.iter().filter_map(|id| self.rows.remove(id));
        let questions = rows.filter(|row| row.question.is_some()).count();
        self.vectors.retain(|(_, id), _| self.rows.contains_key(id));
        DroppedCues {
            memories: (memories - self.sources.len()) as u64,
            questions: questions as u64,
            vectors: (vectors - self.vectors.len()) as u64,
        }
    }

    /// Ids of the cues of memories.
    pub(super) fn ids_of(&self, of: impl Fn(Seq) -> bool) -> Spans {
        Spans::of(self.rows.iter().filter(|(_, row)| of(row.seq)).map(|(id, _)| id.0))
    }

    /// Takes vectors by encoders away that `serving` is not; says how many.
    pub(super) fn drop_idle(&mut self, serving: Option<&EncoderId>) -> u64 {
        let before = self.vectors.len();
        self.vectors.retain(|(encoder, _), _| serving == Some(encoder));
        (before - self.vectors.len()) as u64
    }

    pub(super) fn feed(
        &self,
        encoder: Option<&EncoderId>,
        after: CueId,
        before: CueId,
        sink: &mut dyn IndexSink,
    ) -> Result<(), StoreError> {
        for (&id, row) in self.rows.iter().filter(|(id, _)| after < **id && **id < before) {
            let vector = encoder.and_then(|encoder| self.vectors.get(&(encoder.clone(), id)));
            let part = row.question.as_deref().map_or(CuePart::Passage, CuePart::Question);
            sink.cue(CueRow { id, seq: row.seq, part, vector: vector.map(Vec::as_slice) })?;
        }
        Ok(())
    }

    fn questions(&self, seq: Seq) -> impl Iterator<Item = &str> {
        self.rows.values().filter(move |row| row.seq == seq).filter_map(|row| row.question.as_deref())
    }

    fn add(&mut self, encoder: Option<&EncoderId>, seq: Seq, question: Option<&String>, vector: Option<&Vec<f32>>) {
        self.last += 1;
        let id = CueId(self.last);
        self.rows.insert(id, Row { seq, question: question.cloned() });
        if let (Some(encoder), Some(vector)) = (encoder, vector) {
            self.vectors.insert((encoder.clone(), id), vector.clone());
        }
    }
}

impl Tenant {
    fn put(&mut self, source: &CueSource, encoder: Option<&EncoderId>, cues: &[NewCues]) -> u64 {
        let there: Vec<&NewCues> = cues.iter().filter(|new| self.memories.contains_key(&new.seq)).collect();
        for NewCues { seq, questions, vectors } in &there {
            if self.cues.sources.contains_key(seq) {
                self.drop_cues(|other| other == *seq);
            }
            self.cues.sources.insert(*seq, source.clone());
            if vectors.passage.is_some() {
                self.cues.add(encoder, *seq, None, vectors.passage.as_ref());
            }
            for (i, question) in questions.iter().enumerate() {
                self.cues.add(encoder, *seq, Some(question), vectors.questions.get(i));
            }
        }
        there.len() as u64
    }

    /// Takes the cues of memories away, out of indexes too.
    fn drop_cues(&mut self, of: impl Fn(Seq) -> bool) -> DroppedCues {
        let ids = self.cues.ids_of(&of);
        let dropped = self.cues.remove(of);
        self.lose(Removed { memories: Spans::default(), cues: ids.clone() }, &ids);
        dropped
    }

    fn check_vectors<'v>(
        &mut self,
        namespace: &Namespace,
        encoder: &EncoderId,
        mut vectors: impl Iterator<Item = &'v [f32]>,
    ) -> Result<(), StoreError> {
        let Some(first) = vectors.next() else { return Ok(()) };
        self.settle(namespace, encoder)?;
        std::iter::once(first).chain(vectors).try_for_each(|vector| self.check_dim(encoder, vector.len()))?;
        vectors_agree(encoder, first.len(), self.cues.vectors.iter())
    }
}

/// Cues may have vectors before any text has one.
fn vectors_agree<'v>(
    encoder: &EncoderId,
    found: usize,
    mut kept: impl Iterator<Item = (&'v (EncoderId, CueId), &'v Vec<f32>)>,
) -> Result<(), StoreError> {
    match kept.find(|((by, _), _)| by == encoder).map(|(_, vector)| vector.len()) {
        Some(expected) if expected != found => Err(StoreError::Dimension { encoder: encoder.clone(), expected, found }),
        _ => Ok(()),
    }
}

impl CueStore for InMemoryStore {
    fn put_cues(
        &self,
        namespace: &Namespace,
        source: &CueSource,
        encoder: Option<&EncoderId>,
        cues: &[NewCues],
    ) -> Result<u64, StoreError> {
        self.read(namespace, |_| ())?;
        let mut tenants = self.tenants();
        let Some(known) = tenants.get_mut(namespace) else { return Ok(0) };
        let mut tenant = known.clone();
        if let Some(encoder) = encoder {
            let of = |new: &'_ NewCues| -> Vec<Vec<f32>> {
                new.vectors.questions.iter().chain(&new.vectors.passage).cloned().collect()
            };
            let vectors: Vec<Vec<f32>> = cues.iter().flat_map(of).collect();
            tenant.check_vectors(namespace, encoder, vectors.iter().map(Vec::as_slice))?;
        }
        let put = tenant.put(source, encoder, cues);
        *known = tenant;
        Ok(put)
    }

    fn cues(&self, namespace: &Namespace, places: &[Seq]) -> Result<Vec<Option<Cues>>, StoreError> {
        Ok(self.read_or_empty(namespace, |tenant| {
            let cues = |seq: &Seq| {
                let source = tenant.cues.sources.get(seq)?.clone();
                Some(Cues { source, questions: tenant.cues.questions(*seq).map(str::to_owned).collect() })
            };
            places.iter().map(cues).collect()
        }))
    }

    fn questions(&self, namespace: &Namespace, ids: &[CueId]) -> Result<Vec<(CueId, String)>, StoreError> {
        Ok(self.read_or_empty(namespace, |tenant| {
            let question = |id: &CueId| Some((*id, tenant.cues.rows.get(id)?.question.clone()?));
            ids.iter().filter_map(question).collect()
        }))
    }

    fn uncued(
        &self,
        namespace: &Namespace,
        scope: &Scope,
        audience: Audience,
        after: Seq,
        limit: usize,
    ) -> Result<Vec<Memory>, StoreError> {
        self.read(namespace, |tenant| {
            let memories = tenant.within(scope).filter(|memory| memory.seq > after);
            let visible = memories.filter(|memory| is_visible(memory, audience));
            visible.filter(|memory| !tenant.cues.sources.contains_key(&memory.seq)).take(limit).cloned().collect()
        })
    }

    fn drop_cues(&self, namespace: &Namespace, scope: &Scope) -> Result<DroppedCues, StoreError> {
        self.read(namespace, |_| ())?;
        let mut tenants = self.tenants();
        let Some(tenant) = tenants.get_mut(namespace) else { return Ok(DroppedCues::default()) };
        let seqs: Vec<Seq> = tenant.within(scope).map(|memory| memory.seq).collect();
        Ok(tenant.drop_cues(|seq| seqs.binary_search(&seq).is_ok()))
    }

    fn cue_stats(&self, namespace: &Namespace) -> Result<CueStats, StoreError> {
        self.read(namespace, |tenant| {
            let CueTable { sources, rows, vectors, .. } = &tenant.cues;
            let mut stats = CueStats {
                memories: sources.len() as u64,
                questions: rows.values().filter(|row| row.question.is_some()).count() as u64,
                ..CueStats::default()
            };
            for source in sources.values() {
                *stats.sources.entry(format!("{}, {}", source.model, source.prompt)).or_default() += 1;
            }
            for (encoder, _) in vectors.keys() {
                *stats.vectors.entry(encoder.to_string()).or_default() += 1;
            }
            stats
        })
    }

    fn unembedded_cues(
        &self,
        namespace: &Namespace,
        encoder: &EncoderId,
        audience: Audience,
        after: CueId,
        limit: usize,
    ) -> Result<Vec<UnembeddedCue>, StoreError> {
        self.read(namespace, |tenant| {
            let CueTable { rows, vectors, .. } = &tenant.cues;
            let without = rows
                .iter()
                .filter(|(id, _)| **id > after)
                .filter(|(id, _)| !vectors.contains_key(&(encoder.clone(), **id)));
            let cue = |(&id, row): (&CueId, &Row)| {
                let memory = tenant.memories.get(&row.seq).filter(|memory| is_visible(memory, audience))?;
                let text = match &row.question {
                    Some(question) => question.clone(),
                    None => cued_passage(&memory.passage(), tenant.cues.questions(row.seq)),
                };
                Some(UnembeddedCue { id, text })
            };
            without.filter_map(cue).take(limit).collect()
        })
    }

    fn embed_cues(
        &self,
        namespace: &Namespace,
        encoder: &EncoderId,
        vectors: &[(CueId, &[f32])],
    ) -> Result<(), StoreError> {
        self.read(namespace, |_| ())?;
        let mut tenants = self.tenants();
        let Some(tenant) = tenants.get_mut(namespace) else { return Ok(()) };
        for (_, vector) in vectors {
            tenant.check_dim(encoder, vector.len())?;
            vectors_agree(encoder, vector.len(), tenant.cues.vectors.iter())?;
        }
        for (id, vector) in vectors {
            if tenant.cues.rows.contains_key(id) {
                tenant.cues.vectors.insert((encoder.clone(), *id), vector.to_vec());
            }
        }
        if tenant.serving.as_ref() == Some(encoder) {
            tenant.begin_epoch();
        }
        Ok(())
    }

    fn cue_vectors(
        &self,
        namespace: &Namespace,
        encoder: &EncoderId,
        ids: &[CueId],
        at: Version,
    ) -> Result<Vectors, StoreError> {
        self.read(namespace, |tenant| {
            let mut data = Vec::new();
            let mut dim = 1;
            for id in ids {
                let vector = tenant.cues.vectors.get(&(encoder.clone(), *id));
                let vector = vector.ok_or_else(|| tenant.lacks(namespace, at, "cue", id.0, encoder))?;
                dim = vector.len();
                data.extend_from_slice(vector);
            }
            Ok(Vectors::new(dim, data).unwrap_or_default())
        })?
    }
}
