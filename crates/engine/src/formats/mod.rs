//! Reads conversations out of the files that other programs write.
//!
//! A file is bytes that the caller has read; what comes back is every turn
//! and note in it as a [`Draft`], and a list of what was left out and why.
//! Nothing is guessed in silence: a file that cannot be read whole is an error
//! that names the place.
//!
//! | format | file | conversation | session | id |
//! |---|---|---|---|---|
//! | [`Format::Locomo`] | `locomo10.json` | `sample_id` | `session_N` | `dia_id` |
//! | [`Format::Messages`] | `{role, content}` messages | given, else the file | `session-1` | given, else `session-1:<n>` |
//! | [`Format::MessagesJsonl`] | the same, one a line | given, else the file | `session-1` | given, else `session-1:<n>` |
//! | [`Format::ChatGpt`] | `conversations.json` of ChatGPT | `conversation_id` | by pauses | message id |
//! | [`Format::Claude`] | `conversations.json` of Claude | `uuid` | by pauses | message `uuid` |
//! | [`Format::ClaudeProjects`] | `projects.json` of Claude | none: notes | none | `project:<uuid>`, document `uuid` |
//! | [`Format::ClaudeCode`], [`Format::Codex`], [`Format::GeminiCli`] | a session's log | [`agents`] | | |
//! | [`Format::Slack`] | a channel's day of a Slack export | `slack:<channel>`, by the folder | the day | `ts` |
//! | [`Format::Telegram`] | `result.json` of Telegram | `telegram:<id>` | by pauses | `id` |
//! | [`Format::Discord`] | JSON of DiscordChatExporter | `discord:<channel>` | by pauses | `id` |
//! | [`Format::WhatsApp`] | the text of a chat | the file | the day | its session and a hash of time and text |
//! | [`Format::Subtitles`] | SubRip or WebVTT | the file | `session-1` | `session-1:<n>` |
//! | [`Format::Mbox`] | a mailbox as mbox | the file | a thread | `Message-ID` |
//! | [`Format::Markdown`] | a note | the file | a heading | its session and a hash of the text |
//! | [`Format::Jsonl`] | an export of aforesaid | given, else the file | given, else `session-1` | given, else `<session>:<n>` |
//!
//! A field that is `null` counts as absent. "By pauses" means that a new
//! session begins where more than six hours separate two messages.

pub mod agents;
mod branch;
mod chatgpt;
mod claude;
mod claude_projects;
mod content;
mod detect;
mod discord;
mod documents;
mod elements;
mod encoding;
mod error;
mod intake;
mod jsonl;
mod locomo;
mod markdown;
mod mbox;
mod messages;
mod place;
mod record;
mod recorded;
mod refusal;
mod repeats;
mod sessions;
mod skip;
mod slack;
mod spoken_time;
mod subtitles;
mod telegram;
#[cfg(test)]
mod tests;
mod titles;
mod whatsapp;

use std::{fmt, str::FromStr};

use aforesaid_core::{
    store::{MemoryRef, OnConflict},
    types::{ConversationId, Draft, UnknownChoice, Zone},
};
use serde::{Serialize, Serializer};

pub use detect::detect;
pub(crate) use encoding::decode;
pub use error::FormatError;
pub use skip::{SkipReason, Skipped, SkippedGroup, grouped};
pub(crate) use slack::{LISTS as SLACK_LISTS, Surroundings, Workspace, is_day};

use agents::Agent;
use intake::Intake;
use place::{Place, Spot};

