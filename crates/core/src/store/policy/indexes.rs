//! What a derived index is told: what was removed, what is new, and which segments stand for rows.

use crate::{
    error::StoreError,
    store::{
        removed::{IdRanges, REMEMBERED_SPANS, Removed},
        segment::{Segment, SegmentKind, SegmentUse, SnapshotName},
        sink::IndexSink,
        tables::{RowKind, SegmentFilter, Tables},
        version::Version,
    },
    types::EncoderId,
};

/// Has every index made anew: what they hold changed.
pub(super) fn begin_epoch(tables: &mut dyn Tables) -> Result<(), StoreError> {
    let epoch = tables.state()?.version.epoch;
    tables.delete_segments(SegmentFilter::All)?;
    // No index is older than the epoch.
    tables.trim_removals(0)?;
    tables.set_epoch(epoch + 1)
}

/// Records rows that were removed, for indexes that hold them, and deletes the segments that hold them. `cues` are the
/// cues that were removed, those of removed memories included.
pub(in crate::store) fn note_removed(
    tables: &mut dyn Tables,
    removed: &Removed,
    cues: &IdRanges,
) -> Result<(), StoreError> {
    for (rows, spans) in [(SegmentKind::Memories, &removed.memories), (SegmentKind::Cues, cues)] {
        for block in spans.blocks() {
            tables.delete_segments(SegmentFilter::Block(rows, block))?;
        }
    }
    if removed.is_empty() {
        return Ok(());
    }
    let number = tables.state()?.version.removed + 1;
    tables.set_removed(number)?;
    if tables.removal_spans()? + removed.spans() > REMEMBERED_SPANS {
        tables.trim_removals(REMEMBERED_SPANS.saturating_sub(removed.spans()))?;
    }
    match removed.spans() > REMEMBERED_SPANS {
        true => Ok(()),
        false => tables.insert_removal(number, removed),
    }
}

/// What was removed since a version; `None` where that is not known any more.
pub(in crate::store) fn removed_since(
    tables: &dyn Tables,
    now: Version,
    since: Version,
) -> Result<Option<Removed>, StoreError> {
    if since.epoch != now.epoch || since.removed > now.removed {
        return Ok(None);
    }
    if since.removed == now.removed {
        return Ok(Some(Removed::default()));
    }
    let removals = tables.removals_after(since.removed)?;
    // Removals are dropped from the oldest on: when the first is there, all are.
    if removals.first().is_none_or(|(first, _)| *first != since.removed + 1) {
        return Ok(None);
    }
    let of = |spans: fn(&Removed) -> &IdRanges| {
        IdRanges::of_runs(removals.iter().flat_map(|(_, removed)| spans(removed).runs().iter().copied()))
    };
    Ok(Some(Removed { memories: of(|removed| &removed.memories), cues: of(|removed| &removed.cues) }))
}

/// Brings an index from `since` to the present.
pub(super) fn catch_up(
    tables: &dyn Tables,
    encoder: Option<&EncoderId>,
    since: Option<Version>,
    sink: &mut dyn IndexSink,
) -> Result<Version, StoreError> {
    let version = tables.state()?.version;
    let removed = match since {
        Some(since) => removed_since(tables, version, since)?,
        None => None,
    };
    let (Some(since), Some(removed)) = (since, removed) else {
        sink.reset();
        feed_all(tables, encoder, (SegmentKind::Memories, version.last.0), sink)?;
        feed_all(tables, encoder, (SegmentKind::Cues, version.cues.0), sink)?;
        feed_titles(tables, sink)?;
        return Ok(version);
    };
    if !removed.is_empty() {
        sink.remove(&removed)?;
    }
    feed(tables, encoder, (SegmentKind::Memories, since.last.0, version.last.0), sink)?;
    feed(tables, encoder, (SegmentKind::Cues, since.cues.0, version.cues.0), sink)?;
    feed_titles(tables, sink)?;
    Ok(version)
}

/// Shows the titles that an index has not taken. A title that changes later begins an epoch.
fn feed_titles(tables: &dyn Tables, sink: &mut dyn IndexSink) -> Result<(), StoreError> {
    sink.titles_upto().map_or(Ok(()), |upto| tables.feed_titles(upto, sink))
}

/// Shows the rows of one kind after a number, up to another; says how many the namespace counts of them.
fn feed(
    tables: &dyn Tables,
    encoder: Option<&EncoderId>,
    (rows, after, upto): (SegmentKind, u64, u64),
    sink: &mut dyn IndexSink,
) -> Result<u64, StoreError> {
    match rows {
        _ if after >= upto => Ok(0),
        SegmentKind::Memories => tables.feed_memories(encoder, (after, upto), sink),
        SegmentKind::Cues => tables.feed_cues(encoder, (after, upto), sink),
    }
}

/// Shows all rows of one kind up to a number, as segments where those are kept and taken. Where none is taken, all rows
/// are read, and their number is compared with the recorded one.
fn feed_all(
    tables: &dyn Tables,
    encoder: Option<&EncoderId>,
    (rows, end): (SegmentKind, u64),
    sink: &mut dyn IndexSink,
) -> Result<(), StoreError> {
    let (mut last, mut counted) = (0, Some(0));
    if let Some(name) = sink.kept_as() {
        tables.each_segment(&name, rows, &mut |segment| {
            let before = Segment::first(segment.block).saturating_sub(1).max(last);
            let fed = feed(tables, encoder, (rows, last, before), sink)?;
            (last, counted) = match sink.segment(&segment) {
                SegmentUse::Yes => (segment.upto, None),
                SegmentUse::No => (before, counted.map(|counted| counted + fed)),
            };
            Ok(())
        })?;
    }
    let fed = feed(tables, encoder, (rows, last, end), sink)?;
    let kind = match rows {
        SegmentKind::Memories => RowKind::Memories,
        SegmentKind::Cues => RowKind::Questions,
    };
    counted.map_or(Ok(()), |counted| tables.expect(kind, counted + fed))
}

/// Keeps segments made at a version; says whether the namespace is still at it.
pub(super) fn keep_segments(
    tables: &mut dyn Tables,
    name: &SnapshotName,
    version: Version,
    segments: &[Segment],
) -> Result<bool, StoreError> {
    if !tables.state()?.version.continues(version) {
        return Ok(false);
    }
    tables.delete_segments(SegmentFilter::NotBy(&name.maker))?;
    segments.iter().try_for_each(|segment| tables.put_segment(name, segment))?;
    Ok(true)
}
