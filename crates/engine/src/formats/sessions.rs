//! Sessions of conversations that record none.

use aforesaid_core::types::{MemoryId, SessionId, Timestamp};

use super::{FormatError, Place, record::name};

/// A pause longer than this ends a session, in milliseconds: people came back another time.
pub(super) const PAUSE: i64 = 6 * 60 * 60 * 1000;

/// Counts the sessions of one conversation, message by message.
#[derive(Debug)]
pub(super) struct Pauses {
    session: usize,
    last: Option<Timestamp>,
}

impl Pauses {
    pub(super) fn new() -> Self {
        Self { session: 1, last: None }
    }

    /// The session of the next message: a new one after a pause.
    ///
    /// A message without a time stays in the session of the one before.
    pub(super) fn next(&mut self, said_at: Option<Timestamp>, place: Place<'_>) -> Result<SessionId, FormatError> {
        if let (Some(last), Some(now)) = (self.last, said_at)
            && now.millis().saturating_sub(last.millis()) > PAUSE
        {
            self.session += 1;
        }
        self.last = said_at.or(self.last);
        session(self.session, place)
    }
}

/// The name of session `number`: `session-1`.
pub(super) fn session(number: usize, place: Place<'_>) -> Result<SessionId, FormatError> {
    name(format!("session-{number}"), "session", place)
}

/// The id of a message without one: its session and its place.
pub(super) fn position(session: &SessionId, number: usize, place: Place<'_>) -> Result<MemoryId, FormatError> {
    name(format!("{session}:{number}"), "id", place)
}

#[cfg(test)]
mod tests {
    use super::super::Spot;
    use super::*;

    #[test]
    fn a_session_ends_after_more_than_six_hours() {
        let place = Place { file: "f", spot: Spot::default() };
        let mut pauses = Pauses::new();
        let mut at = |time: &str| pauses.next(time.parse().ok(), place).unwrap().to_string();
        assert_eq!(at("2024-01-01T08:00"), "session-1");
        assert_eq!(at("2024-01-01T14:00"), "session-1");
        assert_eq!(at("no time"), "session-1");
        assert_eq!(at("2024-01-01T20:00:00.001"), "session-2");
        assert_eq!(at("2024-01-01T07:00"), "session-2");
    }
}
