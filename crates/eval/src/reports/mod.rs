//! Results as people and programs read them.

mod comparison;
mod questions;
mod report;
mod table;
mod tuning;

pub use comparison::{Compared, Comparison};
pub(crate) use questions::{csv_text, inert};
pub use questions::{questions_csv, systems_csv};
pub use report::{Origin, Report};
pub use table::{Table, four, points};
pub use tuning::TuningReport;
