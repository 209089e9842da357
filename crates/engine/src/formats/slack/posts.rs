//! The text of a message. People write it into `text`; programs spread it over attachments and blocks.

use std::collections::HashSet;

use serde_json::{Map, Value};

use super::{
    entities::decoded,
    marks::{linked, plain},
    names::{Names, is_program},
};

/// What attachments say that have blocks instead of a text.
const NO_PREVIEW: &str = "[no preview available]";

/// What a message says; blank where it says nothing.
///
/// What Slack shows of the page behind a link is no part of it.
pub(super) fn text(message: &Map<String, Value>, names: &Names<'_>) -> String {
    let said = message.get("text").and_then(Value::as_str).unwrap_or_default();
    let said = plain(said, names);
    if !said.trim().is_empty() && !is_program(message) {
        return said;
    }
    let mut post = Post { lines: Vec::new(), seen: HashSet::new(), names };
    let says_something = !said.trim().is_empty();
    post.add(said);
    post.blocks(message.get("blocks"));
    for attachment in items(message.get("attachments")) {
        if !(says_something && is_preview(attachment)) {
            post.attachment(attachment);
        }
    }
    post.lines.join("\n")
}

/// A message's text while it is gathered.
struct Post<'n> {
    lines: Vec<String>,
    /// The letters of what is there: programs say the same in several places.
    seen: HashSet<String>,
    names: &'n Names<'n>,
}

impl Post<'_> {
    /// Adds a text, unless all of it is there already.
    fn add(&mut self, text: String) {
        let fresh: Vec<String> = text.lines().map(letters).filter(|line| !self.seen.contains(line)).collect();
        let whole = letters(&text);
        if text.trim().is_empty() || fresh.is_empty() || self.seen.contains(&whole) {
            return;
        }
        self.seen.extend(fresh);
        self.seen.insert(whole);
        self.lines.push(text.trim().to_owned());
    }

    fn marked(&mut self, value: Option<&Value>) {
        if let Some(text) = value.and_then(written) {
            self.add(plain(text, self.names));
        }
    }

    fn attachment(&mut self, attachment: &Value) {
        let text = |field: &str| attachment.get(field).and_then(Value::as_str).filter(|text| !text.trim().is_empty());
        let before = self.lines.len();
        self.marked(attachment.get("pretext"));
        if let Some(title) = text("title") {
            self.add(linked(&plain(title, self.names), text("title_link")));
        }
        self.marked(attachment.get("text"));
        for field in items(attachment.get("fields")) {
            let part = |name: &str| field.get(name).and_then(Value::as_str).map(|text| plain(text, self.names));
            let parts: Vec<String> = [part("title"), part("value")].into_iter().flatten().collect();
            self.add(parts.join(": "));
        }
        self.blocks(attachment.get("blocks"));
        for shared in items(attachment.get("message_blocks")) {
            self.blocks(shared.get("message").and_then(|message| message.get("blocks")));
        }
        let is_silent = self.lines.len() == before;
        if let Some(fallback) = text("fallback").filter(|text| is_silent && !text.starts_with(NO_PREVIEW)) {
            self.add(plain(fallback, self.names));
        }
    }

    fn blocks(&mut self, blocks: Option<&Value>) {
        for block in items(blocks) {
            match block.get("type").and_then(Value::as_str) {
                Some("rich_text") => {
                    for element in items(block.get("elements")) {
                        let said = self.rich(element);
                        self.add(said);
                    }
                }
                Some("section" | "header" | "markdown" | "context") => {
                    self.marked(block.get("text"));
                    let parts = ["fields", "elements"];
                    for part in parts.into_iter().flat_map(|field| items(block.get(field))) {
                        self.marked(Some(part));
                    }
                }
                _ => {}
            }
        }
    }

    /// The text of an element of a rich text and of those in it; each item of a list is a line.
    fn rich(&self, element: &Value) -> String {
        let text = |field: &str| element.get(field).and_then(Value::as_str);
        let named = |sign: char, name: Option<&str>, id: &str| format!("{sign}{}", name.unwrap_or(id));
        match (text("type").unwrap_or_default(), element.get("elements")) {
            ("rich_text_list", inner) => {
                items(inner).iter().map(|item| format!("- {}", self.rich(item))).collect::<Vec<_>>().join("\n")
            }
            (_, inner @ Some(_)) => items(inner).iter().map(|inner| self.rich(inner)).collect(),
            ("link", None) => {
                let url = text("url").unwrap_or_default();
                linked(&decoded(text("text").unwrap_or(url)), Some(url))
            }
            ("user", None) => text("user_id").map(|id| named('@', self.names.person(id), id)).unwrap_or_default(),
            ("channel", None) => {
                text("channel_id").map(|id| named('#', self.names.channel(id), id)).unwrap_or_default()
            }
            ("usergroup", None) => text("usergroup_id").map(|id| named('@', None, id)).unwrap_or_default(),
            ("broadcast", None) => text("range").map(|range| named('@', None, range)).unwrap_or_default(),
            ("emoji", None) => text("name").map(|name| format!(":{name}:")).unwrap_or_default(),
            ("date", None) => text("fallback").map(decoded).unwrap_or_default(),
            (_, None) => text("text").map(decoded).unwrap_or_default(),
        }
    }
}

