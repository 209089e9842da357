//! `aforesaid models`

use aforesaid::models::{ModelError, Verdict, find, obtain, registry, replace, verify};
use clap::{Args, Subcommand};
use serde_json::json;

use super::print_json;
use crate::{
    failure::Failure,
    opening::Effort,
    progress,
    render::{STRONG, say},
    settings::{Output, Settings},
};

#[derive(Debug, Args)]
pub(crate) struct Models {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// List the models there are, and where this machine has them.
    List,
    /// Fetch the model in use.
    Pull {
        /// Fetch it even where it is there already.
        #[arg(long)]
        force: bool,
    },
    /// Compare the model's files with their checksums.
    Verify,
}

impl Models {
    pub(crate) fn run(&self, settings: &Settings) -> Result<(), Failure> {
        match &self.action {
            Action::List => list(settings),
            Action::Pull { force: true } => pull(settings, Pull::Replace),
            Action::Pull { force: false } => pull(settings, Pull::IfMissing),
            Action::Verify => check(settings),
        }
    }
}

enum Pull {
    IfMissing,
    Replace,
}

fn list(settings: &Settings) -> Result<(), Failure> {
    let places = settings.places(Effort::Find);
    let mut rows = Vec::new();
    for entry in registry::all() {
        rows.push((entry, find(entry, &places)));
    }
    if settings.output == Output::Programs {
        let models: Vec<_> = rows
            .iter()
            .map(|(entry, place)| {
                json!({
                    "name": entry.name,
                    "revision": entry.revision,
                    "dim": entry.dim,
                    "licence": entry.licence,
                    "bytes": entry.size(),
                    "directory": place.as_ref().ok().map(|files| &files.dir),
                    "problem": place.as_ref().err().filter(|error| !is_absent(error)).map(ToString::to_string),
                })
            })
            .collect();
        return print_json(&json!({"models": models}));
    }
    for (entry, place) in rows {
        let place = match place {
            Ok(files) => format!("{}: {}", files.origin, files.dir.display()),
            Err(error) if is_absent(&error) => "not on this machine; `aforesaid models pull` fetches it".to_owned(),
            Err(error) => error.to_string(),
        };
        say!(
            "{STRONG}{}{STRONG:#}  {} dimensions, {:.0} MB, {}\n  {place}",
            entry.name,
            entry.dim,
            entry.size() as f64 / 1e6,
            entry.licence
        )?;
    }
    Ok(())
}

fn is_absent(error: &ModelError) -> bool {
    matches!(error, ModelError::Unavailable { .. })
}

fn pull(settings: &Settings, pull: Pull) -> Result<(), Failure> {
    let entry = settings.entry()?;
    let places = settings.places(Effort::Fetch);
    let files = progress::download(settings.output, |report| match pull {
        Pull::IfMissing => obtain(entry, &places, report),
        Pull::Replace => replace(entry, &places, report),
    })?;
    match settings.output {
        Output::Programs => {
            print_json(&json!({"model": entry.name, "directory": files.dir, "origin": files.origin.to_string()}))
        }
        Output::People => {
            say!("{} is at {} ({})", entry.name, files.dir.display(), files.origin)?;
            Ok(())
        }
    }
}

fn check(settings: &Settings) -> Result<(), Failure> {
    let entry = settings.entry()?;
    let places = settings.places(Effort::Find);
    // A file with a wrong checksum is what this command is for: look at the place itself.
    let dir = match &places.explicit {
        Some(dir) => dir.clone(),
        None => match find(entry, &places) {
            Ok(files) => files.dir,
            Err(ModelError::WrongChecksum { path, .. }) => {
                path.parent().map(std::path::Path::to_owned).unwrap_or_default()
            }
            Err(error) => return Err(error.into()),
        },
    };
    let checks = verify(&dir, entry);
    let failed = checks.iter().filter(|check| check.verdict != Verdict::Ok).count();
    match settings.output {
        Output::Programs => {
            let files: Vec<_> =
                checks.iter().map(|check| json!({"file": check.path, "verdict": words(&check.verdict)})).collect();
            print_json(&json!({"model": entry.name, "directory": dir, "files": files, "ok": failed == 0}))?;
        }
        Output::People => {
            say!("{} in {}", entry.name, dir.display())?;
            for check in &checks {
                say!("  {}: {}", check.path.display(), words(&check.verdict))?;
            }
        }
    }
    match failed {
        0 => Ok(()),
        count => Err(Failure::Unverified {
            count,
            total: checks.len(),
            next: match places.explicit {
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
        other => format!("{other:?}"),
    }
}
