//! Encoders and rerankers for aforesaid: BERT-family inference on a CPU, and where model files come from.
//!
//! ```no_run
//! use aforesaid_core::Encoder;
//! use aforesaid_models::{BertEncoder, Downloads, ModelPaths, Precision, Runtime, Threads, resolve, registry};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let entry = registry::named("all-MiniLM-L6-v2")?;
//! let paths = ModelPaths { explicit: None, cache: "models".into(), hf_home: None, downloads: Downloads::Allowed };
//! let files = resolve(entry, &paths, &mut |_| ())?;
//! let encoder = BertEncoder::load(&files, Runtime::new(Precision::F32, Threads::available()))?;
//! let vectors = encoder.encode_passages(&["Ann: We moved to Lyon in May."])?;
//! assert_eq!(vectors.dim(), 384);
//! # Ok(())
//! # }
//! ```
//!
//! Nothing here prints or reads the environment: every path is an argument.

mod adapter;
mod architecture;
mod bert;
pub mod checksum;
mod cross_encoder;
mod directory;
pub mod download;
mod encoder;
mod error;
mod evidence;
pub mod files;
mod inference;
mod instructions;
mod kernels;
mod modernbert;
mod precision;
mod private;
pub mod registry;
pub mod resolve;
mod runtime;
mod score_modules;
mod stamps;
mod threads;
mod tokenizer;
pub mod training;

pub use adapter::{Adapter, ReadWith};
pub use aforesaid_core::{PairScore, PairScorer};
pub use cross_encoder::CrossEncoder;
pub use directory::from_directory;
pub use encoder::BertEncoder;
pub use error::{Attempt, ModelError};
pub use evidence::{EvidenceModel, EvidenceRecord};
pub use instructions::Instructions;
pub use precision::Precision;
pub use registry::{
    Languages, ModelEntry, ModelFile, ModelKind, Normalisation, Pin, Pooling, PypiPackage, QueryAdapter,
    QueryAdapterFile, Recipe, ShippedAdapter,
};
pub use resolve::{
    Downloads, FileCheck, ModelFiles, ModelPaths, Origin, Progress, Verdict, find, replace, resolve, verify,
};
pub use runtime::Runtime;
pub use threads::Threads;
