//! One split: the rankers and the reranker of its dev side, on its test side.

use std::{fs, ops::ControlFlow, path::Path, sync::Arc};

use aforesaid::{
    Pipeline, Reranking,
    models::{
        EvidenceModel, EvidenceRecord, PairScorer,
        training::{CheckpointFile, EvidenceList, EvidenceStep, Saving, TrainedEvidence, train_evidence},
    },
    pipeline::candidate::{CandidateRanker, CandidateStage},
    rerank::{CrossEncoderReranker, RerankCandidate, Reranker},
};

use serde_json::json;

use super::{
    EvidenceScope, EvidenceStudy,
    arms::{Arm, Damaged, Remembering},
    scalar::Scalars,
};
use crate::{FoundList, StudyError, turns::Side};
use aforesaid_eval::{
    EvalError,
    datasets::Question,
    experiments::{Bench, Observer, Step},
    learning::{Boosting, CandidateTraining, EvidenceExample, Example, Trained},
    measures::{Qrels, Run},
    recipe::Equipment,
};

/// Steps between two checkpoints.
const SAVE_EVERY: usize = 25;

pub(super) struct SplitTraining<'a> {
    pub(super) study: &'a EvidenceStudy<'a>,
    pub(super) bench: &'a Bench<'a>,
    pub(super) examples: &'a [Example],
    pub(super) side: &'a Side,
    pub(super) pipeline: &'a Pipeline,
}

/// What a split came to.
pub(super) struct FoundSplit {
    /// Test rankings by system; the candidate ranker's first.
    pub(super) runs: Vec<(&'static str, Run)>,
    /// Searches whose first ten and whose rest were compared.
    pub(super) checked: usize,
    /// What was trained.
    pub(super) note: Option<String>,
}

impl SplitTraining<'_> {
    pub(super) fn run(
        &self,
        cued: bool,
        equipment: &Equipment,
        observe: &Observer<'_>,
    ) -> Result<FoundSplit, StudyError> {
        let dev: Vec<Example> = self.examples.iter().filter(|example| self.side.dev[example.group]).cloned().collect();
        let seed = self.side.seed;
        let boosting = Boosting { seed, ..Boosting::default() };
        let training = CandidateTraining {
            sources: &[],
            pipeline: self.pipeline,
            boosting,
            among_people: false,
            plain_queries: false,
        };
        let encoder = equipment
            .encoder
            .as_ref()
            .map_err(|reason| EvalError::NoEncoder { system: self.pipeline.name.clone(), reason: reason.clone() })?;
        let name = vec![format!("locomo, dev side of split {seed}")];
        let threads = (equipment.threads.get(), observe);
        let Trained { ranker, without, .. } = training.learn(&dev, encoder.id(), name, threads)?;
        let staged = |ranker: &CandidateRanker| {
            self.pipeline.clone().with_stage(CandidateStage::Ranker(Arc::new(ranker.clone())))
        };
        let unseen: Vec<Option<Pipeline>> =
            (0..self.side.dev.len()).map(|group| without.get(&group).map(staged)).collect();
        let learned = staged(&ranker);
        let shown = (CrossEncoderReranker::DEPTH, self.study.form.neighbours());
        let path = self.study.models.join(format!("split-{seed}.safetensors"));
        let needs_dev =
            !path.is_file() || self.study.scope == EvidenceScope::Lists || self.study.scope == EvidenceScope::Full;
        let dev_candidates = match needs_dev && !cued {
            true => self.bench.rerank_candidates(|group| unseen[group].as_ref(), shown, observe)?,
            false => Vec::new(),
        };
        if self.study.scope == EvidenceScope::Lists {
            let lists = path.with_extension("jsonl");
            write(&lists, &self.written(&dev_candidates))?;
            let note = Some(format!("Lists of split {seed} are in {}.", lists.display()));
            return Ok(FoundSplit { runs: Vec::new(), checked: 0, note });
        }
        let mut note = None;
        if !path.is_file() {
            let kept = CheckpointFile::of(&path);
            let trained = self.train(&dev_candidates, &kept, observe)?;
            note = Some(described(seed, &trained, self.study.settings.first_stage_weight.is_some()));
            write(&path, &trained.file)?;
            kept.remove()?;
        }
        let model = EvidenceModel::read(&path)?;
        let record = model.record();
        let scorer = model.load(self.study.files.clone(), &format!("split-{seed}"), self.study.runtime)?;
        let scorer: Arc<dyn PairScorer> = Arc::new(Remembering::new(Arc::new(scorer)));
        let reranker = record.reranker(Arc::clone(&scorer));
        let test = |group: usize| (!self.side.dev[group]).then_some(&learned);
        let (first, _) = self.bench.reranked_where("ranker", test, None, observe)?;
        let rerank = |name: &str, reranker: &dyn Reranker| -> Result<Run, StudyError> {
            let (run, skipped) = self.bench.reranked_where(name, test, Some(Reranking::new(reranker)), observe)?;
            match skipped {
                0 => Ok(run),
                _ => {
                    Err(EvalError::Scorer(format!("{name}: {skipped} questions were not reranked; expected none"))
                        .into())
                }
            }
        };
        let cascade = rerank("cascade", &reranker)?;
        let checked = same_sets(&first, &cascade)?;
        let oracle = oracle(&first, &self.bench.benchmark().qrels()?)?;
        let mut runs = vec![("candidate ranker", first), ("and the evidence reranker", cascade)];
        if self.study.scope == EvidenceScope::Full && !cued {
            let bare = EvidenceRecord { first_stage_weight: 0.0, ..record.clone() }.reranker(scorer);
            runs.push(("the same by logits alone", rerank("full_text", &bare)?));
            let others: Vec<RerankCandidate> = dev_candidates.iter().flatten().cloned().collect();
            for arm in Arm::ALL {
                runs.push((arm.name(), rerank(arm.name(), &Damaged { arm, inner: &bare, others: &others })?));
            }
            let lists: Vec<(&[RerankCandidate], Vec<bool>)> =
                self.asked(&dev_candidates).map(|(question, _, list)| (list, gold(question, list))).collect();
            runs.push(("scalar_only", rerank("scalar_only", &Scalars::learn(&lists))?));
        }
        runs.push(("oracle order of the ten", oracle));
        Ok(FoundSplit { runs, checked, note })
    }

