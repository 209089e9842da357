//! Texts that people write: pipelines, times, names.

use aforesaid::{Pipeline, pipeline::LexicalLeg, types::Timestamp};
use aforesaid_core::{
    analysis::{Analyzer, NamedDate, Question},
    time::{Clock, Times},
    types::{EncoderId, MemoryId, Namespace, Zone},
};

/// Words of the pipeline grammar.
pub(crate) const PIPELINE: &[&str] = &[
    "bm25(",
    "dense(",
    "date_boost(",
    "order_boost(",
    "mention_boost(",
    "recency_boost(",
    "wish_boost(",
    "cue_boost(",
    "dated(",
    "cued(",
    "zscore(",
    "rrf(",
    "minmax(",
    ")",
    ",",
    "=",
    ":",
    "k1=",
    "b=",
    "half=",
    "cues=",
    "turns=",
    "speaker=",
    "multivec",
    "concat",
    "top3",
    "lse5",
    "paper-2606",
    "1e999",
    "-0",
    "NaN",
    "inf",
    "0.1",
    "1e-400",
];
/// Words of times and dates.
pub(crate) const TIMES: &[&str] = &[
    "2024-05-01",
    "T10:00:00",
    "Z",
    "+02:00",
    "-9999-01-01",
    "9999-12-31",
    "[Europe/Berlin]",
    "May ",
    "7 May 2023",
    "last week",
    "in 2023",
    "the 31st",
    "June",
    " ",
    "99999999999",
];
fn lossy(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

pub(crate) fn pipeline(bytes: &[u8]) {
    if let Ok(pipeline) = lossy(bytes).parse::<Pipeline>() {
        let printed = pipeline.to_string();
        let mut again = printed.parse::<Pipeline>().ok();
        assert_eq!(again.as_ref().map(ToString::to_string).as_ref(), Some(&printed), "what is printed is read");
        if let (Some(again), None) = (&mut again, pipeline.leg::<LexicalLeg>()) {
            // Without a lexical leg the analyzer is not written: it makes no term.
            again.analyzer = pipeline.analyzer;
        }
        // A preset has a name of its own.
        assert_eq!(again, Some(Pipeline { name: printed, ..pipeline }), "what is read again is the same");
    }
}

pub(crate) fn timestamp(bytes: &[u8]) {
    if let Ok(time) = lossy(bytes).parse::<Timestamp>() {
        assert_eq!(time.to_string().parse(), Ok(time));
    }
}

pub(crate) fn dates(bytes: &[u8]) {
    let text = lossy(bytes);
    let _ = NamedDate::all_in(&text);
    let millis = bytes.iter().fold(0i64, |sum, byte| sum.wrapping_mul(31).wrapping_add((*byte).into()));
    let now = Timestamp::from_millis(millis % 253_000_000_000_000);
    let clock = now.ok().map(|now| Clock { now, zone: Zone::UTC });
    for clock in [None, clock.as_ref()] {
        for expression in Times::read(&text, clock).expressions {
            assert_eq!(&text[expression.place.clone()], expression.text);
            let (from, to) = (expression.range.from, expression.range.to);
            assert!(from.zip(to).is_none_or(|(from, to)| from < to), "{expression:?}");
        }
    }
    let question = Question::new(&text, Analyzer::English);
    assert_eq!(question.text(), text);
}

pub(crate) fn names(bytes: &[u8]) {
    let text = lossy(bytes);
    if let Ok(id) = text.parse::<MemoryId>() {
        assert_eq!(id.to_string().parse(), Ok(id));
    }
    if let Ok(id) = text.parse::<EncoderId>() {
        assert_eq!(id.to_string().parse(), Ok(id));
    }
    if let Ok(name) = text.parse::<Namespace>() {
        assert_eq!(name.to_string().parse(), Ok(name));
    }
}
