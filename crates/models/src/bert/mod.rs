//! The forward pass of a BERT-family model over a ragged batch, without padding.

mod config;
mod forward;
mod tensors;
mod weights;
mod word_rows;
mod workspace;

pub(crate) use config::BertConfig;
pub(crate) use tensors::Tensors;
pub(crate) use weights::Bert;
pub(crate) use workspace::Workspace;
