//! Who may look into the folders that this program makes beside a store.

use std::path::{Path, PathBuf};

use aforesaid::store::Finding;

use crate::settings::Settings;

/// What is worth knowing of them; those that are not there are none.
pub(super) fn findings(settings: &Settings, answers: Option<&Path>) -> Vec<Finding> {
    let data = settings.datasets().ok().and_then(|datasets| datasets.parent().map(Path::to_owned));
    let folders: [Option<PathBuf>; 3] = [data, Some(settings.models.cache.clone()), answers.map(Path::to_owned)];
    folders.into_iter().flatten().filter_map(|folder| open_to_others(&folder)).collect()
}

#[cfg(unix)]
fn open_to_others(folder: &Path) -> Option<Finding> {
    use std::os::unix::fs::PermissionsExt;
    const OTHERS: u32 = 0o077;
    let mode = folder.metadata().ok()?.permissions().mode();
    let shown = folder.display();
    (mode & OTHERS != 0).then(|| {
        Finding::note(
            format!("folder {shown}"),
            format!("permissions {:o}: others than its owner may look into it", mode & 0o777),
            "700",
            format!("run `chmod 700 {shown}`"),
        )
    })
}

#[cfg(not(unix))]
fn open_to_others(_: &Path) -> Option<Finding> {
    None
}
