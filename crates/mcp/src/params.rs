//! What is wrong with the parameters of a request whose method is known.

use rmcp::{ErrorData, model::CustomRequest};
use serde_json::Value;

/// What the methods that are served take.
const METHODS: [(&str, &str); 5] = [
    ("initialize", "protocolVersion, capabilities and clientInfo"),
    ("ping", "no params, or an object"),
    ("server/discover", "an object with _meta"),
    ("tools/list", "no params, or an object"),
    ("tools/call", "an object with name (a text) and arguments (an object)"),
];

/// Why a request was not understood whose method is one that is served; `None` for any other method.
pub(crate) fn wrong_params(request: &CustomRequest) -> Option<ErrorData> {
    let (method, expected) = METHODS.iter().find(|(method, _)| *method == request.method)?;
    let found = found(method, request.params.as_ref());
    Some(ErrorData::invalid_params(format!("{method}: {found}; expected {expected}"), None))
}

/// What is wrong, as far as it can be told.
fn found(method: &str, params: Option<&Value>) -> String {
    let Some(params) = params else { return "no params".to_owned() };
    let Value::Object(fields) = params else { return format!("params: found {}", json_kind(params)) };
    if method == "tools/call" {
        match (fields.get("name"), fields.get("arguments")) {
            (None, _) => return "params have no name".to_owned(),
            (Some(name), _) if !name.is_string() => return format!("name: found {}", json_kind(name)),
            (_, Some(arguments)) if !arguments.is_object() => {
                return format!("arguments: found {}", json_kind(arguments));
            }
            _ => {}
        }
    }
    "params that it does not take".to_owned()
}

/// What kind of JSON a value is, for an error that shows nothing of it.
pub fn json_kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a truth value",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_is_wrong_is_named() {
        let takes = "; expected an object with name (a text) and arguments (an object)";
        for (params, why) in [
            (None, "no params"),
            (Some(json!([1])), "params: found a list"),
            (Some(json!({})), "params have no name"),
            (Some(json!({"name": 5})), "name: found a number"),
            (Some(json!({"name": "x", "arguments": [1]})), "arguments: found a list"),
            (Some(json!({"name": "x", "_meta": 1})), "params that it does not take"),
        ] {
            let error = wrong_params(&CustomRequest::new("tools/call", params)).unwrap();
            assert_eq!((error.code.0, error.message.to_string()), (-32602, format!("tools/call: {why}{takes}")));
        }
        let error = wrong_params(&CustomRequest::new("initialize", Some(json!({})))).unwrap();
        assert!(error.message.ends_with("expected protocolVersion, capabilities and clientInfo"), "{}", error.message);
        assert!(wrong_params(&CustomRequest::new("prompts/list", None)).is_none());
    }
}
