//! An evidence reranker learned from questions, each with the best candidates of a first stage.

use std::{ops::ControlFlow, sync::Arc};

use rayon::prelude::*;
use serde::Serialize;

use super::{
    adam::AdamW,
    checkpoint::{Checkpoint, fingerprint},
    draws::Draws,
    head::Head,
    listwise::listwise,
    network::Network,
    shown::shown,
};
use crate::{
    EvidenceModel, EvidenceRecord, Instructions, ModelError, ModelFiles, Pooling, Precision, Runtime, Threads,
    bert::{BertConfig, Sequence, Tensors},
    evidence::EvidenceHead,
    kernels::Arithmetic,
    tokenizer::TextTokenizer,
};

/// Weights of the first stage that are compared on what is held out.
const WEIGHTS: [f64; 9] = [0.0, 0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 3.0, 4.0];

/// A question with the candidates of a first stage, all as the model reads them.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct EvidenceList {
    /// The question.
    pub query: String,
    /// The candidates.
    pub passages: Vec<String>,
    /// Their scores in the first stage, in standard deviations of all of them.
    pub first_stage: Vec<f64>,
    /// Whether each answers the question.
    pub gold: Vec<bool>,
}

impl EvidenceList {
    /// Whether there is anything to learn from: a candidate that is gold, and one that is not.
    pub fn teaches(&self) -> bool {
        self.gold.contains(&true) && self.gold.contains(&false)
    }
}

/// How an evidence reranker is learned.
#[derive(Debug, Clone, PartialEq)]
pub struct EvidenceSettings {
    /// The reranker to begin with, of the same model and rank; a fresh head and no update where there is none. Whether a candidate
    /// answers is not learned here.
    pub begin: Option<Arc<EvidenceModel>>,
    /// Directions in which each map may change.
    pub rank: usize,
    /// The first stage's weight, in the loss as in the score: what is learned is what the first stage lacks. Where there is
    /// none, logits are learned alone, and the weight that is best for what is held out is kept.
    pub first_stage_weight: Option<f64>,
    /// Candidates of a question in a step, at most: gold, no more than half of them, and others drawn anew each time.
    pub shown: usize,
    /// How often each question is seen, at most.
    pub epochs: usize,
    /// Questions of a step.
    pub batch: usize,
    /// The largest step width. It rises over a tenth of the steps, 100 at most, and falls to 0 at the last.
    pub rate: f32,
    /// What the draws depend on.
    pub seed: u64,
    /// Steps between two looks at what was held out; the best of them is kept.
    pub look_every: usize,
    /// Looks without anything better after which it ends.
    pub patience: usize,
    /// What the products are computed in; the updates are f32 in any case.
    pub precision: Precision,
    /// A cap on the threads that compute.
    pub threads: Threads,
}

impl Default for EvidenceSettings {
    fn default() -> Self {
        Self {
            begin: None,
            rank: 32,
            first_stage_weight: None,
            shown: usize::MAX,
            epochs: 2,
            batch: 8,
            rate: 5e-4,
            seed: 7,
            look_every: 40,
            patience: 4,
            precision: Precision::F32,
            threads: Threads::available(),
        }
    }
}

/// How far training has come.
#[derive(Debug, Clone, PartialEq)]
pub struct EvidenceStep {
    /// Steps done.
    pub step: usize,
    /// Steps there will be, unless it ends early.
    pub steps: usize,
    /// Loss of the step, in nats.
    pub loss: f64,
    /// Where this step looked at it: the mean reciprocal rank of what was held out, with the weight of the first stage that
    /// was asked for, or else the best.
    pub held_out: Option<f64>,
}

/// Checkpoints of a training: where it begins, and where the states of it go.
pub struct Saving<'a> {
    /// A state that an earlier training of the same data and settings left.
    pub resume: Option<&'a [u8]>,
    /// Steps between two states.
    pub every: usize,
    /// Keeps a state.
    pub keep: &'a mut (dyn FnMut(&[u8]) -> Result<(), ModelError> + Send),
}

/// A reranker that was learned, and what it does for the questions held out.
#[derive(Debug, Clone)]
pub struct TrainedEvidence {
    /// The reranker.
    pub model: EvidenceModel,
    /// Its file.
    pub file: Vec<u8>,
    /// Steps that were taken.
    pub steps: usize,
    /// The step that is kept.
    pub best_step: usize,
    /// The reciprocal rank of each question's first gold among its candidates in the order of the first stage; 0 without.
    pub before: Vec<f64>,
    /// The same with the reranker.
    pub after: Vec<f64>,
}

