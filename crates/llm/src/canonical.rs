//! One text for one JSON value, and its digest.

use serde_json::{Map, Value};
use sha2::{Digest, Sha256};

/// The value without white space and with the fields of every object in order.
pub(crate) fn canonical(value: &Value) -> String {
    sorted(value).to_string()
}

/// The sha256 of a text in lower-case hex.
pub(crate) fn sha256_hex(text: &str) -> String {
    Sha256::digest(text.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect()
}

fn sorted(value: &Value) -> Value {
    match value {
        Value::Array(items) => items.iter().map(sorted).collect(),
        Value::Object(fields) => {
            let mut fields: Vec<_> = fields.iter().collect();
            fields.sort_by_key(|(name, _)| name.as_str());
            fields.into_iter().map(|(name, value)| (name.clone(), sorted(value))).collect::<Map<_, _>>().into()
        }
        scalar => scalar.clone(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_order_of_fields_does_not_matter_and_that_of_items_does() {
        let value = json!({"b": [{"y": 1, "x": 2}, 0.5], "a": null});
        assert_eq!(canonical(&value), r#"{"a":null,"b":[{"x":2,"y":1},0.5]}"#);
        assert_ne!(canonical(&json!([1, 2])), canonical(&json!([2, 1])));
        assert_eq!(sha256_hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    }
}
