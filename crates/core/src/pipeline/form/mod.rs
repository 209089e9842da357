//! The text form of a pipeline: `zscore(0.7, bm25(k1=0.9), dense(max))`.
//!
//! | written | means |
//! |---|---|
//! | a preset's name | that preset |
//! | `bm25` | BM25 of the unit itself, English words, k1 1.5, b 0.75 |
//! | `bm25(plain, k1=0.9, b=0.4, bigrams=0.5)` | another analyzer, other parameters; the weight of query terms side by side |
//! | `bm25(neighbours=0.5:0.25, half_length=20)` | weights of the turns one and two places away, halved for a turn of so many terms |
//! | `bm25(cues=1:0.5)` | weights of the words of cue questions in a session's and in a turn's |
//! | `bm25(speaker_match=2, time_expression=0.5, question_penalty=0.8, short_penalty=0.6)` | features of an answer, in standard deviations |
//! | `bm25(sessions=0.7:1, turns=0.4:1)` | `session:turn` weights of a session's and of a turn's score |
//! | `lexical`, `paper-bm25` | the lexical leg of that preset |
//! | `dense`, `dense(top3)`, `dense(all-MiniLM-L6-v2, max, strip_speakers)` | cosines, pooled into sessions, by any or by the named encoder; of the query without speakers' names |
//! | `dense(max, query_adapter=dialogues)` | the query encoded with that query adapter, where the encoder has it |
//! | `dense(max, multivec)`, `dense(max, concat)` | the best of a text's and its cue questions' vectors; one of the text with all of them |
//! | `cue_bm25`, `cue_dense`, `date_match`, `time_order`, `mention_order`, `wish_match`, `session_recency` | the best cue question by BM25, by cosine; the fit of a named time; the place in time; the place among those that name what is asked about; what a request must heed; how few sessions were held since |
//! | `cue_boost(0.2:0.5, pipeline)` | adds the z-scores of `cue_bm25` and `cue_dense`, in standard deviations of the fused scores |
//! | `date_boost(2, pipeline)` | adds `date_match`, in standard deviations of the fused scores |
//! | `wish_boost(2, pipeline)` | adds `wish_match`, where the query is a request to an assistant |
//! | `recency_boost(1, pipeline)` | adds `session_recency`, where the query goes on with something |
//! | `mention_boost(6, pipeline)` | adds `mention_order`, where the query asks for the first or the last mention |
//! | `order_boost(3, pipeline)` | adds `time_order` among the best: the newest or the oldest, where the query asks for it |
//! | `learned(pipeline)` | puts its best turns in order by the candidate ranker that ships |
//! | `zscore(leg, leg)`, `minmax(0.7, leg, leg)`, `rrf(60, 1, 0.5, leg, leg)` | legs fused, with the numbers of [`Fusion`] in front: one weight a leg, or of two legs that of the first |

pub(super) mod call;

use std::{str::FromStr, sync::Arc};

use self::call::{Call, number, two_numbers};
use super::{
    boost::Boost,
    candidate::CandidateStage,
    definition::Pipeline,
    leg::{Leg, LegReader, ReadLeg},
    legs::READERS,
    presets::{CUE_BOOST, DATE_BOOST, LEARNED, NAMES, WEIGHTED_BOOSTS},
};
use crate::{analysis::Analyzer, fusion::Fusion};

/// A text that describes no pipeline.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "pipeline {spec:?}: {problem}; expected a preset ({NAMES}), a leg such as bm25 or dense(max), or \
     zscore(bm25, dense(max))"
)]
pub struct InvalidPipeline {
    spec: String,
    problem: String,
}

/// Bytes of a description at most: brackets within brackets are read one within the other.
const LONGEST: usize = 4096;
/// Bytes of a longer one that a message shows.
const SHOWN: usize = 60;

/// Names of earlier versions, which still read for one release: of boosts.
const RENAMED_BOOSTS: [(&str, &str); 2] = [("dated", DATE_BOOST), ("cued", CUE_BOOST)];
/// Of parameters, in front of an equals sign.
const RENAMED_KEYS: [(&str, &str); 7] = [
    ("pairs", "bigrams"),
    ("context", "neighbours"),
    ("half", "half_length"),
    ("speaker", "speaker_match"),
    ("time", "time_expression"),
    ("question", "question_penalty"),
    ("brief", "short_penalty"),
];
/// Of arguments without a key.
const RENAMED_VALUES: [(&str, &str); 1] = [("nameless", "strip_speakers")];

