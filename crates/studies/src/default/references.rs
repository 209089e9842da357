//! The default against simple systems.

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

/// What the default is held against.
const REFERENCES: [(&str, &str); 4] = [
    ("BM25 as published", "paper-bm25"),
    ("turn vectors alone", "paper-dense-max"),
    ("textbook BM25", "bm25"),
    ("textbook BM25 and vectors", "zscore(0.5, bm25, dense(max))"),
];

/// The default and the references on one ground.
pub(super) struct Against {
    pub(super) plan: &'static Plan,
    pub(super) resampling: Resampling,
    pub(super) default: Evaluation,
    /// In the order of [`REFERENCES`].
    references: Vec<Evaluation>,
}

impl Against {
    pub(super) fn of(stage: &Stage<'_>) -> Result<Self, StudyError> {
        let references = REFERENCES.map(|(_, spec)| stage.system(spec));
        Ok(Self {
            plan: stage.ground.plan,
            resampling: stage.resampling(),
            default: stage.evaluate("hybrid", &pieces::default(), Corpus::WHOLE)?,
            references: references.into_iter().collect::<Result<_, _>>()?,
        })
    }

    /// References and their evaluations.
    pub(super) fn references(&self) -> impl Iterator<Item = (&'static str, &Evaluation)> {
        REFERENCES.iter().map(|(name, _)| *name).zip(&self.references)
    }
}

pub(super) fn section<'a>(grounds: impl Iterator<Item = &'a Against>) -> Result<Section, StudyError> {
    let mut table =
        Table::new(["measured on", "measure", "default", "reference", "its value", "difference, points [95%]", "p"]);
    for against in grounds {
        for &measure in against.plan.measures {
            for (name, reference) in against.references() {
                let mean = |evaluation: &Evaluation| evaluation.mean(measure).map(four).unwrap_or_default();
                let gain = against.resampling.gain_in(measure, reference, &against.default)?.paired;
                let Paired { difference, low, high, .. } = gain;
                table.push([
                    against.plan.name.to_owned(),
                    word(measure),
                    mean(&against.default),
                    name.to_owned(),
                    mean(reference),
                    format!("{} [{}, {}]", points(difference), points(low), points(high)),
                    gain.p_text(),
                ]);
            }
        }
    }
    Ok(Section::table(
        "The default against references",
        "Default minus reference; p is one-sided, not corrected. The published systems index no image captions.",
        table,
    ))
}
