//! The cue leg: a question is compared with the questions that each text answers (ROXY, section 3.2).

use super::{
    dense::fill,
    scope::{Candidates, Texts},
};
use crate::{
    dense::{Rescore, Scan},
    error::StoreError,
    fusion::mean_and_deviation,
    index::{Index, Owned},
    lexical::{Bm25, ByLength, Posting},
    types::{CueId, Unit},
};

/// How much the best of a text's questions counts, in standard deviations of the fused scores; not negative.
///
/// A text takes the best of its questions by words and the best by meaning, a session the best of its turns. Where
/// nothing has questions, nothing is added. Among others that have some, a text without any has no words of the
/// question there, and speaks by its own vector.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct CueLeg {
    /// By BM25, each question a text of its own.
    pub words: f64,
    /// By cosine.
    pub meaning: f64,
}

/// The best question of every candidate.
#[derive(Debug, Default)]
pub(super) struct CueScores {
    pub(super) words: Option<Best>,
    pub(super) meaning: Option<Best>,
}

/// The best row of each text, by text position.
#[derive(Debug)]
pub(super) struct BestRows {
    /// Its score, or [`NONE`].
    scores: Vec<f64>,
    /// Its place, or [`OWN`].
    rows: Vec<u32>,
}

/// The score of a text without any row: below all others, so that the best is found without a question asked.
const NONE: f64 = f64::NEG_INFINITY;
/// In the place of a row: it is the text itself that speaks.
const OWN: u32 = u32::MAX;

/// Best scores by one signal.
#[derive(Debug)]
pub(super) struct Best {
    texts: BestRows,
    /// In unit order, with a neutral score for who has none.
    pub(super) units: Vec<f64>,
    neutral: Neutral,
}

/// Gives scores where there are none.
type Neutral = fn(Vec<Option<f64>>) -> Vec<f64>;

/// No question has words of the one that is asked.
fn zero(scores: Vec<Option<f64>>) -> Vec<f64> {
    scores.into_iter().map(|score| score.unwrap_or(0.0)).collect()
}

impl CueLeg {
    /// Cues count for nothing.
    pub const NONE: CueLeg = CueLeg { words: 0.0, meaning: 0.0 };

    /// Whether they count.
    pub fn is_used(self) -> bool {
        self != Self::NONE
    }

    /// What the best questions' scores by words and by meaning add, where a standard deviation of the fused scores is
    /// `deviation`; nothing by a signal that does not count, or in which all candidates are alike.
    pub(super) fn adds(self, words: Option<Vec<f64>>, meaning: Option<Vec<f64>>, deviation: f64) -> [Option<Cued>; 2] {
        [(self.words, words), (self.meaning, meaning)].map(|(weight, scores)| {
            let own = scores.filter(|_| weight > 0.0)?;
            let (mean, over) = mean_and_deviation(&own);
            Some(Cued { weight: weight * deviation, mean, over: over?, own })
        })
    }
}

/// What cue questions add to some candidates by one signal.
pub(super) struct Cued {
    /// The best question's score.
    pub(super) own: Vec<f64>,
    pub(super) weight: f64,
    pub(super) mean: f64,
    pub(super) over: f64,
}

impl Cued {
    /// What they add to a candidate: so many standard deviations above the mean.
    pub(super) fn of(&self, i: usize) -> f64 {
        self.weight * (self.own[i] - self.mean) / self.over
    }

    /// Adds it to every candidate's score.
    pub(super) fn add_to(&self, scores: &mut [f64]) {
        scores.iter_mut().enumerate().for_each(|(i, score)| *score += self.of(i));
    }
}

/// Which questions hold the terms of the one that is asked, and two of its terms side by side.
///
/// Rows of [`crate::index::Questions`], of any collection; none where there are no questions.
pub(super) struct Asked<'a> {
    pub(super) terms: Vec<&'a [Posting]>,
    pub(super) pairs: Vec<Vec<Posting>>,
}

impl<'a> Asked<'a> {
    /// Looks `terms` up, and with `pairs` every two neighbours among them.
    pub(super) fn of(index: &'a Index, terms: &[String], pairs: bool) -> Self {
        let postings = index.cues().map(|of| of.questions().postings());
        let of = |term: &String| postings.map_or(&[][..], |postings| postings.of(term));
        let pair = |pair: &[String]| match (pair, postings) {
            ([first, second], Some(postings)) => postings.of_pair(first, second),
            _ => Vec::new(),
        };
        let paired = if pairs { terms } else { &[] };
        Self { terms: terms.iter().map(of).collect(), pairs: paired.windows(2).map(pair).collect() }
    }
}

impl BestRows {
    /// No text has any yet.
    fn none(index: &Index) -> Self {
        let texts = index.documents().len();
        Self { scores: vec![NONE; texts], rows: vec![OWN; texts] }
    }

    /// Takes a row of a text if it is better than those before it.
    fn take(&mut self, text: u32, row: u32, score: f64) {
        let (best, of) = (&mut self.scores[text as usize], &mut self.rows[text as usize]);
        let better = score > *best;
        *best = if better { score } else { *best };
        *of = if better { row } else { *of };
    }

    /// The score of a text's best row.
    pub(super) fn score(&self, text: u32) -> Option<f64> {
        Some(self.scores[text as usize]).filter(|score| *score > NONE)
    }

