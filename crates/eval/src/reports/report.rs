//! What `eval run` says of one system.

use std::collections::BTreeMap;

use aforesaid::Reranking;
use serde_json::{Map, Value, json};

use super::table::{Table, escaped, four};
use crate::{
    datasets::Benchmark,
    experiments::{Chosen, PASSES, Set, Trial},
    measures::{Evaluation, Measure},
    statistics::{Interval, Resampling, StatisticsError},
};

/// Unresolved evidence and remarks listed in Markdown; JSON has all.
const LISTED: usize = 20;

/// Where the figures come from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Origin {
    /// The system as asked for.
    pub system: String,
    /// SHA-256 of the data.
    pub data: String,
    /// Id of the encoder, or why there is none.
    pub encoder: Result<String, String>,
    /// SHA-256 of the cue questions, where there are some.
    pub cues: Option<String>,
}

/// A system as reports name it, with what reranks its best hits.
pub fn reranked_by(system: &str, reranking: Option<Reranking<'_>>) -> String {
    let by = |of: Reranking<'_>| format!("{system}, the best {} reranked by {}", of.depth, of.reranker.name());
    reranking.map_or_else(|| system.to_owned(), by)
}

/// Measures of one system on one benchmark, with all that was left out.
#[derive(Debug, Clone, PartialEq)]
pub struct Report {
    origin: Origin,
    dataset: String,
    unit: String,
    groups: usize,
    pipelines: BTreeMap<String, Vec<String>>,
    chosen: Option<Chosen>,
    unsettled: Vec<String>,
    evaluation: Evaluation,
    intervals: Vec<(Measure, Option<Interval>)>,
    resampling: Resampling,
    categories: BTreeMap<String, Vec<usize>>,
    excluded: BTreeMap<&'static str, Vec<String>>,
    unresolved: Vec<(String, String)>,
    remarks: BTreeMap<&'static str, Vec<String>>,
}

impl Report {
    /// Gathers what a trial showed.
    ///
    /// What intervals resample decides [`Resampling::of`].
    ///
    /// # Errors
    /// When a measure is not a number.
    pub fn new(
        origin: Origin,
        benchmark: &Benchmark,
        trial: &Trial,
        clusters: &[usize],
    ) -> Result<Self, StatisticsError> {
        let evaluation = trial.evaluation.clone();
        let resampling = Resampling::of(clusters);
        let interval = |measure: Measure| match evaluation.values(measure) {
            Some(values) if values.len() > 1 => resampling.interval(values).map(Some),
            _ => Ok(None),
        };
        let intervals = evaluation
            .measures()
            .map(|measure| Ok((measure, interval(measure)?)))
            .collect::<Result<_, StatisticsError>>()?;
        let mut categories: BTreeMap<String, Vec<usize>> = BTreeMap::new();
        for (place, question) in benchmark.questions().enumerate() {
            if let Some(category) = &question.category {
                categories.entry(category.clone()).or_default().push(place);
            }
        }
        let mut pipelines: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for (group, pipeline) in benchmark.groups.iter().zip(&trial.pipelines) {
            pipelines.entry(pipeline.to_string()).or_default().push(group.id.clone());
        }
        let unsettled = trial.chosen.iter().flat_map(|chosen| &chosen.unsettled);
        let ledger = &benchmark.ledger;
        let excluded = ledger
            .excluded
            .iter()
            .map(|(reason, questions)| (*reason, questions.iter().map(|e| e.question.clone()).collect()));
        Ok(Self {
            origin,
            dataset: benchmark.dataset.clone(),
            unit: benchmark.unit.to_string(),
            groups: benchmark.groups.len(),
            pipelines,
            chosen: trial.chosen.clone(),
            unsettled: unsettled.map(|&place| benchmark.groups[place].id.clone()).collect(),
            intervals,
            resampling,
            categories,
            excluded: excluded.collect(),
            unresolved: ledger.unresolved.iter().map(|u| (u.question.clone(), u.evidence.clone())).collect(),
            remarks: ledger.remarks.clone(),
            evaluation,
        })
    }

    fn means(&self, places: Option<&[usize]>) -> Map<String, Value> {
        let mean = |measure| match places {
            Some(places) => self.evaluation.mean_over(measure, places),
            None => self.evaluation.mean(measure),
        };
        self.evaluation.measures().map(|measure| (measure.to_string(), json!(mean(measure)))).collect()
    }

    /// The report as one JSON object.
    pub fn to_json(&self) -> Value {
        let by_category: Map<String, Value> = self
            .categories
            .iter()
            .map(|(category, places)| {
                (category.clone(), json!({"n": places.len(), "measures": self.means(Some(places))}))
            })
            .collect();
        let intervals: Map<String, Value> = self
            .intervals
            .iter()
            .filter_map(|(measure, interval)| {
                interval.map(|interval| (measure.to_string(), json!([interval.low, interval.high])))
            })
            .collect();
        let unresolved: Vec<Value> = self
            .unresolved
            .iter()
            .map(|(question, evidence)| json!({"question": question, "evidence": evidence}))
            .collect();
        json!({
            "dataset": self.dataset,
            "system": self.origin.system,
            "unit": self.unit,
            "n": self.evaluation.n(),
            "excluded": self.excluded.values().map(Vec::len).sum::<usize>(),
            "measures": self.means(None),
            "intervals_95": intervals,
            "resampled": self.resampling.what(),
            "caveat": self.resampling.caveat,
            "by_category": by_category,
            "groups": self.groups,
            "pipelines": self.pipelines,
            "chosen": self.chosen.as_ref().map(|chosen| self.chosen_json(chosen)),
            "data_sha256": self.origin.data,
            "encoder": self.origin.encoder.as_ref().ok(),
            "cues_sha256": self.origin.cues,
            "failed": self.evaluation.failed(),
            "exclusions": self.excluded,
            "unresolved": unresolved,
            "remarks": self.remarks,
        })
    }

