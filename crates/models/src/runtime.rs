//! How a model is run: in which numbers, with which instructions, on how many threads.

use crate::{Instructions, Precision, Threads};

/// What a model is run with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Runtime {
    /// The numbers of the matrix products. Vectors of different precisions are different vector sets.
    pub precision: Precision,
    /// The instructions to use; better ones that the processor has are left alone.
    pub instructions: Instructions,
    /// A cap on the threads that compute.
    pub threads: Threads,
}

impl Runtime {
    /// A precision on the best instructions there are.
    pub fn new(precision: Precision, threads: Threads) -> Self {
        Self { precision, instructions: Instructions::best(), threads }
    }
}
