//! The lists of names at the top of a Slack export, which stand beside the folders of its channels.

use std::{
    collections::HashMap,
    path::{Path, PathBuf},
    sync::Arc,
};

use crate::formats::{SLACK_LISTS, Surroundings, Workspace, decode, is_day};

/// Reads a file of some bytes at most; `None` where there is none that can be read.
pub(super) type ReadFile<'r> = dyn FnMut(&Path, u64) -> Option<Vec<u8>> + 'r;

/// The exports that were met, each read once.
#[derive(Debug)]
pub(super) struct Exports {
    by_folder: HashMap<PathBuf, Export>,
    /// Bytes of lists that may still be read: an archive may have many.
    left: u64,
}

/// The lists of an export, and what they say.
#[derive(Debug, Clone, Default)]
struct Export {
    workspace: Option<Arc<Workspace>>,
    lists: Vec<&'static str>,
}

impl Exports {
    /// No export yet, with the bytes that all lists may have.
    pub(super) fn new(left: u64) -> Self {
        Self { by_folder: HashMap::new(), left }
    }

    /// What is around a file that may be a channel's day, and nothing for others.
    pub(super) fn around(&mut self, path: &Path, read: &mut ReadFile<'_>) -> Surroundings {
        let is_channels = is_json(path) && path.file_stem().is_some_and(|stem| is_day(&stem.to_string_lossy()));
        let Some(folder) = path.parent().filter(|_| is_channels) else { return Surroundings::default() };
        let workspace = folder.parent().and_then(|top| self.export(top, read).workspace.clone());
        Surroundings { folder: folder.file_name().map(|name| name.to_string_lossy().into_owned()), workspace }
    }

    /// Whether a file is a list whose names are read with the channels beside it.
    pub(super) fn is_list(&mut self, path: &Path, read: &mut ReadFile<'_>) -> bool {
        match (list_at(path), path.parent()) {
            (Some(list), Some(top)) => self.export(top, read).lists.contains(&list),
            _ => false,
        }
    }

    /// Whether a JSON file stands at the top of an export.
    pub(super) fn is_beside_lists(&mut self, path: &Path, read: &mut ReadFile<'_>) -> bool {
        is_json(path) && path.parent().is_some_and(|top| !self.export(top, read).lists.is_empty())
    }

    fn export(&mut self, top: &Path, read: &mut ReadFile<'_>) -> &Export {
        if !self.by_folder.contains_key(top) {
            let export = self.read(top, read);
            self.by_folder.insert(top.to_owned(), export);
        }
        self.by_folder.entry(top.to_owned()).or_default()
    }

    fn read(&mut self, top: &Path, read: &mut ReadFile<'_>) -> Export {
        let (mut workspace, mut lists, mut is_slack) = (Workspace::default(), Vec::new(), false);
        for list in SLACK_LISTS {
            let Some(bytes) = read(&top.join(list), self.left) else { continue };
            self.left = self.left.saturating_sub(bytes.len() as u64);
            let Ok(found) = decode(&bytes, list).and_then(|text| workspace.add(list, text)) else { continue };
            // An empty list is one of Slack's where another one is.
            if found || bytes.trim_ascii() == b"[]" {
                lists.push(list);
            }
            is_slack |= found;
        }
        match is_slack {
            true => Export { workspace: Some(Arc::new(workspace)), lists },
            false => Export::default(),
        }
    }
}

/// The list that a file is by its name.
pub(super) fn list_at(path: &Path) -> Option<&'static str> {
    let name = path.file_name()?.to_str()?;
    SLACK_LISTS.into_iter().find(|list| *list == name)
}

fn is_json(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("json"))
}
