//! Where in a file something is.

use std::fmt;

/// A record of a file. Numbers count from 1; 0 stands for "does not apply".
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Spot {
    pub(super) line: usize,
    pub(super) conversation: usize,
    pub(super) session: usize,
    pub(super) message: usize,
    pub(super) project: usize,
}

impl Spot {
    pub(super) fn line(line: usize) -> Self {
        Self { line, ..Self::default() }
    }

    pub(super) fn conversation(conversation: usize) -> Self {
        Self { conversation, ..Self::default() }
    }

    pub(super) fn project(project: usize) -> Self {
        Self { project, ..Self::default() }
    }

    pub(super) fn session(self, session: usize) -> Self {
        Self { session, ..self }
    }

    pub(super) fn message(self, message: usize) -> Self {
        Self { message, ..self }
    }
}

impl fmt::Display for Spot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts = [
            ("line ", self.line),
            ("conversation ", self.conversation),
            ("session_", self.session),
            ("project ", self.project),
            (if self.project > 0 { "document " } else { "message " }, self.message),
        ];
        let mut separator = "";
        for (word, number) in parts.into_iter().filter(|(_, number)| *number > 0) {
            write!(f, "{separator}{word}{number}")?;
            separator = ", ";
        }
        Ok(())
    }
}

/// A spot and the file it is in.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place<'a> {
    pub(super) file: &'a str,
    pub(super) spot: Spot,
}

impl fmt::Display for Place<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.file)?;
        if self.spot != Spot::default() {
            write!(f, ", {}", self.spot)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_names_only_what_applies() {
        let at = |spot| Place { file: "a.json", spot }.to_string();
        assert_eq!(at(Spot::default()), "a.json");
        assert_eq!(at(Spot::line(3).message(2)), "a.json, line 3, message 2");
        assert_eq!(at(Spot::conversation(2).session(4).message(7)), "a.json, conversation 2, session_4, message 7");
    }
}
