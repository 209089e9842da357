//! The scores in a reply, and the order they make.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::{Value, json};

use crate::{Outcome, ReplyFault, reply::parsed};

/// The best score of a reply.
const BEST: i64 = 10;

/// A reply that holds no scores that could be trusted.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum JudgeFault {
    /// It is not the JSON asked for.
    #[error(transparent)]
    Reply(#[from] ReplyFault),
    /// No score at all.
    #[error("judge: found no score, expected one for each of {candidates} candidates; ask another model")]
    NoScores {
        /// How many candidates there are.
        candidates: usize,
    },
    /// A score for a candidate that is not there.
    #[error("judge: found a score for candidate {id}, expected one of {candidates} from 0; ask another model")]
    UnknownId {
        /// The id found.
        id: i64,
        /// How many candidates there are.
        candidates: usize,
    },
    /// A second score for a candidate.
    #[error("judge: found two scores for candidate {id}, expected one; ask another model")]
    RepeatedId {
        /// The id found.
        id: i64,
    },
    /// A score that is none.
    #[error("judge: found score {score} for candidate {id}, expected an integer from 0 to 10; ask another model")]
    ScoreOutOfRange {
        /// The candidate.
        id: i64,
        /// The score found.
        score: i64,
    },
}

/// The reply that the schema asks for (ROXY A.5.4).
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Scores {
    scores: Vec<Score>,
}

#[derive(Deserialize)]
#[serde(try_from = "BTreeMap<String, i64>")]
struct Score {
    id: i64,
    score: i64,
}

/// From an object only: derived, an array of two numbers would do.
impl TryFrom<BTreeMap<String, i64>> for Score {
    type Error = &'static str;
    fn try_from(fields: BTreeMap<String, i64>) -> Result<Self, Self::Error> {
        match (fields.get("id"), fields.get("score"), fields.len()) {
            (Some(&id), Some(&score), 2) => Ok(Self { id, score }),
            _ => Err("other fields than id and score"),
        }
    }
}

/// The schema of a reply about so many candidates.
pub(super) fn schema(candidates: usize) -> Value {
    let integer = |most: i64| json!({"type": "integer", "minimum": 0, "maximum": most});
    let last = i64::try_from(candidates).unwrap_or(i64::MAX).saturating_sub(1);
    json!({
        "type": "object",
        "properties": {"scores": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {"id": integer(last), "score": integer(BEST)},
                "required": ["id", "score"],
                "additionalProperties": false,
            },
            "maxItems": candidates,
        }},
        "required": ["scores"],
        "additionalProperties": false,
    })
}

/// The scores of a reply in [0, 1], by candidate.
pub(super) fn read(outcome: &Outcome, candidates: usize) -> Result<Vec<Option<f64>>, JudgeFault> {
    let reply: Scores = parsed(outcome)?;
    let mut scores = vec![None; candidates];
    for Score { id, score } in reply.scores {
        let place = usize::try_from(id).ok().and_then(|id| scores.get_mut(id));
        let place = place.ok_or(JudgeFault::UnknownId { id, candidates })?;
        if !(0..=BEST).contains(&score) {
            return Err(JudgeFault::ScoreOutOfRange { id, score });
        }
        if place.replace(score as f64 / BEST as f64).is_some() {
            return Err(JudgeFault::RepeatedId { id });
        }
    }
    match scores.iter().all(Option::is_none) && candidates > 0 {
        true => Err(JudgeFault::NoScores { candidates }),
        false => Ok(scores),
    }
}

