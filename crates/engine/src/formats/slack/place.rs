//! Which channel and which day a file of an export is.

use std::sync::Arc;

use super::workspace::Workspace;

/// What is around a file: the folder that it is in, and the names of the workspace that an export has beside the folder.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Surroundings {
    /// The folder, where it has a name.
    pub(crate) folder: Option<String>,
    /// The names.
    pub(crate) workspace: Option<Arc<Workspace>>,
}

/// The channel and the day that a file's path says.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Place<'a> {
    pub(super) channel: &'a str,
    /// Whether the channel is the name of a folder.
    pub(super) is_folder: bool,
    /// `None` for a file of many days.
    pub(super) day: Option<&'a str>,
}

impl<'a> Place<'a> {
    /// The place of a file by its path without extension; a day alone is one of the channel that its folder is.
    pub(super) fn of(stem: &'a str, folder: Option<&'a str>) -> Self {
        let (parent, name) = stem.rsplit_once('/').map_or((None, stem), |(parent, name)| (Some(parent), name));
        let day = is_day(name).then_some(name);
        let parent = parent.map(|parent| parent.rsplit('/').next().unwrap_or(parent)).or(folder);
        match parent.filter(|parent| day.is_some() && !parent.is_empty()) {
            Some(channel) => Self { channel, is_folder: true, day },
            None => Self { channel: name, is_folder: false, day },
        }
    }
}

/// Whether a name is a day, as exports write it: `2025-09-01`.
pub(crate) fn is_day(name: &str) -> bool {
    let is_digit =
        |at: usize, byte: u8| matches!(at, 4 | 7) == (byte == b'-') && (byte == b'-' || byte.is_ascii_digit());
    name.len() == 10 && name.bytes().enumerate().all(|(at, byte)| is_digit(at, byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_day_belongs_to_the_channel_of_its_folder() {
        let place = |stem, folder| {
            let Place { channel, is_folder, day } = Place::of(stem, folder);
            (channel, is_folder, day)
        };
        assert_eq!(place("export/ops/2025-09-01", None), ("ops", true, Some("2025-09-01")));
        assert_eq!(place("2025-09-01", Some("ops")), ("ops", true, Some("2025-09-01")));
        assert_eq!(place("2025-09-01", None), ("2025-09-01", false, Some("2025-09-01")));
        assert_eq!(place("channels/ops", Some("x")), ("ops", false, None));
        assert_eq!(place("ops", Some("x")), ("ops", false, None));
        assert!(!is_day("2025-09-1x") && !is_day("20250-9-01") && !is_day("2025-09-011"));
    }
}
