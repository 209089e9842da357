//! The terms of a query, as one candidate sees them, whatever its score.

use super::{bm25_scores::SessionBm25, holders::held, leg::LexicalLeg};
use crate::{
    analysis::Question,
    index::Index,
    lexical::Bm25,
    pipeline::{
        matches::{TermMatch, TermPlace},
        scope::Candidates,
    },
    types::Granularity,
};

impl LexicalLeg {
    /// Every term of the query: missing ones first, each group by falling idf, terms that nobody holds last.
    pub(super) fn term_matches(
        &self,
        index: &Index,
        candidates: &Candidates,
        question: &Question,
        unit: Granularity,
        candidate: u32,
    ) -> Vec<TermMatch> {
        let texts = candidates.text_statistics(index, 0.0).texts;
        let mut sessions = SessionBm25::new(self, index, candidates);
        let matched = |term: &String| {
            let (place, idf, holders) = match unit {
                Granularity::Turn => {
                    let found = self.occurrence(index, candidates, term, candidate);
                    let place = match () {
                        () if found.here > 0.0 => TermPlace::Own,
                        () if found.around > 0.0 => TermPlace::Around,
                        () if self.turns.session > 0.0 && self.shares_session(index, candidates, term, candidate) => {
                            TermPlace::Session
                        }
                        () => TermPlace::Missing,
                    };
                    (place, Bm25::idf(texts, found.holders), found.holders)
                }
                Granularity::Session => {
                    let of_term = held(index, candidates, term);
                    let found = sessions.by_session(&of_term);
                    let has = found.iter().any(|(session, _)| *session == candidate);
                    let holders = of_term.sessions(found.len());
                    let place = if has { TermPlace::Own } else { TermPlace::Missing };
                    (place, Bm25::idf(sessions.len(), holders), holders)
                }
            };
            TermMatch { term: term.clone(), place, idf, holders }
        };
        let mut terms: Vec<TermMatch> = question.terms.iter().map(matched).collect();
        // A term that nobody holds has the highest idf and tells least.
        let unheld = |matched: &TermMatch| matched.holders == 0;
        terms.sort_by(|a, b| a.place.cmp(&b.place).then(unheld(a).cmp(&unheld(b))).then(b.idf.total_cmp(&a.idf)));
        terms
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
