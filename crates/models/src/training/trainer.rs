//! Steps over batches, with a look at what was held out.

use std::{collections::BTreeSet, ops::ControlFlow};

use aforesaid_core::Encoder;
use rayon::prelude::*;

use super::{
    adam::AdamW,
    among_all::{Passages, Taught},
    choice::mean,
    contrast::{Teacher, contrast},
    draws::Draws,
    negatives::hard_negatives,
    network::{Network, Tape},
    sets::{ReadSet, TrainingPair, TrainingSet, all_answers},
    settings::TrainingSettings,
};
use crate::{
    BertEncoder, Instructions, ModelError, ModelFiles, Runtime,
    adapter::{Adapter, ReadWith},
    bert::{BertConfig, Sequence, Tensors},
    inference::batches,
    kernels::Arithmetic,
    tokenizer::TextTokenizer,
};

/// Tokens of one forward pass; texts of several passes run at once, one a thread.
const PASS_TOKENS: usize = 512;

/// How far training has come.
#[derive(Debug, Clone, PartialEq)]
pub struct TrainingStep {
    /// Steps done.
    pub step: usize,
    /// Steps there will be.
    pub steps: usize,
    /// Loss of the step, in nats.
    pub loss: f64,
    /// Where this step looked at it: the mean reciprocal rank of each set that was held out, in [0, 1].
    pub held_out: Option<Vec<f64>>,
}

/// An adapter that was learned, and what it does for the questions held out.
#[derive(Debug, Clone)]
pub struct Trained {
    /// The adapter.
    pub adapter: Adapter,
    /// Its file.
    pub file: Vec<u8>,
    /// Of each set held out, the reciprocal rank of each question's first answer without the adapter; in [0, 1].
    pub before: Vec<Vec<f64>>,
    /// The same with it.
    pub after: Vec<Vec<f64>>,
}

/// Learns an adapter. Where the model has one, learning goes on from it: what is learned for queries and passages comes with it
/// in one file, an adapter of the published model; a query adapter belongs to the model with the adapter.
///
/// The same input gives the same adapter on the same processor, whatever the number of threads. Where sets are held out
/// the best step is kept, and step 0, which changes nothing, is one of them.
///
/// # Errors
/// When the model cannot be read, is of a shape that cannot be trained, or there is nothing to learn from.
pub fn train(
    files: &ModelFiles,
    sets: &[TrainingSet],
    held_out: &[TrainingSet],
    note: &str,
    settings: &TrainingSettings,
    observe: &mut (dyn FnMut(&TrainingStep) -> ControlFlow<()> + Send),
) -> Result<Trained, ModelError> {
    let pool = settings.threads.pool()?;
    pool.install(|| {
        let asks_base = sets.iter().any(|set| set.base_share > 0.0);
        let mut trainer = Trainer::new(files, settings, asks_base)?;
        let mut sets = trainer.read(sets)?;
        let held_out = trainer.read(held_out)?;
        match settings.read_with {
            ReadWith::Both => trainer.mine(&mut sets)?,
            ReadWith::Queries => {}
        }
        let [before, after] = trainer.run(&sets, &held_out, observe)?;
        let updates = trainer.network.updates(&trainer.best).collect();
        let written = match settings.read_with {
            ReadWith::Queries => Adapter::new(&files.pinned, note, settings.read_with, updates),
            ReadWith::Both => Adapter::after(&files.adapters, &files.clone().published().pinned, note, updates),
        };
        let (adapter, file) = written.map_err(|found| unfit(files, found))?;
        Ok(Trained { adapter, file, before, after })
    })
}

fn unfit(files: &ModelFiles, found: String) -> ModelError {
    let expected =
        "a model of BERT's shape as it was published, and sets with two questions or more, each with its passage"
            .to_owned();
    ModelError::Training { model: files.pinned.clone(), found, expected }
}

struct Trainer<'a> {
    files: &'a ModelFiles,
    settings: &'a TrainingSettings,
    tokenizer: TextTokenizer,
    network: Network,
    /// The model as it is before the first step, where a set asks for it.
    base: Option<Network>,
    /// The model as it runs, where passages keep their vectors.
    encoder: Option<BertEncoder>,
    parameters: Vec<f32>,
    best: Vec<f32>,
    draws: Draws,
}

