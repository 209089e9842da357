//! `aforesaid eval reproduce`

use std::{
    collections::{BTreeMap, btree_map::Entry},
    path::PathBuf,
};

use aforesaid::types::EncoderId;
use aforesaid_eval::{
    EvalError,
    datasets::DataSet,
    receipts::{Receipt, Replayed, Verdict},
    recipe::Equipment,
};
use clap::{Args, ValueHint};
use serde_json::{Value, json};

use super::{
    equipment::{VectorArgs, watched},
    print_json, receipts_in,
};
use crate::{
    failure::Failure,
    render::{count, say},
    settings::{Output, Settings},
};

#[derive(Debug, Args)]
pub(crate) struct Reproduce {
    /// The folder with the receipts.
    #[arg(long, value_name = "DIR", default_value = "receipts", value_hint = ValueHint::DirPath)]
    receipts: PathBuf,
    /// The folder with the data sets, each in a folder of its name [default: where `eval data fetch` puts them].
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    data: Option<PathBuf>,
    /// Only receipts whose name has this in it.
    #[arg(long, value_name = "TEXT")]
    only: Option<String>,
    #[command(flatten)]
    vectors: VectorArgs,
}

impl Reproduce {
    pub(crate) fn run(&self, settings: &Settings) -> Result<(), Failure> {
        let mut receipts = Receipt::read_all(receipts_in(&self.receipts)?).map_err(EvalError::from)?;
        if let Some(text) = &self.only {
            receipts.retain(|receipt| receipt.name().contains(text.as_str()));
            if receipts.is_empty() {
                return Err(Failure::Usage(format!("--only {text}: no receipt has that in its name")));
            }
        }
        let root = self.data.clone().or_else(|| settings.datasets().ok());
        let mut by_encoder: BTreeMap<Option<&str>, Equipment> = BTreeMap::new();
        let mut replayed = Vec::new();
        for receipt in &receipts {
            let equipment = match by_encoder.entry(receipt.encoder().map(EncoderId::as_str)) {
                Entry::Occupied(known) => known.into_mut(),
                Entry::Vacant(slot) => {
                    slot.insert(self.vectors.equipment_with(DataSet::Locomo, receipt.encoder(), settings)?)
                }
            };
            let one = watched(settings, |observe| receipt.replay(root.as_deref(), equipment, observe))?;
            if settings.output == Output::People {
                say!("{one}")?;
            }
            replayed.push(one);
        }
        let number = |wanted: fn(&Verdict) -> bool| replayed.iter().filter(|one| wanted(&one.verdict)).count();
        let failed = number(|verdict| matches!(verdict, Verdict::Failed { .. }));
        let skipped = number(|verdict| matches!(verdict, Verdict::Skipped { .. }));
        let ok = replayed.len() - failed - skipped;
        match settings.output {
            Output::Programs => {
                let receipts: Vec<Value> = replayed.iter().map(to_json).collect();
                print_json(&json!({"ok": ok, "failed": failed, "skipped": skipped, "receipts": receipts}))?;
            }
            Output::People => {
                say!("\n{}: {ok} OK, {failed} failed, {skipped} skipped", count(replayed.len(), "receipt"))?
            }
        }
        match failed {
            0 => Ok(()),
            _ => Err(Failure::NotReproduced { failed, total: replayed.len() }),
        }
    }
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
