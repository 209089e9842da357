//! The leg `cue_bm25`: each cue question is a text of its own, and a candidate takes its best by BM25 (ROXY, section 3.2).

use std::sync::Arc;

use crate::{
    analysis::Analyzer,
    error::StoreError,
    lexical::{LengthCache, Posting},
    pipeline::{
        best_rows::{Best, BestRows, zero},
        leg::{Column, Leg, LegInput, LegReader},
        request::SearchContext,
        scope::Texts,
    },
    types::CueId,
};

/// BM25 of the best cue question; a candidate without any scores 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CueBm25Leg;

/// Reads `cue_bm25`.
pub(super) const READER: LegReader = LegReader { word: "cue_bm25", read: |call| LegReader::plain(call, CueBm25Leg) };

impl Leg for CueBm25Leg {
    fn name(&self) -> &'static str {
        "cue_bm25"
    }

    fn form(&self, _analyzer: Analyzer) -> String {
        self.name().to_owned()
    }

    fn score(&self, input: &LegInput<'_>) -> Result<Option<Box<dyn Column>>, StoreError> {
        Ok(best(input).map(|best| Box::new(CueBm25(best)) as Box<dyn Column>))
    }
}

struct CueBm25(Best);

impl Column for CueBm25 {
    fn scores(&self) -> &[f64] {
        &self.0.units
    }

    fn floor(&self) -> Option<f64> {
        Some(0.0)
    }

    fn turn_scores(&self, turns: &[u32]) -> Option<Vec<f64>> {
        Some(self.0.of_texts(turns))
    }

    fn best_cue(&self, context: SearchContext<'_>, texts: &[u32]) -> Option<Option<CueId>> {
        Some(self.0.cue(context.index, texts))
    }
}

/// The best question of each candidate; `None` where there are no questions.
fn best(input: &LegInput<'_>) -> Option<Best> {
    let SearchContext { index, candidates, request } = input.context;
    let questions = index.cues()?.questions();
    let (weights, terms) = (input.shared.term_weights(), input.shared.cue_terms());
    let (lengths, owners) = (questions.postings().lengths(), questions.rows().owners());
    let collection = candidates.question_statistics(index);
    let mut scores = vec![0.0; lengths.len()];
    let mean = collection.mean_length();
    let norms = LengthCache::new(lengths.len(), |terms| weights.bm25.norm(f64::from(terms) / mean));
    let mut add = |weight: f64, rows: &[Posting]| {
        let count = |row: &Posting| (row.text, f64::from(row.count));
        let norm = |row: u32| norms.at(lengths[row as usize]);
        match &candidates.collection {
            Texts::All => {
                let counts = (rows.len(), rows.iter().map(count));
                weights.bm25.add_term(weight, collection.texts, counts, norm, &mut scores);
            }
            Texts::Marked(_) => {
                let counts = rows.iter().filter(|row| candidates.collection.has(owners[row.text as usize])).map(count);
                weights.bm25.add_term(weight, collection.texts, (counts.clone().count(), counts), norm, &mut scores);
            }
        }
    };
    terms.terms.iter().for_each(|rows| add(1.0, rows));
    terms.bigrams.iter().for_each(|rows| add(weights.bigrams, rows));
    let mut best = BestRows::none(index);
    (0u32..).zip(owners).zip(scores).for_each(|((row, &text), score)| best.take(text, row, score));
    Some(Best::of(Arc::new(best), index, candidates, request.unit, zero))
}
