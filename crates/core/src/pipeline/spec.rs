//! The text form of a pipeline: `zscore(0.7, bm25(k1=0.9), dense(max))`.
//!
//! | written | means |
//! |---|---|
//! | a preset's name | that preset |
//! | `bm25` | BM25 of the unit itself, English words, k1 1.5, b 0.75 |
//! | `bm25(plain, k1=0.9, b=0.4, pairs=0.5)` | another analyzer, other parameters; the weight of query words side by side |
//! | `bm25(context=0.5:0.25, half=20)` | [`Context`]: weights of the turns one and two places away, halved for a turn of so many terms |
//! | `bm25(cues=1:0.5)` | weights of their cue questions' words in a session's and in a turn's |
//! | `bm25(speaker=2, time=0.5, question=0.8, brief=0.6)` | [`Expectation`], in standard deviations |
//! | `bm25(sessions=0.7:1, turns=0.4:1)` | `session:turn` weights of a session's and of a turn's score |
//! | `lexical`, `paper-bm25` | the lexical leg of that preset |
//! | `dense`, `dense(top3)`, `dense(all-MiniLM-L6-v2, max, nameless)` | cosines, pooled into sessions, by any or by the named encoder; of the question without speakers' names |
//! | `dense(max, multivec)`, `dense(max, concat)` | the best of a text's and its cue questions' vectors; one of the text with all of them |
//! | `cued(0.2:0.5, pipeline)` | the best cue question by words and by meaning gets so many standard deviations |
//! | `dated(2, pipeline)` | what was said on the date that the question names gets so many standard deviations |
//! | `zscore(lexical leg, dense leg)`, `minmax(0.7, ..)`, `rrf(60, 1, 0.5, ..)` | both legs fused, with [`Fusion`]'s numbers in front |

use std::fmt;

use super::{
    cues::CueLeg,
    lexical::{Expectation, LexicalLeg, Mix},
    preset::{DenseLeg, Names, Preset, Votes},
};
use crate::{
    analysis::Analyzer,
    dense::Pooling,
    fusion::Fusion,
    lexical::{Bm25, Context},
};

/// A text that describes no pipeline.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "pipeline {spec:?}: {problem}; expected a preset ({}), a leg such as bm25 or dense(max), or \
     zscore(bm25, dense(max))",
    super::preset::NAMES
)]
pub struct InvalidPipeline {
    spec: String,
    problem: String,
}

/// Bytes of a description at most: brackets within brackets are read one within the other.
const LONGEST: usize = 4096;
/// Bytes of a longer one that a message shows.
const SHOWN: usize = 60;

/// `name(arguments)`; an argument may have a key.
struct Call<'a> {
    name: &'a str,
    arguments: Vec<Argument<'a>>,
}

struct Argument<'a> {
    /// As it is written.
    text: &'a str,
    key: Option<&'a str>,
    value: &'a str,
}

/// One side of a fusion, or a whole pipeline of one leg.
enum Part {
    Lexical(Analyzer, LexicalLeg),
    Dense(DenseLeg),
}

/// Reads anything but a preset's name.
pub(super) fn read(spec: &str) -> Result<Preset, InvalidPipeline> {
    if spec.len() > LONGEST {
        let problem = format!("found {} bytes, expected at most {LONGEST}", spec.len());
        let beginning = &spec[..spec.floor_char_boundary(SHOWN)];
        return Err(InvalidPipeline { spec: format!("{beginning}..."), problem });
    }
    pipeline(spec).map_err(|problem| InvalidPipeline { spec: spec.to_owned(), problem })
}

