//! BM25 of one query over the texts and the sessions of an index.

use super::{
    holders::{Holders, held},
    in_context::{InContext, terms_of},
    leg::{LexicalLeg, UnitWeights},
};
use crate::{
    index::Index,
    lexical::{Collection, Posting},
    pipeline::{cue_terms::CueTerms, scope::Candidates},
};

/// BM25 of texts, each in its context, and of sessions.
pub(super) struct Bm25Scores {
    /// By text position.
    pub(super) texts: Vec<f64>,
    /// By session number.
    pub(super) sessions: Vec<f64>,
    /// By text position: the weight of its neighbours.
    pub(super) context_weights: Vec<f64>,
}

/// How often a term occurs, as one text sees it.
pub(super) struct Occurrence {
    /// In the text itself.
    pub(super) here: f64,
    /// In its neighbours, weighted.
    pub(super) around: f64,
    /// In how many texts of the collection.
    pub(super) holders: usize,
}

impl LexicalLeg {
    pub(super) fn context_weight(&self, index: &Index, text: u32) -> f64 {
        self.neighbours.context_weight(index.postings().lengths()[text as usize])
    }

    /// What the neighbours of a text add to a count of its own.
    pub(super) fn shared(&self, index: &Index, candidates: &Candidates, text: u32, count: impl Fn(u32) -> f64) -> f64 {
        let other = |distance| index.documents().neighbour(text, distance);
        let there = |&other: &u32| candidates.collection.has(other);
        let share = |(distance, weight)| Some(weight * count(other(distance).filter(there)?));
        let sum: f64 = self.neighbours.distances().filter_map(share).sum();
        self.context_weight(index, text) * sum
    }

    /// How often a text and its neighbours hold a term.
    pub(super) fn occurrence(&self, index: &Index, candidates: &Candidates, term: &str, text: u32) -> Occurrence {
        let holders = held(index, candidates, term);
        let count = |text: u32| holders.count_in(text, self.cues.turn);
        let around = self.shared(index, candidates, text, count);
        Occurrence { here: count(text), around, holders: holders.len(self.cues.turn) }
    }

    /// BM25 of every text and session that statistics are measured on; of sessions only where they have a weight.
    pub(super) fn score_words(
        &self,
        index: &Index,
        candidates: &Candidates,
        (terms, cue_terms): (&[String], &CueTerms<'_>),
        weights: UnitWeights,
    ) -> Bm25Scores {
        let (postings, of) =
            (index.postings(), |own: &[Posting], cue: &[Posting]| Holders::of(index, candidates, own, cue));
        let bigrams = if self.bigrams > 0.0 { terms } else { &[] };
        let bigrams = bigrams.windows(2).zip(&cue_terms.bigrams);
        let bigrams: Vec<Holders> = bigrams
            .map(|(pair, cue)| {
                of(&postings.of_pair(&pair[0], &pair[1]), cue).among(index.pair_holders(&pair[0], &pair[1]))
            })
            .collect();
        let terms: Vec<Holders> = terms
            .iter()
            .zip(&cue_terms.terms)
            .map(|(term, cue)| of(postings.of(term), cue).among(index.term_holders(term)))
            .collect();
        // Turns are scored even where sessions alone count: a session is shown with its best turns.
        let own = candidates.text_statistics(index, self.cues.turn);
        let context_weights = self.neighbours.context_weights(postings.lengths());
        let mut in_context = InContext::new(self, index, candidates, own, &context_weights);
        terms.iter().for_each(|holders| in_context.add_term(holders));
        let mut texts = in_context.scores();
        bigrams.iter().for_each(|holders| self.add_pair(index, own, holders, &mut texts));
        let mut sessions = vec![0.0; index.documents().sessions().len()];
        if weights.session > 0.0 {
            let mut of_sessions = SessionBm25::new(self, index, candidates);
            terms.iter().for_each(|holders| of_sessions.add(1.0, holders, &mut sessions));
            bigrams.iter().for_each(|holders| of_sessions.add(self.bigrams, holders, &mut sessions));
        }
        Bm25Scores { texts, sessions, context_weights }
    }

    /// Adds the BM25 of two terms side by side in a text; a text of n terms has n - 1 bigrams.
    pub(super) fn add_pair(&self, index: &Index, own: Collection, holders: &Holders, scores: &mut [f64]) {
        let all = Collection { terms: (own.terms - own.texts as f64).max(0.0), ..own };
        let mean = all.mean_length();
        let norm = |text: u32| self.bm25.norm((terms_of(index, self.cues.turn, text) - 1.0).max(0.0) / mean);
        let holders = (holders.len(self.cues.turn), holders.counted(self.cues.turn));
        self.bm25.add_term(self.bigrams, all.texts, holders, norm, scores);
    }
}

/// The sessions of an index as BM25 sees them: the terms of all their turns.
pub(super) struct SessionBm25<'a> {
    leg: &'a LexicalLeg,
    index: &'a Index,
    all: Collection,
    /// What the terms of each session come to in BM25.
    norms: Vec<f64>,
    /// Room to add up a term's counts by session.
    counts: Vec<f64>,
    held: Vec<u32>,
}

impl<'a> SessionBm25<'a> {
    pub(super) fn new(leg: &'a LexicalLeg, index: &'a Index, candidates: &'a Candidates) -> Self {
        let sessions = index.documents().sessions().len();
        let lengths: Vec<f64> =
            (0..sessions as u32).map(|session| candidates.terms_of(index, session, leg.cues.session)).collect();
        let all = candidates.session_statistics(index, &lengths);
        let mean = all.mean_length();
        let norms = lengths.into_iter().map(|length| leg.bm25.norm(length / mean)).collect();
        Self { leg, index, all, norms, counts: vec![0.0; sessions], held: Vec::new() }
    }

    /// Sessions of the collection that scores are measured on.
    pub(super) fn len(&self) -> usize {
        self.all.texts
    }

    /// Adds the BM25 of a term, or of a pair, of which the turns that hold it are given.
    pub(super) fn add(&mut self, weight: f64, holders: &Holders, scores: &mut [f64]) {
        let held = self.by_session(holders);
        let holders = (holders.sessions(held.len()), held.into_iter());
        self.leg.bm25.add_term(weight, self.all.texts, holders, |session| self.norms[session as usize], scores);
    }

    /// The sessions of turns that hold a term, each with its count.
    pub(super) fn by_session(&mut self, holders: &Holders) -> Vec<(u32, f64)> {
        for (text, times) in holders.counted(self.leg.cues.session) {
            if let Some(session) = self.index.documents().session_of(text) {
                let count = &mut self.counts[session as usize];
                if *count == 0.0 {
                    self.held.push(session);
                }
                *count += times;
            }
        }
        self.held.drain(..).map(|session| (session, std::mem::take(&mut self.counts[session as usize]))).collect()
    }
}
