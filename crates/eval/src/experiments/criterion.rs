//! By what numbers are chosen.

use std::{fmt, str::FromStr};

use serde::Serialize;

use crate::measures::{Evaluation, Measure, UnknownMeasure};

/// The mean of one or more measures, `hit@1` or `hit@1+recall@5+mrr`; published protocols choose by Hit@1.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(into = "String")]
pub struct Criterion(Vec<Measure>);

impl Criterion {
    /// Its measures: at least one, each once.
    pub fn measures(&self) -> &[Measure] {
        &self.0
    }

    /// Its value for each question, from 0 to 1; `None` where a measure of it was not taken.
    pub fn values(&self, evaluation: &Evaluation) -> Option<Vec<f64>> {
        let mut sums = vec![0.0; evaluation.n()];
        for measure in &self.0 {
            sums.iter_mut().zip(evaluation.values(*measure)?).for_each(|(sum, value)| *sum += value);
        }
        Some(sums.into_iter().map(|sum| sum / self.0.len() as f64).collect())
    }

    /// Its mean over the questions at the places given; `None` as [`Evaluation::mean_over`].
    pub fn mean_over(&self, evaluation: &Evaluation, places: &[usize]) -> Option<f64> {
        let means = self.0.iter().map(|measure| evaluation.mean_over(*measure, places));
        means.sum::<Option<f64>>().map(|sum| sum / self.0.len() as f64)
    }
}

impl Default for Criterion {
    /// Hit@1 (fusion study, section 3).
    fn default() -> Self {
        Self(vec![Measure::STANDARD[0]])
    }
}

impl FromStr for Criterion {
    type Err = UnknownMeasure;

    fn from_str(text: &str) -> Result<Self, UnknownMeasure> {
        let mut measures = Vec::new();
        for word in text.split('+') {
            let measure = word.trim().parse()?;
            if !measures.contains(&measure) {
                measures.push(measure);
            }
        }
        Ok(Self(measures))
    }
}

impl fmt::Display for Criterion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let words: Vec<String> = self.0.iter().map(Measure::to_string).collect();
        f.write_str(&words.join("+"))
    }
}

impl From<Criterion> for String {
    fn from(criterion: Criterion) -> String {
        criterion.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measures::{Qrels, Run, evaluate};

    #[test]
    fn several_measures_count_alike() {
        let (mut qrels, mut run) = (Qrels::default(), Run::new("r").unwrap());
        qrels.add("q", ["gold"]).unwrap();
        run.rank("q", vec![("other", 2.0), ("gold", 1.0)]).unwrap();
        let evaluation = evaluate(&run, &qrels, &Measure::STANDARD).unwrap();
        let values = |text: &str| text.parse::<Criterion>().unwrap().values(&evaluation);
        assert_eq!(values("hit@1+recall@5"), Some(vec![0.5]));
        assert_eq!(values("hit@1+recall@5+mrr"), Some(vec![0.5]));
        assert_eq!(values("MRR"), Some(vec![0.5]));
        assert_eq!(values("mrr+hit@2"), None, "hit@2 was not taken");
    }

    #[test]
    fn a_criterion_reads_back() {
        assert_eq!(Criterion::default().to_string(), "hit@1");
        assert_eq!("MRR + hit@1+mrr".parse::<Criterion>().unwrap().to_string(), "mrr+hit@1");
        for text in ["", "mrr+", "hit"] {
            assert!(text.parse::<Criterion>().unwrap_err().to_string().contains("expected hit@k"), "{text}");
        }
    }
}
