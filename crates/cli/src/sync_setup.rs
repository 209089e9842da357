//! What a run of `sync` goes by: settings, rules, and the folder of cursors.

use aforesaid::{
    formats::agents::ToolTurns,
    models::files::read_regular,
    secrets::SecretCutter,
    sync::{Cursors, OlderTurns, ProjectRules, SyncError, SyncOptions},
    types::Timestamp,
};

use crate::{beside, failure::Failure, files::MOST_CONFIGURATION, settings::Settings};

/// The folder of cursors of the store.
pub(crate) fn cursors(settings: &Settings) -> Result<Cursors, Failure> {
    cursors_of(settings, &settings.store)
}

/// The folder of cursors of any store.
pub(crate) fn cursors_of(settings: &Settings, store: &str) -> Result<Cursors, Failure> {
    match beside::place(settings, store)? {
        Some(path) => Ok(Cursors::beside(&path)),
        None => Err(Failure::Usage(
            "--store memory: ends with the process, so that nothing can be kept up with; name a file".to_owned(),
        )),
    }
}

/// Which projects are read, by the configuration file and by options.
pub(crate) fn rules(settings: &Settings, allow: &[String], deny: &[String]) -> Result<ProjectRules, Failure> {
    let agents = &settings.agents;
    let allow = if allow.is_empty() { &agents.allow } else { allow };
    let deny = [&agents.deny[..], deny].concat();
    ProjectRules::new(allow, &deny).map_err(|error| Failure::Input(error.to_string()))
}

/// What the configuration file says of a run.
pub(crate) fn options(
    settings: &Settings,
    rules: ProjectRules,
    since: Option<Timestamp>,
) -> Result<SyncOptions, Failure> {
    let own = match &settings.agents.secret_rules {
        Some(path) => {
            let failed = Failure::io(format!("secret rules {}: could not be read", path.display()));
            let bytes = read_regular(path, MOST_CONFIGURATION).map_err(failed)?;
            let not_text =
                |_| Failure::Input(format!("secret rules {}: found bytes that are not UTF-8", path.display()));
            Some(String::from_utf8(bytes).map_err(not_text)?)
        }
        None => None,
    };
    let secrets = SecretCutter::new(own.as_deref()).map_err(|error| {
        let cause = std::error::Error::source(&error).map(|cause| format!(": {cause}")).unwrap_or_default();
        Failure::Input(format!("{error}{cause}"))
    })?;
    Ok(SyncOptions {
        tools: settings.agents.tools.unwrap_or(ToolTurns::Short),
        since,
        older: OlderTurns::Read,
        rules,
        secrets,
        namespace: settings.named_namespace.clone(),
        most_turns: settings.agents.max_turns,
    })
}

/// A failure of a run.
pub(crate) fn failure(error: SyncError) -> Failure {
    match error {
        SyncError::Memory(error) => error.into(),
        SyncError::Io { source, path } => {
            Failure::Io { action: format!("sync: {} could not be used; check its permissions", path.display()), source }
        }
        SyncError::Watch { ref source, .. } => Failure::Input(format!("{error}: {source}")),
        other => Failure::Input(other.to_string()),
    }
}
