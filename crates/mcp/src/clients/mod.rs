//! The programs that a server is installed for, and the change of their settings that installs it.

mod jsonc;
mod probe;
mod table;

use std::{
    fmt,
    path::{Path, PathBuf},
    str::FromStr,
};

use aforesaid::types::UnknownChoice;
use serde_json::{Value, json};

pub use probe::{ProbeError, Probed, probe};

/// The name of the server in a client's settings.
pub const SERVER: &str = "aforesaid";

/// Events that a hook is installed for.
pub const HOOK_EVENTS: [&str; 5] = ["SessionStart", "UserPromptSubmit", "PreCompact", "Stop", "SessionEnd"];

/// What a hook's command holds, whichever program it starts.
const HOOK_MARK: &str = "hook ";

/// A client of the protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Client {
    /// Claude Code.
    ClaudeCode,
    /// Claude Desktop.
    ClaudeDesktop,
    /// Codex.
    Codex,
    /// Cursor.
    Cursor,
    /// Visual Studio Code.
    VsCode,
    /// Gemini CLI.
    GeminiCli,
    /// Zed.
    Zed,
    /// OpenCode.
    OpenCode,
}

/// The folders that a client's settings are in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClientFolders {
    /// The home directory.
    pub home: PathBuf,
    /// Settings of programs, such as `~/.config`.
    pub config: PathBuf,
    /// Settings of programs with windows.
    pub applications: PathBuf,
    /// Claude Code's file of servers.
    pub claude_code_servers: PathBuf,
    /// Claude Code's folder.
    pub claude_code: PathBuf,
    /// Codex's folder.
    pub codex: PathBuf,
}

/// How a client starts the server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerCommand {
    /// The program.
    pub command: String,
    /// Its arguments.
    pub args: Vec<String>,
}

/// A file of settings that cannot be changed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EditError {
    /// It is no JSON.
    #[error("line {line}: expected {expected}; mend it there")]
    Broken {
        /// The line, from 1.
        line: usize,
        /// What should be there.
        expected: &'static str,
    },
    /// It is no TOML.
    #[error("{0}; mend it there")]
    Toml(String),
    /// A value is of another type.
    #[error("{name:?} is no object or list as this client has it; correct it")]
    NoObject {
        /// Its name.
        name: String,
    },
    /// The server is written there in a way that is not changed here.
    #[error("servers are written there in another form than a table for each; change it by hand")]
    OtherForm,
}

impl Client {
    /// Every client, in the order in which they are listed to people.
    pub const ALL: [Client; 8] = [
        Client::ClaudeCode,
        Client::ClaudeDesktop,
        Client::Codex,
        Client::Cursor,
        Client::VsCode,
        Client::GeminiCli,
        Client::Zed,
        Client::OpenCode,
    ];

