//! How a model is run: in which numbers, with which instructions, on how many threads.

use std::time::Duration;

use crate::{Instructions, Precision, Threads, kernels::Arithmetic};

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

    /// Multiply-adds a second that one core reaches in this precision with all operands in registers: what an
    /// encoder's speed is a share of. `None` where the processor lacks the instructions.
    ///
    /// Computes for about `time` and gives the best it saw.
    pub fn peak(self, time: Duration) -> Option<f64> {
        Arithmetic::new(self.precision, self.instructions).map(|arithmetic| arithmetic.peak(time))
    }
}
