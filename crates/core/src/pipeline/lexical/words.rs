//! BM25 of one query over the texts and the sessions of an index.

use super::{LexicalLeg, Mix};
use crate::{
    index::Index,
    lexical::{Bm25, Collection, Posting},
    pipeline::scope::Candidates,
};

/// BM25 of texts, each in its context, and of sessions.
pub(super) struct Words {
    /// By text position.
    pub(super) texts: Vec<f64>,
    /// By session number.
    pub(super) sessions: Vec<f64>,
}

/// A text that holds a term, and how often.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Held {
    pub(super) text: u32,
    /// In its own words.
    own: u32,
    /// In its questions.
    asked: u32,
}

/// Texts that hold a term, by position, in all their words; what their questions count is said when they are counted.
pub(super) struct Holders(Vec<Held>);

impl Holders {
    /// Who holds it at all, and how often, where the words of questions have a weight.
    pub(super) fn counted(&self, cues: f64) -> Vec<(u32, f64)> {
        let count = |held: &Held| (held.text, f64::from(held.own) + cues * f64::from(held.asked));
        self.0.iter().map(count).filter(|(_, count)| *count > 0.0).collect()
    }
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

/// The texts of an index as BM25 sees them: with what their neighbours say.
pub(super) struct InContext<'a> {
    leg: &'a LexicalLeg,
    index: &'a Index,
    candidates: &'a Candidates,
    texts: usize,
    /// Terms of each text and of its neighbours, weighted, over the mean of all.
    relative_lengths: Vec<f64>,
    /// What each text takes of what others lend; empty where none lends.
    openness: Vec<f64>,
    /// Where lenders stand, and what they lend.
    distances: Vec<(i32, f64)>,
}

impl<'a> InContext<'a> {
    pub(super) fn new(leg: &'a LexicalLeg, index: &'a Index, candidates: &'a Candidates, own: Collection) -> Self {
        let lengths = index.postings().lengths();
        let length = |text: u32| match candidates.collection.has(text) {
            true => terms_of(index, leg.cues.turn, text),
            false => 0.0,
        };
        let mut effective: Vec<f64> = (0..lengths.len() as u32).map(length).collect();
        let mut openness = Vec::new();
        if leg.context.is_used() {
            openness.extend(lengths.iter().map(|&terms| leg.context.openness(terms)));
            for session in index.documents().sessions() {
                leg.context.lend(&session.turns, length, |text, lent| {
                    if candidates.collection.has(text) {
                        effective[text as usize] += openness[text as usize] * lent;
                    }
                });
            }
        }
        let total: f64 = effective.iter().sum();
        let mean = if total > 0.0 { total / own.texts as f64 } else { 1.0 };
        effective.iter_mut().for_each(|length| *length /= mean);
        let distances = leg.context.distances().collect();
        Self { leg, index, candidates, texts: own.texts, relative_lengths: effective, openness, distances }
    }

    /// Terms of a text and, weighted, of its neighbours, as a multiple of the mean.
    pub(super) fn relative_length(&self, text: u32) -> f64 {
        self.relative_lengths[text as usize]
    }

    /// Adds one term's scores; `counts` and `touched` are empty room, and are left so.
    fn add_term(&self, holders: &[(u32, f64)], counts: &mut [f64], touched: &mut Vec<u32>, scores: &mut [f64]) {
        let mut count = |text: u32, by: f64| {
            let before = &mut counts[text as usize];
            if *before == 0.0 {
                touched.push(text);
            }
            *before += by;
        };
        for &(text, times) in holders {
            count(text, times);
            // Weights are the same in both directions: who lends to a turn borrows from it.
            for &(distance, weight) in &self.distances {
                let other = self.index.documents().neighbour(text, distance);
                if let Some(other) = other.filter(|&other| self.candidates.collection.has(other)) {
                    count(other, weight * self.openness[other as usize] * times);
                }
            }
        }
        let idf = Bm25::idf(self.texts, holders.len());
        for text in touched.drain(..) {
            let tf = std::mem::take(&mut counts[text as usize]);
            scores[text as usize] += idf * self.leg.bm25.saturate(tf, self.relative_lengths[text as usize]);
        }
    }
}

impl LexicalLeg {
    pub(super) fn openness(&self, index: &Index, text: u32) -> f64 {
        self.context.openness(index.postings().lengths()[text as usize])
    }

    /// What the neighbours of a text lend it, of any count.
    pub(super) fn lent(&self, index: &Index, candidates: &Candidates, text: u32, count: impl Fn(u32) -> f64) -> f64 {
        let other = |distance| index.documents().neighbour(text, distance);
        let there = |&other: &u32| candidates.collection.has(other);
        let lent = |(distance, weight)| Some(weight * count(other(distance).filter(there)?));
        let lent: f64 = self.context.distances().filter_map(lent).sum();
        self.openness(index, text) * lent
    }

    /// How often a text and its neighbours hold a term.
    pub(super) fn occurrence(&self, index: &Index, candidates: &Candidates, term: &str, text: u32) -> Occurrence {
        let holders = held(index, candidates, term).counted(self.cues.turn);
        let count = |text: u32| {
            let place = holders.binary_search_by_key(&text, |(holder, _)| *holder);
            place.map_or(0.0, |place| holders[place].1)
        };
        Occurrence { here: count(text), around: self.lent(index, candidates, text, count), holders: holders.len() }
    }

