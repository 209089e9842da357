//! How a candidate came to its lexical score.

use super::{LexicalLeg, LexicalScores, words};
use crate::{
    analysis::Question, explain::Explain, index::Index, lexical::Bm25, pipeline::scope::Candidates, types::Unit,
};

impl LexicalLeg {
    /// The parts of a candidate's score, which add up to it; `candidate` is a text position or a session number.
    pub(in crate::pipeline) fn explain(
        &self,
        scores: &LexicalScores,
        index: &Index,
        candidates: &Candidates,
        question: &Question,
        unit: Unit,
        candidate: u32,
    ) -> Vec<Explain> {
        let (mix, scales) = (self.mix(unit), scores.scales);
        let (turn, session, openness, scale) = match unit {
            Unit::Turn => {
                let session = index.documents().session_of(candidate);
                (Some(candidate), session, self.openness(index, candidate), 1.0)
            }
            Unit::Session => {
                let turns = candidates.turns_of(index, candidate).iter().copied();
                let better =
                    |a: &u32, b: &u32| scores.turns[*a as usize].total_cmp(&scores.turns[*b as usize]).then(b.cmp(a));
                (turns.max_by(better), Some(candidate), 1.0, scales.best)
            }
        };
        let mut parts = Vec::new();
        if let Some(text) = turn.filter(|_| mix.turn > 0.0) {
            let factor = mix.turn / scale;
            let (own, disappoints) = self.explain_turn(scores, index, candidates, question, text, factor);
            match unit {
                Unit::Turn if !disappoints => parts.extend(own),
                _ => {
                    let label = if unit == Unit::Turn { "all but gone" } else { "its best turn" };
                    parts.push(Explain::derived(label, factor * scores.turns[text as usize], own));
                }
            }
        }
        if let Some(session) = session.filter(|_| mix.session > 0.0) {
            let value = mix.session * openness * scores.words.sessions[session as usize] / scales.session;
            parts.push(Explain::leaf("words of its session", value));
        }
        parts.retain(|part| part.value != 0.0);
        parts
    }

    /// The parts of a turn's score times `factor`; and whether they would go below what words keep at the least.
    fn explain_turn(
        &self,
        scores: &LexicalScores,
        index: &Index,
        candidates: &Candidates,
        question: &Question,
        text: u32,
        factor: f64,
    ) -> (Vec<Explain>, bool) {
        let bm25 = scores.words.texts[text as usize] / scores.scales.words;
        let (score, met) = self.turn(index, text, bm25, &scores.expected);
        let terms = self.explain_words(index, candidates, question, text, factor / scores.scales.words);
        let expectations = [
            ("said by whom it asks about", met.speaker),
            ("says when", met.time),
            ("asks itself", met.question),
            ("is brief", met.brief),
        ];
        let met_parts = expectations
            .into_iter()
            .filter(|(_, value)| *value != 0.0)
            .map(|(label, value)| Explain::leaf(label, factor * value));
        let parts =
            std::iter::once(Explain::derived("its words and those around it", factor * bm25, terms)).chain(met_parts);
        (parts.collect(), score > bm25 + met.total())
    }

    /// BM25 of each term and pair in a text, times `factor`.
    fn explain_words(
        &self,
        index: &Index,
        candidates: &Candidates,
        question: &Question,
        text: u32,
        factor: f64,
    ) -> Vec<Explain> {
        let own = candidates.text_statistics(index);
        let in_context = words::InContext::new(self, index, candidates, own);
        let terms = question.terms.iter().filter_map(|term| {
            let holders = words::held(candidates, index.postings().of(term));
            let count = |text: u32| {
                let place = holders.binary_search_by_key(&text, |holder| holder.text);
                place.map_or(0.0, |place| f64::from(holders[place].count))
            };
            let (here, around) = (count(text), self.lent(index, candidates, text, count));
            let value = Bm25::idf(own.texts, holders.len())
                * self.bm25.saturate(here + around, in_context.relative_length(text));
            let place = match (here > 0.0, around > 0.0) {
                (true, false) => "",
                (true, true) => ", also around it",
                (false, _) => ", around it only",
            };
            (value > 0.0).then(|| Explain::leaf(format!("{term:?}{place}"), factor * value))
        });
        let pairs = question.terms.windows(2).filter(|_| self.pairs > 0.0).filter_map(|pair| {
            let mut scores = vec![0.0; index.documents().len()];
            self.add_pair(index, own, &words::held_pair(index, candidates, pair), &mut scores);
            let value = scores[text as usize];
            (value > 0.0).then(|| Explain::leaf(format!("\"{} {}\" side by side", pair[0], pair[1]), factor * value))
        });
        terms.chain(pairs).collect()
    }
}
