//! `aforesaid export`

use std::{
    fs::File,
    io::{BufWriter, Write},
    path::PathBuf,
};

use clap::{Args, ValueHint};
use serde_json::json;

use super::print_json;
use crate::{
    args::ScopeArgs,
    failure::Failure,
    settings::{Output, Settings},
};

#[derive(Debug, Args)]
#[command(after_help = "One JSON object a line; `aforesaid import` reads it back.")]
pub(crate) struct Export {
    #[command(flatten)]
    scope: ScopeArgs,
    /// File to write [default: standard output].
    #[arg(long, short, value_hint = ValueHint::FilePath)]
    output: Option<PathBuf>,
}

impl Export {
    pub(crate) fn run(&self, settings: &Settings) -> Result<(), Failure> {
        let memory = settings.open_plain()?;
        let scope = self.scope.scope();
        let Some(path) = &self.output else {
            let mut out = BufWriter::new(std::io::stdout().lock());
            memory.export(&settings.namespace, &scope, &mut out)?;
            return out.flush().map_err(Failure::io("standard output"));
        };
        // Written beside its place and renamed: an export is whole or not there.
        let partial = path.with_extension("partial");
        let failed =
            |error| Failure::Io { action: format!("file {}: could not be written", path.display()), source: error };
        let mut out = BufWriter::new(File::create(&partial).map_err(failed)?);
        let written = memory.export(&settings.namespace, &scope, &mut out).map_err(Failure::from).and_then(|count| {
            out.flush().and_then(|()| out.get_ref().sync_all()).map_err(failed)?;
            std::fs::rename(&partial, path).map_err(failed)?;
            Ok(count)
        });
        if written.is_err() {
            // Nothing more can be done about a leftover than to try.
            let _ = std::fs::remove_file(&partial);
        }
        let count = written?;
        match settings.output {
            Output::Programs => print_json(&json!({"namespace": settings.namespace, "exported": count})),
            Output::People => {
                anstream::println!("{count} memories written to {}", path.display());
                Ok(())
            }
        }
    }
}
