//! Z-scores, min-max and reciprocal ranks on the same legs.

use aforesaid::{
    Pipeline,
    fusion::{Fusion, Method, RRF_K},
    pipeline::InvalidPipeline,
};

use super::{
    Findings,
    ablation::word,
    corpus::Corpus,
    gains::{Gain, adjust},
    ground::Stage,
    pieces,
};
use crate::{
    Section, StudyError,
    figures::{BarSeries, Bars, Estimate, Titles},
};
use aforesaid_eval::{
    experiments::{CRITERION, tuning::leave_one_out},
    measures::{Evaluation, Measure},
    reports::{Table, four},
    statistics::{RESAMPLES, SEED, cluster_bootstrap},
};

/// Ways to merge two legs.
const FUSIONS: [(&str, Method); 3] =
    [("zscore", Method::ZScore), ("minmax", Method::MinMax), ("rrf", Method::Rrf { k: RRF_K })];

/// Pairs of [`FUSIONS`].
const PAIRS: [(usize, usize); 3] = [(0, 1), (0, 2), (1, 2)];

/// Weights of the lexical leg that are tried, in tenths; at 0 and 10 all fusions are one leg alone.
const TENTHS: std::ops::RangeInclusive<u32> = 1..=9;

/// Place of the equal weights in [`TENTHS`].
const EQUAL: usize = 4;

/// Parts that questions are dealt to where there is one history to choose weights on.
const FOLDS: usize = 5;

/// What is compared.
const MEASURES: [Measure; 2] = [CRITERION, Measure::Mrr];

/// The legs that are merged.
const LEGS: [&str; 2] = ["hybrid's legs", "the published legs"];

fn legs(place: usize) -> Result<(Pipeline, Corpus), InvalidPipeline> {
    match place {
        0 => Ok((pieces::hybrid(), Corpus::WHOLE)),
        _ => Ok(("zscore(0.5, paper-bm25, dense(max))".parse()?, Corpus::CAPTIONLESS)),
    }
}

/// How weights are found.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Weights {
    Equal,
    Chosen,
}

/// One pair of legs under every fusion and weight.
pub(super) struct HeadToHead {
    /// By legs, fusion and weight.
    evaluations: Vec<Vec<Vec<Evaluation>>>,
    /// The part of each question that its weight is not chosen on.
    folds: Vec<usize>,
}

/// Values of each question, and the weight that was used for each fold.
struct Scored {
    values: Vec<f64>,
    weights: Vec<f64>,
}

impl HeadToHead {
    pub(super) fn of(stage: &Stage<'_>) -> Result<Self, StudyError> {
        let mut evaluations = Vec::new();
        for place in 0..LEGS.len() {
            let (legs, corpus) = legs(place)?;
            let mut by_fusion = Vec::new();
            for (name, fusion) in FUSIONS {
                let under = |alpha| {
                    let pipeline = Pipeline { fusion: weighed(fusion, alpha), ..legs.clone() };
                    stage.evaluate(name, &pipeline, corpus)
                };
                by_fusion.push(weights().map(under).collect::<Result<Vec<_>, _>>()?);
            }
            evaluations.push(by_fusion);
        }
        let clusters = stage.clusters();
        let several = clusters.iter().any(|cluster| Some(cluster) != clusters.first());
        let folds = if several { clusters } else { (0..clusters.len()).map(|place| place % FOLDS).collect() };
        Ok(Self { evaluations, folds })
    }

    fn score(&self, legs: usize, fusion: usize, weights_by: Weights, measure: Measure) -> Scored {
        let candidates = &self.evaluations[legs][fusion];
        let folds = self.folds.iter().max().map_or(0, |last| last + 1);
        let chosen = match weights_by {
            Weights::Equal => vec![EQUAL; folds],
            Weights::Chosen => leave_one_out(candidates, &self.folds, folds, measure).unwrap_or_default(),
        };
        let value =
            |(place, fold): (usize, &usize)| candidates[chosen[*fold]].values(measure).map_or(0.0, |all| all[place]);
        let tried: Vec<f64> = weights().collect();
        Scored {
            values: self.folds.iter().enumerate().map(value).collect(),
            weights: chosen.iter().map(|&place| tried[place]).collect(),
        }
    }
}

