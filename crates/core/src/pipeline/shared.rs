//! What several legs of one request read, made once.

use std::sync::OnceLock;

use super::{cue_terms::CueTerms, request::SearchContext, vectors::Compared};
use crate::lexical::Bm25;

/// How the terms of a query are weighed.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct TermWeights {
    /// BM25's parameters.
    pub bm25: Bm25,
    /// Weight of the BM25 of two neighbouring terms of the query that stand side by side; not negative.
    pub bigrams: f64,
}

/// What legs may read beside the index and the request.
pub(super) trait SharedReads: Sync {
    /// How the pipeline weighs terms.
    fn term_weights(&self) -> TermWeights;

    /// Which cue questions hold the query's terms and, where they count, two of them side by side.
    fn cue_terms(&self) -> &CueTerms<'_>;

    /// The cosines of the request; `None` where vectors are not compared.
    fn compared(&self) -> Option<&Compared>;
}

/// Each piece is made when the first leg asks for it.
pub(super) struct Shared<'a> {
    context: SearchContext<'a>,
    term_weights: TermWeights,
    cue_terms: OnceLock<CueTerms<'a>>,
    compared: OnceLock<Compared>,
}

impl<'a> Shared<'a> {
    /// Nothing is made yet.
    pub(super) fn new(context: SearchContext<'a>, term_weights: TermWeights) -> Self {
        Self { context, term_weights, cue_terms: OnceLock::new(), compared: OnceLock::new() }
    }

    /// Keeps the cosines for the legs that read them.
    pub(super) fn keep(&self, compared: Compared) {
        // They are made once a request.
        let _ = self.compared.set(compared);
    }
}

impl SharedReads for Shared<'_> {
    fn term_weights(&self) -> TermWeights {
        self.term_weights
    }

    fn cue_terms(&self) -> &CueTerms<'_> {
        self.cue_terms.get_or_init(|| {
            let SearchContext { index, request, .. } = self.context;
            CueTerms::of(index, &request.question.terms, self.term_weights.bigrams > 0.0)
        })
    }

    fn compared(&self) -> Option<&Compared> {
        self.compared.get()
    }
}
