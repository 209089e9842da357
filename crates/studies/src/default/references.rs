//! `hybrid` against simple systems, and with the candidate ranker.

use super::{
    ablation::word,
    corpus::Corpus,
    gains::Resampling,
    ground::{Plan, Stage},
    pieces,
};
use crate::{Section, StudyError};
use aforesaid_eval::{
    measures::Evaluation,
    reports::{Table, four, points},
    statistics::Paired,
};

/// What it is held against.
const REFERENCES: [(&str, &str); 4] = [
    ("BM25 as published", "paper-bm25"),
    ("turn vectors alone", "paper-dense-max"),
    ("textbook BM25", "bm25"),
    ("textbook BM25 and vectors", "zscore(0.5, bm25, dense(max))"),
];

/// `hybrid`, `learned` and the references on one ground.
pub(super) struct Against {
    pub(super) plan: &'static Plan,
    pub(super) resampling: Resampling,
    /// `hybrid`.
    pub(super) default: Evaluation,
    /// `learned`.
    ranked: Evaluation,
    /// In the order of [`REFERENCES`].
    references: Vec<Evaluation>,
}

impl Against {
    pub(super) fn of(stage: &Stage<'_>) -> Result<Self, StudyError> {
        let references = REFERENCES.map(|(_, spec)| stage.system(spec));
        Ok(Self {
            plan: stage.ground.plan,
            resampling: stage.resampling(),
            default: stage.evaluate("hybrid", &pieces::hybrid(), Corpus::WHOLE)?,
            ranked: stage.system("learned")?,
            references: references.into_iter().collect::<Result<_, _>>()?,
        })
    }

    /// References and their evaluations.
    pub(super) fn references(&self) -> impl Iterator<Item = (&'static str, &Evaluation)> {
        REFERENCES.iter().map(|(name, _)| *name).zip(&self.references)
    }
}

pub(super) fn sections(all: &[&Against]) -> Result<Vec<Section>, StudyError> {
    let (mut ranked, mut simple) = (
        Table::new(["measured on", "measure", "hybrid", "learned", "difference, points [95%]", "p"]),
        Table::new(["measured on", "measure", "hybrid", "reference", "its value", "difference, points [95%]", "p"]),
    );
    for against in all {
        for &measure in against.plan.measures {
            let mean = |evaluation: &Evaluation| evaluation.mean(measure).map(four).unwrap_or_default();
            let gain = |of: &Evaluation, over: &Evaluation| -> Result<[String; 2], StudyError> {
                let gain = against.resampling.gain_in(measure, over, of)?.paired;
                let Paired { difference, low, high, .. } = gain;
                Ok([format!("{} [{}, {}]", points(difference), points(low), points(high)), gain.p_text()])
            };
            let row = [against.plan.name.to_owned(), word(measure), mean(&against.default)];
            let added = gain(&against.ranked, &against.default)?;
            ranked.push(row.clone().into_iter().chain([mean(&against.ranked)]).chain(added));
            for (name, reference) in against.references() {
                let of_reference = [name.to_owned(), mean(reference)];
                let above = gain(&against.default, reference)?;
                simple.push(row.clone().into_iter().chain(of_reference).chain(above));
            }
        }
    }
    Ok(vec![
        Section::table(
            "What the candidate ranker adds",
            "`learned` minus `hybrid`; p is one-sided, not corrected. Where an assistant speaks in what is searched, \
             they are the same.",
            ranked,
        ),
        Section::table(
            "Hybrid against references",
            "`hybrid` minus reference; p is one-sided, not corrected. The published systems index no image captions.",
            simple,
        ),
    ])
}
