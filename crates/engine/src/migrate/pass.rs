//! One pass of a migration: the target becomes what one view of the source is.
//!
//! What is there already is compared, what differs is replaced, what is missing is added; each part of a few hundred rows is
//! a transaction, after which the target is a whole store that lacks something. Every part can be repeated, so that a
//! pass that was interrupted is followed by another one.

use std::ops::ControlFlow;

use aforesaid_core::{
    StoreError,
    store::{
        ChangeKind, CuePart, Version,
        tables::{Counter, NamespaceState, SegmentFilter, Selection, Tables},
    },
    types::{CueId, CueSource, EncoderId, Seq},
};

use super::{
    MigrationProgress,
    checksum::Checksum,
    groups::{AllGroups, Places},
    relation::{Relation, is_same_memory, relation},
    rows::{CopiedCue, CueNumbers, MemoryRow, Side, parts},
};
use crate::error::Error;

/// Why a pass ends early.
pub(super) enum Stop {
    /// It failed.
    Failed(Error),
    /// Somebody asked for it.
    Asked,
}

impl From<StoreError> for Stop {
    fn from(error: StoreError) -> Self {
        Self::Failed(error.into())
    }
}

/// What a pass changed in the target.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Changes {
    /// Memories and cues written, those that replace others included.
    pub(super) written: u64,
    /// Memories deleted, or whose cues were.
    pub(super) removed: u64,
    /// Whether counters, groups, vectors or the version changed.
    pub(super) other: bool,
}

impl Changes {
    pub(super) fn is_none(self) -> bool {
        self == Self::default()
    }
}

/// A pass under way.
pub(super) struct Pass<'a, 'p> {
    from: Side<'a>,
    to: Side<'a>,
    source: NamespaceState,
    /// The target before the pass.
    target: NamespaceState,
    relation: Relation,
    encoders: Vec<EncoderId>,
    pub(super) checksum: Checksum,
    pub(super) changes: Changes,
    number: u32,
    progress: &'p mut dyn FnMut(MigrationProgress<'_>) -> ControlFlow<()>,
}

