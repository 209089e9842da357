//! `aforesaid export`

use std::{
    fs::{self, File},
    io::{BufWriter, Write},
    path::{Path, PathBuf},
};

use aforesaid::{Memory, store::Salvaged};
use clap::{Args, ValueHint};
use serde_json::json;

use super::print_json;
use crate::{
    args::ScopeArgs,
    failure::Failure,
    render::{self, memories, say},
    settings::{Output, Settings},
};

#[derive(Debug, Args)]
#[command(after_help = "One JSON object a line; `aforesaid import` reads it back.\n\
    --salvage is for a damaged store: what can be read is written, in order of arrival, and the exit code is 1 where \
    something is missing or is not what was stored.")]
pub(crate) struct Export {
    #[command(flatten)]
    scope: ScopeArgs,
    /// File to write [default: standard output].
    #[arg(long, short, value_hint = ValueHint::FilePath)]
    output: Option<PathBuf>,
    /// Go on where something cannot be read.
    #[arg(long, conflicts_with_all = ["conversation", "session", "from", "to"])]
    salvage: bool,
}

impl Export {
    pub(crate) fn run(&self, settings: &Settings) -> Result<(), Failure> {
        let memory = match self.salvage {
            true => Memory::inspect(&settings.store)?,
            false => settings.open_plain()?,
        };
        let Some(path) = &self.output else {
            let mut out = BufWriter::new(std::io::stdout().lock());
            let exported = self.write_to(settings, &memory, &mut out)?;
            out.flush().map_err(Failure::io("standard output"))?;
            return exported.verdict(&memory);
        };
        let written = match fs::metadata(path) {
            // A device or a pipe is written to, not replaced.
            Ok(place) if !place.is_file() => self.write(settings, &memory, path, &mut create(path)?)?,
            _ => self.replace(settings, &memory, path)?,
        };
        match settings.output {
            Output::Programs => {
                let mut report = json!({"namespace": settings.namespace, "exported": written.count});
                if let Some(salvaged) = &written.salvaged {
                    report["salvaged"] = json!(salvaged);
                }
                print_json(&report)?;
            }
            Output::People => {
                let path = path.display().to_string();
                say!("{} written to {}", memories(written.count), render::printable(&path))?;
            }
        }
        written.verdict(&memory)
    }

    fn write_to(&self, settings: &Settings, memory: &Memory, out: &mut dyn Write) -> Result<Exported, Failure> {
        if self.salvage {
            let salvaged = memory.salvage(&settings.namespace, out)?;
            return Ok(Exported { count: salvaged.read, salvaged: Some(salvaged) });
        }
        let count = memory.export(&settings.namespace, &self.scope.scope(), out)?;
        Ok(Exported { count, salvaged: None })
    }

    /// Written beside its place and renamed: the file is whole or not there.
    fn replace(&self, settings: &Settings, memory: &Memory, path: &Path) -> Result<Exported, Failure> {
        // Through a link, the file it names is replaced, not the link.
        let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        let name = target.file_name().unwrap_or_default().to_string_lossy();
        let partial = target.with_file_name(format!(".{name}.{}.partial", std::process::id()));
        let written = create(&partial)
            .and_then(|mut file| self.write(settings, memory, path, &mut file))
            .and_then(|count| fs::rename(&partial, &target).map(|()| count).map_err(failed(path)));
        if written.is_err() {
            // Nothing more can be done about a leftover than to try.
            let _ = fs::remove_file(&partial);
        }
        written
    }

    fn write(&self, settings: &Settings, memory: &Memory, path: &Path, file: &mut File) -> Result<Exported, Failure> {
        let mut out = BufWriter::new(file);
        let count = self.write_to(settings, memory, &mut out)?;
        out.flush().map_err(failed(path))?;
        // A device may not know how to be synced; a file does.
        match out.get_ref().metadata().is_ok_and(|place| place.is_file()) {
            true => out.get_ref().sync_all().map(|()| count).map_err(failed(path)),
            false => Ok(count),
        }
    }
}

/// What was written.
struct Exported {
    count: u64,
    salvaged: Option<Salvaged>,
}

impl Exported {
    /// An error where something is missing; what could be read is written all the same.
    fn verdict(&self, memory: &Memory) -> Result<(), Failure> {
        match &self.salvaged {
            Some(salvaged) if !salvaged.is_whole() => Err(Failure::Lost {
                store: memory.location(),
                lost: salvaged.lost,
                changed: salvaged.changed.len(),
                next: "what could be read was written; `aforesaid import` takes it into a new store, and a backup has the rest",
            }),
            _ => Ok(()),
        }
    }
}

fn create(path: &Path) -> Result<File, Failure> {
    File::create(path).map_err(failed(path))
}

fn failed(path: &Path) -> impl FnOnce(std::io::Error) -> Failure {
    Failure::io(format!("file {}: could not be written", path.display()))
}
