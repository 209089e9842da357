//! What a training did for what it did not see, as people read it.

use aforesaid_eval::{
    learning::MeasuredGain,
    reports::{Table, four},
};

/// Held-out measures, as a table.
pub(super) fn table(measures: &[MeasuredGain]) -> Table {
    let mut table = Table::new(["held out", "before", "after", "gain", "95%"]);
    for of in measures {
        let interval = format!("{:+.4} to {:+.4}", of.low, of.high);
        table.push([of.measure.to_owned(), four(of.before), four(of.after), format!("{:+.4}", of.gain), interval]);
    }
    table
}
