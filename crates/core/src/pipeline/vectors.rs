//! Which vectors one request compares with the query's, and their cosines.

use std::sync::Arc;

use super::{
    best_rows::{BestRows, compared},
    request::{Exact, SearchContext},
};
use crate::{
    dense::{DenseIndex, Rescore, Scan},
    error::StoreError,
    index::{Index, OwnedRows},
    windows::NumberedWindow,
};

/// Texts of which the real vectors are compared, of an index that holds them in codes.
const RESCORED_TEXTS: usize = 256;
/// The same of texts by their cue questions: one signal beside others, and within 0.002 without.
const RESCORED_CUES: usize = 64;
/// How much of what its best window has more than its first goes to the cosine of a long text. All of it lets long answers
/// displace short ones (docs/decisions/0019).
const OF_BEST_WINDOW: f64 = 0.25;
/// In the place of a window's number: the text has only one.
const ONLY: u32 = u32::MAX;

/// The vectors a leg compares with the query's. As a fused leg it makes the pipeline encode queries; as a boost it uses
/// what is compared anyway.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct VectorUse<'a> {
    /// Whether the vectors of single cue questions are compared.
    pub cue_questions: bool,
    /// Whether the vectors of texts with all their cue questions are compared.
    pub cue_passages: bool,
    /// The only model that it may be used with, by name.
    pub encoder: Option<&'a str>,
    /// Whether speakers' names are part of the query that is encoded.
    pub speaker_names: SpeakerNames,
    /// The query adapter that the query is encoded with, by name, where the encoder has it.
    pub query_adapter: Option<&'a str>,
}

/// Whether speakers' names are part of the query that is encoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SpeakerNames {
    /// They are a part of it like any other word.
    #[default]
    Keep,
    /// They are stripped; see [`crate::analysis::Question::without_names`].
    Strip,
}

/// The vectors of one request's texts, and of their cue questions where those count.
pub(super) struct Comparison<'a> {
    context: SearchContext<'a>,
    query: &'a [f32],
    vectors: &'a DenseIndex,
    windows: Option<RowScan<'a>>,
    questions: Option<RowScan<'a>>,
    passages: Option<RowScan<'a>>,
}

/// Rows of cues or of windows, and their cosines.
struct RowScan<'a> {
    rows: &'a OwnedRows,
    scan: Scan<'a>,
}

/// The cosines of one request.
pub(super) struct Compared {
    /// Of the candidate texts, in their order; of a long one that of its first window and a share of what its best has more.
    /// `None` without a vector.
    pub(super) own: Vec<Option<f64>>,
    pub(super) windows: Arc<BestWindows>,
    /// Of the best cue question of each text, and of a text without any its own.
    pub(super) questions: Option<Arc<BestRows>>,
    /// Of each text with all its cue questions.
    pub(super) passages: Option<BestRows>,
}

/// Which windows of long texts have the best cosines.
#[derive(Default)]
pub(super) struct BestWindows {
    /// By text position, [`ONLY`] for a text with a single window; empty where no text has several.
    numbers: Vec<u32>,
}

impl BestWindows {
    /// The best window of a text that has several.
    pub(super) fn of(&self, index: &Index, text: u32) -> Option<NumberedWindow> {
        let number = self.numbers.get(text as usize).copied().filter(|number| *number != ONLY)?;
        let others = index.windows().owners().iter().filter(|owner| **owner == text).count();
        Some(NumberedWindow { number, of: 1 + others as u32 })
    }
}

