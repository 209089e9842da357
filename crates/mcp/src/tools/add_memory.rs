//! `add_memory`: keeps turns, or a note.

use aforesaid::{
    Added,
    time::Clock,
    types::{ConversationId, Draft, MemoryId, Note, Sensitivity, SessionId, Turn},
};
use serde_json::json;

use super::{Effect, Tool, ToolResult, Toolbox, news, notes, warnings_json};
use crate::{
    arguments::{Given, Kind, optional, required},
    failure::ToolError,
    text::name,
    times,
};

/// The conversation of turns, where a call names none; `aforesaid add` takes the same.
const CONVERSATION: &str = "default";

pub(super) const TOOL: Tool = Tool {
    name: "add_memory",
    title: "Add a memory",
    description: "Keeps turns as they were said, or one note (a text that nobody said, such as a decision). Give \
                  either turns or note. A turn with an id that is there already is not added twice.",
    arguments: &[
        optional(
            "turns",
            Kind::Objects(&[
                required("speaker", Kind::Text, ""),
                required("text", Kind::Text, ""),
                optional("said_at", Kind::Text, "Default now"),
                optional("id", Kind::Text, ""),
            ]),
            "",
        ),
        optional("note", Kind::Text, ""),
        optional("conversation", Kind::Text, ""),
        optional("session", Kind::Text, "Of turns; default today's date"),
        optional("tags", Kind::Texts, ""),
        optional("sensitive", Kind::Flag, "Never sent to an encoder or model on a server"),
    ],
    answer: &[
        ("ids", "array", true),
        ("added", "integer", true),
        ("unchanged", "integer", true),
        ("warnings", "array", false),
    ],
    effect: Effect::Adds,
    run,
};

fn run(tools: &Toolbox, given: Given<'_>) -> Result<ToolResult, ToolError> {
    let clock = times::clock(&tools.zone)?;
    let drafts = match (given.has("turns"), given.text("note")) {
        (true, None) => turns(given, &clock)?,
        (false, Some(text)) => vec![note(text, given, &clock)?],
        (true, Some(_)) => {
            return Err(ToolError::arguments("add_memory: found turns and note, expected one of them; call it twice"));
        }
        (false, None) => {
            return Err(ToolError::arguments("add_memory: found neither turns nor note, expected one of them"));
        }
    };
    let Added { ids, added, unchanged, warnings } = tools.memory.add(&tools.namespace, &drafts, &mut |_| {})?;
    let warnings = news(warnings);
    let mut text = format!("added {added}");
    if unchanged > 0 {
        text += &format!(", already there {unchanged}");
    }
    let shown: Vec<String> = ids.iter().map(|id| format!("[{}]", name(id.as_str()))).collect();
    text += &format!(": {}\n{}", shown.join(" "), notes(&warnings));
    let fields = json!({"ids": ids, "added": added, "unchanged": unchanged, "warnings": warnings_json(&warnings)});
    Ok(ToolResult::new(text, fields))
}

fn tags(given: Given<'_>) -> Vec<String> {
    given.texts("tags").map(str::to_owned).collect()
}

fn turns(given: Given<'_>, clock: &Clock) -> Result<Vec<Draft>, ToolError> {
    let conversation = ConversationId::new(given.text("conversation").unwrap_or(CONVERSATION));
    let session = given.text("session").map_or_else(|| times::date(clock.now, &clock.zone), str::to_owned);
    let (conversation, session) =
        (conversation.map_err(aforesaid::Error::from)?, SessionId::new(session).map_err(aforesaid::Error::from)?);
    let draft = |(at, turn): (usize, Given<'_>)| {
        let [speaker, text] = ["speaker", "text"].map(|name| turn.text(name).unwrap_or_default());
        let place = format!("turns[{at}]: said_at");
        let said_at = turn.text("said_at").map(|text| times::beginning(&place, text, clock)).transpose()?;
        Ok(Draft::Turn(Turn {
            id: turn.text("id").map(MemoryId::new).transpose().map_err(aforesaid::Error::from)?,
            said_at: said_at.or(Some(clock.now)),
            tags: tags(given),
            sensitivity: Sensitivity::from(given.flag("sensitive")),
            ..Turn::new(conversation.clone(), session.clone(), speaker, text)
        }))
    };
    given.objects("turns").enumerate().map(draft).collect()
}

fn note(text: &str, given: Given<'_>, clock: &Clock) -> Result<Draft, ToolError> {
    if given.has("session") {
        let message = "add_memory: session: a note is in no session; leave session out, or give turns";
        return Err(ToolError::arguments(message));
    }
    let conversation = given.text("conversation").map(ConversationId::new).transpose();
    Ok(Draft::Note(Note {
        id: None,
        conversation: conversation.map_err(aforesaid::Error::from)?,
        text: text.to_owned(),
        said_at: Some(clock.now),
        importance: Default::default(),
        tags: tags(given),
        sensitivity: Sensitivity::from(given.flag("sensitive")),
        source: Vec::new(),
    }))
}