/// The places of candidates from the best on: scored ones by score, equal ones in their order, then those without
/// a score in theirs.
pub fn order(scores: &[Option<f64>]) -> Vec<usize> {
    let (mut scored, left_out): (Vec<_>, Vec<_>) = scores.iter().enumerate().partition(|(_, score)| score.is_some());
    // The sort is stable, and all in `scored` have a score.
    scored.sort_by(|(_, a), (_, b)| b.unwrap_or_default().total_cmp(&a.unwrap_or_default()));
    scored.into_iter().chain(left_out).map(|(place, _)| place).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn read(scores: Value, candidates: usize) -> Result<Vec<Option<f64>>, JudgeFault> {
        super::read(&Outcome::Json(json!({"scores": scores})), candidates)
    }

    #[test]
    fn scores_are_put_in_their_places_and_between_nought_and_one() {
        let scores = json!([{"id": 3, "score": 10}, {"id": 0, "score": 0}, {"id": 1, "score": 7}]);
        assert_eq!(read(scores, 4).unwrap(), [Some(0.0), Some(0.7), None, Some(1.0)]);
        assert_eq!(read(json!([]), 2), Err(JudgeFault::NoScores { candidates: 2 }));
    }

    #[test]
    fn what_cannot_be_trusted_is_a_fault() {
        let one = |id: i64, score: i64| json!([{"id": id, "score": score}]);
        for id in [-1, 2, i64::MAX, i64::MIN] {
            assert_eq!(read(one(id, 5), 2), Err(JudgeFault::UnknownId { id, candidates: 2 }));
        }
        for score in [-1, 11, i64::MIN] {
            assert_eq!(read(one(1, score), 2), Err(JudgeFault::ScoreOutOfRange { id: 1, score }));
        }
        let twice = json!([{"id": 1, "score": 0}, {"id": 1, "score": 0}]);
        assert_eq!(read(twice, 2), Err(JudgeFault::RepeatedId { id: 1 }));
        for shape in [
            json!([{"id": 0}]),
            json!([{"id": 0, "score": 0.8}]),
            json!([{"id": "0", "score": 8}]),
            json!([{"id": 0, "score": 8, "why": "it says so"}]),
            json!([{"id": 0, "score": null}]),
            json!([{"id": 0, "score": 1e300}]),
            json!([[0, 8]]),
            json!({"0": 8}),
        ] {
            let fault = read(shape.clone(), 2).unwrap_err();
            assert!(matches!(fault, JudgeFault::Reply(ReplyFault::Shape(_))), "{shape}: {fault}");
        }
        let message = read(one(0, 11), 1).unwrap_err().to_string();
        assert!(message.contains("found score 11 for candidate 0, expected an integer from 0 to 10"), "{message}");
    }

    #[test]
    fn the_schema_knows_the_candidates() {
        let item = r#"{"type":"object","properties":{"id":{"type":"integer","minimum":0,"maximum":1},"score":{"type":"integer","minimum":0,"maximum":10}},"required":["id","score"],"additionalProperties":false}"#;
        let expected = format!(
            r#"{{"type":"object","properties":{{"scores":{{"type":"array","items":{item},"maxItems":2}}}},"required":["scores"],"additionalProperties":false}}"#
        );
        assert_eq!(schema(2).to_string(), expected);
    }

    #[test]
    fn those_left_out_come_last_in_their_order() {
        let scores = [None, Some(0.2), Some(0.9), None, Some(0.2), Some(0.0), Some(0.9)];
        assert_eq!(order(&scores), [2, 6, 1, 4, 5, 0, 3]);
        assert_eq!(order(&[None, None]), [0, 1]);
        assert_eq!(order(&[]), Vec::<usize>::new());
    }

    proptest! {
        #[test]
        fn an_order_holds_every_place_once_and_scores_fall(
            scores in prop::collection::vec(prop::option::of(0..=10u8), 0..60),
        ) {
            let scores: Vec<_> = scores.into_iter().map(|score| score.map(|score| f64::from(score) / 10.0)).collect();
            let order = order(&scores);
            let mut places = order.clone();
            places.sort_unstable();
            prop_assert_eq!(places, (0..scores.len()).collect::<Vec<_>>());
            for pair in order.windows(2) {
                let (first, second) = (scores[pair[0]], scores[pair[1]]);
                prop_assert!(first > second || (first == second && pair[0] < pair[1]));
            }
        }
    }
}
