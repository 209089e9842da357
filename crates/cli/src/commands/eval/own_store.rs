//! `aforesaid eval run --queries`: the store that searches are asked of.

use std::path::Path;

use aforesaid::{Creation, types::Granularity};
use aforesaid_eval::{
    EvalError,
    experiments::System,
    measures::Measure,
    own_store::{OwnStore, read_queries},
};
use serde_json::{Map, Value, json};

use super::{OutputArgs, equipment::watched, learned::usable_ranker};
use crate::{failure::Failure, files::read_input, rerank::LocalRerankArgs, settings::Settings};

/// What is asked of one's own store.
pub(super) struct Asked<'a> {
    pub(super) queries: &'a Path,
    pub(super) system: Option<&'a System>,
    pub(super) unit: Option<Granularity>,
    pub(super) rerank: &'a LocalRerankArgs,
}

impl Asked<'_> {
    pub(super) fn run(&self, measures: &[Measure], output: &OutputArgs, settings: &Settings) -> Result<(), Failure> {
        if let Some(system) = self.system.filter(|system| system.chooses()) {
            return Err(Failure::Usage(format!(
                "--system {}: numbers are chosen on data sets only; give numbers, or export the store and name it with \
                 --dataset jsonl --data FILE",
                system.name
            )));
        }
        usable_ranker(settings)?;
        let file = self.queries.display().to_string();
        let bytes = read_input(self.queries).map_err(Failure::io(format!("file {file}")))?;
        let text = String::from_utf8(bytes).map_err(|_| {
            Failure::Input(format!("file {file}: found bytes that are not UTF-8; convert the file first"))
        })?;
        let queries = read_queries(&text, &file).map_err(EvalError::from)?;
        let pipeline = self.system.map_or(&settings.pipeline, |system| &system.pipeline);
        let name = self.system.map_or_else(|| pipeline.name.clone(), |system| system.name.clone());
        let mut asked_with = settings.clone();
        asked_with.pipeline = pipeline.clone();
        let memory = asked_with.open(Creation::Forbidden)?;
        // What nobody names is what searches have, so that they are measured.
        let rerank = if self.system.is_none() { self.rerank.or_configured(settings) } else { self.rerank.clone() };
        let reranker = match self.system {
            None => rerank.load_as_search_does(settings)?,
            Some(_) => rerank.load(settings)?,
        };
        let reranking = reranker.as_deref().map(|reranker| rerank.reranking(reranker));
        let own = OwnStore {
            memory: &memory,
            namespace: &settings.namespace,
            queries: &queries,
            system: (&name, pipeline),
            reranking,
            measures,
        };
        let units = self.unit.map_or_else(|| vec![Granularity::Turn, Granularity::Session], |unit| vec![unit]);
        let (mut reports, mut texts) = (Map::new(), Vec::new());
        for unit in &units {
            match watched(settings, |observe| own.run(*unit, observe)) {
                Ok(outcome) => {
                    reports.insert(unit.to_string(), outcome.report.to_json());
                    texts.push(outcome.report.to_markdown());
                }
                // Where all gold is notes there is nothing to say of sessions.
                Err(EvalError::NothingToMeasure { .. }) if units.len() > 1 && *unit == Granularity::Session => {
                    reports.insert(unit.to_string(), Value::Null);
                }
                Err(error) => return Err(error.into()),
            }
        }
        output.give(settings, &json!({ "units": reports }), &texts.join("\n"))
    }
}
