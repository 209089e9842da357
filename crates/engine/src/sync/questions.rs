//! Three things to ask after a run.

use std::collections::BTreeMap;

use aforesaid_core::types::{Namespace, Turn};

use super::SuggestedQuestion;

/// How many are suggested.
const SUGGESTED: usize = 3;
/// How many are kept of a project until the end.
const KEPT: usize = 8;

/// Questions that people asked, by project.
#[derive(Debug, Default)]
pub(super) struct Questions {
    asked: BTreeMap<Namespace, Vec<String>>,
    titles: BTreeMap<Namespace, Vec<String>>,
}

impl Questions {
    /// Looks at a turn that is new.
    pub(super) fn see(&mut self, namespace: &Namespace, turn: &Turn) {
        let text = turn.text.trim();
        let fits = (20..=100).contains(&text.chars().count()) && !text.contains(['\n', '"', '`', '$', '\\', '<', '[']);
        if turn.speaker == "user" && fits && text.ends_with('?') {
            keep(self.asked.entry(namespace.clone()).or_default(), text);
        }
        if let Some(title) =
            turn.title.as_deref().filter(|title| title.chars().count() <= 60 && !title.contains(['"', '\n']))
        {
            keep(self.titles.entry(namespace.clone()).or_default(), title);
        }
    }

    /// Questions of as many projects as there are, then titles as questions.
    pub(super) fn suggest(self) -> Vec<SuggestedQuestion> {
        let titled = self.titles.into_iter().map(|(namespace, titles)| {
            (namespace, titles.into_iter().map(|title| format!("What did we do about: {title}")).collect::<Vec<_>>())
        });
        let mut suggested = Vec::new();
        for mut lists in [self.asked.into_iter().collect::<Vec<_>>(), titled.collect()] {
            while suggested.len() < SUGGESTED && lists.iter().any(|(_, list)| !list.is_empty()) {
                for (namespace, list) in &mut lists {
                    if suggested.len() < SUGGESTED && !list.is_empty() {
                        let text = list.remove(0);
                        suggested.push(SuggestedQuestion { namespace: namespace.clone(), text });
                    }
                }
            }
        }
        suggested
    }
}

fn keep(list: &mut Vec<String>, text: &str) {
    if list.len() < KEPT && !list.iter().any(|kept| kept == text) {
        list.push(text.to_owned());
    }
}
