//! Which terms of a query each text holds.

use std::collections::HashSet;

use crate::{
    index::{CueIndex, Index},
    lexical::{Bm25, Postings},
    pipeline::{request::SearchContext, shared::TermWeights},
};

/// Terms of a query that are told apart; a longer one is looked at by its first.
const TERMS: usize = 64;

/// The terms of a query, and the texts that hold them.
pub(super) struct HeldTerms {
    /// Weight of each term by rarity; 0 for one that nobody said.
    pub(super) idf: Vec<f64>,
    /// Terms that are no name of a speaker, as bits.
    content: u64,
    /// By text position: the terms it holds, as bits.
    texts: Vec<u64>,
    /// By session number.
    sessions: Vec<u64>,
    /// By text position: BM25 of its own words.
    pub(super) bm25: Vec<f64>,
    /// By text position: query terms in it, repeats included.
    pub(super) counts: Vec<u32>,
    /// By text position: pairs of neighbouring query terms side by side.
    pub(super) bigrams: Vec<u32>,
    /// Share of the terms that nobody said, by number.
    pub(super) unknown: f64,
}

impl HeldTerms {
    pub(super) fn of(context: SearchContext<'_>, weights: TermWeights) -> Self {
        let SearchContext { index, candidates, request } = context;
        let (postings, texts) = (index.postings(), index.documents().len());
        let terms = &request.question.terms[..request.question.terms.len().min(TERMS)];
        let statistics = candidates.text_statistics(index, 0.0);
        let mean = statistics.mean_length();
        let names = names(context);
        let mut held = Self {
            idf: Vec::with_capacity(terms.len()),
            content: 0,
            texts: vec![0; texts],
            sessions: vec![0; index.documents().sessions().len()],
            bm25: vec![0.0; texts],
            counts: vec![0; texts],
            bigrams: vec![0; texts],
            unknown: 0.0,
        };
        for (bit, term) in terms.iter().enumerate() {
            let found = postings.of(term).iter().filter(|posting| candidates.collection.has(posting.text));
            let holders = match index.term_holders(term) {
                Some(whole) => whole.texts,
                None => found.clone().count(),
            };
            let idf = if holders > 0 { Bm25::idf(statistics.texts, holders) } else { 0.0 };
            held.unknown += if holders > 0 { 0.0 } else { 1.0 / terms.len() as f64 };
            held.idf.push(idf);
            held.content |= u64::from(!names.contains(term)) << bit;
            for posting in found {
                let at = posting.text as usize;
                let norm = weights.bm25.norm(f64::from(postings.lengths()[at]) / mean);
                held.texts[at] |= 1 << bit;
                held.counts[at] += posting.count;
                held.bm25[at] += idf * weights.bm25.saturate(f64::from(posting.count), norm);
                if let Some(session) = index.documents().session_of(posting.text) {
                    held.sessions[session as usize] |= 1 << bit;
                }
            }
        }
        for pair in terms.windows(2) {
            postings.of_pair(&pair[0], &pair[1]).iter().for_each(|posting| held.bigrams[posting.text as usize] += 1);
        }
        held
    }

    /// Terms that a text holds, as bits.
    pub(super) fn text(&self, text: u32) -> u64 {
        self.texts[text as usize]
    }

    /// Terms that a session holds, as bits.
    pub(super) fn session(&self, session: u32) -> u64 {
        self.sessions[session as usize]
    }

    /// Share of all terms, by idf.
    pub(super) fn share_of_all(&self, held: u64) -> f64 {
        self.share(held, u64::MAX)
    }

    /// Share of the terms that are no name of a speaker, by idf.
    pub(super) fn coverage(&self, held: u64) -> f64 {
        self.share(held, self.content)
    }

    fn share(&self, held: u64, counted: u64) -> f64 {
        let sum = |bits: u64| {
            let counts = |(bit, idf): (usize, &f64)| if bits >> bit & 1 == 1 { *idf } else { 0.0 };
            self.idf.iter().enumerate().map(counts).sum::<f64>()
        };
        let all = sum(counted);
        if all > 0.0 { sum(held & counted) / all } else { 0.0 }
    }

    /// What some held terms weigh as a share of what the query and a text weigh together, by the idf of the text's kind;
    /// in [0, 1].
    pub(super) fn overlap(&self, bits: u64, terms: &[u32], postings: &Postings) -> f64 {
        if bits == 0 {
            return 0.0;
        }
        let texts = postings.lengths().len();
        let whole: f64 = terms.iter().map(|&term| Bm25::idf(texts, postings.holding(term).len())).sum();
        let shared: f64 = self.idf.iter().enumerate().filter(|(bit, _)| bits >> bit & 1 == 1).map(|(_, idf)| idf).sum();
        let all = self.idf.iter().sum::<f64>() + whole;
        if all > 0.0 { (2.0 * shared / all).min(1.0) } else { 0.0 }
    }

    /// Largest idf of some terms; 0 without any.
    pub(super) fn rarest(&self, held: u64) -> f64 {
        let idf = self.idf.iter().enumerate().filter(|(bit, _)| held >> bit & 1 == 1).map(|(_, idf)| *idf);
        idf.fold(0.0, f64::max)
    }

    /// The known term of the largest idf that is no name, as a bit; 0 where there is none.
    pub(super) fn rarest_term(&self) -> u64 {
        let terms = self.idf.iter().enumerate().filter(|(bit, idf)| self.content >> bit & 1 == 1 && **idf > 0.0);
        terms.max_by(|a, b| a.1.total_cmp(b.1).then(b.0.cmp(&a.0))).map_or(0, |(bit, _)| 1 << bit)
    }
}

/// The terms of a query that cue questions hold.
pub(super) struct HeldByCues {
    /// By text position: terms of the query in its questions, as bits.
    pub(super) terms: Vec<u64>,
    /// By text position: the largest overlap of the query and one of its questions.
    pub(super) overlap: Vec<f64>,
}

impl HeldByCues {
    pub(super) fn of(context: SearchContext<'_>, cues: &CueIndex, held: &HeldTerms) -> Self {
        let (questions, texts) = (cues.questions(), context.index.documents().len());
        let mut rows = vec![0u64; questions.rows().len()];
        for (bit, term) in context.request.question.terms.iter().take(TERMS).enumerate() {
            questions.postings().of(term).iter().for_each(|posting| rows[posting.text as usize] |= 1 << bit);
        }
        let mut found = Self { terms: vec![0; texts], overlap: vec![0.0; texts] };
        for (row, (&bits, &text)) in rows.iter().zip(questions.rows().owners()).enumerate() {
            if bits != 0 && context.candidates.collection.has(text) {
                let terms = questions.postings().terms_of(row as u32);
                let overlap = held.overlap(bits, terms, questions.postings());
                let best = &mut found.overlap[text as usize];
                *best = best.max(overlap);
                found.terms[text as usize] |= bits;
            }
        }
        found
    }
}

/// Terms of the query that are names of speakers.
fn names(context: SearchContext<'_>) -> Vec<String> {
    let (index, question): (&Index, _) = (context.index, context.request.question);
    let content = question.terms_of(&question.without_names(index.documents().speakers()), index.spec().analyzer);
    let content: HashSet<&String> = content.iter().collect();
    question.terms.iter().filter(|term| !content.contains(term)).cloned().collect()
}
