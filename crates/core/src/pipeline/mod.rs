//! From a question to a ranking: legs, fusion, prior, in that order.

pub mod confidence;
mod dated;
mod dense;
mod lexical;
mod preset;
mod rank;
mod scope;
mod spec;

pub use lexical::{Expectation, LexicalLeg, Mix};
pub use preset::{DenseLeg, Names, Preset};
pub use rank::{Detail, Found, LegHit, Legs, RankedHit, Request, SearchError, rank};
pub use scope::Candidates;
pub use spec::InvalidPipeline;
