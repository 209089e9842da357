//! What the first hits show.

use serde::{Serialize, Serializer};

use super::people::Named;
use crate::{
    analysis::Question,
    fusion::mean_and_deviation,
    index::Index,
    lexical::Bm25,
    pipeline::{
        legs::{DateLeg, DenseLeg, LexicalLeg, TitleLeg},
        request::{LegHit, Legs},
        scope::Candidates,
    },
    types::Granularity,
};

/// Hits that are looked at, however many are asked for.
pub(in crate::pipeline) const LOOKED_AT: usize = 10;
/// Hits that support each other.
const SUPPORTING: usize = 5;
/// A lead beyond this says no more.
const MOST_LEAD: f64 = 4.0;
/// A rank beyond this says no more, nor does being found by one leg only.
const LAST_RANK: f64 = 1_000.0;

/// One number about a ranking. Shares are of the question's words, each weighted by its rarity (idf), the names of
/// people asked about aside.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Signal {
    /// Share that the first hit holds; of a session, its best turn for that. In [0, 1].
    Coverage,
    /// Mean of that share over the first five hits; in [0, 1].
    Support,
    /// Share of words that nobody ever said; in [0, 1].
    Unknown,
    /// How far the first hit is ahead of the second, in standard deviations of the fused scores; in [0, 4].
    Lead,
    /// 1 where somebody the question names said the first hit, -1 where somebody else did, 0 where it names nobody.
    SaidByNamed,
    /// The most that one by others holds less the most that one by those named holds, of the hits and of the texts with
    /// the best words; in [-1, 1].
    OthersHold,
    /// 1 for sessions, 0 for turns: one that is found is more likely right.
    Sessions,
    /// How well the query names the title of the first hit's session; in [0, 1].
    Titled,
    /// How well the first hit's time fits the dates that the query names; in [0, 1].
    Dated,
    /// Logarithm of the first hit's rank by words; in [0, ln 1000].
    WordsRank,
    /// Logarithm of the first hit's rank by meaning; in [0, ln 1000].
    MeaningRank,
    /// Cosine of the question and the first hit; in [-1, 1].
    Cosine,
    /// Score that the reranker gives the hit that it puts first; in [-30, 30].
    RerankScore,
    /// How far that one is ahead of the next; in [0, 30].
    RerankGap,
    /// How far it is ahead of the mean of the others; in [0, 30].
    RerankLead,
    /// The reranker's logit that the hit that it puts first answers; in [-30, 30].
    RerankAnswer,
    /// The largest such logit of the hits that it was shown; in [-30, 30].
    RerankBestAnswer,
    /// The largest logit that one of them fits the question; in [-30, 30]. What fits and does not answer tells of a matter that was
    /// spoken of, and not of what is asked.
    RerankBestFit,
}

/// What took part in a search, and so which signals it has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Basis {
    /// Whether vectors were compared.
    pub dense: bool,
    /// Whether a reranker ordered the best hits. The other signals are of the order before.
    pub reranked: bool,
}

impl Signal {
    /// All, in the order in which they are reported.
    pub const ALL: [Signal; 18] = [
        Signal::Coverage,
        Signal::Support,
        Signal::Unknown,
        Signal::Lead,
        Signal::SaidByNamed,
        Signal::OthersHold,
        Signal::Sessions,
        Signal::Titled,
        Signal::Dated,
        Signal::WordsRank,
        Signal::MeaningRank,
        Signal::Cosine,
        Signal::RerankScore,
        Signal::RerankGap,
        Signal::RerankLead,
        Signal::RerankAnswer,
        Signal::RerankBestAnswer,
        Signal::RerankBestFit,
    ];

