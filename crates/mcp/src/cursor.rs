//! Where the next page of a list begins.

use sha2::{Digest, Sha256};

use crate::failure::ToolError;

/// A place in a list: how many entries came before, of which list, and after which entry.
///
/// Lists change between two pages. The next page begins after the entry that was shown last, wherever that is by then.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Cursor {
    /// Entries before.
    before: usize,
    /// What tells the list from others.
    list: Print,
    /// What tells the last entry from others.
    last: Print,
}

/// A short fingerprint.
type Print = u32;

/// The fingerprint of some parts.
fn print(parts: &[&str]) -> Print {
    let mut hash = Sha256::new();
    for part in parts {
        hash.update((part.len() as u64).to_le_bytes());
        hash.update(part);
    }
    hash.finalize().iter().take(4).fold(0, |print, byte| print << 8 | u32::from(*byte))
}

/// A list that is shown in pages, named by what it was asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Pages {
    list: Print,
    from: Option<Cursor>,
}

impl Pages {
    /// The pages of a list that some arguments ask for, from a cursor on or from the beginning.
    ///
    /// # Errors
    /// When the cursor is none, or belongs to another list.
    pub(crate) fn new(asked: &[&str], cursor: Option<&str>) -> Result<Self, ToolError> {
        let list = print(asked);
        let Some(text) = cursor else { return Ok(Self { list, from: None }) };
        let wrong = |found: &str| {
            let next = "give next_cursor of the page before together with the same other arguments, or no cursor for \
                        the first page";
            ToolError { code: "invalid_cursor", message: format!("cursor: {found}; {next}") }
        };
        let cursor = Cursor::read(text).ok_or_else(|| wrong("found what is no cursor"))?;
        match cursor.list == list {
            true => Ok(Self { list, from: Some(cursor) }),
            false => Err(wrong("it belongs to a list that was asked for with other arguments")),
        }
    }

    /// How many entries of the list came before this page, when the page before was shown.
    pub(crate) fn before(&self) -> usize {
        self.from.map_or(0, |cursor| cursor.before)
    }

    /// The entries of this page among the first of a list, and the cursor of the next page where there are more.
    ///
    /// # Errors
    /// When the entry that was shown last is gone.
    pub(crate) fn page<T>(
        &self,
        mut entries: Vec<T>,
        size: usize,
        name: impl Fn(&T) -> Vec<&str>,
    ) -> Result<(Vec<T>, Option<String>), ToolError> {
        let begin = match &self.from {
            None => 0,
            Some(cursor) => {
                let at = entries.iter().position(|entry| print(&name(entry)) == cursor.last);
                at.ok_or_else(|| ToolError {
                    code: "outdated_cursor",
                    message: "cursor: the entry that was shown last is gone since; ask for the first page again, \
                              without a cursor"
                        .to_owned(),
                })? + 1
            }
        };
        let more = entries.len() > begin + size;
        entries.truncate(begin + size);
        let next = entries.last().filter(|_| more).map(|last| {
            let next = Cursor { before: begin + size, list: self.list, last: print(&name(last)) };
            next.to_string()
        });
        Ok((entries.split_off(begin.min(entries.len())), next))
    }
}

impl Cursor {
    fn read(text: &str) -> Option<Self> {
        let mut parts = text.split('-');
        let before = parts.next()?.parse().ok()?;
        let mut print = || Print::from_str_radix(parts.next()?, 16).ok();
        let cursor = Self { before, list: print()?, last: print()? };
        (parts.next().is_none() && cursor.to_string() == text).then_some(cursor)
    }
}

impl std::fmt::Display for Cursor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}-{:08x}-{:08x}", self.before, self.list, self.last)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(all: &[&'static str], cursor: Option<&str>) -> Result<(Vec<&'static str>, Option<String>), ToolError> {
        Pages::new(&["q"], cursor)?.page(all.to_vec(), 2, |name| vec![name])
    }

    #[test]
    fn pages_are_the_list() {
        let all = ["a", "b", "c", "d", "e"];
        let (mut seen, mut cursor) = (Vec::new(), None::<String>);
        loop {
            let (shown, next) = page(&all, cursor.as_deref()).unwrap();
            seen.extend(shown);
            cursor = next;
            if cursor.is_none() {
                break;
            }
            assert_eq!(Pages::new(&["q"], cursor.as_deref()).unwrap().before(), seen.len());
        }
        assert_eq!(seen, all);
        assert_eq!(page(&[], None).unwrap(), (vec![], None));
        assert_eq!(page(&["a", "b"], None).unwrap().1, None);
    }

    #[test]
    fn a_list_that_changed_goes_on_after_what_was_shown() {
        let (_, next) = page(&["a", "b", "c", "d", "e"], None).unwrap();
        assert_eq!(page(&["new", "a", "b", "c", "d", "e"], next.as_deref()).unwrap().0, ["c", "d"]);
        assert_eq!(page(&["b", "c"], next.as_deref()).unwrap().0, ["c"]);
        assert_eq!(page(&["a", "c", "d"], next.as_deref()).unwrap_err().code, "outdated_cursor");
    }

    #[test]
    fn a_cursor_is_of_one_list() {
        let (_, next) = page(&["a", "b", "c"], None).unwrap();
        assert_eq!(Pages::new(&["other"], next.as_deref()).unwrap_err().code, "invalid_cursor");
        for wrong in
            ["", "2", "-1-0-0", "2-1-2", "2-00000001-00000002-3", "99999999999999999999-00000001-00000002", "é"]
        {
            assert_eq!(Pages::new(&["q"], Some(wrong)).unwrap_err().code, "invalid_cursor", "{wrong}");
        }
    }
}
