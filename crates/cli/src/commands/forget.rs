//! `aforesaid forget`

use aforesaid::{
    Memory, Target,
    store::{DeleteReport, MemoryRef},
    types::{ConversationId, MemoryId, Scope},
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
    /// Ids of turns and notes, or the beginnings of them. Where one is wrong, nothing is forgotten.
    #[arg(value_name = "ID")]
    ids: Vec<MemoryId>,
    #[command(flatten)]
    scope: ScopeArgs,
    /// Delete the whole namespace.
    #[arg(long, conflicts_with_all = [&["ids", "conversation"], &BESIDES_CONVERSATION[..]].concat())]
    all: bool,
    /// Do not ask for confirmation.
    #[arg(long, short)]
    yes: bool,
}

/// What is to go, by whole names.
struct Doomed {
    targets: Vec<Target>,
    /// The same in words.
    shown: String,
}

impl Forget {
    pub(crate) fn run(&self, settings: &Settings) -> Result<(), Failure> {
        let scope = self.scope(settings)?;
        let memory = settings.open_plain()?;
        let doomed = match self.ids.is_empty() {
            true => self.all_within(&memory, scope, settings)?,
            false => self.each(&memory, scope.conversation.as_ref(), settings)?,
        };
        if !self.yes && !confirm("forget", &doomed.shown, settings)? {
            aside(format_args!("nothing was forgotten"));
            return Ok(());
        }
        let gone = forget(&memory, &doomed.targets, settings)?;
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

    /// The memories that are named, once each. What the beginning of an id stands for is told.
    fn each(
        &self,
        memory: &Memory,
        conversation: Option<&ConversationId>,
        settings: &Settings,
    ) -> Result<Doomed, Failure> {
        let (mut found, mut is_by_beginning) = (Vec::new(), false);
        for id in &self.ids {
            let name = MemoryRef { id: id.clone(), conversation: conversation.cloned() };
            let one = memory.resolve(&settings.namespace, &name)?;
            if one.id != *id {
                is_by_beginning = true;
                if self.yes {
                    told_as(id.as_str(), one.id.as_str());
                }
            }
            if !found.contains(&one) {
                found.push(one);
            }
        }
        let shown = match is_by_beginning {
            true => found.iter().map(|one| format!("{:?}", one.id.as_str())).collect::<Vec<_>>().join(", "),
            false => memories(found.len() as u64),
        };
        Ok(Doomed { targets: found.into_iter().map(Target::One).collect(), shown })
    }

    /// All of a scope. What the names of a conversation and of speakers stand for is told.
    fn all_within(&self, memory: &Memory, mut scope: Scope, settings: &Settings) -> Result<Doomed, Failure> {
        let namespace = &settings.namespace;
        if let Some(name) = &mut scope.conversation {
            let found = match &scope.session {
                Some(_) => memory.resolve_conversation(namespace, name)?,
                None => memory.resolve_whole_conversation(namespace, name)?,
            };
            if found != *name {
                told_as(name.as_str(), found.as_str());
                *name = found;
            }
        }
        for name in &mut scope.filter.speakers {
            let found = memory.resolve_whole_speaker(namespace, name)?;
            if found != *name {
                told_as(name, &found);
                *name = found;
            }
        }
        let target = Target::Within(scope);
        let shown = memories(memory.count(namespace, &target)?);
        Ok(Doomed { targets: vec![target], shown })
    }

    /// The scope, where what it says goes with what else is named.
    fn scope(&self, settings: &Settings) -> Result<Scope, Failure> {
        let scope = self.scope.scope(settings)?;
        match self.ids.is_empty() {
            false if Scope { conversation: None, ..scope.clone() }.is_everything() => Ok(scope),
            false => {
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
            true if scope.is_everything() && !self.all => Err(Failure::Usage(
                "nothing was named; give an id, a scope (--conversation, --session, --except, --from, --to, --speaker, --tag, --kind, --source, --meta), or --all".into(),
            )),
            true => Ok(scope),
        }
    }
}

/// Forgets one after the other; where one fails, says how many are gone.
fn forget(memory: &Memory, targets: &[Target], settings: &Settings) -> Result<DeleteReport, Failure> {
    let mut gone = DeleteReport::default();
    for (done, target) in targets.iter().enumerate() {
        let report = memory.forget(&settings.namespace, target).inspect_err(|_| {
            if done > 0 {
                aside(format_args!("note: {done} of {} are forgotten", memories(targets.len() as u64)));
            }
        })?;
        gone = DeleteReport {
            turns: gone.turns + report.turns,
            notes: gone.notes + report.notes,
            vectors: gone.vectors + report.vectors,
            cues: gone.cues + report.cues,
            sessions: gone.sessions + report.sessions,
            conversations: gone.conversations + report.conversations,
            staged: gone.staged + report.staged,
            // Whoever empties the log empties it of all.
            erasure: report.erasure,
        };
    }
    Ok(gone)
}

fn told_as(name: &str, found: &str) {
    aside(format_args!("{} stands for {}", printable(name), printable(found)));
}
