//! What the study measures, in tables.

use aforesaid::{
    pipeline::confidence::{Signal, Target, Word},
    types::Granularity,
};

use super::{
    cases::{Case, Sample},
    fit::{UNANSWERABLE, balanced, leave_one_out, plain, predict},
    variants::Kind,
};
use crate::StudyError;
use aforesaid_eval::{
    datasets::DataSet,
    probabilities::Forecasts,
    reports::{Table, four},
    statistics::{Interval, RESAMPLES, SEED, weighted_bootstrap},
};

/// Bins of the calibration error, of equal weight.
pub(super) const BINS: usize = 10;

pub(super) const TARGETS: [(Target, &str); 2] =
    [(Target::FirstHit, "first hit answers"), (Target::Answerable, "answerable")];

const HEAD: [&str; 8] = ["data", "system", "target", "true", "AUROC [95%]", "ECE [95%]", "Brier [95%]", "AURC"];

/// Data sets that a shipped model may learn from.
pub(super) fn may_ship(sample: &Sample) -> bool {
    !matches!(sample.source.dataset, DataSet::Locomo | DataSet::DialoguesTest)
}

/// Probabilities that the search itself gives.
pub(super) fn shipped(sample: &Sample, target: Target) -> Vec<f64> {
    let of = |case: &Case| match target {
        Target::FirstHit => case.confidence.probability,
        Target::Answerable => case.confidence.answerable,
    };
    sample.cases.iter().map(of).collect()
}

fn interval(found: Interval, decimals: usize) -> String {
    format!("{:.decimals$} [{:.decimals$}, {:.decimals$}]", found.mean, found.low, found.high)
}

/// AUROC, calibration error, Brier score and area under the risk-coverage curve.
pub(super) fn figures(probabilities: &[f64], sample: &Sample, target: Target) -> Result<[String; 5], StudyError> {
    let truths = sample.truths(target);
    let forecasts = Forecasts::new(probabilities, &truths)?;
    let clusters = sample.histories();
    let one_history = clusters.iter().all(|history| *history == clusters[0]);
    let figure = |statistic: &dyn Fn(&[f64]) -> Option<f64>| -> Result<String, StudyError> {
        Ok(match (one_history, statistic(&forecasts.once())) {
            (_, None) => "-".to_owned(),
            (true, Some(value)) => format!("{value:.3}"),
            (false, Some(_)) => interval(weighted_bootstrap(&clusters, RESAMPLES, SEED, statistic)?, 3),
        })
    };
    let share = truths.iter().filter(|truth| **truth).count() as f64 / truths.len() as f64;
    Ok([
        format!("{share:.3}"),
        figure(&|weights| forecasts.auroc(weights))?,
        figure(&|weights| Some(forecasts.calibration_error(BINS, weights)))?,
        figure(&|weights| Some(forecasts.brier(weights)))?,
        format!("{:.3}", forecasts.aurc()),
    ])
}

fn row(table: &mut Table, sample: &Sample, target: (Target, &str), probabilities: &[f64]) -> Result<(), StudyError> {
    let cells = figures(probabilities, sample, target.0)?;
    table.push([sample.name(), sample.system.to_owned(), target.1.to_owned()].into_iter().chain(cells));
    Ok(())
}

pub(super) fn data(samples: &[Sample]) -> Table {
    let mut table = Table::new([
        "data",
        "histories",
        "answerable",
        "marked",
        "gold removed",
        "attributed",
        "misattributed",
        "first hit right: adapted",
        "lexical",
    ]);
    for pair in samples.chunks(2) {
        let [adapted, lexical] = pair else { continue };
        let mut histories = adapted.histories();
        histories.sort_unstable();
        histories.dedup();
        let of = |kind: Kind| adapted.cases.iter().filter(|case| case.kind == kind).count();
        let right = |sample: &Sample| {
            let right = sample.cases.iter().filter(|case| case.right).count();
            four(right as f64 / (of(Kind::Answerable) + of(Kind::Attributed)).max(1) as f64)
        };
        let counts = [Kind::Answerable, Kind::Marked, Kind::Removed, Kind::Attributed, Kind::Misattributed]
            .map(|kind| of(kind).to_string());
        let cells = [adapted.name(), histories.len().to_string()].into_iter().chain(counts);
        table.push(cells.chain([right(adapted), right(lexical)]));
    }
    table
}

/// How many questions of each kind there are, and how often the first hit is right where there is an answer.
pub(super) fn counted(samples: &[Sample]) -> Table {
    let mut table = Table::new(["data", "answerable", "marked", "gold removed", "misattributed", "first hit right"]);
    for sample in samples {
        let of = |kind: Kind| sample.cases.iter().filter(|case| case.kind == kind).count();
        let counts =
            [Kind::Answerable, Kind::Marked, Kind::Removed, Kind::Misattributed].map(|kind| of(kind).to_string());
        let right = sample.cases.iter().filter(|case| case.right).count() as f64 / of(Kind::Answerable).max(1) as f64;
        table.push([sample.name()].into_iter().chain(counts).chain([four(right)]));
    }
    table
}

