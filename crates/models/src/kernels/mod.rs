//! The inner loops: matrix product, GELU, layer norm and softmax in f32.
//!
//! Each is safe Rust that `pulp` compiles once for every instruction set it
//! knows (AVX-512, AVX2, NEON, portable) and dispatches at run time.

mod exp;
mod gelu;
mod layer_norm;
mod matmul;
mod panels;
mod rows;
mod softmax;
mod sums;

pub(crate) use gelu::gelu;
pub(crate) use layer_norm::{LayerNorm, layer_norm};
pub(crate) use matmul::{Write, multiply};
pub(crate) use panels::Panels;
pub(crate) use rows::{Rows, RowsMut};
pub(crate) use softmax::softmax;
