//! How sure a search is: a calibrated probability from what the first hits show.
//!
//! [`Signals`] are measured on a ranking, a few numbers that a person could check; a [`Model`] weighs them. The
//! coefficients that ship are in one file and come from `aforesaid-studies confidence`.

mod coefficients;
mod model;
mod people;
mod reranked;
mod signals;

pub use coefficients::shipped;
pub use model::{Model, Target};
pub use signals::{Basis, Signal, Signals};
pub(super) use signals::{LOOKED_AT, Passage, Scene};

use serde::Serialize;

use super::request::Legs;
use crate::rerank::CandidateScore;

/// How sure a search is of its answer.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize)]
pub struct Confidence {
    /// That the first hit answers the question; in [0, 1], and 0 without hits.
    pub probability: f64,
    /// The same for people.
    pub word: Word,
    /// That the question can be answered from what was searched, by whichever hit; in [0, 1], and 0 without hits.
    pub answerable: f64,
    /// What both were made from, where it was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub signals: Option<Signals>,
}

/// A probability in a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Word {
    /// Below 0.15.
    #[default]
    None,
    /// Below 0.35.
    Weak,
    /// Below 0.6.
    Fair,
    /// Below 0.9, or where the first hit does not stand out.
    Good,
    /// From 0.9, where the first hit stands out.
    Strong,
}

impl Confidence {
    /// The confidence that the shipped model takes from what the first hits show; none where there are none.
    pub fn of(signals: Option<Signals>) -> Self {
        let Some(measured) = &signals else { return Self::default() };
        let probability = shipped(Target::FirstHit, measured.basis()).probability(measured);
        let answerable = shipped(Target::Answerable, measured.basis()).probability(measured);
        Self { probability, word: Word::of(probability, measured), answerable, signals }
    }

    /// The confidence in the hit that the shipped evidence reranker puts first, and that there is an answer: by what it says of
    /// the best hits, best first, and by where the legs put that first one. Without vectors it is what it was: that was not
    /// fitted. Where the query names the title of the first hit's session it is no less than it was: then the chat is meant, and
    /// no turn of it answers anything.
    pub fn reranked(self, first_hit: &Legs, scored: &[CandidateScore]) -> Self {
        let Some(signals) = self.signals.filter(|signals| signals.basis().dense) else { return self };
        let signals = signals.reranked(first_hit, scored);
        let after = Self::of(Some(signals));
        if signals.get(Signal::Titled) < Word::NAMED {
            return after;
        }
        let probability = self.probability.max(after.probability);
        let answerable = self.answerable.max(after.answerable);
        Self { probability, word: Word::of(probability, &signals), answerable, ..after }
    }
}

impl Word {
    /// The least probability of [`Word::Strong`].
    pub const STRONG: f64 = 0.9;
    /// Share of the question by which a first hit that stands out is ahead of the mean of the first hits.
    const AHEAD: f64 = 0.2;
    /// How well a query names a title that it means.
    const NAMED: f64 = 0.8;

    /// The word for a probability, where the first hits show these signals.
    ///
    /// A first hit stands out that holds clearly more of the question's words than the hits after it do, or whose
    /// session's title the query names: where others hold as much, a large probability is right less often
    /// (docs/decisions/0009). A reranker has read the hits, so that its scores say what stands out.
    pub fn of(probability: f64, signals: &Signals) -> Self {
        let ahead = signals.get(Signal::Coverage) - signals.get(Signal::Support);
        let is_named = signals.get(Signal::Titled) >= Self::NAMED;
        let stands_out = ahead >= Self::AHEAD || is_named || signals.basis().reranked;
        match probability {
            p if p >= Self::STRONG && stands_out => Word::Strong,
            p if p >= 0.6 => Word::Good,
            p if p >= 0.35 => Word::Fair,
            p if p >= 0.15 => Word::Weak,
            _ => Word::None,
        }
    }
}

impl std::fmt::Display for Word {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(match self {
            Word::None => "none",
            Word::Weak => "weak",
            Word::Fair => "fair",
            Word::Good => "good",
            Word::Strong => "strong",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        pipeline::{legs::TitleLeg, request::LegHit},
        rerank::Logits,
    };

    #[test]
    fn no_hit_is_no_confidence() {
        let none = Confidence::of(None);
        assert_eq!((none.probability, none.word, none.answerable), (0.0, Word::None, 0.0));
    }

    #[test]
    fn a_word_grows_with_the_probability() {
        let standing_out = Signals::none(Basis { dense: true, reranked: false })
            .with(Signal::Coverage, 0.9)
            .with(Signal::Support, 0.5);
        let words: Vec<Word> = (0..=100).map(|percent| Word::of(f64::from(percent) / 100.0, &standing_out)).collect();
        assert!(words.is_sorted());
        let begins = [0, 15, 35, 60, 90].map(|percent| words[percent]);
        assert_eq!(begins, [Word::None, Word::Weak, Word::Fair, Word::Good, Word::Strong]);
        assert_eq!([14, 34, 59, 89].map(|percent| words[percent]), begins[..4]);
        assert_eq!(format!("{:>6}|{}", words[40], words[0]), "  fair|none");
    }

    #[test]
    fn a_title_that_is_named_loses_nothing_to_the_reranker() {
        let no_answer = [CandidateScore {
            score: Some(0.0),
            logits: Some(Logits { fits: 0.0, answers: -8.0 }),
            ..CandidateScore::default()
        }];
        let plain = Signals::none(Basis { dense: true, reranked: false }).with(Signal::Cosine, 0.9);
        let (plain, titled) = (Confidence::of(Some(plain)), Confidence::of(Some(plain.with(Signal::Titled, 1.0))));
        let of_title = Legs(vec![(TitleLeg::NAME, LegHit { rank: 1, score: 1.0 })]);
        let after = |before: Confidence| before.reranked(&of_title, &no_answer);
        let (plain, of_another) =
            (plain.reranked(&Legs::default(), &no_answer), titled.reranked(&Legs::default(), &no_answer));
        assert_eq!(plain, of_another, "the hit that is first now is not of that session");
        assert!(plain.probability < titled.probability && plain.answerable < titled.answerable);
        assert_eq!((after(titled).probability, after(titled).answerable), (titled.probability, titled.answerable));
        assert_eq!(after(titled).word, titled.word);
    }

    #[test]
    fn only_what_stands_out_is_strong() {
        let alike = Signals::none(Basis { dense: true, reranked: false })
            .with(Signal::Coverage, 0.9)
            .with(Signal::Support, 0.8);
        assert_eq!(Word::of(0.95, &alike), Word::Good);
        assert_eq!(Word::of(0.95, &alike.with(Signal::Support, 0.6)), Word::Strong);
        assert_eq!(Word::of(0.95, &alike.with(Signal::Titled, 1.0)), Word::Strong);
        assert_eq!(Word::of(0.89, &alike.with(Signal::Titled, 1.0)), Word::Good);
        assert_eq!(
            Word::of(
                0.95,
                &alike
                    .reranked(&Legs::default(), &[CandidateScore { score: Some(1.0), ..CandidateScore::default() }; 2])
            ),
            Word::Strong,
            "the reranker has read them"
        );
    }
}
