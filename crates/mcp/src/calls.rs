//! Tool calls on threads of their own, so many at once and no more.

use std::{sync::Arc, time::Duration};

use serde_json::{Map, Value};
use tokio::{sync::Semaphore, task, time::timeout};

use crate::{
    failure::ToolError,
    tools::{Tool, ToolResult, Toolbox},
};

/// Calls that run at once; others wait.
const AT_ONCE: u32 = 8;

/// How long the end of a server waits for calls that run.
const PATIENCE: Duration = Duration::from_secs(10);

/// Runs calls of tools.
#[derive(Clone)]
pub(crate) struct Calls {
    toolbox: Arc<Toolbox>,
    running: Arc<Semaphore>,
}

impl Calls {
    pub(crate) fn new(toolbox: Toolbox) -> Self {
        Self { toolbox: Arc::new(toolbox), running: Arc::new(Semaphore::new(AT_ONCE as usize)) }
    }

    pub(crate) fn toolbox(&self) -> &Toolbox {
        &self.toolbox
    }

    /// Calls a tool. Whoever stops waiting stops nothing: what was begun is done whole.
    ///
    /// # Errors
    /// When the tool cannot do as asked, or the server ends.
    pub(crate) async fn run(
        &self,
        tool: &'static Tool,
        arguments: Map<String, Value>,
    ) -> Result<ToolResult, ToolError> {
        let ends = || ToolError { code: "server_ends", message: "the server ends; connect again".to_owned() };
        let permit = Arc::clone(&self.running).acquire_owned().await.map_err(|_| ends())?;
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

    /// Lets no further call begin, and waits a while for those that run; then keeps what the next process can use.
    pub(crate) async fn end(&self) {
        let all_done = timeout(PATIENCE, self.running.acquire_many(AT_ONCE)).await.is_ok();
        self.running.close();
        if all_done {
            self.toolbox.memory.keep_snapshots();
        }
    }
}
