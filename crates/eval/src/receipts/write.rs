//! New receipts.

use std::path::{Path, PathBuf};

use aforesaid::types::EncoderId;

use super::{
    Figures, Receipt, Tolerance,
    receipt::{command, stated_criterion},
};
use crate::{datasets::DataSet, recipe::Recipe};

impl Receipt {
    /// The text of a new receipt for what a recipe came to; measures are rounded to eight decimals.
    ///
    /// A tolerance below 0.0000005 is finer than that, and such a receipt may not replay. `data` is where the data are from
    /// the receipt's folder, if they go with it ([`Receipt::data_beside`]).
    pub fn of(title: &str, tolerance: Tolerance, recipe: &Recipe, figures: &Figures, data: Option<&Path>) -> String {
        let Recipe { dataset, unit, system, cues, rerank_depth, .. } = recipe;
        let encoder = figures.encoder.as_deref().and_then(|id| EncoderId::new(id).ok());
        let reranker = figures.reranker.as_deref().and_then(|id| EncoderId::new(id).ok());
        let command =
            command(*dataset, *unit, system, encoder.as_ref(), (reranker.as_ref(), *rerank_depth), cues.as_ref());
        let criterion = stated_criterion(system).map(|criterion| format!("criterion = \"{criterion}\"\n"));
        let [title, command, system] = [title, &command, &system.name].map(quoted);
        // As `/` separates it everywhere.
        let parts = |data: &Path| data.iter().map(|part| part.to_string_lossy().into_owned()).collect::<Vec<_>>();
        let data = data.map(|data| format!("data = {}\n", quoted(&parts(data).join("/")))).unwrap_or_default();
        let mut text = format!(
            "title = {title}\ncommand = {command}\ndataset = \"{dataset}\"\n{data}unit = \"{unit}\"\nsystem = {system}\n{}\
             data_sha256 = \"{}\"\n",
            criterion.unwrap_or_default(),
            figures.data_sha256
        );
        if let Some(sha256) = &figures.cues_sha256 {
            text.push_str(&format!("cues_sha256 = \"{sha256}\"\n"));
        }
        if let Some(most) = cues.as_ref().and_then(|cues| cues.at_most) {
            text.push_str(&format!("cue_questions = {most}\n"));
        }
        if let Some(encoder) = &figures.encoder {
            text.push_str(&format!("encoder = {}\n", quoted(encoder)));
        }
        if let (Some(reranker), Some(depth)) = (&figures.reranker, rerank_depth) {
            text.push_str(&format!("reranker = {}\nrerank_depth = {depth}\n", quoted(reranker)));
        }
        text.push_str(&format!("n = {}\ntolerance = {tolerance}\n\n[expected]\n", figures.n));
        for (measure, value) in &figures.measures {
            text.push_str(&format!("\"{measure}\" = {value:.8}\n"));
        }
        text
    }

    /// Where a data set of this repository is from the folder of a receipt at `path`: `../datasets/dialogues`, if that is a
    /// folder. `None` for every other data set.
    pub fn data_beside(path: &Path, dataset: DataSet) -> Option<PathBuf> {
        let data = Path::new("..").join(dataset.in_repository()?);
        path.parent()?.join(&data).is_dir().then_some(data)
    }
}

/// A string as TOML.
fn quoted(text: &str) -> String {
    toml::Value::from(text).to_string()
}
