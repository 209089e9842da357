//! The forward pass of a BERT-family model over a ragged batch, without padding.

mod config;
mod embeddings;
mod family;
mod forward;
mod head;
mod relative_bias;
mod sequence;
mod tensors;
mod weights;
mod word_rows;
mod workspace;

pub(crate) use config::{BertConfig, MOST_TOKENS, require_one_label, wrong};
pub(crate) use embeddings::Embeddings;
pub(crate) use head::{PairLogits, ScoreHead};
pub(crate) use sequence::Sequence;
pub(crate) use tensors::Tensors;
pub(crate) use weights::{Bert, heads_together};
pub(crate) use word_rows::WordRows;
pub(crate) use workspace::Workspace;
