//! JSON that an answer should be, and how a server is made to write it.

use serde_json::{Value, json};

use crate::{Message, Role};

/// A JSON schema and its name.
#[derive(Debug, Clone, PartialEq)]
pub struct Schema {
    /// Letters, digits, `_` and `-`, at most 64.
    pub name: String,
    /// The schema. Servers that enforce it want `additionalProperties: false` and all properties required.
    pub schema: Value,
}

/// Who sees to it that an answer is JSON; from the strictest on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Enforcement {
    /// The server, by the schema.
    Schema,
    /// The server, as some object; the schema is in the prompt.
    Object,
    /// The model: the schema is in the prompt.
    Prompt,
}

impl Enforcement {
    /// What to try when the server does not know this one.
    pub(crate) fn weaker(self) -> Option<Self> {
        match self {
            Self::Schema => Some(Self::Object),
            Self::Object => Some(Self::Prompt),
            Self::Prompt => None,
        }
    }

    /// The field `response_format` of a request.
    pub(crate) fn response_format(self, schema: &Schema) -> Option<Value> {
        match self {
            Self::Schema => Some(json!({
                "type": "json_schema",
                "json_schema": {"name": schema.name, "strict": true, "schema": schema.schema},
            })),
            Self::Object => Some(json!({"type": "json_object"})),
            Self::Prompt => None,
        }
    }

    /// The messages of a request: with the schema among them where the server does not take it by itself.
    ///
    /// It joins a message that is there: many chat templates know one system message, and only at the beginning.
    pub(crate) fn messages(self, messages: &[Message], schema: &Schema) -> Vec<Message> {
        let mut messages = messages.to_vec();
        if self != Self::Schema {
            let place = messages.iter().position(|message| message.role == Role::System);
            let told = match place {
                Some(system) => messages.get_mut(system),
                None => messages.iter_mut().rfind(|message| message.role == Role::User),
            };
            if let Some(message) = told {
                message.content.push_str(&instruction(schema));
            }
        }
        messages
    }
}

fn instruction(schema: &Schema) -> String {
    format!("\n\nAnswer with one JSON value and nothing else. It must obey this JSON schema:\n{}", schema.schema)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn schema() -> Schema {
        Schema { name: "cues".to_owned(), schema: json!({"type": "object"}) }
    }

    #[test]
    fn the_schema_goes_to_the_server_or_into_one_message() {
        let messages = [Message::system("S"), Message::user("one"), Message::assistant("A"), Message::user("two")];
        assert_eq!(Enforcement::Schema.messages(&messages, &schema()), messages);
        let told = Enforcement::Object.messages(&messages, &schema());
        assert!(
            told[0].content.starts_with("S\n\nAnswer with one JSON")
                && told[0].content.ends_with(r#"{"type":"object"}"#)
        );
        assert_eq!(told[1..], messages[1..]);
        let told = Enforcement::Prompt.messages(&messages[1..], &schema());
        assert_eq!(told[..2], messages[1..3]);
        assert!(told[2].content.starts_with("two\n\nAnswer"));
    }

    #[test]
    fn there_are_three_ways() {
        let ways = std::iter::successors(Some(Enforcement::Schema), |way| way.weaker());
        let formats: Vec<_> = ways.map(|way| way.response_format(&schema())).collect();
        assert_eq!(formats.len(), 3);
        assert_eq!(formats[0].as_ref().unwrap()["json_schema"]["schema"], json!({"type": "object"}));
        assert_eq!(formats[1..], [Some(json!({"type": "json_object"})), None]);
    }
}
