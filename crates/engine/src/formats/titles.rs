//! The title of a conversation, given to each of its sessions.

use aforesaid_core::types::{MAX_TITLE_BYTES, SessionId};

/// Hands the title to the first turn of every session.
#[derive(Debug)]
pub(super) struct Titles {
    title: Option<String>,
    last: Option<SessionId>,
}

impl Titles {
    /// A blank title is none, and an endless one is cut: nobody can correct an export.
    pub(super) fn new(title: Option<String>) -> Self {
        let title = title.map(|title| cut(title.trim())).filter(|title| !title.is_empty());
        Self { title, last: None }
    }

    /// The title for the next turn, if it is the first of its session.
    pub(super) fn next(&mut self, session: &SessionId) -> Option<String> {
        if self.title.is_none() || self.last.as_ref() == Some(session) {
            return None;
        }
        self.last = Some(session.clone());
        self.title.clone()
    }
}

fn cut(title: &str) -> String {
    title[..title.floor_char_boundary(MAX_TITLE_BYTES)].to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_session_has_it_once() {
        let mut titles = Titles::new(Some(" Slugs ".to_owned()));
        let [one, two] = ["session-1", "session-2"].map(|name| SessionId::new(name).unwrap());
        assert_eq!(titles.next(&one).as_deref(), Some("Slugs"));
        assert_eq!(titles.next(&one), None);
        assert_eq!(titles.next(&two).as_deref(), Some("Slugs"));
        assert_eq!(Titles::new(Some(" \n".to_owned())).next(&one), None);
        let long = Titles::new(Some("é".repeat(MAX_TITLE_BYTES))).next(&one).unwrap();
        assert_eq!(long.len(), MAX_TITLE_BYTES);
    }
}