fn pipeline(spec: &str) -> Result<Preset, String> {
    let call = Call::read(spec)?;
    if call.name == "dated" {
        let [weight, inner] = call.arguments.as_slice() else {
            return Err("dated takes a weight and a pipeline, as in dated(2, bm25)".to_owned());
        };
        let mut preset = pipeline(inner.whole())?;
        preset.dated = number("dated", weight.whole(), f64::MAX)?;
        preset.name = preset.to_string();
        return Ok(preset);
    }
    if call.name == "cued" {
        let [weights, inner] = call.arguments.as_slice() else {
            return Err("cued takes weights and a pipeline, as in cued(0.5:1, bm25)".to_owned());
        };
        let mut preset = pipeline(inner.whole())?;
        let [words, meaning] = two_numbers("cued", weights.whole(), "words and meaning")?;
        preset.cues = CueLeg { words, meaning };
        preset.name = preset.to_string();
        return Ok(preset);
    }
    let alone = Preset { name: String::new(), dense: None, ..Preset::plain_bm25() };
    let mut preset = match call.name {
        "zscore" | "minmax" | "rrf" => fused(&call)?,
        _ => match leg(spec)? {
            Part::Lexical(analyzer, leg) => Preset { analyzer, lexical: Some(leg), ..alone },
            Part::Dense(leg) => Preset { lexical: None, dense: Some(leg), ..alone },
        },
    };
    preset.name = preset.to_string();
    Ok(preset)
}

fn fused(call: &Call<'_>) -> Result<Preset, String> {
    let (numbers, legs): (Vec<&str>, Vec<&str>) =
        call.arguments.iter().map(Argument::whole).partition(|value| value.parse::<f64>().is_ok());
    let fusion = match numbers.as_slice() {
        [] => call.name.to_owned(),
        numbers => format!("{}({})", call.name, numbers.join(",")),
    };
    let fusion: Fusion = fusion.parse().map_err(|error| format!("{error}"))?;
    let [first, second] = legs.as_slice() else {
        return Err(format!("{} takes a lexical and a dense leg, found {} legs", call.name, legs.len()));
    };
    match (leg(first)?, leg(second)?) {
        (Part::Lexical(analyzer, lexical), Part::Dense(dense)) => {
            let legs = Preset { analyzer, lexical: Some(lexical), dense: Some(dense), ..Preset::plain_bm25() };
            Ok(Preset { name: String::new(), fusion, ..legs })
        }
        _ => Err(format!("{} takes the lexical leg first, then the dense one", call.name)),
    }
}

fn leg(text: &str) -> Result<Part, String> {
    let call = Call::read(text)?;
    match call.name {
        "dense" => dense(&call).map(Part::Dense),
        "bm25" => bm25(&call),
        "lexical" | "paper-bm25" if call.arguments.is_empty() => {
            let preset = if call.name == "lexical" { Preset::lexical() } else { Preset::paper_bm25() };
            preset.lexical.map(|leg| Part::Lexical(preset.analyzer, leg)).ok_or_else(|| unknown_leg(text))
        }
        _ => Err(unknown_leg(text)),
    }
}

fn unknown_leg(text: &str) -> String {
    format!("{text:?} is neither a preset nor a leg")
}

fn dense(call: &Call<'_>) -> Result<DenseLeg, String> {
    let pooling = |word: &str| word.parse::<Pooling>().map_err(|error| error.to_string());
    let mut words: Vec<&str> = call.arguments.iter().map(Argument::whole).collect();
    let mut has = |name: &str| {
        let place = words.iter().position(|word| *word == name);
        place.map(|place| words.remove(place)).is_some()
    };
    let names = if has("nameless") { Names::Drop } else { Names::Keep };
    let votes = match (has("multivec"), has("concat")) {
        (false, false) => Votes::Text,
        (true, false) => Votes::Questions,
        (false, true) => Votes::Passage,
        (true, true) => return Err("dense takes multivec or concat, found both".to_owned()),
    };
    let leg = match words.as_slice() {
        [] => DenseLeg::any(Pooling::default()),
        [word] => match pooling(word) {
            Ok(pooling) => DenseLeg::any(pooling),
            // One word may be either; what is no operator must be a model.
            Err(_) => DenseLeg { encoder: Some((*word).to_owned()), ..DenseLeg::any(Pooling::default()) },
        },
        [encoder, word] => DenseLeg { encoder: Some((*encoder).to_owned()), ..DenseLeg::any(pooling(word)?) },
        more => {
            return Err(format!(
                "dense takes an encoder, a pooling, nameless, and multivec or concat, found {} words",
                more.len()
            ));
        }
    };
    Ok(DenseLeg { names, votes, ..leg })
}

