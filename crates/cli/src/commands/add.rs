//! `aforesaid add`

use aforesaid::{
    Creation, ErrorKind, Memory,
    store::MemoryRef,
    types::{ConversationId, Draft, Importance, MemoryId, Note, Sensitivity, SessionId, Turn},
    wire::InNamespace,
};
use clap::Args;

use super::{print_json, texts};
use crate::{
    failure::Failure,
    local_time,
    render::{self, aside, say},
    settings::{Output, Settings},
    unused::{PIPELINE, Unused, unused},
};

/// Who says what nobody is named for.
const SPEAKER: &str = "user";

#[derive(Debug, Args)]
pub(crate) struct Add {
    /// The text; - reads standard input.
    text: String,
    /// The speaker [default: user].
    #[arg(long)]
    speaker: Option<String>,
    /// The conversation [default: default; a note needs none].
    #[arg(long, short)]
    conversation: Option<ConversationId>,
    /// The session [default: today's date].
    #[arg(long, short)]
    session: Option<SessionId>,
    /// An id you choose [default: generated].
    #[arg(long)]
    id: Option<MemoryId>,
    /// When it was said: 2024-03-09T18:02:00Z, 2024-03-09, or words such as yesterday [default: now].
    #[arg(long, value_name = "TIME")]
    at: Option<String>,
    /// A caption of an attached image.
    #[arg(long)]
    image_caption: Option<String>,
    /// Add a note, which has no speaker.
    #[arg(long)]
    note: bool,
    /// Put a note in the place of the note that has its id, if there is one.
    #[arg(long, requires = "id")]
    upsert: bool,
    /// Importance, from 0 to 1 [default: 0.5].
    #[arg(long, value_parser = importance)]
    importance: Option<Importance>,
    /// A tag; may be repeated.
    #[arg(long)]
    tag: Vec<String>,
    /// Mark it sensitive: it is never sent to an embedding server or a language model.
    #[arg(long)]
    sensitive: bool,
    /// A turn that a note is based on; may be repeated.
    #[arg(long)]
    source: Vec<MemoryId>,
}

pub(super) fn importance(text: &str) -> Result<Importance, String> {
    let value: f64 = text.parse().map_err(|_| "expected a number from 0 to 1".to_owned())?;
    Importance::new(value).map_err(|error| error.to_string())
}

impl Add {
    pub(crate) fn unused(&self, settings: &Settings) -> Vec<Unused> {
        let mut all = match self.note {
            true => vec![unused(&["speaker", "session", "image_caption"], "nobody said a note (--note)")],
            false => vec![
                unused(&["source"], "only a note is drawn from turns; add --note"),
                unused(&["upsert"], "what was said is not replaced, only a note is; add --note"),
            ],
        };
        if settings.pipeline.encoder().is_none() {
            all.push(unused(PIPELINE, "nothing is ranked here, and the pipeline names no model"));
        }
        all
    }

    pub(crate) fn run(&self, settings: &Settings) -> Result<(), Failure> {
        let mut draft = self.draft(settings)?;
        draft.check().map_err(aforesaid::Error::from)?;
        let memory = settings.open(Creation::Allowed)?;
        if let Draft::Note(note) = &mut draft {
            note.source.iter_mut().try_for_each(|source| make_whole(source, &memory, settings))?;
        }
        if let (Draft::Note(note), true) = (&draft, self.upsert) {
            let upserted = memory.upsert_note(&settings.namespace, note.clone())?;
            if settings.output == Output::Programs {
                return print_json(&InNamespace { namespace: &settings.namespace, result: upserted });
            }
            render::warnings(&upserted.warnings);
            let word = match (upserted.added, upserted.updated) {
                (0, 0) => "already there:",
                (0, _) => "updated",
                _ => "added",
            };
            return upserted.ids.iter().try_for_each(|id| say!("{word} {}", render::printable(id.as_str())));
        }
        let added = memory.add(&settings.namespace, &[draft], &mut |_| {})?;
        match settings.output {
            Output::Programs => print_json(&InNamespace { namespace: &settings.namespace, result: added }),
            Output::People => {
                render::warnings(&added.warnings);
                let word = if added.added > 0 { "added" } else { "already there:" };
                for id in &added.ids {
                    say!("{word} {}", render::printable(id.as_str()))?;
                }
                Ok(())
            }
        }
    }

    fn draft(&self, settings: &Settings) -> Result<Draft, Failure> {
        let text = texts::read(&self.text)?;
        let at = match &self.at {
            Some(at) => local_time::beginning("--at", at, &settings.clock)?,
            None => settings.clock.now,
        };
        if self.note {
            return Ok(Draft::Note(Note {
                id: self.id.clone(),
                conversation: self.conversation.clone(),
                text,
                said_at: Some(at),
                importance: self.importance.unwrap_or_default(),
                tags: self.tag.clone(),
                sensitivity: Sensitivity::from(self.sensitive),
                source: self.source.clone(),
            }));
        }
        let day = local_time::date(&settings.clock.zone, at);
        let conversation = self.conversation.clone().map_or_else(|| ConversationId::new("default"), Ok);
        let session = self.session.clone().map_or_else(|| SessionId::new(day), Ok);
        let (conversation, session) =
            (conversation.map_err(aforesaid::Error::from)?, session.map_err(aforesaid::Error::from)?);
        Ok(Draft::Turn(Turn {
            id: self.id.clone(),
            said_at: Some(at),
            image_caption: self.image_caption.clone(),
            importance: self.importance.unwrap_or_default(),
            tags: self.tag.clone(),
            sensitivity: Sensitivity::from(self.sensitive),
            ..Turn::new(conversation, session, self.speaker.as_deref().unwrap_or(SPEAKER), text)
        }))
    }
}

/// Puts a whole id in the place of its beginning; one that nothing has stays, and is told.
fn make_whole(source: &mut MemoryId, memory: &Memory, settings: &Settings) -> Result<(), Failure> {
    match memory.resolve(&settings.namespace, &MemoryRef { id: source.clone(), conversation: None }) {
        Ok(found) => *source = found.id,
        Err(aforesaid::Error::AmbiguousMemory { .. }) => {}
        Err(error) if error.kind() == ErrorKind::NotFound => {
            let id = render::printable(source.as_str());
            aside(format_args!("note: nothing has the id {id}; the note names it all the same"));
        }
        Err(error) => return Err(error.into()),
    }
    Ok(())
}
