//! Tool calls on threads of their own, in an order that their clients can rely on.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use serde_json::{Map, Value};
use tokio::task;

use crate::{
    failure::ToolError,
    order::{Kept, Order, Permit, Place},
    tools::{Effect, Tool, ToolResult, Toolbox},
};

/// How long the end of a server waits for calls that run.
const PATIENCE: Duration = Duration::from_secs(10);

/// Runs calls of tools.
#[derive(Clone)]
pub(crate) struct Calls {
    toolbox: Arc<Toolbox>,
    order: Order,
    /// Whether calls are done though their tasks are told to end.
    are_kept: Arc<AtomicBool>,
}

impl Calls {
    pub(crate) fn new(toolbox: Toolbox) -> Self {
        Self { toolbox: Arc::new(toolbox), order: Order::new(), are_kept: Arc::default() }
    }

    pub(crate) fn toolbox(&self) -> &Toolbox {
        &self.toolbox
    }

    /// The place of the next call of a connection: it sees what those before it changed, and those after it see what it changes.
    /// A tool that is not there has none.
    pub(crate) fn place(&self, tool: &str) -> Option<Kept> {
        let place = match Tool::named(tool)?.effect {
            Effect::Reads => self.order.shared(),
            Effect::Adds | Effect::Deletes => self.order.alone(),
        };
        Some(place.keep())
    }

    /// The place of a call that stands by itself, beside others that run.
    pub(crate) fn any_place(&self) -> Place {
        self.order.shared()
    }

    /// Calls a tool when its place is reached. Whoever stops waiting then stops nothing: what was begun is done whole.
    ///
    /// # Errors
    /// When the tool cannot do as asked, or the server ends.
    pub(crate) async fn run(
        &self,
        tool: &'static Tool,
        arguments: Map<String, Value>,
        permit: Permit,
    ) -> Result<ToolResult, ToolError> {
        let toolbox = Arc::clone(&self.toolbox);
        let call = task::spawn_blocking(move || {
            let answer = toolbox.call(tool, &arguments);
            drop(permit);
            answer
        });
        let failed = |_| ToolError {
            code: "internal",
            message: format!("{} failed in a way that is a fault of this program; please report it", tool.name),
        };
        call.await.map_err(failed)?
    }

    /// Waits until all calls that were made by now are done, however long they take: whoever will not wait ends the process.
    pub(crate) async fn idle(&self) {
        self.order.idle().await;
    }

    /// From now on, calls that wait are not given up: their tasks are told to end because the server ends, not because the
    /// client wants them no more.
    pub(crate) fn keep(&self) {
        self.are_kept.store(true, Ordering::Relaxed);
    }

    /// Whether calls that wait are to be done though their tasks are told to end.
    pub(crate) fn are_kept(&self) -> bool {
        self.are_kept.load(Ordering::Relaxed)
    }

    /// Lets no further call begin, and waits a while for those that were made; then keeps what the next process can use.
    pub(crate) async fn end(&self) {
        if self.order.end(PATIENCE).await {
            self.toolbox.memory.keep_snapshots();
        }
    }
}
