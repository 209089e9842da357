//! How a question and its candidates are written for a cross-encoder that learned from such pairs (ConvMemory v2, section 4).

use std::{fmt, str::FromStr};

use super::RerankCandidate;
use crate::{
    analysis::Analyzer,
    snippet::{Excerpt, Highlighter},
    types::UnknownChoice,
};

/// How a question and a candidate are written for the cross-encoder.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PairForm {
    /// `MEMORY_TIME: 12. Ann: We moved.`, the form of the paper.
    Turn,
    /// The same, and then the turn before and the turn after: `MEMORY_TIME: 12. Ann: We moved. BEFORE: Ben: Where do you
    /// live? AFTER: Ben: Oh!` What is too long for the model is cut at the end.
    Dialogue,
    /// The same, but of a long turn its first words and the part that has most of the question's words, so that what answers is
    /// read wherever it stands: `MEMORY_TIME: 13. Ben: A plan for the move: … Ask the landlord for the keys by May. …`
    Excerpt,
}

/// A candidate as it is written.
#[derive(Debug, Clone, PartialEq)]
pub struct Passage {
    /// What the model reads, or the beginning of it.
    pub text: String,
    /// Bytes of it that are the candidate's own turn; what stands around the turn follows them.
    own: usize,
    /// How much of the turn these bytes hold, from 0 to 1.
    holds: f64,
}

impl Passage {
    /// How much of the candidate's turn was read, from 0 to 1, where so many bytes of the passage were.
    pub fn share_read(&self, bytes: usize) -> f64 {
        if bytes < self.own { self.holds * bytes as f64 / self.own as f64 } else { self.holds }
    }
}

impl PairForm {
    /// How many turns around a candidate it takes.
    pub fn neighbours(self) -> u32 {
        match self {
            Self::Turn => 0,
            Self::Dialogue | Self::Excerpt => 1,
        }
    }

    /// The question, asked after the latest of the candidates.
    pub fn query(self, query: &str, candidates: &[RerankCandidate]) -> String {
        let latest = candidates.iter().map(|candidate| candidate.position).max().unwrap_or_default();
        format!("QUERY_TIME: {latest}. {query}")
    }

    /// The candidates of a question. A part of a long one is chosen by words that few of the others have.
    pub fn passages(self, query: &str, candidates: &[RerankCandidate]) -> Vec<Passage> {
        let excerpts = match self {
            Self::Excerpt => excerpts(query, candidates),
            Self::Turn | Self::Dialogue => vec![None; candidates.len()],
        };
        let written = candidates.iter().zip(excerpts);
        written.map(|(candidate, excerpt)| self.passage(candidate, excerpt)).collect()
    }

    fn passage(self, candidate: &RerankCandidate, excerpt: Option<Excerpt>) -> Passage {
        let (turn, holds) = match excerpt {
            Some(Excerpt { text, share }) => (text, share),
            None => (candidate.text.clone(), 1.0),
        };
        let mut text = format!("MEMORY_TIME: {}. {turn}", candidate.position);
        let own = text.len();
        if self != Self::Turn {
            let around = [("BEFORE", candidate.before.last()), ("AFTER", candidate.after.first())];
            for (mark, neighbour) in around.into_iter().filter_map(|(mark, of)| Some((mark, of?))) {
                text.push_str(&format!(" {mark}: {neighbour}"));
            }
        }
        Passage { text, own, holds }
    }
}

/// An excerpt of each candidate that is long.
fn excerpts(query: &str, candidates: &[RerankCandidate]) -> Vec<Option<Excerpt>> {
    let analyzer = Analyzer::English;
    let terms = analyzer.query_terms(query).into_iter().map(|term| (term, 1.0));
    let mut highlighter = Highlighter::new(analyzer, terms);
    highlighter.weigh_by_rarity(candidates.iter().map(|candidate| candidate.text.as_str()));
    candidates.iter().map(|candidate| highlighter.excerpt(&candidate.text)).collect()
}

impl fmt::Display for PairForm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Turn => "turn",
            Self::Dialogue => "dialogue",
            Self::Excerpt => "excerpt",
        })
    }
}

