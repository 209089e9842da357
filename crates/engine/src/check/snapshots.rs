//! Whether the snapshots of indexes are those of the rows.

use aforesaid_core::{
    StoreError,
    analysis::Analyzer,
    index::{Index, IndexSpec},
    store::{CueRow, Finding, IndexRow, IndexSink, Removed, Segment, SegmentUse, SnapshotName, Store},
    types::{EncoderId, Namespace},
};

const MADE_ANEW: &str = "nothing: the next search makes it anew";

/// Makes the index of every snapshot of a namespace twice, with its segments and without, and compares the two.
pub(super) fn check(store: &dyn Store, namespace: &Namespace) -> Result<Vec<Finding>, StoreError> {
    let view = store.steady()?;
    let active = view.active_encoder(namespace)?;
    let mut findings = Vec::new();
    for name in view.snapshots(namespace)? {
        let Some(spec) = spec_of(&name, active.as_ref()) else { continue };
        let subject = format!("snapshot {name} of namespace {namespace:?}");
        let dim = match &spec.encoder {
            Some(encoder) => view.components(namespace, encoder)?.unwrap_or(1),
            None => 1,
        };
        let read = |segments| {
            let mut reading = Reading { index: Index::new(spec.clone(), dim), segments, refused: 0 };
            let version = view.catch_up(namespace, spec.encoder.as_ref(), None, &mut reading)?;
            reading.index.set_version(version);
            Ok::<_, StoreError>(reading)
        };
        let kept = read(Segments::Taken)?;
        if kept.refused > 0 {
            let found = format!("{} of its segments cannot be read", kept.refused);
            findings.push(Finding::note(subject.clone(), found, "segments that can be read", MADE_ANEW));
        }
        if let Some(part) = kept.index.difference(&read(Segments::Refused)?.index) {
            findings.push(
                Finding::damage(subject, format!("other {part} than the rows give"), "the index of the rows")
                    .remedied_by("restore a backup, or re-embed the namespace by another encoder and back: that drops the snapshot"),
            );
        }
    }
    Ok(findings)
}

/// What an index is made of that is kept under a name; `None` for one that this program would not use.
fn spec_of(name: &str, encoder: Option<&EncoderId>) -> Option<IndexSpec> {
    let analyzers = [Analyzer::English, Analyzer::Plain];
    let specs = analyzers
        .into_iter()
        .flat_map(|analyzer| [None, encoder.cloned()].map(|encoder| IndexSpec { analyzer, encoder }));
    specs.into_iter().find(|spec| spec.snapshot_name().index == name)
}

/// What is done with segments.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Segments {
    Taken,
    Refused,
}

/// An index, and how many segments could not be put back into it.
struct Reading {
    index: Index,
    segments: Segments,
    refused: usize,
}

impl IndexSink for Reading {
    fn reset(&mut self) {
        self.index.reset();
    }

    fn remove(&mut self, gone: &Removed) -> Result<(), StoreError> {
        self.index.remove(gone)
    }

    fn kept_as(&self) -> Option<SnapshotName> {
        self.index.kept_as().filter(|_| self.segments == Segments::Taken)
    }

    fn segment(&mut self, segment: &Segment) -> SegmentUse {
        let taken = self.index.segment(segment);
        self.refused += usize::from(taken == SegmentUse::No);
        taken
    }

    fn row(&mut self, row: IndexRow<'_>) -> Result<(), StoreError> {
        self.index.row(row)
    }

    fn cue(&mut self, cue: CueRow<'_>) -> Result<(), StoreError> {
        self.index.cue(cue)
    }
}
