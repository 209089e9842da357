//! All that a store holds, as lines that can be compared, and the marks by which its content is known in any file.

use std::{collections::BTreeSet, fs, path::Path};

use aforesaid_core::{
    StoreError,
    store::{CueRow, CueStore, IndexRow, IndexSink, NamespaceStats, Removed, Segment, SegmentUse, SnapshotName, Store},
    types::{EncoderId, Namespace, Scope},
};
use aforesaid_sqlite::SqliteStore;

/// Components of a vector.
const DIM: usize = 48;

/// The vector called `n`: numbers that stand nowhere else.
pub(crate) fn vector(n: usize) -> Vec<f32> {
    (0..DIM).map(|i| (n * 100 + i) as f32 + 0.25).collect()
}

/// A word that stands nowhere else.
pub(crate) fn mark(n: usize) -> String {
    format!("zq{n}qz")
}

pub(crate) const FIRST: &str = "one@1/f32";
pub(crate) const SECOND: &str = "two@1/f32";

pub(crate) fn encoder(name: &str) -> EncoderId {
    EncoderId::new(name).unwrap()
}

pub(crate) fn namespace(name: &str) -> Namespace {
    Namespace::new(name).unwrap()
}

/// What a store holds.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct World {
    lines: Vec<String>,
    /// Apart, because what is derived may be lost: by namespace.
    snapshots: Vec<(String, Option<Vec<u8>>)>,
}

struct Rows<'a>(&'a mut Vec<String>, &'a str);

impl IndexSink for Rows<'_> {
    fn reset(&mut self) {}

    fn remove(&mut self, _: &Removed) -> Result<(), StoreError> {
        Ok(())
    }

    fn row(&mut self, row: IndexRow<'_>) -> Result<(), StoreError> {
        self.0.push(format!("{} {} {}", self.1, row.seq.0, named(row.vectors)));
        Ok(())
    }

    fn cue(&mut self, cue: CueRow<'_>) -> Result<(), StoreError> {
        self.0.push(format!("{} cue {:?} {:?} {:?} {}", self.1, cue.id, cue.seq, cue.part, named(cue.vector)));
        Ok(())
    }
}

/// Under what snapshots are kept.
pub(crate) fn snapshot_name() -> SnapshotName {
    SnapshotName { index: "english".to_owned(), maker: "test".to_owned() }
}

/// The bytes of a snapshot, if one is kept.
#[derive(Default)]
struct Kept(Option<Vec<u8>>);

impl IndexSink for Kept {
    fn reset(&mut self) {}

    fn remove(&mut self, _: &Removed) -> Result<(), StoreError> {
        Ok(())
    }

    fn kept_as(&self) -> Option<SnapshotName> {
        Some(snapshot_name())
    }

    fn segment(&mut self, segment: &Segment) -> SegmentUse {
        self.0.get_or_insert_default().extend_from_slice(&segment.bytes);
        SegmentUse::Yes
    }

    fn row(&mut self, _: IndexRow<'_>) -> Result<(), StoreError> {
        Ok(())
    }

    fn cue(&mut self, _: CueRow<'_>) -> Result<(), StoreError> {
        Ok(())
    }
}

/// The name of a vector, which must be whole.
fn named(given: Option<&[f32]>) -> String {
    match given {
        None => "-".to_owned(),
        Some(given) => {
            let n = (given[0] / 100.0) as usize;
            assert_eq!(given, vector(n), "a vector is whole");
            format!("v{n}v")
        }
    }
}

