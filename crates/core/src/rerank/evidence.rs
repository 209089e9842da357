//! The evidence reranker: a cross-encoder that is told when each candidate was said, and adds the first stage's score
//! (ConvMemory v2, sections 4 and 7).

use std::{fmt, num::NonZeroUsize, str::FromStr, sync::Arc};

use super::{CrossEncoderReranker, RerankCandidate, RerankError, Reranker};
use crate::{
    encoder::{Locality, PairScorer},
    fusion::mean_and_deviation,
    types::UnknownChoice,
};

/// Fields that tell the answer, or another model's verdict: a candidate that carries one is refused (ConvMemory v2,
/// section 7).
pub const FORBIDDEN_FIELDS: [&str; 14] = [
    "gold",
    "gold_ids",
    "is_current",
    "is_latest",
    "is_stale",
    "stale",
    "answer",
    "answer_text",
    "ce_score",
    "mxbai_score",
    "teacher_score",
    "gpt_label",
    "entity_id",
    "slot_id",
];

/// How a question and a candidate are written for the cross-encoder.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PairForm {
    /// `MEMORY_TIME: 12. Ann: We moved.`, the form of the paper.
    Turn,
    /// The same, and then the turn before and the turn after: `MEMORY_TIME: 12. Ann: We moved. BEFORE: Ben: Where do you
    /// live? AFTER: Ben: Oh!` What is too long for the model is cut at the end.
    Dialogue,
}

impl PairForm {
    /// How many turns around a candidate it takes.
    pub fn neighbours(self) -> u32 {
        match self {
            Self::Turn => 0,
            Self::Dialogue => 1,
        }
    }

    /// The question, asked after the latest of the candidates.
    pub fn query(self, query: &str, candidates: &[RerankCandidate]) -> String {
        let latest = candidates.iter().map(|candidate| candidate.position).max().unwrap_or_default();
        format!("QUERY_TIME: {latest}. {query}")
    }

    /// A candidate.
    pub fn passage(self, candidate: &RerankCandidate) -> String {
        let mut text = format!("MEMORY_TIME: {}. {}", candidate.position, candidate.text);
        if self == Self::Dialogue {
            let around = [("BEFORE", candidate.before.last()), ("AFTER", candidate.after.first())];
            for (mark, neighbour) in around.into_iter().filter_map(|(mark, of)| Some((mark, of?))) {
                text.push_str(&format!(" {mark}: {neighbour}"));
            }
        }
        text
    }
}

impl fmt::Display for PairForm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Turn => "turn",
            Self::Dialogue => "dialogue",
        })
    }
}

impl FromStr for PairForm {
    type Err = UnknownChoice;

    fn from_str(word: &str) -> Result<Self, UnknownChoice> {
        match word {
            "turn" => Ok(Self::Turn),
            "dialogue" => Ok(Self::Dialogue),
            _ => Err(UnknownChoice { what: "form of pairs", found: word.into(), expected: "turn or dialogue" }),
        }
    }
}

/// A cross-encoder that was trained on the best candidates of a first stage.
///
/// The score of a candidate is the model's logit, plus a weight times its first-stage score in standard deviations of
/// those of all candidates shown.
#[derive(Clone)]
pub struct EvidenceReranker {
    scorer: Arc<dyn PairScorer>,
    form: PairForm,
    first_stage_weight: f64,
}

impl EvidenceReranker {
    /// A trained scorer with the form of its pairs and the weight of the first stage, which its file records.
    pub fn new(scorer: Arc<dyn PairScorer>, form: PairForm, first_stage_weight: f64) -> Self {
        Self { scorer, form, first_stage_weight }
    }
}

impl Reranker for EvidenceReranker {
    fn name(&self) -> String {
        self.scorer.id().to_string()
    }

    fn locality(&self) -> Locality {
        Locality::Local
    }

    fn default_depth(&self) -> NonZeroUsize {
        CrossEncoderReranker::DEPTH
    }

    fn neighbours(&self) -> u32 {
        self.form.neighbours()
    }

    fn score(&self, query: &str, candidates: &[RerankCandidate]) -> Result<Vec<Option<f64>>, RerankError> {
        candidates.iter().try_for_each(require_no_label)?;
        let passages: Vec<String> = candidates.iter().map(|candidate| self.form.passage(candidate)).collect();
        let passages: Vec<&str> = passages.iter().map(String::as_str).collect();
        let logits = self.scorer.score(&self.form.query(query, candidates), &passages);
        let logits = logits.map_err(|error| RerankError::Failed(error.to_string()))?;
        let first_stage = standardised(&candidates.iter().map(|candidate| candidate.score).collect::<Vec<_>>());
        let scores = logits.into_iter().zip(first_stage);
        Ok(scores.map(|(logit, first)| Some(f64::from(logit) + self.first_stage_weight * first)).collect())
    }
}