/// The shipped coefficients, on data that they never saw and on those that they were fitted on.
pub(super) fn of_shipped(samples: &[Sample], seen: bool, targets: &[Target]) -> Result<Table, StudyError> {
    let mut table = Table::new(HEAD);
    for sample in samples.iter().filter(|sample| may_ship(sample) == seen) {
        for target in named(targets) {
            row(&mut table, sample, target, &shipped(sample, target.0))?;
        }
    }
    Ok(table)
}

/// Targets with their names.
fn named(targets: &[Target]) -> impl Iterator<Item = (Target, &'static str)> + '_ {
    TARGETS.into_iter().filter(|(target, _)| targets.contains(target))
}

/// Fitted on the other histories of the same data.
pub(super) fn held_out(samples: &[Sample]) -> Result<Table, StudyError> {
    let mut table = Table::new(HEAD);
    for sample in samples
        .iter()
        .filter(|sample| matches!(sample.source.dataset, DataSet::Locomo | DataSet::Beam) && !sample.source.attributed)
    {
        for target in TARGETS {
            row(&mut table, sample, target, &leave_one_out(sample, target.0)?)?;
        }
    }
    Ok(table)
}

/// Fitted on all data sets that may be learned from but the one it is tested on.
pub(super) fn another_data_set(samples: &[Sample], targets: &[Target]) -> Result<Table, StudyError> {
    let mut table = Table::new(HEAD);
    for sample in samples.iter().filter(|sample| may_ship(sample)) {
        let others: Vec<&Sample> = samples
            .iter()
            .filter(|other| {
                may_ship(other) && other.dense == sample.dense && other.source.dataset != sample.source.dataset
            })
            .collect();
        for target in named(targets) {
            row(&mut table, sample, target, &predict(&balanced(&others, target.0)?, sample, target.0))?;
        }
    }
    Ok(table)
}

/// How often the first hit is right where it is called strong, by the shipped coefficients and by those fitted on the
/// other data sets, a fixed share of the questions having no answer.
pub(super) fn strong(samples: &[Sample]) -> Result<Table, StudyError> {
    let mut table = Table::new([
        "data",
        "strong",
        "right of these",
        "ECE",
        "strong, not fitted on it",
        "right of these, not fitted on it",
        "ECE, not fitted on it",
    ]);
    let target = Target::FirstHit;
    for sample in samples.iter().filter(|sample| sample.dense && !sample.source.attributed && !sample.source.cued) {
        let mut cells = vec![sample.name()];
        let unfitted = predict(&balanced(&others(samples, sample), target)?, sample, target);
        for probabilities in [shipped(sample, target), unfitted] {
            cells.extend(called_strong(sample, &probabilities)?);
        }
        table.push(cells);
    }
    Ok(table)
}

/// The samples with vectors, of other data sets, that shipped coefficients may be fitted on.
pub(super) fn others<'a>(samples: &'a [Sample], than: &Sample) -> Vec<&'a Sample> {
    let is_other = |other: &&Sample| may_ship(other) && other.dense && other.source.dataset != than.source.dataset;
    samples.iter().filter(is_other).collect()
}

/// How many first hits are called strong, how many of these are right, and the calibration error, a fixed share of the
/// questions having no answer.
pub(super) fn called_strong(sample: &Sample, probabilities: &[f64]) -> Result<[String; 3], StudyError> {
    let (truths, counts) = (sample.truths(Target::FirstHit), sample.counts(UNANSWERABLE));
    let is_strong = |i: &usize| {
        let signals = sample.cases[*i].confidence.signals.as_ref();
        signals.is_some_and(|signals| Word::of(probabilities[*i], signals) == Word::Strong)
    };
    let called = || (0..truths.len()).filter(is_strong);
    let (all, right): (f64, f64) =
        (called().map(|i| counts[i]).sum(), called().filter(|&i| truths[i]).map(|i| counts[i]).sum());
    let forecasts = Forecasts::new(probabilities, &truths)?;
    let share = if all > 0.0 { format!("{:.3}", right / all) } else { "-".to_owned() };
    Ok([called().count().to_string(), share, format!("{:.3}", forecasts.calibration_error(BINS, &counts))])
}

