//! Snapshots of indexes.

use aforesaid_core::{
    analysis::Analyzer,
    index::{Index, IndexSpec},
    store::{CuePart, CueRow, IndexRow, IndexSink, Segment, SegmentKind, SegmentUse, Version},
    types::{CueId, EncoderId, Kind, Seq, Timestamp},
};

fn spec(encoder: Option<&str>) -> IndexSpec {
    IndexSpec { analyzer: Analyzer::English, encoder: encoder.and_then(|id| EncoderId::new(id).ok()) }
}

/// The body is checked with the checksum that belongs to it: without, hardly any would be read.
pub(crate) fn snapshot(body: &[u8]) {
    let mut bytes = body.to_vec();
    bytes.extend_from_slice(&crc32fast::hash(body).to_le_bytes());
    for encoder in [None, Some("test@1")] {
        for rows in [SegmentKind::Memories, SegmentKind::Cues] {
            let segment = Segment { rows, block: 0, upto: Segment::first(1) - 1, bytes: bytes.clone() };
            let before = || match rows {
                SegmentKind::Memories => Some(Index::new(spec(encoder), 2)),
                SegmentKind::Cues => memories(encoder),
            };
            let (Some(mut once), Some(mut again), Some(untouched)) = (before(), before(), before()) else { return };
            match once.segment(&segment) {
                SegmentUse::No => assert_eq!(once.difference(&untouched), None, "what is refused changes nothing"),
                SegmentUse::Yes => {
                    again.segment(&segment);
                    assert_eq!(once.difference(&again), None, "the same segment makes the same index");
                }
            }
        }
    }
}

/// Segments of an index without vectors and of one with, without their checksums.
pub(crate) fn corpus(_: &str) -> Vec<Vec<u8>> {
    let indexes = [None, Some("test@1")].into_iter().filter_map(index);
    let segments = indexes.flat_map(|index| index.unkept_segments().collect::<Vec<_>>());
    let bodies = segments.map(|mut segment| {
        segment.bytes.truncate(segment.bytes.len() - 4);
        segment.bytes
    });
    bodies.collect()
}

fn index(encoder: Option<&str>) -> Option<Index> {
    let mut index = memories(encoder)?;
    for (id, seq, part) in [(2, 4, CuePart::Passage), (3, 4, CuePart::Question("Who has dogs again?"))] {
        index.cue(CueRow { id: CueId(id), seq: Seq(seq), part, vector: None }).ok()?;
    }
    index.set_version(Version { epoch: 2, last: Seq(9), cues: CueId(3), removed: 0 });
    Some(index)
}

fn memories(encoder: Option<&str>) -> Option<Index> {
    let mut index = Index::new(spec(encoder), 2);
    let rows = [
        (3, Some("a"), Some("s1"), "cats and dogs", Some(5), Some(&[0.6f32, 0.8][..])),
        (4, Some("b"), Some("s1"), "dogs again in May", None, None),
        (9, None, None, "a note", Some(-7), Some(&[1.0, 0.0, 0.0, 1.0][..])),
    ];
    for (seq, conversation, session, text, at, vectors) in rows {
        let row = IndexRow {
            seq: Seq(seq),
            kind: Kind::Turn,
            conversation,
            session,
            speaker: Some("Ann"),
            text,
            image_caption: None,
            said_at: at.and_then(|at| Timestamp::from_millis(at).ok()),
            importance: 0.5,
            vectors: vectors.filter(|_| encoder.is_some()),
        };
        index.row(row).ok()?;
    }
    Some(index)
}
