//! What an import prints for people.

use std::{cmp::Reverse, collections::HashMap};

use aforesaid::{
    Completed, Imported,
    formats::{Format, grouped},
    wire::{ImportedFile, LeftOut},
};

use crate::{
    failure::Failure,
    render::{self, count, say},
};

/// Reasons for skipping shown to people; a program gets all.
const SHOWN: usize = 10;

/// Prints what became of a file.
pub(super) fn file(ImportedFile { file, imported, .. }: &ImportedFile) -> Result<(), Failure> {
    let why_removed = match imported.format {
        Format::Slack => "taken out as deleted there",
        _ => "taken out with the branch they were on",
    };
    say!(
        "{}: {}, {}; {} added, {} already there{}, {} skipped ({})",
        render::printable(file),
        count(imported.conversations, "conversation"),
        count(imported.sessions, "session"),
        imported.added,
        imported.unchanged,
        edited(imported.replaced, imported.kept, imported.removed, why_removed),
        imported.skipped.len(),
        imported.format,
    )?;
    let groups = grouped(&imported.skipped);
    for group in groups.iter().take(SHOWN) {
        let shown = match group.count {
            1 => group.first.to_string(),
            count => format!("{count}: {}; the first at {}", group.reason, group.first.at),
        };
        say!("  skipped {}", render::printable(&shown))?;
    }
    if groups.len() > SHOWN {
        say!("  ... and for {} (all with --json)", count(groups.len() - SHOWN, "other reason"))?;
    }
    Ok(())
}

/// What became of messages that were stored with another text.
fn edited(replaced: usize, kept: usize, removed: usize, why_removed: &str) -> String {
    let edited = [(replaced, "replaced"), (kept, "kept as stored"), (removed, why_removed)];
    let edited = edited.into_iter().filter(|(number, _)| *number > 0);
    edited.map(|(number, what)| format!(", {number} {what}")).collect()
}

/// Prints what became of all files, where there are several.
pub(super) fn total(files: &[ImportedFile], conversations: usize) -> Result<(), Failure> {
    if files.len() < 2 {
        return Ok(());
    }
    let sum = |number: fn(&Imported) -> usize| files.iter().map(|file| number(&file.imported)).sum::<usize>();
    say!(
        "{} in all: {}; {} added, {} already there{}, {} skipped{}",
        count(files.len(), "file"),
        count(conversations, "conversation"),
        sum(|imported| imported.added),
        sum(|imported| imported.unchanged),
        edited(
            sum(|imported| imported.replaced),
            sum(|imported| imported.kept),
            sum(|imported| imported.removed),
            "taken out"
        ),
        sum(|imported| imported.skipped.len()),
        reasons(files),
    )
}

/// Why parts of the files were skipped, the most frequent reason first: `: 12 system message, 2 tool call`.
fn reasons(files: &[ImportedFile]) -> String {
    let mut reasons: Vec<(String, usize)> = Vec::new();
    let mut places: HashMap<String, usize> = HashMap::new();
    for group in files.iter().flat_map(|file| grouped(&file.imported.skipped)) {
        let place = *places.entry(group.reason.clone()).or_insert(reasons.len());
        match reasons.get_mut(place) {
            Some((_, number)) => *number += group.count,
            None => reasons.push((group.reason, group.count)),
        }
    }
    reasons.sort_by_key(|(_, number)| Reverse(*number));
    let others: usize = reasons.iter().skip(SHOWN).map(|(_, number)| *number).sum();
    reasons.truncate(SHOWN);
    let mut shown: Vec<String> =
        reasons.iter().map(|(reason, number)| format!("{number} {}", render::printable(reason))).collect();
    if others > 0 {
        shown.push(format!("{others} for other reasons"));
    }
    if shown.is_empty() { String::new() } else { format!(": {}", shown.join(", ")) }
}

/// Prints which files were not read, by kind.
pub(super) fn left_out(left: &LeftOut) -> Result<(), Failure> {
    if left.is_empty() {
        return Ok(());
    }
    let kinds: Vec<String> = left.iter().map(|(kind, number)| count(*number, &kind.to_string())).collect();
    say!("left out: {}", kinds.join(", "))
}

/// Prints what became of the vectors, where there was something to do.
pub(super) fn vectors(completed: &Completed) -> Result<(), Failure> {
    if completed.made > 0 {
        say!("{} made", count(completed.made, "vector"))?;
    }
    match completed.waiting {
        // Why there is none was said with each file.
        0 => Ok(()),
        _ if completed.reason.is_some() => Ok(()),
        number => say!("{} for vectors", waiting(number)),
    }
}

/// How many wait: `1 memory waits`.
pub(super) fn waiting(number: u64) -> String {
    format!("{} {}", render::memories(number), if number == 1 { "waits" } else { "wait" })
}
