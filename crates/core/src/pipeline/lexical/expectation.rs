//! What is expected of the turn that answers, whatever its topic.

use crate::{analysis::Question, index::Index};

/// A turn of so many terms is not brief.
const NOT_BRIEF: f64 = 55.0;

/// How much each expectation counts, in standard deviations of the turns' BM25; not negative.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Expectation {
    /// The turn was said by whom the question is about; see [`Question::is_about`].
    pub speaker: f64,
    /// The question asks when, and the turn names a time.
    pub time: f64,
    /// Taken off a turn that only asks something itself; of a long one, less.
    pub question: f64,
    /// Taken off a turn of few terms, for each factor e that it is below 55.
    pub brief: f64,
}

/// One question's expectations of the turns of an index.
pub(super) struct Expected {
    weights: Expectation,
    asks_when: bool,
    /// By speaker number.
    about: Vec<bool>,
    /// What a turn of so many terms loses for being brief; a longer one than all loses nothing.
    brief: Vec<f64>,
}

/// What one turn meets of them, in standard deviations.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct TurnMet {
    pub(super) speaker: f64,
    pub(super) time: f64,
    pub(super) question: f64,
    pub(super) brief: f64,
}

impl Expectation {
    /// Nothing is expected.
    pub const NONE: Expectation = Expectation { speaker: 0.0, time: 0.0, question: 0.0, brief: 0.0 };

    pub(super) fn of(self, question: &Question, index: &Index) -> Expected {
        let about = if self.speaker > 0.0 { question.is_about(index.documents().speakers()) } else { Vec::new() };
        let brief = |terms: u32| self.brief * (NOT_BRIEF / (1.0 + f64::from(terms))).ln().max(0.0);
        let brief = (0..NOT_BRIEF as u32).map(brief).collect();
        Expected { weights: self, asks_when: question.asks_when, about, brief }
    }
}

impl Expected {
    /// Whether a speaker counts, and the question is about one.
    pub(super) fn is_about_someone(&self) -> bool {
        self.about.contains(&true)
    }

    /// Whether a time counts, and the question asks for one.
    pub(super) fn asks_when(&self) -> bool {
        self.asks_when && self.weights.time > 0.0
    }

    /// `openness` is what the turn takes from others: one that says much is no mere question.
    pub(super) fn met_by(&self, index: &Index, text: u32, openness: f64) -> TurnMet {
        let documents = index.documents();
        let form = documents.form(text);
        let is_about = |speaker: u32| self.about.get(speaker as usize).copied().unwrap_or(false);
        let terms = index.postings().lengths()[text as usize] as usize;
        let of = |weight: f64, holds: bool| if holds { weight } else { 0.0 };
        // A note is brief on purpose, and nobody is expected to have said it.
        let Some(speaker) = documents.speaker_of(text) else {
            return TurnMet { time: of(self.weights.time, self.asks_when && form.tells_when), ..TurnMet::default() };
        };
        TurnMet {
            speaker: of(self.weights.speaker, is_about(speaker)),
            time: of(self.weights.time, self.asks_when && form.tells_when),
            question: -self.weights.question * form.asking() * openness,
            brief: -self.brief.get(terms).copied().unwrap_or(0.0),
        }
    }
}

impl TurnMet {
    pub(super) fn total(self) -> f64 {
        self.speaker + self.time + self.question + self.brief
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        analysis::Analyzer,
        index::IndexSpec,
        store::{IndexRow, IndexSink},
        types::{Kind, Seq},
    };

    const ALL: Expectation = Expectation { speaker: 2.0, time: 0.5, question: 0.8, brief: 0.6 };

    fn met(speaker: Option<&str>, text: &str, question: &str) -> TurnMet {
        let mut index = Index::new(IndexSpec { analyzer: Analyzer::English, encoder: None }, 1);
        let row = IndexRow {
            seq: Seq(1),
            kind: if speaker.is_some() { Kind::Turn } else { Kind::Note },
            conversation: None,
            session: None,
            speaker,
            text,
            image_caption: None,
            said_at: None,
            importance: 0.5,
            vector: None,
        };
        index.row(row).unwrap();
        let question = Question::new(question, Analyzer::English);
        ALL.of(&question, &index).met_by(&index, 0, 0.5)
    }

    #[test]
    fn who_and_when_are_met_and_questions_are_not() {
        let found = met(Some("Ann"), "I flew a kite yesterday", "When did Ann fly a kite?");
        assert_eq!((found.speaker, found.time, found.question), (2.0, 0.5, 0.0));
        // Ann, flew, kite, yesterday
        assert!((found.brief + 0.6 * (55.0f64 / 5.0).ln()).abs() < 1e-12, "{found:?}");

        let found = met(Some("Bo"), "Did you fly a kite?", "When did Ann fly a kite?");
        assert_eq!((found.speaker, found.time, found.question), (0.0, 0.0, -0.8 * 0.5));
    }

    #[test]
    fn a_note_may_be_brief() {
        assert_eq!(met(None, "Ann: no nuts?", "what may Ann eat"), TurnMet::default());
    }
}
