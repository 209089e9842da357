//! Protocol T's tables.

use super::{
    MEASURES, Measured,
    rows::{Side, SplitRows},
    slices::Slice,
};
use crate::StudyError;
use aforesaid_eval::{
    measures::{Evaluation, Measure},
    reports::{Table, four},
    statistics::{RESAMPLES, SEED, paired},
};

pub(crate) fn notes(systems: &[Measured]) -> String {
    systems.iter().map(|system| system.note.as_str()).filter(|note| !note.is_empty()).collect::<Vec<_>>().join(" ")
}

/// Mean over splits of the mean over those of a split's rows that `keep` wants; `None` where a split has none.
fn mean(system: &Measured, rows: &SplitRows, measure: Measure, keep: impl Fn(usize) -> bool) -> Option<f64> {
    let of_split = |(split, evaluation): (&Side, &Evaluation)| {
        let places: Vec<usize> = split.test.iter().copied().filter(|&place| keep(place)).collect();
        evaluation.mean_over(measure, &places)
    };
    let means = rows.splits.iter().zip(&system.by_split).map(of_split).collect::<Option<Vec<f64>>>()?;
    Some(means.iter().sum::<f64>() / means.len() as f64)
}

pub(crate) fn full(systems: &[Measured], rows: &SplitRows) -> Table {
    let mut table = Table::new(["system", "R@10", "MRR", "H@1", "R@5"]);
    for system in systems {
        let cell = |measure| mean(system, rows, measure, |_| true).map(four).unwrap_or_default();
        table.push([system.name.to_owned()].into_iter().chain(MEASURES.map(cell)));
    }
    table
}

pub(crate) fn by_split(systems: &[Measured], rows: &SplitRows) -> Table {
    let mut table = Table::new(["system"]);
    table.head.extend(rows.splits.iter().map(|split| format!("seed {}", split.seed)));
    for system in systems {
        let cell = |(split, evaluation): (&Side, &Evaluation)| {
            evaluation.mean_over(Measure::Mrr, &split.test).map(four).unwrap_or_default()
        };
        table.push([system.name.to_owned()].into_iter().chain(rows.splits.iter().zip(&system.by_split).map(cell)));
    }
    table
}

/// Values of all pooled test rows.
fn pooled(system: &Measured, rows: &SplitRows, measure: Measure) -> Vec<f64> {
    let of_split = |(split, evaluation): (&Side, &Evaluation)| -> Vec<f64> {
        let values = evaluation.values(measure).unwrap_or_default();
        split.test.iter().filter_map(|&place| values.get(place).copied()).collect()
    };
    rows.splits.iter().zip(&system.by_split).flat_map(of_split).collect()
}

/// Each system but the first, against the first.
pub(crate) fn against_first(systems: &[Measured], rows: &SplitRows) -> Result<Table, StudyError> {
    let mut table = Table::new(["system", "rows", "R@10", "MRR", "H@1", "p (MRR)"]);
    let Some((first, others)) = systems.split_first() else { return Ok(table) };
    for system in others {
        let mut cells = Vec::new();
        let mut p = String::new();
        for measure in &MEASURES[..3] {
            let (a, b) = (pooled(first, rows, *measure), pooled(system, rows, *measure));
            let each: Vec<usize> = (0..a.len()).collect();
            let gain = paired(&a, &b, &each, RESAMPLES, SEED)?;
            cells.push(format!("{:+.4} [{:+.4}, {:+.4}]", gain.difference, gain.low, gain.high));
            if *measure == Measure::Mrr {
                p = gain.p_text();
            }
        }
        let count = rows.splits.iter().map(|split| split.test.len()).sum::<usize>();
        table.push([system.name.to_owned(), count.to_string()].into_iter().chain(cells).chain([p]));
    }
    Ok(table)
}

pub(crate) fn by_slice(systems: &[Measured], rows: &SplitRows, slices: &[Vec<bool>]) -> Table {
    let mut table = Table::new(["slice", "test rows"]);
    table.head.extend(systems.iter().map(|system| system.name.to_owned()));
    for (slice, marked) in Slice::ALL.iter().zip(slices) {
        let count: usize = rows.splits.iter().flat_map(|split| &split.test).filter(|place| marked[**place]).count();
        let cell = |system| mean(system, rows, Measure::Mrr, |place| marked[place]).map(four).unwrap_or_default();
        table.push([slice.name().to_owned(), count.to_string()].into_iter().chain(systems.iter().map(cell)));
    }
    table
}
