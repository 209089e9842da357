//! Options that select a part of a namespace.

use aforesaid::types::{ConversationId, Kind, MemoryFilter, MemoryId, MetaField, Scope, SessionId, UnknownChoice};
use clap::Args;

use crate::{failure::Failure, local_time, render::when, settings::Settings};

/// Which part of a namespace a command is about.
#[derive(Debug, Args)]
pub(crate) struct ScopeArgs {
    /// Only this conversation.
    #[arg(long, short)]
    pub(crate) conversation: Option<ConversationId>,
    /// Only this session.
    #[arg(long, short)]
    pub(crate) session: Option<SessionId>,
    /// Not this conversation; may be repeated.
    #[arg(long, value_name = "CONVERSATION")]
    pub(crate) except: Vec<ConversationId>,
    /// Only what was said at or after this time: 2024-03-09, 2024-03-09T18:02:00Z, or words such as "last week".
    #[arg(long, value_name = "TIME", alias = "since")]
    pub(crate) from: Option<String>,
    /// Only what was said at or before this time; a date, a month or "last week" means until its end.
    #[arg(long, value_name = "TIME")]
    pub(crate) to: Option<String>,
    #[command(flatten)]
    pub(crate) filter: FilterArgs,
}

impl ScopeArgs {
    pub(crate) fn scope(&self, settings: &Settings) -> Result<Scope, Failure> {
        let (from, to) = (self.from.as_deref(), self.to.as_deref());
        let from = from.map(|text| local_time::beginning("--from", text, &settings.clock)).transpose()?;
        let to = to.map(|text| local_time::end("--to", text, &settings.clock)).transpose()?;
        if let (Some(first), Some(last)) = (from, to)
            && first > last
        {
            let (from, to) = (when(Some(first)), when(Some(last)));
            return Err(Failure::Usage(format!(
                "--from is {from} and --to is {to}: expected --from before --to; swap them"
            )));
        }
        Ok(Scope {
            conversation: self.conversation.clone(),
            session: self.session.clone(),
            except: self.except.clone(),
            from,
            to,
            filter: self.filter.filter(),
        })
    }
}

/// Names of all scope options but the conversation, for what conflicts with them.
pub(crate) const BESIDES_CONVERSATION: [&str; 9] =
    ["session", "except", "from", "to", "speaker", "tag", "kind", "source", "meta"];

/// What a memory must be like.
#[derive(Debug, Args)]
pub(crate) struct FilterArgs {
    /// Only what this speaker said: the name in any case, or its first words; repeated: any of them.
    #[arg(long, value_name = "NAME")]
    speaker: Vec<String>,
    /// Only what has this tag; repeated: all of them.
    #[arg(long)]
    tag: Vec<String>,
    /// Only turns, or only notes: turn or note.
    #[arg(long, value_parser = kind)]
    kind: Option<Kind>,
    /// Only notes that were drawn from this turn; repeated: from any of them.
    #[arg(long, value_name = "ID")]
    source: Vec<MemoryId>,
    /// Only what has this value in its metadata; repeated: all of them.
    #[arg(long, value_name = "KEY=VALUE", value_parser = meta_field)]
    meta: Vec<MetaField>,
}

impl FilterArgs {
    pub(crate) fn filter(&self) -> MemoryFilter {
        MemoryFilter {
            speakers: self.speaker.clone(),
            tags: self.tag.clone(),
            kind: self.kind,
            sources: self.source.clone(),
            meta: self.meta.clone(),
        }
    }

    /// The options that were given.
    pub(crate) fn given(&self) -> Vec<&'static str> {
        let all = [
            ("--speaker", !self.speaker.is_empty()),
            ("--tag", !self.tag.is_empty()),
            ("--kind", self.kind.is_some()),
            ("--source", !self.source.is_empty()),
            ("--meta", !self.meta.is_empty()),
        ];
        all.into_iter().filter(|(_, given)| *given).map(|(option, _)| option).collect()
    }
}

fn kind(word: &str) -> Result<Kind, String> {
    word.parse().map_err(|error: UnknownChoice| error.to_string())
}

/// A key and a value, apart at the first sign of equality.
pub(crate) fn meta_field(text: &str) -> Result<MetaField, String> {
    match text.split_once('=') {
        Some((key, value)) if !key.is_empty() => Ok(MetaField { key: key.to_owned(), value: value.to_owned() }),
        _ => Err("expected KEY=VALUE, as in project=garden".to_owned()),
    }
}