impl<'a> Trainer<'a> {
    fn new(files: &'a ModelFiles, settings: &'a TrainingSettings, asks_base: bool) -> Result<Self, ModelError> {
        let runtime = Runtime::new(settings.precision, settings.threads);
        let asked = runtime.instructions;
        let arithmetic = Arithmetic::new(settings.precision, asked)
            .ok_or_else(|| ModelError::Instructions { asked, best: Instructions::best() })?;
        let config = BertConfig::load(&files.dir.join("config.json"))?;
        if config.has_relative_bias() {
            return Err(unfit(files, "a model with relative positions".to_owned()));
        }
        let longest = settings.max_tokens.min(files.recipe.max_tokens).min(config.max_tokens());
        let tokenizer = TextTokenizer::load(&files.dir.join("tokenizer.json"), longest, config.vocab_size)?;
        let tensors = Tensors::open(&files.dir.join("model.safetensors"))?;
        let load = || {
            Network::load(&config, &tensors, &files.adapters, files.recipe.pooling, settings.rank.max(1), arithmetic)
        };
        let network = load()?;
        let mut draws = Draws::new(settings.seed);
        let mut parameters = vec![0.0; network.parameters()];
        for (range, bound) in network.maps().flat_map(|map| map.random_parameters()) {
            parameters[range].fill_with(|| (2.0 * draws.uniform() as f32 - 1.0) * bound);
        }
        let mut base = if asks_base { Some(load()?) } else { None };
        if let Some(base) = &mut base {
            base.prepare(&parameters);
        }
        let encoder = match settings.read_with {
            ReadWith::Both => None,
            ReadWith::Queries => Some(BertEncoder::load(files, runtime)?),
        };
        let best = parameters.clone();
        Ok(Self { files, settings, tokenizer, network, base, encoder, best, parameters, draws })
    }

    fn read(&self, sets: &[TrainingSet]) -> Result<Vec<ReadSet>, ModelError> {
        let recipe = &self.files.recipe;
        let forms = |prefix: &str, forms: &[String]| -> Result<Vec<Sequence>, ModelError> {
            let read = |text: &String| self.tokenizer.text(&format!("{prefix}{text}"));
            forms.iter().map(read).collect::<Result<_, _>>().map_err(|found| unfit(self.files, found))
        };
        let fixed = self.fixed_vectors(sets)?;
        let set = |(set, fixed): (&TrainingSet, Vec<f32>)| {
            let read: Result<Vec<_>, _> =
                set.passages.iter().map(|passage| forms(&recipe.passage_prefix, passage)).collect();
            let questions: Result<Vec<_>, _> =
                set.pairs.iter().map(|pair| forms(&recipe.query_prefix, &pair.questions)).collect();
            let is_there = |place: &usize| *place < set.passages.len();
            let fits = |pair: &TrainingPair| {
                is_there(&pair.passage) && pair.also.iter().all(is_there) && !pair.questions.is_empty()
            };
            if !set.pairs.iter().all(fits) || set.passages.iter().any(Vec::is_empty) {
                return Err(unfit(self.files, format!("a pair of {:?} without a question or a passage", set.name)));
            }
            Ok(ReadSet {
                passages: read?,
                questions: questions?,
                targets: set.pairs.iter().map(|pair| pair.passage).collect(),
                also: all_answers(set),
                weight: set.weight.max(0.0),
                negatives: set.negatives,
                base_share: set.base_share.clamp(0.0, 1.0),
                hard: Vec::new(),
                fixed,
            })
        };
        sets.iter().zip(fixed).map(set).collect()
    }

    /// Of each set the vectors that the model gives to its passages, where they keep them.
    ///
    /// Sets of one history share their passages, so that each text is encoded once.
    fn fixed_vectors(&self, sets: &[TrainingSet]) -> Result<Vec<Vec<f32>>, ModelError> {
        let Some(encoder) = &self.encoder else { return Ok(vec![Vec::new(); sets.len()]) };
        let firsts: Vec<Vec<&str>> = sets.iter().map(first_forms).collect();
        let texts: Vec<&str> = firsts.iter().flatten().copied().collect::<BTreeSet<_>>().into_iter().collect();
        let vectors = encoder.encode_passages(&texts).map_err(|error| unfit(self.files, error.message))?;
        let dim = self.network.dim();
        let vector = |text: &&str| {
            let place = texts.binary_search(text).ok();
            place.map_or(&[][..], |place| &vectors.as_slice()[place * dim..][..dim])
        };
        Ok(firsts.iter().map(|texts| texts.iter().flat_map(vector).copied().collect()).collect())
    }

