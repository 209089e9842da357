//! `aforesaid show`

use aforesaid::{
    store::MemoryRef,
    types::{ConversationId, MemoryId},
};
use clap::Args;

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
pub(crate) struct Show {
    /// Id of the turn or note, or the beginning of it.
    id: MemoryId,
    /// Its conversation, where the id stands in several.
    #[arg(long, short)]
    conversation: Option<ConversationId>,
    /// Turns to show before and after it [default: 3].
    #[arg(long, short = 'C', value_name = "N", alias = "context")]
    around: Option<u32>,
    /// Turns to show before it [default: as --around].
    #[arg(long, short = 'B', value_name = "N")]
    before: Option<u32>,
    /// Turns to show after it [default: as --around].
    #[arg(long, short = 'A', value_name = "N")]
    after: Option<u32>,
    /// Show all of the turns around it, and whole ids.
    #[arg(long, conflicts_with = "json")]
    full: bool,
}

impl Show {
    pub(crate) fn run(&self, settings: &Settings) -> Result<(), Failure> {
        let memory = settings.open_plain()?;
        let name = MemoryRef { id: self.id.clone(), conversation: self.conversation.clone() };
        let address = memory.resolve(&settings.namespace, &name)?;
        let around = self.around.unwrap_or(AROUND);
        let (before, after) = (self.before.unwrap_or(around), self.after.unwrap_or(around));
        let shown = memory.show(&settings.namespace, &address, before, after)?;
        if settings.output == Output::Programs {
            return print_json(&shown);
        }
        let extent = if self.full { Extent::Full } else { Extent::Snippets };
        let mut page = Page::default();
        render::shown(&mut page, &shown, Layout { width: Screen::of_output().width, extent });
        page.print(settings.paging)
    }
}