impl World {
    pub(crate) fn of(store: &SqliteStore) -> Result<Self, StoreError> {
        let mut world = Self::default();
        for name in store.namespaces()? {
            let lines = &mut world.lines;
            lines.push(format!("namespace {name}"));
            store.export(&name, &Scope::default(), &mut |memory| {
                lines.push(format!("{} {memory:?}", memory.seq.0));
                Ok(())
            })?;
            for encoder in [FIRST, SECOND] {
                store.catch_up(&name, Some(&EncoderId::new(encoder)?), None, &mut Rows(lines, encoder))?;
            }
            lines.push(format!("{:?}", store.active_encoder(&name)?));
            // Counts of rows of which nothing may be left over; what is staged may be lost.
            let stats = NamespaceStats { staged: 0, ..store.stats(&name)? };
            lines.push(format!("{stats:?} {:?}", store.cue_stats(&name)?));
            let mut kept = Kept::default();
            store.catch_up(&name, None, None, &mut kept)?;
            world.snapshots.push((name.to_string(), kept.0));
        }
        Ok(world)
    }

    /// Whether a store that should hold `expected` may hold this.
    pub(crate) fn is(&self, expected: &World) -> bool {
        let snapshots = self.snapshots.iter().zip(&expected.snapshots);
        self.lines == expected.lines
            && self.snapshots.len() == expected.snapshots.len()
            && snapshots.into_iter().all(|(found, expected)| found.1.is_none() || found == expected)
    }

    /// Marks and names of vectors in it.
    pub(crate) fn marks(&self) -> BTreeSet<String> {
        let snapshots = self.snapshots.iter().flat_map(|(_, snapshot)| snapshot);
        let snapshots = snapshots.map(|snapshot| String::from_utf8_lossy(snapshot));
        let texts = self.lines.iter().map(|line| line.as_str().into()).chain(snapshots);
        texts
            .flat_map(|text| text.split(|c: char| !c.is_alphanumeric()).map(str::to_owned).collect::<Vec<_>>())
            .filter(|word| is_mark(word))
            .collect()
    }

    /// What this has and the other has not.
    pub(crate) fn differences(&self, other: &World) -> Vec<String> {
        let only = |a: &World, b: &World, sign: &str| -> Vec<String> {
            a.lines.iter().filter(|line| !b.lines.contains(line)).map(|line| format!("{sign} {line:.200}")).collect()
        };
        let mut lines = [only(self, other, "+"), only(other, self, "-")].concat();
        if self
            .snapshots
            .iter()
            .map(|s| (&s.0, s.1.is_some()))
            .ne(other.snapshots.iter().map(|s| (&s.0, s.1.is_some())))
        {
            lines.push("snapshots differ".to_owned());
        }
        lines
    }
}

fn is_mark(word: &str) -> bool {
    let digits = |word: &str| !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit());
    let text = word.strip_prefix("zq").and_then(|word| word.strip_suffix("qz"));
    let vector = word.strip_prefix('v').and_then(|word| word.strip_suffix('v'));
    text.or(vector).is_some_and(digits)
}

/// The bytes by which a mark is known in a file.
fn bytes(mark: &str) -> Vec<u8> {
    match mark.strip_prefix('v').and_then(|n| n.trim_end_matches('v').parse().ok()) {
        Some(n) => vector(n)[7..10].iter().flat_map(|x| x.to_le_bytes()).collect(),
        None => mark.as_bytes().to_vec(),
    }
}

/// The marks of `gone` that stand in some file of a folder.
pub(crate) fn left_in_files(folder: &Path, gone: &BTreeSet<String>) -> Vec<String> {
    // By their first two bytes, so that a file is read once.
    let mut patterns: Vec<Vec<(&str, Vec<u8>)>> = vec![Vec::new(); 1 << 16];
    for mark in gone {
        let pattern = bytes(mark);
        patterns[usize::from(u16::from_le_bytes([pattern[0], pattern[1]]))].push((mark, pattern));
    }
    let mut left = BTreeSet::new();
    for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
        let content = fs::read(entry.path()).unwrap();
        for (at, two) in content.array_windows::<2>().enumerate() {
            for (mark, pattern) in &patterns[usize::from(u16::from_le_bytes(*two))] {
                if content[at..].starts_with(pattern) {
                    left.insert(format!("{mark} in {}", entry.file_name().to_string_lossy()));
                }
            }
        }
    }
    left.into_iter().collect()
}