    /// Those of rows whose vectors were compared; with the query's vector, so many of the best by their real ones.
    pub(super) fn by_cosine(
        index: &Index,
        rows: &Owned,
        scan: &Scan<'_>,
        (query, n): (&[f32], usize),
        rescore: &Rescore<'_>,
    ) -> Result<Self, StoreError> {
        let (mut best, owners) = (Self::none(index), rows.owners());
        scan.each(|row, cosine| cosine.into_iter().for_each(|cosine| best.take(owners[row as usize], row, cosine)));
        if let Some(dense) = rows.dense() {
            let known = best.scores.iter().copied().enumerate().filter(|(_, score)| *score > NONE);
            let real = dense.rescored((query, n), known, |text| best.rows[text], rescore)?;
            real.into_iter().for_each(|(text, score)| best.scores[text] = score);
        }
        Ok(best)
    }
}

impl Best {
    fn of(texts: BestRows, index: &Index, candidates: &Candidates, unit: Unit, neutral: Neutral) -> Self {
        let best = |turns: &[u32]| {
            let scores = turns.iter().filter_map(|&text| texts.score(text));
            scores.reduce(|best, next| if next > best { next } else { best })
        };
        let found = match unit {
            Unit::Turn => candidates.texts.iter().map(|&text| texts.score(text)).collect(),
            Unit::Session => {
                candidates.sessions.iter().map(|&session| best(candidates.turns_of(index, session))).collect()
            }
        };
        Self { texts, units: neutral(found), neutral }
    }

    /// Scores of some texts.
    pub(super) fn of_texts(&self, texts: &[u32]) -> Vec<f64> {
        (self.neutral)(texts.iter().map(|&text| self.texts.score(text)).collect())
    }

    /// The best row of some texts, the first of equals, if its score is above 0 and it is none of the texts themselves.
    fn speaker(&self, texts: &[u32]) -> Option<u32> {
        let known = texts.iter().filter_map(|&text| Some((self.texts.score(text)?, text)));
        let (score, text) = known.reduce(|best, next| if next.0 > best.0 { next } else { best })?;
        Some(self.texts.rows[text as usize]).filter(|&row| score > 0.0 && row != OWN)
    }
}

impl CueScores {
    /// The question that speaks most for some texts: by meaning, where vectors are compared.
    pub(super) fn best(&self, index: &Index, texts: &[u32]) -> Option<CueId> {
        let row = self.meaning.as_ref().or(self.words.as_ref())?.speaker(texts)?;
        Some(index.cues()?.questions().rows().id(row))
    }
}

/// The best question of each text by words, whoever asks.
pub(super) fn by_words(
    index: &Index,
    candidates: &Candidates,
    asked: &Asked<'_>,
    (bm25, pairs): (Bm25, f64),
    unit: Unit,
) -> Option<Best> {
    let questions = index.cues()?.questions();
    let (lengths, owners) = (questions.postings().lengths(), questions.rows().owners());
    let collection = candidates.question_statistics(index);
    let mut scores = vec![0.0; lengths.len()];
    let mean = collection.mean_length();
    let norms = ByLength::new(lengths.len(), |terms| bm25.norm(f64::from(terms) / mean));
    let mut add = |weight: f64, rows: &[Posting]| {
        let count = |row: &Posting| (row.text, f64::from(row.count));
        let norm = |row: u32| norms.at(lengths[row as usize]);
        match &candidates.collection {
            Texts::All => {
                let counts = (rows.len(), rows.iter().map(count));
                bm25.add_term(weight, collection.texts, counts, norm, &mut scores);
            }
            Texts::Marked(_) => {
                let counts = rows.iter().filter(|row| candidates.collection.has(owners[row.text as usize])).map(count);
                bm25.add_term(weight, collection.texts, (counts.clone().count(), counts), norm, &mut scores);
            }
        }
    };
    asked.terms.iter().for_each(|rows| add(1.0, rows));
    asked.pairs.iter().for_each(|rows| add(pairs, rows));
    let mut best = BestRows::none(index);
    (0u32..).zip(owners).zip(scores).for_each(|((row, &text), score)| best.take(text, row, score));
    Some(Best::of(best, index, candidates, unit, zero))
}

/// The cosine of each text's best question; `own` are those of the candidate texts themselves.
pub(super) fn by_meaning(
    index: &Index,
    candidates: &Candidates,
    unit: Unit,
    mut questions: BestRows,
    own: &[Option<f64>],
) -> Best {
    for (&text, own) in candidates.texts.iter().zip(own) {
        if let (None, Some(own)) = (questions.score(text), own) {
            questions.scores[text as usize] = *own;
        }
    }
    Best::of(questions, index, candidates, unit, fill)
}

/// Rows whose vectors are compared: those of texts that may be found.
pub(super) fn compared(index: &Index, rows: &Owned, candidates: &Candidates) -> Vec<u32> {
    let (all, texts) = (0..rows.len() as u32, index.documents().len());
    if candidates.texts.len() == texts {
        return all.collect();
    }
    let mut may_be_found = vec![false; texts];
    candidates.texts.iter().for_each(|&text| may_be_found[text as usize] = true);
    all.filter(|&row| may_be_found[rows.owners()[row as usize] as usize]).collect()
}
