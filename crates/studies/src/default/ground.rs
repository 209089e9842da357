//! What the default is measured on: data sets on a unit.

use std::path::Path;

use aforesaid::{Pipeline, types::Granularity};

use super::{
    corpus::{Contents, Corpus, Windows},
    gains::Resampling,
};
use crate::{StudyError, place_of};
use aforesaid_eval::{
    EvalError,
    datasets::{Benchmark, DataError, DataSet},
    experiments::{Bench, Observer, Setup, System},
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
pub(super) const PLANS: [Plan; 6] = [
    plan("LoCoMo sessions", DataSet::Locomo, Granularity::Session, &[HIT_1, RECALL_5, Measure::Mrr]),
    plan("LoCoMo turns", DataSet::Locomo, Granularity::Turn, &[RECALL_5, RECALL_10, Measure::Mrr]),
    plan("RealMem sessions", DataSet::RealMem, Granularity::Session, &[Measure::Mrr]),
    plan("BEAM turns", DataSet::Beam, Granularity::Turn, &[Measure::Mrr]),
    plan("LongMemEval pooled, turns", DataSet::LongMemEvalPooled, Granularity::Turn, &[Measure::Mrr]),
    plan("dialogues dev, turns", DataSet::DialoguesDev, Granularity::Turn, &[HIT_1, RECALL_10, Measure::Mrr]),
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
    /// Reads its data from the repository, or from the folder of its data set in `folder`; `None` where they are not there.
    pub(super) fn load(&'static self, folder: &Path) -> Result<Option<Ground>, StudyError> {
        let path = place_of(self.dataset, folder);
        let benchmark = match self.dataset.load(&path, self.unit) {
            Err(DataError::NotFound { .. }) => return Ok(None),
            loaded => loaded?,
        };
        something_to_measure(&benchmark)?;
        Ok(Some(Ground { plan: self, benchmark, data: self.dataset.fingerprint(&path)? }))
    }
}

/// A ground in memory, ready to be asked.
pub(super) struct Stage<'a> {
    pub(super) ground: &'a Ground,
    contents: Contents,
    /// The whole corpus first.
    benches: Vec<(Corpus, Bench<'a>)>,
    qrels: Qrels,
    observe: &'a Observer<'a>,
}

impl<'a> Stage<'a> {
    pub(super) fn new(
        ground: &'a Ground,
        equipment: &Equipment,
        observe: &'a Observer<'a>,
    ) -> Result<Self, StudyError> {
        let encoder = equipment.encoder.as_ref().map_err(|reason| EvalError::NoEncoder {
            system: "the study of the default".to_owned(),
            reason: reason.clone(),
        })?;
        let contents = Contents::of(&ground.benchmark, &**encoder);
        let bench = |corpus: Corpus| -> Result<(Corpus, Bench<'a>), StudyError> {
            let setup = Setup { encoder: Ok(corpus.encoder(encoder)), ..equipment.setup(corpus.captions) };
            Ok((corpus, Bench::new(&ground.benchmark, &setup, observe)?))
        };
        Ok(Self {
            ground,
            contents,
            benches: contents.corpora().into_iter().map(bench).collect::<Result<_, _>>()?,
            qrels: ground.benchmark.qrels()?,
            observe,
        })
    }

    /// The group of each question.
    pub(super) fn clusters(&self) -> Vec<usize> {
        self.benches[0].1.clusters()
    }

    pub(super) fn resampling(&self) -> Resampling {
        Resampling::of(self.clusters())
    }

    /// Whether leaving something out makes another corpus of it.
    pub(super) fn differs_without(&self, corpus: Corpus) -> bool {
        self.contents.of_corpus(corpus) != Corpus::WHOLE
    }

    /// Measures a pipeline.
    pub(super) fn evaluate(&self, name: &str, pipeline: &Pipeline, corpus: Corpus) -> Result<Evaluation, StudyError> {
        let corpus = self.contents.of_corpus(corpus);
        let found = self.benches.iter().find(|(other, _)| *other == corpus);
        let (_, bench) = found.unwrap_or(&self.benches[0]);
        let run = bench.run(name, |_| pipeline, self.observe)?;
        Ok(evaluate(&run, &self.qrels, &MEASURES)?)
    }

    /// Measures a system whose weights are given.
    pub(super) fn system(&self, spec: &str) -> Result<Evaluation, StudyError> {
        let system: System = spec.parse()?;
        let corpus = Corpus { captions: system.captions, windows: Windows::Each };
        self.evaluate(&system.name, &system.pipeline, corpus)
    }
}
