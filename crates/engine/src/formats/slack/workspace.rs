//! Who and what the ids of a Slack workspace stand for, by the lists at the top of an export.

use std::{collections::HashMap, mem};

use serde_json::Value;

use super::{
    super::{
        FormatError,
        elements::{Element, each},
    },
    entities::decoded,
};

/// The lists at the top of an export that have names.
pub(crate) const LISTS: [&str; 6] =
    ["users.json", "org_users.json", "channels.json", "groups.json", "dms.json", "mpims.json"];

/// Bytes of a name that are kept: a text may mention it often.
const MOST_NAME: usize = 200;

/// The names of a workspace.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Workspace {
    people: HashMap<String, String>,
    bots: HashMap<String, String>,
    channels: HashMap<String, String>,
    /// Who is in a conversation that has no name of its own, by its folder.
    members: HashMap<String, Vec<String>>,
}

impl Workspace {
    /// Adds the names of a list; says whether it is one of Slack's. An empty list may be anybody's.
    ///
    /// # Errors
    /// When it is no JSON array; nothing of it is kept then.
    pub(crate) fn add(&mut self, list: &str, text: &str) -> Result<bool, FormatError> {
        let (mut read, mut is_slack) = (Workspace::default(), false);
        each(text, list, |element| {
            let (Element::Whole(item) | Element::Item(_, item)) = element;
            is_slack |= read.add_item(list, &item);
            Ok(())
        })?;
        self.people.extend(mem::take(&mut read.people));
        self.bots.extend(mem::take(&mut read.bots));
        self.channels.extend(mem::take(&mut read.channels));
        self.members.extend(mem::take(&mut read.members));
        Ok(is_slack)
    }

    /// Adds what an item says; says whether it is one of Slack's.
    fn add_item(&mut self, list: &str, item: &Value) -> bool {
        let text = |field: &str| item.get(field).and_then(Value::as_str);
        let Some(id) = text("id").filter(|id| is_id(id)) else { return false };
        let name = text("name").and_then(cleaned);
        let members: Option<Vec<String>> = item.get("members").and_then(Value::as_array).map(|members| {
            let ids = members.iter().filter_map(Value::as_str).filter(|member| is_id(member));
            ids.map(str::to_owned).collect()
        });
        match (list, name, members) {
            ("users.json" | "org_users.json", name, _) => {
                let Some(name) = item.get("profile").and_then(name_in).or_else(|| name_in(item)).or(name) else {
                    return false;
                };
                if let Some(bot) = item.get("profile").and_then(|profile| profile.get("bot_id")?.as_str()) {
                    self.bots.insert(bot.to_owned(), name.clone());
                }
                self.people.insert(id.to_owned(), name);
                true
            }
            ("dms.json", _, Some(members)) => {
                self.members.insert(id.to_owned(), members);
                true
            }
            ("mpims.json", Some(name), Some(members)) => {
                self.members.insert(name, members);
                true
            }
            (_, Some(name), _) => {
                self.channels.insert(id.to_owned(), name);
                true
            }
            (_, None, _) => false,
        }
    }

    pub(super) fn person(&self, id: &str) -> Option<&str> {
        self.people.get(id).map(String::as_str)
    }

    pub(super) fn bot(&self, id: &str) -> Option<&str> {
        self.bots.get(id).map(String::as_str)
    }

    pub(super) fn channel(&self, id: &str) -> Option<&str> {
        self.channels.get(id).map(String::as_str)
    }

    /// Who writes to each other in a folder.
    fn members(&self, folder: &str) -> Option<String> {
        /// Members that a title names.
        const SHOWN: usize = 9;
        let members = self.members.get(folder).filter(|members| !members.is_empty())?;
        let names: Vec<&str> = members.iter().take(SHOWN).map(|id| self.person(id).unwrap_or(id)).collect();
        Some(names.join(", "))
    }
}

/// What the conversation in a folder is called: `#ops`, or who writes to each other there.
pub(super) fn title(folder: &str, workspace: Option<&Workspace>) -> Option<String> {
    let members = workspace.and_then(|workspace| workspace.members(folder));
    members.or_else(|| (!is_id(folder)).then(|| format!("#{folder}")))
}

/// Whether a text is an id of Slack: `U02PRIYA3`.
fn is_id(text: &str) -> bool {
    text.starts_with(|first: char| first.is_ascii_uppercase())
        && text.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit())
        && text.len() <= 64
}

/// The name in a profile: as people are shown in Slack, the name that they chose, else their full one.
pub(super) fn name_in(profile: &Value) -> Option<String> {
    ["display_name", "real_name", "name"].iter().find_map(|field| cleaned(profile.get(*field)?.as_str()?))
}

/// A name in one line and of bounded length; `None` where nothing is left.
pub(super) fn cleaned(name: &str) -> Option<String> {
    let name = decoded(&name[..name.floor_char_boundary(4 * MOST_NAME)]);
    let words: Vec<&str> = name.split_whitespace().collect();
    let mut name = words.join(" ");
    name.truncate(name.floor_char_boundary(MOST_NAME));
    (!name.is_empty()).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_come_from_the_lists_of_slack_alone() {
        let mut workspace = Workspace::default();
        let users = r#"[{"id": "U1", "name": "ann", "profile": {"display_name": "", "real_name": " Ann\n Kite "}},
            {"id": "U2", "name": "tails", "profile": {"bot_id": "B2", "real_name": "Tail &amp; Co"}}, {"id": "U3"}, 7]"#;
        assert_eq!(workspace.add("users.json", users), Ok(true));
        assert_eq!((workspace.person("U1"), workspace.person("U3")), (Some("Ann Kite"), None));
        assert_eq!((workspace.bot("B2"), workspace.bot("B3")), (Some("Tail & Co"), None));
        assert_eq!(workspace.add("dms.json", r#"[{"id": "D1", "members": ["U1", "U9"]}]"#), Ok(true));
        assert_eq!(
            workspace.add("mpims.json", r#"[{"id": "G1", "name": "mpdm-1", "members": ["U2", "U1"]}]"#),
            Ok(true)
        );
        let title = |folder: &str| title(folder, Some(&workspace));
        assert_eq!(title("D1").as_deref(), Some("Ann Kite, U9"));
        assert_eq!(title("mpdm-1").as_deref(), Some("Tail & Co, Ann Kite"));
        assert_eq!((title("ops").as_deref(), title("D7")), (Some("#ops"), None));
        // The users of another program's export.
        let others = r#"[{"uuid": "1-2", "full_name": "Ann"}, {"id": "1-2", "name": "Ann"}]"#;
        assert_eq!(Workspace::default().add("users.json", others), Ok(false));
        assert_eq!(Workspace::default().add("channels.json", "[]"), Ok(false));
        assert!(Workspace::default().add("users.json", "[{\"id\": \"U1\"").is_err());
    }

    #[test]
    fn an_endless_name_is_cut() {
        assert_eq!(cleaned(&"é".repeat(5000)).unwrap().len(), MOST_NAME);
        assert_eq!(cleaned(" \n "), None);
    }
}
