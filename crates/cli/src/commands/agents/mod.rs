//! `aforesaid agents`

mod doctor;
mod edits;
mod files;
mod handed_on;
mod usable_model;

use std::{env, path::Path};

use aforesaid::{
    project::{NamedBy, Project},
    without_password,
};
use aforesaid_mcp::clients::{Client, ClientFolders, ServerCommand};
use clap::{Args, Subcommand};
use serde_json::json;

use super::{confirm::confirm_all, print_json};
use crate::{
    agent_places::AgentPlaces,
    failure::Failure,
    global::Global,
    quoted::quoted,
    render::{aside, path, printable, say},
    settings::{Output, Settings},
    unused::{LEARNED, PIPELINE, Unused, no_search, unused},
};
use edits::{HookEdit, ServerEdit};
use files::Change;
use handed_on::handed_on;

#[derive(Debug, Args)]
pub(crate) struct Agents {
    #[command(subcommand)]
    command: AgentsCommand,
}

#[derive(Debug, Subcommand)]
enum AgentsCommand {
    /// Add the server to a client's settings.
    Install(Install),
    /// Take the server out of a client's settings.
    Uninstall(Uninstall),
    /// Say which clients have the server, and which project the current folder is.
    Status,
    /// Start the server as a client would, speak to it, and say what is wrong.
    Doctor(doctor::Doctor),
}

const CLIENTS: &str = "claude-code, claude-desktop, codex, cursor, vscode, gemini-cli, zed or opencode";

#[derive(Debug, Args)]
#[command(
    after_help = "The change is shown first. The file as it was is kept beside it, with .aforesaid-backup after its name. The \
    server and the hooks are told of --store, --config, --model, --model-dir, --model-cache, --encoder-* and --offline, and of \
    the variables that stand for them; keys are never written."
)]
struct Install {
    /// The client: claude-code, claude-desktop, codex, cursor, vscode, gemini-cli, zed or opencode.
    #[arg(value_name = "NAME")]
    client: Client,
    /// Also have the client run `aforesaid hook`, which keeps up with its logs and hands over what fits (claude-code, codex).
    #[arg(long)]
    hooks: bool,
    /// Do not ask.
    #[arg(long, short)]
    yes: bool,
}

#[derive(Debug, Args)]
struct Uninstall {
    /// The client: claude-code, claude-desktop, codex, cursor, vscode, gemini-cli, zed or opencode.
    #[arg(value_name = "NAME")]
    client: Client,
    /// Do not ask.
    #[arg(long, short)]
    yes: bool,
}

impl Agents {
    pub(crate) fn unused(&self) -> Vec<Unused> {
        match &self.command {
            // It hands on which encoder makes vectors.
            AgentsCommand::Install(_) => vec![
                unused(&["precision"], "the server computes in that of the vectors, or in the best"),
                unused(PIPELINE, "this command ranks nothing"),
                unused(LEARNED, "this command ranks nothing"),
            ],
            _ => no_search(),
        }
    }

    pub(crate) fn run(&self, settings: &Settings, global: &Global) -> Result<(), Failure> {
        match &self.command {
            AgentsCommand::Install(command) => command.run(settings, global),
            AgentsCommand::Uninstall(command) => command.run(settings),
            AgentsCommand::Status => status(settings),
            AgentsCommand::Doctor(command) => command.run(settings),
        }
    }
}

/// The folders that clients keep their settings in.
fn folders() -> Result<ClientFolders, Failure> {
    let no_home = || Failure::Usage("no home directory: nothing says where clients keep their settings".to_owned());
    let places = AgentPlaces::of_user().ok_or_else(no_home)?;
    Ok(ClientFolders {
        claude_code_servers: places.claude_code_servers(),
        claude_code: places.claude_code(),
        codex: places.codex(),
        home: places.home,
        config: places.config,
        applications: places.applications,
    })
}

/// The path of this program, which a client may not find by its name.
fn program() -> Result<String, Failure> {
    let path = env::current_exe().map_err(Failure::io("the path of this program could not be found"))?;
    path.into_os_string()
        .into_string()
        .map_err(|_| Failure::Usage("the path of this program is not UTF-8; move it".to_owned()))
}

/// How a client is to start the server.
fn server(client: Client, settings: &Settings, global: &Global) -> Result<ServerCommand, Failure> {
    let mut args = vec!["mcp".to_owned()];
    if let Some(namespace) = &settings.named_namespace {
        args.extend(["--namespace".to_owned(), namespace.to_string()]);
    } else if client.is_without_project() {
        args.extend(["--namespace".to_owned(), settings.namespace.to_string()]);
    } else if let Some(project) = client.project_argument() {
        args.extend(["--project".to_owned(), project.to_owned()]);
    }
    args.extend(handed_on(global)?);
    Ok(ServerCommand { command: program()?, args })
}

impl Install {
    fn run(&self, settings: &Settings, global: &Global) -> Result<(), Failure> {
        let (folders, client) = (folders()?, self.client);
        let server = server(client, settings, global)?;
        let program = quoted(&server.command);
        let mut changes = vec![Change::install(&client.settings(&folders), &ServerEdit { client, server })?];
        match client.hooks(&folders) {
            Some(file) if self.hooks => {
                let options = handed_on(global)?.iter().map(|arg| quoted(arg)).collect::<Vec<_>>().join(" ");
                changes.push(Change::install(&file, &HookEdit { client, program, options })?);
            }
            None if self.hooks => {
                return Err(Failure::Usage(format!(
                    "--hooks: {client} has no hooks that are known; leave --hooks out"
                )));
            }
            _ => {}
        }
        apply(changes, self.yes, settings, &format!("restart {client}, then `aforesaid agents doctor {client}`"))
    }
}

