//! Snapshots of indexes.

use aforesaid_core::{
    analysis::Analyzer,
    index::{Index, IndexSpec},
    store::{CuePart, CueRow, IndexRow, IndexSink, Version},
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
        if let Ok(index) = Index::from_snapshot(spec(encoder), &bytes) {
            let written = index.to_snapshot();
            let again = written.as_ref().and_then(|bytes| Index::from_snapshot(spec(encoder), bytes).ok());
            assert!(again.is_some(), "what is written is read");
            assert_eq!(again.and_then(|again| again.to_snapshot()), written, "what is read is written");
        }
    }
}

/// Snapshots of an index without vectors and of one with, without their checksums.
pub(crate) fn corpus(_: &str) -> Vec<Vec<u8>> {
    let bodies = [None, Some("test@1")].into_iter().filter_map(|encoder| {
        let mut bytes = index(encoder)?.to_snapshot()?;
        bytes.truncate(bytes.len() - 4);
        Some(bytes)
    });
    bodies.collect()
}

fn index(encoder: Option<&str>) -> Option<Index> {
    let mut index = Index::new(spec(encoder), 2);
    let rows = [
        (3, Some("a"), Some("s1"), "cats and dogs", Some(5), Some(&[0.6f32, 0.8][..])),
        (4, Some("b"), Some("s1"), "dogs again in May", None, None),
        (9, None, None, "a note", Some(-7), Some(&[1.0, 0.0][..])),
    ];
    for (seq, conversation, session, text, at, vector) in rows {
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
            vector: vector.filter(|_| encoder.is_some()),
        };
        index.row(row).ok()?;
    }
    for (id, seq, part) in [(2, 4, CuePart::Passage), (3, 4, CuePart::Question("Who has dogs again?"))] {
        index.cue(CueRow { id: CueId(id), seq: Seq(seq), part, vector: None }).ok()?;
    }
    index.set_version(Version { epoch: 2, last: Seq(9), cues: CueId(3) });
    Some(index)
}