impl<'a, 'p> Pass<'a, 'p> {
    /// A pass over a view of the source; `None` where that has no such namespace.
    pub(super) fn begin(
        from: Side<'a>,
        to: Side<'a>,
        number: u32,
        progress: &'p mut dyn FnMut(MigrationProgress<'_>) -> ControlFlow<()>,
    ) -> Result<Option<Self>, Stop> {
        let Some(source) = from.state()? else { return Ok(None) };
        let found = to.state()?;
        let relation = relation(&source, found.as_ref());
        if let Relation::Other(what) = &relation {
            return Err(taken(to, what));
        }
        let names: std::collections::BTreeSet<String> = &from.encoders()? | &to.encoders()?;
        let encoders =
            names.into_iter().map(EncoderId::new).collect::<Result<_, _>>().map_err(|e| Stop::Failed(e.into()))?;
        let mut pass = Self {
            from,
            to,
            target: source.clone(),
            source,
            relation,
            encoders,
            checksum: Checksum::default(),
            changes: Changes::default(),
            number,
            progress,
        };
        pass.prepare()?;
        pass.target = pass.to.state()?.unwrap_or_else(|| pass.source.clone());
        Ok(Some(pass))
    }

    /// The version of the source's view.
    pub(super) fn version(&self) -> Version {
        self.source.version
    }

    /// The encoders of both sides.
    pub(super) fn encoders(&self) -> &[EncoderId] {
        &self.encoders
    }

    /// Brings the target to the state of the source's view.
    pub(super) fn run(&mut self) -> Result<(), Stop> {
        self.groups()?;
        for part in parts(0, self.source.version.last.0) {
            self.memories(part)?;
            self.report(part.1)?;
        }
        self.replace_cues()?;
        let (mut here, mut there) = (CueNumbers::default(), CueNumbers::default());
        for part in parts(0, self.source.version.cues.0) {
            self.cues(part, &mut here, &mut there)?;
            self.report(self.source.version.last.0 + part.1)?;
        }
        self.finish()
    }

    fn report(&mut self, done: u64) -> Result<(), Stop> {
        let version = self.source.version;
        let total = version.last.0 + version.cues.0;
        let namespace = self.from.namespace;
        match (self.progress)(MigrationProgress { namespace, pass: self.number, done, total }) {
            ControlFlow::Continue(()) => Ok(()),
            ControlFlow::Break(()) => Err(Stop::Asked),
        }
    }

    fn write(
        &self,
        kind: ChangeKind,
        mut work: impl FnMut(&mut dyn Tables) -> Result<(), StoreError>,
    ) -> Result<(), Stop> {
        self.to.store.write_rows(self.to.namespace, ("migrate rows", kind), &mut work)?;
        Ok(())
    }

    /// Makes the namespace where it holds nothing, and the encoders that it lacks.
    fn prepare(&mut self) -> Result<(), Stop> {
        let dims = |side: Side<'_>, encoders: &[EncoderId]| {
            let dims = side.read(|tables| {
                encoders.iter().map(|encoder| tables.encoder_dim(encoder)).collect::<Result<Vec<_>, _>>()
            });
            dims.map(|dims| dims.unwrap_or_else(|| vec![None; encoders.len()]))
        };
        let (from, to) = (dims(self.from, &self.encoders)?, dims(self.to, &self.encoders)?);
        let lacking: Vec<(&EncoderId, usize)> = self
            .encoders
            .iter()
            .zip(from.into_iter().zip(to))
            .filter_map(|(encoder, (from, to))| Some((encoder, from.filter(|_| to.is_none())?)))
            .collect();
        let (source, is_empty) = (&self.source, self.relation == Relation::Empty);
        if !is_empty && lacking.is_empty() {
            return Ok(());
        }
        self.write(ChangeKind::Lasting, |tables| {
            lacking.iter().try_for_each(|(encoder, dim)| tables.insert_encoder(encoder, *dim))?;
            if is_empty {
                tables.set_epoch(source.version.epoch)?;
                tables.set_removed(source.version.removed)?;
                source.active_encoder.iter().try_for_each(|encoder| tables.set_active_encoder(encoder))?;
            }
            Ok(())
        })?;
        self.changes.other = true;
        Ok(())
    }

    fn groups(&mut self) -> Result<(), Stop> {
        let read = |side: Side<'_>| Ok::<_, StoreError>(side.read(AllGroups::read)?.unwrap_or_default());
        let (wanted, found) = (read(self.from)?, read(self.to)?);
        self.checksum.add_groups(&self.source, &wanted);
        let mut there = Checksum::default();
        there.add_groups(&self.source, &found);
        if there.digits() == self.checksum.digits() {
            return Ok(());
        }
        for part in wanted.parts() {
            self.write(ChangeKind::Lasting, |tables| part.write(tables))?;
        }
        self.changes.other = true;
        Ok(())
    }

    fn memories(&mut self, part: (u64, u64)) -> Result<(), Stop> {
        let wanted = self.from.memories(&self.encoders, part)?;
        wanted.iter().for_each(|row| self.checksum.add_memory(row, &self.encoders));
        let last = self.target.version.last.0;
        let found = match part.0 < last {
            true => self.to.memories(&self.encoders, part)?,
            false => Vec::new(),
        };
        let change = self.compare(&wanted, &found)?;
        if change.is_none() {
            return Ok(());
        }
        let upto = last.max(part.1);
        self.write(change.kind(), |tables| change.write(tables, &self.encoders, upto))?;
        self.changes.written += change.new.len() as u64;
        self.changes.removed += change.gone.len() as u64;
        self.changes.other |= !change.more.is_empty();
        Ok(())
    }

    /// What has to change so that rows are as wanted.
    fn compare<'r>(&self, wanted: &'r [MemoryRow], found: &'r [MemoryRow]) -> Result<MemoryChange<'r>, Stop> {
        let mut change = MemoryChange::default();
        let changed = || taken(self.to, "a copy of it that was changed since");
        for row in found {
            let seq = row.record.seq;
            let same = wanted.iter().find(|wanted| wanted.record.seq == seq);
            // Where the source only added, its memories are those that were copied.
            if self.relation == Relation::Beginning
                && !same.is_some_and(|same| is_same_memory(&same.record, &row.record))
            {
                return Err(changed());
            }
            match same {
                Some(same) if same == row => {}
                Some(same) if is_more(same, row) => change.more.push((same, row)),
                Some(same) => {
                    change.gone.push(seq);
                    change.new.push(same);
                }
                None => change.gone.push(seq),
            }
        }
        for row in wanted {
            if found.iter().all(|found| found.record.seq != row.record.seq) {
                // A copy has no gaps that its source has not.
                if row.record.seq <= self.target.version.last && self.relation != Relation::Empty {
                    return Err(changed());
                }
                change.new.push(row);
            }
        }
        Ok(change)
    }

    /// Deletes the cues of memories whose cues are others now; those they have now are added afterwards.
    fn replace_cues(&mut self) -> Result<(), Stop> {
        /// Memories whose cues are deleted at once.
        const AT_ONCE: usize = 256;
        let (mut here, mut there) = (CueNumbers::default(), CueNumbers::default());
        let mut stale: Vec<Seq> = Vec::new();
        for part in parts(0, self.target.version.cues.0) {
            let found = self.to.cues(&self.encoders, part, &mut there)?;
            let wanted = self.from.cues(&self.encoders, part, &mut here)?;
            for cue in &found {
                let same = wanted.iter().find(|wanted| wanted.id == cue.id);
                if !same.is_some_and(|same| is_more_of_cue(same, cue)) && stale.last() != Some(&cue.seq) {
                    stale.push(cue.seq);
                }
            }
        }
        if !stale.is_empty() && self.relation == Relation::Beginning {
            return Err(taken(self.to, "a copy of it that was changed since"));
        }
        for memories in stale.chunks(AT_ONCE) {
            let cues = self.from.read(|tables| tables.cues(memories))?.unwrap_or_default();
            let sources: Vec<Option<CueSource>> = cues.into_iter().map(|cues| Some(cues?.source)).collect();
            self.write(ChangeKind::Erases, |tables| {
                for (seq, source) in memories.iter().zip(&sources) {
                    tables.delete_cues(Selection::One(*seq))?;
                    source.iter().try_for_each(|source| tables.insert_cued(*seq, source))?;
                }
                drop_derived(tables)
            })?;
            self.changes.removed += memories.len() as u64;
        }
        Ok(())
    }

    fn cues(&mut self, part: (u64, u64), here: &mut CueNumbers, there: &mut CueNumbers) -> Result<(), Stop> {
        let wanted = self.from.cues(&self.encoders, part, here)?;
        wanted.iter().for_each(|cue| self.checksum.add_cue(cue, &self.encoders));
        let last = self.target.version.cues.0;
        let found = match part.0 < last {
            true => self.to.cues(&self.encoders, part, there)?,
            false => Vec::new(),
        };
        let (mut new, mut more) = (Vec::new(), Vec::new());
        for cue in &wanted {
            match found.iter().find(|found| found.id == cue.id) {
                None => new.push(cue),
                Some(found) if found != cue => more.push(cue),
                Some(_) => {}
            }
        }
        if new.is_empty() && more.is_empty() {
            return Ok(());
        }
        let encoders = &self.encoders;
        let upto = last.max(part.1);
        self.write(ChangeKind::Lasting, |tables| {
            for cue in &new {
                let part = cue.question.as_deref().map_or(CuePart::Passage, CuePart::Question);
                tables.insert_cue(cue.id, cue.seq, cue.number, part)?;
            }
            for cue in new.iter().chain(&more) {
                each_vector(encoders, &cue.vectors, |encoder, vector| tables.put_cue_vector(encoder, cue.id, vector))?;
            }
            let questions = new.iter().filter(|cue| cue.question.is_some()).count();
            tables.advance_cues(CueId(upto), questions as u64)
        })?;
        self.changes.written += new.len() as u64;
        self.changes.other |= !more.is_empty();
        Ok(())
    }

    /// Gives the target the counters and the version of the source's view.
    fn finish(&mut self) -> Result<(), Stop> {
        let (source, has_removed) = (&self.source, self.changes.removed > 0);
        if !has_removed && self.to.state()?.as_ref() == Some(source) {
            return Ok(());
        }
        let kind = if has_removed { ChangeKind::Erases } else { ChangeKind::Lasting };
        self.write(kind, |tables| {
            if has_removed {
                tables.delete_empty_groups()?;
            }
            let found = tables.state()?;
            tables.raise(Counter::Floor, source.floor)?;
            tables.raise(Counter::Notes, source.notes)?;
            if found.version.last < source.version.last {
                tables.advance_memories(source.version.last, 0)?;
            }
            if found.version.cues < source.version.cues {
                tables.advance_cues(source.version.cues, 0)?;
            }
            if found.active_encoder != source.active_encoder {
                source.active_encoder.iter().try_for_each(|encoder| tables.set_active_encoder(encoder))?;
            }
            if !found.version.continues(source.version) {
                drop_derived(tables)?;
                tables.set_epoch(source.version.epoch)?;
                tables.set_removed(source.version.removed)?;
            }
            Ok(())
        })?;
        self.changes.other = true;
        Ok(())
    }
}

