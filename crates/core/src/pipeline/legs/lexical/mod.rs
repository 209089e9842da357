//! The leg `lexical`: BM25 of turns and of their sessions, and features of an answer.

mod bm25_scores;
mod column;
mod explain;
mod features;
mod form;
mod holders;
mod in_context;
mod leg;
mod scores;
mod term_matches;

pub use features::AnswerFeatures;
pub(super) use form::READER;
pub use leg::{LexicalLeg, UnitWeights};
