//! A model run over many texts: in batches by length, on several threads, in memory that is used again.

use std::{
    borrow::Borrow,
    ops::Range,
    sync::{Arc, Mutex, PoisonError},
};

use rayon::{ThreadPool, prelude::*};

use crate::{
    Instructions, ModelError, ModelFiles, Runtime,
    architecture::{Network, Shape},
    bert::{Sequence, Workspace},
    kernels::Arithmetic,
    registry::Pooling,
    tokenizer::TextTokenizer,
};

/// Most tokens in one forward pass: fewer read the weights too often, and 288 were no faster.
const BATCH_TOKENS: usize = 192;

/// What a model reads texts with, and the threads it runs on: the same for its weights as they are and with an adapter.
pub(crate) struct Reading {
    tokenizer: TextTokenizer,
    pool: ThreadPool,
    dim: usize,
}

/// A model with the memory that its threads use.
pub(crate) struct Inference {
    reading: Arc<Reading>,
    network: Network,
    spaces: Mutex<Vec<Workspace>>,
}

impl Reading {
    /// Reads the tokenizer and the configuration.
    ///
    /// # Errors
    /// When a file is missing, damaged, or of a model this crate cannot run, or the threads do not start.
    pub(crate) fn load(files: &ModelFiles, runtime: Runtime) -> Result<Self, ModelError> {
        let (tokenizer, dim) = tokenizer(files)?;
        Ok(Self { tokenizer, dim, pool: runtime.threads.pool()? })
    }

    /// Components of a token vector.
    pub(crate) fn dim(&self) -> usize {
        self.dim
    }

    /// Whether its vocabulary has a word as a whole.
    pub(crate) fn has_word(&self, word: &str) -> bool {
        self.tokenizer.has_word(word)
    }

    /// How many tokens each text has.
    ///
    /// # Errors
    /// A sentence on what went wrong.
    pub(crate) fn count_tokens(&self, texts: &[&str]) -> Result<Vec<usize>, String> {
        texts.iter().map(|text| Ok(self.tokenizer.text(text)?.len())).collect()
    }

    /// The windows of a text that is encoded after `prefix`; see [`aforesaid_core::windows`].
    ///
    /// # Errors
    /// A sentence on what went wrong.
    pub(crate) fn windows(&self, prefix: &str, text: &str) -> Result<Vec<Range<usize>>, String> {
        self.tokenizer.windows(prefix, text)
    }
}

impl Inference {
    /// Reads the weights, tokenizer and configuration of a model, without a head.
    ///
    /// # Errors
    /// When a file is missing, damaged, or of a model this crate cannot run, or the threads do not start.
    pub(crate) fn load(files: &ModelFiles, runtime: Runtime) -> Result<Self, ModelError> {
        Self::load_with(files, runtime, arithmetic(runtime)?)
    }

    /// The same of a model whose results are scores, which are not kept.
    ///
    /// # Errors
    /// As [`Inference::load`].
    pub(crate) fn load_scorer(files: &ModelFiles, runtime: Runtime) -> Result<Self, ModelError> {
        Self::load_with(files, runtime, arithmetic(runtime)?.for_scores())
    }

    fn load_with(files: &ModelFiles, runtime: Runtime, arithmetic: Arithmetic) -> Result<Self, ModelError> {
        let pool = runtime.threads.pool()?;
        let (read, network) = pool.install(|| rayon::join(|| tokenizer(files), || Network::of(files, arithmetic)));
        let (tokenizer, dim) = read?;
        Ok(Self { reading: Arc::new(Reading { tokenizer, dim, pool }), network: network?, spaces: Mutex::default() })
    }

    /// Reads the weights of a model that is read with what is there already.
    ///
    /// # Errors
    /// When a file is missing, damaged, or of a model this crate cannot run.
    pub(crate) fn load_to(reading: &Arc<Reading>, files: &ModelFiles, runtime: Runtime) -> Result<Self, ModelError> {
        let arithmetic = arithmetic(runtime)?;
        let network = reading.pool.install(|| Network::of(files, arithmetic))?;
        Ok(Self { reading: Arc::clone(reading), network, spaces: Mutex::default() })
    }

    /// What it reads texts with.
    pub(crate) fn reading(&self) -> &Arc<Reading> {
        &self.reading
    }

    /// Components of a token vector.
    pub(crate) fn dim(&self) -> usize {
        self.reading.dim
    }

    /// Multiply-adds that the products with weights cost a token.
    pub(crate) fn multiply_adds_per_token(&self) -> usize {
        self.network.multiply_adds_per_token()
    }