/// The reciprocal rank of the first gold candidate of a list by logits and weighted first-stage scores; 0 without one.
/// Equal candidates keep the order of the list.
pub fn combined_rank(list: &EvidenceList, logits: &[f32], weight: f64) -> f64 {
    let score = |i: usize| f64::from(logits[i]) + weight * list.first_stage[i];
    let ahead =
        |i: usize| (0..logits.len()).filter(|&j| score(j) > score(i) || (score(j) == score(i) && j < i)).count();
    let places = (0..logits.len()).filter(|&i| list.gold[i]).map(ahead);
    places.min().map_or(0.0, |place| 1.0 / (place as f64 + 1.0))
}

/// Learns an evidence reranker, from the model as it was published: what an adapter adds makes vectors, not scores.
///
/// The same input gives the same file on the same processor, whatever the number of threads, and whether it was
/// interrupted. Of what is held out the step and the weight of the first stage with the best mean reciprocal rank are kept;
/// the weight in `record` is replaced. Lists without gold teach nothing and are passed over.
///
/// # Errors
/// When the model cannot be read or is of a shape that cannot be trained, there is nothing to learn from, a state is not of
/// this training, or one cannot be kept.
pub fn train_evidence(
    files: &ModelFiles,
    lists: [&[EvidenceList]; 2],
    record: &EvidenceRecord,
    settings: &EvidenceSettings,
    saving: &mut Saving<'_>,
    observe: &mut (dyn FnMut(&EvidenceStep) -> ControlFlow<()> + Send),
) -> Result<TrainedEvidence, ModelError> {
    settings.threads.pool()?.install(|| {
        let files = &files.clone().published();
        let mut trainer = Trainer::new(files, record, settings)?;
        let [learned, held_out] = lists;
        let taught: Vec<&EvidenceList> = learned.iter().filter(|list| list.teaches()).collect();
        if taught.is_empty() || !held_out.iter().any(EvidenceList::teaches) {
            let found = format!("{} questions to learn from with gold among their candidates", taught.len());
            return Err(unfit(files, found));
        }
        let of_this = fingerprint(&trainer.files.pinned, record, settings, lists);
        let state = match saving.resume {
            Some(bytes) => Checkpoint::read(bytes, &of_this, trainer.parameters.len()),
            None => Ok(Checkpoint::new(of_this, trainer.parameters.clone())),
        };
        let state = state.map_err(|found| unfit(files, found))?;
        trainer.run(&taught, held_out, state, saving, observe)
    })
}

fn unfit(files: &ModelFiles, found: String) -> ModelError {
    let expected =
        "a model of BERT's shape as it was published; questions to learn from and others held out, each with \
                    candidates of which some are gold; and a checkpoint of the same training, if any"
            .to_owned();
    ModelError::Training { model: files.pinned.clone(), found, expected }
}

struct Trainer<'a> {
    files: &'a ModelFiles,
    record: &'a EvidenceRecord,
    settings: &'a EvidenceSettings,
    tokenizer: TextTokenizer,
    network: Network,
    head: Head,
    parameters: Vec<f32>,
}

/// What a look at what was held out found.
struct Look {
    mean: f64,
    weight: f64,
    ranks: Vec<f64>,
}

impl<'a> Trainer<'a> {
    fn new(
        files: &'a ModelFiles,
        record: &'a EvidenceRecord,
        settings: &'a EvidenceSettings,
    ) -> Result<Self, ModelError> {
        let instructions = Runtime::new(settings.precision, settings.threads).instructions;
        let arithmetic = Arithmetic::new(settings.precision, instructions)
            .ok_or_else(|| ModelError::Instructions { asked: instructions, best: Instructions::best() })?;
        let config = BertConfig::load(&files.dir.join("config.json"))?;
        if config.has_relative_bias() {
            return Err(unfit(files, "a model with relative positions".to_owned()));
        }
        let longest = record.max_tokens.min(files.recipe.max_tokens).min(config.max_tokens());
        let tokenizer = TextTokenizer::load(&files.dir.join("tokenizer.json"), longest, config.vocab_size)?;
        let tensors = Tensors::open(&files.dir.join("model.safetensors"))?;
        let network = Network::load(&config, &tensors, &[], Pooling::Cls, settings.rank.max(1), arithmetic)?;
        let head = Head::new(config.hidden_size, network.parameters(), arithmetic.family());
        let mut draws = Draws::new(settings.seed);
        let mut parameters = vec![0.0; head.parameters().end];
        for (range, bound) in network.maps().flat_map(|map| map.random_parameters()) {
            parameters[range].fill_with(|| (2.0 * draws.uniform() as f32 - 1.0) * bound);
        }
        head.begin(&tensors, &mut draws, &mut parameters);
        if let Some(model) = &settings.begin {
            network.begin(model, &mut parameters).map_err(|found| unfit(files, found))?;
            head.begin_from(&model.head, &mut parameters).map_err(|found| unfit(files, found))?;
        }
        Ok(Self { files, record, settings, tokenizer, network, head, parameters })
    }

