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
/// The same of the texts that a cue speaks for: it is one signal beside others, and within 0.002 without.
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
            let scan = Scan::new(rows.dense()?, query, cues::compared(index, rows, candidates));
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
        let known = own.iter().enumerate().filter_map(|(i, cosine)| Some((i, (*cosine)?)));
        let real = self.vectors.rescored((self.query, RESCORED_TEXTS), known, |i| texts[i], rescore)?;
        real.into_iter().for_each(|(i, cosine)| own[i] = Some(cosine));
        Ok(own)
    }
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroUsize;

    use super::*;
    use crate::{
        analysis::{Analyzer, Question},
        dense::EXACT_LIMIT,
        index::IndexSpec,
        pipeline::{Detail, rank},
        store::{CuePart, CueRow, IndexRow, IndexSink},
        types::{CueId, EncoderId, Kind, Scope, Seq, Tail, Timestamp, Vectors},
    };

    /// A unit vector that the question, `[1, 0]`, has this cosine with.
    fn at(cosine: f32) -> [f32; 2] {
        [cosine, (1.0 - cosine * cosine).sqrt()]
    }

    #[test]
    fn of_many_questions_the_best_is_the_one_of_the_best_real_vector() {
        let encoder = EncoderId::new("test@1/f32").unwrap();
        let mut index = Index::new(IndexSpec { analyzer: Analyzer::English, encoder: Some(encoder) }, 2);
        for seq in 1..=3 {
            let row = IndexRow {
                seq: Seq(seq),
                kind: Kind::Note,
                conversation: None,
                session: None,
                speaker: None,
                text: "nothing",
                image_caption: None,
                said_at: Some(Timestamp::from_millis(seq as i64).unwrap()),
                importance: 0.5,
                vector: Some(&[0.0, 1.0]),
            };
            index.row(row).unwrap();
        }
        // More than are held as they are: of the first memory, and one that is better of the second. The third has none.
        let far = EXACT_LIMIT as u64 + 5;
        let cosine = |id: u64| if id <= far { 0.2 + 0.1 * id as f32 / far as f32 } else { 0.301 };
        for id in 1..=far + 1 {
            let seq = Seq(if id <= far { 1 } else { 2 });
            let vector = at(cosine(id));
            let cue = CueRow { id: CueId(id), seq, part: CuePart::Question("what"), vector: Some(&vector) };
            index.cue(cue).unwrap();
        }
        let later = Scope { from: Some(Timestamp::from_millis(2).unwrap()), ..Scope::default() };
        let (rows, later) = (index.cues().unwrap().questions().rows(), Candidates::within(&index, &later, None));
        assert_eq!(cues::compared(&index, rows, &later), [far as u32], "the first memory may not be found");
        let preset: Preset = "cued(0:0.5, dense(max))".parse().unwrap();
        let candidates = Candidates::within(&index, &Scope::default(), None);
        let question = Question::new("what", Analyzer::English);
        let request = Request {
            question: &question,
            vector: Some(&[1.0, 0.0]),
            unit: Unit::Turn,
            k: NonZeroUsize::MIN,
            tail: Tail::All,
            detail: Detail::Explained,
        };
        let real = |rows: &[u32]| {
            assert!(rows.len() <= 2, "the best of each text is looked at");
            Ok(Vectors::new(2, rows.iter().flat_map(|row| at(cosine(u64::from(*row) + 1))).collect()).unwrap())
        };
        let exact = Exact { questions: &real, ..Exact::none() };
        let found = rank(&index, &preset, &candidates, &request, exact).unwrap();
        assert_eq!(found.hits[0].cue, Some(CueId(far + 1)));
        let told = found.hits[0].explain.as_ref().unwrap().to_string();
        assert!(told.contains("0.301"), "{told}");
    }
}