    /// What `finish` makes of the token vectors that the pooling reads of each item, `[tokens, dim]`, in the order of the items.
    ///
    /// `read` makes tokens of an item. An item's result is the same, bit for bit, alone and in any batch.
    ///
    /// # Errors
    /// A sentence on what went wrong.
    pub(crate) fn run<T: Sync, U: Send>(
        &self,
        items: &[T],
        pooling: Pooling,
        read: impl Fn(&TextTokenizer, &T) -> Result<Sequence, String> + Sync + Send,
        finish: impl Fn(&[f32]) -> U + Sync + Send,
    ) -> Result<Vec<U>, String> {
        let run = || {
            let sequences = self.each(items, |item| read(&self.reading.tokenizer, item))?;
            // A call with few tokens is still split so that every thread has a batch.
            let total: usize = sequences.iter().map(Sequence::len).sum();
            let batches = batches(&sequences, BATCH_TOKENS.min(total.div_ceil(self.threads())));
            let blocks = self.each(&batches, |batch| self.run_batch(&sequences, batch, pooling, &finish))?;
            let mut results: Vec<(usize, U)> =
                batches.into_iter().flatten().zip(blocks.into_iter().flatten()).collect();
            results.sort_unstable_by_key(|(i, _)| *i);
            Ok(results.into_iter().map(|(_, result)| result).collect())
        };
        // A single item stays on the caller's thread: handing it over would only add a delay.
        let alone = items.len() <= 1 || self.threads() == 1;
        if alone { run() } else { self.reading.pool.install(run) }
    }

    fn threads(&self) -> usize {
        self.reading.pool.current_num_threads()
    }

    /// Maps in order, over the pool's threads when there are several and more than one item.
    fn each<T: Sync, U: Send>(
        &self,
        items: &[T],
        map: impl Fn(&T) -> Result<U, String> + Sync + Send,
    ) -> Result<Vec<U>, String> {
        if self.threads() > 1 && items.len() > 1 {
            items.par_iter().map(map).collect()
        } else {
            items.iter().map(map).collect()
        }
    }

    fn run_batch<U>(
        &self,
        sequences: &[Sequence],
        batch: &[usize],
        pooling: Pooling,
        finish: impl Fn(&[f32]) -> U,
    ) -> Result<Vec<U>, String> {
        let mut space = self.spaces.lock().unwrap_or_else(PoisonError::into_inner).pop().unwrap_or_default();
        let texts: Vec<&Sequence> = batch.iter().map(|i| &sequences[*i]).collect();
        let mut tokens = self.network.forward(&texts, pooling, &mut space).map_err(|error| error.reason())?;
        let mut results = Vec::with_capacity(texts.len());
        for text in texts {
            let (of_text, rest) = tokens.split_at(pooling.reads(text.len()) * self.dim());
            results.push(finish(of_text));
            tokens = rest;
        }
        self.spaces.lock().unwrap_or_else(PoisonError::into_inner).push(space);
        Ok(results)
    }
}

/// The kernels of a runtime.
///
/// # Errors
/// When this processor lacks the instructions.
pub(crate) fn arithmetic(runtime: Runtime) -> Result<Arithmetic, ModelError> {
    Arithmetic::new(runtime.precision, runtime.instructions)
        .ok_or_else(|| ModelError::Instructions { asked: runtime.instructions, best: Instructions::best() })
}

impl Network {
    fn of(files: &ModelFiles, arithmetic: Arithmetic) -> Result<Self, ModelError> {
        let shape = Shape::load(&files.dir.join("config.json"))?;
        let most = most_tokens(files, &shape);
        Self::load(shape, files, most, arithmetic)
    }
}

/// The tokenizer, and the components of a token vector.
fn tokenizer(files: &ModelFiles) -> Result<(TextTokenizer, usize), ModelError> {
    let shape = Shape::load(&files.dir.join("config.json"))?;
    let most = most_tokens(files, &shape);
    Ok((TextTokenizer::load(&files.dir.join("tokenizer.json"), most, shape.vocabulary())?, shape.hidden_size()))
}

fn most_tokens(files: &ModelFiles, shape: &Shape) -> usize {
    files.recipe.max_tokens.min(shape.max_tokens())
}

/// Groups texts, longest first, into batches of at most `budget` tokens; a text that is longer is alone.
pub(crate) fn batches<T: Borrow<Sequence>>(texts: &[T], budget: usize) -> Vec<Vec<usize>> {
    let length = |i: &usize| texts[*i].borrow().len();
    let mut order: Vec<usize> = (0..texts.len()).collect();
    order.sort_by_key(|i| std::cmp::Reverse(length(i)));
    let mut batches: Vec<Vec<usize>> = Vec::new();
    let mut tokens = 0;
    for i in order {
        tokens += length(&i);
        match batches.last_mut() {
            Some(batch) if tokens <= budget => batch.push(i),
            _ => {
                batches.push(vec![i]);
                tokens = length(&i);
            }
        }
    }
    batches
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn batches_hold_every_text_once_within_the_budget() {
        let texts: Vec<Sequence> = (0..100).map(|i| Sequence::single(vec![0; 2 + (i * 37) % 250])).collect();
        for budget in [1, BATCH_TOKENS / 4, BATCH_TOKENS] {
            let batches = batches(&texts, budget);
            let mut seen: Vec<usize> = batches.concat();
            seen.sort_unstable();
            assert_eq!(seen, (0..100).collect::<Vec<_>>());
            for batch in &batches {
                let tokens: usize = batch.iter().map(|i| texts[*i].len()).sum();
                assert!(tokens <= budget || batch.len() == 1, "{tokens}");
            }
        }
        assert!(batches::<Sequence>(&[], BATCH_TOKENS).is_empty());
        assert_eq!(batches(&texts[..2], texts[1].len()).len(), 2);
    }
}
