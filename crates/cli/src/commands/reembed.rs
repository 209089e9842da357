//! `aforesaid reembed`

use aforesaid::{Creation, IdleVectors, Reembedded};
use clap::Args;
use serde_json::json;

use super::print_json;
use crate::{
    failure::Failure,
    opening::Effort,
    progress,
    render::{count, erasure, say},
    settings::{Output, Settings},
};

#[derive(Debug, Args)]
#[command(
    after_help = "With --model, --precision or --encoder-url it makes that encoder's vectors for the whole namespace, and has them \
    serve when they are complete; until then searches and additions go on with the others. It may be stopped at any time: \
    run again, it goes on where it was."
)]
pub(crate) struct Reembed {
    /// Delete the vectors of other encoders; kept, they make it instant to switch back.
    #[arg(long)]
    drop_old: bool,
}

impl Reembed {
    pub(crate) fn run(&self, settings: &Settings) -> Result<(), Failure> {
        let memory = settings.open(&settings.namespace, Creation::Forbidden, Effort::Fetch)?;
        let idle = if self.drop_old { IdleVectors::Drop } else { IdleVectors::Keep };
        let bar = progress::passages(settings.output, "encoding");
        let done = memory.reembed(&settings.namespace, idle, &mut |progress| {
            bar.set_length(progress.total as u64);
            bar.set_position(progress.done as u64);
        });
        bar.finish_and_clear();
        let done = done?;
        memory.prepare(&settings.namespace, &settings.preset)?;
        let erased = memory.erasure()?;
        erasure(erased);
        match settings.output {
            Output::Programs => print_json(&json!({
                "namespace": settings.namespace,
                "encoder": done.encoder,
                "before": done.before,
                "embedded": done.embedded,
                "dropped": done.dropped,
                "erasure": erased,
            })),
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
