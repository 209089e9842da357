//! `aforesaid cues drop`

use aforesaid::wire::{DropCuesReport, InNamespace};
use clap::Args;

use super::{confirm, count, memories, print_json, say};
use crate::{
    failure::Failure,
    render::{aside, erasure},
    scope::ScopeArgs,
    settings::{Output, Settings},
};

#[derive(Debug, Args)]
#[command(after_help = "Without scope options it deletes all cues of the namespace.")]
pub(super) struct Drop {
    #[command(flatten)]
    scope: ScopeArgs,
    /// Do not ask for confirmation.
    #[arg(long, short)]
    yes: bool,
}

impl Drop {
    pub(super) fn run(&self, settings: &Settings) -> Result<(), Failure> {
        let (memory, scope) = (settings.open_plain()?, self.scope.scope(settings)?);
        let coverage = memory.cue_coverage(&settings.namespace, &scope)?;
        let doomed = format!("the cues of {}", memories(coverage.asked));
        if !self.yes && !confirm("drop", &doomed, settings)? {
            aside(format_args!("nothing was dropped"));
            return Ok(());
        }
        let gone = memory.drop_cues(&settings.namespace, &scope)?;
        let erased = memory.erasure()?;
        erasure(erased);
        match settings.output {
            Output::Programs => {
                let result = DropCuesReport { dropped: gone, erasure: erased };
                print_json(&InNamespace { namespace: &settings.namespace, result })
            }
            Output::People => say!(
                "gone: {} of {}, {}",
                count(gone.questions, "question"),
                memories(gone.memories),
                count(gone.vectors, "vector")
            ),
        }
    }
}
