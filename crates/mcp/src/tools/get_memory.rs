//! `get_memory`: one memory whole, with what was said around it.

use aforesaid::{
    Shown,
    store::MemoryRef,
    types::{ConversationId, MemoryId, Record, Zone},
};

use super::{Effect, Tool, ToolResult, Toolbox, json_of};
use crate::{
    arguments::{Given, Kind, optional, required},
    failure::ToolError,
    text::{Origin, quoted},
};

/// Turns on each side, where a call does not say.
const AROUND: u64 = 3;

/// Characters of a turn beside the memory at the most; its own `get_memory` shows it whole.
const BESIDE: usize = 1_000;

pub(super) const TOOL: Tool = Tool {
    name: "get_memory",
    title: "Get a memory",
    description: "Shows one turn or note whole, with the turns before and after it in its session.",
    arguments: &[
        required("id", Kind::Text, ""),
        optional("conversation", Kind::Text, "Where several have that id"),
        optional("around", Kind::Whole { least: 0, most: 20 }, "Turns on each side, default 3"),
    ],
    answer: &[("memory", "object", true), ("before", "array", true), ("after", "array", true)],
    effect: Effect::Reads,
    run,
};

/// The memory that arguments name.
pub(super) fn named(given: Given<'_>) -> Result<MemoryRef, ToolError> {
    let conversation = given.text("conversation").map(ConversationId::new).transpose();
    Ok(MemoryRef {
        id: MemoryId::new(given.text("id").unwrap_or_default()).map_err(aforesaid::Error::from)?,
        conversation: conversation.map_err(aforesaid::Error::from)?,
    })
}

fn run(tools: &Toolbox, given: Given<'_>) -> Result<ToolResult, ToolError> {
    let memory_ref = tools.memory.resolve(&tools.namespace, &named(given)?)?;
    let around = u32::try_from(given.whole("around").unwrap_or(AROUND)).unwrap_or(u32::MAX);
    let mut shown = tools.memory.show(&tools.namespace, &memory_ref, around, around)?;
    shown.before.iter_mut().chain(&mut shown.after).for_each(cut);
    let Shown { memory, before, after } = &shown;
    let lines = |turns: &[Record]| -> String { turns.iter().map(|turn| of_memory(turn, &tools.zone, "")).collect() };
    let text = [lines(before), of_memory(memory, &tools.zone, "> "), lines(after)].concat();
    Ok(ToolResult::new(text, json_of(&shown)?))
}

fn of_memory(memory: &Record, zone: &Zone, mark: &str) -> String {
    let caption = memory.image_caption.as_ref().map(|caption| quoted(&format!("[image: {caption}]")));
    let tags = (!memory.tags.is_empty()).then(|| quoted(&format!("tags: {}", memory.tags.join(", "))));
    let more = [caption, tags].into_iter().flatten().collect::<String>();
    format!("{mark}{}\n{}{more}", Origin::of(memory).line(zone), quoted(&memory.text))
}

/// Cuts a long text, and says so.
fn cut(memory: &mut Record) {
    if let Some((at, _)) = memory.text.char_indices().nth(BESIDE) {
        let left_out = memory.text[at..].chars().count();
        memory.text.truncate(at);
        memory.text += &format!("\u{2026} ({left_out} more characters: get_memory of this id)");
    }
}