/// Scores in standard deviations from their mean; all 0 where they are equal.
pub fn standardised(scores: &[f64]) -> Vec<f64> {
    let (mean, deviation) = mean_and_deviation(scores);
    scores.iter().map(|score| deviation.map_or(0.0, |deviation| (score - mean) / deviation)).collect()
}

fn require_no_label(candidate: &RerankCandidate) -> Result<(), RerankError> {
    match candidate.fields.iter().find(|field| FORBIDDEN_FIELDS.contains(&field.as_str())) {
        None => Ok(()),
        Some(field) => Err(RerankError::Failed(format!(
            "memory {:?} has the metadata field {field:?}, expected none that may hold an answer or a verdict ({}); rename \
             the field and import again, or search without this reranker",
            candidate.id,
            FORBIDDEN_FIELDS.join(", ")
        ))),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;
    use crate::{encoder::EncodeError, types::EncoderId};

    /// Scores by length, and remembers what it was given.
    struct Lengths(EncoderId, Mutex<Vec<String>>);

    impl PairScorer for Lengths {
        fn id(&self) -> &EncoderId {
            &self.0
        }

        fn score(&self, query: &str, passages: &[&str]) -> Result<Vec<f32>, EncodeError> {
            let mut seen = self.1.lock().unwrap();
            seen.push(query.to_owned());
            seen.extend(passages.iter().map(|passage| (*passage).to_owned()));
            Ok(passages.iter().map(|passage| passage.len() as f32).collect())
        }
    }

    fn scorer() -> Arc<Lengths> {
        Arc::new(Lengths(EncoderId::new("lengths@1/f32").unwrap(), Mutex::default()))
    }

    fn candidate(position: u64, text: &str, score: f64) -> RerankCandidate {
        let around = |which: &str| vec![format!("Ben: far {which}"), format!("Ben: near {which}")];
        let (before, mut after) = (around("before"), around("after"));
        after.reverse();
        RerankCandidate {
            id: format!("D1:{position}"),
            text: text.to_owned(),
            score,
            position,
            before,
            after,
            ..RerankCandidate::default()
        }
    }

    #[test]
    fn pairs_are_written_as_in_the_paper() {
        let scorer = scorer();
        let candidates = [candidate(7, "Ann: We moved.", 1.0), candidate(31, "Ann: To Lyon.", 1.0)];
        EvidenceReranker::new(scorer.clone(), PairForm::Turn, 0.0).score("Where?", &candidates).unwrap();
        EvidenceReranker::new(scorer.clone(), PairForm::Dialogue, 0.0).score("Where?", &candidates[..1]).unwrap();
        assert_eq!(
            *scorer.1.lock().unwrap(),
            [
                "QUERY_TIME: 31. Where?",
                "MEMORY_TIME: 7. Ann: We moved.",
                "MEMORY_TIME: 31. Ann: To Lyon.",
                "QUERY_TIME: 7. Where?",
                "MEMORY_TIME: 7. Ann: We moved. BEFORE: Ben: near before AFTER: Ben: near after"
            ]
        );
    }

    #[test]
    fn the_first_stage_counts_in_its_standard_deviations() {
        let candidates = [candidate(1, "a", 5.0), candidate(2, "a", 1.0)];
        let scores = EvidenceReranker::new(scorer(), PairForm::Turn, 2.0).score("q", &candidates).unwrap();
        // Mean 3, deviation 2; both texts have 17 bytes.
        assert_eq!(scores, [Some(19.0), Some(15.0)]);
        let alone = EvidenceReranker::new(scorer(), PairForm::Turn, 2.0).score("q", &candidates[..1]).unwrap();
        assert_eq!(alone, [Some(17.0)]);
    }

    #[test]
    fn every_forbidden_field_is_refused_by_name_before_anything_is_scored() {
        for field in FORBIDDEN_FIELDS {
            let scorer = scorer();
            let mut candidates = [candidate(1, "a", 5.0), candidate(2, "a", 1.0)];
            candidates[1].fields = vec!["mood".to_owned(), field.to_owned()];
            let reranker = EvidenceReranker::new(scorer.clone(), PairForm::Turn, 1.0);
            let refused = reranker.score("q", &candidates).unwrap_err().to_string();
            assert!(refused.contains(&format!("{field:?}")) && refused.contains("\"D1:2\""), "{refused}");
            assert!(scorer.1.lock().unwrap().is_empty(), "{field}");
        }
        let mut allowed = candidate(1, "a", 5.0);
        allowed.fields = vec!["mood".to_owned(), "answered".to_owned()];
        assert!(EvidenceReranker::new(scorer(), PairForm::Turn, 1.0).score("q", &[allowed]).is_ok());
    }

    #[test]
    fn forms_are_read_as_they_are_written() {
        for form in [PairForm::Turn, PairForm::Dialogue] {
            assert_eq!(form.to_string().parse(), Ok(form));
        }
        assert!("session".parse::<PairForm>().unwrap_err().to_string().contains("turn or dialogue"));
    }
}