    /// Looks for hard passages with the model as it is before the first step.
    fn mine(&mut self, sets: &mut [ReadSet]) -> Result<(), ModelError> {
        self.network.prepare(&self.parameters);
        for set in sets.iter_mut().filter(|set| set.negatives > 0 && set.weight > 0.0) {
            let first = |forms: &Vec<Vec<Sequence>>| forms.iter().map(|forms| forms[0].clone()).collect::<Vec<_>>();
            let (questions, passages) = (self.vectors(&first(&set.questions))?, self.vectors(&first(&set.passages))?);
            let answers = |question: usize, place: usize| set.answers(question, place);
            set.hard = hard_negatives(&questions, &passages, self.network.dim(), &set.targets, answers);
        }
        Ok(())
    }

    fn run(
        &mut self,
        sets: &[ReadSet],
        held_out: &[ReadSet],
        observe: &mut (dyn FnMut(&TrainingStep) -> ControlFlow<()> + Send),
    ) -> Result<[Vec<Vec<f64>>; 2], ModelError> {
        let total: f64 = sets.iter().filter(|set| set.targets.len() > 1).map(|set| set.weight).sum();
        if total <= 0.0 {
            return Err(unfit(self.files, "no set with two questions".to_owned()));
        }
        let mut adam = AdamW::new(self.parameters.len());
        let steps = self.settings.steps;
        self.network.prepare(&self.parameters);
        let mut best = f64::NEG_INFINITY;
        let mut at_first = Vec::new();
        let mut loss = f64::NAN;
        let [mut before, mut after] = [Vec::new(), Vec::new()];
        for step in 0..=steps {
            let looks = step == steps || step % self.settings.look_every.max(1) == 0;
            let kept = if looks { self.kept() } else { Vec::new() };
            let found = if looks { self.look_with(&kept, held_out)? } else { Vec::new() };
            let means: Vec<f64> = found.iter().map(|ranks| mean(ranks)).collect();
            if step == 0 {
                (before, at_first) = (found.clone(), means.clone());
            }
            let worth = self.settings.choice.worth(&at_first, &means);
            if looks && (means.is_empty() || worth > best) {
                best = worth;
                self.best.copy_from_slice(&kept);
                after = found;
            }
            let report = TrainingStep { step, steps, loss, held_out: (!means.is_empty()).then_some(means) };
            if observe(&report).is_break() || step == steps {
                break;
            }
            let set = self.draw(sets, total);
            let (of_step, gradient) = match self.settings.read_with {
                ReadWith::Both => self.gradient(set)?,
                ReadWith::Queries => self.gradient_of_queries(set)?,
            };
            loss = of_step;
            let rate = self.rate(step);
            adam.step(&mut self.parameters, &gradient, rate);
            self.network.prepare(&self.parameters);
        }
        Ok([before, after])
    }

    /// The parameters with the part of the update that is kept.
    fn kept(&self) -> Vec<f32> {
        let mut kept = self.parameters.clone();
        self.network.maps().for_each(|map| map.weaken(&mut kept, self.settings.strength));
        kept
    }

    /// [`Trainer::look`] with other parameters than those that are learned.
    fn look_with(&mut self, parameters: &[f32], sets: &[ReadSet]) -> Result<Vec<Vec<f64>>, ModelError> {
        if sets.is_empty() {
            return Ok(Vec::new());
        }
        self.network.prepare(parameters);
        let found = self.look(sets);
        self.network.prepare(&self.parameters);
        found
    }

    /// The step width of a step.
    fn rate(&self, step: usize) -> f32 {
        let steps = self.settings.steps as f32;
        let rising = (steps / 10.0).max(1.0);
        let (step, rate) = (step as f32, self.settings.rate);
        if step < rising { rate * (step + 1.0) / rising } else { rate * (steps - step) / (steps - rising).max(1.0) }
    }

