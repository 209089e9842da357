//! Where what belongs to a store and cannot be in it is kept: in folders beside it.

use std::path::{Path, PathBuf};

use aforesaid::{is_postgres_url, models::files::make_private_folder, without_password};

use crate::{failure::Failure, settings::Settings};

/// The path that folders lie beside: the store's file, or for a database a name made of its URL, without its password, beside
/// the usual store. `None` for a store that ends with the process.
pub(crate) fn place(settings: &Settings, store: &str) -> Result<Option<PathBuf>, Failure> {
    if is_postgres_url(store) {
        return of_server(settings, store).map(Some);
    }
    let path = store.strip_prefix("sqlite:").unwrap_or(store);
    if path == "memory:" {
        return Ok(None);
    }
    let path = Path::new(path);
    if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        let failed = Failure::io(format!("folder {}: could not be made", folder.display()));
        std::fs::create_dir_all(folder).map_err(failed)?;
    }
    Ok(Some(path.to_owned()))
}

fn of_server(settings: &Settings, store: &str) -> Result<PathBuf, Failure> {
    let data = settings.data_folder()?;
    let plain = |c: u8| c.is_ascii_alphanumeric() || b".-_".contains(&c);
    let name = without_password(store);
    let name: String =
        name.bytes().map(|c| if plain(c) { char::from(c).to_string() } else { format!("%{c:02X}") }).collect();
    make_private_folder(&data).map_err(Failure::io(format!("folder {}: could not be made", data.display())))?;
    Ok(data.join(name))
}
