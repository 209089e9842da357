//! What is counted of a whole namespace, where an index holds a part of it.

use std::collections::HashMap;

use crate::{
    lexical::{Bm25, Neighbours},
    types::Granularity,
};

/// Counts of a namespace of which only candidates are held, so that their scores are those of an index of everything.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct CollectionStatistics {
    /// Texts by length, each length once.
    pub lengths: Vec<LengthCount>,
    /// Sessions.
    pub sessions: usize,
    /// Who holds the terms of the query.
    pub terms: HashMap<String, HolderCount>,
    /// Who holds two neighbouring terms of the query side by side.
    pub pairs: HashMap<(String, String), HolderCount>,
    /// What the scope of the query admits.
    pub candidates: HolderCount,
    /// Whether candidates were picked by vectors.
    pub vectors: VectorCandidates,
    /// Whether there are cue questions, which are not part of the index.
    pub cues: CueQuestions,
}

/// Texts of one length.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct LengthCount {
    /// Terms of each, repeats included.
    pub terms: u32,
    /// How many there are.
    pub texts: u64,
    /// How many of them are turns.
    pub turns: u64,
    /// Terms of the turns one place away from them, in all.
    pub near: u64,
    /// Terms of the turns two places away from them, in all.
    pub far: u64,
}

/// How many hold something.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct HolderCount {
    /// Turns and notes.
    pub texts: usize,
    /// Sessions.
    pub sessions: usize,
}

/// Whether candidates were picked by vectors.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum VectorCandidates {
    /// The query has none, or the namespace.
    #[default]
    NotAsked,
    /// They were.
    Picked,
    /// The store cannot compare vectors.
    Unavailable,
}

/// Whether a namespace has cue questions that were left out.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum CueQuestions {
    /// It has none.
    #[default]
    None,
    /// It has.
    LeftOut,
}

impl HolderCount {
    /// Turns and notes, or sessions.
    pub fn of(self, unit: Granularity) -> usize {
        match unit {
            Granularity::Turn => self.texts,
            Granularity::Session => self.sessions,
        }
    }
}

impl CollectionStatistics {
    /// Turns and notes.
    pub fn texts(&self) -> usize {
        self.lengths.iter().map(|length| length.texts).sum::<u64>() as usize
    }

    /// Terms of all texts, repeats included.
    pub fn total_terms(&self) -> u64 {
        self.lengths.iter().map(|length| u64::from(length.terms) * length.texts).sum()
    }

    /// Terms of all turns, repeats included.
    pub fn session_terms(&self) -> u64 {
        self.lengths.iter().map(|length| u64::from(length.terms) * length.turns).sum()
    }

    /// Terms of all texts and, weighted, of their neighbours.
    pub fn terms_in_context(&self, neighbours: Neighbours) -> f64 {
        let [near, far] = neighbours.weights;
        let of = |length: &LengthCount| {
            let around = near * length.near as f64 + far * length.far as f64;
            f64::from(length.terms) * length.texts as f64 + neighbours.context_weight(length.terms) * around
        };
        self.lengths.iter().map(of).sum()
    }

    /// The terms to pick candidates by, each with its idf, rarest first: as many as `most` texts hold in all, and the
    /// rarest in any case. A text that holds none but common terms is found by its vector or its neighbours.
    pub fn selective_terms<'t>(&self, terms: &'t [String], most: usize) -> Vec<(&'t str, f64)> {
        let holders = |term: &str| self.terms.get(term).map_or(0, |holders| holders.texts);
        let mut held: Vec<(&str, usize)> =
            terms.iter().map(|term| (term.as_str(), holders(term))).filter(|(_, texts)| *texts > 0).collect();
        held.sort_by_key(|(_, texts)| *texts);
        let (all, mut read) = (self.texts(), 0);
        let fits = |(place, (_, texts)): &(usize, (&str, usize))| {
            read += texts;
            *place == 0 || read <= most
        };
        let chosen = held.into_iter().enumerate().take_while(fits);
        chosen.map(|(_, (term, texts))| (term, Bm25::idf(all, texts))).collect()
    }

    /// Mean terms a text; 1 for an empty collection.
    pub fn mean_length(&self) -> f64 {
        let (texts, terms) = (self.texts(), self.total_terms());
        if terms == 0 { 1.0 } else { terms as f64 / texts as f64 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn statistics(holders: &[(&str, usize)]) -> CollectionStatistics {
        let terms =
            holders.iter().map(|(term, texts)| ((*term).to_owned(), HolderCount { texts: *texts, sessions: 1 }));
        CollectionStatistics {
            // Two texts of 3 terms side by side, and a note of 10.
            lengths: vec![
                LengthCount { terms: 3, texts: 2, turns: 2, near: 6, far: 0 },
                LengthCount { terms: 10, texts: 1, turns: 0, near: 0, far: 0 },
            ],
            terms: terms.collect(),
            ..CollectionStatistics::default()
        }
    }

    #[test]
    fn sums_are_those_of_the_texts() {
        let all = statistics(&[]);
        assert_eq!((all.texts(), all.total_terms(), all.session_terms()), (3, 16, 6));
        let neighbours = Neighbours { weights: [0.5, 0.25], half_length: 3.0 };
        // Each turn of 3 terms takes half of half of its neighbour's 3: 16 + 2 * 0.5 * 0.5 * 3.
        assert!((all.terms_in_context(neighbours) - 17.5).abs() < 1e-12);
    }

    #[test]
    fn the_rarest_terms_pick_and_one_always_does() {
        let all = statistics(&[("rare", 2), ("usual", 50), ("common", 900)]);
        let terms = ["common", "unheld", "usual", "rare"].map(str::to_owned);
        let chosen = |most| all.selective_terms(&terms, most).into_iter().map(|(term, _)| term).collect::<Vec<_>>();
        assert_eq!(chosen(1_000), ["rare", "usual", "common"]);
        assert_eq!(chosen(100), ["rare", "usual"]);
        assert_eq!(chosen(0), ["rare"]);
    }
}
