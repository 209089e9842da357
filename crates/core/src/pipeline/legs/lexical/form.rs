//! The text form of the lexical leg: `bm25(k1=0.9, bigrams=0.5)`.

use std::sync::Arc;

use super::{
    features::AnswerFeatures,
    leg::{LexicalLeg, UnitWeights},
};
use crate::{
    analysis::Analyzer,
    lexical::{Bm25, Neighbours},
    pipeline::{
        form::call::{Call, number, two_numbers, two_numbers_expected},
        leg::{LegReader, ReadLeg},
        spelling::MOST_EDITS,
    },
};

/// The parameters that differ from plain BM25.
pub(super) fn write(leg: LexicalLeg, analyzer: Analyzer) -> String {
    let LexicalLeg {
        bm25: Bm25 { k1, b },
        bigrams,
        neighbours: Neighbours { weights: [near, far], half_length },
        cues,
        features: AnswerFeatures { speaker_match, time_expression, question_penalty, short_penalty },
        sessions,
        turns,
        spelling,
    } = leg;
    let plain = LexicalLeg::PLAIN;
    let pair = |weights: UnitWeights| format!("{}:{}", weights.session, weights.turn);
    let parameters = [
        (analyzer != Analyzer::English).then(|| analyzer.to_string()),
        (k1 != plain.bm25.k1).then(|| format!("k1={k1}")),
        (b != plain.bm25.b).then(|| format!("b={b}")),
        (bigrams != 0.0).then(|| format!("bigrams={bigrams}")),
        (near != 0.0 || far != 0.0).then(|| format!("neighbours={near}:{far}")),
        half_length.is_finite().then(|| format!("half_length={half_length}")),
        (cues != plain.cues).then(|| format!("cues={}", pair(cues))),
        (speaker_match != 0.0).then(|| format!("speaker_match={speaker_match}")),
        (time_expression != 0.0).then(|| format!("time_expression={time_expression}")),
        (question_penalty != 0.0).then(|| format!("question_penalty={question_penalty}")),
        (short_penalty != 0.0).then(|| format!("short_penalty={short_penalty}")),
        (sessions != plain.sessions).then(|| format!("sessions={}", pair(sessions))),
        (turns != plain.turns).then(|| format!("turns={}", pair(turns))),
        (spelling != 0).then(|| format!("spelling={spelling}")),
    ];
    let parameters: Vec<String> = parameters.into_iter().flatten().collect();
    if parameters.is_empty() { "bm25".to_owned() } else { format!("bm25({})", parameters.join(", ")) }
}

/// Reads `bm25(..)`.
pub(in crate::pipeline::legs) const READER: LegReader = LegReader {
    word: "bm25",
    read: |call| read(call).map(|(leg, analyzer)| ReadLeg { leg: Arc::new(leg), analyzer: Some(analyzer) }),
};

fn read(call: &Call<'_>) -> Result<(LexicalLeg, Analyzer), String> {
    let mut analyzer = Analyzer::English;
    let mut leg = LexicalLeg::PLAIN;
    for argument in &call.arguments {
        let Some(key) = argument.key else {
            analyzer = argument.value.parse().map_err(|error| format!("{error}"))?;
            continue;
        };
        let value = argument.value;
        let number = |most: f64| number(key, value, most);
        match key {
            "k1" => leg.bm25.k1 = number(f64::MAX)?,
            "b" => leg.bm25.b = number(1.0)?,
            "bigrams" => leg.bigrams = number(f64::MAX)?,
            "neighbours" => leg.neighbours.weights = two_numbers(key, value, "turns one and two places away")?,
            "half_length" => leg.neighbours.half_length = half_length(key, value)?,
            "cues" => leg.cues = weights(key, value, "words of a session's and of a turn's cue questions")?,
            "speaker_match" => leg.features.speaker_match = number(f64::MAX)?,
            "time_expression" => leg.features.time_expression = number(f64::MAX)?,
            "question_penalty" => leg.features.question_penalty = number(f64::MAX)?,
            "short_penalty" => leg.features.short_penalty = number(f64::MAX)?,
            "sessions" => leg.sessions = unit_weights(key, value)?,
            "turns" => leg.turns = unit_weights(key, value)?,
            "spelling" => leg.spelling = edits(key, value)?,
            _ => {
                return Err(format!(
                    "bm25 has no parameter {key:?}: it has k1, b, bigrams, neighbours, half_length, cues, \
                     speaker_match, time_expression, question_penalty, short_penalty, sessions, turns and spelling"
                ));
            }
        }
    }
    Ok((leg, analyzer))
}

fn edits(key: &str, value: &str) -> Result<u8, String> {
    let number = value.parse().ok().filter(|number| *number <= MOST_EDITS);
    number.ok_or_else(|| format!("{key}={value}: expected a number of edits from 0 to {MOST_EDITS}"))
}

fn half_length(key: &str, value: &str) -> Result<f64, String> {
    let number = value.parse().ok().filter(|number| (1.0..=f64::MAX).contains(number));
    number.ok_or_else(|| format!("{key}={value}: expected a number of terms from 1"))
}

fn unit_weights(key: &str, value: &str) -> Result<UnitWeights, String> {
    let of = "session and turn, not both 0";
    match weights(key, value, of)? {
        UnitWeights { session: 0.0, turn: 0.0 } => Err(two_numbers_expected(key, value, of)),
        weights => Ok(weights),
    }
}

fn weights(key: &str, value: &str, of: &str) -> Result<UnitWeights, String> {
    let [session, turn] = two_numbers(key, value, of)?;
    Ok(UnitWeights { session, turn })
}
