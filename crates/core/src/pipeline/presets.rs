//! Pipelines with a name.

use std::sync::Arc;

use super::{
    boost::{Boost, BoostMeasure},
    candidate::CandidateStage,
    definition::Pipeline,
    leg::Leg,
    legs::{
        AnswerFeatures, CueBm25Leg, CueDenseLeg, DateLeg, DenseLeg, LexicalLeg, MentionLeg, ReplyLeg,
        SessionRecencyLeg, TimeOrderLeg, TitleLeg, UnitWeights, WishLeg,
    },
    vectors::SpeakerNames,
};
use crate::{
    analysis::Analyzer,
    dense::Pooling,
    fusion::{Fusion, Method},
    lexical::{Bm25, Neighbours},
};

/// The names, for messages.
pub(super) const NAMES: &str = "hybrid, learned, adapted, lexical, fast, paper-bm25, paper-dense-max, paper-dense-top3, paper-dense-mean or paper-dense-lse";

/// The query adapter of all-MiniLM-L6-v2 that ships.
pub const QUERY_ADAPTER: &str = "dialogues";
/// The word of the learned stage.
pub const LEARNED: &str = "learned";
/// The word of the boost by cue questions.
pub const CUE_BOOST: &str = "cue_boost";
/// The word of the boost by dates.
pub const DATE_BOOST: &str = "date_boost";
/// The word of the boost by titles.
pub const TITLE_BOOST: &str = "title_boost";
/// The word of the boost by wishes.
pub const WISH_BOOST: &str = "wish_boost";
/// The word of the boost by recency.
pub const RECENCY_BOOST: &str = "recency_boost";
/// The word of the boost by questions that turns answer.
pub const REPLY_BOOST: &str = "reply_boost";
/// The word of the boost by order in time.
pub const ORDER_BOOST: &str = "order_boost";
/// The word of the boost of a first or last mention.
pub const MENTION_BOOST: &str = "mention_boost";
/// Makes a boost of its weight.
type WeightedBoost = fn(f64) -> Boost;
/// Boosts of one leg and one weight, by their words, in the order they are applied: order in time tells apart the best of
/// all that came before.
pub(super) const WEIGHTED_BOOSTS: [(&str, WeightedBoost); 7] = [
    (DATE_BOOST, Boost::date),
    (TITLE_BOOST, Boost::title),
    (REPLY_BOOST, Boost::reply),
    (WISH_BOOST, Boost::wish),
    (RECENCY_BOOST, Boost::recency),
    (MENTION_BOOST, Boost::mention),
    (ORDER_BOOST, Boost::order),
];

impl Default for Pipeline {
    /// [`Pipeline::learned`].
    fn default() -> Self {
        Self::learned()
    }
}

impl Boost {
    /// The best cue question of each candidate, by BM25 and by cosine.
    pub fn cues(bm25: f64, dense: f64) -> Self {
        let legs: Vec<(Arc<dyn Leg>, f64)> = vec![(Arc::new(CueBm25Leg), bm25), (Arc::new(CueDenseLeg), dense)];
        Self { word: CUE_BOOST, measure: BoostMeasure::ZScore, legs }
    }

    /// What was said on the date that the query names.
    pub fn date(weight: f64) -> Self {
        Self { word: DATE_BOOST, measure: BoostMeasure::Plain, legs: vec![(Arc::new(DateLeg), weight)] }
    }

    /// What answers a question that is like the query.
    pub fn reply(weight: f64) -> Self {
        Self { word: REPLY_BOOST, measure: BoostMeasure::ZScore, legs: vec![(Arc::new(ReplyLeg), weight)] }
    }

    /// What was said in a session whose title the query names.
    pub fn title(weight: f64) -> Self {
        Self { word: TITLE_BOOST, measure: BoostMeasure::Plain, legs: vec![(Arc::new(TitleLeg), weight)] }
    }

    /// What a request to an assistant must heed.
    pub fn wish(weight: f64) -> Self {
        Self { word: WISH_BOOST, measure: BoostMeasure::Plain, legs: vec![(Arc::new(WishLeg), weight)] }
    }

    /// What was said of late, where a message goes on with something.
    pub fn recency(weight: f64) -> Self {
        Self { word: RECENCY_BOOST, measure: BoostMeasure::Plain, legs: vec![(Arc::new(SessionRecencyLeg), weight)] }
    }

    /// The first or the last that names a matter.
    pub fn mention(weight: f64) -> Self {
        Self { word: MENTION_BOOST, measure: BoostMeasure::Plain, legs: vec![(Arc::new(MentionLeg), weight)] }
    }

    /// The newest or the oldest of those that speak of the same matter.
    pub fn order(weight: f64) -> Self {
        Self { word: ORDER_BOOST, measure: BoostMeasure::AmongBest, legs: vec![(Arc::new(TimeOrderLeg), weight)] }
    }
}

impl Pipeline {
    /// Lexical and dense legs.
    pub fn hybrid() -> Self {
        let dense = DenseLeg { speaker_names: SpeakerNames::Strip, ..DenseLeg::any(Pooling::Max) };
        let lexical = Self::lexical();
        let legs = vec![lexical.legs[0].clone(), Arc::new(dense)];
        Self { name: "hybrid".to_owned(), legs, fusion: Fusion::zscore(0.55), ..lexical }
    }

