//! What the server and the hooks are told of the options and variables of an installation: a client starts them in another
//! environment. Keys are never among it.

use std::path::Path;

use aforesaid::is_postgres_url;

use crate::{failure::Failure, global::Global};

/// How the file of an adapter ends, which `--model` may name.
const ADAPTER_FILE: &str = ".safetensors";

/// Options that decide what is found, by their names, and what each names in words.
pub(super) const DECIDING: [(&str, &str); 6] = [
    ("--store", "store"),
    ("--config", "configuration file"),
    ("--model", "model"),
    ("--model-dir", "directory of the model"),
    ("--model-cache", "directory of downloaded models"),
    ("--encoder-url", "encoder"),
];

/// The options that decide what is found, where they are given, and whether the network may be used.
pub(super) fn handed_on(global: &Global) -> Result<Vec<String>, Failure> {
    let store = global.store.as_deref();
    if store.is_some_and(is_postgres_url) {
        return Err(Failure::Usage(
            "--store is a URL, which may hold a password, and would be written into the settings of another program; \
             name it as `store` in the configuration file"
                .to_owned(),
        ));
    }
    let model = global.model.as_deref();
    let model = model.map(|model| if model.ends_with(ADAPTER_FILE) { absolute(model) } else { model.to_owned() });
    let server = &global.server;
    let given = [
        ("--store", store.map(absolute)),
        ("--config", global.config.as_deref().map(absolute)),
        ("--model", model),
        ("--model-dir", global.model_dir.as_deref().map(absolute)),
        ("--model-cache", global.model_cache.as_deref().map(absolute)),
        // It holds no user name and no password: such a URL is refused.
        ("--encoder-url", server.encoder_url.clone()),
        ("--encoder-model", server.encoder_model.clone()),
        ("--encoder-dim", server.encoder_dim.map(|dim| dim.to_string())),
        ("--encoder-revision", server.encoder_revision.clone()),
        ("--encoder-query-prefix", server.encoder_query_prefix.clone()),
        ("--encoder-passage-prefix", server.encoder_passage_prefix.clone()),
    ];
    let given = given.into_iter().filter_map(|(option, value)| Some([option.to_owned(), value?]));
    let offline = global.offline.then(|| "--offline".to_owned());
    Ok(given.flatten().chain(offline).collect())
}

/// A path that means the same in another folder.
fn absolute(path: impl AsRef<Path>) -> String {
    let path = path.as_ref();
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned()).to_string_lossy().into_owned()
}

/// The value of an option among arguments.
pub(super) fn value_of<'a>(args: &'a [String], option: &str) -> Option<&'a str> {
    args.iter().skip_while(|arg| *arg != option).nth(1).map(String::as_str)
}
