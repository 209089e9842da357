//! A pipeline with what was learned for it: a query adapter and a ranker.

use aforesaid::pipeline::candidate::CandidateStage;
use aforesaid_eval::experiments::System;

use crate::{failure::Failure, settings::Settings};

/// The system with the query adapter and the ranker that the settings name, which its name then tells.
///
/// # Errors
/// When it has numbers to choose, since what was learned goes with one pipeline; and as of [`usable_ranker`].
pub(super) fn learned_with(system: System, settings: &Settings) -> Result<System, Failure> {
    if system.chooses() {
        refuse_learned(&format!("system {} has numbers to choose", system.name), settings)?;
    }
    usable_ranker(settings)?;
    let mut system = system;
    if let Some(adapter) = &settings.models.query_adapter {
        let name = adapter.query_name();
        system.pipeline = system.pipeline.with_query_adapter(&name);
        system.name = format!("{}+{name}", system.name);
    }
    if let Some(ranker) = &settings.ranker {
        system.pipeline = system.pipeline.without_stage().with_stage(ranker.clone());
        system.name = format!("{}+ranker-{}", system.name, ranker.id());
    }
    Ok(system)
}

/// Refuses a ranker that cannot be used: searches go on without it, and figures would be those of another pipeline.
pub(super) fn usable_ranker(settings: &Settings) -> Result<(), Failure> {
    match &settings.ranker {
        Some(CandidateStage::Unusable { reason, .. }) => {
            Err(Failure::Input(format!("--ranker: {reason}; nothing was measured")))
        }
        _ => Ok(()),
    }
}

/// Refuses both where numbers are chosen.
pub(super) fn refuse_learned(why: &str, settings: &Settings) -> Result<(), Failure> {
    if settings.models.query_adapter.is_some() {
        return Err(Failure::Usage(format!(
            "--query-adapter: {why}, and an adapter is put into one pipeline; leave one out"
        )));
    }
    if settings.ranker.is_some() {
        return Err(Failure::Usage(format!("--ranker: {why}, and a ranker is of one pipeline; leave one out")));
    }
    Ok(())
}
