//! A BERT-family model as an [`Encoder`].

use std::sync::{Mutex, PoisonError};

use aforesaid_core::{
    EncodeError, Encoder, Locality,
    types::{EncoderId, Vectors},
};
use rayon::{ThreadPool, ThreadPoolBuilder, prelude::*};

use crate::{
    Instructions, ModelError, ModelFiles, Normalisation, Pooling, Recipe, Runtime, Threads,
    bert::{Bert, BertConfig, Tensors, Workspace},
    kernels::Arithmetic,
    tokenizer::TextTokenizer,
};

/// Most tokens in one forward pass; from 96 to 384 made no difference that could be measured.
const BATCH_TOKENS: usize = 192;

/// A sentence encoder that runs on this machine's processor.
///
/// A text's vector is the same, bit for bit, alone and in any batch.
pub struct BertEncoder {
    id: EncoderId,
    recipe: Recipe,
    tokenizer: TextTokenizer,
    bert: Bert,
    pool: ThreadPool,
    spaces: Mutex<Vec<Workspace>>,
}

impl BertEncoder {
    /// Reads weights, tokenizer and configuration.
    ///
    /// The checksums were compared when `files` was made; here they are not.
    ///
    /// # Errors
    /// When a file is missing, damaged, or of a model this crate cannot run.
    pub fn load(files: &ModelFiles, runtime: Runtime) -> Result<Self, ModelError> {
        let id = files.encoder_id(runtime.precision)?;
        let pool = pool(runtime.threads)?;
        let arithmetic = Arithmetic::new(runtime.precision, runtime.instructions)
            .ok_or_else(|| ModelError::Instructions { asked: runtime.instructions, best: Instructions::best() })?;
        let (recipe, tokenizer, bert) = pool.install(|| Self::read(files, arithmetic))?;
        Ok(Self { id, recipe, tokenizer, bert, pool, spaces: Mutex::default() })
    }

    fn read(files: &ModelFiles, arithmetic: Arithmetic) -> Result<(Recipe, TextTokenizer, Bert), ModelError> {
        let config = BertConfig::load(&files.dir.join("config.json"))?;
        let mut recipe = files.recipe.clone();
        recipe.max_tokens = recipe.max_tokens.min(config.max_position_embeddings);
        let vocabulary = config.vocab_size;
        let (tokenizer, bert) = rayon::join(
            || TextTokenizer::load(&files.dir.join("tokenizer.json"), recipe.max_tokens, vocabulary),
            || Bert::load(config, &Tensors::open(&files.dir.join("model.safetensors"))?, arithmetic),
        );
        Ok((recipe, tokenizer?, bert?))
    }

    fn encode(&self, prefix: &str, texts: &[&str]) -> Result<Vectors, EncodeError> {
        // A single text stays on the caller's thread: handing it over would only add a delay.
        let alone = texts.len() <= 1 || self.threads() == 1;
        let run = || self.encode_here(prefix, texts);
        let rows = if alone { run() } else { self.pool.install(run) };
        rows.and_then(|data| Vectors::new(self.dim(), data).ok_or_else(|| "the model has no components".to_owned()))
            .map_err(|message| EncodeError { encoder: self.id.clone(), message })
    }

    /// All vectors, row after row.
    fn encode_here(&self, prefix: &str, texts: &[&str]) -> Result<Vec<f32>, String> {
        let ids = self.each(texts, |text| self.tokenizer.ids(&format!("{prefix}{text}")))?;
        let batches = batches(&ids, self.threads());
        let blocks = self.each(&batches, |batch| self.encode_batch(&ids, batch))?;

        let dim = self.dim();
        let mut rows = vec![0.0; texts.len() * dim];
        for (batch, block) in batches.iter().zip(&blocks) {
            for (i, vector) in batch.iter().zip(block.chunks_exact(dim)) {
                unit_check(vector).map_err(|found| not_a_unit(*i, texts[*i], &found))?;
                rows[i * dim..(i + 1) * dim].copy_from_slice(vector);
            }
        }
        Ok(rows)
    }

    /// How many tokens the model makes of each text, prefixes left out.
    ///
    /// # Errors
    /// When the tokenizer fails.
    pub fn count_tokens(&self, texts: &[&str]) -> Result<Vec<usize>, EncodeError> {
        let counted: Result<_, String> = texts.iter().map(|text| Ok(self.tokenizer.ids(text)?.len())).collect();
        counted.map_err(|message| EncodeError { encoder: self.id.clone(), message })
    }

    /// Multiply-adds that the products with weights cost a token; attention and the rest come on top.
    pub fn multiply_adds_per_token(&self) -> usize {
        self.bert.multiply_adds_per_token()
    }