    /// The word that names the client on a command line.
    pub fn name(self) -> &'static str {
        match self {
            Client::ClaudeCode => "claude-code",
            Client::ClaudeDesktop => "claude-desktop",
            Client::Codex => "codex",
            Client::Cursor => "cursor",
            Client::VsCode => "vscode",
            Client::GeminiCli => "gemini-cli",
            Client::Zed => "zed",
            Client::OpenCode => "opencode",
        }
    }

    /// Its file of settings.
    pub fn settings(self, folders: &ClientFolders) -> PathBuf {
        let ClientFolders { home, config, applications, .. } = folders;
        match self {
            Client::ClaudeCode => folders.claude_code_servers.clone(),
            Client::ClaudeDesktop => applications.join("Claude").join("claude_desktop_config.json"),
            Client::Codex => folders.codex.join("config.toml"),
            Client::Cursor => home.join(".cursor").join("mcp.json"),
            Client::VsCode => applications.join("Code").join("User").join("mcp.json"),
            Client::GeminiCli => home.join(".gemini").join("settings.json"),
            Client::Zed => config.join("zed").join("settings.json"),
            Client::OpenCode => {
                let folder = config.join("opencode");
                let commented = folder.join("opencode.jsonc");
                if commented.is_file() { commented } else { folder.join("opencode.json") }
            }
        }
    }

    /// Its file of hooks, where it has some that are known.
    pub fn hooks(self, folders: &ClientFolders) -> Option<PathBuf> {
        match self {
            Client::ClaudeCode => Some(folders.claude_code.join("settings.json")),
            Client::Codex => Some(folders.codex.join("hooks.json")),
            _ => None,
        }
    }

    /// What the server needs to be told so that it finds the project: these clients start it elsewhere, and replace this.
    pub fn project_argument(self) -> Option<&'static str> {
        matches!(self, Client::Cursor | Client::VsCode).then_some("${workspaceFolder}")
    }

    /// Whether it starts the server in no project, so that a namespace has to be named.
    pub fn is_without_project(self) -> bool {
        self == Client::ClaudeDesktop
    }

    /// Names on the way to the server in its file of settings.
    fn path(self) -> [&'static str; 2] {
        let servers = match self {
            Client::ClaudeCode | Client::ClaudeDesktop | Client::Cursor | Client::GeminiCli => "mcpServers",
            Client::Codex => "mcp_servers",
            Client::VsCode => "servers",
            Client::Zed => "context_servers",
            Client::OpenCode => "mcp",
        };
        [servers, SERVER]
    }

    fn entry(self, server: &ServerCommand) -> Value {
        let ServerCommand { command, args } = server;
        match self {
            Client::ClaudeCode | Client::VsCode => json!({"type": "stdio", "command": command, "args": args}),
            Client::OpenCode => {
                let all: Vec<&String> = std::iter::once(command).chain(args).collect();
                json!({"type": "local", "command": all, "enabled": true})
            }
            _ => json!({"command": command, "args": args}),
        }
    }

    /// The settings with the server in them.
    ///
    /// # Errors
    /// When the text is no such file.
    pub fn install(self, text: &str, server: &ServerCommand) -> Result<String, EditError> {
        match self {
            Client::Codex => table::set(text, server),
            _ => jsonc::set(text, &self.path(), &self.entry(server)),
        }
    }

    /// The settings without the server.
    ///
    /// # Errors
    /// When the text is no such file.
    pub fn uninstall(self, text: &str) -> Result<String, EditError> {
        match self {
            _ if text.trim().is_empty() => Ok(text.to_owned()),
            Client::Codex => table::remove(text),
            _ => jsonc::remove(text, &self.path()),
        }
    }

    /// The settings with the entry of the server as an earlier text of them has it; without it where that has none.
    ///
    /// # Errors
    /// When a text is no such file.
    pub fn restore(self, text: &str, earlier: &str) -> Result<String, EditError> {
        match self {
            _ if text.trim().is_empty() || earlier.trim().is_empty() => self.uninstall(text),
            Client::Codex => table::restore(text, earlier),
            _ => match jsonc::get(earlier, &self.path())? {
                Some(entry) => jsonc::replace(text, &self.path(), entry),
                None => self.uninstall(text),
            },
        }
    }

    /// Whether the settings have the server in the words of [`Client::install`], and so perhaps by it.
    pub fn is_by_install(self, text: &str) -> bool {
        let Ok(Some(server)) = self.installed(text) else { return false };
        let is_of_form =
            Path::new(&server.command).is_absolute() && server.args.first().is_some_and(|arg| arg == "mcp");
        is_of_form && self.install(text, &server).as_deref() == Ok(text)
    }

    /// How the settings have the server started, where they name it.
    ///
    /// # Errors
    /// When the text is no such file.
    pub fn installed(self, text: &str) -> Result<Option<ServerCommand>, EditError> {
        if text.trim().is_empty() {
            return Ok(None);
        }
        if self == Client::Codex {
            return table::get(text);
        }
        let Some(entry) = jsonc::get(text, &self.path())? else { return Ok(None) };
        let entry: Value = serde_json::from_str(&plain(entry)).map_err(|_| EditError::OtherForm)?;
        let texts = |value: &Value| -> Vec<String> {
            value.as_array().into_iter().flatten().filter_map(|arg| arg.as_str().map(str::to_owned)).collect()
        };
        match entry.get("command") {
            Some(Value::String(command)) => Ok(Some(ServerCommand {
                command: command.clone(),
                args: entry.get("args").map(texts).unwrap_or_default(),
            })),
            Some(all @ Value::Array(_)) => {
                let mut all = texts(all).into_iter();
                Ok(all.next().map(|command| ServerCommand { command, args: all.collect() }))
            }
            _ => Err(EditError::OtherForm),
        }
    }

    /// The file of hooks with those of this program, by the command that starts it; `options` end that command.
    ///
    /// # Errors
    /// When the text is no such file.
    pub fn install_hooks(self, text: &str, program: &str, options: &str) -> Result<String, EditError> {
        let mut text = self.uninstall_hooks(text, program)?;
        for event in HOOK_EVENTS {
            let command = format!("{program} {HOOK_MARK}{event} {options}");
            let command = command.trim_end();
            let hook = json!({"hooks": [{"type": "command", "command": command, "timeout": 10}]});
            text = jsonc::push(&text, &["hooks", event], &hook)?;
        }
        Ok(text)
    }

    /// The file of hooks without those of this program.
    ///
    /// # Errors
    /// When the text is no such file.
    pub fn uninstall_hooks(self, text: &str, program: &str) -> Result<String, EditError> {
        if text.trim().is_empty() {
            return Ok(text.to_owned());
        }
        let mut text = text.to_owned();
        for event in HOOK_EVENTS {
            for says in hook_marks(program, event) {
                text = jsonc::remove_elements(&text, &["hooks", event], &says)?;
            }
            let left = jsonc::get(&text, &["hooks", event])?.map(|array| array.replace(char::is_whitespace, ""));
            if left.as_deref() == Some("[]") {
                text = jsonc::remove(&text, &["hooks", event])?;
            }
        }
        Ok(text)
    }

    /// The file of hooks with those of this program as an earlier text of it has them; without them where that has none.
    ///
    /// # Errors
    /// When a text is no such file.
    pub fn restore_hooks(self, text: &str, program: &str, earlier: &str) -> Result<String, EditError> {
        let mut restored = self.uninstall_hooks(text, program)?;
        if earlier.trim().is_empty() || restored == text {
            return Ok(restored);
        }
        for event in HOOK_EVENTS {
            for says in hook_marks(program, event) {
                for hook in jsonc::elements(earlier, &["hooks", event], &says)? {
                    let hook: Value = serde_json::from_str(&plain(hook)).map_err(|_| EditError::OtherForm)?;
                    restored = jsonc::push(&restored, &["hooks", event], &hook)?;
                }
            }
        }
        Ok(restored)
    }
}

