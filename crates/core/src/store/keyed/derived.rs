//! Removals and segments.

use std::ops::ControlFlow;

use super::{
    access,
    key::{Key, Row},
    rows::{self, KeyedRows},
};
use crate::{
    error::StoreError,
    store::{
        removed::Removed,
        segment::{Segment, SegmentKind, SnapshotName},
        tables::{DerivedTable, SegmentFilter},
    },
};

/// The first key that a segment can have.
fn first_segment(kind: SegmentKind) -> Key {
    Key::Segment(kind, 0, String::new())
}

/// Visits all segments: kind, index, maker, segment.
fn each_segment<R: KeyedRows>(
    rows: &R,
    mut visit: impl FnMut(&Key, &str, &Segment) -> Result<(), StoreError>,
) -> Result<(), StoreError> {
    rows.scan(&first_segment(SegmentKind::Memories), &mut |key, row| match row {
        Row::Segment { maker, segment } => visit(key, maker, segment).map(ControlFlow::Continue),
        _ => Ok(ControlFlow::Break(())),
    })
}

impl<R: KeyedRows> DerivedTable for R {
    fn removals_after(&self, number: u64) -> Result<Vec<(u64, Removed)>, StoreError> {
        let mut found = Vec::new();
        let number_of = |key: &Key| match key {
            Key::Removal(number) => Some(*number),
            _ => None,
        };
        rows::each(self, &Key::Removal(number.saturating_add(1)), number_of, |number, row| {
            if let Row::Removal(removed) = row {
                found.push((number, removed.clone()));
            }
            Ok(ControlFlow::Continue(()))
        })?;
        Ok(found)
    }

    fn removal_spans(&self) -> Result<usize, StoreError> {
        Ok(access::number(self, &Key::RemovalSpans)?.and_then(|spans| usize::try_from(spans).ok()).unwrap_or(0))
    }

    fn each_segment(
        &self,
        name: &SnapshotName,
        rows: SegmentKind,
        visit: &mut dyn FnMut(Segment) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        each_segment(self, |key, maker, segment| match key {
            Key::Segment(kind, _, index) if (*kind, index, maker) == (rows, &name.index, name.maker.as_str()) => {
                visit(segment.clone())
            }
            _ => Ok(()),
        })
    }

    fn segment_names(&self) -> Result<Vec<String>, StoreError> {
        let mut names = Vec::new();
        each_segment(self, |key, _, _| {
            if let Key::Segment(_, _, index) = key {
                names.push(index.clone());
            }
            Ok(())
        })?;
        names.sort_unstable();
        names.dedup();
        Ok(names)
    }

    fn set_removed(&mut self, number: u64) -> Result<(), StoreError> {
        access::update(self, |state| state.version.removed = number)
    }

    fn insert_removal(&mut self, number: u64, removed: &Removed) -> Result<(), StoreError> {
        let spans = self.removal_spans()? + removed.spans();
        self.put(Key::RemovalSpans, Row::Number(spans as u64))?;
        self.put(Key::Removal(number), Row::Removal(removed.clone()))
    }

    fn trim_removals(&mut self, spans: usize) -> Result<(), StoreError> {
        let (mut left, mut gone) = (self.removal_spans()?, Vec::new());
        for (number, removed) in self.removals_after(0)? {
            if left <= spans {
                break;
            }
            left -= removed.spans();
            gone.push(Key::Removal(number));
        }
        rows::delete_all(self, gone)?;
        self.put(Key::RemovalSpans, Row::Number(left as u64))
    }

    fn put_segment(&mut self, name: &SnapshotName, segment: &Segment) -> Result<(), StoreError> {
        let key = Key::Segment(segment.rows, segment.block, name.index.clone());
        self.put(key, Row::Segment { maker: name.maker.clone(), segment: segment.clone() })
    }

    fn delete_segments(&mut self, filter: SegmentFilter<'_>) -> Result<(), StoreError> {
        let mut gone = Vec::new();
        each_segment(self, |key, maker, segment| {
            let is_gone = match filter {
                SegmentFilter::All => true,
                SegmentFilter::Block(kind, block) => (segment.rows, segment.block) == (kind, block),
                SegmentFilter::NotBy(other) => maker != other,
            };
            gone.extend(is_gone.then(|| key.clone()));
            Ok(())
        })?;
        rows::delete_all(self, gone).map(|_| ())
    }
}
