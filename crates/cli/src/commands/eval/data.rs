//! `aforesaid eval data`

use std::path::{Path, PathBuf};

use aforesaid::resolve::Network;
use aforesaid_eval::{
    EvalError,
    datasets::{DataSet, Origin},
};
use clap::{Args, Subcommand, ValueHint};
use serde_json::{Value, json};

use super::{place_of, print_json};
use crate::{
    failure::Failure,
    progress,
    render::{QUIET, STRONG, path, say},
    settings::{Output, Settings},
};

#[derive(Debug, Args)]
pub(crate) struct Data {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// List the data sets: home, licence, and whether this machine has them.
    List,
    /// Fetch a public data set, each file checked against its pinned checksum.
    Fetch {
        /// The data set.
        name: DataSet,
        /// The folder to put it in [default: datasets/<name> in your data directory].
        #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
        into: Option<PathBuf>,
    },
}

impl Data {
    pub(crate) fn run(&self, settings: &Settings) -> Result<(), Failure> {
        match &self.action {
            Action::List => list(settings),
            Action::Fetch { name, into } => fetch(*name, into.clone(), settings),
        }
    }
}

fn list(settings: &Settings) -> Result<(), Failure> {
    let mut rows = Vec::new();
    for dataset in DataSet::ALL {
        let place = place_of(dataset, None, settings).ok();
        let fingerprint = place.as_ref().and_then(|place| dataset.fingerprint(place).ok());
        rows.push((dataset.entry(), place, fingerprint));
    }
    if settings.output == Output::Programs {
        let rows: Vec<Value> = rows
            .iter()
            .map(|(entry, place, fingerprint)| {
                let files: Vec<Value> = entry
                    .files
                    .iter()
                    .map(|file| json!({"url": format!("{}{}", entry.base, file.path), "name": file.name, "bytes": file.size, "sha256": file.sha256}))
                    .collect();
                json!({
                    "name": entry.dataset.to_string(),
                    "title": entry.title,
                    "home": entry.home,
                    "licence": entry.licence,
                    "rule": entry.rule,
                    "files": files,
                    "by_hand": entry.place,
                    "path": place,
                    "data_sha256": fingerprint,
                })
            })
            .collect();
        return print_json(&json!({"datasets": rows}));
    }
    for (entry, place, fingerprint) in rows {
        say!("{STRONG}{}{STRONG:#}  {}", entry.dataset, entry.title)?;
        say!("  {} ({})", entry.licence, entry.rule)?;
        if let Some(home) = entry.home {
            say!("  {home}")?;
        }
        match (place, fingerprint) {
            (Some(place), Some(fingerprint)) => say!("  here: {} (sha256 {fingerprint})", path(&place))?,
            _ if entry.files.is_empty() => say!("  {QUIET}not here; {}{QUIET:#}", entry.place)?,
            _ => say!("  {QUIET}not here; `aforesaid eval data fetch {}`, or {}{QUIET:#}", entry.dataset, entry.place)?,
        }
    }
    Ok(())
}

fn fetch(dataset: DataSet, into: Option<PathBuf>, settings: &Settings) -> Result<(), Failure> {
    let entry = dataset.entry();
    let is_default = into.is_none();
    let into = match into {
        Some(folder) => folder,
        None => settings.datasets()?.join(dataset.folder()),
    };
    if settings.models.network == Network::Forbidden {
        let by_hand =
            format!("--offline forbids fetching {dataset}; {} (home: {})", entry.place, entry.home.unwrap_or("none"));
        return Err(Failure::Usage(by_hand));
    }
    let bar = progress::bar(settings.output, "connecting", "{msg} [{bar:30}] {bytes}/{total_bytes}, {eta} left");
    if let Some(ours) = into.parent().filter(|_| is_default) {
        make_private(ours).map_err(Failure::io(format!("folder {}: could not be made", ours.display())))?;
    }
    let fetched = entry.fetch(&into, &mut |progress| {
        bar.set_message(progress.file);
        bar.set_length(progress.total);
        bar.set_position(progress.done);
    });
    bar.finish_and_clear();
    let fetched = fetched.map_err(EvalError::from)?;
    let new = fetched.iter().filter(|file| file.origin == Origin::Network).count();
    match settings.output {
        Output::Programs => {
            let files: Vec<Value> = fetched
                .iter()
                .map(|file| json!({"path": file.path, "fetched": file.origin == Origin::Network}))
                .collect();
            print_json(
                &json!({"dataset": dataset.to_string(), "folder": into, "files": files, "licence": entry.licence}),
            )
        }
        Output::People => {
            say!("{dataset} is in {}: {new} fetched, {} there before", path(&into), fetched.len() - new)?;
            say!("{}: {}", entry.licence, entry.rule)
        }
    }
}

/// Makes our folder for its owner alone: a store lies in it too.
fn make_private(folder: &Path) -> std::io::Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}
