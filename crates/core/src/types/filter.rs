//! What a memory must be like, besides where and when it was said.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{Kind, MemoryId, Record};

/// What a memory must be like to be searched, shown, exported or forgotten. The default admits everything.
///
/// Names are compared as they are written. Conditions of different kinds must all hold.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct MemoryFilter {
    /// Said by one of these.
    pub speakers: Vec<String>,
    /// Has all of these tags.
    pub tags: Vec<String>,
    /// Is a turn, or a note.
    pub kind: Option<Kind>,
    /// Is a note that was drawn from one of these turns.
    pub sources: Vec<MemoryId>,
    /// Has all of these values in its metadata.
    pub meta: Vec<MetaField>,
}

/// A field of a memory's metadata, and its value.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MetaField {
    /// The field's name, at the top level.
    pub key: String,
    /// Its value: a string as it is, a number or a truth value as JSON writes it.
    pub value: String,
}

impl MetaField {
    /// Whether metadata have this value in this field.
    pub fn is_in(&self, meta: &Map<String, Value>) -> bool {
        match meta.get(&self.key) {
            Some(Value::String(text)) => *text == self.value,
            Some(Value::Number(number)) => self.value == number.to_string(),
            Some(Value::Bool(truth)) => self.value == if *truth { "true" } else { "false" },
            Some(Value::Null | Value::Array(_) | Value::Object(_)) | None => false,
        }
    }
}

impl MemoryFilter {
    /// Whether every memory passes.
    pub fn admits_all(&self) -> bool {
        *self == Self::default()
    }

    /// Whether a memory passes.
    pub fn admits(&self, memory: &Record) -> bool {
        let said = |speaker: &String| memory.speaker.as_ref() == Some(speaker);
        self.kind.is_none_or(|kind| kind == memory.kind)
            && (self.speakers.is_empty() || self.speakers.iter().any(said))
            && self.admits_labels(&memory.tags, &memory.source, memory.meta.as_ref())
    }

    /// Whether lists and objects are compared at all.
    pub fn reads_labels(&self) -> bool {
        !self.tags.is_empty() || !self.sources.is_empty() || !self.meta.is_empty()
    }

    /// Whether a memory with these tags, sources and metadata passes, as far as those go.
    pub fn admits_labels(&self, tags: &[String], sources: &[MemoryId], meta: Option<&Map<String, Value>>) -> bool {
        self.tags.iter().all(|tag| tags.contains(tag))
            && (self.sources.is_empty() || self.sources.iter().any(|source| sources.contains(source)))
            && self.meta.iter().all(|field| meta.is_some_and(|meta| field.is_in(meta)))
    }

    /// The conditions in words, for messages.
    pub fn parts(&self) -> Vec<String> {
        let quoted = |what: &str, all: Vec<&str>| match all.as_slice() {
            [] => None,
            names => Some(format!(
                "{what} {}",
                names.iter().map(|name| format!("{name:?}")).collect::<Vec<_>>().join(" or ")
            )),
        };
        let kind = self.kind.map(|kind| match kind {
            Kind::Turn => "turns".to_owned(),
            Kind::Note => "notes".to_owned(),
        });
        let speakers = quoted("speaker", self.speakers.iter().map(String::as_str).collect());
        let sources = quoted("source", self.sources.iter().map(MemoryId::as_str).collect());
        let tags = self.tags.iter().map(|tag| format!("tag {tag:?}"));
        let meta = self.meta.iter().map(|field| format!("meta {:?} {:?}", field.key, field.value));
        kind.into_iter().chain(speakers).chain(tags).chain(sources).chain(meta).collect()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn metadata_are_compared_as_they_are_written() {
        let meta = json!({"a.b": "x", "n": 1, "f": 1.0, "t": true, "none": null, "o": {"a": "x"}});
        let meta = meta.as_object().unwrap();
        let is_in = |key: &str, value: &str| MetaField { key: key.into(), value: value.into() }.is_in(meta);
        assert!(is_in("a.b", "x") && is_in("n", "1") && is_in("f", "1.0") && is_in("t", "true"));
        for (key, value) in [("a", "x"), ("n", "1.0"), ("none", "null"), ("o", "x"), ("o.a", "x"), ("$.o.a", "x")] {
            assert!(!is_in(key, value), "{key} {value}");
        }
    }

    #[test]
    fn conditions_are_named() {
        let filter = MemoryFilter {
            speakers: vec!["Ann".into(), "Bo".into()],
            tags: vec!["a\"b".into()],
            kind: Some(Kind::Note),
            sources: vec![MemoryId::new("t1").unwrap()],
            meta: vec![MetaField { key: "k".into(), value: "v".into() }],
        };
        let expected = ["notes", "speaker \"Ann\" or \"Bo\"", "tag \"a\\\"b\"", "source \"t1\"", "meta \"k\" \"v\""];
        assert_eq!(filter.parts(), expected);
        assert!(MemoryFilter::default().admits_all() && MemoryFilter::default().parts().is_empty());
    }
}