/// Whether Slack made an attachment of a link.
fn is_preview(attachment: &Value) -> bool {
    ["original_url", "from_url"].iter().any(|field| attachment.get(*field).is_some_and(Value::is_string))
}

/// The text that is there, or in an object there.
fn written(value: &Value) -> Option<&str> {
    value.as_str().or_else(|| value.get("text")?.as_str())
}

fn items(value: Option<&Value>) -> &[Value] {
    value.and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
}

/// The letters and digits of a text, by which two are the same.
fn letters(text: &str) -> String {
    text.chars().filter(|sign| sign.is_alphanumeric()).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(message: Value) -> String {
        let Value::Object(message) = message else { unreachable!() };
        text(&message, &Names::new(None))
    }

    #[test]
    fn programs_write_attachments_and_blocks() {
        let attached = json!({"bot_id": "B1", "text": "", "attachments": [
            {"pretext": "Deploy", "title": "shop 4.2", "title_link": "https://ci.test/9", "text": "all *green*",
             "fields": [{"title": "Env", "value": "production"}], "fallback": "shop 4.2 is out"},
            {"fallback": "Pull request &lt;7&gt; merged"}, {"fallback": "[no preview available]"}]});
        assert_eq!(
            read(attached),
            "Deploy\nshop 4.2 (https://ci.test/9)\nall *green*\nEnv: production\nPull request <7> merged"
        );
        let blocks = json!({"subtype": "bot_message", "text": "Disk is full", "blocks": [
            {"type": "header", "text": {"type": "plain_text", "text": "Disk is full"}}, {"type": "divider"},
            {"type": "section", "text": {"type": "mrkdwn", "text": "on <https://m.test|m1>"},
             "fields": [{"type": "mrkdwn", "text": "*97%*"}]},
            {"type": "rich_text", "elements": [
                {"type": "rich_text_section", "elements": [{"type": "text", "text": "ask "}, {"type": "user", "user_id": "U1"},
                    {"type": "link", "url": "https://a.test", "text": " the page"}]},
                {"type": "rich_text_list", "elements": [
                    {"type": "rich_text_section", "elements": [{"type": "text", "text": "one"}]},
                    {"type": "rich_text_section", "elements": [{"type": "text", "text": "two"}]}]}]}]});
        assert_eq!(
            read(blocks),
            "Disk is full\non m1 (https://m.test)\n*97%*\nask @U1 the page (https://a.test)\n- one\n- two"
        );
    }

    #[test]
    fn what_is_shown_of_a_page_behind_a_link_is_nobodys_message() {
        let posted =
            json!({"user": "U1", "text": "see <https://a.test>", "attachments": [{"text": "A page about cats"}]});
        assert_eq!(read(posted), "see https://a.test");
        let told = json!({"bot_id": "B1", "text": "new: <https://a.test>", "attachments": [{"text": "cats", "from_url": "https://a.test"}]});
        assert_eq!(read(told), "new: https://a.test");
        let shared =
            json!({"user": "U1", "text": "", "attachments": [{"text": "The door code is new.", "is_share": true}]});
        assert_eq!(read(shared), "The door code is new.");
    }

    #[test]
    fn what_is_no_text_says_nothing() {
        for message in [
            json!({}),
            json!({"text": 3, "bot_id": "B", "blocks": {"type": "section"}, "attachments": [7, null, {"fields": [{}]}]}),
            json!({"bot_id": "B", "blocks": [{"type": "section", "text": 7}, {"type": "rich_text", "elements": [[]]}]}),
        ] {
            assert_eq!(read(message), "");
        }
    }
}