    fn run(
        &mut self,
        taught: &[&EvidenceList],
        held_out: &[EvidenceList],
        mut state: Checkpoint,
        saving: &mut Saving<'_>,
        observe: &mut (dyn FnMut(&EvidenceStep) -> ControlFlow<()> + Send),
    ) -> Result<TrainedEvidence, ModelError> {
        let learned: Vec<Vec<Sequence>> =
            taught.iter().map(|list| self.pairs(list)).collect::<Result<_, ModelError>>()?;
        let pairs: Vec<Vec<Sequence>> = held_out.iter().map(|list| self.pairs(list)).collect::<Result<_, _>>()?;
        let settings = self.settings;
        let batch = settings.batch.clamp(1, taught.len());
        let of_epoch = taught.len().div_ceil(batch);
        let steps = of_epoch * settings.epochs.max(1);
        let mut adam = AdamW::resumed(std::mem::take(&mut state.means), std::mem::take(&mut state.squares), state.step);
        self.parameters = std::mem::take(&mut state.parameters);
        self.network.prepare(&self.parameters);
        let mut loss = f64::NAN;
        loop {
            let step = state.step;
            let looks = step == steps || (step > 0 && step.is_multiple_of(settings.look_every.max(1)));
            let mut found = None;
            if looks && state.looked_at != Some(step) {
                let look = self.look(held_out, &pairs)?;
                found = Some(look.mean);
                state.take(step, look.mean, &self.parameters);
            }
            let ends = observe(&EvidenceStep { step, steps, loss, held_out: found }).is_break()
                || step >= steps
                || state.looks_since_best >= settings.patience.max(1);
            if ends || (step > 0 && step.is_multiple_of(saving.every.max(1))) {
                let written = state.write(&self.parameters, adam.means());
                (saving.keep)(&written.map_err(|found| unfit(self.files, found))?)?;
            }
            if ends {
                break;
            }
            let order = Draws::new(settings.seed.wrapping_add(1 + (step / of_epoch) as u64)).order(taught.len());
            let chosen: Vec<(usize, Vec<usize>)> = order
                .into_iter()
                .skip(step % of_epoch * batch)
                .take(batch)
                .map(|list| (list, shown(&taught[list].gold, settings, [step, list])))
                .collect();
            let (of_step, gradient) = self.gradient(&chosen, taught, &learned)?;
            loss = of_step;
            adam.step(&mut self.parameters, &gradient, rate(settings, step, steps));
            self.network.prepare(&self.parameters);
            state.step += 1;
        }
        self.finish(taught.len(), held_out, &pairs, state)
    }

    /// What was best, as a file: numbers are rounded there, and what is reported is of the rounded ones.
    fn finish(
        &mut self,
        questions: usize,
        held_out: &[EvidenceList],
        pairs: &[Vec<Sequence>],
        state: Checkpoint,
    ) -> Result<TrainedEvidence, ModelError> {
        if !state.best.is_empty() {
            self.parameters = state.best;
        }
        self.network.prepare(&self.parameters);
        let look = self.look(held_out, pairs)?;
        let record = EvidenceRecord {
            base: self.files.pinned.clone(),
            first_stage_weight: look.weight,
            questions,
            seed: self.settings.seed,
            ..self.record.clone()
        };
        let [dense, bias, row] = self.head.parts().map(|range| self.parameters[range].to_vec());
        let updates = self.network.updates(&self.parameters).collect();
        let written = EvidenceModel::new(&record, &updates, &EvidenceHead { dense, bias, row, answers: None });
        let (model, file) = written.map_err(|found| unfit(self.files, found))?;
        let unranked = |list: &EvidenceList| combined_rank(list, &vec![0.0; list.gold.len()], 1.0);
        let before = held_out.iter().map(unranked).collect();
        Ok(TrainedEvidence { model, file, steps: state.step, best_step: state.best_step, before, after: look.ranks })
    }