    /// Its name in reports and in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Signal::Coverage => "coverage",
            Signal::Support => "support",
            Signal::Unknown => "unknown",
            Signal::Lead => "lead",
            Signal::SaidByNamed => "said_by_named",
            Signal::OthersHold => "others_hold",
            Signal::Sessions => "sessions",
            Signal::Titled => "titled",
            Signal::Dated => "dated",
            Signal::WordsRank => "words_rank",
            Signal::MeaningRank => "meaning_rank",
            Signal::Cosine => "cosine",
            Signal::RerankScore => "rerank_score",
            Signal::RerankGap => "rerank_gap",
            Signal::RerankLead => "rerank_lead",
            Signal::RerankAnswer => "rerank_answer",
            Signal::RerankBestAnswer => "rerank_best_answer",
            Signal::RerankBestFit => "rerank_best_fit",
        }
    }

    /// Those that a search has, in the order of [`Signal::ALL`].
    pub fn of(basis: Basis) -> impl Iterator<Item = Signal> {
        Self::ALL.into_iter().filter(move |signal| match signal {
            Signal::WordsRank | Signal::MeaningRank | Signal::Cosine => basis.dense,
            Signal::RerankScore
            | Signal::RerankGap
            | Signal::RerankLead
            | Signal::RerankAnswer
            | Signal::RerankBestAnswer
            | Signal::RerankBestFit => basis.reranked,
            _ => true,
        })
    }
}

/// What the first hits of one ranking show; every number is finite.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Signals {
    pub(super) values: [f64; Signal::ALL.len()],
    pub(super) basis: Basis,
}

/// A text that a reader would look at.
#[derive(Debug, Clone, Copy)]
pub(in crate::pipeline) struct Passage {
    pub(in crate::pipeline) text: u32,
    pub(in crate::pipeline) cosine: Option<f64>,
}

/// A ranking and what it was made from.
pub(in crate::pipeline) struct Scene<'a> {
    pub(in crate::pipeline) index: &'a Index,
    pub(in crate::pipeline) candidates: &'a Candidates,
    pub(in crate::pipeline) question: &'a Question,
    pub(in crate::pipeline) unit: Granularity,
    /// What there is to look at of the first [`LOOKED_AT`] hits.
    pub(in crate::pipeline) hits: &'a [Vec<Passage>],
    /// Texts with the best words, whoever said them: a ranking that expects a speaker hides who else spoke of it.
    pub(in crate::pipeline) best_texts: &'a dyn Fn() -> Vec<u32>,
    /// Where the first of them stands in each leg.
    pub(in crate::pipeline) first: &'a Legs,
    /// Fused scores of the pool, in no order.
    pub(in crate::pipeline) scores: &'a [f64],
}

/// A term of the question that can be looked for, and how much it weighs.
struct Weighed {
    term: Option<u32>,
    /// Whether anybody said it, in what is held or not.
    is_known: bool,
    idf: f64,
}

