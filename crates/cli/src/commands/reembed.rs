//! `aforesaid reembed`

use aforesaid::{Creation, IdleVectors, Reembedded, wire::InNamespace};
use clap::Args;

use super::print_json;
use crate::{
    failure::Failure,
    progress,
    render::{count, erasure, say},
    settings::{Output, Settings},
};

#[derive(Debug, Args)]
#[command(
    after_help = "With --model, --precision or --encoder-url it encodes the whole namespace with that model and activates its vectors when \
    they are complete; until then, searches and additions use the old vectors. An interrupted run resumes when it is run \
    again."
)]
pub(crate) struct Reembed {
    /// Delete the vectors of other models; keeping them makes switching back instant.
    #[arg(long)]
    drop_old: bool,
}

impl Reembed {
    pub(crate) fn run(&self, settings: &Settings) -> Result<(), Failure> {
        let memory = settings.open(Creation::Forbidden)?;
        let idle = if self.drop_old { IdleVectors::Drop } else { IdleVectors::Keep };
        let bar = progress::passages(settings.output, "encoding");
        let done = memory.reembed(&settings.namespace, idle, &mut |progress| {
            bar.set_length(progress.total as u64);
            bar.set_position(progress.done as u64);
        });
        bar.finish_and_clear();
        let done = done?;
        memory.prepare(&settings.namespace, &settings.pipeline)?;
        erasure(done.erasure);
        match settings.output {
            Output::Programs => print_json(&InNamespace { namespace: &settings.namespace, result: done }),
            Output::People => describe(&done),
        }
    }
}

fn describe(done: &Reembedded) -> Result<(), Failure> {
    say!("{} made; searches go by {}", count(done.embedded, "vector"), done.encoder)?;
    match &done.before {
        _ if done.dropped > 0 => say!("{} of other encoders deleted", count(done.dropped, "vector")),
        Some(before) if *before != done.encoder => say!("those by {before} are kept; --drop-old deletes them"),
        _ => Ok(()),
    }
}
