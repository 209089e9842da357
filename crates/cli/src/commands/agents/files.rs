//! Files of settings: shown before they change, kept as they were, and given back.

use std::{
    fs,
    path::{Path, PathBuf},
};

use aforesaid::models::files::read_regular;
use aforesaid_mcp::clients::{EditError, backup_of};

use crate::{
    failure::Failure,
    files::{MOST_CONFIGURATION, write_whole},
    render::{QUIET, STRONG, path, printable, say},
};

/// Bytes of a client's settings at most: Claude Code keeps histories in its file.
const MOST: u64 = 64 * MOST_CONFIGURATION;
/// Lines around a change that are shown.
const AROUND: usize = 2;

/// What becomes of the backup.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kept {
    /// It is made, unless there is one.
    First,
    /// The file gets its bytes back where nothing else has changed, and it goes.
    TakenBack,
}

/// The change of a file.
#[derive(Debug)]
pub(super) struct Change {
    path: PathBuf,
    before: Option<String>,
    after: String,
}

/// The text of a file; `None` where it is not there.
pub(super) fn read(file: &Path) -> Result<Option<String>, Failure> {
    if !file.exists() {
        return Ok(None);
    }
    let bytes =
        read_regular(file, MOST).map_err(Failure::io(format!("settings {}: could not be read", file.display())))?;
    let not_text = |_| Failure::Input(format!("settings {}: found bytes that are not UTF-8", file.display()));
    String::from_utf8(bytes).map(Some).map_err(not_text)
}

impl Change {
    /// The change that an edit makes of a file.
    pub(super) fn new(file: &Path, edit: impl FnOnce(&str) -> Result<String, EditError>) -> Result<Self, Failure> {
        let before = read(file)?;
        let failed = |error: EditError| Failure::Input(format!("settings {}: {error}", file.display()));
        let after = edit(before.as_deref().unwrap_or_default()).map_err(failed)?;
        Ok(Self { path: file.to_owned(), before, after })
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Whether it changes anything.
    pub(super) fn is_one(&self) -> bool {
        self.before.as_deref().unwrap_or_default() != self.after
    }

    /// Prints the lines that go and those that come.
    pub(super) fn show(&self) -> Result<(), Failure> {
        let what = if self.before.is_some() { "" } else { " (new file)" };
        say!("{STRONG}{}{STRONG:#}{what}", path(&self.path))?;
        let before: Vec<&str> = self.before.as_deref().unwrap_or_default().lines().collect();
        let after: Vec<&str> = self.after.lines().collect();
        let same = before.iter().zip(&after).take_while(|(before, after)| before == after).count();
        let most = before.len().min(after.len()) - same;
        let ends = before
            .iter()
            .rev()
            .zip(after.iter().rev())
            .take(most)
            .take_while(|(before, after)| before == after)
            .count();
        let shown = |line: &str| printable(&line.chars().take(200).collect::<String>());
        for line in &after[same.saturating_sub(AROUND)..same] {
            say!("{QUIET}  {}{QUIET:#}", shown(line))?;
        }
        for line in &before[same..before.len() - ends] {
            say!("- {}", shown(line))?;
        }
        for line in &after[same..after.len() - ends] {
            say!("+ {}", shown(line))?;
        }
        for line in after.iter().skip(after.len() - ends).take(AROUND) {
            say!("{QUIET}  {}{QUIET:#}", shown(line))?;
        }
        Ok(())
    }

    /// Makes the change.
    pub(super) fn make(&self, kept: Kept) -> Result<(), Failure> {
        let backup = backup_of(&self.path);
        match kept {
            Kept::First => {
                if let Some(folder) = self.path.parent() {
                    let failed = Failure::io(format!("folder {}: could not be made", folder.display()));
                    fs::create_dir_all(folder).map_err(failed)?;
                }
                if let Some(before) = self.before.as_deref().filter(|_| !backup.exists()) {
                    write_whole(&backup, before.as_bytes())?;
                }
                write_whole(&self.path, self.after.as_bytes())
            }
            Kept::TakenBack => {
                let original = read(&backup)?.filter(|original| is_same(original, &self.after));
                match (&original, self.is_empty()) {
                    (Some(original), _) => write_whole(&self.path, original.as_bytes())?,
                    // It was made for the server alone.
                    (None, true) if !backup.exists() => {
                        let failed = Failure::io(format!("settings {}: could not be removed", self.path.display()));
                        return fs::remove_file(&self.path).map_err(failed);
                    }
                    (None, _) => write_whole(&self.path, self.after.as_bytes())?,
                }
                match backup.exists() {
                    true => fs::remove_file(&backup)
                        .map_err(Failure::io(format!("file {}: could not be removed", backup.display()))),
                    false => Ok(()),
                }
            }
        }
    }

    /// Whether nothing but empty objects is left.
    fn is_empty(&self) -> bool {
        let left: String = self.after.chars().filter(|c| !c.is_whitespace()).collect();
        left.is_empty()
            || left == "{}"
            || left.starts_with("{\"") && left.ends_with(":{}}") && left.matches(':').count() == 1
    }
}

/// Whether two texts say the same, apart from white space and empty objects of servers.
fn is_same(original: &str, after: &str) -> bool {
    let plain = |text: &str| -> String {
        let text: String = text.chars().filter(|c| !c.is_whitespace()).collect();
        ["mcpServers", "mcp", "servers", "context_servers", "hooks"].iter().fold(text, |text, name| {
            text.replace(&format!(",\"{name}\":{{}}"), "")
                .replace(&format!("\"{name}\":{{}},"), "")
                .replace(&format!("\"{name}\":{{}}"), "")
        })
    };
    plain(original) == plain(after)
}
