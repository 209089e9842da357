//! How a candidate came to its lexical score.

use super::{
    LEAST, LexicalLeg, LexicalScores,
    holders::{held, held_pair},
    in_context::InContext,
    words::SessionWords,
};
use crate::{
    analysis::Question,
    explain::{Arithmetic, Explain},
    index::Index,
    lexical::Bm25,
    pipeline::scope::Candidates,
    types::Unit,
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
                (scores.best_turn(candidates.turns_of(index, candidate)), Some(candidate), 1.0, scales.best)
            }
        };
        let mut parts = Vec::new();
        if let Some(text) = turn.filter(|&text| mix.turn > 0.0 && scores.turns[text as usize] > 0.0) {
            let (own, disappoints) = self.explain_turn(scores, index, candidates, question, text, mix.turn / scale);
            match unit {
                Unit::Turn if !disappoints => parts.extend(own),
                _ => {
                    let label = if unit == Unit::Turn { "all but gone" } else { "its best turn" };
                    let value = mix.turn / scale * scores.turns[text as usize];
                    parts.push(match disappoints {
                        false => Explain::sum(label, value, own),
                        true => Explain::largest(label, value, own),
                    });
                }
            }
        }
        if let Some(session) = session.filter(|_| mix.session > 0.0) {
            let (bm25, weight) = (scores.words.sessions[session as usize], mix.session * openness);
            if bm25 > 0.0 {
                let label = if unit == Unit::Turn { "words of its session" } else { "its words" };
                let own = Explain::sum(label, bm25, self.explain_session(index, candidates, question, session));
                parts.push(if weight == 1.0 && scales.session == 1.0 {
                    own
                } else {
                    let how = Arithmetic::Scaled { weight, minus: 0.0, over: scales.session };
                    Explain::from_part(label, weight * bm25 / scales.session, how, own)
                });
            }
        }
        parts
    }

    /// The parts of a turn's score times `factor`, which add up to it; or, where they would go below what words
    /// keep at the least, that and their sum, of which the score is the larger.
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
        let (score, met) = self.turn(index, text, (bm25, scores.words.openness[text as usize]), &scores.expected);
        let openness = &scores.words.openness;
        let terms = self.explain_words(index, candidates, question, (text, openness), factor / scores.scales.words);
        let words = Explain::sum("its words and those around it", factor * bm25, terms);
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
        let disappoints = score > bm25 + met.total();
        let kept = disappoints.then(|| {
            let how = Arithmetic::Scaled { weight: LEAST, minus: 0.0, over: 1.0 };
            Explain::from_part("kept of its words at the least", factor * score, how, words.clone())
        });
        let parts: Vec<Explain> = std::iter::once(words).chain(met_parts).collect();
        match kept {
            None => (parts, false),
            Some(kept) => {
                let all = Explain::sum("words and expectations", factor * (bm25 + met.total()), parts);
                (vec![kept, all], true)
            }
        }
    }

    /// BM25 of each term and pair in a text, times `factor`.
    fn explain_words(
        &self,
        index: &Index,
        candidates: &Candidates,
        question: &Question,
        (text, openness): (u32, &[f64]),
        factor: f64,
    ) -> Vec<Explain> {
        let own = candidates.text_statistics(index, self.cues.turn);
        let in_context = InContext::new(self, index, candidates, own, openness);
        let terms = question.terms.iter().filter_map(|term| {
            let found = self.occurrence(index, candidates, term, text);
            let value = Bm25::idf(own.texts, found.holders)
                * self.bm25.saturate(found.here + found.around, in_context.norm(text));
            let place = match (found.here > 0.0, found.around > 0.0) {
                (true, false) => "",
                (true, true) => ", also around it",
                (false, _) => ", around it only",
            };
            (value > 0.0).then(|| Explain::leaf(format!("{term:?}{place}"), factor * value))
        });
        let pairs = question.terms.windows(2).filter(|_| self.pairs > 0.0).filter_map(|pair| {
            let mut scores = vec![0.0; index.documents().len()];
            self.add_pair(index, own, &held_pair(index, candidates, pair), &mut scores);
            let value = scores[text as usize];
            (value > 0.0).then(|| Explain::leaf(side_by_side(pair), factor * value))
        });
        terms.chain(pairs).collect()
    }

    /// BM25 of each term and pair in a session.
    fn explain_session(
        &self,
        index: &Index,
        candidates: &Candidates,
        question: &Question,
        session: u32,
    ) -> Vec<Explain> {
        let mut words = SessionWords::new(self, index, candidates);
        let mut scores = vec![0.0; index.documents().sessions().len()];
        let mut parts = Vec::new();
        for term in &question.terms {
            words.add(1.0, &held(index, candidates, term), &mut scores);
            parts.push(Explain::leaf(format!("{term:?}"), std::mem::take(&mut scores[session as usize])));
        }
        for pair in question.terms.windows(2).filter(|_| self.pairs > 0.0) {
            words.add(self.pairs, &held_pair(index, candidates, pair), &mut scores);
            parts.push(Explain::leaf(side_by_side(pair), std::mem::take(&mut scores[session as usize])));
        }
        parts.retain(|part| part.value > 0.0);
        parts
    }
}

fn side_by_side(pair: &[String]) -> String {
    format!("\"{}\" side by side", pair.join(" "))
}
