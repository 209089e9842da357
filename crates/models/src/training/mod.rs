//! Learning an adapter of an encoder from questions and the passages that answer them.

mod adam;
mod attention;
mod contrast;
mod draws;
mod linear;
mod negatives;
mod network;
mod trainer;

pub use trainer::{Trained, TrainingPair, TrainingSet, TrainingSettings, TrainingStep, train};
