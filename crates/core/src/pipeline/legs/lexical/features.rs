//! Features of the turn that answers, whatever its topic.

use crate::{analysis::Question, index::Index};

/// A turn of so many terms is not short.
const NOT_SHORT: f64 = 55.0;

/// Weight of each feature, in standard deviations of the turns' BM25; not negative.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct AnswerFeatures {
    /// Added to a turn said by whom the query is about; see [`Question::is_about`].
    pub speaker_match: f64,
    /// Added to a turn with a time expression where the query asks when.
    pub time_expression: f64,
    /// Taken off a turn that is only a question; the less, the longer it is.
    pub question_penalty: f64,
    /// Taken off a short turn, for each factor e that its terms are below 55.
    pub short_penalty: f64,
}

/// The features that one query leads one to expect of the turns of an index.
pub(super) struct ExpectedFeatures {
    weights: AnswerFeatures,
    asks_when: bool,
    /// By speaker number.
    about: Vec<bool>,
    /// By number of terms; longer turns lose nothing.
    short_penalty: Vec<f64>,
}

/// What the features of one turn add, in standard deviations.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct TurnFeatures {
    pub(super) speaker_match: f64,
    pub(super) time_expression: f64,
    pub(super) question_penalty: f64,
    pub(super) short_penalty: f64,
}

impl AnswerFeatures {
    /// Features do not count.
    pub const NONE: AnswerFeatures =
        AnswerFeatures { speaker_match: 0.0, time_expression: 0.0, question_penalty: 0.0, short_penalty: 0.0 };

    pub(super) fn of(self, question: &Question, index: &Index) -> ExpectedFeatures {
        let about = if self.speaker_match > 0.0 { question.is_about(index.documents().speakers()) } else { Vec::new() };
        let penalty = |terms: u32| self.short_penalty * (NOT_SHORT / (1.0 + f64::from(terms))).ln().max(0.0);
        let short_penalty = (0..NOT_SHORT as u32).map(penalty).collect();
        ExpectedFeatures { weights: self, asks_when: question.asks_when, about, short_penalty }
    }
}

impl ExpectedFeatures {
    /// Whether speakers count, and the query is about one.
    pub(super) fn is_about_someone(&self) -> bool {
        self.about.contains(&true)
    }

    /// Whether time expressions count, and the query asks for one.
    pub(super) fn asks_when(&self) -> bool {
        self.asks_when && self.weights.time_expression > 0.0
    }

    /// `context_weight` is that of the turn's neighbours: it falls with the turn's length, and so does the penalty of a
    /// question.
    pub(super) fn of_turn(&self, index: &Index, text: u32, context_weight: f64) -> TurnFeatures {
        let documents = index.documents();
        let form = documents.form(text);
        let is_about = |speaker: u32| self.about.get(speaker as usize).copied().unwrap_or(false);
        let terms = index.postings().lengths()[text as usize] as usize;
        let of = |weight: f64, holds: bool| if holds { weight } else { 0.0 };
        let time_expression = of(self.weights.time_expression, self.asks_when && form.tells_when);
        // A note has no speaker, and is short on purpose.
        let Some(speaker) = documents.speaker_of(text) else {
            return TurnFeatures { time_expression, ..TurnFeatures::default() };
        };
        TurnFeatures {
            speaker_match: of(self.weights.speaker_match, is_about(speaker)),
            time_expression,
            question_penalty: -self.weights.question_penalty * form.asking() * context_weight,
            short_penalty: -self.short_penalty.get(terms).copied().unwrap_or(0.0),
        }
    }
}

impl TurnFeatures {
    pub(super) fn total(self) -> f64 {
        self.speaker_match + self.time_expression + self.question_penalty + self.short_penalty
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

    const ALL: AnswerFeatures =
        AnswerFeatures { speaker_match: 2.0, time_expression: 0.5, question_penalty: 0.8, short_penalty: 0.6 };

    fn met(speaker: Option<&str>, text: &str, question: &str) -> TurnFeatures {
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
            vectors: None,
        };
        index.row(row).unwrap();
        let question = Question::new(question, Analyzer::English);
        ALL.of(&question, &index).of_turn(&index, 0, 0.5)
    }

    #[test]
    fn who_and_when_are_met_and_questions_are_not() {
        let found = met(Some("Ann"), "I flew a kite yesterday", "When did Ann fly a kite?");
        assert_eq!((found.speaker_match, found.time_expression, found.question_penalty), (2.0, 0.5, 0.0));
        // Ann, flew, kite, yesterday
        assert!((found.short_penalty + 0.6 * (55.0f64 / 5.0).ln()).abs() < 1e-12, "{found:?}");

        let found = met(Some("Bo"), "Did you fly a kite?", "When did Ann fly a kite?");
        assert_eq!((found.speaker_match, found.time_expression, found.question_penalty), (0.0, 0.0, -0.8 * 0.5));
    }

    #[test]
    fn a_note_may_be_brief() {
        assert_eq!(met(None, "Ann: no nuts?", "what may Ann eat"), TurnFeatures::default());
    }
}