impl Uninstall {
    fn run(&self, settings: &Settings) -> Result<(), Failure> {
        let (folders, client) = (folders()?, self.client);
        let program = program()?;
        // Any will do: what it is told goes with it.
        let server = ServerCommand { command: program.clone(), args: vec!["mcp".to_owned()] };
        let file = client.settings(&folders);
        let mut changes = Vec::new();
        match foreign(client, &file, &program)? {
            Some(command) => aside(format_args!(
                "{}: the server named aforesaid there starts {}, not this program; it stays",
                path(&file),
                printable(&command)
            )),
            None => changes.push(Change::uninstall(&file, &ServerEdit { client, server })?),
        }
        if let Some(file) = client.hooks(&folders) {
            let edit = HookEdit { client, program: quoted(&program), options: String::new() };
            changes.push(Change::uninstall(&file, &edit)?);
        }
        apply(changes, self.yes, settings, &format!("restart {client}"))
    }
}

/// What a client's settings start under the name of this program's server, where that is another program.
fn foreign(client: Client, settings: &Path, program: &str) -> Result<Option<String>, Failure> {
    let text = files::read(settings)?.unwrap_or_default();
    // What cannot be read is told where it would be changed.
    let Ok(Some(server)) = client.installed(&text) else { return Ok(None) };
    let name = |command: &str| Path::new(command).file_stem().map(|stem| stem.to_string_lossy().to_lowercase());
    let own = [name(program), Some("aforesaid".to_owned())];
    Ok(Some(server.command).filter(|command| !own.contains(&name(command))))
}

/// Shows changes, asks, and makes them.
fn apply(changes: Vec<Change>, yes: bool, settings: &Settings, next: &str) -> Result<(), Failure> {
    let changes: Vec<Change> = changes.into_iter().filter(Change::is_one).collect();
    if settings.output == Output::Programs && !yes && !changes.is_empty() {
        return Err(Failure::Usage("--json changes nothing without --yes; add it".to_owned()));
    }
    if settings.output == Output::People {
        for change in &changes {
            change.show()?;
        }
        if changes.is_empty() {
            return say!("nothing to change");
        }
        if !yes && !confirm_all("change", &format!("{} as shown", names(&changes)))? {
            aside(format_args!("nothing was changed"));
            return Ok(());
        }
    }
    for change in &changes {
        change.make()?;
    }
    match settings.output {
        Output::Programs => {
            let files: Vec<_> = changes.iter().map(|change| json!(change.path())).collect();
            print_json(&json!({"changed": files}))
        }
        Output::People => {
            changes.iter().filter_map(Change::remark).try_for_each(|remark| say!("{remark}"))?;
            say!("changed {}; {next}", names(&changes))
        }
    }
}

fn names(changes: &[Change]) -> String {
    changes.iter().map(|change| path(change.path())).collect::<Vec<_>>().join(" and ")
}

/// What the settings of a client say of the server.
fn state(client: Client, file: &Path) -> (&'static str, Option<ServerCommand>, Option<String>) {
    match files::read(file) {
        Err(error) => ("unreadable", None, Some(error.message())),
        Ok(None) => ("no settings", None, None),
        Ok(Some(text)) => match client.installed(&text) {
            Ok(Some(server)) => ("installed", Some(server), None),
            Ok(None) => ("not installed", None, None),
            Err(error) => ("unreadable", None, Some(error.to_string())),
        },
    }
}

fn status(settings: &Settings) -> Result<(), Failure> {
    let folders = folders()?;
    let project = Project::of(Path::new(".")).ok();
    let folder = project.as_ref().map(|project| project.folder.clone());
    let (namespace, named_by) = match (&settings.named_namespace, &project) {
        (Some(namespace), _) => (Some(namespace.clone()), "as configured"),
        (None, Some(project)) => (
            Some(project.namespace.clone()),
            match project.named_by {
                NamedBy::Remote => "by the remote of its repository",
                NamedBy::Folder => "by its folder",
            },
        ),
        (None, None) => (None, "this folder cannot be read"),
    };
    if settings.output == Output::Programs {
        let clients: Vec<_> = Client::ALL
            .into_iter()
            .map(|client| {
                let file = client.settings(&folders);
                let (state, server, error) = state(client, &file);
                let command: Option<Vec<String>> = server.map(|server| {
                    let args = server.args.iter().map(|arg| without_password(arg));
                    std::iter::once(server.command.clone()).chain(args).collect()
                });
                json!({"client": client.name(), "file": file, "state": state, "command": command, "error": error})
            })
            .collect();
        return print_json(
            &json!({"namespace": namespace, "named_by": named_by, "project": folder, "store": without_password(&settings.store), "clients": clients}),
        );
    }
    let shown = namespace.map_or_else(|| "none".to_owned(), |namespace| printable(namespace.as_str()));
    say!("namespace of this folder: {shown} ({named_by})")?;
    if let Some(folder) = folder {
        say!("project: {}", path(&folder))?;
    }
    say!("store: {}", printable(&without_password(&settings.store)))?;
    for client in Client::ALL {
        let file = client.settings(&folders);
        let (state, server, error) = state(client, &file);
        let command = server.map(|server| format!(": {}", command_line(&server))).unwrap_or_default();
        let error = error.map(|error| format!(": {error}")).unwrap_or_default();
        say!("  {:<15} {state}{}  ({})", client.name(), printable(&format!("{command}{error}")), path(&file))?;
    }
    Ok(())
}

/// The command of a server, without passwords.
fn command_line(server: &ServerCommand) -> String {
    let args = server.args.iter().map(|arg| without_password(arg));
    std::iter::once(server.command.clone()).chain(args).collect::<Vec<_>>().join(" ")
}

/// Names of all clients, for messages.
fn clients() -> &'static str {
    CLIENTS
}
