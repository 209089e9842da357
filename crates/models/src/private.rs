//! Folders for their owner alone, where the system has permissions. Existing folders stay as they are.

use std::{fs::DirBuilder, io, path::Path};

/// Makes a folder for its owner alone, and those it lies in, where they are missing.
///
/// # Errors
/// When one of them cannot be made.
pub fn make_folder(path: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::DirBuilderExt;
        builder.mode(0o700);
    }
    builder.create(path)
}
