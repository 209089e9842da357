//! From a question to a ranking: legs, fusion, cue questions, dates, prior, in that order.

mod comparison;
pub mod confidence;
mod cues;
mod dated;
mod dense;
mod fused;
mod legs;
mod lexical;
mod preset;
mod rank;
mod scope;
mod spec;
mod standing;

pub use cues::CueLeg;
pub use lexical::{Expectation, Expects, LexicalLeg, Met, Mix, Word, WordPlace};
pub use preset::{DenseLeg, Names, Preset, Votes};
pub use rank::{Detail, Exact, Found, LegHit, Legs, RankedHit, Request, SearchError, rank};
pub use scope::{Candidates, Filter};
pub use spec::InvalidPipeline;
pub use standing::{Cut, Shares, Stages, Standing, Unranked, stand};
