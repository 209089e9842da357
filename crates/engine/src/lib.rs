//! A memory for conversations: turns go in; ask later, and the exact turns come back.
//!
//! ```
//! use aforesaid::{Explanations, Memory, Pipeline, types::*};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let memory = Memory::builder().open("memory:")?;
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
//! let answer = memory.search(&query, &Pipeline::default(), Explanations::Omit)?;
//! assert_eq!(answer.hits[0].text, "I gave the red kite to my sister.");
//! # Ok(())
//! # }
//! ```
//!
//! This crate never prints and never reads the environment; everything it uses is an argument.
#![forbid(unsafe_code)]

mod adapter_records;
mod answer;
mod browse;
mod builder;
mod cache;
mod calendar;
mod check;
mod completion;
mod cues;
mod encoder;
mod encoding;
mod error;
mod error_report;
pub mod formats;
mod ingest;
mod lessons;
mod memory;
mod migrate;
mod no_vectors;
pub mod project;
mod recall;
mod reembed;
mod references;
mod registry;
pub mod resolve;
mod search;
pub mod secrets;
pub mod sources;
mod speakers;
pub mod sync;
mod update;
pub mod wire;

pub use adapter_records::{AdapterRecord, AdapterRecords, RememberingAdapter};
pub use aforesaid_core::{
    EncodeError, Encoder, InvalidMemory, Locality, StoreError, analysis, dense,
    explain::{Arithmetic, Explain},
    fusion, lexical, pipeline,
    pipeline::Pipeline,
    rerank,
    snippet::{SNIPPET_CHARS, Snippet},
    store, time, types, visible, windows,
};
pub use aforesaid_llm as llm;
pub use aforesaid_models as models;
pub use aforesaid_postgres::{Distribution, Layout, RowSecurity, is_url as is_postgres_url, without_password};
pub use aforesaid_sqlite::Creation;
pub use answer::{BestTurn, Hit, NoHits, SearchResponse, Timing, Warning};
pub use browse::{ListedConversation, ListedSession};
pub use builder::{DEFAULT_INDEX_BUDGET, MemoryBuilder};
pub use completion::Completed;
pub use cues::{
    AddedCues, CueCoverage, CueDraft, CueFile, CueIndexing, CueLine, CueRequest, CueWriting, CuedMemory,
    MAX_QUESTION_CHARS, MAX_QUESTIONS, SHOWN_SKIPPED, SkippedCues, SkippedMemory, TakenCues, WrittenCues,
    read_cue_file,
};
pub use encoder::{EncoderSource, LazyEncoder, LoadEncoder};
pub use error::{Error, ErrorKind};
pub use error_report::ErrorReport;
pub use ingest::{Added, Imported, Progress};
pub use lessons::Lessons;
pub use memory::{Memory, Shown, Target};
pub use migrate::{MigratedNamespace, MigratedRows, MigrationOutcome, MigrationProgress};
pub use no_vectors::NoVectors;
pub use recall::{RecallOptions, Recalled};
pub use reembed::{IdleVectors, Reembedded};
pub use references::{SHORTEST_BEGINNING, is_uuid};
pub use registry::{EncoderLimits, EncoderRegistry, ModelPolicy, ResolveEncoder};
pub use search::{
    Answer, Asking, CandidateFeatures, Context, Explanations, LlmReranker, Ranked, Ranking, Reranking,
    SensitiveMemories, Source, Why,
};
pub use speakers::ListedSpeaker;
pub use update::{Updated, Upserted};

/// Compiles and runs the examples of `docs/library.md`.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/library.md")]
struct LibraryGuide;
