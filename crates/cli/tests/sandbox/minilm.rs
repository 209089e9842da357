//! The real encoder for tests: all-MiniLM-L6-v2.
//!
//! It is taken from the directory in `AFORESAID_TEST_MODEL`, or fetched into the directory in `AFORESAID_TEST_CACHE` (by
//! default `aforesaid-test-models` in the system's directory for temporary files).

use std::{env, fs, path::PathBuf, process::Command, sync::OnceLock};

use serde_json::Value;

use super::{PROGRAM, finish};

/// The model's name.
pub(crate) const NAME: &str = "all-MiniLM-L6-v2";

/// The directory of the model, fetched if need be.
pub(crate) fn directory() -> &'static str {
    static MODEL: OnceLock<String> = OnceLock::new();
    MODEL.get_or_init(|| {
        // Fetching goes by the caller's environment, proxies included; nothing else here does.
        let mut pull = Command::new(PROGRAM);
        pull.args(["models", "pull", "--json", "--model", NAME, "--config"]).arg(no_configuration());
        match env::var_os("AFORESAID_TEST_MODEL") {
            Some(directory) => pull.arg("--model-dir").arg(directory),
            None => pull.arg("--model-cache").arg(
                env::var_os("AFORESAID_TEST_CACHE")
                    .map_or_else(|| env::temp_dir().join("aforesaid-test-models"), PathBuf::from),
            ),
        };
        let report: Value = serde_json::from_str(&finish(&mut pull).succeeded()).unwrap();
        let directory = PathBuf::from(report["directory"].as_str().unwrap());
        directory.canonicalize().unwrap().to_str().unwrap().to_owned()
    })
}

/// An empty file, so that the settings of whoever runs the tests do not matter.
fn no_configuration() -> PathBuf {
    let path = env::temp_dir().join("aforesaid-test-no-configuration.toml");
    fs::write(&path, "").unwrap();
    path
}
