//! What `eval confidence` is asked for: whether a search knows that it found the answer.

use std::path::Path;

use aforesaid::{
    pipeline::confidence::{Confidence, Word},
    types::Granularity,
};
use serde_json::{Value, json};

use crate::{
    EvalError,
    datasets::WithAbstentions,
    experiments::{Bench, Observer},
    probabilities::Forecasts,
    recipe::{Equipment, Recipe, something_to_measure},
    reports::{Table, csv_text, inert, reranked_by},
    statistics::{Interval, RESAMPLES, SEED, StatisticsError, weighted_bootstrap},
};

/// Bins of the calibration error, of equal weight.
const BINS: usize = 10;
/// Groups from which an interval resamples them.
const GROUPS: usize = 6;

/// The words of a confidence, the surest first.
const WORDS: [Word; 5] = [Word::Strong, Word::Good, Word::Fair, Word::Weak, Word::None];

/// One question, what the search said of itself, and what was true.
#[derive(Debug, Clone, PartialEq)]
pub struct Said {
    /// The question's id.
    pub question: String,
    /// The place of its group.
    pub group: usize,
    /// Whether its history answers it.
    pub answerable: bool,
    /// Whether it is answerable and the first hit is gold.
    pub right: bool,
    /// What the search says.
    pub confidence: Confidence,
}

/// How good the probabilities of one system are on one benchmark.
#[derive(Debug, Clone, PartialEq)]
pub struct ConfidenceReport {
    system: String,
    dataset: String,
    unit: Granularity,
    data: String,
    encoder: Result<String, String>,
    said: Vec<Said>,
    first_hit: Quality,
    answerable: Quality,
}

/// How good the probabilities of one thing are.
#[derive(Debug, Clone, PartialEq)]
struct Quality {
    /// How often it is true, in [0, 1].
    share: f64,
    /// `None` where it always or never is.
    auroc: Option<f64>,
    /// Of the AUROC, over whole groups; `None` with fewer than [`GROUPS`].
    interval: Option<Interval>,
    calibration_error: f64,
    brier: f64,
}

impl Recipe {
    /// Asks every question of the data at `path`, also those that nothing answers, and holds what the search says of
    /// itself against what is true. What is measured besides counts for nothing here.
    ///
    /// # Errors
    /// When the data cannot be read, a vector is needed and there is no encoder, or a search fails.
    pub fn confidence(
        &self,
        path: &Path,
        equipment: &Equipment,
        observe: &Observer<'_>,
    ) -> Result<ConfidenceReport, EvalError> {
        let equipment = self.equipment(equipment)?;
        let published = self.dataset.load(path, self.unit)?;
        something_to_measure(&published)?;
        let WithAbstentions { benchmark, answerable } = WithAbstentions::of(&published);
        let recorded = self.cues.as_ref().map(|cues| cues.read(self.dataset, path)).transpose()?;
        let setup = equipment.setup_with(&self.system, recorded.map(std::sync::Arc::new).as_ref());
        let bench = Bench::new(&benchmark, &setup, observe)?;
        let reranking = self.reranking(&equipment)?;
        let answers = bench.answers(&self.system.pipeline, reranking, observe)?;
        let asked = benchmark.questions().zip(&answerable).zip(bench.clusters()).zip(answers);
        let said = asked.map(|(((question, &answerable), group), answer)| Said {
            question: question.id.clone(),
            group,
            answerable,
            right: answerable && answer.hits.first().is_some_and(|first| question.gold.contains(&first.id)),
            confidence: answer.confidence,
        });
        let said: Vec<Said> = said.collect();
        let of = |probability: fn(&Said) -> f64, truth: fn(&Said) -> bool| Quality::of(&said, probability, truth);
        Ok(ConfidenceReport {
            first_hit: of(|of| of.confidence.probability, |of| of.right)?,
            answerable: of(|of| of.confidence.answerable, |of| of.answerable)?,
            system: reranked_by(&self.system.name, reranking),
            dataset: published.dataset.clone(),
            unit: self.unit,
            data: self.dataset.fingerprint(path)?,
            encoder: equipment.encoder_id(),
            said,
        })
    }
}

impl Quality {
    fn of(said: &[Said], probability: fn(&Said) -> f64, truth: fn(&Said) -> bool) -> Result<Self, StatisticsError> {
        let truths: Vec<bool> = said.iter().map(truth).collect();
        let forecasts = Forecasts::new(&said.iter().map(probability).collect::<Vec<f64>>(), &truths)?;
        let (once, groups) = (forecasts.once(), said.iter().map(|said| said.group).collect::<Vec<usize>>());
        let auroc = forecasts.auroc(&once);
        let distinct = groups.iter().collect::<std::collections::BTreeSet<_>>().len();
        let interval = match auroc {
            Some(_) if distinct >= GROUPS => {
                Some(weighted_bootstrap(&groups, RESAMPLES, SEED, |weights| forecasts.auroc(weights))?)
            }
            _ => None,
        };
        Ok(Self {
            share: truths.iter().filter(|truth| **truth).count() as f64 / truths.len() as f64,
            auroc,
            interval,
            calibration_error: forecasts.calibration_error(BINS, &once),
            brier: forecasts.brier(&once),
        })
    }

