//! Which cue questions hold the terms of a query.

use crate::{index::Index, lexical::Posting};

/// Postings of the query's terms among the cue questions, and of two neighbouring terms side by side.
///
/// Rows of [`crate::index::Questions`], of any collection; none where there are no questions.
pub(super) struct CueTerms<'a> {
    pub(super) terms: Vec<&'a [Posting]>,
    pub(super) bigrams: Vec<Vec<Posting>>,
}

impl<'a> CueTerms<'a> {
    /// Looks `terms` up, and with `bigrams` every two neighbours among them.
    pub(super) fn of(index: &'a Index, terms: &[String], bigrams: bool) -> Self {
        let postings = index.cues().map(|of| of.questions().postings());
        let of = |term: &String| postings.map_or(&[][..], |postings| postings.of(term));
        let pair = |pair: &[String]| match (pair, postings) {
            ([first, second], Some(postings)) => postings.of_pair(first, second),
            _ => Vec::new(),
        };
        let paired = if bigrams { terms } else { &[] };
        Self { terms: terms.iter().map(of).collect(), bigrams: paired.windows(2).map(pair).collect() }
    }
}
