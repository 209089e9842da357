//! `forget_memory`: deletes one memory and everything derived from it.

use aforesaid::{Target, Warning, store::MemoryRef, types::Record, wire::ForgetReport};

use super::{Effect, Tool, ToolResult, Toolbox, get_memory::named, json_of, notes};
use crate::{
    arguments::{Given, Kind, optional, required},
    failure::ToolError,
    text::count,
};

pub(super) const TOOL: Tool = Tool {
    name: "forget_memory",
    title: "Forget a memory",
    description: "Deletes one turn or note for good, with everything derived from it. For when the user asks for it.",
    arguments: &[
        required("id", Kind::Text, "Whole id"),
        optional("conversation", Kind::Text, "Where several have that id"),
    ],
    answer: &[("forgotten", "object", true)],
    effect: Effect::Deletes,
    run,
};

fn run(tools: &Toolbox, given: Given<'_>) -> Result<ToolResult, ToolError> {
    // A beginning of an id could stand for another memory when the call is made again.
    let Record { id, conversation, speaker, .. } = tools.memory.show(&tools.namespace, &named(given)?, 0, 0)?.memory;
    let one = MemoryRef { id, conversation };
    let forgotten = tools.memory.forget(&tools.namespace, &Target::One(one.clone()))?;
    let pending = Warning::of_erasure(forgotten.erasure);
    let derived = [
        (forgotten.vectors, "vector"),
        (forgotten.cues, "cue question"),
        (forgotten.sessions, "emptied session"),
        (forgotten.conversations, "emptied conversation"),
    ];
    let derived = derived.into_iter().filter(|(number, _)| *number > 0).map(|(number, noun)| count(number, noun));
    let what = if forgotten.notes > 0 { "1 note" } else { "1 turn" };
    let gone: Vec<String> = std::iter::once(what.to_owned()).chain(derived).collect();
    // Another memory may have the same id in another conversation.
    let of = one.conversation.map(|conversation| format!(" of {conversation}")).unwrap_or_default();
    let by = speaker.map(|speaker| format!(", said by {speaker}")).unwrap_or_default();
    let text = format!("gone: {} [{}]{of}{by}\n{}", gone.join(", "), one.id, notes(pending.as_slice()));
    Ok(ToolResult::new(text, json_of(&ForgetReport { forgotten, adapters: Vec::new() })?))
}
