//! What was said about a memory rather than in it.

use aforesaid::{
    Hit,
    types::{Importance, Record, Sensitivity},
};
use serde_json::{Map, Value};

use super::printable;

/// The tags, importance, mark and metadata of a memory.
pub(super) struct Labels<'m> {
    tags: &'m [String],
    importance: Importance,
    sensitivity: Sensitivity,
    meta: Option<&'m Map<String, Value>>,
}

impl<'m> From<&'m Record> for Labels<'m> {
    fn from(Record { tags, importance, sensitivity, meta, .. }: &'m Record) -> Self {
        Self { tags, importance: *importance, sensitivity: *sensitivity, meta: meta.as_ref() }
    }
}

impl<'m> From<&'m Hit> for Labels<'m> {
    fn from(Hit { tags, importance, sensitivity, meta, .. }: &'m Hit) -> Self {
        Self { tags, importance: *importance, sensitivity: *sensitivity, meta: meta.as_ref() }
    }
}

impl Labels<'_> {
    /// Those that are not as they are by default, in one line: `tags pump, key · importance 0.9 · sensitive · room=12`.
    pub(super) fn line(&self) -> Option<String> {
        let tags = (!self.tags.is_empty()).then(|| format!("tags {}", self.tags.join(", ")));
        let matters = self.importance != Importance::default();
        let importance = matters.then(|| format!("importance {}", self.importance.value()));
        let sensitive = (self.sensitivity == Sensitivity::Sensitive).then(|| "sensitive".to_owned());
        let meta = self.meta.into_iter().flatten().map(|(key, value)| match value {
            Value::String(text) => format!("{key}={text}"),
            other => format!("{key}={other}"),
        });
        let all: Vec<String> = [tags, importance, sensitive].into_iter().flatten().chain(meta).collect();
        (!all.is_empty()).then(|| printable(&all.join(" \u{b7} ")))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn only_what_was_said_is_shown() {
        let tags = ["pump".to_owned(), "key".to_owned()];
        let meta = json!({"room": 12, "by": "A\u{1b}nn"});
        let bare =
            Labels { tags: &[], importance: Importance::default(), sensitivity: Sensitivity::Ordinary, meta: None };
        assert_eq!(bare.line(), None);
        let labels = Labels {
            tags: &tags,
            importance: Importance::new(0.9).unwrap(),
            sensitivity: Sensitivity::Sensitive,
            meta: meta.as_object(),
        };
        let line = labels.line().unwrap();
        assert!(line.starts_with("tags pump, key \u{b7} importance 0.9 \u{b7} sensitive \u{b7} "), "{line}");
        assert!(line.contains("room=12") && !line.contains('\u{1b}'), "{line}");
    }
}
