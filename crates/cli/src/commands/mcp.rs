//! `aforesaid mcp`

use std::{
    env,
    net::{IpAddr, Ipv4Addr, SocketAddr},
    num::NonZeroUsize,
    path::{Path, PathBuf},
    sync::{Arc, OnceLock},
    thread,
};

use aforesaid::{
    ModelPolicy,
    project::{NamedBy, Project, ProjectError},
    types::Namespace,
};
use aforesaid_mcp::{HttpSettings, PATH, Rerank, ServeError, Toolbox, serve_http, serve_stdio};
use clap::{Args, ValueHint};

use crate::{
    failure::Failure,
    render::{aside, printable},
    rerank::Choice,
    settings::Settings,
    unused::{Unused, unused},
    values::at_least_one,
};

/// Where HTTP is served, if no address is named.
const ADDRESS: &str = "127.0.0.1:8417";

/// Holds the key that HTTP clients send.
const KEY: &str = "AFORESAID_MCP_KEY";

#[derive(Debug, Args)]
#[command(
    after_help = "Without --namespace, the memories are those of the project that the folder belongs to: the remote \
    of its Git repository, or else its path."
)]
pub(crate) struct Mcp {
    /// The folder whose project is served [default: the current folder].
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    project: Option<PathBuf>,
    /// Rerank the best hits of searches: by the evidence reranker that is part of the program (evidence), by one in the file
    /// of `train evidence` (.safetensors), or by another cross-encoder, given as a directory or a registered name. none is
    /// none, whatever is configured [default: evidence with the default pipeline, where its model is on this machine].
    #[arg(long, value_name = "evidence|MODEL|FILE|none", env = "AFORESAID_RERANK")]
    rerank: Option<Choice>,
    /// Turns that the reranker scores, at most [default: 20 for the evidence reranker that is part of the program, 10 for
    /// another].
    #[arg(long, value_name = "N", env = "AFORESAID_RERANK_DEPTH", value_parser = at_least_one)]
    rerank_depth: Option<NonZeroUsize>,
    /// Serve over HTTP instead of standard input and output, at this port or address [default: 127.0.0.1:8417].
    /// Clients send the key in AFORESAID_MCP_KEY, where it is set.
    #[arg(long, value_name = "ADDRESS", num_args = 0..=1, default_missing_value = ADDRESS, value_parser = address)]
    http: Option<SocketAddr>,
    /// A host, or host:port, that HTTP clients may call this server by, besides localhost; may be repeated.
    #[arg(long, value_name = "HOST", requires = "http")]
    allow_host: Vec<String>,
    /// An origin of web pages whose requests are answered, as https://host:port; may be repeated.
    #[arg(long, value_name = "ORIGIN", requires = "http")]
    allow_origin: Vec<String>,
}

/// An address, or a port of this machine alone.
fn address(text: &str) -> Result<SocketAddr, String> {
    let of_port = |port| SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), port);
    let expected = || "expected a port such as 8417, or an address such as 127.0.0.1:8417".to_owned();
    text.parse().map(of_port).or_else(|_| text.parse()).map_err(|_| expected())
}

impl Mcp {
    pub(crate) fn unused(&self) -> Vec<Unused> {
        vec![unused(&["now"], "each call is made at its own moment")]
    }

    pub(crate) fn run(&self, settings: &Settings) -> Result<(), Failure> {
        let (namespace, origin) = self.namespace(settings)?;
        let rerank = self.rerank(settings)?;
        let (memory, encoders) = settings.open_serving()?;
        let active = memory.active_encoder(&namespace)?;
        // A client waits less long than a model may take to come. Until it is there, searches are lexical and say so.
        thread::spawn(move || encoders.get(active.as_ref(), ModelPolicy::Fetch).map(drop));
        let (shown, store) = (printable(namespace.as_str()), printable(&memory.location()));
        aside(format_args!("serving namespace {shown} ({origin}) of store {store}"));
        let toolbox = Toolbox {
            memory,
            namespace,
            pipeline: settings.pipeline.clone(),
            rerank,
            min_confidence: settings.min_confidence.unwrap_or(0.0),
            zone: settings.clock.zone.clone(),
        };
        let served = match self.http {
            None => serve_stdio(toolbox),
            Some(address) => {
                let settings = HttpSettings {
                    address,
                    hosts: self.allow_host.clone(),
                    origins: self.allow_origin.clone(),
                    key: key()?,
                };
                serve_http(toolbox, &settings, |address| aside(format_args!("listening at http://{address}{PATH}")))
            }
        };
        served.map_err(of_serving)
    }