/// A kind of file that conversations come in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Format {
    /// The LoCoMo benchmark: a JSON array of samples.
    Locomo,
    /// Chat messages as JSON: an array of messages, an object with `messages`, or an array of such objects.
    Messages,
    /// Chat messages, one a line, or one object with `messages` a line.
    MessagesJsonl,
    /// The `conversations.json` of a ChatGPT data export.
    ChatGpt,
    /// The `conversations.json` of a Claude data export.
    Claude,
    /// The `projects.json` of a Claude data export.
    ClaudeProjects,
    /// A session's log of Claude Code, one object a line.
    ClaudeCode,
    /// A session's log of Codex, one object a line.
    Codex,
    /// A session's log of Gemini CLI, one object a line.
    GeminiCli,
    /// The messages of a Slack channel on a day: a file of an export.
    Slack,
    /// The JSON export of Telegram.
    Telegram,
    /// A Discord channel, as the JSON of DiscordChatExporter.
    Discord,
    /// The text export of a WhatsApp chat.
    WhatsApp,
    /// A transcript as SubRip or WebVTT.
    Subtitles,
    /// A mailbox as mbox.
    Mbox,
    /// A note in Markdown.
    Markdown,
    /// Turns and notes of aforesaid, one a line.
    Jsonl,
}

const NAMES: &str = "locomo, openai, openai-jsonl, chatgpt, claude, claude-projects, claude-code, codex, gemini-cli, slack, \
                     telegram, discord, whatsapp, subtitles, mbox, markdown or jsonl";

impl Format {
    /// Every format, in the order in which they are listed to people.
    pub const ALL: [Format; 17] = [
        Format::Locomo,
        Format::Messages,
        Format::MessagesJsonl,
        Format::ChatGpt,
        Format::Claude,
        Format::ClaudeProjects,
        Format::ClaudeCode,
        Format::Codex,
        Format::GeminiCli,
        Format::Slack,
        Format::Telegram,
        Format::Discord,
        Format::WhatsApp,
        Format::Subtitles,
        Format::Mbox,
        Format::Markdown,
        Format::Jsonl,
    ];

    /// The word that names the format on a command line.
    pub fn name(self) -> &'static str {
        match self {
            Format::Locomo => "locomo",
            Format::Messages => "openai",
            Format::MessagesJsonl => "openai-jsonl",
            Format::ChatGpt => "chatgpt",
            Format::Claude => "claude",
            Format::ClaudeProjects => "claude-projects",
            Format::ClaudeCode => Agent::ClaudeCode.name(),
            Format::Codex => Agent::Codex.name(),
            Format::GeminiCli => Agent::GeminiCli.name(),
            Format::Slack => "slack",
            Format::Telegram => "telegram",
            Format::Discord => "discord",
            Format::WhatsApp => "whatsapp",
            Format::Subtitles => "subtitles",
            Format::Mbox => "mbox",
            Format::Markdown => "markdown",
            Format::Jsonl => "jsonl",
        }
    }
}

impl Format {
    /// What becomes of a message with another text than the one stored under its id, where nobody says.
    ///
    /// The ids of an export are unique in the world: the message was edited. An id in another file may be a place in it,
    /// or in a file of the same name: replacing might take away another conversation.
    pub fn on_conflict(self) -> OnConflict {
        match self {
            Format::ChatGpt
            | Format::Claude
            | Format::ClaudeProjects
            | Format::ClaudeCode
            | Format::Codex
            | Format::GeminiCli
            | Format::Slack
            | Format::Telegram
            | Format::Discord
            | Format::WhatsApp
            | Format::Mbox => OnConflict::Newest,
            Format::Locomo
            | Format::Messages
            | Format::MessagesJsonl
            | Format::Subtitles
            | Format::Markdown
            | Format::Jsonl => OnConflict::Fail,
        }
    }
}

impl Serialize for Format {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Format {
    type Err = UnknownChoice;

    fn from_str(word: &str) -> Result<Self, UnknownChoice> {
        Format::ALL.into_iter().find(|format| format.name() == word).ok_or_else(|| UnknownChoice {
            what: "format",
            found: word.into(),
            expected: NAMES,
        })
    }
}

/// Whether the captions of images are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Captions {
    /// They become part of what can be found.
    #[default]
    Keep,
    /// They are left out; a turn that had nothing else is skipped.
    Drop,
}

