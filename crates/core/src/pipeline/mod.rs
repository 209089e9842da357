//! From a query to a ranking: legs fill a table of signals, which fusion, boosts and importance turn into one score.

mod best_rows;
mod best_turns;
mod boost;
pub mod candidate;
mod codes;
mod combine;
pub mod confidence;
mod cue_terms;
mod definition;
mod form;
mod leg;
pub mod legs;
mod matches;
mod presets;
mod rank;
mod report;
mod request;
mod scope;
mod shared;
mod signals;
mod spelling;
mod variants;
mod vectors;

pub use boost::{Boost, BoostMeasure};
pub use definition::Pipeline;
pub use form::{
    InvalidPipeline,
    call::{Argument, Call, number, two_numbers},
    renamed_words,
};
pub use leg::{Column, Leg, LegInput, LegReader, ReadLeg, Scores};
pub use legs::{AnswerFeatures, DenseLeg, LexicalLeg, UnitWeights, VectorSource};
pub use matches::{FeatureMatch, TermMatch, TermPlace};
pub use presets::{
    CUE_BOOST, DATE_BOOST, LEARNED, MENTION_BOOST, ORDER_BOOST, QUERY_ADAPTER, RECENCY_BOOST, REPLY_BOOST, TITLE_BOOST,
    WISH_BOOST,
};
pub use rank::{RankedCandidates, RankedHit, candidate_features, rank};
pub use report::{CandidateReport, Cut, Stage, Unranked, Values, diagnose, ordinal};
pub use request::{Detail, Exact, LegHit, Legs, Request, SearchContext, SearchError};
pub use scope::{Candidates, Filter};
pub use shared::TermWeights;
pub use spelling::{Correction, corrected, unsaid_codes};
pub use vectors::{SpeakerNames, VectorUse};
