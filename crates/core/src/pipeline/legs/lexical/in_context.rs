//! Turns as BM25 sees them: with the words of their neighbours.

use pulp::Arch;

use super::{holders::Holders, leg::LexicalLeg};
use crate::{
    index::{Documents, Index},
    lexical::{Bm25, Collection, Neighbours, REACH},
    pipeline::scope::Candidates,
};

/// A term is common where more than one text in so many holds it.
const COMMON: usize = 32;

/// The texts of an index as BM25 sees them, with what their neighbours say; and their scores.
///
/// Each text has a slot. Those of a session are contiguous and in order, with empty slots around them: a neighbour so many
/// places away is so many slots away.
pub(super) struct InContext<'a> {
    leg: &'a LexicalLeg,
    texts: usize,
    /// The slot of each text.
    slots: Vec<u32>,
    /// By slot: weight of a text's neighbours; 0 in empty slots.
    context_weights: Vec<f64>,
    /// By slot: what a text's terms and those of its neighbours, weighted, come to in BM25.
    norms: Vec<f64>,
    /// By slot: how often a text holds the term at hand; 0 between two terms.
    counts: Vec<f64>,
    /// Slots with a count, of a rare term.
    touched: Vec<usize>,
    /// By slot.
    scores: Vec<f64>,
}

impl<'a> InContext<'a> {
    /// `context_weights` is by text position; scores are 0.
    pub(super) fn new(
        leg: &'a LexicalLeg,
        index: &Index,
        candidates: &Candidates,
        own: Collection,
        context_weights: &[f64],
    ) -> Self {
        let (slots, room) = slots(index.documents());
        let (mut lengths, mut open) = (vec![0.0; room], vec![0.0; room]);
        for (text, &slot) in (0u32..).zip(&slots).filter(|(text, _)| candidates.collection.has(*text)) {
            lengths[slot as usize] = terms_of(index, leg.cues.turn, text);
            open[slot as usize] = context_weights[text as usize];
        }
        let mut norms = vec![0.0; room];
        Arch::new().dispatch(|| add_neighbours(leg.neighbours, &lengths, &open, &mut norms));
        let total: f64 = match index.collection() {
            None => slots.iter().map(|&slot| norms[slot as usize]).sum(),
            Some(whole) => whole.terms_in_context(leg.neighbours),
        };
        let mean = Collection { terms: total, ..own }.mean_length();
        norms.iter_mut().for_each(|length| *length = leg.bm25.norm(*length / mean));
        let zeros = || vec![0.0; room];
        let (counts, scores) = (zeros(), zeros());
        Self { leg, texts: own.texts, slots, context_weights: open, norms, counts, touched: Vec::new(), scores }
    }

    /// What the length of a text, and of its neighbours, comes to in BM25.
    pub(super) fn norm(&self, text: u32) -> f64 {
        self.norms[self.slots[text as usize] as usize]
    }

    /// Adds the BM25 of one term.
    pub(super) fn add_term(&mut self, holders: &Holders) {
        let holding = holders.len(self.leg.cues.turn);
        if holding == 0 {
            return;
        }
        let idf = Bm25::idf(self.texts, holding);
        match holding > self.slots.len() / COMMON {
            true => self.add_common_term(idf, holders),
            false => self.add_rare_term(idf, holders),
        }
    }

    /// Goes through all slots in their order.
    fn add_common_term(&mut self, idf: f64, holders: &Holders) {
        for (text, times) in holders.counted(self.leg.cues.turn) {
            self.counts[self.slots[text as usize] as usize] = times;
        }
        let Self { leg, context_weights, norms, counts, scores, .. } = self;
        Arch::new().dispatch(|| score(leg, idf, (context_weights, norms, counts), scores));
        counts.fill(0.0);
    }

