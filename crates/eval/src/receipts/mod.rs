//! Receipts: published figures, each with all that is needed to measure it again.
//!
//! A receipt is a TOML file, `<name>.toml`:
//!
//! ```toml
//! title = "BM25, as published"
//! command = "aforesaid eval run --dataset locomo --unit session --system paper-bm25"
//! dataset = "locomo"
//! unit = "session"
//! system = "paper-bm25"
//! data_sha256 = "79fa..."
//! n = 1978
//! tolerance = 0.0005
//!
//! [expected]
//! "hit@1" = 0.6395
//! ```
//!
//! | key | |
//! |---|---|
//! | `dataset`, `unit`, `system` | as on the command line |
//! | `criterion` | by what its numbers are chosen, where it leaves some to choose; `hit@1` where there is no such key |
//! | `command` | says the same; `--data` is not part of it, nor `--precision`, which the end of `encoder` says |
//! | `data_sha256` | [`DataSet::fingerprint`](crate::datasets::DataSet::fingerprint) of what was read |
//! | `data` | where that is, from the receipt's folder, if it is in this repository; optional |
//! | `cues_sha256`, `cue_questions` | of the [cue questions](crate::datasets::RecordedCues) beside the data, where some were used, and how many a memory got at the most, where not all |
//! | `encoder` | id of the encoder, where the system has a dense leg |
//! | `reranker`, `rerank_depth` | id of the reranker, where one ordered the best hits, and how many |
//! | `n` | questions measured |
//! | `expected`, `tolerance` | measures from 0 to 1, and how far each may be off, above 0 and below 1 |
//! | `note` | for readers; optional |
//!
//! [`Receipt::replay`] measures again and compares. [`Tables`] makes the tables of documents from receipts.

mod error;
mod figures;
mod keys;
mod receipt;
mod replay;
mod tables;
mod tolerance;
mod verdict;
mod write;

pub use error::ReceiptError;
pub use figures::Figures;
pub use receipt::Receipt;
pub use replay::Replayed;
pub use tables::Tables;
pub use tolerance::{InvalidTolerance, Tolerance};
pub use verdict::{Difference, Verdict};