    /// BM25 of every text and session that the statistics of a query are measured on; of sessions only where `mix` uses them.
    pub(super) fn score_words(&self, index: &Index, candidates: &Candidates, terms: &[String], mix: Mix) -> Words {
        let documents = index.documents();
        let mut words = Words { texts: vec![0.0; documents.len()], sessions: vec![0.0; documents.sessions().len()] };
        let pairs = if self.pairs > 0.0 { terms } else { &[] };
        let terms: Vec<Holders> = terms.iter().map(|term| held(index, candidates, term)).collect();
        let pairs: Vec<Holders> = pairs.windows(2).map(|pair| held_pair(index, candidates, pair)).collect();
        // Turns are scored even where sessions alone count: a session is shown with its best.
        let own = candidates.text_statistics(index, self.cues.turn);
        let in_context = InContext::new(self, index, candidates, own);
        let (mut counts, mut touched) = (vec![0.0; documents.len()], Vec::new());
        for holders in &terms {
            in_context.add_term(&holders.counted(self.cues.turn), &mut counts, &mut touched, &mut words.texts);
        }
        for holders in &pairs {
            self.add_pair(index, own, &holders.counted(self.cues.turn), &mut words.texts);
        }
        if mix.session > 0.0 {
            let mut sessions = SessionWords::new(self, index, candidates);
            terms.iter().for_each(|holders| sessions.add(1.0, holders, &mut words.sessions));
            pairs.iter().for_each(|holders| sessions.add(self.pairs, holders, &mut words.sessions));
        }
        words
    }

    /// Adds the BM25 of two terms side by side in a text; a text of n terms has n - 1 pairs.
    pub(super) fn add_pair(&self, index: &Index, own: Collection, holders: &[(u32, f64)], scores: &mut [f64]) {
        let all = Collection { terms: (own.terms - own.texts as f64).max(0.0), ..own };
        let length = |text: u32| (terms_of(index, self.cues.turn, text) - 1.0).max(0.0);
        self.bm25.add_term(self.pairs, all, holders, length, scores);
    }
}

/// Terms of a text and, weighted, of its questions.
fn terms_of(index: &Index, cues: f64, text: u32) -> f64 {
    let own = f64::from(index.postings().lengths()[text as usize]);
    own + index.cues().map_or(0.0, |of| cues * f64::from(of.questions().terms_of(text)))
}

/// Texts of the collection that hold a term, in their own words or in their questions.
pub(super) fn held(index: &Index, candidates: &Candidates, term: &str) -> Holders {
    let asked = index.cues().map(|of| of.questions().postings().of(term));
    gathered(index, candidates, index.postings().of(term), asked.unwrap_or_default())
}

/// Texts of the collection in which the second of two terms stands right after the first, in the same places.
pub(super) fn held_pair(index: &Index, candidates: &Candidates, pair: &[String]) -> Holders {
    let [first, second] = pair else { return Holders(Vec::new()) };
    let asked = index.cues().map(|of| of.questions().postings().of_pair(first, second));
    gathered(index, candidates, &index.postings().of_pair(first, second), &asked.unwrap_or_default())
}

/// Own and asked postings of texts of the collection, side by side.
fn gathered(index: &Index, candidates: &Candidates, own: &[Posting], asked: &[Posting]) -> Holders {
    let own = own.iter().map(|posting| Held { text: posting.text, own: posting.count, asked: 0 });
    let mut held: Vec<Held> = own.filter(|held| candidates.collection.has(held.text)).collect();
    if let Some(owners) = index.cues().filter(|_| !asked.is_empty()).map(|of| of.questions().rows().owners()) {
        let asked = asked.iter().map(|row| Held { text: owners[row.text as usize], own: 0, asked: row.count });
        held.extend(asked.filter(|held| candidates.collection.has(held.text)));
        held.sort_by_key(|held| held.text);
        held.dedup_by(|next, first| {
            let same = next.text == first.text;
            if same {
                first.asked += next.asked;
            }
            same
        });
    }
    Holders(held)
}

/// The sessions of an index as BM25 sees them: the terms of all their turns.
pub(super) struct SessionWords<'a> {
    leg: &'a LexicalLeg,
    index: &'a Index,
    all: Collection,
    /// Terms of each session.
    lengths: Vec<f64>,
    /// Room to add up a term's counts by session.
    counts: Vec<f64>,
    held: Vec<u32>,
}

impl<'a> SessionWords<'a> {
    pub(super) fn new(leg: &'a LexicalLeg, index: &'a Index, candidates: &'a Candidates) -> Self {
        let sessions = index.documents().sessions().len();
        let lengths: Vec<f64> =
            (0..sessions as u32).map(|session| candidates.terms_of(index, session, leg.cues.session)).collect();
        let all = candidates.session_statistics(index, &lengths);
        Self { leg, index, all, lengths, counts: vec![0.0; sessions], held: Vec::new() }
    }

    /// Sessions of the collection that scores are measured on.
    pub(super) fn len(&self) -> usize {
        self.all.texts
    }

    /// Adds the BM25 of a term, or of a pair, of which the turns that hold it are given.
    pub(super) fn add(&mut self, weight: f64, holders: &Holders, scores: &mut [f64]) {
        let holders = self.by_session(holders);
        self.leg.bm25.add_term(weight, self.all, &holders, |session| self.lengths[session as usize], scores);
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
