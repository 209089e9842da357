//! How a client begins: with `initialize`, or with a request that stands by itself.

use rmcp::{
    ErrorData,
    model::{ClientRequest, GetMeta, ProtocolVersion},
};

use crate::params::wrong_params;

/// What a client may do before it has begun.
#[derive(Debug, PartialEq)]
pub(super) enum First {
    /// The client begins with it.
    Begins,
    /// It is served, and begins nothing.
    Served,
    Refused(ErrorData),
}

/// What the first requests of a client are.
pub(super) fn first(request: &ClientRequest) -> First {
    match request {
        ClientRequest::InitializeRequest(_) => return First::Begins,
        ClientRequest::PingRequest(_) => return First::Served,
        ClientRequest::CustomRequest(request) if request.method == "initialize" => {
            return wrong_params(request).map_or(First::Served, First::Refused);
        }
        _ => {}
    }
    let missing = request.get_meta().missing_required_keys(&ProtocolVersion::V_2026_07_28);
    match (missing.as_slice(), request) {
        ([], ClientRequest::DiscoverRequest(_)) => First::Served,
        ([], _) => First::Begins,
        (missing, _) => First::Refused(ErrorData::invalid_params(
            format!(
                "initialize comes first; only requests of revision {} stand by themselves, and this one has no {} in \
                 its params' _meta",
                ProtocolVersion::V_2026_07_28,
                missing.join(" and no ")
            ),
            None,
        )),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn of(method: &str, params: Value) -> First {
        first(&serde_json::from_value(json!({"method": method, "params": params})).unwrap())
    }

    #[test]
    fn initialize_comes_first_unless_a_request_stands_by_itself() {
        let version = json!({"io.modelcontextprotocol/protocolVersion": "2026-07-28"});
        let mut whole = version.clone();
        whole["io.modelcontextprotocol/clientCapabilities"] = json!({});
        let me = json!({"name": "test", "version": "1"});
        let begin = json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": me});
        assert_eq!(of("initialize", begin), First::Begins);
        assert_eq!(of("tools/list", json!({"_meta": whole})), First::Begins);
        assert_eq!(of("ping", json!({})), First::Served);
        assert_eq!(of("server/discover", json!({"_meta": whole})), First::Served);
        for (method, params, why) in [
            ("tools/list", json!({}), "initialize comes first; only requests of revision 2026-07-28 stand"),
            ("tools/list", json!({"_meta": version}), "has no io.modelcontextprotocol/clientCapabilities in"),
            ("initialize", json!({}), "expected protocolVersion, capabilities and clientInfo"),
        ] {
            let First::Refused(error) = of(method, params) else { panic!("{method} is served") };
            assert!(error.code.0 == -32602 && error.message.contains(why), "{}", error.message);
        }
    }
}
