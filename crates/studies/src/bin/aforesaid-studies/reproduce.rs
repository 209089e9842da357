//! `aforesaid-studies reproduce`

use std::{
    collections::{BTreeMap, btree_map::Entry},
    path::PathBuf,
    sync::Arc,
};

use aforesaid::{rerank::Reranker, types::EncoderId};
use aforesaid_eval::{
    EvalError,
    receipts::{Receipt, Replayed, Verdict},
    recipe::Equipment,
};
use clap::{Args, ValueHint};
use serde_json::{Value, json};

use crate::{
    failure::Failure,
    machine::Machine,
    output::{Format, json_line, line, watched},
    tables::receipts_in,
};

/// Measures again what receipts record.
#[derive(Debug, Args)]
pub(crate) struct Reproduce {
    /// The folder with the receipts.
    #[arg(long, value_name = "DIR", default_value = "receipts", value_hint = ValueHint::DirPath)]
    receipts: PathBuf,
    /// The folder with the data sets, each in a folder of its name [default: where `aforesaid eval data fetch` puts them].
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    data: Option<PathBuf>,
    /// Only receipts whose name contains this text.
    #[arg(long, value_name = "TEXT")]
    only: Option<String>,
}

impl Reproduce {
    pub(crate) fn run(&self, machine: &Machine) -> Result<(), Failure> {
        let root = self.data.clone().or_else(|| machine.datasets().ok());
        let mut by_encoder: BTreeMap<Option<String>, Equipment> = BTreeMap::new();
        let mut replayed = Vec::new();
        for receipt in self.chosen()? {
            let encoder = receipt.encoder();
            let equipment = match by_encoder.entry(encoder.map(EncoderId::to_string)) {
                Entry::Occupied(known) => known.into_mut(),
                Entry::Vacant(slot) => slot.insert(machine.equipment(encoder)?),
            };
            if let Some(reranker) = receipt.reranker() {
                let is_its = |loaded: &Arc<dyn Reranker>| loaded.name() == reranker.as_str();
                if !equipment.reranker.as_ref().is_some_and(is_its) {
                    equipment.reranker = Some(machine.reranker(reranker)?);
                }
            }
            let one = watched(machine.format(), |observe| receipt.replay(root.as_deref(), equipment, observe))?;
            if machine.format() == Format::Text {
                line(&one.to_string())?;
            }
            replayed.push(one);
        }
        conclude(&replayed, machine.format())
    }

    fn chosen(&self) -> Result<Vec<Receipt>, Failure> {
        let mut receipts = Receipt::read_all(receipts_in(&self.receipts)?).map_err(EvalError::from)?;
        if let Some(text) = &self.only {
            receipts.retain(|receipt| receipt.name().contains(text.as_str()));
            if receipts.is_empty() {
                return Err(Failure::Usage(format!("--only {text}: no receipt has this text in its name")));
            }
        }
        Ok(receipts)
    }
}

/// Prints the counts; an error where a receipt is not reproduced.
fn conclude(replayed: &[Replayed], format: Format) -> Result<(), Failure> {
    let count = |wanted: fn(&Verdict) -> bool| replayed.iter().filter(|one| wanted(&one.verdict)).count();
    let failed = count(|verdict| matches!(verdict, Verdict::Failed { .. }));
    let skipped = count(|verdict| matches!(verdict, Verdict::Skipped { .. }));
    let (total, ok) = (replayed.len(), replayed.len() - failed - skipped);
    match format {
        Format::Json => {
            let receipts: Vec<Value> = replayed.iter().map(to_json).collect();
            json_line(&json!({"ok": ok, "failed": failed, "skipped": skipped, "receipts": receipts}))?;
        }
        Format::Text => {
            let noun = if total == 1 { "receipt" } else { "receipts" };
            line(&format!("\n{total} {noun}: {ok} OK, {failed} failed, {skipped} skipped"))?;
        }
    }
    if failed == 0 { Ok(()) } else { Err(Failure::NotReproduced { failed, total }) }
}

fn to_json(replayed: &Replayed) -> Value {
    let name = &replayed.receipt;
    match &replayed.verdict {
        Verdict::Ok { measures } => {
            let measures: serde_json::Map<String, Value> =
                measures.iter().map(|(measure, value)| (measure.to_string(), json!(value))).collect();
            json!({"name": name, "verdict": "ok", "measures": measures})
        }
        Verdict::Failed { differences } => {
            let differences: Vec<String> = differences.iter().map(ToString::to_string).collect();
            json!({"name": name, "verdict": "failed", "differences": differences})
        }
        Verdict::Skipped { reason } => json!({"name": name, "verdict": "skipped", "reason": reason}),
    }
}