    /// The reranker that is asked for or configured; it is loaded while the server already serves.
    fn rerank(&self, settings: &Settings) -> Result<Option<Rerank>, Failure> {
        let named = self.rerank.clone().or_else(|| settings.rerank.clone());
        let default = named.is_none().then(|| settings.default_reranker()).flatten();
        let Some(choice) = named.filter(|choice| *choice != Choice::Nothing) else {
            return match (default, self.rerank_depth) {
                (Some(default), depth) => Ok(Some(Rerank { reranker: Arc::new(OnceLock::from(default)), depth })),
                (None, None) => Ok(None),
                (None, Some(_)) => Err(Failure::Usage("--rerank-depth: nothing is reranked; add --rerank".to_owned())),
            };
        };
        if choice == Choice::Llm {
            return Err(Failure::Usage(
                "rerank llm: the server reranks by a model of this machine; name one with --rerank, such as evidence, or none"
                    .to_owned(),
            ));
        }
        choice.check_name()?;
        let rerank = Rerank { reranker: Arc::default(), depth: self.rerank_depth.or(settings.rerank_depth) };
        let (place, settings) = (Arc::clone(&rerank.reranker), settings.clone());
        thread::spawn(move || place.set(choice.load_or_say_why(&settings)));
        Ok(Some(rerank))
    }

    /// The namespace that is served, and where its name comes from.
    fn namespace(&self, settings: &Settings) -> Result<(Namespace, &'static str), Failure> {
        match (&settings.named_namespace, &self.project) {
            (Some(_), Some(_)) => Err(Failure::Usage(
                "--project: the namespace is named already, by --namespace, AFORESAID_NAMESPACE or the configuration file; leave one \
                 of them out"
                    .to_owned(),
            )),
            (Some(namespace), None) => Ok((namespace.clone(), "as configured")),
            (None, folder) => {
                let project = Project::of(folder.as_deref().unwrap_or(Path::new("."))).map_err(of_project)?;
                let origin = match project.named_by {
                    NamedBy::Remote => "by the remote of its repository",
                    NamedBy::Folder => "by its folder",
                };
                Ok((project.namespace, origin))
            }
        }
    }
}

/// The key that clients have to send; one that is blank is none.
fn key() -> Result<Option<String>, Failure> {
    let Some(key) = env::var_os(KEY) else { return Ok(None) };
    let key = key.into_string().ok().filter(|key| key.chars().all(|c| c.is_ascii_graphic()));
    let refused = || Failure::Usage(format!("{KEY}: expected visible ASCII characters without spaces"));
    key.map(Some).ok_or_else(refused).map(|key| key.filter(|key| !key.is_empty()))
}

fn of_project(error: ProjectError) -> Failure {
    let remedy = if matches!(error, ProjectError::Name(_)) { "; name one" } else { "" };
    let message = format!("{error}{remedy} with --namespace");
    match error {
        ProjectError::Unreadable { source, .. } => Failure::Io { action: message, source },
        _ => Failure::Input(message),
    }
}

fn of_serving(error: ServeError) -> Failure {
    match error {
        ServeError::Exposed { .. } => Failure::Usage(format!("{error}: {KEY}, and --allow-host")),
        ServeError::Start(source) => Failure::Io { action: "the server could not be started".to_owned(), source },
        ServeError::Listen { address, source } => {
            let action = format!("address {address}: could not be listened on; name another with --http");
            Failure::Io { action, source }
        }
        error => Failure::Input(error.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::address;

    #[test]
    fn a_port_is_one_of_this_machine_alone() {
        assert_eq!(address("80").unwrap().to_string(), "127.0.0.1:80");
        assert_eq!(address("0.0.0.0:80").unwrap().to_string(), "0.0.0.0:80");
        assert_eq!(address("[::1]:80").unwrap().to_string(), "[::1]:80");
        for wrong in ["", "localhost", "65536", "127.0.0.1", "-1"] {
            assert!(address(wrong).unwrap_err().contains("127.0.0.1:8417"), "{wrong}");
        }
    }
}
