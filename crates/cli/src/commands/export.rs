//! `aforesaid export`

use std::{
    io::{BufWriter, Write},
    path::PathBuf,
};

use aforesaid::{
    Memory,
    store::Salvaged,
    wire::{ExportReport, InNamespace},
};
use clap::{Args, ValueHint};

use super::print_json;
use crate::{
    damaged::beyond_salvage,
    failure::Failure,
    files::write_as_it_comes,
    render::{self, memories, say},
    scope::{BESIDES_CONVERSATION, ScopeArgs},
    settings::{Output, Settings},
};

#[derive(Debug, Args)]
#[command(after_help = "The output has one JSON object a line; `aforesaid import` reads it.\n\
    --salvage is for a damaged store: it writes what can be read, in order of arrival, and exits with 1 where something \
    is missing or changed.")]
pub(crate) struct Export {
    #[command(flatten)]
    scope: ScopeArgs,
    /// File to write [default: standard output].
    #[arg(long, short, value_hint = ValueHint::FilePath)]
    output: Option<PathBuf>,
    /// Skip what cannot be read.
    #[arg(long, conflicts_with_all = [&["conversation"], &BESIDES_CONVERSATION[..]].concat())]
    salvage: bool,
}

impl Export {
    pub(crate) fn run(&self, settings: &Settings) -> Result<(), Failure> {
        let exported = self.export(settings);
        if self.salvage { exported.map_err(beyond_salvage) } else { exported }
    }

    fn export(&self, settings: &Settings) -> Result<(), Failure> {
        let memory = match self.salvage {
            true => Memory::builder().inspect(&settings.store)?,
            false => settings.open_plain()?,
        };
        let Some(path) = &self.output else {
            let mut out = BufWriter::new(std::io::stdout().lock());
            let exported = self.write_to(settings, &memory, &mut out)?;
            out.flush().map_err(Failure::io("standard output"))?;
            return exported.verdict(&memory);
        };
        let written = write_as_it_comes(path, |out| self.write_to(settings, &memory, out))?;
        match settings.output {
            Output::Programs => {
                let result = ExportReport { exported: written.count, salvaged: written.salvaged.clone() };
                print_json(&InNamespace { namespace: &settings.namespace, result })?;
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
        let count = memory.export(&settings.namespace, &self.scope.scope(settings)?, out)?;
        Ok(Exported { count, salvaged: None })
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
