//! `aforesaid show`

use aforesaid::{
    store::MemoryRef,
    types::{ConversationId, MemoryId},
};
use clap::Args;

use super::print_json;
use crate::{
    failure::Failure,
    render::{self, QUIET, STRONG},
    settings::{Output, Settings},
};

#[derive(Debug, Args)]
pub(crate) struct Show {
    /// Id of the turn or note, or the beginning of it.
    id: MemoryId,
    /// Its conversation, where the id stands in several.
    #[arg(long, short)]
    conversation: Option<ConversationId>,
    /// Turns to show before it.
    #[arg(long, short = 'B', default_value_t = 3)]
    before: u32,
    /// Turns to show after it.
    #[arg(long, short = 'A', default_value_t = 3)]
    after: u32,
}

impl Show {
    pub(crate) fn run(&self, settings: &Settings) -> Result<(), Failure> {
        let memory = settings.open_plain()?;
        let name = MemoryRef { id: self.id.clone(), conversation: self.conversation.clone() };
        let address = memory.resolve(&settings.namespace, &name)?;
        let shown = memory.show(&settings.namespace, &address, self.before, self.after)?;
        if settings.output == Output::Programs {
            return print_json(&shown);
        }
        shown.before.iter().try_for_each(|turn| render::memory(turn, QUIET))?;
        render::memory(&shown.memory, STRONG)?;
        shown.after.iter().try_for_each(|turn| render::memory(turn, QUIET))
    }
}
