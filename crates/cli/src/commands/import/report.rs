//! What an import prints for people.

use aforesaid::{
    Completed,
    formats::grouped,
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
    render::warnings(&imported.warnings);
    let edited = [
        (imported.replaced, "replaced"),
        (imported.kept, "kept as stored"),
        (imported.removed, "taken out with the branch they were on"),
    ];
    let edited = edited.into_iter().filter(|(number, _)| *number > 0);
    let edited: String = edited.map(|(number, what)| format!(", {number} {what}")).collect();
    say!(
        "{}: {}, {}; {} added, {} already there{edited}, {} skipped ({})",
        render::printable(file),
        count(imported.conversations, "conversation"),
        count(imported.sessions, "session"),
        imported.added,
        imported.unchanged,
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
