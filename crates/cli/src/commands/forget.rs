//! `aforesaid forget`

use aforesaid::{
    Memory, Target,
    store::MemoryRef,
    types::{MemoryId, Scope},
    wire::{ForgetReport, InNamespace},
};
use clap::Args;

use super::{confirm::confirm, print_json};
use crate::{
    failure::Failure,
    remembering,
    render::{aside, count, erasure, memories, printable, say},
    scope::{BESIDES_CONVERSATION, ScopeArgs},
    settings::{Output, Settings},
};

#[derive(Debug, Args)]
#[command(
    after_help = "Without an id, the scope options select what is deleted; --all selects the whole namespace. `aforesaid sync \
    --forget SOURCE` forgets what came from an agent, or from one of its logs, and has it not be read again."
)]
pub(crate) struct Forget {
    /// Id of one turn or note, or the beginning of it.
    id: Option<MemoryId>,
    #[command(flatten)]
    scope: ScopeArgs,
    /// Delete the whole namespace.
    #[arg(long, conflicts_with_all = [&["id", "conversation"], &BESIDES_CONVERSATION[..]].concat())]
    all: bool,
    /// Do not ask for confirmation.
    #[arg(long, short)]
    yes: bool,
}

impl Forget {
    pub(crate) fn run(&self, settings: &Settings) -> Result<(), Failure> {
        let target = self.target(settings)?;
        let memory = settings.open_plain()?;
        let (target, named) = self.resolved(&memory, target, settings)?;
        let doomed = memories(memory.count(&settings.namespace, &target)?);
        let doomed = named.as_ref().map_or(doomed, |id| format!("{:?}", id.as_str()));
        if !self.yes && !confirm("forget", &doomed, settings)? {
            aside(format_args!("nothing was forgotten"));
            return Ok(());
        }
        let gone = memory.forget(&settings.namespace, &target)?;
        erasure(gone.erasure);
        let adapters = remembering::told(&memory, settings);
        if settings.output == Output::Programs {
            let result = ForgetReport { forgotten: gone, adapters: adapters? };
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
        )?;
        // What is gone is gone, also where a record cannot be read.
        adapters.map(|_| ())
    }

    /// The target by whole names, and the id of the memory that the beginning of an id stood for. What a name stood for is told.
    fn resolved(
        &self,
        memory: &Memory,
        target: Target,
        settings: &Settings,
    ) -> Result<(Target, Option<MemoryId>), Failure> {
        let name = match target {
            Target::One(name) => name,
            Target::Within(mut scope) => {
                if let Some(name) = &mut scope.conversation {
                    let found = match &scope.session {
                        Some(_) => memory.resolve_conversation(&settings.namespace, name)?,
                        None => memory.resolve_whole_conversation(&settings.namespace, name)?,
                    };
                    if found != *name {
                        aside(format_args!("{} stands for {}", printable(name.as_str()), printable(found.as_str())));
                        *name = found;
                    }
                }
                return Ok((Target::Within(scope), None));
            }
        };
        let found = memory.resolve(&settings.namespace, &name)?;
        let named = (found.id != name.id).then(|| found.id.clone());
        if let (Some(id), true) = (&named, self.yes) {
            aside(format_args!("{} stands for {}", printable(name.id.as_str()), printable(id.as_str())));
        }
        Ok((Target::One(found), named))
    }

    fn target(&self, settings: &Settings) -> Result<Target, Failure> {
        let scope = self.scope.scope(settings)?;
        match &self.id {
            Some(id) if Scope { conversation: None, ..scope.clone() }.is_everything() => {
                Ok(Target::One(MemoryRef { id: id.clone(), conversation: scope.conversation }))
            }
            Some(_) => {
                let given = [
                    ("--session", scope.session.is_some()),
                    ("--except", !scope.except.is_empty()),
                    ("--from", scope.from.is_some()),
                    ("--to", scope.to.is_some()),
                ];
                let given = given.into_iter().filter(|(_, given)| *given).map(|(option, _)| option);
                let given = given.chain(self.scope.filter.given()).collect::<Vec<_>>().join(", ");
                Err(Failure::Usage(format!("{given}: an id goes with --conversation only; leave {given} out")))
            }
            None if scope.is_everything() && !self.all => Err(Failure::Usage(
                "nothing was named; give an id, a scope (--conversation, --session, --except, --from, --to, --speaker, --tag, --kind, --source, --meta), or --all".into(),
            )),
            None => Ok(Target::Within(scope)),
        }
    }
}
