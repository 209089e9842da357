//! What a file is, by the end of its name.

use std::{fmt, path::Path};

use serde::{Serialize, Serializer};

/// What a file is that holds no conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum FileKind {
    /// JSON without conversations, such as an account's data.
    OtherJson,
    /// A picture.
    Image,
    /// A sound recording.
    Audio,
    /// A film.
    Video,
    /// A web page, such as the `chat.html` of an export.
    WebPage,
    /// A text document.
    Document,
    /// Anything else.
    Other,
}

impl FileKind {
    /// A stable word for programs.
    pub fn name(self) -> &'static str {
        match self {
            FileKind::OtherJson => "json_without_conversations",
            FileKind::Image => "image",
            FileKind::Audio => "audio",
            FileKind::Video => "video",
            FileKind::WebPage => "web_page",
            FileKind::Document => "document",
            FileKind::Other => "other",
        }
    }
}

/// In words, for one.
impl fmt::Display for FileKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            FileKind::OtherJson => "other JSON file",
            FileKind::Image => "image",
            FileKind::Audio => "audio file",
            FileKind::Video => "video",
            FileKind::WebPage => "web page",
            FileKind::Document => "document",
            FileKind::Other => "other file",
        })
    }
}

impl Serialize for FileKind {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

/// What an iPhone calls the text of every chat; the archive or the folder has the chat's name.
pub(super) const UNNAMED_CHAT: &str = "_chat.txt";

/// What becomes of a file that was found.
pub(super) enum Candidate {
    /// It may hold conversations.
    File,
    /// It is a note: a conversation in a folder, and something else in the archive of an export.
    Note,
    /// It is an archive.
    Archive,
    /// It holds none.
    No(FileKind),
}

impl Candidate {
    pub(super) fn of(path: &Path) -> Self {
        let extension = path.extension().map(|extension| extension.to_string_lossy().to_ascii_lowercase());
        let name = path.file_name().map(|name| name.to_string_lossy().to_ascii_lowercase()).unwrap_or_default();
        match extension.as_deref().unwrap_or_default() {
            // The text of a chat, as telephones name it in every language.
            "txt" if name == UNNAMED_CHAT || name.contains("whatsapp") => Candidate::File,
            "json" | "jsonl" | "ndjson" | "mbox" => Candidate::File,
            "md" | "markdown" => Candidate::Note,
            "zip" => Candidate::Archive,
            "png" | "jpg" | "jpeg" | "gif" | "webp" | "heic" | "heif" | "svg" | "bmp" | "tif" | "tiff" | "avif" => {
                Candidate::No(FileKind::Image)
            }
            "wav" | "mp3" | "m4a" | "ogg" | "opus" | "flac" | "aac" => Candidate::No(FileKind::Audio),
            "mp4" | "mov" | "webm" | "mkv" | "avi" => Candidate::No(FileKind::Video),
            "html" | "htm" => Candidate::No(FileKind::WebPage),
            "pdf" | "txt" | "csv" | "tsv" | "doc" | "docx" | "odt" | "rtf" | "ppt" | "pptx" | "xls" | "xlsx" => {
                Candidate::No(FileKind::Document)
            }
            _ => Candidate::No(FileKind::Other),
        }
    }
}