    /// Questions with their group and candidates, where there are some.
    fn asked<'c>(
        &self,
        candidates: &'c [Vec<RerankCandidate>],
    ) -> impl Iterator<Item = (&Question, usize, &'c [RerankCandidate])> {
        let asked = self.bench.benchmark().questions().zip(self.bench.clusters()).zip(candidates);
        asked.filter(|(_, list)| !list.is_empty()).map(|((question, group), list)| (question, group, list.as_slice()))
    }

    /// The lists of the dev side as JSON lines.
    fn written(&self, candidates: &[Vec<RerankCandidate>]) -> Vec<u8> {
        let groups = &self.bench.benchmark().groups;
        let found = self.asked(candidates).map(|(question, group, list)| FoundList {
            kind: format!("dev side of split {}", self.side.seed),
            history: groups[group].id.clone(),
            held_out: false,
            list: EvidenceExample::of(question, list, group, self.study.form).list,
        });
        found.flat_map(|found| [json!(found).to_string().into_bytes(), vec![b'\n']].concat()).collect()
    }

    /// Learns from all groups of the dev side but the last, which chooses the step and the first stage's weight; where the
    /// weight is given, from all of them, to the last step.
    fn train(
        &self,
        candidates: &[Vec<RerankCandidate>],
        kept: &CheckpointFile,
        observe: &Observer<'_>,
    ) -> Result<TrainedEvidence, StudyError> {
        let seed = self.side.seed;
        let chooses = self.side.dev.iter().rposition(|dev| *dev);
        let all: Vec<EvidenceExample> = self
            .asked(candidates)
            .map(|(question, group, list)| EvidenceExample::of(question, list, group, self.study.form))
            .collect();
        let is_fixed = self.study.settings.first_stage_weight.is_some();
        let lists = |chosen: bool| -> Vec<EvidenceList> {
            let wanted = |of: &&EvidenceExample| (Some(of.group) == chooses) == chosen || (is_fixed && !chosen);
            all.iter().filter(wanted).map(|of| of.list.clone()).collect()
        };
        let record = EvidenceRecord {
            base: self.study.files.pinned.clone(),
            form: self.study.form,
            max_tokens: self.study.max_tokens,
            first_stage_weight: 0.0,
            first_stage: format!("{} with the ranker of the dev side", self.pipeline.name),
            trained_on: vec![format!("locomo, dev side of split {seed}")],
            questions: 0,
            seed,
            reads_english: true,
        };
        let state = kept.read()?;
        let mut keep = |bytes: &[u8]| kept.write(bytes);
        let mut saving = Saving { resume: state.as_deref(), every: SAVE_EVERY, keep: &mut keep };
        let mut watch = |step: &EvidenceStep| {
            observe(Step { work: "learning to rerank", done: step.step, total: step.steps });
            ControlFlow::Continue(())
        };
        let look_every = if is_fixed { usize::MAX } else { self.study.settings.look_every };
        let settings = super::EvidenceSettings { seed, look_every, ..self.study.settings.clone() };
        let (learned, chosen) = (lists(false), lists(true));
        Ok(train_evidence(self.study.files, [&learned, &chosen], &record, &settings, &mut saving, &mut watch)?)
    }
}

