//! Every question of a data set with what the search showed and what was true.

use std::{collections::BTreeMap, path::Path, sync::Arc};

use aforesaid::{
    CueIndexing, Pipeline, Reranking,
    formats::Captions,
    pipeline::confidence::{Confidence, Target},
    types::Granularity,
};

use super::{
    reranked,
    variants::{Kind, Variant, attributed, published, without_gold},
};
use crate::{StudyError, place_of};
use aforesaid_eval::{
    datasets::DataSet,
    experiments::{Bench, Observer, Setup},
    recipe::{Equipment, Recording},
};

/// A data set on a unit, and how its questions are made such that nothing answers them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Source {
    pub(super) dataset: DataSet,
    pub(super) unit: Granularity,
    pub(super) removed: bool,
    /// Its questions with names, instead of as they are.
    pub(super) attributed: bool,
    /// Whether its memories have the cue questions recorded beside it.
    pub(super) cued: bool,
    /// Histories taken, the first ones.
    pub(super) most: usize,
}

/// Meetings of QMSum that are taken, so that they do not take longer to encode than all else.
pub(super) const MEETINGS: usize = 48;

/// The data sets of the study; LoCoMo and the dialogues' test side are not learned from.
pub(super) const SOURCES: [Source; 17] = [
    Source::of(DataSet::Locomo, Granularity::Turn),
    Source::of(DataSet::Locomo, Granularity::Session),
    Source { cued: true, ..Source::of(DataSet::Locomo, Granularity::Turn) },
    Source { cued: true, ..Source::of(DataSet::Locomo, Granularity::Session) },
    Source::of(DataSet::DialoguesTest, Granularity::Turn),
    Source::of(DataSet::DialoguesTest, Granularity::Session),
    Source { removed: true, ..Source::of(DataSet::Beam, Granularity::Turn) },
    Source { removed: true, ..Source::of(DataSet::Beam, Granularity::Session) },
    Source { removed: true, ..Source::of(DataSet::DialoguesDev, Granularity::Turn) },
    Source { removed: true, ..Source::of(DataSet::DialoguesDev, Granularity::Session) },
    Source { removed: true, ..Source::of(DataSet::Ranking, Granularity::Turn) },
    Source { removed: true, ..Source::of(DataSet::Ranking, Granularity::Session) },
    Source { removed: true, ..Source::of(DataSet::RealMem, Granularity::Session) },
    Source { removed: true, ..Source::of(DataSet::LongMemEvalPooled, Granularity::Turn) },
    Source { removed: true, ..Source::of(DataSet::LongMemEvalPooled, Granularity::Session) },
    Source { most: MEETINGS, ..Source::of(DataSet::QmSum, Granularity::Turn) },
    Source { most: MEETINGS, attributed: true, ..Source::of(DataSet::QmSum, Granularity::Turn) },
];

/// One question asked.
#[derive(Debug, Clone)]
pub(super) struct Case {
    pub(super) question: String,
    /// The history it is about, by place in the data set.
    pub(super) history: usize,
    pub(super) kind: Kind,
    /// Whether the first hit is gold of a question that can be answered.
    pub(super) right: bool,
    /// What the search says of itself.
    pub(super) confidence: Confidence,
    /// Fused score of the first hit.
    pub(super) fused: f64,
    /// Lexical score of the first hit.
    pub(super) words: f64,
}

/// The cases of a source for one system.
pub(super) struct Sample {
    pub(super) source: Source,
    /// The preset that was asked.
    pub(super) system: &'static str,
    /// Whether vectors took part.
    pub(super) dense: bool,
    pub(super) cases: Vec<Case>,
}

/// The cases of a source.
pub(super) struct Gathered {
    /// Of the default without its candidate ranker, and of the lexical preset.
    pub(super) samples: [Sample; 2],
    /// In the order of the candidate ranker that ships, where it ranks and did not learn from the questions.
    pub(super) ranked: Option<Sample>,
}

impl Case {
    pub(super) fn is(&self, target: Target) -> bool {
        match target {
            Target::FirstHit => self.right,
            Target::Answerable => self.kind.is_answerable(),
        }
    }

    /// What a target's model is fitted on, if anything was found: the signals, or what the reranker adds to the models of the
    /// search before.
    pub(super) fn row(&self, target: Target) -> Option<Vec<f64>> {
        let signals = self.confidence.signals?;
        Some(match signals.basis().reranked {
            true => reranked::row(&signals, target),
            false => signals.iter().map(|(_, value)| value).collect(),
        })
    }
}

impl Sample {
    pub(super) fn is(&self, dataset: DataSet, unit: Granularity) -> bool {
        self.source.dataset == dataset && self.source.unit == unit && !self.source.attributed && !self.source.cued
    }

    pub(super) fn truths(&self, target: Target) -> Vec<bool> {
        self.cases.iter().map(|case| case.is(target)).collect()
    }

    /// Only the cases that the data set's authors wrote.
    pub(super) fn as_published(&self) -> Sample {
        let published = |case: &&Case| matches!(case.kind, Kind::Answerable | Kind::Marked);
        Sample { cases: self.cases.iter().filter(published).cloned().collect(), ..*self }
    }

