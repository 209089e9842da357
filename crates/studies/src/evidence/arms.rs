//! The ablation arms of the evidence reranker (ConvMemory v2, section 9): the same model, and less or other text.

use std::{
    collections::HashMap,
    num::NonZeroUsize,
    sync::{Arc, Mutex, PoisonError},
};

use aforesaid::{
    EncodeError, Locality,
    models::{PairScore, PairScorer},
    rerank::{CrossEncoderReranker, EvidenceReranker, RerankCandidate, RerankError, Reranker},
    types::EncoderId,
};

/// What becomes of the candidates' texts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Arm {
    /// They are left out.
    LeftOut,
    /// Each is one of another question's candidates.
    OtherQuestions,
    /// They go round among the candidates of the question.
    Shuffled,
}

impl Arm {
    pub(super) const ALL: [Self; 3] = [Self::LeftOut, Self::OtherQuestions, Self::Shuffled];

    /// The paper's name.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::LeftOut => "no_memory_text",
            Self::OtherQuestions => "random_other_query_text",
            Self::Shuffled => "shuffled_memory_text",
        }
    }
}

/// A reranker that is shown other texts than the candidates'.
pub(super) struct Damaged<'a> {
    pub(super) arm: Arm,
    pub(super) inner: &'a EvidenceReranker,
    /// Candidates of other questions.
    pub(super) others: &'a [RerankCandidate],
}

impl Damaged<'_> {
    fn damage(&self, query: &str, candidates: &[RerankCandidate]) -> Vec<RerankCandidate> {
        let with_text = |of: &RerankCandidate, text: &RerankCandidate| RerankCandidate {
            text: text.text.clone(),
            before: text.before.clone(),
            after: text.after.clone(),
            ..of.clone()
        };
        // The same question always gets the same texts.
        let start = query.bytes().fold(0usize, |sum, byte| sum.wrapping_mul(31).wrapping_add(byte.into()));
        let damaged = |(place, of): (usize, &RerankCandidate)| match self.arm {
            Arm::LeftOut => with_text(of, &RerankCandidate::default()),
            Arm::Shuffled => {
                with_text(of, &candidates[(place + 1 + start % (candidates.len().max(2) - 1)) % candidates.len()])
            }
            Arm::OtherQuestions if self.others.is_empty() => with_text(of, &RerankCandidate::default()),
            Arm::OtherQuestions => {
                let at = start.wrapping_add(place.wrapping_mul(7_919)) % self.others.len();
                with_text(of, &self.others[at])
            }
        };
        candidates.iter().enumerate().map(damaged).collect()
    }
}

impl Reranker for Damaged<'_> {
    fn name(&self) -> String {
        self.arm.name().to_owned()
    }

    fn locality(&self) -> Locality {
        Locality::Local
    }

    fn default_depth(&self) -> NonZeroUsize {
        CrossEncoderReranker::DEPTH
    }

    fn neighbours(&self) -> u32 {
        self.inner.neighbours()
    }

    fn score(&self, query: &str, candidates: &[RerankCandidate]) -> Result<Vec<Option<f64>>, RerankError> {
        self.inner.score(query, &self.damage(query, candidates))
    }
}

/// Remembers scores, so that the same pairs under another weight of the first stage are not read again.
pub(crate) struct Remembering {
    inner: Arc<dyn PairScorer>,
    known: Mutex<HashMap<(String, String), PairScore>>,
}

impl Remembering {
    pub(crate) fn new(inner: Arc<dyn PairScorer>) -> Self {
        Self { inner, known: Mutex::default() }
    }
}

impl PairScorer for Remembering {
    fn id(&self) -> &EncoderId {
        self.inner.id()
    }

    fn score(&self, query: &str, passages: &[&str]) -> Result<Vec<f32>, EncodeError> {
        Ok(self.score_pairs(query, passages)?.into_iter().map(|of| of.score).collect())
    }

    fn score_pairs(&self, query: &str, passages: &[&str]) -> Result<Vec<PairScore>, EncodeError> {
        let key = |passage: &str| (query.to_owned(), passage.to_owned());
        let known: Option<Vec<PairScore>> = {
            let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
            passages.iter().map(|passage| known.get(&key(passage)).copied()).collect()
        };
        if let Some(scores) = known {
            return Ok(scores);
        }
        let scores = self.inner.score_pairs(query, passages)?;
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.extend(passages.iter().zip(&scores).map(|(passage, score)| (key(passage), *score)));
        Ok(scores)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Lengths(EncoderId);

    impl PairScorer for Lengths {
        fn id(&self) -> &EncoderId {
            &self.0
        }

        fn score(&self, _: &str, passages: &[&str]) -> Result<Vec<f32>, EncodeError> {
            Ok(passages.iter().map(|passage| passage.len() as f32).collect())
        }
    }

    fn candidates(texts: &[&str]) -> Vec<RerankCandidate> {
        let candidate = |(at, text): (usize, &&str)| RerankCandidate {
            text: (*text).to_owned(),
            position: at as u64 + 1,
            ..RerankCandidate::default()
        };
        texts.iter().enumerate().map(candidate).collect()
    }

    #[test]
    fn each_arm_damages_the_text_and_nothing_else() {
        let scorer: Arc<dyn PairScorer> = Arc::new(Lengths(EncoderId::new("lengths@1/f32").unwrap()));
        let inner = EvidenceReranker::new(scorer, aforesaid::rerank::PairForm::Turn, 0.0);
        let shown = candidates(&["one", "two three", "four five six"]);
        let others = candidates(&["elsewhere"]);
        for arm in Arm::ALL {
            let damaged = Damaged { arm, inner: &inner, others: &others }.damage("which?", &shown);
            for (at, (before, after)) in shown.iter().zip(&damaged).enumerate() {
                assert_ne!(before.text, after.text, "{arm:?} {at}");
                assert_eq!(before.position, after.position);
            }
            let texts = |of: &[RerankCandidate]| {
                let mut texts: Vec<String> = of.iter().map(|candidate| candidate.text.clone()).collect();
                texts.sort();
                texts
            };
            assert_eq!(texts(&shown) == texts(&damaged), arm == Arm::Shuffled);
        }
    }
}
