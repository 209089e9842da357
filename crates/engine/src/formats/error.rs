//! Why a file cannot be read.

use aforesaid_core::{InvalidMemory, types::InvalidName};

/// A file that cannot be imported as it is.
///
/// `place` is the file and the line or record in it.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum FormatError {
    /// An archive instead of the text in it.
    #[error("{file}: this is a {found}; expected JSON text; unpack it and import the JSON file inside")]
    Packed {
        /// The file.
        file: String,
        /// What it is.
        found: &'static str,
    },
    /// Text in another encoding.
    #[error("{file}: the text is UTF-16; expected UTF-8; convert it, for example with `iconv -f UTF-16 -t UTF-8`")]
    Utf16 {
        /// The file.
        file: String,
    },
    /// Bytes that are no text.
    #[error(
        "{file}, line {line}: the byte at offset {offset} is not UTF-8; expected UTF-8 text; \
         convert the file, or remove what is damaged there"
    )]
    NotUtf8 {
        /// The file.
        file: String,
        /// Line of the first bad byte, from 1.
        line: usize,
        /// Bytes before it.
        offset: usize,
    },
    /// Text that is not JSON.
    #[error(
        "{file}, line {line}, column {column}: broken JSON: {found}; expected {expected}; mend it there, or export it again"
    )]
    Json {
        /// The file.
        file: String,
        /// Line, from 1.
        line: usize,
        /// Column in bytes, from 1; 0 at the end of a line.
        column: usize,
        /// What the JSON reader says.
        found: String,
        /// What should be there.
        expected: &'static str,
    },
    /// Content that fits no format.
    #[error("{file}: cannot tell the format: {found}; expected {}; name the right one", super::NAMES)]
    Unrecognized {
        /// The file.
        file: String,
        /// What it starts with.
        found: String,
    },
    /// A value of another type than the format has there.
    #[error("{place}: {what} is {found}; expected {expected}; correct it, or name another format")]
    WrongType {
        /// Where.
        place: String,
        /// The field or record.
        what: String,
        /// Type and value found.
        found: String,
        /// Type that would do.
        expected: &'static str,
    },
    /// A value of the right type that means nothing.
    #[error("{place}: {what} is {found}; expected {expected}; correct it and import the file again")]
    WrongValue {
        /// Where.
        place: String,
        /// The field.
        what: String,
        /// Value found.
        found: String,
        /// Values that would do.
        expected: &'static str,
    },
    /// A field that has to be there is not.
    #[error("{place}: there is no field {field:?}; expected {expected}; add it, or name another format")]
    Missing {
        /// Where.
        place: String,
        /// The field.
        field: &'static str,
        /// What it should hold.
        expected: &'static str,
    },
    /// A field that nothing would read.
    #[error("{place}: a {kind} has no field {field:?}; expected {known}; rename it or take it out")]
    UnknownField {
        /// Where.
        place: String,
        /// Turn or note.
        kind: &'static str,
        /// The field.
        field: String,
        /// The fields there are.
        known: String,
    },
    /// A name that cannot be one.
    #[error("{place}: {what}: {why}")]
    Name {
        /// Where.
        place: String,
        /// The field.
        what: String,
        /// Why it cannot.
        why: InvalidName,
    },
    /// A turn or note that cannot be kept.
    #[error("{place}: {why}")]
    Invalid {
        /// Where.
        place: String,
        /// Why it cannot.
        why: InvalidMemory,
    },
    /// Two different things under one id.
    #[error(
        "{first}, and {second}: both have id {id:?}{}; expected the same {field}; give one of them another id",
        .conversation.as_ref().map(|name| format!(" in conversation {name:?}")).unwrap_or_default()
    )]
    Conflict {
        /// File and place of the first.
        first: String,
        /// Place of the second in that file.
        second: String,
        /// The id.
        id: String,
        /// The conversation, if they have one.
        conversation: Option<String>,
        /// First field that differs.
        field: &'static str,
    },
}

impl FormatError {
    /// A stable code.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Packed { .. } => "file_packed",
            Self::Utf16 { .. } => "file_utf16",
            Self::NotUtf8 { .. } => "file_not_utf8",
            Self::Json { .. } => "broken_json",
            Self::Unrecognized { .. } => "unknown_format",
            Self::WrongType { .. } => "wrong_type",
            Self::WrongValue { .. } => "wrong_value",
            Self::Missing { .. } => "missing_field",
            Self::UnknownField { .. } => "unknown_field",
            Self::Name { .. } => "invalid_name",
            Self::Invalid { why, .. } => why.code(),
            Self::Conflict { .. } => "id_conflict",
        }
    }
}
