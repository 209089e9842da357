//! A memory for conversations: turns go in; ask later, and the exact turns come back.
//!
//! ```
//! use aforesaid::{Explanations, Memory, Options, Preset, types::*};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let memory = Memory::open("memory:", Options::default())?;
//! let me = Namespace::new("me")?;
//! memory.add_turns(&me, vec![Turn {
//!     said_at: Some("2024-03-09T18:02:00Z".parse()?),
//!     ..Turn::new(
//!         ConversationId::new("chat")?,
//!         SessionId::new("monday")?,
//!         "Ann",
//!         "I gave the red kite to my sister.",
//!     )
//! }])?;
//! let query = Query::new(me, "who has the kite?");
//! let answer = memory.search(&query, &Preset::hybrid(), Explanations::Omit)?;
//! assert_eq!(answer.hits[0].text, "I gave the red kite to my sister.");
//! # Ok(())
//! # }
//! ```
//!
//! This crate never prints and never reads the environment; everything it uses is an argument.
#![forbid(unsafe_code)]

mod answer;
mod cache;
mod calendar;
mod check;
mod cues;
mod encoder;
mod encoding;
mod error;
pub mod formats;
mod ingest;
mod memory;
mod reembed;
mod search;

pub use aforesaid_core::{
    EncodeError, Encoder, InvalidMemory, Locality, StoreError, analysis, dense,
    explain::{Arithmetic, Explain},
    fusion, lexical, pipeline,
    pipeline::Preset,
    store, types, visible,
};
pub use aforesaid_llm as llm;
pub use aforesaid_models as models;
pub use aforesaid_sqlite::Creation;
pub use answer::{Answer, BestTurn, Hit, NoHits, Timing, Warning};
pub use cues::{
    AddedCues, CueCoverage, CueDraft, CueFile, CueIndexing, CueLine, CueRequest, CueWriting, CuedMemory,
    MAX_QUESTION_CHARS, MAX_QUESTIONS, SHOWN_SKIPPED, SkippedCues, SkippedMemory, TakenCues, WrittenCues,
    read_cue_file,
};
pub use encoder::{EncoderSource, LazyEncoder, LoadEncoder};
pub use error::{Error, ErrorKind};
pub use ingest::{Added, Imported, Progress};
pub use memory::{DEFAULT_INDEX_BUDGET, Memory, Options, Shown, Target};
pub use reembed::{IdleVectors, Reembedded};
pub use search::{Asked, Asking, Context, Explanations, Judging, Ranked, Ranking, SensitiveMemories, Source, Why};
