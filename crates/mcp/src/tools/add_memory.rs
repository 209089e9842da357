//! `add_memory`: keeps turns, or a note.

use aforesaid::{
    Added, ErrorKind,
    store::MemoryRef,
    time::Clock,
    types::{ConversationId, Draft, MemoryId, Note, Record, Sensitivity, SessionId, Turn},
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
        (true, None) => turns(tools, given, &clock)?,
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

fn turns(tools: &Toolbox, given: Given<'_>, clock: &Clock) -> Result<Vec<Draft>, ToolError> {
    let conversation = ConversationId::new(given.text("conversation").unwrap_or(CONVERSATION));
    let conversation = conversation.map_err(aforesaid::Error::from)?;
    let session = given.text("session").map(SessionId::new).transpose().map_err(aforesaid::Error::from)?;
    let today = SessionId::new(times::date(clock.now, &clock.zone)).map_err(aforesaid::Error::from)?;
    let draft = |(at, turn): (usize, Given<'_>)| {
        let [speaker, text] = ["speaker", "text"].map(|name| turn.text(name).unwrap_or_default());
        let place = format!("turns[{at}]: said_at");
        let said_at = turn.text("said_at").map(|text| times::beginning(&place, text, clock)).transpose()?;
        let id = turn.text("id").map(MemoryId::new).transpose().map_err(aforesaid::Error::from)?;
        // A call may be made again, later or on another day: what it leaves to the clock is no difference then.
        let stored = match &id {
            Some(id) if said_at.is_none() || session.is_none() => stored(tools, id, &conversation)?,
            _ => None,
        };
        let (then, there) = match stored {
            Some(stored) => (stored.said_at, stored.session.unwrap_or_else(|| today.clone())),
            None => (Some(clock.now), today.clone()),
        };
        let session = session.clone().unwrap_or(there);
        Ok(Draft::Turn(Turn {
            id,
            said_at: said_at.or(then),
            tags: tags(given),
            sensitivity: Sensitivity::from(given.flag("sensitive")),
            ..Turn::new(conversation.clone(), session, speaker, text)
        }))
    };
    given.objects("turns").enumerate().map(draft).collect()
}

/// What is stored with an id.
fn stored(tools: &Toolbox, id: &MemoryId, conversation: &ConversationId) -> Result<Option<Record>, ToolError> {
    let memory_ref = MemoryRef { id: id.clone(), conversation: Some(conversation.clone()) };
    match tools.memory.show(&tools.namespace, &memory_ref, 0, 0) {
        Ok(shown) => Ok(Some(shown.memory)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error.into()),
    }
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

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;
    use crate::tools::tests::toolbox;

    /// The id was taken by the turn itself: its time was that of the first call.
    #[test]
    fn a_turn_with_an_id_is_added_once_however_often_it_is_given() {
        let tools = toolbox();
        let add = |turn: Value| {
            let given = json!({"turns": [turn]});
            tools.call(&TOOL, given.as_object().unwrap()).map(|result| result.structured["added"].clone())
        };
        let turn = json!({"speaker": "Ann", "text": "The kite is red.", "id": "kite"});
        assert_eq!(add(turn.clone()).unwrap(), 1);
        std::thread::sleep(std::time::Duration::from_millis(2));
        assert_eq!(add(turn.clone()).unwrap(), 0);
        for (name, value, differs) in [
            ("text", "It is blue.", "another text"),
            ("said_at", "2020-01-01", "another said_at"),
            ("speaker", "Ben", "another speaker"),
        ] {
            let mut other = turn.clone();
            other[name] = json!(value);
            let error = add(other).unwrap_err();
            assert!(error.code == "id_conflict" && error.message.contains(differs), "{error}");
        }
    }

    #[test]
    fn a_turn_that_is_given_again_keeps_its_session_and_time() {
        let tools = toolbox();
        let mut given = json!({
            "turns": [{"speaker": "Ann", "text": "The kite is red.", "id": "kite", "said_at": "2020-01-01"}],
            "session": "monday", "conversation": "chat",
        });
        let add =
            |given: &Value| tools.call(&TOOL, given.as_object().unwrap()).unwrap().structured["unchanged"].clone();
        assert_eq!(add(&given), 0);
        given["session"] = Value::Null;
        given["turns"][0]["said_at"] = Value::Null;
        assert_eq!(add(&given), 1);
    }
}
