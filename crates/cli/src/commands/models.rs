//! `aforesaid models`

mod bench;

use std::path::Path;

use aforesaid::models::{
    ModelEntry, ModelError, ModelFiles, ModelKind, Verdict, find, registry, replace, resolve, verify,
};
use aforesaid::{ModelPolicy, resolve::ModelChoice};
use clap::{Args, Subcommand};
use serde_json::json;

use super::print_json;
use crate::{
    failure::Failure,
    progress,
    render::{STRONG, path, printable, say},
    settings::{Output, Settings},
    unused::{ENCODER_SERVER, PIPELINE, Unused, unused},
};

#[derive(Debug, Args)]
pub(crate) struct Models {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// List models, and where they are on this machine.
    List,
    /// Download a model.
    Pull {
        /// Its name [default: the model in use].
        name: Option<String>,
        /// Download it even if it is present.
        #[arg(long)]
        force: bool,
    },
    /// Verify the checksums of a model's files.
    Verify {
        /// Its name [default: the model in use].
        name: Option<String>,
    },
    /// Benchmark a model in every precision, on one thread and on all.
    Bench {
        /// Its name [default: the model in use].
        name: Option<String>,
    },
}

impl Models {
    pub(crate) fn unused(&self, settings: &Settings) -> Vec<Unused> {
        let mut all = vec![
            unused(&["precision"], "a model is the same in every precision, and bench measures them all"),
            unused(ENCODER_SERVER, "this is about models on this machine"),
        ];
        let named = match &self.action {
            Action::List => None,
            Action::Pull { name, .. } | Action::Verify { name } | Action::Bench { name } => name.as_deref(),
        };
        match (&self.action, named) {
            (Action::List, _) => {
                all.push(unused(PIPELINE, "all models are listed"));
                if matches!(settings.models.model, ModelChoice::Directory(_)) {
                    all.push(unused(&["model_dir"], "whose files it holds is not said; name the model with --model"));
                }
            }
            (_, Some(name)) if !is_in_use(settings, name) => {
                all.push(unused(&["model", "model_dir", "pipeline"], "another model is named as an argument"));
            }
            (_, Some(_)) => all.push(unused(PIPELINE, "the model is named as an argument")),
            (_, None) if settings.pipeline.encoder().is_none() => {
                all.push(unused(PIPELINE, "the pipeline names no model"));
            }
            (_, None) => {}
        }
        all
    }

    pub(crate) fn run(&self, settings: &Settings) -> Result<(), Failure> {
        match &self.action {
            Action::List => list(settings),
            Action::Pull { name, force: true } => pull(&of(settings, name.as_deref()), Pull::Replace),
            Action::Pull { name, force: false } => pull(&of(settings, name.as_deref()), Pull::IfMissing),
            Action::Verify { name } => check(&of(settings, name.as_deref())),
            Action::Bench { name } => bench::bench(&of(settings, name.as_deref())),
        }
    }
}

/// The settings with another model in use; the directory of one is not that of another.
fn of(settings: &Settings, name: Option<&str>) -> Settings {
    let mut settings = settings.clone();
    if let Some(name) = name.filter(|name| !is_in_use(&settings, name)) {
        settings.models.model = ModelChoice::Named { name: name.to_owned(), dir: None };
    }
    settings
}

fn is_in_use(settings: &Settings, model: &str) -> bool {
    matches!(&settings.models.model, ModelChoice::Named { name, .. } if name.eq_ignore_ascii_case(model))
}

enum Pull {
    IfMissing,
    Replace,
}

fn list(settings: &Settings) -> Result<(), Failure> {
    let rows: Vec<_> = registry::all()
        .map(|entry| (entry, find(entry, &of(settings, Some(entry.name)).models.paths(ModelPolicy::Find))))
        .collect();
    if settings.output == Output::Programs {
        let models: Vec<_> = rows.iter().map(|(entry, place)| described(entry, place)).collect();
        return print_json(&json!({"models": models}));
    }
    rows.iter().try_for_each(|(entry, place)| print_entry(entry, place))
}

fn described(entry: &ModelEntry, place: &Result<ModelFiles, ModelError>) -> serde_json::Value {
    json!({
        "name": entry.name,
        "kind": entry.kind.to_string(),
        "repo": entry.repo,
        "revision": entry.revision,
        "dim": entry.dim,
        "licence": entry.licence,
        "bytes": bytes(entry, place),
        "trusted_when_first_seen": unpinned(entry),
        "directory": place.as_ref().ok().map(|files| &files.dir),
        "problem": place.as_ref().err().filter(|error| !is_absent(error)).map(ToString::to_string),
    })
}

