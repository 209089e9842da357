//! The cue leg: a question is compared with the questions that each text answers (ROXY, section 3.2).

use super::{
    dense::fill,
    scope::{Candidates, Texts},
};
use crate::{
    analysis::Question,
    dense::Rescore,
    error::StoreError,
    fusion::mean_and_deviation,
    index::{Index, Owned},
    lexical::{Bm25, Posting},
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

/// The best row of a text, where it has one: its score and its place, or [`OWN`].
pub(super) type BestRow = Option<(f64, u32)>;

/// In the place of a row: the text itself.
const OWN: u32 = u32::MAX;

/// Best scores by one signal.
#[derive(Debug)]
pub(super) struct Best {
    /// By text position: the score and the question's row.
    pub(super) texts: Vec<BestRow>,
    /// In unit order, the same of its best text.
    found: Vec<BestRow>,
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

impl Best {
    fn of(texts: Vec<BestRow>, index: &Index, candidates: &Candidates, unit: Unit, neutral: Neutral) -> Self {
        let better = |best: BestRow, next: BestRow| match (best, next) {
            (Some(best), Some(next)) if next.0 > best.0 => Some(next),
            (best, next) => best.or(next),
        };
        let of_session = |&session: &u32| {
            let turns = candidates.turns_of(index, session).iter();
            turns.map(|&text| texts[text as usize]).fold(None, better)
        };
        let found: Vec<BestRow> = match unit {
            Unit::Turn => candidates.texts.iter().map(|&text| texts[text as usize]).collect(),
            Unit::Session => candidates.sessions.iter().map(of_session).collect(),
        };
        let units = neutral(found.iter().map(|best| best.map(|(score, _)| score)).collect());
        Self { texts, found, units, neutral }
    }

    /// Scores of some texts.
    pub(super) fn of_texts(&self, texts: &[u32]) -> Vec<f64> {
        let score = |&text: &u32| self.texts[text as usize].map(|(score, _)| score);
        (self.neutral)(texts.iter().map(score).collect())
    }

    /// Whether a candidate has a question with a score above 0.
    pub(super) fn speaks_for(&self, unit: usize) -> bool {
        self.found[unit].is_some_and(|(score, _)| score > 0.0)
    }
}

impl CueScores {
    /// The question that speaks most for a candidate: by meaning, where vectors are compared.
    pub(super) fn best(&self, index: &Index, unit: usize) -> Option<CueId> {
        let (score, row) = self.meaning.as_ref().or(self.words.as_ref())?.found[unit]?;
        let rows = index.cues()?.questions().rows();
        (score > 0.0 && row != OWN).then(|| rows.id(row))
    }
}

/// The best question of each text by words, whoever asks.
pub(super) fn by_words(
    index: &Index,
    candidates: &Candidates,
    question: &Question,
    (bm25, pairs): (Bm25, f64),
    unit: Unit,
) -> Option<Best> {
    let questions = index.cues()?.questions();
    let (postings, owners) = (questions.postings(), questions.rows().owners());
    let collection = candidates.question_statistics(index);
    let lengths = postings.lengths();
    let mut scores = vec![0.0; lengths.len()];
    let held = |rows: &[Posting]| -> Vec<(u32, f64)> {
        let of_collection = rows.iter().filter(|row| candidates.collection.has(owners[row.text as usize]));
        of_collection.map(|row| (row.text, f64::from(row.count))).collect()
    };
    for term in &question.terms {
        let length = |row: u32| f64::from(lengths[row as usize]);
        bm25.add_term(1.0, collection, &held(postings.of(term)), length, &mut scores);
    }
    for pair in question.terms.windows(2).filter(|_| pairs > 0.0) {
        let [first, second] = pair else { continue };
        let length = |row: u32| f64::from(lengths[row as usize]);
        bm25.add_term(pairs, collection, &held(&postings.of_pair(first, second)), length, &mut scores);
    }
    let best = best(index, owners, |row| Some(scores[row as usize]));
    Some(Best::of(best, index, candidates, unit, zero))
}

/// The cosine of each text's best question; `own` are those of the candidate texts themselves.
pub(super) fn by_meaning(
    index: &Index,
    candidates: &Candidates,
    unit: Unit,
    mut questions: Vec<BestRow>,
    own: &[Option<f64>],
) -> Best {
    for (&text, own) in candidates.texts.iter().zip(own) {
        let best = &mut questions[text as usize];
        *best = best.or(own.map(|own| (own, OWN)));
    }
    Best::of(questions, index, candidates, unit, fill)
}

/// The cosine of each text's best row, by text position; `None` where no row has a vector.
pub(super) fn cosines(
    index: &Index,
    candidates: &Candidates,
    rows: &Owned,
    query: &[f32],
    rescore: &Rescore<'_>,
) -> Result<Option<Vec<BestRow>>, StoreError> {
    let Some(dense) = rows.dense() else { return Ok(None) };
    let of_collection = |row: &u32| candidates.collection.has(rows.owners()[*row as usize]);
    let compared: Vec<u32> = match &candidates.collection {
        Texts::All => (0..rows.len() as u32).collect(),
        Texts::Marked(_) => (0..rows.len() as u32).filter(of_collection).collect(),
    };
    let found = dense.similarities(query, &compared, rescore)?;
    let mut scores = vec![None; rows.len()];
    compared.iter().zip(found).for_each(|(&row, score)| scores[row as usize] = score);
    Ok(Some(best(index, rows.owners(), |row| scores[row as usize])))
}

/// The best row of each text, the first of equals.
fn best(index: &Index, owners: &[u32], score: impl Fn(u32) -> Option<f64>) -> Vec<BestRow> {
    let mut texts: Vec<BestRow> = vec![None; index.documents().len()];
    for (row, &owner) in (0u32..).zip(owners) {
        let Some(score) = score(row) else { continue };
        let best = &mut texts[owner as usize];
        if best.is_none_or(|(before, _)| score > before) {
            *best = Some((score, row));
        }
    }
    texts
}
