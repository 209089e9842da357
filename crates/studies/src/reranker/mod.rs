//! The evidence reranker of data that allow it: what it is learned from, and what it does on data that it never saw.

mod histories;
mod labelled;
mod learning;
mod lists;
mod unseen;

pub use learning::RerankerTraining;
pub use lists::{Asked, FoundList};
pub use unseen::{UnseenData, reranker_study};
