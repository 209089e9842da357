//! What of a question one candidate has and lacks, whatever its score.

use std::fmt;

use serde::Serialize;

use super::{LexicalLeg, LexicalScores, holders::held, words::SessionWords};
use crate::{analysis::Question, index::Index, lexical::Bm25, pipeline::scope::Candidates, types::Unit};

/// A term of the question, as one candidate sees it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Word {
    /// The term, as the analyzer makes it.
    pub term: String,
    /// Where it stands.
    pub place: WordPlace,
    /// What it is worth: BM25's weight of it, never negative.
    pub idf: f64,
    /// How many texts hold it, or sessions for [`Unit::Session`], of those it is weighed on.
    pub holders: usize,
}

/// Where a term stands, as one candidate sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum WordPlace {
    /// Nowhere that counts for the candidate.
    Missing,
    /// Only elsewhere in the turn's session.
    Session,
    /// Only in the turns around it.
    Around,
    /// In the turn, note or session itself.
    Own,
}

/// What a question leads one to expect of the turn that answers it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Expects {
    /// It was said by whom the question is about.
    Speaker,
    /// It names a time.
    Time,
    /// It is no question itself.
    Statement,
    /// It says more than a few words.
    Length,
    /// It was said when the question says.
    Date,
}

/// What one candidate meets of an expectation.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Met {
    /// What is expected; of a session, of its best turn.
    pub expects: Expects,
    /// Whether it is met, a date at least nearly.
    pub met: bool,
    /// What that adds, in standard deviations: of the fused scores for a date, else of the turns' BM25. An
    /// expectation adds nothing to a turn without any word of the question, and there never takes the last of
    /// what its words count.
    pub adds: f64,
    /// What it would add at best.
    pub at_best: f64,
}

impl fmt::Display for Expects {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Expects::Speaker => "said by whom the question is about",
            Expects::Time => "names a time",
            Expects::Statement => "is no question itself",
            Expects::Length => "says more than a few words",
            Expects::Date => "said when the question says",
        })
    }
}

impl LexicalLeg {
    /// Every term of the question, those that are missing first, the most valuable in front, nobody's last.
    pub(in crate::pipeline) fn words(
        &self,
        index: &Index,
        candidates: &Candidates,
        question: &Question,
        unit: Unit,
        candidate: u32,
    ) -> Vec<Word> {
        let texts = candidates.text_statistics(index, 0.0).texts;
        let mut sessions = SessionWords::new(self, index, candidates);
        let word = |term: &String| {
            let (place, idf, holders) = match unit {
                Unit::Turn => {
                    let found = self.occurrence(index, candidates, term, candidate);
                    let place = match () {
                        () if found.here > 0.0 => WordPlace::Own,
                        () if found.around > 0.0 => WordPlace::Around,
                        () if self.turns.session > 0.0 && self.shares_session(index, candidates, term, candidate) => {
                            WordPlace::Session
                        }
                        () => WordPlace::Missing,
                    };
                    (place, Bm25::idf(texts, found.holders), found.holders)
                }
                Unit::Session => {
                    let holders = sessions.by_session(&held(index, candidates, term));
                    let has = holders.iter().any(|(session, _)| *session == candidate);
                    let place = if has { WordPlace::Own } else { WordPlace::Missing };
                    (place, Bm25::idf(sessions.len(), holders.len()), holders.len())
                }
            };
            Word { term: term.clone(), place, idf, holders }
        };
        let mut words: Vec<Word> = question.terms.iter().map(word).collect();
        // A word that nobody has is worth most and helps least.
        let nobodys = |word: &Word| word.holders == 0;
        words.sort_by(|a, b| a.place.cmp(&b.place).then(nobodys(a).cmp(&nobodys(b))).then(b.idf.total_cmp(&a.idf)));
        words
    }

    /// What the question leads one to expect of a turn, or of a session's best one; nothing of a session whose
    /// turns have no word of it.
    pub(in crate::pipeline) fn expectations(
        &self,
        scores: &LexicalScores,
        index: &Index,
        candidates: &Candidates,
        unit: Unit,
        candidate: u32,
    ) -> Vec<Met> {
        let counts = |text: u32| scores.turns[text as usize] > 0.0;
        let text = match unit {
            Unit::Turn => Some(candidate),
            Unit::Session => scores.best_turn(candidates.turns_of(index, candidate)).filter(|&text| counts(text)),
        };
        let Some(text) = text.filter(|_| self.mix(unit).turn > 0.0) else { return Vec::new() };
        let met = scores.expected.met_by(index, text, self.openness(index, text));
        let weights = self.expectation;
        [
            (scores.expected.is_about_someone(), Expects::Speaker, met.speaker, weights.speaker),
            (scores.expected.asks_when(), Expects::Time, met.time, weights.time),
            (weights.question > 0.0, Expects::Statement, met.question, 0.0),
            (weights.brief > 0.0, Expects::Length, met.brief, 0.0),
        ]
        .into_iter()
        .filter(|(expected, ..)| *expected)
        .map(|(_, expects, adds, at_best)| Met {
            expects,
            met: adds == at_best,
            // A -0.0 would be printed as one.
            adds: if counts(text) { adds + 0.0 } else { 0.0 },
            at_best,
        })
        .collect()
    }

    /// Whether a turn of the session of `text` holds a term.
    fn shares_session(&self, index: &Index, candidates: &Candidates, term: &str, text: u32) -> bool {
        let documents = index.documents();
        let session = documents.session_of(text);
        let held = held(index, candidates, term);
        let mut turns = held.counted(self.cues.session);
        session.is_some() && turns.any(|(text, _)| documents.session_of(text) == session)
    }
}
