//! `forget_memory`: deletes one memory and everything derived from it.

use aforesaid::{Target, Warning, wire::ForgetReport};

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
    let forgotten = tools.memory.forget(&tools.namespace, &Target::One(named(given)?))?;
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
    let text = format!("gone: {}\n{}", gone.join(", "), notes(pending.as_slice()));
    Ok(ToolResult::new(text, json_of(&ForgetReport { forgotten, adapters: Vec::new() })?))
}