    fn pairs(&self, list: &EvidenceList) -> Result<Vec<Sequence>, ModelError> {
        if list.passages.len() != list.gold.len() || list.passages.len() != list.first_stage.len() {
            let [passages, gold, scores] = [list.passages.len(), list.gold.len(), list.first_stage.len()];
            return Err(unfit(self.files, format!("{passages} candidates, {gold} marks of gold and {scores} scores")));
        }
        let pair = |passage: &String| self.tokenizer.pair(&list.query, passage);
        list.passages.iter().map(pair).collect::<Result<_, _>>().map_err(|found| unfit(self.files, found))
    }

    /// The loss of a batch of lists, of each with these candidates, and its derivatives.
    fn gradient(
        &self,
        chosen: &[(usize, Vec<usize>)],
        lists: &[&EvidenceList],
        pairs: &[Vec<Sequence>],
    ) -> Result<(f64, Vec<f32>), ModelError> {
        let share = 1.0 / chosen.len() as f32;
        let weight = self.settings.first_stage_weight.unwrap_or_default();
        let of_list = |(i, shown): &(usize, Vec<usize>)| {
            let texts: Vec<&Sequence> = shown.iter().map(|place| &pairs[*i][*place]).collect();
            let (layers, firsts) = self.network.first_vectors(&texts)?;
            let tape = self.head.forward(firsts, &self.parameters);
            let gold: Vec<bool> = shown.iter().map(|place| lists[*i].gold[*place]).collect();
            let first_stage = shown.iter().map(|place| (weight * lists[*i].first_stage[*place]) as f32);
            let scores: Vec<f32> = tape.scores.iter().zip(first_stage).map(|(logit, first)| logit + first).collect();
            let mut slopes = Vec::with_capacity(texts.len());
            let loss = listwise(&scores, &gold, &mut slopes);
            slopes.iter_mut().for_each(|slope| *slope *= share);
            let mut gradient = vec![0.0; self.parameters.len()];
            let firsts = self.head.backward(&tape, &slopes, &self.parameters, &mut gradient);
            self.network.backward_from(&layers, firsts, &self.parameters, &mut gradient);
            Ok((loss, gradient))
        };
        let found: Vec<(f64, Vec<f32>)> = chosen.par_iter().map(of_list).collect::<Result<_, ModelError>>()?;
        let mut sum = vec![0.0; self.parameters.len()];
        let mut loss = 0.0;
        for (of_list, gradient) in found {
            loss += of_list * f64::from(share);
            sum.iter_mut().zip(gradient).for_each(|(sum, value)| *sum += value);
        }
        Ok((loss, sum))
    }

    /// The reciprocal ranks of what is held out, with the weight of the first stage that is best for their mean.
    fn look(&self, held_out: &[EvidenceList], pairs: &[Vec<Sequence>]) -> Result<Look, ModelError> {
        let logits = |pairs: &Vec<Sequence>| {
            let texts: Vec<&Sequence> = pairs.iter().collect();
            let (_, firsts) = self.network.first_vectors(&texts)?;
            Ok(self.head.forward(firsts, &self.parameters).scores)
        };
        let logits: Vec<Vec<f32>> = pairs.par_iter().map(logits).collect::<Result<_, ModelError>>()?;
        let with = |weight: f64| {
            let ranks: Vec<f64> =
                held_out.iter().zip(&logits).map(|(list, logits)| combined_rank(list, logits, weight)).collect();
            Look { mean: ranks.iter().sum::<f64>() / ranks.len().max(1) as f64, weight, ranks }
        };
        let given = self.settings.first_stage_weight;
        let weights: &[f64] = given.as_ref().map_or(&WEIGHTS, std::slice::from_ref);
        let mut best = Look { mean: f64::NEG_INFINITY, weight: 0.0, ranks: Vec::new() };
        for look in weights.iter().map(|weight| with(*weight)) {
            // The first of the best: less of the first stage where more is no better.
            if look.mean > best.mean {
                best = look;
            }
        }
        Ok(best)
    }
}