/// How the hooks of a program for an event are told from others: without options, and with some.
fn hook_marks(program: &str, event: &str) -> [String; 2] {
    let written = Value::from(format!("{program} {HOOK_MARK}{event}")).to_string();
    let with_options = format!("{} ", written.trim_end_matches('"'));
    [written, with_options]
}

/// JSON without comments and without commas at the end.
fn plain(text: &str) -> String {
    let (mut plain, mut chars, mut is_quoted) = (String::new(), text.chars().peekable(), false);
    while let Some(c) = chars.next() {
        match c {
            '"' => {
                is_quoted = !is_quoted;
                plain.push(c);
            }
            '\\' if is_quoted => {
                plain.push(c);
                plain.extend(chars.next());
            }
            '/' if !is_quoted && chars.peek() == Some(&'/') => while chars.next_if(|c| *c != '\n').is_some() {},
            '/' if !is_quoted && chars.peek() == Some(&'*') => {
                let mut before = ' ';
                for c in chars.by_ref() {
                    if before == '*' && c == '/' {
                        break;
                    }
                    before = c;
                }
            }
            '}' | ']' if !is_quoted => {
                let end = plain.trim_end().trim_end_matches(',').len();
                plain.truncate(end);
                plain.push(c);
            }
            c => plain.push(c),
        }
    }
    plain
}

impl fmt::Display for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Client {
    type Err = UnknownChoice;

    fn from_str(word: &str) -> Result<Self, UnknownChoice> {
        Client::ALL.into_iter().find(|client| client.name() == word).ok_or_else(|| UnknownChoice {
            what: "client",
            found: word.into(),
            expected: "claude-code, claude-desktop, codex, cursor, vscode, gemini-cli, zed or opencode",
        })
    }
}

/// Where the settings of a client are kept as they were before the first change.
pub fn backup_of(path: &Path) -> PathBuf {
    beside(path, ".aforesaid-backup")
}

/// The empty file that says that there were no settings before the first change.
pub fn absence_of(path: &Path) -> PathBuf {
    beside(path, ".aforesaid-none")
}

fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(ending);
    path.with_file_name(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn server() -> ServerCommand {
        ServerCommand { command: "/opt/aforesaid".to_owned(), args: vec!["mcp".to_owned()] }
    }

    #[test]
    fn every_client_takes_the_server_and_gives_it_back() {
        let commented = "// mine\n{\n  \"a\": 1, // one\n}\n";
        for client in Client::ALL {
            let texts: &[&str] = match client {
                Client::Codex => &["", "model = \"x\" # mine\n", "[mcp_servers.other]\ncommand = \"o\"\n"],
                _ => &["", "{}", "{\"mcpServers\": {\"o\": {}}}", commented],
            };
            for text in texts {
                let installed = client.install(text, &server()).unwrap();
                assert_eq!(client.installed(&installed).unwrap(), Some(server()), "{client}: {installed}");
                assert_eq!(client.install(&installed, &server()).unwrap(), installed, "{client}: once more");
                let removed = client.uninstall(&installed).unwrap();
                assert_eq!(client.installed(&removed).unwrap(), None, "{client}: {removed}");
                for part in ["// mine", "// one", "\"o\"", "# mine", "[mcp_servers.other]"] {
                    assert!(!text.contains(part) || removed.contains(part), "{client}: {removed}");
                }
            }
            assert_eq!(client.name().parse::<Client>().unwrap(), client);
        }
    }

    /// An entry of that name that somebody had was lost when the server was taken out again.
    #[test]
    fn an_entry_of_ones_own_is_put_back_as_it_was() {
        for client in Client::ALL {
            let [servers, _] = client.path();
            let (own, more) = match client {
                Client::Codex => (
                    "[mcp_servers.aforesaid]\ncommand = 'mine' # of old\nenv = { A = \"b\" }\n".to_owned(),
                    "\n[more]\n",
                ),
                _ => (
                    format!("{{\"{servers}\": {{\"aforesaid\": {{\"url\":\"http://localhost\" /* of old */}}}}\n}}"),
                    "\n// more",
                ),
            };
            let installed = client.install(&own, &server()).unwrap();
            assert!(client.is_by_install(&installed) && !client.is_by_install(&own), "{client}: {installed}");
            assert_eq!(client.restore(&installed, &own).unwrap(), own, "{client}");
            let restored = client.restore(&(installed.clone() + more), &own).unwrap();
            assert!(restored.contains("of old") && restored.contains(more.trim()), "{client}: {restored}");
            assert!(!restored.contains("/opt/aforesaid"), "{client}: {restored}");
            for none in ["", "{}"] {
                let removed = client.restore(&installed, if client == Client::Codex { "" } else { none }).unwrap();
                assert_eq!(removed, client.uninstall(&installed).unwrap(), "{client}");
            }
        }
    }

    #[test]
    fn hooks_of_ones_own_are_put_back() {
        let own = "{\"hooks\": {\"Stop\": [{\"hooks\": [{\"type\": \"command\", \"command\": \"/opt/aforesaid hook Stop --offline\"}]}]}}";
        let installed = Client::Codex.install_hooks(own, "/opt/aforesaid", "").unwrap();
        assert!(!installed.contains("--offline"), "{installed}");
        let restored = Client::Codex.restore_hooks(&installed, "/opt/aforesaid", own).unwrap();
        assert_eq!(serde_json::from_str::<Value>(&restored).unwrap(), serde_json::from_str::<Value>(own).unwrap());
    }

    #[test]
    fn hooks_are_added_beside_others_and_taken_back() {
        let mine = "{\n  \"hooks\": {\n    \"Stop\": [\n      {\"hooks\": [{\"type\": \"command\", \"command\": \"mine\"}]}\n    ]\n  }\n}\n";
        let install = |text: &str, options| Client::ClaudeCode.install_hooks(text, "/opt/aforesaid", options).unwrap();
        let elsewhere = install(mine, "--store '/a b/m.db'");
        assert!(elsewhere.contains("\"/opt/aforesaid hook Stop --store '/a b/m.db'\""), "{elsewhere}");
        let installed = install(&elsewhere, "");
        assert_eq!(install(&installed, ""), installed);
        let value: Value = serde_json::from_str(&installed).unwrap();
        assert_eq!(value["hooks"]["Stop"].as_array().unwrap().len(), 2);
        assert_eq!(value["hooks"]["SessionStart"][0]["hooks"][0]["command"], "/opt/aforesaid hook SessionStart");
        let removed = Client::ClaudeCode.uninstall_hooks(&installed, "/opt/aforesaid").unwrap();
        assert_eq!(serde_json::from_str::<Value>(&removed).unwrap(), serde_json::from_str::<Value>(mine).unwrap());
    }
}
