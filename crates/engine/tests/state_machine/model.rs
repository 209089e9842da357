//! What the store must hold, as far as anybody was told.

use std::collections::{BTreeMap, HashSet};

use crate::workers::{Command, Found, many_lines};

/// A stored turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Turn {
    pub session: String,
    pub id: String,
    pub text: String,
}

/// A conversation that one worker at a time writes to.
#[derive(Debug, Clone, Default)]
pub(crate) struct Lane {
    /// In order of arrival.
    pub turns: Vec<Turn>,
    /// Words of turns that are gone.
    pub gone: Vec<String>,
    /// Ids the store has given, by session: none may come back.
    given: HashSet<(String, String)>,
}

/// What a command does to a lane.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Effect {
    /// Turns that come, those without an id of theirs with an empty one.
    Add(Vec<Turn>),
    /// Turns that go, by place.
    Forget(Vec<usize>),
    Nothing,
}

/// How many words of gone turns a lane remembers.
const REMEMBERED: usize = 40;

impl Lane {
    /// What a command will do.
    pub(crate) fn effect(&self, command: &Command) -> Effect {
        let places = |doomed: &dyn Fn(&Turn) -> bool| {
            let places = (0..self.turns.len()).filter(|&i| doomed(&self.turns[i])).collect();
            Effect::Forget(places)
        };
        match command {
            Command::Add { lines, .. } | Command::Import { lines, .. } => {
                let known = |id: &str| self.turns.iter().any(|turn| turn.id == id);
                let new = lines.iter().filter(|line| !line.id.as_deref().is_some_and(known));
                let turn = |line: &crate::workers::Line| Turn {
                    session: line.session.clone(),
                    id: line.id.clone().unwrap_or_default(),
                    text: line.text.clone(),
                };
                Effect::Add(new.map(turn).collect())
            }
            Command::ImportMany { session, word, turns, .. } => {
                let lines = many_lines(session, word, *turns).into_iter();
                Effect::Add(
                    lines
                        .map(|line| Turn { session: line.session, id: line.id.unwrap_or_default(), text: line.text })
                        .collect(),
                )
            }
            Command::ForgetOne { id, .. } => places(&|turn| turn.id == *id),
            Command::ForgetSession { session, .. } => places(&|turn| turn.session == *session),
            Command::ForgetConversation { .. } | Command::ForgetAll { .. } => places(&|_| true),
            _ => Effect::Nothing,
        }
    }

    pub(crate) fn apply(&mut self, effect: Effect) {
        match effect {
            Effect::Add(turns) => self.turns.extend(turns),
            Effect::Forget(places) => {
                for place in places.into_iter().rev() {
                    self.gone.push(word(&self.turns.remove(place).text).to_owned());
                }
                let surplus = self.gone.len().saturating_sub(REMEMBERED);
                self.gone.drain(..surplus);
            }
            Effect::Nothing => {}
        }
    }

    /// Takes note of an id that the store gave; says whether it is the first time.
    pub(crate) fn give(&mut self, session: &str, id: &str) -> bool {
        self.given.insert((session.to_owned(), id.to_owned()))
    }

    /// With the namespace goes the memory of what was given in it.
    pub(crate) fn forget_given(&mut self) {
        self.given.clear();
    }

    /// Whether `found` is this lane; ids that nobody was told are taken over.
    pub(crate) fn is(&mut self, found: &[Found]) -> bool {
        let mut sessions: BTreeMap<&str, Vec<&Found>> = BTreeMap::new();
        for turn in found {
            sessions.entry(&turn.session).or_default().push(turn);
        }
        let mut ids = Vec::with_capacity(self.turns.len());
        for turn in &self.turns {
            let place = sessions.get_mut(turn.session.as_str()).filter(|left| !left.is_empty());
            let Some(found) = place.map(|left| left.remove(0)) else { return false };
            if found.text != turn.text || !(turn.id.is_empty() || turn.id == found.id) {
                return false;
            }
            ids.push(found.id.clone());
        }
        if sessions.values().any(|left| !left.is_empty()) {
            return false;
        }
        self.turns.iter_mut().zip(ids).for_each(|(turn, id)| turn.id = id);
        true
    }
}

/// The word that only this text has.
pub(crate) fn word(text: &str) -> &str {
    text.split(' ').next().unwrap_or_default()
}
