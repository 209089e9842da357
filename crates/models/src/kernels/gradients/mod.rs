//! The loops of training: what an inference kernel computes, and the derivatives of it.
//!
//! They are plain loops, compiled for each family; the products with a model's weights go through
//! [`super::Arithmetic::multiply`] here too.

mod gelu;
mod layer_norm;
mod product;
mod softmax;

pub(crate) use gelu::gelu_with_slopes;
pub(crate) use layer_norm::{Normalised, normalise, through_norm};
pub(crate) use product::{Left, add_product};
pub(crate) use softmax::{softmax, through_softmax};
