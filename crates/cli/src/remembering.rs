//! Says which adapters learned from what was forgotten.

use aforesaid::{AdapterRecords, Memory, RememberingAdapter};

use crate::{
    beside,
    failure::Failure,
    render::{aside, memories, printable},
    settings::Settings,
};

/// The records of the adapters that were learned from a store; none of one that ends with the process.
pub(crate) fn records(settings: &Settings, store: &str) -> Result<Option<AdapterRecords>, Failure> {
    Ok(beside::place(settings, store)?.map(|path| AdapterRecords::beside(&path)))
}

/// The adapters that learned from what is gone now; people are told.
pub(crate) fn told(memory: &Memory, settings: &Settings) -> Result<Vec<RememberingAdapter>, Failure> {
    let Some(records) = records(settings, &settings.store)? else { return Ok(Vec::new()) };
    let adapters = memory.adapters_that_remember(&records)?;
    for adapter in &adapters {
        let file = printable(&adapter.file.to_string_lossy()).to_string();
        let learned = memories(adapter.memories);
        let what = match adapter.found {
            true => "delete it to forget that too, and train another",
            false => "it is not there any more: delete it where it is",
        };
        aside(format_args!("adapter {file} learned from {learned} forgotten now; {what}"));
    }
    Ok(adapters)
}
