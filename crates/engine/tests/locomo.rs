//! The published BM25 row, and the default above it, on LoCoMo through the shipped search path.
//!
//! Runs where `AFORESAID_LOCOMO` names `locomo10.json`; its licence (CC BY-NC 4.0) keeps it out
//! of this repository.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stderr, reason = "test code")]

mod model;
mod protocol;

use aforesaid::{
    Creation, EncoderSource, Memory, Options, Preset,
    formats::{Captions, Format, Source},
    types::Namespace,
};
use protocol::{evaluate, questions};

fn locomo() -> Option<Vec<u8>> {
    let Some(path) = std::env::var_os("AFORESAID_LOCOMO") else {
        eprintln!("skipped: AFORESAID_LOCOMO does not name locomo10.json");
        return None;
    };
    Some(std::fs::read(&path).expect("AFORESAID_LOCOMO names a file that can be read"))
}

fn filled(bytes: &[u8], encoder: EncoderSource, captions: Captions) -> (Memory, Namespace) {
    let memory =
        Memory::open("memory:", Options { creation: Creation::Allowed, encoder, ..Options::default() }).unwrap();
    let namespace = Namespace::new("locomo").unwrap();
    let source = Source { file: "locomo10.json", stem: "locomo10", conversation: None, captions };
    let imported = memory.import(&namespace, None, bytes, &source, &mut |_| {}).unwrap();
    assert_eq!(
        (imported.format, imported.conversations, imported.sessions, imported.added),
        (Format::Locomo, 10, 272, 5_882)
    );
    (memory, namespace)
}

#[test]
fn the_published_bm25_row_is_met_to_four_decimals() {
    let Some(bytes) = locomo() else { return };
    let none = EncoderSource::Unavailable { reason: "words only".to_owned() };
    let (memory, namespace) = filled(&bytes, none, Captions::Drop);
    let questions = questions(&bytes);
    assert_eq!(questions.len(), 1_978);
    let found = evaluate(&memory, &namespace, &Preset::paper_bm25(), &questions);
    for (found, published) in found.into_iter().zip([0.6395, 0.7788, 0.8325, 0.7504, 0.7456]) {
        assert!((found - published).abs() < 0.00005, "{found} is not {published}");
    }
}

#[test]
fn the_default_beats_the_published_baselines() {
    let Some(bytes) = locomo() else { return };
    let (memory, namespace) = filled(&bytes, EncoderSource::Ready(model::encoder()), Captions::Keep);
    let [hit_at_1, ..] = evaluate(&memory, &namespace, &Preset::hybrid(), &questions(&bytes));
    assert!(hit_at_1 > 0.72, "session Hit@1 {hit_at_1}");
}
