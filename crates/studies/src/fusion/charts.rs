//! Figures 1 to 3.

use super::{
    findings::{EARLY, Findings, LATE, OPERATORS},
    tables::categories,
};
use crate::{
    Section, StudyError,
    figures::{BarSeries, Bars, Estimate, LineSeries, Lines, Mark, Point, Reference, Titles},
};
use aforesaid_eval::{
    datasets::Benchmark,
    experiments::{CRITERION, tuning::alphas},
    measures::Evaluation,
    reports::points,
    statistics::{RESAMPLES, SEED, cluster_bootstrap},
};

pub(super) fn of_study(findings: &Findings, benchmark: &Benchmark) -> Result<Vec<Section>, StudyError> {
    Ok(vec![interaction(findings)?, by_category(findings, benchmark)?, weights(findings)?])
}

/// Mean Hit@1 with its interval over conversations.
fn estimate(findings: &Findings, evaluation: &Evaluation) -> Result<Estimate, StudyError> {
    let values = evaluation.values(CRITERION).unwrap_or_default();
    let interval = cluster_bootstrap(values, &findings.clusters, RESAMPLES, SEED)?;
    Ok(Estimate { value: interval.mean, interval: Some((interval.low, interval.high)) })
}

fn bm25(findings: &Findings) -> Vec<Reference> {
    vec![Reference { label: "BM25".to_owned(), value: findings.bm25.mean(CRITERION).unwrap_or_default() }]
}

fn interaction(findings: &Findings) -> Result<Section, StudyError> {
    let all = |evaluations: Vec<&Evaluation>| {
        evaluations.into_iter().map(|evaluation| estimate(findings, evaluation)).collect::<Result<Vec<_>, _>>()
    };
    let late = |place: usize| findings.dense[place].mean(CRITERION).unwrap_or_default();
    let gap = |place: usize| findings.fused[place].chosen.mean(CRITERION).unwrap_or_default() - late(place);
    let figure = Bars {
        titles: Titles {
            chart: "Interaction operators, alone and with BM25".to_owned(),
            x: "operator".to_owned(),
            y: "Hit@1".to_owned(),
        },
        groups: OPERATORS
            .iter()
            .enumerate()
            .map(|(place, (name, _))| if place == EARLY { format!("{name} (early)") } else { format!("{name} (late)") })
            .collect(),
        series: vec![
            BarSeries { name: "dense alone".to_owned(), values: all(findings.dense.iter().collect())? },
            BarSeries {
                name: "with BM25".to_owned(),
                values: all(findings.fused.iter().map(|sweep| &sweep.chosen).collect())?,
            },
        ],
        references: bm25(findings),
        notes: (0..OPERATORS.len()).map(|group| format!("{} pp", points(gap(group)))).collect(),
        decimals: 3,
    };
    let note = "Late over early interaction for one encoder, and what BM25 adds to each operator.";
    Ok(Section::figure("Figure 1: interaction operators", note, "figure-1-interaction", figure.draw()?))
}

fn by_category(findings: &Findings, benchmark: &Benchmark) -> Result<Section, StudyError> {
    let categories = categories(benchmark);
    let series = |name: &str, evaluation: &Evaluation| BarSeries {
        name: name.to_owned(),
        values: categories
            .values()
            .map(|places| Estimate {
                value: evaluation.mean_over(CRITERION, places).unwrap_or_default(),
                interval: None,
            })
            .collect(),
    };
    let figure = Bars {
        titles: Titles {
            chart: "Hit@1 by question category".to_owned(),
            x: "category (questions)".to_owned(),
            y: "Hit@1".to_owned(),
        },
        groups: categories.iter().map(|(name, places)| format!("{name} ({})", places.len())).collect(),
        series: vec![
            series("BM25", &findings.bm25),
            series("dense, max-sim", &findings.dense[LATE]),
            series("BM25 + max-sim", &findings.fused[LATE].chosen),
        ],
        references: Vec::new(),
        notes: Vec::new(),
        decimals: 2,
    };
    Ok(Section::figure("Figure 2: categories", "", "figure-2-categories", figure.draw()?))
}

fn weights(findings: &Findings) -> Result<Section, StudyError> {
    let sweep = &findings.fused[LATE];
    let mut points = Vec::new();
    for (x, evaluation) in alphas().zip(&sweep.by_alpha) {
        points.push(Point { x, y: estimate(findings, evaluation)? });
    }
    let best = points
        .iter()
        .enumerate()
        .fold(0, |best, (place, point)| if point.y.value > points[best].y.value + 1e-12 { place } else { best });
    let label = format!("best {:.3} at {}", points[best].y.value, points[best].x);
    let mark = Mark { point: points[best], label };
    let figure = Lines {
        titles: Titles {
            chart: "Weight of BM25 in the fusion with max-sim".to_owned(),
            x: "weight of BM25 (0: dense alone, 1: BM25 alone)".to_owned(),
            y: "Hit@1".to_owned(),
        },
        series: vec![LineSeries { name: "zscore(alpha), 95% over conversations".to_owned(), points }],
        references: bm25(findings),
        marks: vec![mark],
        range: None,
    };
    let note = format!("Weights that leave-one-conversation-out chose: {}.", sweep.weights_text());
    Ok(Section::figure("Figure 3: the weight", note, "figure-3-weight", figure.draw()?))
}
