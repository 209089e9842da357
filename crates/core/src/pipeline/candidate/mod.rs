//! The candidate reranker: a small learned model puts the best candidates of a search in another order by what the table of
//! signals shows, without a pass of a transformer.
//!
//! | file | what it holds |
//! |---|---|
//! | `catalogue.rs` | the features by name, each with what it says |
//! | `table.rs` | their values for the candidates of one query |
//! | `features.rs`, `words.rs` | how they are computed |
//! | `forest/` | boosted trees, and how they score many rows at once |
//! | `ranker.rs` | a trained ranker, its file, and what it was trained with |
//! | `stage.rs` | the ranker as the last stage of a pipeline |
//! | `pooled.rs` | what it does to sessions |

mod catalogue;
mod features;
mod forest;
mod pooled;
mod ranker;
mod stage;
mod table;
mod words;

pub use catalogue::{FEATURE_COUNT, FEATURES, FEATURES_VERSION, Feature};
pub use features::DEPTH;
pub(super) use features::Ground;
pub use forest::{Branch, Side, Tree};
pub(super) use pooled::ReorderedSessions;
pub use ranker::{CandidateRanker, InvalidRanker, MOST_BYTES, Misfit, RankerRecord, Shares};
pub use stage::CandidateStage;
pub(super) use stage::{Reordered, ReorderedTurns};
pub use table::FeatureTable;
