//! Results as people and programs read them.

mod comparison;
mod questions;
mod report;
mod table;
mod tuning;

pub use comparison::{Compared, Comparison};
pub use questions::{csv_text, inert, questions_csv, systems_csv};
pub use report::{Origin, Report, reranked_by};
pub use table::{Table, four, points};
pub use tuning::TuningReport;
