//! `aforesaid-studies tables`

use std::path::{Path, PathBuf};

use aforesaid::models::files::read_regular;
use aforesaid_eval::{EvalError, receipts};
use clap::{Args, ValueHint};
use serde_json::json;

use crate::{
    failure::Failure,
    machine::Machine,
    output::{Format, json_line, line, write_file},
};

/// Bytes of a document at most.
const MOST_DOCUMENT: u64 = 64 << 20;

/// Fills the tables of documents.
#[derive(Debug, Args)]
pub(crate) struct Tables {
    /// Markdown documents with `<!-- table: NAME -->` and `<!-- end of table -->`.
    #[arg(required = true, value_hint = ValueHint::FilePath)]
    documents: Vec<PathBuf>,
    /// The folder with the receipts and tables.toml.
    #[arg(long, value_name = "DIR", default_value = "receipts", value_hint = ValueHint::DirPath)]
    receipts: PathBuf,
    /// Change nothing; fail where a document is not up to date.
    #[arg(long)]
    check: bool,
}

impl Tables {
    pub(crate) fn run(&self, machine: &Machine) -> Result<(), Failure> {
        let tables = receipts::Tables::read(receipts_in(&self.receipts)?).map_err(EvalError::from)?;
        let mut stale = Vec::new();
        for path in &self.documents {
            let shown = path.display();
            let bytes = read_regular(path, MOST_DOCUMENT).map_err(Failure::io(format!("file {shown}")))?;
            let document = String::from_utf8(bytes)
                .map_err(|_| Failure::Input(format!("file {shown}: found bytes that are not UTF-8; expected text")))?;
            let filled = tables.fill(&document).map_err(|error| Failure::Input(format!("file {shown}: {error}")))?;
            if filled != document {
                stale.push(shown.to_string());
                if !self.check {
                    write_file(path, filled.as_bytes())?;
                }
            }
        }
        if self.check && !stale.is_empty() {
            let stale = stale.join(" ");
            return Err(Failure::Input(format!(
                "{stale}: tables are not those of the receipts; run `aforesaid-studies tables {stale}`"
            )));
        }
        match machine.format() {
            Format::Json => json_line(&json!({"documents": self.documents, "changed": stale})),
            Format::Text if stale.is_empty() => line("up to date"),
            Format::Text => line(&format!("changed: {}", stale.join(", "))),
        }
    }
}

/// The folder with receipts, which must exist.
pub(crate) fn receipts_in(folder: &Path) -> Result<&Path, Failure> {
    match folder.is_dir() {
        true => Ok(folder),
        false => Err(Failure::Usage(format!(
            "--receipts {}: found no such folder; name the one with the receipts",
            folder.display()
        ))),
    }
}