    fn row(&self, name: &str) -> [String; 5] {
        let three = |value: f64| format!("{value:.3}");
        let auroc = match (self.auroc, self.interval) {
            (None, _) => "-".to_owned(),
            (Some(auroc), None) => three(auroc),
            (Some(auroc), Some(Interval { low, high, .. })) => format!("{auroc:.3} [{low:.3}, {high:.3}]"),
        };
        [name.to_owned(), three(self.share), auroc, three(self.calibration_error), three(self.brier)]
    }

    fn json(&self) -> Value {
        let interval = self.interval.map(|Interval { low, high, .. }| json!([low, high]));
        json!({
            "share": self.share, "auroc": self.auroc, "auroc_interval": interval,
            "calibration_error": self.calibration_error, "brier": self.brier,
        })
    }
}

impl ConfidenceReport {
    /// Every question, in the order of the data, those that nothing answers behind the others of their group.
    pub fn said(&self) -> &[Said] {
        &self.said
    }

    /// By word: how many first hits are called so, how many of these are right, and the mean of their probabilities.
    fn by_word(&self) -> impl Iterator<Item = (Word, usize, usize, f64)> {
        WORDS.into_iter().filter_map(|word| {
            let of: Vec<&Said> = self.said.iter().filter(|said| said.confidence.word == word).collect();
            let right = of.iter().filter(|said| said.right).count();
            let mean = of.iter().map(|said| said.confidence.probability).sum::<f64>() / of.len() as f64;
            (!of.is_empty()).then_some((word, of.len(), right, mean))
        })
    }

    /// The report as Markdown.
    pub fn to_markdown(&self) -> String {
        let answerable = self.said.iter().filter(|said| said.answerable).count();
        let mut quality = Table::new(["probability that", "true", "AUROC [95%]", "ECE", "Brier"]);
        quality.push(self.first_hit.row("the first hit answers"));
        quality.push(self.answerable.row("the question can be answered"));
        let mut words = Table::new(["confidence", "first hits", "right", "mean probability"]);
        for (word, n, right, mean) in self.by_word() {
            let share = format!("{:.3}", right as f64 / n as f64);
            words.push([word.to_string(), n.to_string(), share, format!("{mean:.3}")]);
        }
        let encoder = self.encoder.as_ref().map_or_else(|reason| format!("none: {reason}"), Clone::clone);
        let unmarked = match self.said.len() - answerable {
            0 => "\nNo question is marked as one that nothing answers, so what tells these apart is not known.\n",
            _ => "",
        };
        format!(
            "# Confidence: {} on {}, unit {}\n\n- encoder: {encoder}\n- data: sha256 {}\n- questions: {} with an answer, {} \
             without\n{unmarked}\n{quality}\n{words}",
            self.system,
            self.dataset,
            self.unit,
            self.data,
            answerable,
            self.said.len() - answerable,
        )
    }

    /// The report as JSON; `probability` and `answerable` are about what a search calls so.
    pub fn to_json(&self) -> Value {
        let words: Vec<Value> = self
            .by_word()
            .map(|(word, n, right, mean)| json!({"word": word, "first_hits": n, "right": right, "mean_probability": mean}))
            .collect();
        let answerable = self.said.iter().filter(|said| said.answerable).count();
        json!({
            "dataset": self.dataset, "unit": self.unit, "system": self.system, "data_sha256": self.data,
            "encoder": self.encoder.as_ref().ok(),
            "questions": {"with_answer": answerable, "without": self.said.len() - answerable},
            "probability": self.first_hit.json(), "answerable": self.answerable.json(), "words": words,
        })
    }

    /// One row a question as CSV, without its text.
    ///
    /// # Errors
    /// When a row cannot be written, which memory does not cause.
    pub fn to_csv(&self) -> Result<String, csv::Error> {
        let mut writer = csv::Writer::from_writer(Vec::new());
        writer.write_record(["question", "has_answer", "right", "confidence", "probability", "answerable"])?;
        for Said { question, answerable, right, confidence, .. } in &self.said {
            let flag = |flag: bool| u8::from(flag).to_string();
            writer.write_record([
                inert(question).to_string(),
                flag(*answerable),
                flag(*right),
                confidence.word.to_string(),
                confidence.probability.to_string(),
                confidence.answerable.to_string(),
            ])?;
        }
        csv_text(writer)
    }
}