/// The step width of a step.
fn rate(settings: &EvidenceSettings, step: usize, steps: usize) -> f32 {
    let rising = (steps as f32 / 10.0).clamp(1.0, 100.0);
    let (step, steps, rate) = (step as f32, steps as f32, settings.rate);
    if step < rising { rate * (step + 1.0) / rising } else { rate * (steps - step) / (steps - rising).max(1.0) }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use aforesaid_core::rerank::PairForm;

    use super::*;

    fn tiny() -> (tempfile::TempDir, ModelFiles) {
        let cache = tempfile::tempdir().unwrap();
        let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/reference/tiny");
        let files = crate::from_directory(&dir, cache.path()).unwrap();
        (cache, files)
    }

    fn record() -> EvidenceRecord {
        EvidenceRecord {
            base: String::new(),
            form: PairForm::Turn,
            max_tokens: 256,
            first_stage_weight: 0.0,
            first_stage: "hybrid".to_owned(),
            trained_on: vec!["a test".to_owned()],
            questions: 0,
            seed: 0,
            reads_english: false,
        }
    }

    fn list(gold: usize) -> EvidenceList {
        let passages = ["ba co di", "fu ge ha jo", "ki lu"].map(str::to_owned).to_vec();
        EvidenceList {
            query: "me no pa?".to_owned(),
            gold: (0..passages.len()).map(|i| i == gold).collect(),
            first_stage: vec![0.0; passages.len()],
            passages,
        }
    }

    /// A trainer whose parameters are all away from 0, as after some steps.
    fn trainer<'a>(files: &'a ModelFiles, record: &'a EvidenceRecord, settings: &'a EvidenceSettings) -> Trainer<'a> {
        let mut trainer = Trainer::new(files, record, settings).unwrap();
        let count = trainer.parameters.len();
        trainer.parameters = (0..count).map(|i| ((i * 7919) % 211) as f32 / 211.0 * 0.4 - 0.2).collect();
        trainer.network.prepare(&trainer.parameters);
        trainer
    }

    #[test]
    fn every_parameter_is_learned_and_derivatives_are_those_of_small_steps() {
        let (_cache, files) = tiny();
        let record = record();
        let settings = EvidenceSettings {
            rank: 3,
            first_stage_weight: Some(0.5),
            precision: Precision::F32,
            ..EvidenceSettings::default()
        };
        let whole = [0, 1].map(|list| (list, vec![0, 1, 2]));
        let mut trainer = trainer(&files, &record, &settings);
        let lists = [list(0), list(2)];
        let lists: Vec<&EvidenceList> = lists.iter().collect();
        let pairs: Vec<_> = lists.iter().map(|list| trainer.pairs(list).unwrap()).collect();
        let (loss, gradient) = trainer.gradient(&whole, &lists, &pairs).unwrap();
        assert!(loss > 0.0);
        let silent = gradient.iter().filter(|slope| **slope == 0.0).count();
        assert_eq!(silent, 0, "of {}", gradient.len());
        let parts: Vec<_> = trainer.network.maps().map(|map| map.parameters()).chain(trainer.head.parts()).collect();
        assert_eq!(parts.last().unwrap().end, trainer.parameters.len());
        for part in parts {
            let largest = part.clone().max_by(|a, b| gradient[*a].abs().total_cmp(&gradient[*b].abs())).unwrap();
            for i in [largest, part.start, part.end - 1] {
                let mut moved = |step: f32| {
                    let before = trainer.parameters[i];
                    trainer.parameters[i] += step;
                    trainer.network.prepare(&trainer.parameters);
                    let (loss, _) = trainer.gradient(&whole, &lists, &pairs).unwrap();
                    trainer.parameters[i] = before;
                    loss
                };
                let expected = (moved(2e-2) - moved(-2e-2)) / 4e-2;
                let (found, scale) = (f64::from(gradient[i]), f64::from(gradient[largest].abs()));
                assert!((found - expected).abs() < 0.03 * scale + 2e-5, "{part:?} {i}: {found} {expected}");
            }
        }
    }

    #[test]
    fn ranks_count_ties_by_the_order_of_the_list() {
        let list = EvidenceList { gold: vec![false, true, true], first_stage: vec![1.0, 0.0, -1.0], ..list(0) };
        assert_eq!(combined_rank(&list, &[0.0; 3], 1.0), 0.5);
        assert_eq!(combined_rank(&list, &[0.0; 3], 0.0), 0.5);
        assert_eq!(combined_rank(&list, &[0.0, 0.0, 2.5], 1.0), 1.0);
        assert_eq!(combined_rank(&EvidenceList { gold: vec![false; 3], ..list }, &[0.0; 3], 1.0), 0.0);
    }

    #[test]
    fn the_step_width_rises_and_falls() {
        let settings = EvidenceSettings { rate: 1.0, ..EvidenceSettings::default() };
        assert_eq!(rate(&settings, 0, 100), 0.1);
        assert_eq!(rate(&settings, 10, 100), 1.0);
        assert_eq!(rate(&settings, 55, 100), 0.5);
        // The rise ends after 100 steps at the latest.
        assert_eq!(rate(&settings, 100, 5000), 1.0);
    }
}
