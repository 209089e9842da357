//! What of a stored memory may change, and what goes when it does.
//!
//! What was said stays: only the text, time and source of a note change. A note with another text or time is a memory that
//! arrives anew under its old id: the old one is deleted with all that is derived from it, as a forget does. Other changes
//! are made in place. An index holds only importance of what these change, and is made anew for it.

use serde_json::Map;

use super::{cues, encoders, indexes};
use crate::{
    error::{InvalidMemory, StoreError},
    store::{
        removed::{IdRanges, Removed},
        tables::{Groups, NO_GROUP, Selection, Tables},
        update::{MemoryUpdate, UpdateReport},
    },
    types::{Kind, Namespace, Record, Sensitivity, Seq, VectorSet, check_text},
};

/// Changes the memory at a position; `None` where there is none. `vectors` are those of the new text's windows.
pub(super) fn update(
    tables: &mut dyn Tables,
    namespace: &Namespace,
    (seq, update): (Seq, &MemoryUpdate),
    vectors: Option<(VectorSet<'_>, &[f32])>,
) -> Result<Option<UpdateReport>, StoreError> {
    let Some(old) = tables.fetch(&[seq])?.pop() else { return Ok(None) };
    let new = changed(&old, update)?;
    let mut report = UpdateReport { changed: differences(&old, &new), ..UpdateReport::default() };
    let is_anew = report.changed.iter().any(|field| matches!(*field, "text" | "said_at"));
    match report.changed.as_slice() {
        [] => {}
        _ if is_anew => arrive_anew(tables, namespace, (&old, new), vectors, &mut report)?,
        fields => {
            tables.update_memory(&new)?;
            // Questions of later turns may repeat what must not leave the machine any more.
            if new.sensitivity == Sensitivity::Sensitive && fields.contains(&"sensitive") {
                let beside = cues::drop_written_beside(tables, &[seq])?;
                tables.delete_unused_sources()?;
                (report.cues, report.vectors) = (beside.dropped.questions, beside.dropped.vectors);
                cues::lose(tables, beside.ids)?;
            }
            if fields.contains(&"importance") {
                indexes::begin_epoch(tables)?;
            }
        }
    }
    Ok(Some(report))
}

/// What a memory is after an update.
fn changed(old: &Record, update: &MemoryUpdate) -> Result<Record, InvalidMemory> {
    let is_note = old.kind == Kind::Note;
    let id = || Some(old.id.clone());
    if !is_note && (update.text.is_some() || update.said_at.is_some() || update.source.is_some()) {
        return Err(InvalidMemory::WasSaid { id: id() });
    }
    if is_note && !update.meta.is_empty() {
        return Err(InvalidMemory::NoteMetadata { id: id() });
    }
    let mut new = old.clone();
    if let Some(text) = &update.text {
        check_text(old.id.clone(), text)?;
        new.text.clone_from(text);
    }
    new.said_at = update.said_at.or(old.said_at);
    new.importance = update.importance.unwrap_or(old.importance);
    new.sensitivity = update.sensitivity.unwrap_or(old.sensitivity);
    if let Some(source) = &update.source {
        new.source.clone_from(source);
    }
    if let Some(tags) = &update.tags {
        new.tags.clone_from(tags);
    }
    if !update.meta.is_empty() {
        let mut meta = new.meta.unwrap_or_default();
        for (key, value) in &update.meta {
            match value {
                Some(value) => meta.insert(key.clone(), value.clone()),
                None => meta.remove(key),
            };
        }
        new.meta = Some(meta).filter(|meta: &Map<_, _>| !meta.is_empty());
    }
    Ok(new)
}

fn differences(old: &Record, new: &Record) -> Vec<&'static str> {
    let fields = [
        ("text", old.text != new.text),
        ("said_at", old.said_at != new.said_at),
        ("source", old.source != new.source),
        ("importance", old.importance != new.importance),
        ("tags", old.tags != new.tags),
        ("sensitive", old.sensitivity != new.sensitivity),
        ("meta", old.meta != new.meta),
    ];
    fields.into_iter().filter(|(_, differs)| *differs).map(|(field, _)| field).collect()
}

/// Deletes a note with what is derived from it, and adds it again under its id as it is now.
fn arrive_anew(
    tables: &mut dyn Tables,
    namespace: &Namespace,
    (old, new): (&Record, Record),
    vectors: Option<(VectorSet<'_>, &[f32])>,
    report: &mut UpdateReport,
) -> Result<(), StoreError> {
    let selection = Selection::One(old.seq);
    let mut conversation = NO_GROUP;
    tables.each_id(selection, &mut |row| {
        conversation = row.conversation;
        Ok(())
    })?;
    let cues = tables.delete_cues(selection)?;
    tables.delete_unused_sources()?;
    report.cues = cues.dropped.questions;
    report.vectors = tables.delete_memories(selection)? + cues.dropped.vectors;
    let removed = Removed { memories: IdRanges::of([old.seq.0]), cues: IdRanges::default() };
    indexes::note_removed(tables, &removed, &cues.ids)?;
    // A vector that an import has staged may be that of the old text.
    tables.clear_staged()?;
    let seq = Seq(tables.state()?.version.last.0 + 1);
    tables.insert_memory(&Record { seq, ..new }, Groups { conversation, session: NO_GROUP })?;
    if let Some((set, vectors)) = vectors {
        encoders::claim(tables, namespace, set)?;
        encoders::check_windows(set, vectors)?;
        tables.put_vector(set.encoder, seq, vectors)?;
    }
    tables.advance_memories(seq, 1)
}
