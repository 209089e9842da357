//! One row a question, for error analysis.

use crate::{
    datasets::Benchmark,
    experiments::Trial,
    measures::{Evaluation, Measure},
};

/// Units of the ranking that are listed.
const LISTED: usize = 10;

/// The rankings of a trial as CSV: id, group, category, text, gold, first ranks, each measure.
///
/// A cell that a spreadsheet would take for a formula gets an apostrophe in front.
///
/// # Errors
/// When a row cannot be written, which memory does not cause.
pub fn questions_csv(benchmark: &Benchmark, trial: &Trial) -> Result<String, csv::Error> {
    let measures: Vec<_> = trial.evaluation.measures().collect();
    let mut writer = csv::Writer::from_writer(Vec::new());
    let head = ["question", "group", "category", "text", "gold", "first_gold_rank", "top"].map(str::to_owned);
    writer.write_record(head.into_iter().chain(measures.iter().map(ToString::to_string)))?;
    let questions = benchmark.groups.iter().flat_map(|group| group.questions.iter().map(move |q| (group, q)));
    for (place, (group, question)) in questions.enumerate() {
        let ranking = trial.run.ranking(&question.id).unwrap_or_default();
        let first = ranking.iter().position(|(unit, _)| question.gold.contains(unit));
        let top: Vec<&str> = ranking.iter().take(LISTED).map(|(unit, _)| unit.as_str()).collect();
        let cells = [
            question.id.clone(),
            group.id.clone(),
            question.category.clone().unwrap_or_default(),
            question.text.clone(),
            question.gold.join(" "),
            first.map(|rank| (rank + 1).to_string()).unwrap_or_default(),
            top.join(" "),
        ];
        let value = |measure: &_| trial.evaluation.values(*measure).and_then(|values| values.get(place));
        let values = measures.iter().map(|measure| value(measure).map(f64::to_string).unwrap_or_default());
        writer.write_record(cells.iter().map(|cell| inert(cell)).chain(values))?;
    }
    csv_text(writer)
}

/// Measures of several systems as CSV: id, category, then each measure of each system.
///
/// # Errors
/// When a row cannot be written, which memory does not cause.
pub fn systems_csv(
    benchmark: &Benchmark,
    systems: &[(String, &Evaluation)],
    measures: &[Measure],
) -> Result<String, csv::Error> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    let columns = || systems.iter().flat_map(|system| measures.iter().map(move |measure| (system, *measure)));
    let head = columns().map(|((name, _), measure)| format!("{name} {measure}"));
    writer.write_record(["question".to_owned(), "category".to_owned()].into_iter().chain(head))?;
    for (place, question) in benchmark.questions().enumerate() {
        let value = |((_, evaluation), measure): (&(String, &Evaluation), Measure)| {
            evaluation.values(measure).and_then(|values| values.get(place)).map(f64::to_string).unwrap_or_default()
        };
        let named = [question.id.as_str(), question.category.as_deref().unwrap_or_default()].map(inert);
        writer.write_record(named.into_iter().chain(columns().map(value)))?;
    }
    csv_text(writer)
}

/// The text that a writer holds in memory.
///
/// # Errors
/// When the writer cannot be flushed, which memory does not cause.
pub fn csv_text(writer: csv::Writer<Vec<u8>>) -> Result<String, csv::Error> {
    let bytes = writer.into_inner().map_err(|error| csv::Error::from(error.into_error()))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// A cell that no spreadsheet takes for a formula: one that starts like a formula gets an apostrophe in front.
pub fn inert(cell: &str) -> String {
    match cell.starts_with(['=', '+', '-', '@', '\t', '\r']) {
        true => format!("'{cell}"),
        false => cell.to_owned(),
    }
}
