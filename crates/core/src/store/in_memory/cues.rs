//! Cues in this process.

use std::{collections::BTreeMap, ops::Bound};

use super::{
    InMemoryStore, Tenant,
    tenant::{check_dim, is_visible},
};
use crate::{
    error::StoreError,
    store::{Audience, CuePart, CueRow, CueStats, CueStore, DroppedCues, IndexSink, NewCues, UnembeddedCue},
    types::{CueId, CueSource, Cues, EncoderId, Memory, Namespace, Scope, Seq, Vectors, cued_passage},
};

/// The cues of one namespace.
#[derive(Debug, Default)]
pub(super) struct CueTable {
    pub(super) last: u64,
    asked: BTreeMap<Seq, Asked>,
    rows: BTreeMap<CueId, Row>,
    vectors: BTreeMap<EncoderId, BTreeMap<CueId, Vec<f32>>>,
}

/// What a memory was asked for.
#[derive(Debug)]
struct Asked {
    source: CueSource,
    cues: Vec<CueId>,
}

#[derive(Debug)]
struct Row {
    seq: Seq,
    /// `None` for the text with all questions.
    question: Option<String>,
}

impl CueTable {
    /// Takes the cues of memories away.
    pub(super) fn remove(&mut self, memories: &[Seq]) -> DroppedCues {
        let mut dropped = DroppedCues::default();
        for asked in memories.iter().filter_map(|seq| self.asked.remove(seq)) {
            dropped.memories += 1;
            for id in asked.cues {
                let row = self.rows.remove(&id);
                dropped.questions += u64::from(row.is_some_and(|row| row.question.is_some()));
                let vectors = self.vectors.values_mut().filter_map(|vectors| vectors.remove(&id));
                dropped.vectors += vectors.count() as u64;
            }
        }
        dropped
    }

    /// Takes vectors by encoders away that `serving` is not; says how many.
    pub(super) fn drop_idle(&mut self, serving: Option<&EncoderId>) -> u64 {
        let idle = self.vectors.iter().filter(|(encoder, _)| serving != Some(*encoder));
        let count = idle.map(|(_, vectors)| vectors.len() as u64).sum();
        self.vectors.retain(|encoder, _| serving == Some(encoder));
        count
    }

    fn vector(&self, encoder: &EncoderId, id: CueId) -> Option<&[f32]> {
        self.vectors.get(encoder)?.get(&id).map(Vec::as_slice)
    }

    /// Cues may have vectors before any text has one.
    fn check_dim(&self, encoder: &EncoderId, found: usize) -> Result<(), StoreError> {
        let stored = self.vectors.get(encoder).and_then(BTreeMap::first_key_value);
        check_dim(encoder, stored.map(|(_, vector)| vector.len()), found)
    }

    fn after(&self, after: CueId) -> impl Iterator<Item = (CueId, &Row)> {
        self.rows.range((Bound::Excluded(after), Bound::Unbounded)).map(|(id, row)| (*id, row))
    }

    pub(super) fn feed(
        &self,
        encoder: Option<&EncoderId>,
        after: CueId,
        sink: &mut dyn IndexSink,
    ) -> Result<(), StoreError> {
        for (id, row) in self.after(after) {
            let vector = encoder.and_then(|encoder| self.vector(encoder, id));
            let part = row.question.as_deref().map_or(CuePart::Passage, CuePart::Question);
            sink.cue(CueRow { id, seq: row.seq, part, vector })?;
        }
        Ok(())
    }

    fn questions(&self, seq: Seq) -> impl Iterator<Item = &str> {
        let cues = self.asked.get(&seq).into_iter().flat_map(|asked| &asked.cues);
        cues.filter_map(|id| self.rows.get(id)?.question.as_deref())
    }

    fn add(&mut self, encoder: Option<&EncoderId>, seq: Seq, question: Option<&String>, vector: Option<&Vec<f32>>) {
        self.last += 1;
        let id = CueId(self.last);
        self.rows.insert(id, Row { seq, question: question.cloned() });
        self.asked.get_mut(&seq).into_iter().for_each(|asked| asked.cues.push(id));
        if let (Some(encoder), Some(vector)) = (encoder, vector) {
            self.vectors.entry(encoder.clone()).or_default().insert(id, vector.clone());
        }
    }
}