    /// The adapted, its best turns put in order by the candidate ranker that ships: with all-MiniLM-L6-v2 and its adapters, where
    /// no assistant speaks. Anywhere else it ranks as the adapted does. The default.
    pub fn learned() -> Self {
        Self { name: LEARNED.to_owned(), stage: Some(CandidateStage::shipped()), ..Self::adapted() }
    }

    /// The hybrid for encoders that know conversations: vectors count as much as words. Where vectors are of all-MiniLM-L6-v2 as it
    /// was published, queries are encoded by the query adapter that ships.
    pub fn adapted() -> Self {
        let mut adapted = Self { name: "adapted".to_owned(), fusion: Fusion::zscore(0.5), ..Self::hybrid() };
        adapted.change(|leg: &mut DenseLeg| leg.query_adapter = Some(QUERY_ADAPTER.to_owned()));
        adapted
    }

    /// The lexical leg alone.
    pub fn lexical() -> Self {
        let leg = LexicalLeg {
            bm25: Bm25 { k1: 0.9, b: 0.75 },
            bigrams: 0.5,
            neighbours: Neighbours { weights: [0.5, 0.5], half_length: 40.0 },
            cues: UnitWeights { session: 1.0, turn: 0.5 },
            features: AnswerFeatures {
                speaker_match: 2.5,
                time_expression: 1.0,
                question_penalty: 0.8,
                short_penalty: 0.6,
            },
            sessions: UnitWeights { session: 1.0, turn: 1.0 },
            turns: UnitWeights { session: 0.4, turn: 1.0 },
            spelling: 1,
        };
        let boosts = vec![
            Boost::cues(0.2, 0.5),
            Boost::date(4.0),
            Boost::title(7.0),
            Boost::reply(0.15),
            Boost::wish(2.0),
            Boost::recency(1.0),
            Boost::mention(6.0),
            Boost::order(3.0),
        ];
        Self { boosts, ..Self::of_one("lexical", Analyzer::English, Arc::new(leg)) }
    }

    /// The hybrid without what costs most at a large history: neighbours, bigrams, and the session's share in a turn.
    pub fn fast() -> Self {
        let mut fast = Self { name: "fast".to_owned(), ..Self::hybrid() };
        fast.change(|leg: &mut LexicalLeg| {
            (leg.bigrams, leg.neighbours, leg.turns) = (0.0, Neighbours::NONE, LexicalLeg::PLAIN.turns);
        });
        fast
    }

    /// The published BM25 baseline (fusion study, section 4).
    pub fn paper_bm25() -> Self {
        Self::of_one("paper-bm25", Analyzer::FusionStudy, Arc::new(LexicalLeg::PLAIN))
    }

    /// One leg, nothing else.
    pub(super) fn of_one(name: &str, analyzer: Analyzer, leg: Arc<dyn Leg>) -> Self {
        let fusion = Fusion::even(Method::ZScore, 1);
        Self { name: name.to_owned(), analyzer, legs: vec![leg], fusion, boosts: Vec::new(), stage: None }
    }

    /// The pipeline of that name.
    pub(super) fn preset(name: &str) -> Option<Self> {
        let dense = |pooling| Some(Self::of_one(name, Analyzer::FusionStudy, Arc::new(DenseLeg::any(pooling))));
        match name {
            "hybrid" => Some(Self::hybrid()),
            LEARNED => Some(Self::learned()),
            "adapted" => Some(Self::adapted()),
            "lexical" => Some(Self::lexical()),
            "fast" => Some(Self::fast()),
            "paper-bm25" => Some(Self::paper_bm25()),
            "paper-dense-max" => dense(Pooling::Max),
            "paper-dense-top3" => dense(Pooling::Top(3)),
            "paper-dense-mean" => dense(Pooling::Mean),
            "paper-dense-lse" => dense(Pooling::Lse(10.0)),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_reads_back() {
        for name in NAMES.replace(" or ", ", ").split(", ") {
            assert_eq!(name.parse::<Pipeline>().unwrap().name, name);
        }
        assert!("best".parse::<Pipeline>().unwrap_err().to_string().contains("hybrid"));
    }

    #[test]
    fn the_adapted_is_the_hybrid_but_for_how_queries_are_read_and_what_words_count() {
        let adapted = Pipeline::adapted();
        assert_eq!((adapted.query_adapter(), Pipeline::hybrid().query_adapter()), (Some(QUERY_ADAPTER), None));
        let alike = Pipeline { fusion: Fusion::zscore(0.5), ..Pipeline::hybrid() };
        assert_eq!(adapted.without_query_adapter(), alike.described());
    }

    #[test]
    fn a_description_is_the_same_pipeline() {
        for name in ["hybrid", "learned", "adapted", "lexical", "fast", "paper-bm25"] {
            let pipeline: Pipeline = name.parse().unwrap();
            let described: Pipeline = pipeline.to_string().parse().unwrap();
            assert_eq!(pipeline.described(), described);
        }
    }
}
