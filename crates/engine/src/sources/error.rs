//! Why a file could not be taken from where it is.

use std::io;

/// A file, folder or archive that could not be read.
///
/// `file` is the name of a file, with the archive it is in before it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SourceError {
    /// The operating system refused, or it is no regular file, or it is too large.
    #[error("file {file}: could not be read; check the path")]
    Unreadable {
        /// The file or folder.
        file: String,
        /// Why.
        source: io::Error,
    },
    /// A pattern matches nothing.
    #[error("pattern {pattern}: no file matches; check the folder and the spelling")]
    NoMatch {
        /// The pattern.
        pattern: String,
    },
    /// A pattern that cannot be one.
    #[error("pattern {pattern}: {found}; expected *, ?, [...] or ** in a path")]
    BadPattern {
        /// The pattern.
        pattern: String,
        /// What is wrong.
        found: &'static str,
    },
    /// Folders in folders without end.
    #[error(
        "folder {folder}: found more than {most} folders in one another; import the folders below it by themselves"
    )]
    TooDeep {
        /// The folder.
        folder: String,
        /// How many there may be.
        most: usize,
    },
    /// An archive that cannot be read.
    #[error("{file}: the zip archive cannot be read: {found}; download it again, or unpack it and import the folder")]
    Archive {
        /// The archive, or a file in it.
        file: String,
        /// What is wrong.
        found: String,
    },
    /// A file that needs a password.
    #[error("{file}: it is encrypted; expected a file without a password; unpack it and import the folder")]
    Encrypted {
        /// The file in the archive.
        file: String,
    },
    /// A name that leads out of the archive.
    #[error("{file}: the name leads out of the archive; expected a name below it; the archive is not to be trusted")]
    Escapes {
        /// The file in the archive.
        file: String,
    },
    /// An archive in an archive.
    #[error("{file}: found an archive in an archive; expected JSON; unpack the outer one and import the folder")]
    Nested {
        /// The inner archive.
        file: String,
    },
    /// More files than an archive may have.
    #[error("{file}: found {found} files in the archive; expected at most {most}; unpack it and import the folder")]
    TooManyEntries {
        /// The archive.
        file: String,
        /// How many it says it has.
        found: usize,
        /// How many it may have.
        most: usize,
    },
    /// More bytes than a file may have.
    #[error("{file}: found more than {most} bytes after unpacking; expected at most that; split the file")]
    TooLarge {
        /// The file in the archive.
        file: String,
        /// Bytes it may have.
        most: u64,
    },
    /// A file that unpacks to far more than conversations do.
    #[error(
        "{file}: found more than {ratio} bytes in a packed byte; expected at most that, as of any export; unpack it and \
         import the folder if you trust it"
    )]
    Ratio {
        /// The file in the archive.
        file: String,
        /// Bytes a packed byte may unpack to.
        ratio: u64,
    },
    /// Files that share packed bytes.
    #[error(
        "{file}: found files in the archive that share packed bytes; expected each to have its own; the archive is not to be trusted"
    )]
    Overlaps {
        /// The archive.
        file: String,
    },
}

impl SourceError {
    pub(super) fn unreadable(file: &str, source: io::Error) -> Self {
        Self::Unreadable { file: file.to_owned(), source }
    }

    /// The file, folder, archive or pattern it is about.
    pub fn file(&self) -> &str {
        match self {
            Self::NoMatch { pattern } | Self::BadPattern { pattern, .. } => pattern,
            Self::TooDeep { folder, .. } => folder,
            Self::Unreadable { file, .. }
            | Self::Archive { file, .. }
            | Self::Encrypted { file }
            | Self::Escapes { file }
            | Self::Nested { file }
            | Self::TooManyEntries { file, .. }
            | Self::TooLarge { file, .. }
            | Self::Ratio { file, .. }
            | Self::Overlaps { file } => file,
        }
    }

    /// A stable code.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Unreadable { .. } => "file_unreadable",
            Self::NoMatch { .. } => "pattern_without_match",
            Self::BadPattern { .. } => "invalid_pattern",
            Self::TooDeep { .. } => "folders_too_deep",
            Self::Archive { .. } => "broken_archive",
            Self::Encrypted { .. } => "encrypted_archive",
            Self::Escapes { .. } => "archive_path",
            Self::Nested { .. } => "nested_archive",
            Self::TooManyEntries { .. } => "archive_entries",
            Self::TooLarge { .. } => "archive_file_too_large",
            Self::Ratio { .. } => "archive_ratio",
            Self::Overlaps { .. } => "archive_overlap",
        }
    }
}
