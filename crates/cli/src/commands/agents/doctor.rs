//! `aforesaid agents doctor`

use std::{env, path::Path, time::Duration};

use aforesaid::{Memory, sync::discover};
use aforesaid_mcp::clients::{Client, Probed, ServerCommand, probe};
use clap::Args;
use serde_json::json;

use super::{
    clients, command_line, files, folders,
    handed_on::{DECIDING, value_of},
    program, state,
    usable_model::{Searches, searches_of},
};
use crate::{
    agent_places::AgentPlaces,
    commands::print_json,
    failure::Failure,
    render::{path, printable, say},
    settings::{Output, Settings},
};

/// How long an answer of the server is waited for.
const PATIENCE: Duration = Duration::from_secs(20);
/// Tools of the server.
const TOOLS: usize = 5;

#[derive(Debug, Args)]
pub(super) struct Doctor {
    /// The client: claude-code, claude-desktop, codex, cursor, vscode, gemini-cli, zed or opencode [default: each that has the server].
    #[arg(value_name = "NAME")]
    client: Option<Client>,
}

/// What was found of a client.
struct Findings {
    client: Client,
    fine: Vec<String>,
    wrong: Vec<String>,
}

impl Doctor {
    pub(super) fn run(&self, settings: &Settings) -> Result<(), Failure> {
        let folders = folders()?;
        let is_there = |client: &Client| state(*client, &client.settings(&folders)).1.is_some();
        let examined: Vec<Client> = match self.client {
            Some(client) => vec![client],
            None => Client::ALL.into_iter().filter(is_there).collect(),
        };
        if examined.is_empty() {
            let next = "`aforesaid agents install NAME` adds it";
            return Err(Failure::Input(format!("no client has the server; {next}, with {} for NAME", clients())));
        }
        let mut all = Vec::new();
        for client in examined {
            let mut findings = Findings { client, fine: Vec::new(), wrong: Vec::new() };
            findings.examine(settings)?;
            all.push(findings);
        }
        let wrong: usize = all.iter().map(|findings| findings.wrong.len()).sum();
        match settings.output {
            Output::Programs => {
                let clients: Vec<_> = all
                    .iter()
                    .map(|findings| json!({"client": findings.client.name(), "fine": findings.fine, "wrong": findings.wrong}))
                    .collect();
                print_json(&json!({"clients": clients}))?;
            }
            Output::People => {
                for Findings { client, fine, wrong } in &all {
                    say!("{client}")?;
                    fine.iter().try_for_each(|line| say!("  ok     {}", printable(line)))?;
                    wrong.iter().try_for_each(|line| say!("  WRONG  {}", printable(line)))?;
                }
            }
        }
        match wrong {
            0 => Ok(()),
            1 => Err(Failure::Input("1 thing is wrong; the line above says what to do".to_owned())),
            number => Err(Failure::Input(format!("{number} things are wrong; the lines above say what to do"))),
        }
    }
}

/// What hooks are told otherwise than the server: one of them names another than the other, or only one names any.
fn told_otherwise(hooks: &str, server: &ServerCommand) -> Option<&'static str> {
    let differs = |option: &str| match value_of(&server.args, option) {
        Some(value) => !hooks.contains(json!(value).to_string().trim_matches('"')),
        None => hooks.contains(&format!(" {option} ")),
    };
    DECIDING.into_iter().find(|(option, _)| differs(option)).map(|(_, what)| what)
}

impl Findings {
    fn examine(&mut self, settings: &Settings) -> Result<(), Failure> {
        let (folders, client) = (folders()?, self.client);
        let file = client.settings(&folders);
        let (state, server, error) = state(client, &file);
        let Some(server) = server else {
            let error = error.map(|error| format!(": {error}")).unwrap_or_default();
            self.wrong
                .push(format!("{}: {state}{error}; `aforesaid agents install {client}` adds the server", path(&file)));
            return Ok(());
        };
        self.fine.push(format!("{} names the server: {}", path(&file), command_line(&server)));
        if Path::new(&server.command).is_absolute() && server.command != program()? {
            self.wrong.push(format!(
                "it starts {}, and this program is {}; install it again",
                server.command,
                program()?
            ));
        }
        let folder = env::current_dir().map_err(Failure::io("the current folder could not be found"))?;
        match probe(&server, &folder, PATIENCE) {
            Ok(probed) => {
                self.judge(&probed);
                match searches_of(&server) {
                    Some(Searches::ByMeaning(model)) => self.fine.push(format!("model {model} is there")),
                    Some(Searches::AsChosen) => {
                        self.fine.push("searches go by keywords: no model is to be used (--model none)".to_owned());
                    }
                    Some(Searches::ByKeywords(why)) => self.wrong.push(why),
                    None => {}
                }
            }
            Err(error) => {
                let cause = std::error::Error::source(&error).map(|cause| format!(": {cause}")).unwrap_or_default();
                self.wrong.push(format!("{error}{cause}"));
            }
        }
        if let Some(hooks) = client.hooks(&folders) {
            let text = files::read(&hooks)?.filter(|text| text.contains("hook UserPromptSubmit"));
            let path = path(&hooks);
            match text {
                Some(text) => match told_otherwise(&text, &server) {
                    None => self.fine.push(format!("{path} has the hooks")),
                    Some(what) => self.wrong.push(format!(
                        "{path} has hooks that use another {what} than the server; `aforesaid agents install {client} \
                         --hooks`, with the same options for both, tells them alike"
                    )),
                },
                None => self
                    .fine
                    .push(format!("{path} has no hooks; `aforesaid agents install {client} --hooks` adds them")),
            }
        }
        let logs = AgentPlaces::of_user().map_or(0, |places| {
            let agent = client.name().parse();
            agent.map_or(0, |agent| discover(&places.logs(), &[agent]).0.len())
        });
        match (logs, Memory::exists(&settings.store)) {
            (0, _) => {}
            (logs, false) => self.fine.push(format!("{logs} logs to read: `aforesaid sync` reads them")),
            (logs, true) => self.fine.push(format!("{logs} logs; `aforesaid sync` keeps up with them")),
        }
        Ok(())
    }

    fn judge(&mut self, probed: &Probed) {
        let Probed { server, tools, aside, millis } = probed;
        self.fine.push(format!("{server} answers in {millis} ms with {} tools", tools.len()));
        if tools.len() != TOOLS {
            self.wrong.push(format!("expected {TOOLS} tools, found: {}", tools.join(", ")));
        }
        if let Some(line) = aside.lines().find(|line| line.starts_with("serving namespace")) {
            self.fine.push(line.to_owned());
        }
    }
}
