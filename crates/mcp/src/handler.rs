//! The tools as the protocol has them.

use std::{borrow::Cow, future::pending, sync::Arc};

use rmcp::{
    ErrorData, RoleServer, ServerHandler,
    model::{
        CacheScope, CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, CustomRequest, CustomResult,
        DiscoverResult, ErrorCode, Implementation, ListToolsResult, PaginatedRequestParams, ProtocolVersion,
        ServerCapabilities, ServerConfig, Tool, ToolAnnotations,
    },
    service::RequestContext,
};
use serde_json::Value;

use crate::{
    calls::Calls,
    failure::ToolError,
    instructions::instructions,
    order::{Kept, Permit},
    params::wrong_params,
    tools::{Effect, TOOLS, Tool as Definition, ToolResult},
};

/// How long a client may take the list of tools for the same, in milliseconds: it changes with the program alone.
const LIFETIME: u64 = 3_600_000;

/// Answers requests of any client.
#[derive(Clone)]
pub(crate) struct Handler {
    calls: Calls,
}

impl Handler {
    pub(crate) fn new(calls: Calls) -> Self {
        Self { calls }
    }

    /// Waits until a call may begin. Until then the client may take it back.
    async fn begin(&self, context: &RequestContext<RoleServer>) -> Result<Permit, ToolError> {
        let ends = |_| ToolError { code: "server_ends", message: "the server ends; connect again".to_owned() };
        match context.extensions.get::<Kept>().and_then(Kept::take) {
            Some(place) => tokio::select! {
                biased;
                taken_back = self.taken_back(context) => Err(taken_back),
                permit = place.reached() => permit.map_err(ends),
            },
            // Over HTTP each request stands by itself.
            None => self.calls.any_place().reached().await.map_err(ends),
        }
    }

    /// Waits until the client takes a call back.
    async fn taken_back(&self, context: &RequestContext<RoleServer>) -> ToolError {
        context.ct.cancelled().await;
        if self.calls.are_kept() {
            pending::<()>().await;
        }
        ToolError { code: "cancelled", message: "the call was cancelled before it began; nothing was done".to_owned() }
    }
}

/// A tool's definition.
fn definition(tool: &Definition) -> Tool {
    let annotations = ToolAnnotations::new()
        .read_only(tool.effect == Effect::Reads)
        .destructive(tool.effect == Effect::Deletes)
        // An id that was deleted in one conversation may stand for a memory of another.
        .idempotent(tool.effect == Effect::Reads)
        .open_world(false);
    Tool::new(tool.name, tool.description, Arc::new(tool.input_schema()))
        .with_title(tool.title)
        .with_raw_output_schema(Arc::new(tool.output_schema()))
        .with_annotations(annotations)
}

/// An answer as the protocol has it: the same as text and as an object. An error is a text that the model reads.
fn result(answer: Result<ToolResult, ToolError>) -> CallToolResult {
    match answer {
        Ok(ToolResult { text, structured }) => {
            let mut result = CallToolResult::success(vec![ContentBlock::text(text)]);
            result.structured_content = Some(Value::Object(structured));
            result
        }
        Err(error) => CallToolResult::error(vec![ContentBlock::text(error.to_string())]),
    }
}

impl ServerHandler for Handler {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(Implementation::new("aforesaid", env!("CARGO_PKG_VERSION")))
            .with_instructions(instructions(&self.calls.toolbox().namespace))
    }

    async fn discover(&self, _: RequestContext<RoleServer>) -> Result<DiscoverResult, ErrorData> {
        let versions = self.supported_protocol_versions().into_owned();
        let found = DiscoverResult::from_server_info(versions, self.get_info());
        // The instructions name the namespace.
        Ok(found.with_ttl_ms(LIFETIME).with_cache_scope(CacheScope::Private))
    }

    async fn list_tools(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        if request.is_some_and(|request| request.cursor.is_some()) {
            return Err(ErrorData::invalid_params("cursor: all tools are on one page; leave the cursor out", None));
        }
        let tools = ListToolsResult::with_all_items(TOOLS.iter().map(definition).collect());
        Ok(match context.protocol_version() {
            Some(version) if version >= ProtocolVersion::V_2026_07_28 => {
                tools.with_ttl_ms(LIFETIME).with_cache_scope(CacheScope::Public)
            }
            _ => tools,
        })
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        Definition::named(name).map(definition)
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let Some(tool) = Definition::named(&request.name) else {
            let names = TOOLS.map(|tool| tool.name).join(", ");
            let name: String = request.name.chars().take(60).collect();
            let message = format!("unknown tool {name:?}; the tools are {names}");
            return Err(ErrorData::invalid_params(Cow::Owned(message), None));
        };
        let answer = match self.begin(&context).await {
            Ok(permit) => self.calls.run(tool, request.arguments.unwrap_or_default(), permit).await,
            Err(error) => Err(error),
        };
        Ok(result(answer).into())
    }

    /// Refuses what is no request of the protocol: a method that is unknown, or parameters that a known one does not take.
    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        let unknown = || ErrorData::new(ErrorCode::METHOD_NOT_FOUND, request.method.clone(), None);
        Err(wrong_params(&request).unwrap_or_else(unknown))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Characters of a token at the least, in JSON and English by the tokenizers of current models: an upper bound of
    /// tokens is a third of the characters.
    const CHARACTERS: usize = 3;

    #[test]
    fn all_definitions_take_less_than_1500_tokens() {
        let tools: Vec<Tool> = TOOLS.iter().map(definition).collect();
        let json = serde_json::to_string(&tools).unwrap();
        let tokens = json.chars().count().div_ceil(CHARACTERS);
        assert!(tokens < 1_500, "{tokens} tokens at the most, in {} characters: {json}", json.chars().count());
        for tool in &tools {
            let description = tool.description.as_deref().unwrap();
            assert!((20..2048).contains(&description.len()), "{description}");
        }
    }

    #[test]
    fn tools_say_what_they_do_to_the_memory() {
        let hints = TOOLS.map(|tool| {
            let of = definition(&tool).annotations.unwrap();
            (tool.name, [of.read_only_hint, of.destructive_hint, of.idempotent_hint].map(Option::unwrap))
        });
        assert_eq!(
            hints,
            [
                ("search_memories", [true, false, true]),
                ("get_memory", [true, false, true]),
                ("add_memory", [false, false, false]),
                ("forget_memory", [false, true, false]),
                ("list_sessions", [true, false, true]),
            ]
        );
    }
}
