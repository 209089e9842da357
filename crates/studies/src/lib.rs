//! Studies of retrieval: published ones repeated, and the project's own of its defaults and of its confidence.
//!
//! A study drives the evaluation of `aforesaid-eval` and writes a report with tables and figures. None of it is part of
//! the `aforesaid` program; `aforesaid-studies` runs it.
#![forbid(unsafe_code)]

mod adapter;
mod cascade;
mod confidence;
mod default;
mod error;
mod evidence;
pub mod figures;
mod fusion;
mod recall;
mod reranker;
mod roxy;
mod section;
mod shippable;
mod turns;

use std::path::{Path, PathBuf};

use aforesaid_eval::{EvalError, datasets::DataSet, recipe::Equipment};

pub use adapter::{adapter_dev_sets, adapter_sets};
pub use cascade::cascade_study;
pub use confidence::{ConfidenceStudy, confidence_study, reranked_confidence_study};
pub use default::default_study;
pub use error::StudyError;
pub use evidence::{EvidenceScope, EvidenceStudy, evidence_study};
pub use fusion::{FusionStudy, fusion_study};
pub use recall::{RecallStudy, recall_study};
pub use reranker::{Asked, FoundList, RerankerTraining, UnseenData, reranker_study};
pub use roxy::{ModelTasks, RoxyStudy, roxy_requests, roxy_study};
pub use section::{Section, Study};
pub use shippable::ShippableData;
pub use turns::turns_study;

/// Where a data set is: in the repository, where it is part of it and the study is run there, else in a folder with all.
fn place_of(dataset: DataSet, folder: &Path) -> PathBuf {
    let here = dataset.in_repository().filter(|path| path.is_dir());
    here.map_or_else(|| folder.join(dataset.folder()), Path::to_owned)
}

/// The id of the encoder that a study needs.
fn encoder_of(study: &str, equipment: &Equipment) -> Result<String, EvalError> {
    equipment.encoder_id().map_err(|reason| EvalError::NoEncoder { system: study.to_owned(), reason })
}