/// What has to change in some memories of the target.
#[derive(Default)]
struct MemoryChange<'r> {
    /// Positions whose memory goes.
    gone: Vec<Seq>,
    /// Memories to write.
    new: Vec<&'r MemoryRow>,
    /// Memories that lack vectors or the record of who wrote their cues: as wanted, and as found.
    more: Vec<(&'r MemoryRow, &'r MemoryRow)>,
}

impl MemoryChange<'_> {
    fn is_none(&self) -> bool {
        self.gone.is_empty() && self.new.is_empty() && self.more.is_empty()
    }

    fn kind(&self) -> ChangeKind {
        if self.gone.is_empty() { ChangeKind::Lasting } else { ChangeKind::Erases }
    }

    fn write(&self, tables: &mut dyn Tables, encoders: &[EncoderId], upto: u64) -> Result<(), StoreError> {
        for seq in &self.gone {
            // Cues are found by their memories, so that they go first.
            tables.delete_cues(Selection::One(*seq))?;
            tables.delete_memories(Selection::One(*seq))?;
        }
        if !self.gone.is_empty() {
            tables.clear_staged()?;
            drop_derived(tables)?;
        }
        let mut places = Places::default();
        for row in &self.new {
            let groups = places.of(tables, &row.record)?;
            tables.insert_memory(&row.record, groups)?;
            row.cued.iter().try_for_each(|source| tables.insert_cued(row.record.seq, source))?;
        }
        for (row, found) in &self.more {
            let source = row.cued.iter().filter(|_| found.cued.is_none());
            source.into_iter().try_for_each(|source| tables.insert_cued(row.record.seq, source))?;
        }
        for row in self.new.iter().copied().chain(self.more.iter().map(|(row, _)| *row)) {
            let seq = row.record.seq;
            each_vector(encoders, &row.vectors, |encoder, vectors| tables.put_vector(encoder, seq, vectors))?;
        }
        tables.advance_memories(Seq(upto), self.new.len() as u64)
    }
}

