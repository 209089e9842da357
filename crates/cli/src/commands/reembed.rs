//! `aforesaid reembed`

use aforesaid::Creation;
use clap::Args;
use serde_json::json;

use super::print_json;
use crate::{
    failure::Failure,
    opening::Effort,
    progress,
    render::{count, say},
    settings::{Output, Settings},
};

#[derive(Debug, Args)]
pub(crate) struct Reembed {}

impl Reembed {
    pub(crate) fn run(&self, settings: &Settings) -> Result<(), Failure> {
        let memory = settings.open(Creation::Forbidden, Effort::Fetch)?;
        let bar = progress::passages(settings.output, "encoding");
        let made = memory.reembed(&settings.namespace, &mut |progress| {
            bar.set_length(progress.total as u64);
            bar.set_position(progress.done as u64);
        });
        bar.finish_and_clear();
        let made = made?;
        memory.prepare(&settings.namespace, &settings.preset)?;
        match settings.output {
            Output::Programs => print_json(&json!({"namespace": settings.namespace, "embedded": made})),
            Output::People => say!("{} made", count(made, "vector")),
        }
    }
}
