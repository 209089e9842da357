//! `aforesaid train`

mod encoder;

use clap::{Args, Subcommand};

use crate::{
    failure::Failure,
    settings::Settings,
    unused::{ENCODER_SERVER, PIPELINE, Unused, unused},
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
}

impl Train {
    pub(crate) fn unused(&self) -> Vec<Unused> {
        vec![
            unused(PIPELINE, "an adapter is learned for every pipeline"),
            unused(&["precision"], "an adapter is the same in every precision"),
            unused(ENCODER_SERVER, "only a model on this machine can be adapted"),
        ]
    }

    pub(crate) fn run(&self, settings: &Settings) -> Result<(), Failure> {
        match &self.what {
            What::Encoder(command) => command.run(settings),
        }
    }
}
