//! `aforesaid eval tables`

use std::path::PathBuf;

use aforesaid::models::files::read_regular;
use aforesaid_eval::{EvalError, receipts};
use clap::{Args, ValueHint};
use serde_json::json;

use super::{print_json, receipts_in};
use crate::{
    failure::Failure,
    files::{MOST_INPUT, write_whole},
    render::{printable, say},
    settings::{Output, Settings},
};

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
    pub(crate) fn run(&self, settings: &Settings) -> Result<(), Failure> {
        let tables = receipts::Tables::read(receipts_in(&self.receipts)?).map_err(EvalError::from)?;
        let mut stale = Vec::new();
        for path in &self.documents {
            let shown = path.display();
            let bytes = read_regular(path, MOST_INPUT).map_err(Failure::io(format!("file {shown}")))?;
            let document = String::from_utf8(bytes)
                .map_err(|_| Failure::Input(format!("file {shown}: found bytes that are not UTF-8")))?;
            let filled = tables.fill(&document).map_err(|error| Failure::Input(format!("file {shown}: {error}")))?;
            if filled != document {
                stale.push(shown.to_string());
                if !self.check {
                    write_whole(path, filled.as_bytes())?;
                }
            }
        }
        if self.check && !stale.is_empty() {
            let stale = stale.join(", ");
            return Err(Failure::Input(format!(
                "{stale}: tables are not those of the receipts; run `aforesaid eval tables {stale}`"
            )));
        }
        match settings.output {
            Output::Programs => print_json(&json!({"documents": self.documents, "changed": stale})),
            Output::People if stale.is_empty() => say!("up to date"),
            Output::People => say!("changed: {}", printable(&stale.join(", "))),
        }
    }
}
