//! What the default is measured on: data sets on a unit.

use std::path::Path;

use aforesaid::{
    Pipeline,
    formats::Captions,
    types::{Draft, Granularity},
};

use super::gains::Resampling;
use crate::StudyError;
use aforesaid_eval::{
    datasets::{Benchmark, DataError, DataSet},
    experiments::{Bench, Observer, System},
    measures::{Evaluation, Measure, Qrels, evaluate},
    recipe::{Equipment, something_to_measure},
};

const HIT_1: Measure = Measure::STANDARD[0];
const RECALL_5: Measure = Measure::STANDARD[4];
const RECALL_10: Measure = Measure::STANDARD[5];

/// Everything that some table shows.
const MEASURES: [Measure; 4] = [HIT_1, RECALL_5, RECALL_10, Measure::Mrr];

/// A data set on a unit, and what is reported of it.
#[derive(Debug, PartialEq)]
pub(super) struct Plan {
    pub(super) name: &'static str,
    pub(super) dataset: DataSet,
    pub(super) unit: Granularity,
    /// With MRR among them.
    pub(super) measures: &'static [Measure],
}

/// Where pieces, references and fusions are compared.
pub(super) const PLANS: [Plan; 5] = [
    plan("LoCoMo sessions", DataSet::Locomo, Granularity::Session, &[HIT_1, RECALL_5, Measure::Mrr]),
    plan("LoCoMo turns", DataSet::Locomo, Granularity::Turn, &[RECALL_5, RECALL_10, Measure::Mrr]),
    plan("RealMem sessions", DataSet::RealMem, Granularity::Session, &[Measure::Mrr]),
    plan("BEAM turns", DataSet::Beam, Granularity::Turn, &[Measure::Mrr]),
    plan("LongMemEval pooled, turns", DataSet::LongMemEvalPooled, Granularity::Turn, &[Measure::Mrr]),
];

/// The corrected gold of LoCoMo, for the references only.
pub(super) const AUDITED: [Plan; 2] = [
    plan("LoCoMo sessions, audited", DataSet::LocomoAudit, Granularity::Session, &[HIT_1, RECALL_5, Measure::Mrr]),
    plan("LoCoMo turns, audited", DataSet::LocomoAudit, Granularity::Turn, &[RECALL_5, RECALL_10, Measure::Mrr]),
];

const fn plan(name: &'static str, dataset: DataSet, unit: Granularity, measures: &'static [Measure]) -> Plan {
    Plan { name, dataset, unit, measures }
}

/// A plan with its data.
pub(super) struct Ground {
    pub(super) plan: &'static Plan,
    pub(super) benchmark: Benchmark,
    pub(super) data: String,
}

impl Plan {
    /// Reads its data from the folder of its data set in `folder`; `None` where they are not there.
    pub(super) fn load(&'static self, folder: &Path) -> Result<Option<Ground>, StudyError> {
        let path = folder.join(self.dataset.folder());
        let benchmark = match self.dataset.load(&path, self.unit) {
            Err(DataError::NotFound { .. }) => return Ok(None),
            loaded => loaded?,
        };
        something_to_measure(&benchmark)?;
        Ok(Some(Ground { plan: self, benchmark, data: self.dataset.fingerprint(&path)? }))
    }
}

impl Ground {
    fn has_captions(&self) -> bool {
        let captioned = |draft: &Draft| matches!(draft, Draft::Turn(turn) if turn.image_caption.is_some());
        self.benchmark.groups.iter().flat_map(|group| &group.memories).any(captioned)
    }
}

/// A ground in memory, ready to be asked.
pub(super) struct Stage<'a> {
    pub(super) ground: &'a Ground,
    whole: Bench<'a>,
    /// Without image captions, where the data have some.
    captionless: Option<Bench<'a>>,
    qrels: Qrels,
    observe: &'a Observer<'a>,
}

impl<'a> Stage<'a> {
    pub(super) fn new(
        ground: &'a Ground,
        equipment: &Equipment,
        observe: &'a Observer<'a>,
    ) -> Result<Self, StudyError> {
        let bench = |captions| Bench::new(&ground.benchmark, &equipment.setup(captions), observe);
        Ok(Self {
            ground,
            whole: bench(Captions::Keep)?,
            captionless: ground.has_captions().then(|| bench(Captions::Drop)).transpose()?,
            qrels: ground.benchmark.qrels()?,
            observe,
        })
    }

    /// The group of each question.
    pub(super) fn clusters(&self) -> Vec<usize> {
        self.whole.clusters()
    }

    pub(super) fn resampling(&self) -> Resampling {
        Resampling::of(self.clusters())
    }

    pub(super) fn has_captions(&self) -> bool {
        self.captionless.is_some()
    }

    /// Measures a pipeline.
    pub(super) fn evaluate(
        &self,
        name: &str,
        pipeline: &Pipeline,
        captions: Captions,
    ) -> Result<Evaluation, StudyError> {
        let bench = match captions {
            Captions::Keep => &self.whole,
            // Where there are no captions, nothing is left out.
            Captions::Drop => self.captionless.as_ref().unwrap_or(&self.whole),
        };
        let run = bench.run(name, |_| pipeline, self.observe)?;
        Ok(evaluate(&run, &self.qrels, &MEASURES)?)
    }

    /// Measures a system whose weights are given.
    pub(super) fn system(&self, spec: &str) -> Result<Evaluation, StudyError> {
        let system: System = spec.parse()?;
        self.evaluate(&system.name, &system.pipeline, system.captions)
    }
}
