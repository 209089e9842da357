//! The legs that ship, each in a file or a folder of its own.

mod cue_bm25;
mod cue_dense;
mod date_match;
mod dense;
mod lexical;
mod mention_order;
mod reply_match;
mod session_recency;
mod time_order;
mod title_match;
mod wish_match;

pub use cue_bm25::CueBm25Leg;
pub use cue_dense::CueDenseLeg;
pub use date_match::DateLeg;
pub use dense::{DenseLeg, VectorSource};
pub use lexical::{AnswerFeatures, LexicalLeg, UnitWeights};
pub use mention_order::MentionLeg;
pub use reply_match::ReplyLeg;
pub use session_recency::SessionRecencyLeg;
pub use time_order::TimeOrderLeg;
pub use title_match::TitleLeg;
pub use wish_match::WishLeg;

use super::leg::LegReader;

/// How those that ship are read.
pub(super) const READERS: [LegReader; 11] = [
    lexical::READER,
    dense::READER,
    cue_bm25::READER,
    cue_dense::READER,
    date_match::READER,
    title_match::READER,
    reply_match::READER,
    time_order::READER,
    mention_order::READER,
    wish_match::READER,
    session_recency::READER,
];