/// A fusion of two legs, the first with this weight in [0, 1].
fn weighed(method: Method, alpha: f64) -> Fusion {
    Fusion { method, weights: vec![alpha, 1.0 - alpha] }
}

fn weights() -> impl Iterator<Item = f64> {
    // Tenths, not sums of 0.1: 0.3 must print as 0.3.
    TENTHS.map(|tenth| f64::from(tenth) / 10.0)
}

/// `0.2 to 0.4`.
fn range(weights: &[f64]) -> String {
    let least = weights.iter().copied().fold(f64::INFINITY, f64::min);
    let most = weights.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    if least == most { least.to_string() } else { format!("{least} to {most}") }
}

/// A ground by a measure, on one pair of legs.
struct Comparison<'a> {
    findings: &'a Findings,
    measure: Measure,
    scored: [Scored; 3],
    /// By pair.
    gains: [Gain; 3],
}

fn rows(all: &[Findings], legs: usize, weights_by: Weights) -> Result<Vec<Comparison<'_>>, StudyError> {
    let mut rows = Vec::new();
    for findings in all {
        for measure in MEASURES {
            let scored = [0, 1, 2].map(|fusion| findings.fusions.score(legs, fusion, weights_by, measure));
            let gain = |(first, second): (usize, usize)| {
                findings.against.resampling.gain(&scored[second].values, &scored[first].values)
            };
            let gains = [gain(PAIRS[0])?, gain(PAIRS[1])?, gain(PAIRS[2])?];
            rows.push(Comparison { findings, measure, scored, gains });
        }
    }
    adjust(rows.iter_mut().flat_map(|row| &mut row.gains))?;
    Ok(rows)
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