fn bm25(call: &Call<'_>) -> Result<Part, String> {
    let mut analyzer = Analyzer::English;
    let mut leg = LexicalLeg::PLAIN;
    for argument in &call.arguments {
        let Some(key) = argument.key else {
            analyzer = argument.value.parse().map_err(|error| format!("{error}"))?;
            continue;
        };
        let number = |most: f64| number(key, argument.value, most);
        match key {
            "k1" => leg.bm25.k1 = number(f64::MAX)?,
            "b" => leg.bm25.b = number(1.0)?,
            "pairs" => leg.pairs = number(f64::MAX)?,
            "context" => leg.context.weights = two_numbers(key, argument.value, "turns one and two places away")?,
            "cues" => leg.cues = weights(key, argument.value, "words of a session's and of a turn's questions")?,
            "half" => leg.context.half_length = half_length(argument.value)?,
            "speaker" => leg.expectation.speaker = number(f64::MAX)?,
            "time" => leg.expectation.time = number(f64::MAX)?,
            "question" => leg.expectation.question = number(f64::MAX)?,
            "brief" => leg.expectation.brief = number(f64::MAX)?,
            "sessions" => leg.sessions = mix(key, argument.value)?,
            "turns" => leg.turns = mix(key, argument.value)?,
            _ => {
                return Err(format!(
                    "bm25 has no parameter {key:?}: it has k1, b, pairs, context, half, cues, speaker, time, question, \
                     brief, sessions and turns"
                ));
            }
        }
    }
    Ok(Part::Lexical(analyzer, leg))
}

fn number(key: &str, value: &str, most: f64) -> Result<f64, String> {
    let number = value.parse().ok().filter(|number| (0.0..=most).contains(number));
    let limit = if most < f64::MAX { format!(" to {most}") } else { String::new() };
    number.ok_or_else(|| format!("{key}={value}: expected a number from 0{limit}"))
}

fn half_length(value: &str) -> Result<f64, String> {
    let number = value.parse().ok().filter(|number| (1.0..=f64::MAX).contains(number));
    number.ok_or_else(|| format!("half={value}: expected a number of terms from 1"))
}

fn mix(key: &str, value: &str) -> Result<Mix, String> {
    let of = "session and turn, not both 0";
    match weights(key, value, of)? {
        Mix { session: 0.0, turn: 0.0 } => Err(two_numbers_wanted(key, value, of)),
        mix => Ok(mix),
    }
}

fn weights(key: &str, value: &str, of: &str) -> Result<Mix, String> {
    let [session, turn] = two_numbers(key, value, of)?;
    Ok(Mix { session, turn })
}

fn two_numbers(key: &str, value: &str, of: &str) -> Result<[f64; 2], String> {
    let (first, second) = value.split_once(':').ok_or_else(|| two_numbers_wanted(key, value, of))?;
    Ok([number(key, first.trim(), f64::MAX)?, number(key, second.trim(), f64::MAX)?])
}

fn two_numbers_wanted(key: &str, value: &str, of: &str) -> String {
    format!("{key}={value}: expected the weights of {of}, as in {key}=0.5:1")
}

impl<'a> Call<'a> {
    fn read(text: &'a str) -> Result<Self, String> {
        let text = text.trim();
        let Some((name, rest)) = text.split_once('(') else {
            return match text.contains([')', ',', '=']) {
                false if !text.is_empty() => Ok(Self { name: text, arguments: Vec::new() }),
                _ => Err(format!("{text:?} is no name")),
            };
        };
        let inside = rest.strip_suffix(')').ok_or_else(|| format!("{text:?} does not end in a bracket"))?;
        let arguments = split(inside).ok_or_else(|| format!("the brackets of {text:?} do not match"))?;
        let arguments = arguments.into_iter().map(Argument::read).collect::<Result<_, _>>()?;
        Ok(Self { name: name.trim(), arguments })
    }
}

