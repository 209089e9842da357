//! The dense leg: turn vectors, a scan over all of them, late-interaction pooling.

mod codes;
mod dot;
mod matrix;
mod pooling;
mod scan;

pub use codes::Codes;
pub(crate) use matrix::Parts;
pub use matrix::{DenseIndex, EXACT_LIMIT, Rescore};
pub use pooling::Pooling;
pub use scan::Scan;