fn print_entry(entry: &ModelEntry, place: &Result<ModelFiles, ModelError>) -> Result<(), Failure> {
    let dim = match entry.kind {
        ModelKind::Encoder => format!(", {} dimensions", entry.dim),
        ModelKind::Reranker => String::new(),
    };
    let size = bytes(entry, place).map_or(String::new(), |bytes| format!(", {:.0} MB", bytes as f64 / 1e6));
    let trusted = match unpinned(entry)[..] {
        [] => String::new(),
        ref names => format!("\n  trusted when first seen: {}", names.join(", ")),
    };
    let place = match place {
        Ok(files) => format!("{}: {}", files.origin, path(&files.dir)),
        Err(error) if is_absent(error) => {
            format!("not on this machine; `aforesaid models pull {}` fetches it", entry.name)
        }
        Err(error) => printable(&error.to_string()),
    };
    let ModelEntry { name, kind, licence, .. } = entry;
    say!("{STRONG}{name}{STRONG:#}  {kind}{dim}{size}, {licence}\n  {place}{trusted}")
}

/// Bytes of all files: those known beforehand, or those that are there.
fn bytes(entry: &ModelEntry, place: &Result<ModelFiles, ModelError>) -> Option<u64> {
    let of_file = |dir: &Path, name: &str| dir.join(name).metadata().ok().map(|meta| meta.len());
    let there = |files: &ModelFiles| entry.files.iter().map(|file| of_file(&files.dir, file.name)).sum();
    entry.size().or_else(|| place.as_ref().ok().and_then(there))
}

/// The files whose checksums are not known beforehand.
fn unpinned(entry: &ModelEntry) -> Vec<&'static str> {
    entry.files.iter().filter(|file| file.pin.is_none()).map(|file| file.name).collect()
}

fn is_absent(error: &ModelError) -> bool {
    matches!(error, ModelError::Unavailable { .. })
}

fn pull(settings: &Settings, pull: Pull) -> Result<(), Failure> {
    let entry = settings.entry()?;
    let paths = settings.models.paths(ModelPolicy::Fetch);
    let files = progress::download(settings.output, |report| match pull {
        Pull::IfMissing => resolve(entry, &paths, report),
        Pull::Replace => replace(entry, &paths, report),
    })?;
    match settings.output {
        Output::Programs => {
            print_json(&json!({"model": entry.name, "directory": files.dir, "origin": files.origin.to_string()}))
        }
        Output::People => {
            say!("{} is at {} ({})", entry.name, path(&files.dir), files.origin)?;
            Ok(())
        }
    }
}

fn check(settings: &Settings) -> Result<(), Failure> {
    let entry = settings.entry()?;
    let paths = settings.models.paths(ModelPolicy::Find);
    // A file with a wrong checksum is what this command is for: look at the place itself.
    let dir = match &paths.explicit {
        Some(dir) => dir.clone(),
        None => match find(entry, &paths) {
            Ok(files) => files.dir,
            Err(ModelError::WrongChecksum { path, .. }) => path.parent().map(Path::to_owned).unwrap_or_default(),
            Err(error) => return Err(error.into()),
        },
    };
    let checks = verify(&dir, entry, &paths.cache)?;
    let fine = |verdict: &Verdict| matches!(verdict, Verdict::Ok | Verdict::FirstSeen { .. });
    let failed = checks.iter().filter(|check| !fine(&check.verdict)).count();
    match settings.output {
        Output::Programs => {
            let files: Vec<_> =
                checks.iter().map(|check| json!({"file": check.path, "verdict": words(&check.verdict)})).collect();
            print_json(&json!({"model": entry.name, "directory": dir, "files": files, "ok": failed == 0}))?;
        }
        Output::People => {
            say!("{} in {}", entry.name, path(&dir))?;
            for check in &checks {
                say!("  {}: {}", path(&check.path), words(&check.verdict))?;
            }
        }
    }
    match failed {
        0 => Ok(()),
        count => Err(Failure::Unverified {
            count,
            total: checks.len(),
            next: match paths.explicit {
                Some(_) => "put the unmodified files in that directory",
                None => "`aforesaid models pull --force` fetches them again",
            },
        }),
    }
}

fn words(verdict: &Verdict) -> String {
    match verdict {
        Verdict::Ok => "ok".to_owned(),
        Verdict::Missing => "missing".to_owned(),
        Verdict::WrongChecksum { found, expected } => format!("wrong checksum: found {found}, expected {expected}"),
        Verdict::FirstSeen { found } => format!("seen for the first time, with nothing to compare it with: {found}"),
        other => format!("{other:?}"),
    }
}
