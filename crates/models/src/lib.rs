//! Encoders and rerankers for aforesaid: BERT-family inference on a CPU, and where model files come from.
//!
//! ```no_run
//! use aforesaid_core::Encoder;
//! use aforesaid_models::{BertEncoder, Downloads, Places, Precision, Runtime, Threads, obtain, registry};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let entry = registry::named("all-MiniLM-L6-v2")?;
//! let places = Places { explicit: None, cache: "models".into(), hf_home: None, downloads: Downloads::Allowed };
//! let files = obtain(entry, &places, &mut |_| ())?;
//! let encoder = BertEncoder::load(&files, Runtime::new(Precision::F32, Threads::available()))?;
//! let vectors = encoder.encode_passages(&["Ann: We moved to Lyon in May."])?;
//! assert_eq!(vectors.dim(), 384);
//! # Ok(())
//! # }
//! ```
//!
//! Nothing here prints or reads the environment: every path is an argument.

mod bert;
pub mod checksum;
mod cross_encoder;
mod directory;
mod encoder;
mod error;
pub mod files;
mod inference;
mod instructions;
mod kernels;
mod precision;
pub mod registry;
pub mod resolve;
mod runtime;
mod stamps;
mod threads;
mod tokenizer;

pub use aforesaid_core::PairScorer;
pub use cross_encoder::CrossEncoder;
pub use directory::from_directory;
pub use encoder::BertEncoder;
pub use error::{Attempt, ModelError};
pub use instructions::Instructions;
pub use precision::Precision;
pub use registry::{ModelEntry, ModelFile, ModelKind, Normalisation, Pin, Pooling, PypiPackage, Recipe};
pub use resolve::{Downloads, FileCheck, ModelFiles, Origin, Places, Progress, Verdict, find, obtain, replace, verify};
pub use runtime::Runtime;
pub use threads::Threads;
