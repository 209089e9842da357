//! How an adapter is learned.

use super::choice::StepChoice;
use crate::{Precision, Threads, adapter::ReadWith};

/// How an adapter is learned.
#[derive(Debug, Clone, PartialEq)]
pub struct TrainingSettings {
    /// Directions in which each map may change.
    pub rank: usize,
    /// Steps.
    pub steps: usize,
    /// Questions of a step.
    pub batch: usize,
    /// The largest step width. It rises over the first tenth of the steps and falls to 0 at the last.
    pub rate: f32,
    /// What cosines are multiplied with before the softmax.
    pub scale: f32,
    /// The part of the update that is kept; in (0, 1]. Between the model and what was learned, more of what the model
    /// knew stays (Wortsman et al. 2022, section 3).
    pub strength: f32,
    /// Most tokens of a passage, the special ones included.
    pub max_tokens: usize,
    /// In what products with the model's weights are computed. What is learned is kept in 32 bits, whatever it is.
    pub precision: Precision,
    /// What the draws depend on.
    pub seed: u64,
    /// Steps between two looks at what was held out; the best of them is kept.
    pub look_every: usize,
    /// What the best is.
    pub choice: StepChoice,
    /// What is read with it. With [`ReadWith::Both`] a question is told from the other passages of its step, as the adapter reads
    /// them by then; with [`ReadWith::Queries`] from all passages of its set, which are encoded once.
    pub read_with: ReadWith,
    /// A cap on the threads that compute.
    pub threads: Threads,
}

impl Default for TrainingSettings {
    fn default() -> Self {
        Self {
            rank: 32,
            steps: 300,
            batch: 48,
            rate: 1e-3,
            scale: 20.0,
            strength: 0.5,
            max_tokens: 160,
            precision: Precision::F32,
            seed: 17,
            look_every: 50,
            choice: StepChoice::Mean,
            read_with: ReadWith::default(),
            threads: Threads::available(),
        }
    }
}

impl TrainingSettings {
    /// The usual for a query adapter: steps are cheap, since passages are encoded once, and the update is kept in full, since the
    /// vectors of passages forget nothing (`docs/decisions/0025-query-adapter.md`).
    pub fn for_queries() -> Self {
        Self { batch: 128, strength: 1.0, read_with: ReadWith::Queries, ..Self::default() }
    }
}