/// Deletes what was derived of rows that are gone.
fn drop_derived(tables: &mut dyn Tables) -> Result<(), StoreError> {
    tables.delete_unused_sources()?;
    tables.delete_segments(SegmentFilter::All)?;
    // Whoever holds an index of an earlier version makes it anew.
    tables.trim_removals(0)
}

/// Whether a memory is the one found, with more vectors or its cues' source besides.
fn is_more(wanted: &MemoryRow, found: &MemoryRow) -> bool {
    wanted.record == found.record
        && (found.cued.is_none() || wanted.cued == found.cued)
        && has_all(&wanted.vectors, &found.vectors)
}

/// Whether a cue is the one found, or that with more vectors.
fn is_more_of_cue(wanted: &CopiedCue, found: &CopiedCue) -> bool {
    (wanted.id, wanted.seq, wanted.number, &wanted.question) == (found.id, found.seq, found.number, &found.question)
        && has_all(&wanted.vectors, &found.vectors)
}

/// Whether every encoder that has a vector in `found` has one in `wanted`, which may be another.
fn has_all(wanted: &[Option<Vec<f32>>], found: &[Option<Vec<f32>>]) -> bool {
    wanted.iter().zip(found).all(|(wanted, found)| wanted.is_some() || found.is_none())
}

fn each_vector(
    encoders: &[EncoderId],
    vectors: &[Option<Vec<f32>>],
    mut put: impl FnMut(&EncoderId, &[f32]) -> Result<(), StoreError>,
) -> Result<(), StoreError> {
    let there = encoders.iter().zip(vectors).filter_map(|(encoder, vector)| Some((encoder, vector.as_ref()?)));
    there.into_iter().try_for_each(|(encoder, vector)| put(encoder, vector))
}

fn taken(to: Side<'_>, found: &str) -> Stop {
    Stop::Failed(Error::TargetTaken {
        namespace: to.namespace.clone(),
        location: to.store.location(),
        found: found.to_owned(),
    })
}