    fn draw<'s>(&mut self, sets: &'s [ReadSet], total: f64) -> &'s ReadSet {
        let mut left = self.draws.uniform() * total;
        let usable = || sets.iter().filter(|set| set.targets.len() > 1 && set.weight > 0.0);
        let found = usable().find(|set| {
            left -= set.weight;
            left < 0.0
        });
        // Rounding may leave a little at the end.
        found.or_else(|| usable().next_back()).unwrap_or(&sets[0])
    }

    /// The loss of a batch of a set's questions among all its passages, which keep their vectors, and its derivatives.
    fn gradient_of_queries(&mut self, set: &ReadSet) -> Result<(f64, Vec<f32>), ModelError> {
        let chosen = self.batch(set);
        let texts = self.questions_of(set, &chosen);
        let dim = self.network.dim();
        let passages = Passages { vectors: &set.fixed, dim, scale: self.settings.scale };
        let taught = match &self.base {
            Some(base) if set.base_share > 0.0 => vectors_by(base, &texts)?,
            _ => Vec::new(),
        };
        let ask = |i: usize, question: &[f32]| {
            let taught = taught.get(i * dim..).and_then(|rest| rest.get(..dim));
            let taught = taught.map(|question| Taught { question, share: set.base_share });
            let pair = chosen[i];
            passages.ask(question, set.targets[pair], &set.also[pair], taught)
        };
        let over = 1.0 / chosen.len() as f32;
        let learn = |pass: &Vec<usize>| -> Result<(f64, Vec<f32>), ModelError> {
            let texts: Vec<&Sequence> = pass.iter().map(|i| texts[*i]).collect();
            let tape = self.network.forward(&texts)?;
            let (mut loss, mut derivatives) = (0.0, Vec::with_capacity(tape.vectors.len()));
            for (i, question) in pass.iter().zip(tape.vectors.chunks_exact(dim)) {
                let (of_question, slopes) = ask(*i, question);
                loss += of_question;
                derivatives.extend(slopes.into_iter().map(|slope| slope * over));
            }
            let mut gradient = vec![0.0; self.parameters.len()];
            self.network.backward(&tape, &derivatives, &self.parameters, &mut gradient);
            Ok((loss, gradient))
        };
        let found: Vec<(f64, Vec<f32>)> =
            batches(&texts, PASS_TOKENS).par_iter().map(learn).collect::<Result<_, _>>()?;
        let (losses, gradients): (Vec<f64>, Vec<Vec<f32>>) = found.into_iter().unzip();
        Ok((losses.iter().sum::<f64>() * f64::from(over), self.summed(gradients)))
    }

    /// The pairs of a step, by their numbers.
    fn batch(&mut self, set: &ReadSet) -> Vec<usize> {
        let mut chosen = self.draws.order(set.targets.len());
        chosen.truncate(self.settings.batch);
        chosen
    }

    /// The questions of pairs, each in one of its forms.
    fn questions_of<'s>(&mut self, set: &'s ReadSet, pairs: &[usize]) -> Vec<&'s Sequence> {
        pairs.iter().map(|pair| self.form(&set.questions[*pair])).collect()
    }

    /// One of the forms of a text.
    fn form<'s>(&mut self, forms: &'s [Sequence]) -> &'s Sequence {
        &forms[if forms.len() > 1 { self.draws.below(forms.len()) } else { 0 }]
    }

    fn summed(&self, gradients: Vec<Vec<f32>>) -> Vec<f32> {
        let mut sum = vec![0.0; self.parameters.len()];
        for gradient in gradients {
            sum.iter_mut().zip(gradient).for_each(|(sum, value)| *sum += value);
        }
        sum
    }

    /// The loss of a batch from a set, and its derivatives.
    fn gradient(&mut self, set: &ReadSet) -> Result<(f64, Vec<f32>), ModelError> {
        let chosen = self.batch(set);
        let mut texts = self.questions_of(set, &chosen);
        let mut places: Vec<usize> = chosen.iter().map(|pair| set.targets[*pair]).collect();
        texts.extend(places.iter().map(|place| self.form(&set.passages[*place])).collect::<Vec<_>>());
        for pair in chosen.iter().filter(|pair| set.hard.get(**pair).is_some_and(|hard| !hard.is_empty())) {
            if places.len() == chosen.len() + set.negatives {
                break;
            }
            let hard = &set.hard[*pair];
            let place = hard[if hard.len() > 1 { self.draws.below(hard.len()) } else { 0 }];
            if !places.contains(&place) {
                texts.push(self.form(&set.passages[place]));
                places.push(place);
            }
        }
        let dim = self.network.dim();
        let passes = batches(&texts, PASS_TOKENS);
        let run = |pass: &Vec<usize>| {
            let texts: Vec<&Sequence> = pass.iter().map(|i| texts[*i]).collect();
            self.network.forward(&texts)
        };
        let tapes: Vec<Tape> = passes.par_iter().map(run).collect::<Result<_, _>>()?;
        let mut vectors = vec![0.0; texts.len() * dim];
        for (pass, tape) in passes.iter().zip(&tapes) {
            for (i, vector) in pass.iter().zip(tape.vectors.chunks_exact(dim)) {
                vectors[i * dim..][..dim].copy_from_slice(vector);
            }
        }
        let (questions, passages) = vectors.split_at(chosen.len() * dim);
        let belongs = |i: usize, j: usize| set.answers(chosen[i], places[j]);
        let taught = match &self.base {
            Some(base) if set.base_share > 0.0 => vectors_by(base, &texts)?,
            _ => Vec::new(),
        };
        let teacher = (!taught.is_empty()).then(|| {
            let (questions, passages) = taught.split_at(chosen.len() * dim);
            Teacher { questions, passages, share: set.base_share }
        });
        let found = contrast(questions, passages, dim, self.settings.scale, belongs, teacher);
        let derivatives = [found.questions, found.passages].concat();
        let learn = |(pass, tape): (&Vec<usize>, &Tape)| {
            let of_pass = pass.iter().flat_map(|i| &derivatives[i * dim..][..dim]).copied().collect::<Vec<_>>();
            let mut gradient = vec![0.0; self.parameters.len()];
            self.network.backward(tape, &of_pass, &self.parameters, &mut gradient);
            gradient
        };
        let gradients: Vec<Vec<f32>> = passes.par_iter().zip(&tapes).map(learn).collect();
        Ok((found.loss, self.summed(gradients)))
    }

    /// The reciprocal ranks of the questions' first answers among all passages of their set, by cosine.
    fn look(&self, sets: &[ReadSet]) -> Result<Vec<Vec<f64>>, ModelError> {
        let of_set = |set: &ReadSet| {
            let first = |forms: &'_ Vec<Sequence>| forms[0].clone();
            let passages: Vec<Sequence> = set.passages.iter().map(first).collect();
            let questions: Vec<Sequence> = set.questions.iter().map(first).collect();
            let questions = self.vectors(&questions)?;
            let passages = if set.fixed.is_empty() { self.vectors(&passages)? } else { set.fixed.clone() };
            let dim = self.network.dim();
            let reciprocal = |(i, question): (usize, &[f32])| {
                let score = |place: usize| {
                    question.iter().zip(&passages[place * dim..][..dim]).map(|(q, p)| q * p).sum::<f32>()
                };
                let answers = std::iter::once(&set.targets[i]).chain(&set.also[i]);
                let best = answers.map(|place| score(*place)).fold(f32::NEG_INFINITY, f32::max);
                let ahead =
                    (0..set.passages.len()).filter(|place| !set.answers(i, *place) && score(*place) >= best).count();
                1.0 / (ahead + 1) as f64
            };
            Ok(questions.chunks_exact(dim).enumerate().map(reciprocal).collect())
        };
        sets.iter().map(of_set).collect()
    }

    fn vectors(&self, texts: &[Sequence]) -> Result<Vec<f32>, ModelError> {
        vectors_by(&self.network, &texts.iter().collect::<Vec<_>>())
    }
}

/// The passages of a set, each in its first form.
fn first_forms(set: &TrainingSet) -> Vec<&str> {
    set.passages.iter().filter_map(|forms| forms.first()).map(String::as_str).collect()
}

/// The vectors that a network gives to texts, `[texts, dim]`.
fn vectors_by(network: &Network, texts: &[&Sequence]) -> Result<Vec<f32>, ModelError> {
    let dim = network.dim();
    let passes = batches(texts, PASS_TOKENS);
    let run = |pass: &Vec<usize>| {
        let texts: Vec<&Sequence> = pass.iter().map(|i| texts[*i]).collect();
        network.forward(&texts).map(|tape| tape.vectors)
    };
    let found: Vec<Vec<f32>> = passes.par_iter().map(run).collect::<Result<_, _>>()?;
    let mut vectors = vec![0.0; texts.len() * dim];
    for (i, vector) in passes.iter().flatten().zip(found.iter().flat_map(|vectors| vectors.chunks_exact(dim))) {
        vectors[i * dim..][..dim].copy_from_slice(vector);
    }
    Ok(vectors)
}