impl<'a> Argument<'a> {
    fn read(text: &'a str) -> Result<Self, String> {
        let text = text.trim();
        match text.split_once('=') {
            _ if text.is_empty() => Err("an argument is empty".to_owned()),
            // An equals sign inside brackets belongs to a nested leg.
            Some((key, value)) if !key.contains('(') => Ok(Self { text, key: Some(key.trim()), value: value.trim() }),
            _ => Ok(Self { text, key: None, value: text }),
        }
    }

    /// Where no key is expected, it is part of what was written.
    fn whole(&self) -> &'a str {
        self.text
    }
}

/// Splits at the commas outside brackets; `None` where brackets do not match.
fn split(text: &str) -> Option<Vec<&str>> {
    let (mut parts, mut depth, mut start) = (Vec::new(), 0usize, 0);
    for (at, c) in text.char_indices() {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.checked_sub(1)?,
            ',' if depth == 0 => {
                parts.push(&text[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    if !parts.is_empty() || !text.trim().is_empty() {
        parts.push(&text[start..]);
    }
    (depth == 0).then_some(parts)
}

impl fmt::Display for Preset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lexical = self.lexical.map(|leg| describe(self.analyzer, leg));
        if self.dated > 0.0 {
            write!(f, "dated({}, ", self.dated)?;
        }
        if self.cues.is_used() {
            write!(f, "cued({}:{}, ", self.cues.words, self.cues.meaning)?;
        }
        match (lexical, &self.dense) {
            (Some(lexical), Some(dense)) => {
                write!(f, "{}(", self.fusion.name())?;
                self.fusion.numbers().iter().try_for_each(|number| write!(f, "{number}, "))?;
                write!(f, "{lexical}, {dense})")?;
            }
            (Some(lexical), None) => f.write_str(&lexical)?,
            (None, Some(dense)) => write!(f, "{dense}")?,
            (None, None) => f.write_str("nothing")?,
        }
        f.write_str(if self.cues.is_used() { ")" } else { "" })?;
        f.write_str(if self.dated > 0.0 { ")" } else { "" })
    }
}

/// A lexical leg by what sets it apart from plain BM25.
fn describe(analyzer: Analyzer, leg: LexicalLeg) -> String {
    let LexicalLeg {
        bm25: Bm25 { k1, b },
        pairs,
        context: Context { weights: [near, far], half_length },
        cues,
        expectation: Expectation { speaker, time, question, brief },
        sessions,
        turns,
    } = leg;
    let plain = LexicalLeg::PLAIN;
    let mix = |mix: Mix| format!("{}:{}", mix.session, mix.turn);
    let parameters = [
        (analyzer != Analyzer::English).then(|| analyzer.to_string()),
        (k1 != plain.bm25.k1).then(|| format!("k1={k1}")),
        (b != plain.bm25.b).then(|| format!("b={b}")),
        (pairs != 0.0).then(|| format!("pairs={pairs}")),
        (near != 0.0 || far != 0.0).then(|| format!("context={near}:{far}")),
        half_length.is_finite().then(|| format!("half={half_length}")),
        (cues != plain.cues).then(|| format!("cues={}", mix(cues))),
        (speaker != 0.0).then(|| format!("speaker={speaker}")),
        (time != 0.0).then(|| format!("time={time}")),
        (question != 0.0).then(|| format!("question={question}")),
        (brief != 0.0).then(|| format!("brief={brief}")),
        (sessions != plain.sessions).then(|| format!("sessions={}", mix(sessions))),
        (turns != plain.turns).then(|| format!("turns={}", mix(turns))),
    ];
    let parameters: Vec<String> = parameters.into_iter().flatten().collect();
    if parameters.is_empty() { "bm25".to_owned() } else { format!("bm25({})", parameters.join(", ")) }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// A key that nobody asked for was dropped: `dense(lse=)` was the model of the empty name, `dated(x=2, ..)` a weight
    /// of 2.
    #[test]
    fn a_key_where_none_is_expected_is_not_dropped() {
        assert!(read("dated(x=2, bm25)").unwrap_err().to_string().contains("x=2"));
        let dense = read("dense(lse=)").unwrap();
        assert_eq!((dense.encoder(), read(&dense.to_string())), (Some("lse="), Ok(dense.clone())));
    }

    /// A hundred thousand brackets ended the process: its stack was full.
    #[test]
    fn a_description_has_an_end() {
        let nested = "dated(1, ".repeat(100_000) + "bm25" + &")".repeat(100_000);
        let message = read(&nested).unwrap_err().to_string();
        assert!(message.contains("found 1000004 bytes, expected at most 4096") && message.len() < 400, "{message}");
        assert!(read(&("dated(1, ".repeat(400) + "bm25" + &")".repeat(400))).is_ok());
    }

    #[test]
    fn a_pipeline_prints_what_reads_back() {
        for (written, printed) in [
            ("bm25", "bm25"),
            (" bm25( paper-2606 ) ", "bm25(paper-2606)"),
            (
                "lexical",
                "bm25(k1=0.9, pairs=0.5, context=0.5:0.5, half=30, cues=1:0.5, speaker=2, time=1, question=0.8, \
                 brief=0.6, sessions=1:1, turns=0.4:1)",
            ),
            ("dense", "dense(max)"),
            ("dense(all-MiniLM-L6-v2)", "dense(all-MiniLM-L6-v2, max)"),
            ("dense(nameless)", "dense(max, nameless)"),
            ("dense(multivec, lse5,nameless)", "dense(lse5, nameless, multivec)"),
            ("dense(e5, concat)", "dense(e5, max, concat)"),
            ("cued(0.5:1, dated(2, bm25(cues=0:1)))", "dated(2, cued(0.5:1, bm25(cues=0:1)))"),
            ("zscore(bm25, dense(all-MiniLM-L6-v2, max))", "zscore(0.5, bm25, dense(all-MiniLM-L6-v2, max))"),
            ("minmax(0.25,bm25(k1=1),dense(top3))", "minmax(0.25, bm25(k1=1), dense(top3))"),
            ("rrf(bm25(turns=1:2), dense(lse5))", "rrf(60, 1, 1, bm25(turns=1:2), dense(lse5))"),
        ] {
            let preset = read(written).unwrap();
            assert_eq!((preset.to_string().as_str(), preset.name.as_str()), (printed, printed));
            assert_eq!(read(printed).unwrap(), preset);
        }
    }

    #[test]
    fn what_is_wrong_is_named() {
        for (written, named) in [
            ("", "no name"),
            ("best", "neither a preset nor a leg"),
            ("bm25(k1=-1)", "k1=-1"),
            ("bm25(b=2)", "from 0 to 1"),
            ("bm25(k2=1)", "k2"),
            ("bm25(half=0)", "half=0"),
            ("bm25(half=inf)", "half=inf"),
            ("bm25(klingon)", "klingon"),
            ("bm25(turns=1)", "turns=0.5:1"),
            ("bm25(turns=0:0)", "turns=0:0"),
            ("bm25(k1=1", "bracket"),
            ("zscore(bm25)", "found 1 legs"),
            ("zscore(dense, bm25)", "lexical leg first"),
            ("zscore(1.5, bm25, dense)", "zscore(1.5)"),
            ("zscore(bm25)(dense)", "brackets"),
            ("dense(a, b, c)", "3 words"),
            ("dense(a, median)", "median"),
            ("dense(multivec, concat)", "both"),
            ("cued(1, bm25)", "cued=0.5:1"),
            ("cued(1:-1, bm25)", "cued=-1"),
            ("cued(bm25)", "weights and a pipeline"),
            ("rrf(1, bm25, dense,)", "empty"),
            ("bm25(k1=NaN)", "NaN"),
        ] {
            let error = read(written).unwrap_err().to_string();
            assert!(error.contains(named), "{written}: {error}");
        }
    }

    proptest! {
        #[test]
        fn no_text_is_a_panic(text in "[a-z0-9=(),. :-]{0,40}") {
            let _ = read(&text);
        }
    }
}