fn gold(question: &Question, list: &[RerankCandidate]) -> Vec<bool> {
    list.iter().map(|candidate| question.gold.contains(&candidate.id)).collect()
}

fn described(seed: u64, trained: &TrainedEvidence, is_fixed: bool) -> String {
    let record = trained.model.record();
    if is_fixed {
        let (questions, weight) = (record.questions, record.first_stage_weight);
        return format!(
            "Seed {seed}: {questions} questions, all {} steps, first stage's weight {weight}.",
            trained.steps
        );
    }
    let mean = |ranks: &[f64]| ranks.iter().sum::<f64>() / ranks.len().max(1) as f64;
    format!(
        "Seed {seed}: {} questions, step {} of {} kept, first stage's weight {}; MRR of the group that chose {:.4} before and \
         {:.4} after.",
        record.questions,
        trained.best_step,
        trained.steps,
        record.first_stage_weight,
        mean(&trained.before),
        mean(&trained.after)
    )
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), StudyError> {
    fs::write(path, bytes)
        .map_err(|error| StudyError::Data { path: path.to_owned(), found: format!("it cannot be written: {error}") })
}

/// Compares the first ten as a set and the rest as a list; returns how many questions were compared.
pub(crate) fn same_sets(first: &Run, cascade: &Run) -> Result<usize, StudyError> {
    let depth = CrossEncoderReranker::DEPTH.get();
    let mut compared = 0;
    for (question, before) in first.rankings() {
        let after = cascade.ranking(question).unwrap_or_default();
        let ids = |of: &[(String, f64)]| of.iter().map(|(id, _)| id.clone()).collect::<Vec<String>>();
        let (before, after) = (ids(before), ids(after));
        let split = depth.min(before.len()).min(after.len());
        let sorted = |of: &[String]| {
            let mut of = of.to_vec();
            of.sort();
            of
        };
        if sorted(&before[..split]) != sorted(&after[..split]) || before[split..] != after[split..] {
            return Err(EvalError::Scorer(format!(
                "question {question}: the reranker changed more than the order of ten"
            ))
            .into());
        }
        compared += 1;
    }
    Ok(compared)
}

/// The rankings with gold of the first ten in front.
fn oracle(first: &Run, qrels: &Qrels) -> Result<Run, StudyError> {
    let mut run = Run::new("oracle").map_err(EvalError::from)?;
    for (question, ranking) in first.rankings() {
        let gold: Vec<&str> = qrels.gold(question).collect();
        let (ten, rest) = ranking.split_at(CrossEncoderReranker::DEPTH.get().min(ranking.len()));
        let (golden, others): (Vec<_>, Vec<_>) = ten.iter().partition(|(id, _)| gold.contains(&id.as_str()));
        let ids = golden.into_iter().chain(others).chain(rest).map(|(id, _)| id.clone());
        let count = ranking.len();
        let scored = ids.enumerate().map(|(place, id)| (id, (count - place) as f64)).collect::<Vec<_>>();
        run.rank(question, scored).map_err(EvalError::from)?;
    }
    Ok(run)
}
