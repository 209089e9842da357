//! Two runs side by side.

use std::collections::HashMap;

use serde::Serialize;

use super::table::{Table, four};
use crate::{
    EvalError,
    measures::{Evaluation, Measure, Qrels, Run, evaluate},
    statistics::{Paired, Resampling, StatisticsError, Tally, holm, tally},
};

/// How a second run differs from a first, measure by measure.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Comparison {
    /// Name of the first run.
    pub first: String,
    /// Name of the second run.
    pub second: String,
    /// Questions compared.
    pub n: usize,
    /// How many of them the first and the second run have no ranking of, each of which scores 0.
    pub unanswered: [usize; 2],
    /// What was resampled: see [`Resampling::what`].
    pub resampled: &'static str,
    /// What the intervals and p-values do not say, where there are few groups or questions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub caveat: Option<String>,
    /// One line a measure.
    pub measures: Vec<Compared>,
}

/// One measure of two runs.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Compared {
    /// The measure.
    pub measure: Measure,
    /// Mean of the first run.
    pub first: f64,
    /// Mean of the second run.
    pub second: f64,
    /// Difference, second minus first, with its interval and one-sided p.
    pub difference: Paired,
    /// `p` after Holm's correction over the measures of this comparison; of a `p` of 0 it is 0, too.
    pub p_holm: f64,
    /// Questions that the second run wins, ties and loses.
    pub tally: Tally,
}

impl Comparison {
    /// Compares two runs against one gold; what a question's id says before `::` is its group.
    ///
    /// # Errors
    /// When a run ranks a question without gold, or there is none.
    pub fn of_runs(first: &Run, second: &Run, qrels: &Qrels, measures: &[Measure]) -> Result<Self, EvalError> {
        let (a, b) = (evaluate(first, qrels, measures)?, evaluate(second, qrels, measures)?);
        Ok(Self::new([first.name(), second.name()], &a, &b, &groups(a.questions()))?)
    }

    /// Compares evaluations of the same questions; `clusters` gives the group of each.
    ///
    /// What is resampled decides [`Resampling::of`].
    ///
    /// # Errors
    /// When the two were not taken on the same questions by the same measures.
    pub fn new(
        [first_name, second_name]: [&str; 2],
        first: &Evaluation,
        second: &Evaluation,
        clusters: &[usize],
    ) -> Result<Self, StatisticsError> {
        let resampling = Resampling::of(clusters);
        let mut measures = Vec::new();
        for measure in first.measures() {
            let (a, b) = (first.values(measure).unwrap_or_default(), second.values(measure).unwrap_or_default());
            let difference = resampling.paired(a, b)?;
            measures.push(Compared {
                measure,
                first: first.mean(measure).unwrap_or_default(),
                second: second.mean(measure).unwrap_or_default(),
                difference,
                p_holm: difference.p,
                tally: tally(a, b)?,
            });
        }
        let adjusted = holm(&measures.iter().map(|compared| compared.difference.p).collect::<Vec<_>>())?;
        measures.iter_mut().zip(adjusted).for_each(|(compared, p)| compared.p_holm = p);
        let (first_name, second_name) = (first_name.to_owned(), second_name.to_owned());
        let (resampled, caveat) = (resampling.what(), resampling.caveat);
        let unanswered = [first.failed().len(), second.failed().len()];
        Ok(Self { first: first_name, second: second_name, n: first.n(), unanswered, resampled, caveat, measures })
    }

    /// Holm's `p` as the table shows it: of a share of 0 nothing is known but that it is below one resample, for each measure.
    fn p_holm_text(&self, compared: &Compared) -> String {
        match compared.p_holm > 0.0 {
            true => four(compared.p_holm),
            false => format!("< {}/{}", self.measures.len(), compared.difference.resamples),
        }
    }

    /// The comparison as a Markdown table.
    pub fn to_table(&self) -> Table {
        let mut table = Table::new(["measure", "first", "second", "difference [95%]", "p", "p (Holm)", "win/tie/loss"]);
        for compared in &self.measures {
            let Paired { difference, low, high, .. } = compared.difference;
            table.push([
                compared.measure.to_string(),
                four(compared.first),
                four(compared.second),
                format!("{difference:+.4} [{low:+.4}, {high:+.4}]"),
                compared.difference.p_text(),
                self.p_holm_text(compared),
                format!("{}/{}/{}", compared.tally.wins, compared.tally.ties, compared.tally.losses),
            ]);
        }
        table
    }
}

/// The group of each question, by number; a question whose id names none is one of its own.
fn groups(questions: &[String]) -> Vec<usize> {
    let mut numbers: HashMap<&str, usize> = HashMap::new();
    questions
        .iter()
        .map(|question| {
            let group = question.split_once("::").map_or(question.as_str(), |(group, _)| group);
            let next = numbers.len();
            *numbers.entry(group).or_insert(next)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_group_is_what_stands_before_the_colons() {
        let questions = ["a::1", "b::1", "a::2", "lone", "b::2"].map(str::to_owned);
        assert_eq!(groups(&questions), [0, 1, 0, 2, 1]);
    }
}