/// What is known about a file besides its bytes.
#[derive(Debug, Clone, PartialEq)]
pub struct Source<'a> {
    /// Its name, as messages show it.
    pub file: &'a str,
    /// Its name without folder and extension: the conversation, where nothing else names one.
    pub stem: &'a str,
    /// Used instead of the stem. A conversation id in the file wins over it.
    pub conversation: Option<ConversationId>,
    /// Whether the captions of images are read.
    pub captions: Captions,
    /// The zone of clocks that do not say theirs; `None` is UTC.
    pub zone: Option<&'a Zone>,
}

impl Source<'_> {
    /// The conversation of whatever the file does not assign to one.
    fn conversation(&self) -> Result<ConversationId, FormatError> {
        match &self.conversation {
            Some(given) => Ok(given.clone()),
            None => self.name_conversation(self.stem.to_owned()),
        }
    }

    /// The conversation at place `number` of a file that has several without a name.
    fn numbered(&self, number: usize) -> Result<ConversationId, FormatError> {
        let base = self.conversation.as_ref().map_or(self.stem, ConversationId::as_str);
        self.name_conversation(format!("{base}-{number}"))
    }

    fn name_conversation(&self, name: String) -> Result<ConversationId, FormatError> {
        ConversationId::new(name).map_err(|why| FormatError::Name {
            place: Place { file: self.file, spot: Spot::default() }.to_string(),
            what: "the file name, which names the conversation".into(),
            why,
        })
    }
}

/// What a file holds.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Parsed {
    /// Its turns and notes, in the order of the file; each passes [`Draft::check`].
    pub drafts: Vec<Draft>,
    /// What was left out.
    pub skipped: Vec<Skipped>,
    /// Turns of branches that are not shown any more, and messages that were deleted; none of them is among the drafts. An
    /// earlier import may have stored them, when they were shown.
    pub left: Vec<MemoryRef>,
}

/// Reads a file of a known format.
///
/// Drafts with an id are unique in their conversation: a repeated one is
/// skipped. Besides `bytes` and the result, no more than one conversation of
/// the file is in memory at a time.
///
/// # Errors
/// When the bytes are not UTF-8 (but in a mailbox), not JSON or not of that format, when a draft
/// breaks the rules of [`Draft::check`] in a file of [`Format::Jsonl`], and
/// when two different things have one id. Nothing is returned then.
pub fn parse(format: Format, bytes: &[u8], source: &Source) -> Result<Parsed, FormatError> {
    parse_among(format, bytes, source, &Surroundings::default())
}

/// Reads a file of a known format, as [`parse`], with what is around it.
pub(crate) fn parse_among(
    format: Format,
    bytes: &[u8],
    source: &Source,
    around: &Surroundings,
) -> Result<Parsed, FormatError> {
    let mut intake = Intake::new(source);
    if format == Format::Mbox {
        // Each message of it says in which character set it is.
        mbox::read(bytes, &mut intake)?;
        return Ok(intake.finish());
    }
    let text = encoding::decode(bytes, source.file)?;
    match format {
        Format::Locomo => locomo::read(text, &mut intake),
        Format::Messages => messages::read_document(text, &mut intake),
        Format::MessagesJsonl => messages::read_lines(text, &mut intake),
        Format::ChatGpt => chatgpt::read(text, &mut intake),
        Format::Claude => claude::read(text, &mut intake),
        Format::ClaudeProjects => claude_projects::read(text, &mut intake),
        Format::ClaudeCode => agents::read(Agent::ClaudeCode, text, &mut intake),
        Format::Codex => agents::read(Agent::Codex, text, &mut intake),
        Format::GeminiCli => agents::read(Agent::GeminiCli, text, &mut intake),
        Format::Slack => slack::read(text, around, &mut intake),
        Format::Telegram => telegram::read(text, &mut intake),
        Format::Discord => discord::read(text, &mut intake),
        Format::WhatsApp => whatsapp::read(text, &mut intake),
        Format::Subtitles => subtitles::read(text, &mut intake),
        Format::Mbox => Ok(()),
        Format::Markdown => markdown::read(text, &mut intake),
        Format::Jsonl => jsonl::read(text, &mut intake),
    }?;
    Ok(intake.finish())
}
