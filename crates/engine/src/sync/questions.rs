//! Three things to ask after a run.

use std::collections::BTreeMap;

use aforesaid_core::{
    store::MemoryRef,
    types::{Namespace, Turn},
};

use super::{SuggestedQuestion, SyncError};

/// How many are suggested.
const SUGGESTED: usize = 3;
/// How many are kept of a project until the end.
const KEPT: usize = 8;

/// Questions that people asked, by project.
#[derive(Debug, Default)]
pub(super) struct Questions {
    asked: Texts,
    titles: Texts,
    /// What was told to an agent, as most prompts tell and do not ask.
    told: Texts,
}

/// The latest texts of each project, with the turns that they are of.
type Texts = BTreeMap<Namespace, Vec<(String, Option<MemoryRef>)>>;

impl Questions {
    /// Looks at a turn that is new.
    pub(super) fn see(&mut self, namespace: &Namespace, turn: &Turn) {
        let text = turn.text.trim();
        let fits = (20..=100).contains(&text.chars().count()) && !text.contains(['\n', '"', '`', '$', '\\', '<', '[']);
        if turn.speaker == "user" && fits {
            let lists = if text.ends_with('?') { &mut self.asked } else { &mut self.told };
            keep(lists.entry(namespace.clone()).or_default(), text, turn);
        }
        if let Some(title) =
            turn.title.as_deref().filter(|title| title.chars().count() <= 60 && !title.contains(['"', '\n']))
        {
            keep(self.titles.entry(namespace.clone()).or_default(), title, turn);
        }
    }

    /// Leaves out those whose turns are not there any more.
    pub(super) fn keep_where(
        &mut self,
        is_there: impl Fn(&Namespace, &MemoryRef) -> Result<bool, SyncError>,
    ) -> Result<(), SyncError> {
        for texts in [&mut self.asked, &mut self.titles, &mut self.told] {
            for (namespace, list) in texts {
                let mut kept = Vec::new();
                for (text, turn) in list.drain(..) {
                    if turn.as_ref().map_or(Ok(true), |turn| is_there(namespace, turn))? {
                        kept.push((text, turn));
                    }
                }
                *list = kept;
            }
        }
        Ok(())
    }

    /// Questions of as many projects as there are, then titles, and what an agent was told, as questions.
    pub(super) fn suggest(self) -> Vec<SuggestedQuestion> {
        let about = |texts: Texts, before: &str| {
            let ask = |(text, turn): (String, _)| (format!("{before} {}", text.trim_end_matches(['.', '!'])), turn);
            texts.into_iter().map(|(namespace, texts)| (namespace, texts.into_iter().map(ask).collect())).collect()
        };
        let titled: Vec<(Namespace, Vec<(String, _)>)> = about(self.titles, "What did we do about:");
        let told = about(self.told, "What came of:");
        let mut suggested = Vec::new();
        for mut lists in [self.asked.into_iter().collect(), titled, told] {
            while suggested.len() < SUGGESTED && lists.iter().any(|(_, list)| !list.is_empty()) {
                for (namespace, list) in &mut lists {
                    if suggested.len() < SUGGESTED && !list.is_empty() {
                        let (text, _) = list.remove(0);
                        suggested.push(SuggestedQuestion { namespace: namespace.clone(), text });
                    }
                }
            }
        }
        suggested
    }
}

fn keep(list: &mut Vec<(String, Option<MemoryRef>)>, text: &str, turn: &Turn) {
    if list.iter().any(|(kept, _)| kept == text) {
        return;
    }
    if list.len() == KEPT {
        list.remove(0);
    }
    let id = turn.id.clone();
    let turn = id.map(|id| MemoryRef { id, conversation: Some(turn.conversation.clone()) });
    list.push((text.to_owned(), turn));
}

#[cfg(test)]
mod tests {
    use aforesaid_core::types::{ConversationId, SessionId};

    use super::*;

    fn suggested(prompts: &[&str]) -> Vec<String> {
        let namespace = Namespace::new("forge.example/ann/kites").unwrap();
        let mut questions = Questions::default();
        for prompt in prompts {
            let (conversation, session) = (ConversationId::new("a").unwrap(), SessionId::new("a").unwrap());
            let turn = Turn::new(conversation, session, "user", *prompt);
            questions.see(&namespace, &turn);
        }
        questions.suggest().into_iter().map(|question| question.text).collect()
    }

    /// Nothing was suggested where people only told an agent what to do.
    #[test]
    fn what_an_agent_was_told_is_asked_about_where_nobody_asked() {
        let told = ["Please fix the parser in checkout.", "ok", "Rename the loader of the gallery!"];
        assert_eq!(
            suggested(&told),
            ["What came of: Please fix the parser in checkout", "What came of: Rename the loader of the gallery"]
        );
        let asked = ["Please fix the parser in checkout.", "Why does the login test fail?"];
        assert_eq!(
            suggested(&asked),
            ["Why does the login test fail?", "What came of: Please fix the parser in checkout"]
        );
    }
}
