//! Whether the server that a client starts has a model to search by meaning with.

use std::path::Path;

use aforesaid::{
    EncoderSource, Memory, ModelPolicy, NoVectors, ResolveEncoder, Warning,
    project::Project,
    resolve::ModelResolver,
    types::{EncoderId, Namespace},
};
use aforesaid_mcp::clients::ServerCommand;
use clap::FromArgMatches;

use super::handed_on::value_of;
use crate::quoted::quoted;
use crate::{
    args::{self, Cli, Command},
    remedies,
    settings::Settings,
};

/// How the searches of a server go.
pub(super) enum Searches {
    /// By meaning, too.
    ByMeaning(String),
    /// By keywords, as was chosen.
    AsChosen,
    /// By keywords alone; why, and what helps.
    ByKeywords(String),
}

/// How the searches of a server go in the current folder; `None` where it is not told so that this version understands it.
pub(super) fn searches_of(server: &ServerCommand) -> Option<Searches> {
    let line = std::iter::once("aforesaid").chain(server.args.iter().map(String::as_str));
    let cli = Cli::from_arg_matches(&args::command().try_get_matches_from(line).ok()?).ok()?;
    let settings = matches!(cli.command, Command::Mcp(_)).then(|| Settings::resolve(&cli.global))?.ok()?;
    let resolver = ModelResolver::new(settings.models.clone());
    Some(match resolver.resolve(active(&settings).as_ref(), ModelPolicy::Find) {
        Ok(EncoderSource::Unavailable { reason: NoVectors::SwitchedOff }) => Searches::AsChosen,
        Ok(EncoderSource::Unavailable { reason: NoVectors::ModelUnavailable { model, .. } }) => {
            let cache = value_of(&server.args, "--model-cache");
            let cache = cache.map(|cache| format!(" --model-cache {}", quoted(cache))).unwrap_or_default();
            Searches::ByKeywords(format!(
                "model {model} is not on this machine, so that an agent's searches go by keywords alone; \
                 `aforesaid models pull {model}{cache}` fetches it, or give its directory with --model-dir and install the server \
                 again"
            ))
        }
        Ok(EncoderSource::Unavailable { reason }) => {
            let warning = Warning::LexicalOnly { reason };
            Searches::ByKeywords(format!("{warning}{}", remedies::of_warning(&warning)))
        }
        Ok(EncoderSource::Ready(encoder)) => Searches::ByMeaning(encoder.id().model().to_owned()),
        Ok(EncoderSource::Deferred { id, .. }) => Searches::ByMeaning(id.model().to_owned()),
        Err(error) => Searches::ByKeywords(error.message() + &remedies::of(&error)),
    })
}

/// What made the vectors of the namespace that is served, where there are some.
fn active(settings: &Settings) -> Option<EncoderId> {
    let of_folder = || -> Option<Namespace> { Some(Project::of(Path::new(".")).ok()?.namespace) };
    let namespace = settings.named_namespace.clone().or_else(of_folder)?;
    if !Memory::exists(&settings.store) {
        return None;
    }
    settings.open_plain().ok()?.active_encoder(&namespace).ok().flatten()
}
