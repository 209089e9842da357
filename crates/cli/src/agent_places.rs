//! Where coding agents and their settings are on this machine.

use std::{env, path::PathBuf};

use aforesaid::sync::LogRoots;
use etcetera::{BaseStrategy, choose_base_strategy};

/// The folders that programs keep their own in.
#[derive(Debug, Clone)]
pub(crate) struct AgentPlaces {
    pub(crate) home: PathBuf,
    /// Settings: `~/.config`, or the roaming folder of Windows.
    pub(crate) config: PathBuf,
    /// Settings of programs with windows: on macOS `~/Library/Application Support`.
    pub(crate) applications: PathBuf,
    /// Data: `~/.local/share`.
    pub(crate) data: PathBuf,
    claude: Option<PathBuf>,
    codex: Option<PathBuf>,
}

fn variable(name: &str) -> Option<PathBuf> {
    env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from)
}

impl AgentPlaces {
    /// The places of the user; `None` where there is no home directory.
    pub(crate) fn of_user() -> Option<Self> {
        let places = choose_base_strategy().ok()?;
        let home = places.home_dir().to_owned();
        let applications = match cfg!(target_os = "macos") {
            true => home.join("Library").join("Application Support"),
            false => places.config_dir(),
        };
        Some(Self {
            config: places.config_dir(),
            data: places.data_dir(),
            applications,
            claude: variable("CLAUDE_CONFIG_DIR"),
            codex: variable("CODEX_HOME"),
            home,
        })
    }

    /// Claude Code's folder.
    pub(crate) fn claude_code(&self) -> PathBuf {
        self.claude.clone().unwrap_or_else(|| self.home.join(".claude"))
    }

    /// Claude Code's file of servers: in its folder where that was chosen, else beside it.
    pub(crate) fn claude_code_servers(&self) -> PathBuf {
        self.claude.as_ref().unwrap_or(&self.home).join(".claude.json")
    }

    /// Codex's folder.
    pub(crate) fn codex(&self) -> PathBuf {
        self.codex.clone().unwrap_or_else(|| self.home.join(".codex"))
    }

    /// Where each agent keeps its logs.
    pub(crate) fn logs(&self) -> LogRoots {
        LogRoots {
            claude_code: vec![self.claude_code()],
            codex: vec![self.codex()],
            gemini_cli: vec![self.home.join(".gemini")],
            opencode: vec![self.data.join("opencode")],
            cursor: vec![self.applications.join("Cursor").join("User")],
        }
    }
}