    /// What each case counts where a share of the questions cannot be answered, whatever the sample's own share is.
    pub(super) fn counts(&self, not_answerable: f64) -> Vec<f64> {
        let answerable = self.cases.iter().filter(|case| case.kind.is_answerable()).count();
        let not = self.cases.len() - answerable;
        let each = ((1.0 - not_answerable) / answerable.max(1) as f64, not_answerable / not.max(1) as f64);
        self.cases.iter().map(|case| if case.kind.is_answerable() { each.0 } else { each.1 }).collect()
    }

    /// The same, each way in which a question cannot be answered counting alike: those whose gold was removed are many, and the
    /// easiest to tell apart.
    pub(super) fn counts_by_kind(&self, not_answerable: f64) -> Vec<f64> {
        let mut cases: BTreeMap<Kind, usize> = BTreeMap::new();
        self.cases.iter().for_each(|case| *cases.entry(case.kind).or_default() += 1);
        let kinds = cases.keys().filter(|kind| !kind.is_answerable()).count();
        let answerable: usize = cases.iter().filter(|(kind, _)| kind.is_answerable()).map(|(_, count)| count).sum();
        let each = |case: &Case| match case.kind.is_answerable() {
            true => (1.0 - not_answerable) / answerable as f64,
            false => not_answerable / (kinds * cases[&case.kind]) as f64,
        };
        self.cases.iter().map(each).collect()
    }

    pub(super) fn histories(&self) -> Vec<usize> {
        self.cases.iter().map(|case| case.history).collect()
    }

    pub(super) fn name(&self) -> String {
        let how = match (self.source.attributed, self.source.cued) {
            (true, _) => ", with names",
            (false, true) => ", with cue questions",
            (false, false) => "",
        };
        format!("{}, {}s{how}", self.source.dataset, self.source.unit)
    }
}

impl Source {
    /// All of a data set, as it is.
    pub(super) const fn of(dataset: DataSet, unit: Granularity) -> Self {
        Self { dataset, unit, removed: false, attributed: false, cued: false, most: usize::MAX }
    }

    /// Whether it can be measured: recorded cue questions are not everywhere.
    pub(super) fn is_there(&self, folder: &Path) -> Result<bool, StudyError> {
        Ok(!self.cued || self.dataset.has_cues(&place_of(self.dataset, folder))?)
    }

    /// Whether the default ranks all it can by its candidate ranker, which did not learn from these questions.
    const fn is_not_learned_from(&self) -> bool {
        matches!(self.dataset, DataSet::Locomo | DataSet::DialoguesTest)
    }

    /// Asks all its questions.
    pub(super) fn gather(
        &self,
        folder: &Path,
        equipment: &Equipment,
        observe: &Observer<'_>,
    ) -> Result<Gathered, StudyError> {
        let path = place_of(self.dataset, folder);
        let mut benchmark = self.dataset.load(&path, self.unit)?;
        let cues = if self.cued { Some(Recording::default().read(self.dataset, &path)?) } else { None };
        let cues = cues.map(|cues| (Arc::new(cues), CueIndexing::default()));
        let setup = Setup { cues, ..equipment.setup(Captions::Keep) };
        benchmark.groups.truncate(self.most);
        let mut variants = vec![if self.attributed { attributed(&benchmark) } else { published(&benchmark) }];
        variants.extend(self.removed.then(|| without_gold(&benchmark)));
        let empty = |system, dense| Sample { source: *self, system, dense, cases: Vec::new() };
        let mut samples = [empty("adapted", true), empty("lexical", false)];
        let mut ranked = self.is_not_learned_from().then(|| empty("learned", true));
        for variant in &variants {
            let bench = Bench::new(&variant.benchmark, &setup, observe)?;
            let asked = samples.iter_mut().zip([Pipeline::adapted(), Pipeline::lexical()]);
            for (sample, pipeline) in asked.chain(ranked.iter_mut().map(|sample| (sample, Pipeline::learned()))) {
                sample.cases.extend(ask(&bench, variant, &pipeline, None, observe)?);
            }
        }
        Ok(Gathered { samples, ranked })
    }
}

/// Every question of a variant, asked.
pub(super) fn ask(
    bench: &Bench<'_>,
    variant: &Variant,
    pipeline: &Pipeline,
    reranking: Option<Reranking<'_>>,
    observe: &Observer<'_>,
) -> Result<Vec<Case>, StudyError> {
    let answers = bench.answers(pipeline, reranking, observe)?;
    let places = bench.clusters();
    let asked = variant.benchmark.questions().zip(&variant.kinds).zip(places);
    let case = |(((question, &kind), place), answer): (_, aforesaid::Ranking)| {
        let (question, kind): (&aforesaid_eval::datasets::Question, Kind) = (question, kind);
        let first = answer.hits.first();
        Case {
            question: question.id.clone(),
            history: variant.origins[place],
            kind,
            right: kind.is_answerable() && first.is_some_and(|first| question.gold.contains(&first.id)),
            confidence: answer.confidence,
            fused: first.map_or(0.0, |first| first.score),
            words: first.and_then(|first| first.legs.get("lexical")).map_or(0.0, |hit| hit.score),
        }
    };
    Ok(asked.zip(answers).map(case).collect())
}
