//! Which texts hold a term, in their own words and in their cue questions.

use crate::{
    index::{HolderCount, Index},
    lexical::Posting,
    pipeline::scope::Candidates,
};

/// A text that holds a term, and how often.
#[derive(Debug, Clone, Copy, PartialEq)]
struct HolderCounts {
    text: u32,
    /// In its own words.
    own: u32,
    /// In its cue questions.
    in_cues: u32,
}

/// Texts that hold a term, by position, in all their words; what their questions count is said when they are counted.
pub(super) struct Holders {
    held: Vec<HolderCounts>,
    /// Who holds it in the whole namespace, where the index holds a part of it.
    whole: Option<HolderCount>,
}

impl Holders {
    /// Texts of the collection, out of postings of all texts and of all questions.
    pub(super) fn of(index: &Index, candidates: &Candidates, own: &[Posting], cues_holding: &[Posting]) -> Self {
        let of_collection = |text: u32| candidates.collection.has(text);
        let own = own.iter().filter(|posting| of_collection(posting.text));
        let mut own = own.map(|posting| HolderCounts { text: posting.text, own: posting.count, in_cues: 0 });
        let Some(owners) = index.cues().filter(|_| !cues_holding.is_empty()).map(|of| of.questions().rows().owners())
        else {
            return Self { held: own.collect(), whole: None };
        };
        let mut with_cues: Vec<HolderCounts> = Vec::new();
        for row in cues_holding {
            let text = owners[row.text as usize];
            // Questions of one text stand together.
            match with_cues.last_mut().filter(|last| last.text == text) {
                Some(last) => last.in_cues += row.count,
                None if of_collection(text) => with_cues.push(HolderCounts { text, own: 0, in_cues: row.count }),
                None => {}
            }
        }
        // And mostly came in the order of the texts.
        if !with_cues.is_sorted_by_key(|held| held.text) {
            with_cues.sort_by_key(|held| held.text);
            with_cues.dedup_by(|next, first| {
                let same = next.text == first.text;
                first.in_cues += if same { next.in_cues } else { 0 };
                same
            });
        }
        let mut held = Vec::with_capacity(with_cues.len());
        let mut next = own.next();
        for cues_holding in with_cues {
            while let Some(before) = next.filter(|own| own.text < cues_holding.text) {
                held.push(before);
                next = own.next();
            }
            let same = next.filter(|own| own.text == cues_holding.text);
            if same.is_some() {
                next = own.next();
            }
            held.push(HolderCounts { own: same.map_or(0, |own| own.own), ..cues_holding });
        }
        held.extend(next.into_iter().chain(own));
        Self { held, whole: None }
    }

    /// The same, with how many hold it in the whole namespace.
    pub(super) fn among(self, whole: Option<HolderCount>) -> Self {
        Self { whole, ..self }
    }

    /// How many hold it at all, where the words of questions have a weight.
    pub(super) fn len(&self, cues: f64) -> usize {
        let held = if cues > 0.0 { self.held.len() } else { self.held.iter().filter(|held| held.own > 0).count() };
        self.whole.map_or(held, |whole| whole.texts.max(held))
    }

    /// How many sessions hold it, of which so many are held.
    pub(super) fn sessions(&self, held: usize) -> usize {
        self.whole.map_or(held, |whole| whole.sessions.max(held))
    }

    /// Who holds it at all, and how often.
    pub(super) fn counted(&self, cues: f64) -> impl Iterator<Item = (u32, f64)> + Clone {
        let count = move |held: &HolderCounts| (held.text, f64::from(held.own) + cues * f64::from(held.in_cues));
        self.held.iter().map(count).filter(|(_, count)| *count > 0.0)
    }

    /// How often a text holds it.
    pub(super) fn count_in(&self, text: u32, cues: f64) -> f64 {
        let place = self.held.binary_search_by_key(&text, |held| held.text);
        place.map_or(0.0, |place| f64::from(self.held[place].own) + cues * f64::from(self.held[place].in_cues))
    }
}

/// Texts of the collection that hold a term, in their own words or in their questions.
pub(super) fn held(index: &Index, candidates: &Candidates, term: &str) -> Holders {
    let cues_holding = index.cues().map(|of| of.questions().postings().of(term));
    Holders::of(index, candidates, index.postings().of(term), cues_holding.unwrap_or_default())
        .among(index.term_holders(term))
}

/// Texts of the collection in which the second of two terms stands right after the first, in the same places.
pub(super) fn held_pair(index: &Index, candidates: &Candidates, pair: &[String]) -> Holders {
    let [first, second] = pair else { return Holders { held: Vec::new(), whole: None } };
    let cues_holding = index.cues().map(|of| of.questions().postings().of_pair(first, second));
    Holders::of(index, candidates, &index.postings().of_pair(first, second), &cues_holding.unwrap_or_default())
        .among(index.pair_holders(first, second))
}
