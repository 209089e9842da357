//! The inner loops: matrix products in three precisions, attention, layer norm and GELU.
//!
//! Each is written once and compiled for every family of vector instructions
//! in [`simd`] and [`dot`]; [`Arithmetic`] chooses among them when a model is
//! loaded. Unsafe code is in the files named after instructions there, and nowhere else.

mod activations;
mod aligned;
mod arithmetic;
mod attention;
mod balanced;
mod cache;
mod dot;
mod exp;
mod gelu;
pub(crate) mod gradients;
mod layer_norm;
mod multiply;
mod peak_rate;
mod row_blocks;
mod rows;
mod simd;
mod sums;
#[cfg(test)]
pub(crate) mod testing;
mod weights;

pub(crate) use activations::Activations;
pub(crate) use aligned::Aligned;
pub(crate) use arithmetic::Arithmetic;
pub(crate) use attention::{Attending, AttentionSpace, Heads, MARGIN, ScoreBias};
pub(crate) use layer_norm::LayerNorm;
pub(crate) use multiply::{Finish, PartialSums};
pub(crate) use rows::{Rows, RowsMut};
pub(crate) use simd::Family;
pub(crate) use weights::{PANEL, Weights};
