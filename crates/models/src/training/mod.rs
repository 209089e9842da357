//! Learning an adapter of an encoder from questions and the passages that answer them, and an evidence reranker from
//! questions with the best candidates of a search.

mod adam;
mod among_all;
mod attention;
mod checkpoint;
mod checkpoint_file;
mod choice;
mod contrast;
mod draws;
mod evidence;
mod head;
mod linear;
mod listwise;
mod negatives;
mod network;
mod sets;
mod settings;
mod shown;
mod trainer;

pub use checkpoint_file::CheckpointFile;
pub use choice::StepChoice;
pub use evidence::{
    EvidenceList, EvidenceSettings, EvidenceStep, Saving, TrainedEvidence, combined_rank, train_evidence,
};
pub use sets::{TrainingPair, TrainingSet};
pub use settings::TrainingSettings;
pub use trainer::{Trained, TrainingStep, train};