impl Tenant {
    fn put(&mut self, source: &CueSource, encoder: Option<&EncoderId>, cues: &[NewCues]) -> u64 {
        let there: Vec<&NewCues> = cues.iter().filter(|new| self.memories.contains_key(&new.seq)).collect();
        for NewCues { seq, questions, vectors } in &there {
            if self.cues.asked.contains_key(seq) {
                self.cues.remove(&[*seq]);
                self.snapshots.clear();
                self.epoch += 1;
            }
            self.cues.asked.insert(*seq, Asked { source: source.clone(), cues: Vec::new() });
            if vectors.passage.is_some() {
                self.cues.add(encoder, *seq, None, vectors.passage.as_ref());
            }
            for (i, question) in questions.iter().enumerate() {
                self.cues.add(encoder, *seq, Some(question), vectors.questions.get(i));
            }
        }
        there.len() as u64
    }

    /// Checks vectors that come; says whether there are any.
    fn check_vectors<'v>(
        &self,
        namespace: &Namespace,
        encoder: &EncoderId,
        mut vectors: impl Iterator<Item = &'v Vec<f32>>,
    ) -> Result<bool, StoreError> {
        let Some(first) = vectors.next() else { return Ok(false) };
        self.settle(namespace, encoder)?;
        self.check_dim(encoder, first.len())?;
        self.cues.check_dim(encoder, first.len())?;
        vectors.try_for_each(|vector| check_dim(encoder, Some(first.len()), vector.len()))?;
        Ok(true)
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
        let Some(tenant) = tenants.get_mut(namespace) else { return Ok(0) };
        if let Some(encoder) = encoder {
            let vectors = cues.iter().flat_map(|new| new.vectors.questions.iter().chain(&new.vectors.passage));
            if tenant.check_vectors(namespace, encoder, vectors)? {
                tenant.serving = Some(encoder.clone());
            }
        }
        Ok(tenant.put(source, encoder, cues))
    }

    fn cues(&self, namespace: &Namespace, places: &[Seq]) -> Result<Vec<Option<Cues>>, StoreError> {
        Ok(self.read_or_empty(namespace, |tenant| {
            let cues = |seq: &Seq| {
                let source = tenant.cues.asked.get(seq)?.source.clone();
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
            let memories = tenant.within_after(scope, after);
            let visible = memories.filter(|memory| is_visible(memory, audience));
            visible.filter(|memory| !tenant.cues.asked.contains_key(&memory.seq)).take(limit).cloned().collect()
        })
    }

    fn drop_cues(&self, namespace: &Namespace, scope: &Scope) -> Result<DroppedCues, StoreError> {
        self.read(namespace, |_| ())?;
        let mut tenants = self.tenants();
        let Some(tenant) = tenants.get_mut(namespace) else { return Ok(DroppedCues::default()) };
        let seqs: Vec<Seq> = tenant.within(scope).map(|memory| memory.seq).collect();
        tenant.snapshots.clear();
        tenant.epoch += 1;
        Ok(tenant.cues.remove(&seqs))
    }

    fn cue_stats(&self, namespace: &Namespace) -> Result<CueStats, StoreError> {
        self.read(namespace, |tenant| {
            let CueTable { asked, rows, vectors, .. } = &tenant.cues;
            let mut stats = CueStats {
                memories: asked.len() as u64,
                questions: rows.values().filter(|row| row.question.is_some()).count() as u64,
                ..CueStats::default()
            };
            for Asked { source, .. } in asked.values() {
                *stats.sources.entry(format!("{}, {}", source.model, source.prompt)).or_default() += 1;
            }
            for (encoder, vectors) in vectors.iter().filter(|(_, vectors)| !vectors.is_empty()) {
                stats.vectors.insert(encoder.to_string(), vectors.len() as u64);
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
            let without = tenant.cues.after(after).filter(|(id, _)| tenant.cues.vector(encoder, *id).is_none());
            let cue = |(id, row): (CueId, &Row)| {
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
            tenant.cues.check_dim(encoder, vector.len())?;
        }
        for (id, vector) in vectors {
            if tenant.cues.rows.contains_key(id) {
                tenant.cues.vectors.entry(encoder.clone()).or_default().insert(*id, vector.to_vec());
            }
        }
        tenant.epoch += u64::from(tenant.serving.as_ref() == Some(encoder));
        Ok(())
    }

    fn cue_vectors(&self, namespace: &Namespace, encoder: &EncoderId, ids: &[CueId]) -> Result<Vectors, StoreError> {
        self.read(namespace, |tenant| {
            let mut data = Vec::new();
            let mut dim = 1;
            for id in ids {
                let vector = tenant.cues.vector(encoder, *id).ok_or_else(|| StoreError::Damaged {
                    location: "memory:".to_owned(),
                    found: format!("cue {} has lost its vector by {encoder}", id.0),
                })?;
                dim = vector.len();
                data.extend_from_slice(vector);
            }
            Ok(Vectors::new(dim, data).unwrap_or_default())
        })?
    }
}