impl<'a> Comparison<'a> {
    /// Nothing is compared yet; `None` where the index has no vectors, or the query none.
    ///
    /// # Errors
    /// When the query's vector is of another size than the others.
    pub(super) fn of(context: SearchContext<'a>, using: VectorUse<'_>) -> Result<Option<Self>, StoreError> {
        let SearchContext { index, candidates, request } = context;
        let (Some(query), Some(vectors), Some(encoder)) = (request.vector, index.dense(), &index.spec().encoder) else {
            return Ok(None);
        };
        if query.len() != vectors.dim() {
            return Err(StoreError::Dimension {
                encoder: encoder.clone(),
                expected: vectors.dim(),
                found: query.len(),
            });
        }
        let scan = |rows: &'a OwnedRows| {
            let scan = Scan::new(rows.dense()?, query, compared(index, rows, candidates));
            Some(RowScan { rows, scan })
        };
        let windows = scan(index.windows());
        let of = |counts: bool| index.cues().filter(|_| counts);
        let questions = of(using.cue_questions).and_then(|cues| scan(cues.questions().rows()));
        let passages = of(using.cue_passages).and_then(|cues| scan(cues.passages()));
        Ok(Some(Self { context, query, vectors, windows, questions, passages }))
    }

    /// Compares vectors of windows and cues, until none is left that no thread has taken.
    pub(super) fn help(&self) {
        [&self.windows, &self.questions, &self.passages].into_iter().flatten().for_each(|cues| cues.scan.help());
    }

    /// All cosines.
    ///
    /// # Errors
    /// When `exact` fails.
    pub(super) fn compare(&self, exact: Exact<'_>) -> Result<Compared, StoreError> {
        let mut own = self.own(exact.texts)?;
        let index: &Index = self.context.index;
        let best = |rows: &Option<RowScan<'_>>, rescored: usize, rescore: &Rescore<'_>| {
            let best = |scanned: &RowScan<'_>| {
                BestRows::by_cosine(index, scanned.rows, &scanned.scan, (self.query, rescored), rescore)
            };
            rows.as_ref().map(best).transpose()
        };
        let windows = match best(&self.windows, RESCORED_TEXTS, exact.windows)? {
            Some(best) => self.best_windows(&mut own, &best),
            None => BestWindows::default(),
        };
        let mut questions = best(&self.questions, RESCORED_CUES, exact.questions)?;
        if let Some(questions) = &mut questions {
            questions.fill_with_own(&self.context.candidates.texts, &own);
        }
        let passages = best(&self.passages, RESCORED_CUES, exact.passages)?;
        Ok(Compared { own, windows: Arc::new(windows), questions: questions.map(Arc::new), passages })
    }

    /// Adds to the cosines of candidate texts where another window is better than their first; says which is the best of each.
    fn best_windows(&self, own: &mut [Option<f64>], best: &BestRows) -> BestWindows {
        let rows = self.context.index.windows();
        let mut numbers = vec![ONLY; self.context.index.documents().len()];
        for (&text, own) in self.context.candidates.texts.iter().zip(own) {
            if let Some((row, cosine)) = best.best(text) {
                let first = own.unwrap_or(cosine);
                let is_better = own.is_none() || cosine > first;
                numbers[text as usize] = if is_better { rows.id(row) as u32 } else { 0 };
                *own = Some(first + OF_BEST_WINDOW * (cosine - first).max(0.0));
            }
        }
        BestWindows { numbers }
    }

    /// Compares the candidate texts' own vectors, in their order.
    fn own(&self, rescore: &Rescore<'_>) -> Result<Vec<Option<f64>>, StoreError> {
        let texts = &self.context.candidates.texts;
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
        pipeline::{Candidates, Detail, Pipeline, Request, rank},
        store::{CuePart, CueRow, IndexRow, IndexSink},
        types::{CueId, EncoderId, Granularity, Kind, Scope, Seq, Timestamp, Unmatched, Vectors},
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
                vectors: Some(&[0.0, 1.0]),
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
        assert_eq!(compared(&index, rows, &later), [far as u32], "the first memory may not be found");
        let pipeline: Pipeline = "cue_boost(0:0.5, dense(max))".parse().unwrap();
        let candidates = Candidates::within(&index, &Scope::default(), None);
        let question = Question::new("what", Analyzer::English);
        let request = Request {
            question: &question,
            vector: Some(&[1.0, 0.0]),
            unit: Granularity::Turn,
            k: NonZeroUsize::MIN,
            unmatched: Unmatched::Include,
            detail: Detail::Explained,
        };
        let real = |rows: &[u32]| {
            assert!(rows.len() <= 2, "the best of each text is looked at");
            Ok(Vectors::new(2, rows.iter().flat_map(|row| at(cosine(u64::from(*row) + 1))).collect()).unwrap())
        };
        let exact = Exact { questions: &real, ..Exact::none() };
        let found = rank(&index, &pipeline, &candidates, &request, exact).unwrap();
        assert_eq!(found.hits[0].cue, Some(CueId(far + 1)));
        let told = found.hits[0].explain.as_ref().unwrap().to_string();
        assert!(told.contains("0.301"), "{told}");
    }
}