/// The shipped coefficients on orders of the candidate ranker that ships, beside those without it.
pub(super) fn ranked(samples: &[Sample], ranked: &[Sample]) -> Result<Table, StudyError> {
    let mut table = Table::new(["data", "system", "right", "AUROC [95%]", "strong", "right of these", "ECE"]);
    let target = Target::FirstHit;
    for sample in ranked {
        let adapted = samples.iter().find(|other| other.dense && other.source == sample.source);
        for of in adapted.into_iter().chain([sample]) {
            let probabilities = shipped(of, target);
            let [right, auroc, ..] = figures(&probabilities, of, target)?;
            let cells = [of.name(), of.system.to_owned(), right, auroc].into_iter();
            table.push(cells.chain(called_strong(of, &probabilities)?));
        }
    }
    Ok(table)
}

/// Only questions that the authors wrote, and marked as not answerable.
pub(super) fn marked(samples: &[Sample]) -> Result<Table, StudyError> {
    let mut table = Table::new(HEAD);
    for sample in samples.iter().filter(|sample| sample.source.dataset == DataSet::Beam && !sample.source.attributed) {
        let published = sample.as_published();
        for target in TARGETS {
            row(&mut table, &published, target, &shipped(&published, target.0))?;
        }
    }
    Ok(table)
}

/// From LoCoMo to BEAM and back.
pub(super) fn transfer(samples: &[Sample]) -> Result<Table, StudyError> {
    let mut table = Table::new(["fitted on", HEAD[0], HEAD[1], HEAD[2], HEAD[3], HEAD[4], HEAD[5], HEAD[6], HEAD[7]]);
    for (from, to) in [(DataSet::Locomo, DataSet::Beam), (DataSet::Beam, DataSet::Locomo)] {
        for unit in [Granularity::Turn, Granularity::Session] {
            for dense in [true, false] {
                let of = |dataset| samples.iter().find(|sample| sample.is(dataset, unit) && sample.dense == dense);
                let (Some(source), Some(tested)) = (of(from), of(to)) else { continue };
                for (target, name) in TARGETS {
                    let cells = figures(&predict(&plain(&source.cases, target)?, tested, target), tested, target)?;
                    let place = [source.name(), tested.name(), tested.system.to_owned(), name.to_owned()];
                    table.push(place.into_iter().chain(cells));
                }
            }
        }
    }
    Ok(table)
}

/// A number of a case that answers can be put in order by.
type Score = fn(&Case) -> f64;

/// Raw scores of the first hit, which order answers but are no probabilities.
pub(super) const BASELINES: [(&str, Score); 3] = [
    ("fused score of the first hit", |case| case.fused),
    ("cosine of the first hit", |case| case.confidence.signals.map_or(0.0, |signals| signals.get(Signal::Cosine))),
    ("lexical score of the first hit", |case| case.words),
];

pub(super) fn baselines(samples: &[Sample]) -> Result<Table, StudyError> {
    let mut table = Table::new(["data", "system", "target", "score", "AUROC [95%]", "AURC"]);
    let wanted = |sample: &&Sample| {
        matches!(sample.source.dataset, DataSet::Locomo | DataSet::Beam) && !sample.source.attributed
    };
    for sample in samples.iter().filter(wanted) {
        for (target, name) in TARGETS {
            let mut push = |label: &str, scores: &[f64]| -> Result<(), StudyError> {
                let [_, auroc, _, _, aurc] = figures(scores, sample, target)?;
                table.push([sample.name(), sample.system.to_owned(), name.to_owned(), label.to_owned(), auroc, aurc]);
                Ok(())
            };
            push("confidence", &shipped(sample, target))?;
            for (label, score) in BASELINES {
                if sample.dense || label != BASELINES[1].0 {
                    push(label, &sample.cases.iter().map(score).collect::<Vec<f64>>())?;
                }
            }
        }
    }
    Ok(table)
}

/// What each signal tells apart alone.
pub(super) fn signals(samples: &[Sample]) -> Result<Table, StudyError> {
    let shown: Vec<&Sample> = samples.iter().filter(|sample| sample.dense).collect();
    let mut table = Table::new(["signal"]);
    table.head.extend(shown.iter().map(|sample| sample.name()));
    for signal in Signal::ALL {
        let mut cells = vec![format!("`{}`", signal.name())];
        for sample in &shown {
            let value = |case: &Case| case.confidence.signals.map_or(0.0, |signals| signals.get(signal));
            let scores: Vec<f64> = sample.cases.iter().map(value).collect();
            let auroc = |target| -> Result<String, StudyError> {
                let forecasts = Forecasts::new(&scores, &sample.truths(target))?;
                Ok(forecasts.auroc(&forecasts.once()).map_or("-".to_owned(), |auroc| format!("{auroc:.2}")))
            };
            cells.push(format!("{} / {}", auroc(Target::FirstHit)?, auroc(Target::Answerable)?));
        }
        table.push(cells);
    }
    Ok(table)
}
