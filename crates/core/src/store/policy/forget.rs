//! What goes with a memory: vectors, cues and theirs, the cues of turns after it whose writer was shown it, emptied sessions
//! and conversations, segments that hold it, and staged vectors, which may be of it too.

use super::{
    counters::{self, DeletedIds},
    cues::drop_written_beside,
    indexes,
};
use crate::{
    error::StoreError,
    store::{
        deletion::{DeleteReport, DeleteTarget},
        removed::{IdRanges, Removed},
        tables::{DeletedCues, Selection, Tables},
    },
    types::{Kind, Seq},
};

/// Deletes memories with everything derived from them.
pub(super) fn forget(tables: &mut dyn Tables, target: &DeleteTarget) -> Result<DeleteReport, StoreError> {
    let selection = Selection::from(target);
    let (mut report, mut positions, mut ids) = (DeleteReport::default(), Vec::new(), DeletedIds::default());
    tables.each_id(selection, &mut |row| {
        match row.kind {
            Kind::Turn => report.turns += 1,
            Kind::Note => report.notes += 1,
        }
        positions.push(row.seq.0);
        ids.note(row.conversation, row.id);
        Ok(())
    })?;
    // Cues are found by their memories, so that they go first.
    let cues = tables.delete_cues(selection)?;
    let beside = match selection.is_everything() {
        true => DeletedCues::default(),
        false => drop_written_beside(tables, &positions.iter().copied().map(Seq).collect::<Vec<_>>())?,
    };
    tables.delete_unused_sources()?;
    report.cues = cues.dropped.questions + beside.dropped.questions;
    report.vectors = tables.delete_memories(selection)? + cues.dropped.vectors + beside.dropped.vectors;
    ids.raise(tables)?;
    let emptied = tables.delete_empty_groups()?;
    counters::save_numbers(tables, &emptied)?;
    report.sessions = emptied.sessions.len() as u64;
    report.conversations = emptied.conversations.len() as u64;
    let all_cues = IdRanges::of_runs(cues.ids.runs().iter().chain(beside.ids.runs()).copied());
    let removed = Removed { memories: IdRanges::of(positions), cues: beside.ids };
    indexes::note_removed(tables, &removed, &all_cues)?;
    report.staged = tables.clear_staged()?;
    if selection.is_everything() {
        tables.drop_namespace()?;
    }
    Ok(report)
}