/// The words of an earlier version in a description, each with the one that takes its place, in the order they stand.
pub fn renamed_words(description: &str) -> Vec<(&'static str, &'static str)> {
    let words = description.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == '-'));
    let all = [&RENAMED_BOOSTS[..], &RENAMED_KEYS, &RENAMED_VALUES].concat();
    words.filter_map(|word| all.iter().copied().find(|(old, _)| *old == word)).collect()
}

fn current<'w>(word: &'w str, renamed: &[(&str, &'static str)]) -> &'w str {
    renamed.iter().find(|(old, _)| *old == word).map_or(word, |(_, new)| new)
}

impl FromStr for Pipeline {
    type Err = InvalidPipeline;

    fn from_str(text: &str) -> Result<Self, InvalidPipeline> {
        Self::read_with(text, &[])
    }
}

impl Pipeline {
    /// Reads the name of a preset, or a description in which the legs of `more` may stand beside those that ship.
    ///
    /// # Errors
    /// When the text describes no pipeline.
    pub fn read_with(text: &str, more: &[LegReader]) -> Result<Self, InvalidPipeline> {
        Self::preset(text).map_or_else(|| read(text, more), Ok)
    }
}

/// Reads anything but a preset's name.
fn read(spec: &str, more: &[LegReader]) -> Result<Pipeline, InvalidPipeline> {
    if spec.len() > LONGEST {
        let shown: String = spec.chars().take(SHOWN).collect();
        let problem = format!("found {} bytes, expected at most {LONGEST}", spec.len());
        return Err(InvalidPipeline { spec: format!("{shown}..."), problem });
    }
    pipeline(spec, more).map_err(|problem| InvalidPipeline { spec: spec.to_owned(), problem })
}

fn pipeline(spec: &str, more: &[LegReader]) -> Result<Pipeline, String> {
    let call = Call::read(spec)?;
    let pipeline = match current(call.name, &RENAMED_BOOSTS) {
        CUE_BOOST => {
            let [weights, inner] = call.arguments.as_slice() else {
                return Err(format!("{CUE_BOOST} takes weights and a pipeline, as in {CUE_BOOST}(0.5:1, bm25)"));
            };
            let [bm25, dense] = two_numbers(CUE_BOOST, weights.text, "cue questions by BM25 and by cosine")?;
            pipeline(inner.text, more)?.with_boost(Boost::cues(bm25, dense))
        }
        LEARNED => {
            let (id, inner) = match call.arguments.as_slice() {
                [inner] => (None, inner),
                [id, inner] => (Some(id.text), inner),
                _ => return Err(format!("{LEARNED} takes a pipeline, as in {LEARNED}(hybrid)")),
            };
            let stage = CandidateStage::shipped();
            if let Some(id) = id.filter(|id| *id != stage.id()) {
                return Err(format!(
                    "{LEARNED} names the candidate ranker {id:?}, and the one that ships is {:?}; give its file beside the \
                     pipeline {}",
                    stage.id(),
                    inner.text
                ));
            }
            Pipeline::preset(inner.text)
                .map_or_else(|| pipeline(inner.text, more), Ok)?
                .without_stage()
                .with_stage(stage)
        }
        "zscore" | "minmax" | "rrf" => fused(&call, more)?,
        word if let Some((word, boost)) = WEIGHTED_BOOSTS.iter().find(|(known, _)| *known == word) => {
            let [weight, inner] = call.arguments.as_slice() else {
                return Err(format!("{word} takes a weight and a pipeline, as in {word}(2, bm25)"));
            };
            pipeline(inner.text, more)?.with_boost(boost(number(word, weight.text, f64::MAX)?))
        }
        _ => {
            let ReadLeg { leg, analyzer } = leg(spec, more)?;
            Pipeline::of_one("", analyzer.unwrap_or(Analyzer::English), leg)
        }
    };
    Ok(in_order(pipeline).described())
}

/// Boosts in the order they are applied: cues, then the others in theirs.
fn in_order(mut pipeline: Pipeline) -> Pipeline {
    let place = |boost: &Boost| WEIGHTED_BOOSTS.iter().position(|(word, _)| *word == boost.word).map(|place| place + 1);
    pipeline.boosts.sort_by_key(|boost| place(boost).unwrap_or(0));
    pipeline
}

fn fused(call: &Call<'_>, more: &[LegReader]) -> Result<Pipeline, String> {
    let is_number = |text: &str| text.parse::<f64>().is_ok();
    let (numbers, legs): (Vec<&str>, Vec<&str>) =
        call.arguments.iter().map(|argument| argument.text).partition(|text| is_number(text));
    if legs.len() < 2 {
        let noun = if legs.len() == 1 { "leg" } else { "legs" };
        return Err(format!("{} fuses two legs or more, found {} {noun}", call.name, legs.len()));
    }
    let weights: Vec<f64> = numbers.iter().filter_map(|text| text.parse().ok()).collect();
    let fusion = Some(&weights).filter(|all| all.iter().all(|weight| weight.is_finite() && *weight >= 0.0));
    let fusion = fusion.and_then(|weights| Fusion::read(call.name, weights, legs.len()));
    let fusion = fusion.ok_or_else(|| {
        format!(
            "{}({}): expected numbers not negative in front of {} legs: none, a weight each, or one from 0 to 1 for the \
             first of two; rrf takes its rank constant, above 0, before the weights",
            call.name,
            numbers.join(", "),
            legs.len()
        )
    })?;
    let legs: Vec<ReadLeg> = legs.into_iter().map(|text| leg(text, more)).collect::<Result<_, _>>()?;
    let analyzer = legs.iter().find_map(|read| read.analyzer).unwrap_or(Analyzer::English);
    let legs: Vec<Arc<dyn Leg>> = legs.into_iter().map(|read| read.leg).collect();
    for (place, leg) in legs.iter().enumerate() {
        if legs[..place].iter().any(|other| other.name() == leg.name()) {
            return Err(format!("{} has the leg {} twice; keep one", call.name, leg.name()));
        }
    }
    Ok(Pipeline { name: String::new(), analyzer, legs, fusion, boosts: Vec::new(), stage: None })
}

/// A leg, and the analyzer it names.
fn leg(text: &str, more: &[LegReader]) -> Result<ReadLeg, String> {
    let mut call = Call::read(text)?;
    for argument in &mut call.arguments {
        match argument.key {
            Some(key) => argument.key = Some(current(key, &RENAMED_KEYS)),
            None => argument.value = current(argument.value, &RENAMED_VALUES),
        }
    }
    let of_preset = Pipeline::preset(call.name).filter(|_| matches!(call.name, "lexical" | "paper-bm25"));
    if let (Some(preset), true) = (of_preset, call.arguments.is_empty()) {
        let leg = preset.legs.into_iter().next();
        return leg.map(|leg| ReadLeg { leg, analyzer: Some(preset.analyzer) }).ok_or_else(|| unknown_leg(text));
    }
    let reader = READERS.iter().chain(more).find(|reader| reader.word == call.name);
    (reader.ok_or_else(|| unknown_leg(text))?.read)(&call)
}

fn unknown_leg(text: &str) -> String {
    format!("{text:?} is neither a preset nor a leg")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// A key that nobody asked for was dropped: `dense(lse=)` was the model of the empty name, `dated(x=2, ..)` a weight
    /// of 2.
    #[test]
    fn a_key_where_none_is_expected_is_not_dropped() {
        assert!(read("dated(x=2, bm25)", &[]).unwrap_err().to_string().contains("x=2"));
        let dense = read("dense(lse=)", &[]).unwrap();
        assert_eq!((dense.encoder(), read(&dense.to_string(), &[])), (Some("lse="), Ok(dense.clone())));
    }

    /// A hundred thousand brackets ended the process: its stack was full.
    #[test]
    fn a_description_has_an_end() {
        let nested = "dated(1, ".repeat(100_000) + "bm25" + &")".repeat(100_000);
        let message = read(&nested, &[]).unwrap_err().to_string();
        assert!(message.contains("found 1000004 bytes, expected at most 4096") && message.len() < 400, "{message}");
        assert!(read(&("dated(1, ".repeat(400) + "bm25" + &")".repeat(400)), &[]).is_ok());
    }

    #[test]
    fn a_pipeline_prints_what_reads_back() {
        for (written, printed) in [
            ("bm25", "bm25"),
            (" bm25( paper-2606 ) ", "bm25(paper-2606)"),
            (
                "lexical",
                "bm25(k1=0.9, bigrams=0.5, neighbours=0.5:0.5, half_length=40, cues=1:0.5, speaker_match=2.5, \
                 time_expression=1, question_penalty=0.8, short_penalty=0.6, sessions=1:1, turns=0.4:1, spelling=1)",
            ),
            ("dense", "dense(max)"),
            ("dense(all-MiniLM-L6-v2)", "dense(all-MiniLM-L6-v2, max)"),
            ("dense(strip_speakers)", "dense(max, strip_speakers)"),
            ("dense(nameless)", "dense(max, strip_speakers)"),
            ("dense(multivec, lse5,strip_speakers)", "dense(lse5, strip_speakers, multivec)"),
            ("dense(e5, concat)", "dense(e5, max, concat)"),
            (
                "dense(multivec,query_adapter=mine, strip_speakers)",
                "dense(max, strip_speakers, query_adapter=mine, multivec)",
            ),
            ("cued(0.5:1, dated(2, bm25(cues=0:1)))", "date_boost(2, cue_boost(0.5:1, bm25(cues=0:1)))"),
            (
                "bm25(pairs=1, context=1:0, half=9, brief=1)",
                "bm25(bigrams=1, neighbours=1:0, half_length=9, short_penalty=1)",
            ),
            ("zscore(bm25, dense(all-MiniLM-L6-v2, max))", "zscore(0.5, bm25, dense(all-MiniLM-L6-v2, max))"),
            ("minmax(0.25,bm25(k1=1),dense(top3))", "minmax(0.25, bm25(k1=1), dense(top3))"),
            ("rrf(bm25(turns=1:2), dense(lse5))", "rrf(60, 1, 1, bm25(turns=1:2), dense(lse5))"),
            ("zscore(0.5, 0.3, 0.2, bm25, dense, cue_bm25)", "zscore(0.5, 0.3, 0.2, bm25, dense(max), cue_bm25)"),
            ("rrf(dense, bm25)", "rrf(60, 1, 1, dense(max), bm25)"),
        ] {
            let pipeline = read(written, &[]).unwrap();
            assert_eq!((pipeline.to_string().as_str(), pipeline.name.as_str()), (printed, printed));
            assert_eq!(read(printed, &[]).unwrap(), pipeline);
        }
    }

    #[test]
    fn old_words_are_named_with_their_new_ones() {
        let renamed = renamed_words("dated(2, bm25(paper-2606, pairs=1, k1=0.9, turns=1:2), dense(nameless))");
        assert_eq!(renamed, [("dated", "date_boost"), ("pairs", "bigrams"), ("nameless", "strip_speakers")]);
        assert!(renamed_words("date_boost(2, bm25(question_penalty=1))").is_empty());
        let named = read("dense(context)", &[]).unwrap();
        assert_eq!(named.encoder(), Some("context"), "a model may have the name of an old parameter");
    }

    #[test]
    fn what_is_wrong_is_named() {
        for (written, named) in [
            ("", "no name"),
            ("best", "neither a preset nor a leg"),
            ("bm25(k1=-1)", "k1=-1"),
            ("bm25(b=2)", "from 0 to 1"),
            ("bm25(k2=1)", "k2"),
            ("bm25(half_length=0)", "half_length=0"),
            ("bm25(half=inf)", "half_length=inf"),
            ("bm25(klingon)", "klingon"),
            ("bm25(turns=1)", "turns=0.5:1"),
            ("bm25(turns=0:0)", "turns=0:0"),
            ("bm25(k1=1", "bracket"),
            ("zscore(bm25)", "found 1 leg"),
            ("zscore(bm25, bm25(k1=1))", "lexical twice"),
            ("zscore(1.5, bm25, dense)", "zscore(1.5"),
            ("zscore(bm25)(dense)", "brackets"),
            ("dense(a, b, c)", "3 words"),
            ("dense(a, median)", "median"),
            ("dense(query_adapter=)", "expected the name of a query adapter"),
            ("dense(query_adapter=a, query_adapter=b)", "found 2"),
            ("dense(multivec, concat)", "both"),
            ("cue_boost(1, bm25)", "cue_boost=0.5:1"),
            ("cue_boost(1:-1, bm25)", "cue_boost=-1"),
            ("cue_boost(bm25)", "weights and a pipeline"),
            ("rrf(1, bm25, dense,)", "empty"),
            ("bm25(k1=NaN)", "NaN"),
        ] {
            let error = read(written, &[]).unwrap_err().to_string();
            assert!(error.contains(named), "{written}: {error}");
        }
    }

    proptest! {
        #[test]
        fn no_text_is_a_panic(text in "[a-z0-9=(),. :-]{0,40}") {
            let _ = read(&text, &[]);
        }
    }
}