    /// Goes from each holder to its neighbours; the same numbers, bit for bit.
    fn add_rare_term(&mut self, idf: f64, holders: &Holders) {
        let weights = by_distance(self.leg.neighbours);
        for (text, times) in holders.counted(self.leg.cues.turn) {
            let first = self.slots[text as usize] as usize - REACH;
            // Weights are the same in both directions.
            for (slot, weight) in (first..).zip(weights) {
                let takes = if slot == first + REACH { 1.0 } else { weight * self.context_weights[slot] };
                self.counts[slot] += takes * times;
                self.touched.push(slot);
            }
        }
        for slot in self.touched.drain(..) {
            let tf = std::mem::take(&mut self.counts[slot]);
            if tf > 0.0 {
                self.scores[slot] += idf * self.leg.bm25.saturate(tf, self.norms[slot]);
            }
        }
    }

    /// Scores by text position.
    pub(super) fn scores(&self) -> Vec<f64> {
        self.slots.iter().map(|&slot| self.scores[slot as usize]).collect()
    }
}

/// The slot of each text, and how many slots there are.
fn slots(documents: &Documents) -> (Vec<u32>, usize) {
    let mut room = REACH;
    let mut take = |texts: usize| {
        let first = room as u32;
        room += texts + REACH;
        first
    };
    if !documents.has_asides() {
        let firsts: Vec<u32> = documents.sessions().iter().map(|session| take(session.turns.len())).collect();
        let slot = |text: u32| match documents.in_session(text) {
            Some((session, place)) => firsts[session as usize] + place as u32,
            None => take(1),
        };
        return ((0..documents.len() as u32).map(slot).collect(), room);
    }
    // What stands aside has a slot of its own, as a note has.
    let said = |turns: &[u32]| turns.iter().filter(|turn| !documents.is_aside(**turn)).count();
    let mut next: Vec<u32> = documents.sessions().iter().map(|session| take(said(&session.turns))).collect();
    let slot = |text: u32| match documents.session_of(text).filter(|_| !documents.is_aside(text)) {
        Some(session) => {
            let next = &mut next[session as usize];
            *next += 1;
            *next - 1
        }
        None => take(1),
    };
    ((0..documents.len() as u32).map(slot).collect(), room)
}

/// Weights of the neighbours from the first to the last, the turn itself between them.
fn by_distance(neighbours: Neighbours) -> [f64; 2 * REACH + 1] {
    let [near, far] = neighbours.weights;
    [far, near, 1.0, near, far]
}

/// Adds the weighted lengths of neighbours to each length, but for the slots at both ends.
#[inline(always)]
fn add_neighbours(neighbours: Neighbours, lengths: &[f64], context_weights: &[f64], sums: &mut [f64]) {
    let [near, far] = neighbours.weights;
    let windows = lengths.windows(2 * REACH + 1);
    for ((window, open), sum) in windows.zip(&context_weights[REACH..]).zip(&mut sums[REACH..]) {
        *sum = window[2] + open * (near * (window[1] + window[3]) + far * (window[0] + window[4]));
    }
}

/// Adds a term's BM25 to the scores, all by slot.
#[inline(always)]
fn score(leg: &LexicalLeg, idf: f64, (context_weights, norms, counts): (&[f64], &[f64], &[f64]), scores: &mut [f64]) {
    let [near, far] = leg.neighbours.weights;
    let windows = counts.windows(2 * REACH + 1).zip(&context_weights[REACH..]).zip(&norms[REACH..]);
    for (((window, open), norm), score) in windows.zip(&mut scores[REACH..]) {
        let (near, far) = (near * open, far * open);
        let tf = far * window[0] + near * window[1] + window[2] + near * window[3] + far * window[4];
        let adds = idf * leg.bm25.saturate(tf, *norm);
        // Without lengths that count, nothing is divided by nothing.
        *score += if tf > 0.0 { adds } else { 0.0 };
    }
}

