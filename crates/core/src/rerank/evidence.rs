//! The evidence reranker: a cross-encoder that is told when each candidate was said, and adds the first stage's score
//! (ConvMemory v2, sections 4 and 7).

use std::{num::NonZeroUsize, sync::Arc};

use super::{
    CandidateScore, CrossEncoderReranker, Logits, PairForm, Passage, RerankCandidate, RerankError, Reranker,
    in_english, require_one_each, superseded::superseded,
};
use crate::{
    encoder::{EncodeError, Locality, PairScore, PairScorer},
    fusion::mean_and_deviation,
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

/// A cross-encoder that was trained on the best candidates of a first stage.
///
/// The score of a candidate is the model's logit, plus a weight times its first-stage score in standard deviations of
/// those of all candidates shown, plus twice how well it meets the conditions that the question states
/// ([`Legs::conditions_met`](crate::pipeline::Legs::conditions_met)), plus four times how much it has of what a request to an
/// assistant must heed ([`Legs::heeded`](crate::pipeline::Legs::heeded)). The logit of a turn that the model reads in part is moved towards the mean of the logits. Where a question asks for what holds now, every newer candidate lowers the score of an older one.
///
/// The model reads the candidates ten at a time, best first. One that tells whether a candidate answers the question reads no
/// further once one does; candidates that it did not read have no score.
#[derive(Clone)]
pub struct EvidenceReranker {
    scorer: Arc<dyn PairScorer>,
    form: PairForm,
    first_stage_weight: f64,
    is_calibrated: bool,
    glosses: bool,
}

/// The log odds of an answer from which nothing more is read: it is as likely as not.
const ANSWERED: f32 = 0.0;
/// Of how well a candidate meets the conditions that the question states, beside the logit (docs/decisions/0024).
const CONDITIONS_WEIGHT: f64 = 2.0;
/// Of what a request to an assistant must heed (docs/decisions/0028).
const HEEDED_WEIGHT: f64 = 4.0;

impl EvidenceReranker {
    /// How many candidates a [`calibrated`](Self::calibrated) one is shown, where nobody says. It reads the second ten only where
    /// none of the first answers.
    pub const CALIBRATED_DEPTH: NonZeroUsize = NonZeroUsize::MIN.saturating_add(19);

    /// A trained scorer with the form of its pairs and the weight of the first stage, which its file records.
    pub fn new(scorer: Arc<dyn PairScorer>, form: PairForm, first_stage_weight: f64) -> Self {
        Self { scorer, form, first_stage_weight, is_calibrated: false, glosses: false }
    }

    /// The same of a scorer that knows English alone: what is in another language is shown to it word for word in English
    /// ([`in_english`]).
    pub fn reading_english(self) -> Self {
        Self { glosses: true, ..self }
    }

    /// The same, where confidence was fitted on its scores.
    pub fn calibrated(self) -> Self {
        Self { is_calibrated: true, ..self }
    }

    /// What the model says of the candidates, or of the first tens of them, where one of those answers.
    ///
    /// # Errors
    /// [`RerankError::Failed`] where the model fails, or does not give a score a candidate.
    fn read(&self, query: &str, passages: &[Passage]) -> Result<Vec<PairScore>, RerankError> {
        let failed = |error: EncodeError| RerankError::Failed(error.to_string());
        let mut pairs: Vec<PairScore> = Vec::with_capacity(passages.len());
        for next in passages.chunks(CrossEncoderReranker::DEPTH.get()) {
            let texts: Vec<&str> = next.iter().map(|passage| passage.text.as_str()).collect();
            let read = self.scorer.score_pairs(query, &texts).map_err(failed)?;
            require_one_each(read.len(), next.len())?;
            pairs.extend(read);
            if pairs.iter().any(|pair| pair.answers.is_some_and(|answers| answers >= ANSWERED)) {
                break;
            }
        }
        Ok(pairs)
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
        if self.is_calibrated { Self::CALIBRATED_DEPTH } else { CrossEncoderReranker::DEPTH }
    }

    fn neighbours(&self) -> u32 {
        self.form.neighbours()
    }

    fn is_calibrated(&self) -> bool {
        self.is_calibrated
    }

    fn score(&self, query: &str, candidates: &[RerankCandidate]) -> Result<Vec<Option<f64>>, RerankError> {
        Ok(self.score_candidates(query, candidates)?.into_iter().map(|of| of.score).collect())
    }

    fn score_candidates(
        &self,
        query: &str,
        candidates: &[RerankCandidate],
    ) -> Result<Vec<CandidateScore>, RerankError> {
        candidates.iter().try_for_each(require_no_label)?;
        let glossed = if self.glosses { in_english(query, candidates) } else { None };
        let (query, shown) = glossed.as_ref().map_or((query, candidates), |(query, shown)| (query, shown));
        let passages = self.form.passages(query, shown);
        let pairs = self.read(&self.form.query(query, shown), &passages)?;
        let shares = passages.iter().zip(&pairs).map(|(passage, pair)| passage.share_read(pair.bytes_read));
        let logits = pairs.iter().map(|pair| pair.score).collect::<Vec<_>>();
        let logits = tempered(&logits, &shares.collect::<Vec<_>>());
        let first_stage = standardised(&candidates.iter().map(|candidate| candidate.score).collect::<Vec<_>>());
        let superseded = superseded(&logits, &first_stage, candidates);
        let score = |((place, pair), logit): ((usize, &PairScore), f64)| {
            let first_stage = self.first_stage_weight * first_stage[place];
            let legs = &candidates[place].legs;
            let conditions = CONDITIONS_WEIGHT * legs.conditions_met();
            let heeded = HEEDED_WEIGHT * legs.heeded();
            CandidateScore {
                score: Some(logit + first_stage + conditions + heeded - superseded[place]),
                first_stage,
                heeded,
                superseded: superseded[place],
                logits: pair.answers.map(|answers| Logits { fits: f64::from(pair.score), answers: f64::from(answers) }),
            }
        };
        let mut scored: Vec<_> = pairs.iter().enumerate().zip(logits).map(score).collect();
        scored.resize(candidates.len(), CandidateScore::default());
        Ok(scored)
    }

    /// All turns that were read speak for their session: the logarithm of the sum of the exponentials of their scores. Half of the
    /// first stage's weight is for where a turn stands there, the other half for where the session does (docs/decisions/0024). What
    /// must be heeded is a turn, so that it is not added to a session's score (docs/decisions/0030).
    fn score_session(&self, turns: &[CandidateScore], first_stage: f64) -> CandidateScore {
        let first_stage = self.first_stage_weight * first_stage / 2.0;
        let unheeded =
            |of: &CandidateScore| CandidateScore { score: of.score.map(|score| score - of.heeded), heeded: 0.0, ..*of };
        let turns: Vec<CandidateScore> = turns.iter().map(unheeded).collect();
        let of_turns = turns.iter().filter_map(|of| Some(of.score? - of.first_stage / 2.0));
        let score = log_sum_exp(&of_turns.collect::<Vec<_>>()).map(|of_turns| of_turns + first_stage);
        CandidateScore { score, first_stage, superseded: 0.0, ..CandidateScore::best_of(&turns) }
    }
}

/// Logits, of which those of turns that were read in part only are moved towards the mean: what was not read may say otherwise.
///
/// The mean is of the logits by the shares that were read, and a logit keeps its share of its distance from that mean. A turn that
/// was read whole keeps its logit.
fn tempered(logits: &[f32], shares: &[f64]) -> Vec<f64> {
    let read = || logits.iter().map(|logit| f64::from(*logit)).zip(shares.iter().copied());
    let total: f64 = shares.iter().sum();
    let mean = read().map(|(logit, share)| share * logit).sum::<f64>() / total.max(f64::MIN_POSITIVE);
    let temper = |(logit, share)| if share < 1.0 { mean + share * (logit - mean) } else { logit };
    read().map(temper).collect()
}

/// `ln(e^a + e^b + ..)`; `None` of no numbers.
fn log_sum_exp(of: &[f64]) -> Option<f64> {
    let most = of.iter().copied().reduce(f64::max)?;
    if most.is_infinite() {
        return Some(most);
    }
    Some(most + of.iter().map(|x| (x - most).exp()).sum::<f64>().ln())
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
    use crate::{
        encoder::EncodeError,
        pipeline::{LegHit, Legs},
        types::EncoderId,
    };

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
    fn all_turns_that_were_read_speak_for_their_session() {
        let reranker = EvidenceReranker::new(scorer(), PairForm::Turn, 3.0);
        let turn = |score: f64, first_stage, answers| {
            let logits = Some(Logits { fits: 0.0, answers });
            CandidateScore { score: Some(score), first_stage, logits, ..CandidateScore::default() }
        };
        let session = |turns: &[CandidateScore], first_stage| reranker.score_session(turns, first_stage);
        // 5 less half of 4, and half of the weight times 2.
        assert_eq!(session(&[turn(5.0, 4.0, 1.0)], 2.0), CandidateScore { first_stage: 3.0, ..turn(6.0, 0.0, 1.0) });
        // Two turns as good as one another add the logarithm of two; the answer is that of the first of the best.
        let two = session(&[turn(5.0, 4.0, 1.0), turn(4.0, 2.0, 7.0)], -1.0);
        let expected = 3.0 + 2f64.ln() - 1.5;
        assert!((two.score.unwrap() - expected).abs() < 1e-12, "{two:?}, expected {expected}");
        assert_eq!((two.first_stage, two.logits.unwrap().answers), (-1.5, 1.0));
        let far = session(&[turn(-2000.0, 0.0, 0.0), turn(900.0, 0.0, 0.0), turn(0.0, 0.0, 0.0)], 0.0);
        assert_eq!(far.score, Some(900.0));
        assert_eq!(session(&[], 0.0).score, None);
        let heeded = CandidateScore { heeded: 4.0, ..turn(9.0, 4.0, 1.0) };
        assert_eq!(session(&[heeded], 2.0), session(&[turn(5.0, 4.0, 1.0)], 2.0), "what is to be heeded is a turn");
        for endless in [f64::INFINITY, f64::NEG_INFINITY] {
            assert_eq!(session(&[turn(endless, 0.0, 0.0); 2], 0.0).score, Some(endless));
        }
    }

    #[test]
    fn a_condition_that_is_met_counts_twice_and_what_a_request_must_heed_four_times() {
        let at = |legs: &[(&'static str, f64)]| {
            let hit = |&(leg, score): &(&'static str, f64)| (leg, LegHit { rank: 1, score });
            RerankCandidate { legs: Legs(legs.iter().map(hit).collect()), ..candidate(1, "a", 1.0) }
        };
        let candidates = [
            at(&[("lexical", 9.0)]),
            at(&[("date_match", 0.75), ("lexical", 9.0)]),
            at(&[("time_order", 1.0), ("mention_order", 0.5)]),
            at(&[("title_match", 1.0), ("reply_match", 1.0)]),
            at(&[("wish_match", 0.5)]),
        ];
        let scores = EvidenceReranker::new(scorer(), PairForm::Turn, 2.0).score("q", &candidates).unwrap();
        assert_eq!(scores, [17.0, 18.5, 20.0, 19.0, 19.0].map(Some));
    }

    #[test]
    fn a_newer_statement_stands_above_an_older_one_that_fits_better_only_where_the_present_is_asked_for() {
        let candidates = |asks_for_now: bool| {
            let recency = |of: f64| asks_for_now.then_some(of);
            [("old 6.0", 0.2), ("new 4.0", 0.8), ("other -9.0", 1.0)]
                .map(|(text, of)| RerankCandidate { recency: recency(of), ..candidate(1, text, 1.0) })
        };
        /// The logit is the last word.
        struct Fits(Arc<Lengths>);

        impl PairScorer for Fits {
            fn id(&self) -> &EncoderId {
                self.0.id()
            }

            fn score(&self, _: &str, passages: &[&str]) -> Result<Vec<f32>, EncodeError> {
                Ok(passages.iter().map(|passage| passage.split(' ').nth(3).unwrap().parse().unwrap()).collect())
            }
        }
        let ordered = |asks_for_now: bool| {
            let reranker = EvidenceReranker::new(Arc::new(Fits(scorer())), PairForm::Turn, 1.0);
            let scored = reranker.score_candidates("q", &candidates(asks_for_now)).unwrap();
            let scores: Vec<_> = scored.iter().map(|of| of.score).collect();
            let supersedes = |one: usize, other: usize| scored[one].supersedes(&scored[other]);
            let order = super::super::order(&scores, scores.len()).unwrap();
            (order, [supersedes(1, 0), supersedes(0, 1), supersedes(1, 2), supersedes(2, 1)])
        };
        assert_eq!(ordered(false), (vec![0, 1, 2], [false; 4]));
        assert_eq!(ordered(true), (vec![1, 0, 2], [true, false, false, false]));
    }

    /// Whether a passage answers is its last word.
    struct Told(Arc<Lengths>);

    impl PairScorer for Told {
        fn id(&self) -> &EncoderId {
            self.0.id()
        }

        fn score(&self, query: &str, passages: &[&str]) -> Result<Vec<f32>, EncodeError> {
            self.0.score(query, passages)
        }

        fn score_pairs(&self, query: &str, passages: &[&str]) -> Result<Vec<PairScore>, EncodeError> {
            let last = |passage: &&str| passage.split(' ').next_back().unwrap().parse().unwrap();
            let score = |passage| PairScore { score: 1.0, answers: Some(last(passage)), bytes_read: usize::MAX };
            self.score(query, passages).map(|_| passages.iter().map(score).collect())
        }
    }

    #[test]
    fn ten_more_are_read_where_none_of_ten_answers() {
        let read = |answers: &[&str]| {
            let scorer = scorer();
            let candidates: Vec<_> = (1..).zip(answers).map(|(place, text)| candidate(place, text, 1.0)).collect();
            let reranker = EvidenceReranker::new(Arc::new(Told(scorer.clone())), PairForm::Turn, 1.0);
            let scores = reranker.score("q", &candidates).unwrap();
            let read = scores.iter().take_while(|score| score.is_some()).count();
            assert!(scores.len() == answers.len() && scores[read..].iter().all(Option::is_none), "{scores:?}");
            let seen = scorer.1.lock().unwrap();
            let questions = seen.iter().filter(|text| text.starts_with("QUERY_TIME")).count();
            assert_eq!(seen.len(), questions + read, "what is not read is not shown to the model");
            read
        };
        let doubtful = vec!["-0.5"; 25];
        assert_eq!(read(&doubtful), 25);
        assert_eq!(read(&[]), 0);
        for (place, expected) in [(0, 10), (9, 10), (10, 20), (20, 25)] {
            let mut answers = doubtful.clone();
            answers[place] = "0.0";
            assert_eq!(read(&answers), expected, "{place}");
            assert_eq!(read(&answers[..=place]), expected.min(place + 1), "{place}");
        }
    }

    #[test]
    fn one_that_confidence_was_fitted_on_is_shown_twenty() {
        let reranker = EvidenceReranker::new(scorer(), PairForm::Turn, 1.0);
        assert_eq!([reranker.clone(), reranker.calibrated()].map(|of| of.default_depth().get()), [10, 20]);
    }

    #[test]
    fn a_model_gives_a_score_a_candidate() {
        /// Forgets the last one.
        struct Short(Arc<Lengths>);

        impl PairScorer for Short {
            fn id(&self) -> &EncoderId {
                self.0.id()
            }

            fn score(&self, query: &str, passages: &[&str]) -> Result<Vec<f32>, EncodeError> {
                self.0.score(query, &passages[1..])
            }
        }

        let reranker = EvidenceReranker::new(Arc::new(Short(scorer())), PairForm::Turn, 1.0);
        let refused = reranker.score("q", &[candidate(1, "a", 1.0), candidate(2, "b", 1.0)]).unwrap_err().to_string();
        assert_eq!(refused, "found 1 scores, expected 2, one a candidate");
    }

    #[test]
    fn a_logit_of_a_part_counts_by_the_share_that_was_read() {
        assert_eq!(tempered(&[3.0, 0.1, -1.0], &[1.0; 3]), [3.0, f64::from(0.1f32), -1.0]);
        // The mean of 4 and, with a weight of a quarter, -1 is 3.
        assert_eq!(tempered(&[4.0, -1.0], &[1.0, 0.25]), [4.0, 2.0]);
        assert_eq!(tempered(&[4.0, -1.0], &[1.0, 0.0]), [4.0, 4.0], "nothing was read of it");
        assert_eq!(tempered(&[4.0, -1.0], &[0.0, 0.0]), [0.0, 0.0]);
        assert!(tempered(&[], &[]).is_empty());
    }

    /// Logits are lengths, and only 20 bytes are read.
    struct Cut(Arc<Lengths>);

    impl PairScorer for Cut {
        fn id(&self) -> &EncoderId {
            self.0.id()
        }

        fn score(&self, query: &str, passages: &[&str]) -> Result<Vec<f32>, EncodeError> {
            self.0.score(query, passages)
        }

        fn score_pairs(&self, query: &str, passages: &[&str]) -> Result<Vec<PairScore>, EncodeError> {
            let scores = self.score(query, passages)?.into_iter().zip(passages);
            Ok(scores
                .map(|(score, passage)| PairScore { score, answers: Some(-score), bytes_read: passage.len().min(20) })
                .collect())
        }
    }

    #[test]
    fn the_turns_around_a_candidate_do_not_count_for_the_share() {
        let candidates = [candidate(1, "abcd", 1.0), candidate(2, "a", 1.0), candidate(3, &"a".repeat(24), 1.0)];
        let scores = |scorer| {
            let scores = EvidenceReranker::new(scorer, PairForm::Dialogue, 0.0).score("q", &candidates).unwrap();
            scores.into_iter().map(Option::unwrap).collect::<Vec<f64>>()
        };
        let (whole, cut) = (scores(scorer() as Arc<dyn PairScorer>), scores(Arc::new(Cut(scorer()))));
        assert_eq!(cut[..2], whole[..2], "MEMORY_TIME: 1. abcd has 20 bytes");
        assert!(cut[2] < whole[2] && cut[2] > whole[0], "{cut:?}, {whole:?}");
        let scored =
            EvidenceReranker::new(Arc::new(Cut(scorer())), PairForm::Dialogue, 0.0).score_candidates("q", &candidates);
        let logits: Vec<Logits> = scored.unwrap().into_iter().filter_map(|of| of.logits).collect();
        assert!(logits.len() == 3 && logits.iter().all(|of| of.fits > 0.0 && of.answers == -of.fits), "{logits:?}");
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
}
