//! Which vectors one request compares with the question, and what that comes to.

use super::{
    Candidates, Exact, Preset, Request, Votes,
    cues::{self, Best, BestRows},
    dense::{self, DenseScores},
    preset::DenseLeg,
};
use crate::{
    dense::{DenseIndex, Rescore, Scan},
    error::StoreError,
    index::{Index, Owned},
    types::Unit,
};

/// Texts of which the real vectors are compared, of an index that holds them in codes.
const RESCORED_TEXTS: usize = 256;
/// The same of texts of which a cue speaks: it is one signal beside others, and no first hit hangs on its last digit.
const RESCORED_CUES: usize = 64;

/// The vectors of one request's texts, and of their questions where those count.
pub(super) struct Comparison<'a> {
    index: &'a Index,
    candidates: &'a Candidates,
    unit: Unit,
    leg: &'a DenseLeg,
    /// Whether the best questions count beside the legs.
    cued: bool,
    query: &'a [f32],
    vectors: &'a DenseIndex,
    questions: Option<OfCues<'a>>,
    passages: Option<OfCues<'a>>,
}

/// Rows of cues, and their cosines.
struct OfCues<'a> {
    rows: &'a Owned,
    scan: Scan<'a>,
}

impl<'a> Comparison<'a> {
    /// Nothing is compared yet; `None` where vectors do not count, or there are none.
    ///
    /// # Errors
    /// When the question's vector is of another size than the others.
    pub(super) fn of(
        index: &'a Index,
        preset: &'a Preset,
        candidates: &'a Candidates,
        request: &Request<'a>,
    ) -> Result<Option<Self>, StoreError> {
        let (Some(leg), Some(query), Some(vectors), Some(encoder)) =
            (&preset.dense, request.vector, index.dense(), &index.spec().encoder)
        else {
            return Ok(None);
        };
        if query.len() != vectors.dim() {
            return Err(StoreError::Dimension {
                encoder: encoder.clone(),
                expected: vectors.dim(),
                found: query.len(),
            });
        }
        let cued = preset.cues.meaning > 0.0;
        let of_cues = |rows: &'a Owned| {
            let scan = Scan::new(rows.dense()?, query, cues::compared(rows, candidates));
            Some(OfCues { rows, scan })
        };
        let of = |counts: bool| index.cues().filter(|_| counts);
        let questions = of(cued || leg.votes == Votes::Questions).and_then(|of| of_cues(of.questions().rows()));
        let passages = of(leg.votes == Votes::Passage).and_then(|of| of_cues(of.passages()));
        Ok(Some(Self { index, candidates, unit: request.unit, leg, cued, query, vectors, questions, passages }))
    }

    /// Compares vectors of cues, until none is left that no thread has taken.
    pub(super) fn help(&self) {
        [&self.questions, &self.passages].into_iter().flatten().for_each(|cues| cues.scan.help());
    }

    /// The dense leg, and the best questions where they count.
    ///
    /// # Errors
    /// When `exact` fails.
    pub(super) fn scores(&self, exact: Exact<'_>) -> Result<(DenseScores, Option<Best>), StoreError> {
        let own = self.own(exact.texts)?;
        let best = |cues: &Option<OfCues<'_>>, rescore: &Rescore<'_>| {
            let best = |cues: &OfCues<'_>| {
                BestRows::by_cosine(self.index, cues.rows, &cues.scan, (self.query, RESCORED_CUES), rescore)
            };
            cues.as_ref().map(best).transpose()
        };
        let questions = best(&self.questions, exact.questions)?;
        let passages = best(&self.passages, exact.passages)?;
        let others = match self.leg.votes {
            Votes::Text => None,
            Votes::Passage => passages.as_ref(),
            Votes::Questions => questions.as_ref(),
        };
        let by = (self.leg.pooling, self.leg.votes);
        let dense = dense::score(self.vectors, by, self.index, self.candidates, self.unit, (&own, others));
        let questions = questions.filter(|_| self.cued);
        Ok((dense, questions.map(|best| cues::by_meaning(self.index, self.candidates, self.unit, best, &own))))
    }

    /// Compares the candidate texts' own vectors, in their order.
    fn own(&self, rescore: &Rescore<'_>) -> Result<Vec<Option<f64>>, StoreError> {
        let texts = &self.candidates.texts;
        let mut own = Vec::with_capacity(texts.len());
        Scan::new(self.vectors, self.query, texts).each(|_, cosine| own.push(cosine));
        self.vectors.rescore_best((self.query, RESCORED_TEXTS), &mut own, |i| texts[i], rescore)?;
        Ok(own)
    }
}