/// Terms of a text and, weighted, of its questions.
pub(super) fn terms_of(index: &Index, cues: f64, text: u32) -> f64 {
    let own = f64::from(index.postings().lengths()[text as usize]);
    own + index.cues().map_or(0.0, |of| cues * f64::from(of.questions().terms_of(text)))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{
        analysis::Analyzer,
        index::IndexSpec,
        pipeline::{Pipeline, legs::lexical::holders::held},
        store::{IndexRow, IndexSink},
        types::{Kind, Scope, Seq, SessionId},
    };

    fn lexical() -> LexicalLeg {
        *Pipeline::hybrid().leg::<LexicalLeg>().unwrap()
    }

    /// Turns of three sessions as they came, 3 for a note, 4 more for what a tool did, with words of a small vocabulary.
    fn index(texts: &[(u8, Vec<u8>)]) -> Index {
        let mut index = Index::new(IndexSpec { analyzer: Analyzer::English, encoder: None }, 1);
        for (seq, (session, words)) in (1..).zip(texts) {
            let text: Vec<&str> = words.iter().map(|word| ["kite", "boat", "drum"][*word as usize]).collect();
            let place = session % 4;
            let row = IndexRow {
                seq: Seq(seq),
                kind: if place < 3 { Kind::Turn } else { Kind::Note },
                conversation: (place < 3).then_some("talk"),
                session: ["one", "two", "three"].get(place as usize).copied(),
                speaker: (*session >= 4 && place < 3).then_some("tool"),
                text: &text.join(" "),
                image_caption: None,
                said_at: None,
                importance: 0.5,
                vectors: None,
            };
            index.row(row).unwrap();
        }
        index
    }

    proptest! {
        #[test]
        fn both_ways_give_what_each_turn_and_its_neighbours_hold(
            texts in prop::collection::vec((0u8..8, prop::collection::vec(0u8..3, 0..5)), 1..30), part in 0u8..4,
        ) {
            let index = index(&texts);
            let leg = lexical();
            let session = ["one", "two", "three"].get(part as usize).map(|name| SessionId::new(*name).unwrap());
            let candidates = Candidates::within(&index, &Scope { session, ..Scope::default() }, None);
            let own = candidates.text_statistics(&index, 0.0);
            let context_weights = leg.neighbours.context_weights(index.postings().lengths());
            let new = || InContext::new(&leg, &index, &candidates, own, &context_weights);
            let (mut common, mut rare) = (new(), new());
            for term in ["kite", "boat"] {
                let holders = held(&index, &candidates, term);
                common.add_common_term(0.7, &holders);
                rare.add_rare_term(0.7, &holders);
            }
            prop_assert_eq!(common.scores(), rare.scores());
            for &text in &candidates.texts {
                let one_by_one: f64 = ["kite", "boat"].iter().map(|term| {
                    let found = leg.occurrence(&index, &candidates, term, text);
                    0.7 * leg.bm25.saturate(found.here + found.around, common.norm(text))
                }).sum();
                prop_assert!((common.scores()[text as usize] - one_by_one).abs() < 1e-12);
            }
        }

        #[test]
        fn a_length_includes_those_of_neighbours(
            texts in prop::collection::vec((0u8..8, prop::collection::vec(0u8..3, 0..5)), 1..30),
        ) {
            let index = index(&texts);
            let leg = lexical();
            let candidates = Candidates::within(&index, &Scope::default(), None);
            let own = candidates.text_statistics(&index, 0.0);
            let context_weights = leg.neighbours.context_weights(index.postings().lengths());
            let in_context = InContext::new(&leg, &index, &candidates, own, &context_weights);
            let terms = |text: u32| f64::from(index.postings().lengths()[text as usize]);
            let length = |text: u32| terms(text) + leg.shared(&index, &candidates, text, terms);
            let all = 0..texts.len() as u32;
            let mean = all.clone().map(length).sum::<f64>() / texts.len() as f64;
            for text in all {
                let expected = leg.bm25.norm(if mean > 0.0 { length(text) / mean } else { 0.0 });
                prop_assert!((in_context.norm(text) - expected).abs() < 1e-12);
            }
        }
    }
}
