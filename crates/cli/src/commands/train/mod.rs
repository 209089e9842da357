//! `aforesaid train`

mod candidate;
mod encoder;
mod evidence;
mod held_out;
mod labelled;

use clap::{Args, Subcommand};

use crate::{
    failure::Failure,
    settings::Settings,
    unused::{ENCODER_SERVER, LEARNED, PIPELINE, Unused, no_vectors_in, unused},
};

#[derive(Debug, Args)]
pub(crate) struct Train {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Subcommand)]
enum What {
    /// An adapter of the embedding model, from the namespace's cue questions.
    Encoder(encoder::TrainEncoder),
    /// A candidate ranker, from labelled questions: a small model that puts the best turns of a search in another order.
    Candidate(Box<candidate::Candidate>),
    /// An evidence reranker, from labelled questions: a cross-encoder that orders the ten best turns by reading them.
    Evidence(Box<evidence::TrainEvidence>),
}

impl Train {
    pub(crate) fn unused(&self, settings: &Settings) -> Vec<Unused> {
        match &self.what {
            What::Encoder(_) => vec![
                unused(PIPELINE, "an adapter is learned for every pipeline"),
                unused(LEARNED, "an adapter is learned for every pipeline"),
                unused(&["precision"], "an adapter is the same in every precision"),
                unused(ENCODER_SERVER, "only a model on this machine can be adapted"),
            ],
            What::Candidate(_) => no_vectors_in(&settings.pipeline),
            // It is begun from the model, whatever the pipeline compares.
            What::Evidence(_) => Vec::new(),
        }
    }

    pub(crate) fn run(&self, settings: &Settings) -> Result<(), Failure> {
        match &self.what {
            What::Encoder(command) => command.run(settings),
            What::Candidate(command) => command.run(settings),
            What::Evidence(command) => command.run(settings),
        }
    }
}