impl FromStr for PairForm {
    type Err = UnknownChoice;

    fn from_str(word: &str) -> Result<Self, UnknownChoice> {
        match word {
            "turn" => Ok(Self::Turn),
            "dialogue" => Ok(Self::Dialogue),
            "excerpt" => Ok(Self::Excerpt),
            _ => {
                Err(UnknownChoice { what: "form of pairs", found: word.into(), expected: "turn, dialogue or excerpt" })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn candidate(position: u64, text: &str) -> RerankCandidate {
        let around = |text: &str| vec![text.to_owned()];
        RerankCandidate {
            text: text.to_owned(),
            position,
            before: around("Ben: And then?"),
            after: around("Ben: Oh!"),
            ..RerankCandidate::default()
        }
    }

    /// An answer whose third part of four is about the keys.
    fn long_answer() -> String {
        let filling = "Pack the kitchen last and label every box on two sides. ".repeat(8);
        format!("Ben: A plan for the move. {filling}Ask the landlord for the keys by May. {filling}")
    }

    #[test]
    fn a_short_turn_is_written_as_in_a_dialogue() {
        let candidates = [candidate(7, "Ann: We moved."), candidate(9, "Ann: To Lyon.")];
        let written = |form: PairForm| form.passages("Where did Ann move?", &candidates);
        assert_eq!(written(PairForm::Excerpt), written(PairForm::Dialogue));
        assert_eq!(
            written(PairForm::Excerpt)[0].text,
            "MEMORY_TIME: 7. Ann: We moved. BEFORE: Ben: And then? AFTER: Ben: Oh!"
        );
    }

    #[test]
    fn of_a_long_turn_the_part_with_the_words_of_the_question_is_written() {
        let long = long_answer();
        let candidates = [candidate(13, &long), candidate(14, "Ann: The boxes.")];
        let [passage, _] = &PairForm::Excerpt.passages("when do I ask for the keys", &candidates)[..] else { panic!() };
        let Passage { text, own, .. } = passage;
        assert!(text.starts_with("MEMORY_TIME: 13. Ben: A plan for the move. "), "{text}");
        assert!(text[..*own].contains("Ask the landlord for the keys by May."), "{text}");
        assert!(text.ends_with(" \u{2026} BEFORE: Ben: And then? AFTER: Ben: Oh!"), "{text}");
        let shown = text[..*own].len() as f64 / long.len() as f64;
        assert!((passage.share_read(usize::MAX) - shown).abs() < 0.05, "{shown}");
        assert!(*own < 400, "{text}");
    }

    #[test]
    fn a_long_turn_without_a_word_of_the_question_is_written_from_its_beginning() {
        let candidates = [candidate(13, &long_answer())];
        let passages = PairForm::Excerpt.passages("zeppelin", &candidates);
        assert!(passages[0].text.starts_with("MEMORY_TIME: 13. Ben: A plan for the move. Pack the kitchen last"));
    }

    #[test]
    fn a_word_that_few_candidates_have_chooses_the_part() {
        let boxes = "Ann: Every box and every label. ".repeat(20);
        let candidates = [candidate(1, &long_answer()), candidate(2, &boxes), candidate(3, &boxes)];
        let passages = PairForm::Excerpt.passages("landlord boxes labels", &candidates);
        assert!(passages[0].text.contains("Ask the landlord"), "{}", passages[0].text);
    }

    #[test]
    fn the_share_that_was_read_is_of_the_whole_turn() {
        let passage = Passage { text: "MEMORY_TIME: 1. abcd AFTER: Ben: Oh!".to_owned(), own: 20, holds: 0.5 };
        assert_eq!([0, 10, 20, 30].map(|bytes| passage.share_read(bytes)), [0.0, 0.25, 0.5, 0.5]);
    }

    #[test]
    fn forms_are_read_as_they_are_written() {
        for form in [PairForm::Turn, PairForm::Dialogue, PairForm::Excerpt] {
            assert_eq!(form.to_string().parse(), Ok(form));
        }
        assert!("session".parse::<PairForm>().unwrap_err().to_string().contains("turn, dialogue or excerpt"));
    }
}