fn differences(rows: &[Comparison<'_>]) -> Table {
    let mut table = Table::new(["measured on", "measure"]);
    table.head.extend(FUSIONS.map(|(name, _)| name.to_owned()));
    table.head.extend(PAIRS.map(pair_name));
    for row in rows {
        let named = [row.findings.name().to_owned(), word(row.measure)];
        let means = row.scored.iter().map(|scored| four(mean(&scored.values)));
        table.push(named.into_iter().chain(means).chain(row.gains.iter().map(Gain::with_interval)));
    }
    table
}

fn pair_name((first, second): (usize, usize)) -> String {
    format!("{} - {}", FUSIONS[first].0, FUSIONS[second].0)
}

fn chosen_weights(rows: &[Comparison<'_>]) -> Table {
    let mut table = Table::new(["measured on", "measure"]);
    table.head.extend(FUSIONS.map(|(name, _)| name.to_owned()));
    for row in rows {
        let named = [row.findings.name().to_owned(), word(row.measure)];
        table.push(named.into_iter().chain(row.scored.iter().map(|scored| range(&scored.weights))));
    }
    table
}

/// Who wins significantly where, by MRR.
fn verdicts(compared: &[(usize, Weights, Vec<Comparison<'_>>)]) -> Table {
    let mut table = Table::new(["legs", "weights", "pair", "first wins", "second wins", "no difference shown"]);
    for (legs, weights_by, rows) in compared {
        for (place, pair) in PAIRS.into_iter().enumerate() {
            let mut cells = [Vec::new(), Vec::new(), Vec::new()];
            for row in rows.iter().filter(|row| row.measure == Measure::Mrr) {
                let gain = &row.gains[place];
                let cell = match gain.significant() {
                    true if gain.paired.difference > 0.0 => 0,
                    true => 1,
                    false => 2,
                };
                cells[cell].push(row.findings.name());
            }
            let named = [LEGS[*legs].to_owned(), weights_by.word().to_owned(), pair_name(pair)];
            table.push(named.into_iter().chain(cells.map(|names| names.join("; "))));
        }
    }
    table
}

impl Weights {
    fn word(self) -> &'static str {
        match self {
            Weights::Equal => "equal",
            Weights::Chosen => "chosen",
        }
    }
}

fn figure(rows: &[Comparison<'_>]) -> Result<Section, StudyError> {
    let by_mrr: Vec<&Comparison<'_>> = rows.iter().filter(|row| row.measure == Measure::Mrr).collect();
    let estimate = |row: &Comparison<'_>, fusion: usize| -> Result<Estimate, StudyError> {
        let clusters = row.findings.against.resampling.clusters();
        let interval = cluster_bootstrap(&row.scored[fusion].values, clusters, RESAMPLES, SEED)?;
        Ok(Estimate { value: interval.mean, interval: Some((interval.low, interval.high)) })
    };
    let mut series = Vec::new();
    for (fusion, (name, _)) in FUSIONS.into_iter().enumerate() {
        let values = by_mrr.iter().map(|row| estimate(row, fusion)).collect::<Result<_, _>>()?;
        series.push(BarSeries { name: name.to_owned(), values });
    }
    let figure = Bars {
        titles: Titles {
            chart: "Fusions of hybrid's legs, weights chosen on other conversations".to_owned(),
            x: "measured on".to_owned(),
            y: "MRR".to_owned(),
        },
        groups: by_mrr.iter().map(|row| row.findings.name().to_owned()).collect(),
        series,
        references: Vec::new(),
        notes: Vec::new(),
        decimals: 3,
    };
    Ok(Section::figure("Figure: fusions", "", "figure-fusions", figure.draw()?))
}

pub(super) fn sections(findings: &[Findings]) -> Result<Vec<Section>, StudyError> {
    let mut compared = Vec::new();
    for legs in 0..LEGS.len() {
        for weights_by in [Weights::Equal, Weights::Chosen] {
            compared.push((legs, weights_by, rows(findings, legs, weights_by)?));
        }
    }
    let mut sections = vec![Section::table(
        "Fusions: who wins where",
        format!(
            "By MRR, where the difference is significant at 5%, two-sided, after Holm's correction over the 3 pairs, the \
             2 measures and the {} grounds of one pair of legs and one kind of weights. The published legs are BM25 as \
             published and plain turn vectors, without image captions.",
            findings.len()
        ),
        verdicts(&compared),
    )];
    for (legs, weights_by, rows) in &compared {
        let note = match weights_by {
            Weights::Equal => {
                format!("Both legs weigh alike; rrf has k = {RRF_K}. Differences in points, [95%], stars as above.")
            }
            Weights::Chosen => format!(
                "The weight of the words is chosen from 0.1 to 0.9 by 0.1, by the measure of the row, on all other \
                 conversations; where there is one history, on the other {} of {FOLDS} parts of the questions.",
                FOLDS - 1
            ),
        };
        sections.push(Section::table(
            format!("Fusions: {}, {} weights", LEGS[*legs], weights_by.word()),
            note,
            differences(rows),
        ));
        if *weights_by == Weights::Chosen {
            let title = format!("Fusions: {}, the weights of the words that were chosen", LEGS[*legs]);
            sections.push(Section::table(title, "", chosen_weights(rows)));
        }
    }
    if let Some((.., rows)) = compared.iter().find(|(legs, weights_by, _)| (*legs, *weights_by) == (0, Weights::Chosen))
    {
        sections.push(figure(rows)?);
    }
    Ok(sections)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_weights_are_in_the_middle() {
        let tried: Vec<f64> = weights().collect();
        assert_eq!((tried[EQUAL], tried[2], tried.len()), (0.5, 0.3, 9));
        assert_eq!(range(&[0.3, 0.2, 0.3]), "0.2 to 0.3");
        assert_eq!(range(&[0.7, 0.7]), "0.7");
    }
}
