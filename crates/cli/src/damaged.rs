//! What to do next about a store that is so damaged that the usual remedies, a check and a salvage, fail too.

use std::{
    fs::File,
    io::{self, Read},
    path::Path,
};

use aforesaid::{Error, StoreError};

use crate::failure::Failure;

/// The bytes of SQLite's header that are read.
const HEADER: usize = 100;

/// The failure of a check or a salvage. Where it is that of a damaged store, neither is said to be the next step.
pub(crate) fn beyond_salvage(failure: Failure) -> Failure {
    match failure {
        Failure::Memory(error @ Error::Store(StoreError::Damaged { .. })) => Failure::Spoilt {
            error: Box::new(error),
            next: "; nothing of it can be read, so restore a backup, which `aforesaid backup` makes".to_owned(),
        },
        failure => failure,
    }
}

/// The failure of a command that has ended. Where it is that of a file whose end is missing, says how to read what is left: SQLite
/// refuses such a file, and reads one that is long enough.
///
/// It opens the file, which nothing else in this process may have open: closing it drops the locks that SQLite holds.
pub(crate) fn of_cut_file(failure: Failure) -> Failure {
    let cut = match &failure {
        Failure::Memory(Error::Store(StoreError::Damaged { location, .. })) => cut(location),
        Failure::Spoilt { error, .. } => match &**error {
            Error::Store(StoreError::Damaged { location, .. }) => cut(location),
            _ => None,
        },
        _ => None,
    };
    match (failure, cut) {
        (Failure::Memory(error), Some(cut)) => Failure::Spoilt { error: Box::new(error), next: cut.remedy() },
        (Failure::Spoilt { error, .. }, Some(cut)) => Failure::Spoilt { error, next: cut.remedy() },
        (failure, _) => failure,
    }
}

/// The sizes of a file whose end is missing, in bytes.
#[derive(Debug, PartialEq, Eq)]
struct Cut {
    found: u64,
    expected: u64,
}

impl Cut {
    fn remedy(&self) -> String {
        let Self { found, expected } = self;
        format!(
            "; the end of the file is missing: it has {found} of {expected} bytes; restore a backup, which `aforesaid backup` \
             makes, or make a copy of the file, lengthen it by `truncate -s {expected} COPY`, and save what is left by \
             `aforesaid --store COPY export --salvage`"
        )
    }
}

/// How much of a store's file is missing; `None` where nothing is, and where that cannot be told.
fn cut(location: &str) -> Option<Cut> {
    let path = Path::new(location.strip_prefix("sqlite:").unwrap_or(location));
    let found = path.metadata().ok().filter(std::fs::Metadata::is_file)?.len();
    let expected = recorded(path).ok()??;
    (found < expected).then_some(Cut { found, expected })
}

/// The size of a database by its header, where that says it: <https://www.sqlite.org/fileformat.html>, 1.3.
fn recorded(path: &Path) -> io::Result<Option<u64>> {
    let mut header = [0; HEADER];
    File::open(path)?.read_exact(&mut header)?;
    let number = |at: usize| u32::from_be_bytes([header[at], header[at + 1], header[at + 2], header[at + 3]]);
    let page = match u16::from_be_bytes([header[16], header[17]]) {
        1 => 65_536,
        page => u64::from(page),
    };
    // The number of pages counts where it was written with the last change.
    let is_known = header.starts_with(b"SQLite format 3\0") && number(24) == number(92);
    Ok(is_known.then(|| page * u64::from(number(28))))
}
