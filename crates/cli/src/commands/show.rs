//! `aforesaid show`

use aforesaid::{
    Error, Memory,
    store::MemoryRef,
    types::{ConversationId, MemoryId, Scope, SessionId},
    wire::{InNamespace, ReadMemories},
};
use clap::{ArgGroup, Args};

use super::print_json;
use crate::{
    failure::Failure,
    page::Page,
    render::{self, Extent, Layout},
    screen::Screen,
    settings::{Output, Settings},
};

/// Turns on each side where no option says how many.
const AROUND: u32 = 3;

#[derive(Debug, Args)]
#[command(group(ArgGroup::new("what").args(["id", "conversation", "session"]).required(true).multiple(true)))]
pub(crate) struct Show {
    /// Id of the turn or note, or the beginning of it; or what `list` calls a conversation, to show all of it. Without one, all of the
    /// conversation or session is shown.
    id: Option<MemoryId>,
    /// Its conversation, where the id stands in several; or the one to show.
    #[arg(long, short)]
    conversation: Option<ConversationId>,
    /// The session to show.
    #[arg(long, short, conflicts_with = "id")]
    session: Option<SessionId>,
    /// Turns to show before and after it [default: 3].
    #[arg(long, short = 'C', value_name = "N", alias = "context", requires = "id")]
    around: Option<u32>,
    /// Turns to show before it [default: as --around].
    #[arg(long, short = 'B', value_name = "N", requires = "id")]
    before: Option<u32>,
    /// Turns to show after it [default: as --around].
    #[arg(long, short = 'A', value_name = "N", requires = "id")]
    after: Option<u32>,
    /// Show whole ids, and all of the turns around one.
    #[arg(long, conflicts_with = "json")]
    full: bool,
}

impl Show {
    pub(crate) fn run(&self, settings: &Settings) -> Result<(), Failure> {
        let memory = settings.open_plain()?;
        match &self.id {
            Some(id) => match self.one(settings, &memory, id) {
                Err(Failure::Memory(error)) => self.of_conversation(settings, &memory, id, error),
                shown => shown,
            },
            None => self.all(settings, &memory, self.conversation.clone()),
        }
    }

    /// Where no turn or note is called so, the conversation that is: `list` names conversations.
    fn of_conversation(
        &self,
        settings: &Settings,
        memory: &Memory,
        id: &MemoryId,
        error: Error,
    ) -> Result<(), Failure> {
        let is_named_alone = self.conversation.is_none() && [self.around, self.before, self.after] == [None; 3];
        let conversation = ConversationId::new(id.as_str()).ok();
        match conversation.filter(|_| is_named_alone && error.code() == "unknown_memory") {
            None => Err(error.into()),
            Some(conversation) => match self.all(settings, memory, Some(conversation)) {
                Err(Failure::Memory(nothing)) if nothing.code() == "empty_scope" => Err(error.into()),
                shown => shown,
            },
        }
    }

    fn one(&self, settings: &Settings, memory: &Memory, id: &MemoryId) -> Result<(), Failure> {
        let name = MemoryRef { id: id.clone(), conversation: self.conversation.clone() };
        let address = memory.resolve(&settings.namespace, &name)?;
        let around = self.around.unwrap_or(AROUND);
        let (before, after) = (self.before.unwrap_or(around), self.after.unwrap_or(around));
        let shown = memory.show(&settings.namespace, &address, before, after)?;
        if settings.output == Output::Programs {
            return print_json(&shown);
        }
        let mut page = Page::default();
        let all = shown.before.iter().chain([&shown.memory]).chain(&shown.after);
        let (layout, ids) = (self.layout(), all.map(|record| record.id.as_str()));
        let others = render::alike(memory, &settings.namespace, ids, layout.extent);
        render::shown(&mut page, &shown, &others, layout);
        page.print(settings.paging)
    }

    fn all(&self, settings: &Settings, memory: &Memory, conversation: Option<ConversationId>) -> Result<(), Failure> {
        let (namespace, session) = (&settings.namespace, self.session.clone());
        let memories = memory.read(namespace, &Scope { conversation, session, ..Scope::default() })?;
        if settings.output == Output::Programs {
            return print_json(&InNamespace { namespace, result: ReadMemories { memories } });
        }
        let mut page = Page::default();
        render::read(&mut page, &memories, self.layout());
        page.print(settings.paging)
    }

    fn layout(&self) -> Layout {
        let extent = if self.full { Extent::Full } else { Extent::Snippets };
        Layout { width: Screen::of_output().width, extent }
    }
}
