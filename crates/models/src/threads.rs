//! How many threads an encoder may use.

use std::num::NonZeroUsize;

use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::ModelError;

/// A cap on the threads that compute.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Threads(NonZeroUsize);

impl Threads {
    /// Everything happens on the caller's thread.
    pub const ONE: Self = Self(NonZeroUsize::MIN);

    /// At most `count` threads.
    pub fn new(count: NonZeroUsize) -> Self {
        Self(count)
    }

    /// As many threads as the machine can run at once; one if it does not tell.
    pub fn available() -> Self {
        std::thread::available_parallelism().map_or(Self::ONE, Self)
    }

    /// The cap, at least 1.
    pub fn get(self) -> usize {
        self.0.get()
    }

    /// As many threads, to run a model on.
    ///
    /// # Errors
    /// When they do not start.
    pub(crate) fn pool(self) -> Result<ThreadPool, ModelError> {
        let count = self.get();
        let built = ThreadPoolBuilder::new().num_threads(count).thread_name(|i| format!("encoder-{i}")).build();
        built.map_err(|source| ModelError::Threads { count, source })
    }
}
