//! `aforesaid update`

use aforesaid::{
    Creation,
    store::{MemoryRef, MemoryUpdate},
    types::{ConversationId, Importance, MemoryId, MetaField, Sensitivity},
    wire::InNamespace,
};
use clap::Args;

use super::{add::importance, print_json, texts};
use crate::{
    failure::Failure,
    render::{self, erasure, say},
    scope::meta_field,
    settings::{Output, Settings},
    unused::{Unused, no_search},
};

#[derive(Debug, Args)]
#[command(
    after_help = "What was said is not changed: --text is for notes. The old text is erased as `forget` does it."
)]
pub(crate) struct Update {
    /// Id of the turn or note, or the beginning of it.
    id: MemoryId,
    /// Its conversation, where the id stands in several.
    #[arg(long, short)]
    conversation: Option<ConversationId>,
    /// The new text of a note; - reads standard input.
    #[arg(long)]
    text: Option<String>,
    /// Importance, from 0 to 1.
    #[arg(long, value_parser = importance)]
    importance: Option<Importance>,
    /// A tag, in the place of those it has; may be repeated.
    #[arg(long)]
    tag: Vec<String>,
    /// Take all tags away.
    #[arg(long, conflicts_with = "tag")]
    no_tags: bool,
    /// A tag, beside those it has; may be repeated.
    #[arg(long, value_name = "TAG", conflicts_with_all = ["tag", "no_tags"])]
    add_tag: Vec<String>,
    /// Take this tag away; may be repeated.
    #[arg(long, value_name = "TAG", conflicts_with_all = ["tag", "no_tags"])]
    remove_tag: Vec<String>,
    /// Mark it sensitive: it is never sent to an embedding server or a language model.
    #[arg(long)]
    sensitive: bool,
    /// Take the mark away.
    #[arg(long, conflicts_with = "sensitive")]
    not_sensitive: bool,
    /// Set a field of a turn's metadata, or take it out where the value is empty; may be repeated.
    #[arg(long, value_name = "KEY=VALUE", value_parser = meta_field)]
    meta: Vec<MetaField>,
}

impl Update {
    pub(crate) fn unused(&self) -> Vec<Unused> {
        if self.text.is_none() { no_search() } else { Vec::new() }
    }

    pub(crate) fn run(&self, settings: &Settings) -> Result<(), Failure> {
        let mut update = self.update()?;
        let changes_tags = !self.add_tag.is_empty() || !self.remove_tag.is_empty();
        if update == MemoryUpdate::default() && !changes_tags {
            return Err(Failure::Usage(
                "nothing to change was named; give --text, --importance, --tag, --add-tag, --remove-tag, --no-tags, \
                 --sensitive, --not-sensitive or --meta"
                    .into(),
            ));
        }
        let memory = settings.open(Creation::Forbidden)?;
        let name = MemoryRef { id: self.id.clone(), conversation: self.conversation.clone() };
        let found = memory.resolve(&settings.namespace, &name)?;
        if changes_tags {
            let stored = memory.show(&settings.namespace, &found, 0, 0)?.memory.tags;
            update.tags = Some(self.changed_tags(stored));
        }
        let updated = memory.update(&settings.namespace, &found, &update)?;
        erasure(updated.report.erasure);
        if settings.output == Output::Programs {
            return print_json(&InNamespace { namespace: &settings.namespace, result: updated });
        }
        render::warnings(&updated.warnings);
        let id = render::printable(updated.memory.id.as_str());
        match updated.report.changed.as_slice() {
            [] => say!("{id} is so already"),
            changed => say!("{id}: changed {}", changed.join(", ")),
        }
    }

    /// The tags a memory has, with those more and less that are asked for.
    fn changed_tags(&self, mut tags: Vec<String>) -> Vec<String> {
        for tag in &self.add_tag {
            if !tags.contains(tag) {
                tags.push(tag.clone());
            }
        }
        tags.retain(|tag| !self.remove_tag.contains(tag));
        tags
    }

    fn update(&self) -> Result<MemoryUpdate, Failure> {
        let text = self.text.as_deref().map(texts::read).transpose()?;
        let field = |MetaField { key, value }: &MetaField| {
            (key.clone(), (!value.is_empty()).then(|| serde_json::Value::from(value.clone())))
        };
        let sensitivity = match (self.sensitive, self.not_sensitive) {
            (true, _) => Some(Sensitivity::Sensitive),
            (_, true) => Some(Sensitivity::Ordinary),
            _ => None,
        };
        Ok(MemoryUpdate {
            text,
            importance: self.importance,
            tags: (self.no_tags || !self.tag.is_empty()).then(|| self.tag.clone()),
            sensitivity,
            meta: self.meta.iter().map(field).collect(),
            ..MemoryUpdate::default()
        })
    }
}