impl Signals {
    /// Measures a ranking; `None` where nothing was found.
    pub(in crate::pipeline) fn of(scene: &Scene<'_>) -> Option<Self> {
        let Scene { index, hits, first, .. } = scene;
        let top = hits.first()?.first()?;
        let passages = || hits.iter().flatten();
        let named = Named::of(scene.question, index);
        let words = weigh(scene, &named);
        let total: f64 = words.iter().map(|word| word.idf).sum();
        let share = |part: f64| if total > 0.0 { part / total } else { 0.0 };
        let held = |text: u32| {
            let holds =
                |term: u32| index.postings().holding(term).binary_search_by_key(&text, |held| held.text).is_ok();
            share(words.iter().filter(|word| word.term.is_some_and(holds)).map(|word| word.idf).sum())
        };
        let most = |hit: &Vec<Passage>| hit.iter().map(|passage| held(passage.text)).fold(0.0, f64::max);
        let supporting = &hits[..hits.len().min(SUPPORTING)];
        let by_words = if named.nobody() { Vec::new() } else { (scene.best_texts)() };
        let best = |by_named: bool| {
            let looked_at = passages().map(|passage| passage.text).chain(by_words.iter().copied());
            let said = looked_at.filter(|&text| named.said(index, text) == by_named);
            said.map(held).fold(0.0, f64::max)
        };
        let value = |signal: Signal| match signal {
            Signal::Coverage => most(&hits[0]),
            Signal::Support => supporting.iter().map(most).sum::<f64>() / supporting.len() as f64,
            Signal::Unknown => share(words.iter().filter(|word| !word.is_known).map(|word| word.idf).sum()),
            Signal::Lead => lead(scene.scores),
            _ if named.nobody() && matches!(signal, Signal::SaidByNamed | Signal::OthersHold) => 0.0,
            Signal::SaidByNamed if named.said(index, top.text) => 1.0,
            Signal::SaidByNamed => -1.0,
            Signal::OthersHold => best(false) - best(true),
            Signal::Sessions => f64::from(u8::from(scene.unit == Granularity::Session)),
            Signal::Titled => fit(first.get(TitleLeg::NAME)),
            Signal::Dated => fit(first.get(DateLeg::NAME)),
            Signal::WordsRank => rank(first.get(LexicalLeg::NAME)),
            Signal::MeaningRank => rank(first.get(DenseLeg::NAME)),
            Signal::Cosine => top.cosine.unwrap_or(0.0),
            Signal::RerankScore | Signal::RerankGap | Signal::RerankLead => 0.0,
            Signal::RerankAnswer | Signal::RerankBestAnswer | Signal::RerankBestFit => 0.0,
        };
        let basis = Basis { dense: first.get(DenseLeg::NAME).is_some(), reranked: false };
        let mut values = [0.0; Signal::ALL.len()];
        for signal in Signal::of(basis) {
            values[signal as usize] = value(signal);
        }
        Some(Self { values, basis })
    }

    /// All of them 0.
    #[cfg(test)]
    pub(super) fn none(basis: Basis) -> Self {
        Self { values: [0.0; Signal::ALL.len()], basis }
    }

    /// One of them; 0 for one that the search does not have.
    pub fn get(&self, signal: Signal) -> f64 {
        self.values[signal as usize]
    }

    /// What took part in the search.
    pub fn basis(&self) -> Basis {
        self.basis
    }

    /// Those there are, in order.
    pub fn iter(&self) -> impl Iterator<Item = (Signal, f64)> + '_ {
        Signal::of(self.basis).map(|signal| (signal, self.get(signal)))
    }

    /// The same with one changed.
    #[cfg(test)]
    pub(super) fn with(mut self, signal: Signal, value: f64) -> Self {
        self.values[signal as usize] = value;
        self
    }
}

impl Serialize for Signals {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.iter().map(|(signal, value)| (signal.name(), value)))
    }
}

/// The question's words without the names of people.
fn weigh(scene: &Scene<'_>, named: &Named) -> Vec<Weighed> {
    let (postings, collection) = (scene.index.postings(), &scene.candidates.collection);
    let texts = scene.candidates.text_statistics(scene.index, 0.0).texts;
    let weighed = |term: &String| {
        let number = postings.number_of(term);
        let holding = number.map_or(0, |number| collection.count(postings.holding(number)));
        let all = scene.index.term_holders(term).map_or(holding, |whole| whole.texts.max(holding));
        // Said only elsewhere is not said here.
        Weighed { term: number.filter(|_| holding > 0), is_known: all > 0, idf: Bm25::idf(texts, all) }
    };
    scene.question.terms.iter().filter(|term| !named.has_term(term)).map(weighed).collect()
}

fn lead(scores: &[f64]) -> f64 {
    let [mut first, mut second] = [f64::NEG_INFINITY; 2];
    for &score in scores {
        (first, second) = if score > first { (score, first) } else { (first, second.max(score)) };
    }
    match mean_and_deviation(scores) {
        (_, Some(deviation)) if scores.len() > 1 => ((first - second) / deviation).clamp(0.0, MOST_LEAD),
        _ => 0.0,
    }
}

