//! Files of settings: shown before they change, kept as they were, and given back.

use std::{
    fs,
    io::{self, Write},
    path::{Path, PathBuf},
};

use aforesaid::models::files::{Access, NewFile, read_regular};
use aforesaid_mcp::clients::{EditError, absence_of, backup_of};

use crate::{
    failure::Failure,
    files::{MOST_CONFIGURATION, write_whole},
    render::{QUIET, STRONG, path, printable, say},
};

/// Bytes of a client's settings at most: Claude Code keeps histories in its file.
const MOST: u64 = 64 * MOST_CONFIGURATION;
/// Lines around a change that are shown.
const AROUND: usize = 2;

/// What is put into a file of settings, and taken out again.
pub(super) trait Edit {
    fn install(&self, text: &str) -> Result<String, EditError>;
    fn uninstall(&self, text: &str) -> Result<String, EditError>;
    /// The text with what an earlier one had in the place of what was installed.
    fn restore(&self, text: &str, earlier: &str) -> Result<String, EditError>;
    /// Whether what is there may be by [`Edit::install`].
    fn is_installed(&self, text: &str) -> bool;
}

/// What a file was before the first installation.
#[derive(Debug)]
enum Earlier {
    /// Nothing says so.
    Unknown,
    Absent,
    Text(String),
}

/// What becomes of the record of what the file was.
#[derive(Debug, Clone, Copy)]
enum Record {
    Made,
    Kept,
    Dropped,
}

/// The change of a file.
#[derive(Debug)]
pub(super) struct Change {
    path: PathBuf,
    before: Option<String>,
    /// `None` where the file goes.
    after: Option<String>,
    record: Record,
    remark: Option<String>,
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

impl Earlier {
    fn of(file: &Path) -> Result<Self, Failure> {
        Ok(match read(&backup_of(file))? {
            Some(text) => Self::Text(text),
            None if absence_of(file).exists() => Self::Absent,
            None => Self::Unknown,
        })
    }
}

impl Change {
    /// The change that installs.
    pub(super) fn install(file: &Path, edit: &dyn Edit) -> Result<Self, Failure> {
        let before = read(file)?;
        let failed = failed(file);
        let text = before.as_deref().unwrap_or_default();
        let after = edit.install(text).map_err(&failed)?;
        // A record of before somebody took it out by hand says nothing of the file as it is now.
        let is_first = matches!(Earlier::of(file)?, Earlier::Unknown) || !edit.is_installed(text);
        let is_replaced = is_first && after != text && edit.uninstall(text).map_err(&failed)? != text;
        let remark = || {
            let (shown, backup) = (path(file), path(&backup_of(file)));
            format!(
                "{shown} had an entry of that name: it is kept in {backup}, and `aforesaid agents uninstall` puts it back"
            )
        };
        let record = if is_first { Record::Made } else { Record::Kept };
        let remark = is_replaced.then(remark);
        Ok(Self { path: file.to_owned(), before, after: Some(after), record, remark })
    }

    /// The change that takes an installation back: the file gets its bytes of before where nothing else has changed, and
    /// otherwise what it had in the place of what was installed.
    pub(super) fn uninstall(file: &Path, edit: &dyn Edit) -> Result<Self, Failure> {
        let before = read(file)?;
        let failed = failed(file);
        let text = before.as_deref().unwrap_or_default();
        let taken = edit.uninstall(text).map_err(&failed)?;
        let mut remark = None;
        let after = match Earlier::of(file)? {
            _ if taken == text => before.clone(),
            Earlier::Text(earlier) => {
                let again = edit.install(&earlier).and_then(|text| edit.uninstall(&text));
                let is_same =
                    again.is_ok_and(|again| again == taken) || earlier.trim().is_empty() && is_nothing(&taken);
                if edit.uninstall(&earlier).is_ok_and(|without| without != earlier) {
                    remark = Some(format!("{}: the entry of before the installation is back", path(file)));
                }
                match is_same {
                    true => Some(earlier),
                    false => Some(edit.restore(text, &earlier).map_err(&failed)?),
                }
            }
            Earlier::Absent if is_nothing(&taken) => None,
            Earlier::Absent | Earlier::Unknown => Some(taken),
        };
        Ok(Self { path: file.to_owned(), before, after, record: Record::Dropped, remark })
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Whether it changes anything.
    pub(super) fn is_one(&self) -> bool {
        self.before != self.after
    }

    /// What else is to be known of it.
    pub(super) fn remark(&self) -> Option<&str> {
        self.remark.as_deref()
    }

    /// Prints the lines that go and those that come.
    pub(super) fn show(&self) -> Result<(), Failure> {
        let what = match (&self.before, &self.after) {
            (None, _) => " (new file)",
            (_, None) => " (goes)",
            _ => "",
        };
        say!("{STRONG}{}{STRONG:#}{what}", path(&self.path))?;
        let before: Vec<&str> = self.before.as_deref().unwrap_or_default().lines().collect();
        let after: Vec<&str> = self.after.as_deref().unwrap_or_default().lines().collect();
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
    pub(super) fn make(&self) -> Result<(), Failure> {
        let (backup, absence) = (backup_of(&self.path), absence_of(&self.path));
        if let Record::Made = self.record {
            if let Some(folder) = self.path.parent() {
                let failed = Failure::io(format!("folder {}: could not be made", folder.display()));
                fs::create_dir_all(folder).map_err(failed)?;
            }
            match &self.before {
                Some(before) => {
                    write_as(&backup, before, &self.path)?;
                    remove(&absence)?;
                }
                None => {
                    write_whole(&absence, b"")?;
                    remove(&backup)?;
                }
            }
        }
        match &self.after {
            Some(after) => write_as(&self.path, after, &self.path)?,
            None => remove(&self.path)?,
        }
        if let Record::Dropped = self.record {
            remove(&backup)?;
            remove(&absence)?;
        }
        Ok(())
    }
}

fn failed(file: &Path) -> impl Fn(EditError) -> Failure {
    let shown = file.display().to_string();
    move |error| Failure::Input(format!("settings {shown}: {error}"))
}

/// Writes a file that those may read who may read another: settings hold keys.
fn write_as(file: &Path, text: &str, other: &Path) -> Result<(), Failure> {
    let Ok(found) = fs::metadata(other) else { return write_whole(file, text.as_bytes()) };
    let failed = || Failure::io(format!("file {}: could not be written", file.display()));
    let mut new = NewFile::beside(file, Access::Private).map_err(failed())?;
    new.write_all(text.as_bytes()).map_err(failed())?;
    new.finish().map_err(failed())?;
    fs::set_permissions(file, found.permissions()).map_err(failed())
}

/// Removes a file, if it is there.
fn remove(file: &Path) -> Result<(), Failure> {
    match fs::remove_file(file) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            Err(Failure::io(format!("file {}: could not be removed", file.display()))(error))
        }
        _ => Ok(()),
    }
}

/// Whether nothing but objects that an installation makes is left, and those are empty.
fn is_nothing(text: &str) -> bool {
    let left: String = text.chars().filter(|c| !c.is_whitespace()).collect();
    let objects = ["mcpServers", "mcp", "servers", "context_servers", "hooks"];
    left.is_empty() || left == "{}" || objects.iter().any(|name| left == format!("{{\"{name}\":{{}}}}"))
}