    fn threads(&self) -> usize {
        self.pool.current_num_threads()
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

    fn encode_batch(&self, ids: &[Vec<u32>], batch: &[usize]) -> Result<Vec<f32>, String> {
        let mut space = self.spaces.lock().unwrap_or_else(PoisonError::into_inner).pop().unwrap_or_default();
        let texts: Vec<&[u32]> = batch.iter().map(|i| ids[*i].as_slice()).collect();
        let mut tokens = self.bert.forward(&texts, &mut space).map_err(|error| error.reason())?;
        let mut rows = Vec::with_capacity(texts.len() * self.dim());
        for text in texts {
            let (of_text, rest) = tokens.split_at(text.len() * self.dim());
            rows.extend(self.finish(of_text));
            tokens = rest;
        }
        self.spaces.lock().unwrap_or_else(PoisonError::into_inner).push(space);
        Ok(rows)
    }

    /// One text's token vectors, `[tokens, dim]`, to its vector.
    fn finish(&self, tokens: &[f32]) -> Vec<f32> {
        let mut vector = tokens[..self.dim()].to_vec();
        match self.recipe.pooling {
            Pooling::Cls => {}
            // The divisor of the mean would be taken out again by the normalisation; it keeps the scale of the model.
            Pooling::Mean => {
                for token in tokens.chunks_exact(self.dim()).skip(1) {
                    vector.iter_mut().zip(token).for_each(|(sum, value)| *sum += value);
                }
                let count = (tokens.len() / self.dim()) as f32;
                vector.iter_mut().for_each(|sum| *sum /= count);
            }
        }
        match self.recipe.normalisation {
            Normalisation::L2 => {
                let length = vector.iter().map(|x| f64::from(*x).powi(2)).sum::<f64>().sqrt();
                vector.iter_mut().for_each(|x| *x = (f64::from(*x) / length) as f32);
            }
        }
        vector
    }
}

impl Encoder for BertEncoder {
    fn id(&self) -> &EncoderId {
        &self.id
    }

    fn dim(&self) -> usize {
        self.bert.hidden_size()
    }

    fn locality(&self) -> Locality {
        Locality::Local
    }

    fn encode_queries(&self, texts: &[&str]) -> Result<Vectors, EncodeError> {
        self.encode(&self.recipe.query_prefix, texts)
    }

    fn encode_passages(&self, texts: &[&str]) -> Result<Vectors, EncodeError> {
        self.encode(&self.recipe.passage_prefix, texts)
    }
}

fn pool(threads: Threads) -> Result<ThreadPool, ModelError> {
    let count = threads.get();
    let built = ThreadPoolBuilder::new().num_threads(count).thread_name(|i| format!("encoder-{i}")).build();
    built.map_err(|source| ModelError::Threads { count, source })
}

/// Groups texts, longest first, into batches of at most [`BATCH_TOKENS`] tokens.
///
/// A call with few tokens is still split so that every thread has a batch.
fn batches(ids: &[Vec<u32>], threads: usize) -> Vec<Vec<usize>> {
    let total: usize = ids.iter().map(Vec::len).sum();
    let budget = BATCH_TOKENS.min(total.div_ceil(threads));
    let mut order: Vec<usize> = (0..ids.len()).collect();
    order.sort_by_key(|i| std::cmp::Reverse(ids[*i].len()));
    let mut batches: Vec<Vec<usize>> = Vec::new();
    let mut tokens = 0;
    for i in order {
        tokens += ids[i].len();
        match batches.last_mut() {
            Some(batch) if tokens <= budget => batch.push(i),
            _ => {
                batches.push(vec![i]);
                tokens = ids[i].len();
            }
        }
    }
    batches
}

fn unit_check(vector: &[f32]) -> Result<(), String> {
    let length = vector.iter().map(|x| f64::from(*x).powi(2)).sum::<f64>().sqrt();
    if (length - 1.0).abs() < 1e-3 { Ok(()) } else { Err(length.to_string()) }
}

fn not_a_unit(i: usize, text: &str, found: &str) -> String {
    let start: String = text.chars().take(40).collect();
    format!(
        "text {i} ({start:?}) became a vector of length {found}, expected 1; \
         the weights may be damaged: run `aforesaid models verify`"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn batches_hold_every_text_once_within_the_budget() {
        let ids: Vec<Vec<u32>> = (0..100).map(|i| vec![0; 2 + (i * 37) % 250]).collect();
        for threads in [1, 2, 16] {
            let batches = batches(&ids, threads);
            let mut seen: Vec<usize> = batches.concat();
            seen.sort_unstable();
            assert_eq!(seen, (0..100).collect::<Vec<_>>());
            for batch in &batches {
                let tokens: usize = batch.iter().map(|i| ids[*i].len()).sum();
                assert!(tokens <= BATCH_TOKENS || batch.len() == 1, "{tokens}");
            }
        }
        assert!(batches(&[], 2).is_empty());
        assert_eq!(batches(&ids[..2], 2).len(), 2);
    }

    #[test]
    fn zero_and_nan_are_not_unit_vectors() {
        assert!(unit_check(&[0.6, 0.8]).is_ok());
        assert_eq!(unit_check(&[0.0, 0.0]).unwrap_err(), "0");
        assert_eq!(unit_check(&[f32::NAN, 1.0]).unwrap_err(), "NaN");
        let message = not_a_unit(3, "hello", "NaN");
        assert!(message.contains("text 3 (\"hello\")") && message.contains("models verify"), "{message}");
    }
}
