//! How a candidate came to its lexical score.

use super::{
    bm25_scores::SessionBm25,
    holders::{held, held_pair},
    in_context::InContext,
    leg::LexicalLeg,
    scores::{LEAST, LexicalScores},
};
use crate::{
    analysis::Question,
    explain::{Arithmetic, Explain},
    index::Index,
    lexical::Bm25,
    pipeline::scope::Candidates,
    types::Granularity,
};

impl LexicalLeg {
    /// The parts of a candidate's score, which add up to it; `candidate` is a text position or a session number.
    pub(super) fn explain_parts(
        &self,
        scores: &LexicalScores,
        index: &Index,
        candidates: &Candidates,
        question: &Question,
        unit: Granularity,
        candidate: u32,
    ) -> Vec<Explain> {
        let (weights, scales) = (self.unit_weights(unit), scores.scales);
        let (turn, session, context_weight, scale) = match unit {
            Granularity::Turn => {
                let session = index.documents().session_of(candidate);
                (Some(candidate), session, self.context_weight(index, candidate), 1.0)
            }
            Granularity::Session => {
                (scores.best_turn(candidates.turns_of(index, candidate)), Some(candidate), 1.0, scales.best)
            }
        };
        let mut parts = Vec::new();
        if let Some(text) = turn.filter(|&text| weights.turn > 0.0 && scores.turns[text as usize] > 0.0) {
            let (own, is_floored) = self.explain_turn(scores, index, candidates, question, text, weights.turn / scale);
            match unit {
                Granularity::Turn if !is_floored => parts.extend(own),
                _ => {
                    let label = if unit == Granularity::Turn { "what it keeps of its BM25" } else { "its best turn" };
                    let value = weights.turn / scale * scores.turns[text as usize];
                    parts.push(match is_floored {
                        false => Explain::sum(label, value, own),
                        true => Explain::largest(label, value, own),
                    });
                }
            }
        }
        if let Some(session) = session.filter(|_| weights.session > 0.0) {
            let (bm25, weight) = (scores.bm25.sessions[session as usize], weights.session * context_weight);
            if bm25 > 0.0 {
                let label = if unit == Granularity::Turn { "BM25 of its session" } else { "BM25 of the session" };
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

    /// The parts of a turn's score times `factor`, which add up to it; or, where features take more than BM25
    /// can lose, the share it keeps and the sum, of which the score is the larger.
    fn explain_turn(
        &self,
        scores: &LexicalScores,
        index: &Index,
        candidates: &Candidates,
        question: &Question,
        text: u32,
        factor: f64,
    ) -> (Vec<Explain>, bool) {
        let bm25 = scores.bm25.texts[text as usize] / scores.scales.turn;
        let (score, met) = self.turn(index, text, (bm25, scores.bm25.context_weights[text as usize]), &scores.expected);
        let context_weights = &scores.bm25.context_weights;
        let terms =
            self.explain_words(index, candidates, question, (text, context_weights), factor / scores.scales.turn);
        let words = Explain::sum("BM25 with its neighbours", factor * bm25, terms);
        let features = [
            ("said by whom the query is about", met.speaker_match),
            ("has a time expression", met.time_expression),
            ("is a question", met.question_penalty),
            ("is short", met.short_penalty),
        ];
        let feature_parts = features
            .into_iter()
            .filter(|(_, value)| *value != 0.0)
            .map(|(label, value)| Explain::leaf(label, factor * value));
        let is_floored = score > bm25 + met.total();
        let kept = is_floored.then(|| {
            let how = Arithmetic::Scaled { weight: LEAST, minus: 0.0, over: 1.0 };
            Explain::from_part("the share of its BM25 that it keeps", factor * score, how, words.clone())
        });
        let parts: Vec<Explain> = std::iter::once(words).chain(feature_parts).collect();
        match kept {
            None => (parts, false),
            Some(kept) => {
                let all = Explain::sum("BM25 and features", factor * (bm25 + met.total()), parts);
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
        (text, context_weights): (u32, &[f64]),
        factor: f64,
    ) -> Vec<Explain> {
        let own = candidates.text_statistics(index, self.cues.turn);
        let in_context = InContext::new(self, index, candidates, own, context_weights);
        let terms = question.terms.iter().filter_map(|term| {
            let found = self.occurrence(index, candidates, term, text);
            let value = Bm25::idf(own.texts, found.holders)
                * self.bm25.saturate(found.here + found.around, in_context.norm(text));
            let place = match (found.here > 0.0, found.around > 0.0) {
                (true, false) => "",
                (true, true) => ", also in its neighbours",
                (false, _) => ", in its neighbours only",
            };
            (value > 0.0).then(|| Explain::leaf(format!("{term:?}{place}"), factor * value))
        });
        let bigrams = question.terms.windows(2).filter(|_| self.bigrams > 0.0).filter_map(|pair| {
            let mut scores = vec![0.0; index.documents().len()];
            self.add_pair(index, own, &held_pair(index, candidates, pair), &mut scores);
            let value = scores[text as usize];
            (value > 0.0).then(|| Explain::leaf(side_by_side(pair), factor * value))
        });
        terms.chain(bigrams).collect()
    }

    /// BM25 of each term and pair in a session.
    fn explain_session(
        &self,
        index: &Index,
        candidates: &Candidates,
        question: &Question,
        session: u32,
    ) -> Vec<Explain> {
        let mut words = SessionBm25::new(self, index, candidates);
        let mut scores = vec![0.0; index.documents().sessions().len()];
        let mut parts = Vec::new();
        for term in &question.terms {
            words.add(1.0, &held(index, candidates, term), &mut scores);
            parts.push(Explain::leaf(format!("{term:?}"), std::mem::take(&mut scores[session as usize])));
        }
        for pair in question.terms.windows(2).filter(|_| self.bigrams > 0.0) {
            words.add(self.bigrams, &held_pair(index, candidates, pair), &mut scores);
            parts.push(Explain::leaf(side_by_side(pair), std::mem::take(&mut scores[session as usize])));
        }
        parts.retain(|part| part.value > 0.0);
        parts
    }
}

fn side_by_side(pair: &[String]) -> String {
    format!("\"{}\" side by side", pair.join(" "))
}