    fn chosen_json(&self, chosen: &Chosen) -> Value {
        let times = |(place, set): (usize, &Set)| {
            let times = set.values.iter().cloned().zip(chosen.counts(place).into_iter().map(Value::from));
            (set.name.clone(), Value::Object(times.collect()))
        };
        json!({
            "criterion": chosen.criterion,
            "configurations": chosen.configurations,
            "times": chosen.sets.iter().enumerate().map(times).collect::<Map<String, Value>>(),
            "unsettled": self.unsettled,
        })
    }

    /// The report as Markdown.
    pub fn to_markdown(&self) -> String {
        let origin = &self.origin;
        let encoder = match &origin.encoder {
            Ok(id) => format!("encoder {id}"),
            Err(reason) => format!("no encoder ({reason})"),
        };
        let mut text = format!(
            "# {} on {}, unit {}\n\n{} questions in {} groups; {}; data sha256 {}{}\n\n",
            escaped(&origin.system),
            escaped(&self.dataset),
            self.unit,
            self.evaluation.n(),
            self.groups,
            escaped(&encoder),
            origin.data,
            origin.cues.as_ref().map(|cues| format!("; cues sha256 {cues}")).unwrap_or_default(),
        );
        text.push_str(&self.measures().to_string());
        text.push('\n');
        if let Some(caveat) = &self.resampling.caveat {
            text.push_str(&format!("Note: {caveat}.\n\n"));
        }
        if !self.categories.is_empty() {
            text.push_str(&format!("## By category\n\n{}\n", self.by_category()));
        }
        text.push_str(&self.how());
        text.push_str(&self.left_out());
        text
    }

    fn measures(&self) -> Table {
        let mut table = Table::new(["measure", "mean", "95% interval"]);
        for (measure, interval) in &self.intervals {
            let mean = self.evaluation.mean(*measure).map(four).unwrap_or_default();
            let interval = interval.map(|i| format!("{:.4} to {:.4}", i.low, i.high)).unwrap_or_default();
            table.push([measure.to_string(), mean, interval]);
        }
        table
    }

    fn by_category(&self) -> Table {
        let mut table = Table::new(["category", "n"]);
        table.head.extend(self.evaluation.measures().map(|measure| measure.to_string()));
        for (category, places) in &self.categories {
            let mean = |measure| self.evaluation.mean_over(measure, places).map(four).unwrap_or_default();
            let means = self.evaluation.measures().map(mean);
            table.push([category.clone(), places.len().to_string()].into_iter().chain(means));
        }
        table
    }

    fn how(&self) -> String {
        let Some(chosen) = &self.chosen else {
            return self.pipelines.keys().map(|pipeline| format!("Pipeline: {}\n", escaped(pipeline))).collect();
        };
        let mut numbers = Table::new(["number", "chosen"]);
        for (place, set) in chosen.sets.iter().enumerate() {
            let times = set.values.iter().zip(chosen.counts(place)).filter(|(_, times)| *times > 0);
            let times: Vec<String> = times.map(|(value, times)| format!("{value} ({times})")).collect();
            numbers.push([set.name.clone(), times.join(", ")]);
        }
        let mut pipelines = Table::new(["pipeline, chosen on all other groups", "groups"]);
        for (pipeline, groups) in &self.pipelines {
            pipelines.push([pipeline.clone(), groups.join(", ")]);
        }
        let mut text = format!(
            "## Chosen numbers\n\nFor each group by {} on all the others, in {} configurations; in brackets, for how many \
             of {} groups.\n\n{numbers}\n{pipelines}",
            chosen.criterion, chosen.configurations, self.groups
        );
        if !self.unsettled.is_empty() {
            let groups: Vec<String> = self.unsettled.iter().map(|group| escaped(group)).collect();
            text.push_str(&format!("\nStopped after {PASSES} passes, not at an optimum: {}\n", groups.join(", ")));
        }
        text
    }

    fn left_out(&self) -> String {
        let mut text = String::from("\n## Left out\n\n");
        let before = text.len();
        for (reason, questions) in &self.excluded {
            text.push_str(&format!("- questions excluded, {reason}: {}\n", questions.len()));
        }
        if !self.evaluation.failed().is_empty() {
            text.push_str(&format!("- questions not answered, each scoring 0: {}\n", self.evaluation.failed().len()));
        }
        if !self.unresolved.is_empty() {
            let shown: Vec<String> = self
                .unresolved
                .iter()
                .take(LISTED)
                .map(|(question, evidence)| format!("{} ({})", escaped(evidence), escaped(question)))
                .collect();
            text.push_str(&format!(
                "- evidence that names nothing ({}): {}{}\n",
                self.unresolved.len(),
                shown.join(", "),
                if self.unresolved.len() > LISTED { ", ..." } else { "" }
            ));
        }
        for (kind, places) in &self.remarks {
            let shown: Vec<String> = places.iter().take(LISTED).map(|place| escaped(place)).collect();
            let more = if places.len() > LISTED { ", ..." } else { "" };
            text.push_str(&format!("- {kind} ({}): {}{more}\n", places.len(), shown.join(", ")));
        }
        if text.len() == before {
            text.push_str("Nothing.\n");
        }
        text
    }
}