fn rank(hit: Option<LegHit>) -> f64 {
    hit.map_or(LAST_RANK, |hit| (hit.rank as f64).min(LAST_RANK)).ln()
}

/// The score of a leg whose scores are fits.
pub(super) fn fit(hit: Option<LegHit>) -> f64 {
    hit.map_or(0.0, |hit| hit.score.clamp(0.0, 1.0))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{
        analysis::Analyzer,
        index::IndexSpec,
        pipeline::{Detail, Pipeline, RankedCandidates, Request, rank},
        store::{IndexRow, IndexSink},
        types::{EncoderId, Kind, Scope, Seq, Unmatched},
    };

    /// Session, speaker and text of each turn; the vectors are the text's length and 1, made unit length.
    fn index(turns: &[(&str, &str, &str)]) -> Index {
        let encoder = Some(EncoderId::new("length@1").unwrap());
        let mut index = Index::new(IndexSpec { analyzer: Analyzer::English, encoder }, 2);
        for (seq, (session, speaker, text)) in (1..).zip(turns) {
            let vector = unit([text.len() as f32, 10.0]);
            let row = IndexRow {
                seq: Seq(seq),
                kind: Kind::Turn,
                conversation: Some("c"),
                session: Some(session),
                speaker: Some(speaker),
                text,
                image_caption: None,
                said_at: None,
                importance: 0.5,
                vectors: Some(&vector),
            };
            index.row(row).unwrap();
        }
        index
    }

    fn unit([x, y]: [f32; 2]) -> [f32; 2] {
        let length = x.hypot(y);
        [x / length, y / length]
    }

    fn ask(index: &Index, question: &str, unit_of: Granularity, k: usize, dense: bool) -> RankedCandidates {
        let question = Question::new(question, Analyzer::English);
        let vector = unit([20.0, 10.0]);
        let request = Request {
            question: &question,
            vector: dense.then_some(&vector[..]),
            unit: unit_of,
            k: k.try_into().unwrap(),
            unmatched: Unmatched::Exclude,
            detail: Detail::Scores,
        };
        let candidates = Candidates::within(index, &Scope::default(), None);
        rank(index, &Pipeline::hybrid(), &candidates, &request, crate::pipeline::Exact::none()).unwrap()
    }

    fn signals(index: &Index, question: &str) -> Signals {
        ask(index, question, Granularity::Turn, 10, false).signals.unwrap()
    }

    const TURNS: [(&str, &str, &str); 6] = [
        ("s1", "Ann", "I planted garlic behind the shed."),
        ("s1", "Bob", "Good. My tomatoes froze last night."),
        ("s1", "Ann", "Sorry to hear that."),
        ("s2", "Bob", "I repaired the red tractor."),
        ("s2", "Ann", "The tractor again!"),
        ("s2", "Bob", "It runs now."),
    ];

    #[test]
    fn what_the_first_hit_holds_is_its_coverage() {
        let all = signals(&index(&TURNS), "garlic shed");
        assert_eq!((all.get(Signal::Coverage), all.get(Signal::Unknown)), (1.0, 0.0));
        let half = signals(&index(&TURNS), "garlic zeppelin");
        // 6 texts: garlic is in 1, a zeppelin in none.
        let (garlic, zeppelin) = (Bm25::idf(6, 1), Bm25::idf(6, 0));
        assert!((half.get(Signal::Coverage) - garlic / (garlic + zeppelin)).abs() < 1e-12);
        assert!((half.get(Signal::Unknown) - zeppelin / (garlic + zeppelin)).abs() < 1e-12);
        assert!(half.get(Signal::Coverage) < all.get(Signal::Coverage));
    }

    #[test]
    fn it_matters_who_said_it() {
        let right = signals(&index(&TURNS), "did Ann plant garlic?");
        assert_eq!((right.get(Signal::SaidByNamed), right.get(Signal::OthersHold)), (1.0, -1.0));
        let wrong = signals(&index(&TURNS), "did Bob plant garlic?");
        assert_eq!(wrong.get(Signal::OthersHold), 1.0, "only Ann said so");
        let nobody = signals(&index(&TURNS), "who planted garlic?");
        let of = |signal| nobody.get(signal);
        assert_eq!((of(Signal::SaidByNamed), of(Signal::OthersHold)), (0.0, 0.0));
        assert_eq!(nobody.get(Signal::Coverage), right.get(Signal::Coverage), "a name is no content");
    }

    #[test]
    fn the_best_match_of_several_names_is_meant() {
        let turns =
            [("s", "Grad A", "The grammar works."), ("s", "Grad B", "The corpus is late."), ("s", "Prof", "Well.")];
        let one = signals(&index(&turns), "what did grad B say of the corpus?");
        assert_eq!(one.get(Signal::SaidByNamed), 1.0);
        let both = signals(&index(&turns), "what did a grad say of the grammar?");
        assert_eq!(both.get(Signal::SaidByNamed), 1.0, "both are named alike");
    }

    #[test]
    fn the_number_of_hits_asked_for_changes_nothing() {
        let index = index(&TURNS);
        for unit in [Granularity::Turn, Granularity::Session] {
            for dense in [true, false] {
                let of = |k| ask(&index, "the tractor of Bob", unit, k, dense);
                assert_eq!(of(1).signals, of(10).signals);
                assert_eq!(of(1).hits.len(), 1);
            }
        }
    }

    #[test]
    fn nothing_found_shows_nothing() {
        assert_eq!(ask(&index(&TURNS), "zeppelin", Granularity::Turn, 10, false).signals, None);
    }

    #[test]
    fn a_search_without_vectors_has_no_cosine() {
        let names = |dense| -> Vec<&str> {
            let found = ask(&index(&TURNS), "tractor", Granularity::Session, 10, dense).signals.unwrap();
            assert_eq!(found.get(Signal::Sessions), 1.0);
            found.iter().map(|(signal, _)| signal.name()).collect()
        };
        assert!(names(true).contains(&"cosine") && !names(false).contains(&"cosine"));
        let json = serde_json::to_value(signals(&index(&TURNS), "tractor")).unwrap();
        assert!(json["coverage"] == 1.0 && json.get("cosine").is_none(), "{json}");
    }

    #[test]
    fn a_lead_is_in_deviations_and_bounded() {
        // Mean 1, deviation sqrt(2).
        assert!((lead(&[0.0, 3.0, 0.0]) - 3.0 / 2f64.sqrt()).abs() < 1e-12);
        assert_eq!((lead(&[1.0, 1.0]), lead(&[5.0]), lead(&[])), (0.0, 0.0, 0.0));
        let far: Vec<f64> = (0..1000).map(|i| if i == 0 { 1e6 } else { 0.0 }).collect();
        assert_eq!(lead(&far), MOST_LEAD);
    }

    proptest! {
        #[test]
        fn every_signal_is_in_its_range(question in "(ann|bob|garlic|tractor|shed|moon|red|runs| ){1,8}", dense in any::<bool>(), sessions in any::<bool>()) {
            let unit = if sessions { Granularity::Session } else { Granularity::Turn };
            for (signal, value) in ask(&index(&TURNS), &question, unit, 3, dense).signals.iter().flat_map(Signals::iter) {
                let (low, high) = match signal {
                    Signal::Lead => (0.0, MOST_LEAD),
                    Signal::WordsRank | Signal::MeaningRank => (0.0, LAST_RANK.ln()),
                    Signal::SaidByNamed | Signal::OthersHold | Signal::Cosine => (-1.0, 1.0),
                    _ => (0.0, 1.0 + 1e-12),
                };
                prop_assert!((low..=high).contains(&value), "{} {value}", signal.name());
            }
        }
    }
}
