//! A JSON object in which every field is there once.

use std::fmt;

use serde::de::{Deserializer, Error, MapAccess, Visitor};
use serde_json::{Map, Value};

/// Reads an object; where JSON would let the last of two equal fields win, this is an error.
pub(super) fn read(text: &str) -> Result<Map<String, Value>, serde_json::Error> {
    let mut json = serde_json::Deserializer::from_str(text);
    let fields = (&mut json).deserialize_map(Fields)?;
    json.end()?;
    Ok(fields)
}

struct Fields;

impl<'de> Visitor<'de> for Fields {
    type Value = Map<String, Value>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Self::Value, A::Error> {
        let mut fields = Map::new();
        while let Some(field) = entries.next_key::<String>()? {
            if fields.contains_key(&field) {
                return Err(A::Error::custom(format_args!("field {field:?} is there twice")));
            }
            fields.insert(field, entries.next_value()?);
        }
        Ok(fields)
    }
}
