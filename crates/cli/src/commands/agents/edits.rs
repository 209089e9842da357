//! What is installed in a client's settings: the server, and hooks.

use aforesaid_mcp::clients::{Client, EditError, ServerCommand};

use super::files::Edit;

/// The server in a client's settings.
pub(super) struct ServerEdit {
    pub(super) client: Client,
    pub(super) server: ServerCommand,
}

impl Edit for ServerEdit {
    fn install(&self, text: &str) -> Result<String, EditError> {
        self.client.install(text, &self.server)
    }

    fn uninstall(&self, text: &str) -> Result<String, EditError> {
        self.client.uninstall(text)
    }

    fn restore(&self, text: &str, earlier: &str) -> Result<String, EditError> {
        self.client.restore(text, earlier)
    }

    fn is_installed(&self, text: &str) -> bool {
        self.client.is_by_install(text)
    }
}

/// Hooks of this program in a client's file of hooks.
pub(super) struct HookEdit {
    pub(super) client: Client,
    /// The program, as a shell takes it.
    pub(super) program: String,
    pub(super) options: String,
}

impl Edit for HookEdit {
    fn install(&self, text: &str) -> Result<String, EditError> {
        self.client.install_hooks(text, &self.program, &self.options)
    }

    fn uninstall(&self, text: &str) -> Result<String, EditError> {
        self.client.uninstall_hooks(text, &self.program)
    }

    fn restore(&self, text: &str, earlier: &str) -> Result<String, EditError> {
        self.client.restore_hooks(text, &self.program, earlier)
    }

    fn is_installed(&self, text: &str) -> bool {
        self.uninstall(text).is_ok_and(|without| without != text)
    }
}
