//! `aforesaid forget`

use aforesaid::{
    Target,
    store::MemoryRef,
    types::MemoryId,
    wire::{ForgetReport, InNamespace},
};
use clap::Args;

use super::{confirm::confirm, print_json};
use crate::{
    failure::Failure,
    render::{aside, count, erasure, memories, say},
    scope::ScopeArgs,
    settings::{Output, Settings},
};

#[derive(Debug, Args)]
#[command(after_help = "Without an id, the scope options select what is deleted; --all selects the whole namespace.")]
pub(crate) struct Forget {
    /// Id of one turn or note.
    id: Option<MemoryId>,
    #[command(flatten)]
    scope: ScopeArgs,
    /// Delete the whole namespace.
    #[arg(long, conflicts_with_all = ["id", "conversation", "session", "from", "to"])]
    all: bool,
    /// Do not ask for confirmation.
    #[arg(long, short)]
    yes: bool,
}

impl Forget {
    pub(crate) fn run(&self, settings: &Settings) -> Result<(), Failure> {
        let target = self.target(settings)?;
        let memory = settings.open_plain()?;
        let doomed = memories(memory.count(&settings.namespace, &target)?);
        if !self.yes && !confirm("forget", &doomed, settings)? {
            aside(format_args!("nothing was forgotten"));
            return Ok(());
        }
        let gone = memory.forget(&settings.namespace, &target)?;
        erasure(gone.erasure);
        if settings.output == Output::Programs {
            let result = ForgetReport { forgotten: gone };
            return print_json(&InNamespace { namespace: &settings.namespace, result });
        }
        let cues = match gone.cues {
            0 => String::new(),
            cues => format!("{}, ", count(cues, "cue question")),
        };
        say!(
            "gone: {}, {}, {}, {cues}{}, {}{}",
            count(gone.turns, "turn"),
            count(gone.notes, "note"),
            count(gone.vectors, "vector"),
            count(gone.sessions, "emptied session"),
            count(gone.conversations, "emptied conversation"),
            if gone.staged > 0 {
                format!(", {} of an unfinished import", count(gone.staged, "vector"))
            } else {
                String::new()
            }
        )
    }

    fn target(&self, settings: &Settings) -> Result<Target, Failure> {
        let scope = self.scope.scope(settings)?;
        match &self.id {
            Some(id) if scope.session.is_none() && scope.from.is_none() && scope.to.is_none() => {
                Ok(Target::One(MemoryRef { id: id.clone(), conversation: scope.conversation }))
            }
            Some(_) => {
                let given = [
                    ("--session", scope.session.is_some()),
                    ("--from", scope.from.is_some()),
                    ("--to", scope.to.is_some()),
                ];
                let given: Vec<&str> =
                    given.into_iter().filter(|(_, given)| *given).map(|(option, _)| option).collect();
                let given = given.join(", ");
                Err(Failure::Usage(format!("{given}: an id goes with --conversation only; leave {given} out")))
            }
            None if scope.is_everything() && !self.all => Err(Failure::Usage(
                "nothing was named; give an id, a scope (--conversation, --session, --from, --to), or --all".into(),
            )),
            None => Ok(Target::Within(scope)),
        }
    }
}
