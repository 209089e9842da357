//! Ids as people read them.

use aforesaid::{Memory, is_uuid, types::Namespace};

use super::{layout::Extent, printable};

/// Characters of a long id that are shown at the least.
const SHORTEST: usize = 8;

/// Ids of one page, long ones as the shortest beginning that tells them apart there, and from others of the store.
pub(super) struct ShortIds<'a> {
    long: Vec<&'a str>,
}

/// Ids of the store that begin as long ones of a page do, so that what is printed stands for one alone; none where ids are
/// printed whole.
pub(crate) fn alike<'a>(
    memory: &Memory,
    namespace: &Namespace,
    ids: impl Iterator<Item = &'a str>,
    extent: Extent,
) -> Vec<String> {
    if extent == Extent::Full {
        return Vec::new();
    }
    let long: Vec<&str> = ids.filter(|id| is_uuid(id)).collect();
    // Where the store fails, more of an id is asked for when it is used.
    memory.ids_beginning_as(namespace, &long, SHORTEST).unwrap_or_default()
}

impl<'a> ShortIds<'a> {
    /// The ids of a page, and of the store; where all of everything is asked for, none is shortened.
    pub(super) fn of(ids: impl Iterator<Item = &'a str>, extent: Extent) -> Self {
        let mut long: Vec<&str> = match extent {
            Extent::Full => Vec::new(),
            Extent::Snippets => ids.filter(|id| is_uuid(id)).collect(),
        };
        long.sort_unstable();
        long.dedup();
        Self { long }
    }

    /// An id as it is printed.
    pub(super) fn shown(&self, id: &str) -> String {
        let Ok(place) = self.long.binary_search(&id) else { return printable(id) };
        let shared = |other: Option<&&str>| {
            other.map_or(0, |other| other.bytes().zip(id.bytes()).take_while(|(a, b)| a == b).count())
        };
        let before = place.checked_sub(1).and_then(|before| self.long.get(before));
        let needed = shared(before).max(shared(self.long.get(place + 1))) + 1;
        id.get(..needed.max(SHORTEST)).unwrap_or(id).to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const IDS: [&str; 4] = [
        "6f1c2a9e-0b1d-4c3e-9f00-000000000001",
        "6f1c2a9e-0b1d-4c3e-9f00-000000000002",
        "aaaaaaaa-0b1d-4c3e-9f00-000000000002",
        "session-with-a-long-name-for-people:12",
    ];

    #[test]
    fn what_tells_ids_apart_is_shown() {
        let short = ShortIds::of(IDS.into_iter(), Extent::Snippets);
        assert_eq!(short.shown(IDS[0]), IDS[0]);
        assert_eq!(short.shown(IDS[2]), "aaaaaaaa");
        assert_eq!(short.shown(IDS[3]), IDS[3]);
        let one = ShortIds::of(IDS.into_iter().take(1), Extent::Snippets);
        assert_eq!(one.shown(IDS[0]), "6f1c2a9e");
        assert_eq!(ShortIds::of(IDS.into_iter(), Extent::Full).shown(IDS[2]), IDS[2]);
    }
}
