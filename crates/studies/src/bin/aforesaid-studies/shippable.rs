//! The options that say where data is that a shipped model may be learned from.

use std::path::{Path, PathBuf};

use aforesaid_studies::ShippableData;
use clap::{Args, ValueHint};

use crate::{failure::Failure, machine::Machine};

/// Where the data is.
#[derive(Debug, Args)]
pub(crate) struct Shippable {
    /// The folder of the dialogues.
    #[arg(long, value_name = "DIR", default_value = "datasets/dialogues", value_hint = ValueHint::DirPath)]
    dialogues: PathBuf,
    /// The folder of the conversations to learn from.
    #[arg(long, value_name = "DIR", default_value = "datasets/conversations", value_hint = ValueHint::DirPath)]
    conversations: PathBuf,
    /// The folder of further questions.
    #[arg(long, value_name = "DIR", default_value = "datasets/cues", value_hint = ValueHint::DirPath)]
    cues: PathBuf,
    /// The folder of labelled questions on other data sets.
    #[arg(long, value_name = "DIR", default_value = "datasets/questions", value_hint = ValueHint::DirPath)]
    questions: PathBuf,
    /// The folder with the other data sets [default: where `aforesaid eval data fetch` puts them].
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    data: Option<PathBuf>,
}

impl Shippable {
    /// The folder with the other data sets.
    pub(crate) fn folder(&self, machine: &Machine) -> Result<PathBuf, Failure> {
        self.data.clone().map_or_else(|| machine.datasets(), Ok)
    }

    /// All of it, the other data sets in a folder.
    pub(crate) fn beside<'a>(&'a self, folder: &'a Path) -> ShippableData<'a> {
        let Self { dialogues, conversations, cues, questions, .. } = self;
        ShippableData { dialogues, conversations, cues, questions, data: folder }
    }
}
