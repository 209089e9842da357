//! Risk against coverage, and what came true against what was said.

use aforesaid::{pipeline::confidence::Target, types::Granularity};

use super::{
    cases::{Case, Sample},
    fit::{UNANSWERABLE, balanced, leave_one_out, predict},
    tables::{BASELINES, BINS, may_ship, others, shipped},
};
use crate::{
    Section, StudyError,
    figures::{Estimate, LineSeries, Lines, Point, Titles},
};
use aforesaid_eval::{datasets::DataSet, probabilities::Forecasts};

/// Points of a risk-coverage curve that are drawn.
const DRAWN: usize = 50;

fn locomo(samples: &[Sample], unit: Granularity) -> Option<&Sample> {
    samples.iter().find(|sample| sample.dense && sample.is(DataSet::Locomo, unit))
}

fn line(name: &str, points: Vec<(f64, f64)>) -> LineSeries {
    let point = |(x, value)| Point { x, y: Estimate { value, interval: None } };
    LineSeries { name: name.to_owned(), points: points.into_iter().map(point).collect() }
}

pub(super) fn of_study(samples: &[Sample]) -> Result<Vec<Section>, StudyError> {
    let mut sections = Vec::new();
    for unit in [Granularity::Turn, Granularity::Session] {
        let Some(sample) = locomo(samples, unit) else { continue };
        sections.push(risk(sample)?);
        sections.push(reliability(sample)?);
        sections.push(by_set(samples, unit, "adapted")?);
    }
    Ok(sections)
}

fn risk(sample: &Sample) -> Result<Section, StudyError> {
    let truths = sample.truths(Target::FirstHit);
    let curve = |name: &str, scores: &[f64]| -> Result<LineSeries, StudyError> {
        let risks = Forecasts::new(scores, &truths)?.risks();
        // The first few are decided by single questions.
        let from = risks.len() / DRAWN;
        let drawn = risks.iter().skip(from).step_by(from.max(1)).chain(risks.last());
        Ok(line(name, drawn.map(|at| (at.coverage, at.risk)).collect()))
    };
    let scores = |of: fn(&Case) -> f64| sample.cases.iter().map(of).collect::<Vec<f64>>();
    let mut series = vec![
        curve("confidence", &shipped(sample, Target::FirstHit))?,
        curve("fitted on the other conversations", &leave_one_out(sample, Target::FirstHit)?)?,
    ];
    for (name, score) in BASELINES {
        series.push(curve(name, &scores(score))?);
    }
    let unit = sample.source.unit;
    let titles = Titles {
        chart: format!("Risk and coverage, LoCoMo {unit}s"),
        x: "share of the questions answered, the surest first".to_owned(),
        y: "share of those with a wrong first hit".to_owned(),
    };
    let figure = Lines { titles, series, range: Some((0.0, 1.0)), ..Lines::default() }.draw()?;
    Ok(Section::figure(
        format!("Risk and coverage, LoCoMo {unit}s, adapted"),
        "Lower is better. Adversarial questions count as wrong, whatever is found.",
        &format!("risk-coverage-{unit}s"),
        figure,
    ))
}

fn reliability(sample: &Sample) -> Result<Section, StudyError> {
    let mut series = vec![line("as said", vec![(0.0, 0.0), (1.0, 1.0)])];
    for (target, name) in super::tables::TARGETS {
        for (how, probabilities) in
            [("shipped", shipped(sample, target)), ("other conversations", leave_one_out(sample, target)?)]
        {
            let forecasts = Forecasts::new(&probabilities, &sample.truths(target))?;
            let bins = forecasts.bins(BINS, &forecasts.once());
            series.push(line(&format!("{name}, {how}"), bins.iter().map(|bin| (bin.said, bin.came_true)).collect()));
        }
    }
    let unit = sample.source.unit;
    let titles = Titles {
        chart: format!("Reliability, LoCoMo {unit}s"),
        x: "probability said (mean of a tenth of the questions)".to_owned(),
        y: "share that came true".to_owned(),
    };
    let figure = Lines { titles, series, range: Some((0.0, 1.0)), ..Lines::default() }.draw()?;
    Ok(Section::figure(
        format!("Reliability, LoCoMo {unit}s, adapted"),
        "A calibrated probability lies on the diagonal.",
        &format!("reliability-{unit}s"),
        figure,
    ))
}

/// Data sets whose reliability is drawn beside each other, by turns and by sessions: as many as there are colours.
const TURNS: [DataSet; 5] =
    [DataSet::Locomo, DataSet::DialoguesTest, DataSet::Beam, DataSet::LongMemEvalPooled, DataSet::Ranking];
const SESSIONS: [DataSet; 5] =
    [DataSet::Locomo, DataSet::DialoguesTest, DataSet::Beam, DataSet::LongMemEvalPooled, DataSet::RealMem];
/// Parts of the questions of a set: some have a hundred questions.
const PARTS: usize = 5;

/// What came true of what was said on each data set, by coefficients that were not fitted on it.
pub(super) fn by_set(samples: &[Sample], unit: Granularity, system: &str) -> Result<Section, StudyError> {
    let target = Target::FirstHit;
    let mut series = vec![line("as said", vec![(0.0, 0.0), (1.0, 1.0)])];
    for dataset in if unit == Granularity::Turn { TURNS } else { SESSIONS } {
        let plain = |sample: &&Sample| sample.dense && !sample.source.attributed && !sample.source.cued;
        let Some(sample) = samples.iter().filter(plain).find(|sample| sample.is(dataset, unit)) else { continue };
        let probabilities = match may_ship(sample) {
            true => predict(&balanced(&others(samples, sample), target)?, sample, target),
            false => shipped(sample, target),
        };
        let forecasts = Forecasts::new(&probabilities, &sample.truths(target))?;
        let bins = forecasts.bins(PARTS, &sample.counts(UNANSWERABLE));
        series.push(line(&dataset.to_string(), bins.iter().map(|bin| (bin.said, bin.came_true)).collect()));
    }
    let titles = Titles {
        chart: format!("Reliability by data set, {unit}s"),
        x: "probability of the first hit, as said (mean of a fifth of the questions)".to_owned(),
        y: "share of right first hits".to_owned(),
    };
    let figure = Lines { titles, series, range: Some((0.0, 1.0)), ..Lines::default() }.draw()?;
    let share = 100.0 * UNANSWERABLE;
    Ok(Section::figure(
        format!("Reliability by data set, {unit}s, {system}"),
        format!(
            "Coefficients that were not fitted on the data set. {share:.0}% of the questions of each count as having no answer."
        ),
        &format!("reliability-sets-{unit}s"),
        figure,
    ))
}
