//! The forward pass of ModernBERT (Warner et al. 2024) over a ragged batch, without padding.
//!
//! It differs from BERT's family by rotary positions, layers that look at a window, gated feed-forward parts and
//! normalisation before each part instead of after it.

mod config;
mod forward;
mod head;
mod positions;
mod weights;

pub(crate) use config::ModernBertConfig;
pub(crate) use head::ClassificationHead;
pub(crate) use weights::ModernBert;
