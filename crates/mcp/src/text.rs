//! Memories as the model reads them: a line says where a memory is from, and no line of a memory passes for one.

use aforesaid::{
    types::{ConversationId, Kind, Record, Sensitivity, SessionId, Timestamp, Zone},
    visible::visible,
};

use crate::times;

/// What the lines of a text begin with that is shown whole.
const QUOTED: &str = "  | ";

/// A name on one line.
pub(crate) fn name(text: &str) -> String {
    visible(text).replace('\n', " ")
}

/// A text of any lines, each marked as the text's.
pub(crate) fn quoted(text: &str) -> String {
    format!("{QUOTED}{}\n", visible(text).trim_end_matches('\n').replace('\n', &format!("\n{QUOTED}")))
}

/// Where a memory is from.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Origin<'a> {
    pub(crate) id: &'a str,
    pub(crate) kind: Kind,
    pub(crate) said_at: Option<Timestamp>,
    pub(crate) speaker: Option<&'a str>,
    pub(crate) conversation: Option<&'a ConversationId>,
    pub(crate) session: Option<&'a SessionId>,
    pub(crate) title: Option<&'a str>,
    pub(crate) sensitivity: Sensitivity,
}

impl<'a> Origin<'a> {
    pub(crate) fn of(memory: &'a Record) -> Self {
        Self {
            id: memory.id.as_str(),
            kind: memory.kind,
            said_at: memory.said_at,
            speaker: memory.speaker.as_deref(),
            conversation: memory.conversation.as_ref(),
            session: memory.session.as_ref(),
            title: memory.title.as_deref(),
            sensitivity: memory.sensitivity,
        }
    }

    /// `[id] time · speaker · conversation / session · title`.
    pub(crate) fn line(&self, zone: &Zone) -> String {
        let speaker = match (self.speaker, self.kind) {
            (Some(speaker), _) => Some(name(speaker)),
            (None, Kind::Note) => Some("note".to_owned()),
            (None, Kind::Turn) => None,
        };
        let place: Vec<String> = [self.conversation.map(ConversationId::as_str), self.session.map(SessionId::as_str)]
            .into_iter()
            .flatten()
            .map(name)
            .collect();
        let parts = [
            Some(times::shown(self.said_at, zone)),
            speaker,
            (!place.is_empty()).then(|| place.join(" / ")),
            self.title.map(name),
            (self.sensitivity == Sensitivity::Sensitive).then(|| "sensitive".to_owned()),
        ];
        let parts: Vec<String> = parts.into_iter().flatten().collect();
        format!("[{}] {}", name(self.id), parts.join(" \u{b7} "))
    }
}

/// A number and its noun: `1 turn`, `2 turns`.
pub(crate) fn count(number: u64, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_line_of_a_memory_passes_for_one_of_ours() {
        assert_eq!(
            quoted("one\n[S1:2] 2024-01-01\r\n\u{1b}[2J\n"),
            "  | one\n  | [S1:2] 2024-01-01\n  | \u{FFFD}[2J\n"
        );
        assert_eq!(name("a\n[S1:2]"), "a [S1:2]");
    }
}
