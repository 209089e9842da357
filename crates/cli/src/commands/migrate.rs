//! `aforesaid migrate`

use std::ops::ControlFlow;

use aforesaid::{
    Creation, EncoderSource, Memory, MigratedNamespace, MigrationOutcome, NoVectors, StoreError, store::Existing,
    types::Namespace,
};
use clap::Args;
use serde::Serialize;

use super::print_json;
use crate::{
    failure::Failure,
    interruption::Interruption,
    progress, remembering,
    render::{aside, count, memories, printable, say},
    settings::{Output, Settings},
    sync_setup::cursors_of,
};

#[derive(Debug, Args)]
#[command(
    after_help = "A store is a file or postgres://USER:PASSWORD@HOST/DATABASE. Everything comes along: ids, titles, marks, cue questions, \
    vectors, and how far `sync` has read. The source may be in use meanwhile; what is written during the last pass is taken \
    by the next run, and the report says so. An interrupted run is continued by the same command. Use the target once the \
    migration is complete: a namespace that was changed there is refused."
)]
pub(crate) struct Migrate {
    /// The store to copy.
    #[arg(long, value_name = "STORE", value_parser = place)]
    from: String,
    /// The store to copy to; it is made where there is none.
    #[arg(long, value_name = "STORE", value_parser = place)]
    to: String,
    /// Only these namespaces [default: all, or the one of --namespace].
    #[arg(value_name = "NAMESPACE")]
    namespaces: Vec<Namespace>,
}

/// A store that outlives the process.
fn place(word: &str) -> Result<String, String> {
    match word {
        "memory:" => Err("memory: ends with the process; name a file or a server".to_owned()),
        _ => Ok(word.to_owned()),
    }
}

/// What a migration did, as programs read it.
#[derive(Debug, Serialize)]
struct Report<'a> {
    from: String,
    to: String,
    /// Whether all of it is complete and nothing was written meanwhile.
    complete: bool,
    namespaces: &'a [MigratedNamespace],
    /// Cursors of `sync` that came along.
    cursors: u64,
}

impl Migrate {
    pub(crate) fn run(&self, settings: &Settings) -> Result<(), Failure> {
        let open = |store: &str, creation| {
            let encoders = EncoderSource::Unavailable { reason: NoVectors::NotUsed };
            Memory::builder().creation(creation).encoders(encoders).open(store)
        };
        let from = open(&self.from, Creation::Forbidden)?;
        let chosen = self.chosen(settings, &from)?;
        let to = open(&self.to, Creation::Allowed)?;
        let interruption = Interruption::watch();
        let bar = progress::bar(settings.output, "migrating", "{msg} [{bar:30}] {pos}/{len} rows, {eta} left");
        let mut done = Vec::new();
        for namespace in &chosen {
            let moved = from.migrate(&to, namespace, &mut |progress| {
                bar.set_message(format!("{}, pass {}", printable(progress.namespace.as_str()), progress.pass));
                bar.set_length(progress.total);
                bar.set_position(progress.done);
                interruption.step()
            });
            let moved = moved.inspect_err(|_| bar.finish_and_clear())?;
            if settings.output == Output::People {
                bar.suspend(|| describe(&moved))?;
            }
            done.push(moved);
            if interruption.step() == ControlFlow::Break(()) {
                break;
            }
        }
        bar.finish_and_clear();
        let is_stopped =
            done.len() < chosen.len() || done.iter().any(|moved| moved.outcome == MigrationOutcome::Interrupted);
        let cursors = if is_stopped { 0 } else { self.cursors(settings, &chosen)? };
        let is_still = |moved: &MigratedNamespace| {
            !moved.written_meanwhile
                && matches!(moved.outcome, MigrationOutcome::Complete | MigrationOutcome::Unchanged)
        };
        let report = Report {
            from: from.location(),
            to: to.location(),
            complete: !is_stopped && done.iter().all(is_still),
            namespaces: &done,
            cursors,
        };
        match settings.output {
            Output::Programs => print_json(&report)?,
            Output::People => {
                let all: u64 = done.iter().map(|moved| moved.rows.memories).sum();
                say!(
                    "{} of {} in {}",
                    memories(all),
                    count(done.len() as u64, "namespace"),
                    printable(&to.location())
                )?;
                if cursors > 0 {
                    say!("{} of `sync` came along", count(cursors, "cursor"))?;
                }
            }
        }
        match is_stopped {
            true => Err(Failure::Interrupted { waiting: String::new() }),
            false => Ok(()),
        }
    }

    /// The namespaces to copy: those that were named, else all.
    fn chosen(&self, settings: &Settings, from: &Memory) -> Result<Vec<Namespace>, Failure> {
        let known = from.namespaces()?;
        let named: Vec<Namespace> = self.namespaces.iter().chain(&settings.named_namespace).cloned().collect();
        if let Some(unknown) = named.iter().find(|named| !known.contains(named)) {
            let namespace = unknown.clone();
            return Err(aforesaid::Error::from(StoreError::UnknownNamespace { namespace, known }).into());
        }
        Ok(if named.is_empty() { known } else { named })
    }

    /// Copies how far `sync` has read the logs of these namespaces: what was forgotten would be read again without it. And
    /// what adapters learned from them: a forget in the target tells of those.
    fn cursors(&self, settings: &Settings, namespaces: &[Namespace]) -> Result<u64, Failure> {
        let [from, to] = [&self.from, &self.to].map(|store| remembering::records(settings, store));
        if let (Some(from), Some(to)) = (from?, to?) {
            from.copy_to(&to, namespaces)?;
        }
        let (from, to) = (cursors_of(settings, &self.from)?, cursors_of(settings, &self.to)?);
        from.copy_to(&to, namespaces, Existing::Kept).map_err(crate::sync_setup::failure)
    }
}

fn describe(moved: &MigratedNamespace) -> Result<(), Failure> {
    let name = printable(moved.namespace.as_str());
    let how = match moved.outcome {
        MigrationOutcome::Complete => "complete",
        MigrationOutcome::Unchanged => "complete before",
        MigrationOutcome::Interrupted => return say!("{name}: interrupted after {} rows written", moved.written),
        MigrationOutcome::Gone => return say!("{name}: not in the source any more; forget it in the target, too"),
    };
    let rows = &moved.rows;
    let checksum = moved.checksum.as_deref().and_then(|sum| sum.get(..16)).unwrap_or_default();
    say!(
        "{name}: {how}; {}, {}, {}; checksum {checksum} on both sides",
        memories(rows.memories),
        count(rows.questions, "cue question"),
        count(rows.vectors + rows.question_vectors, "vector"),
    )?;
    if moved.written_meanwhile {
        aside(format_args!("{name}: the source was written meanwhile; run it again for what came last"));
    }
    Ok(())
}
