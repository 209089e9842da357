//! Names from before this release: still read, with a warning.

use std::env;

use aforesaid::Pipeline;

use crate::{failure::Failure, terminal::aside};

/// The environment variable of the pipeline, before.
const OLD_VARIABLE: &str = "AFORESAID_PRESET";

/// Options by their old and their new names.
const OPTIONS: [(&str, &str); 3] =
    [("--preset", "--pipeline"), ("--judge", "--rerank llm"), ("--judge-depth", "--rerank-depth")];

/// Warns of options that were typed by their old names.
pub(crate) fn warn_of_options() {
    let typed = env::args_os().skip(1).take_while(|arg| arg != "--");
    for arg in typed.filter_map(|arg| arg.into_string().ok()) {
        let name = arg.split_once('=').map_or(arg.as_str(), |(name, _)| name);
        if let Some((old, new)) = OPTIONS.into_iter().find(|(old, _)| *old == name) {
            warn(old, new);
        }
    }
}

/// Warns of old words in the description of a pipeline.
pub(crate) fn warn_of_words(description: &str) {
    for (old, new) in aforesaid::pipeline::renamed_words(description) {
        warn(&format!("the pipeline word {old}"), new);
    }
}

/// The pipeline of the old environment variable, where the new one is not set.
///
/// # Errors
/// When it is no pipeline.
pub(crate) fn pipeline_of_environment() -> Result<Option<Pipeline>, Failure> {
    let Some(text) = env::var_os(OLD_VARIABLE).filter(|text| !text.is_empty()) else { return Ok(None) };
    warn(OLD_VARIABLE, "AFORESAID_PIPELINE");
    let text = text.to_string_lossy();
    warn_of_words(&text);
    text.parse()
        .map(Some)
        .map_err(|error: aforesaid::pipeline::InvalidPipeline| Failure::Usage(format!("{OLD_VARIABLE}: {error}")))
}

/// Warns of a key of the configuration file.
pub(crate) fn warn_of_key() {
    warn("configuration key `preset`", "`pipeline`");
}

fn warn(old: &str, new: &str) {
    aside(format_args!("note: {old} is now {new}; the old name is read in this release only"));
}
