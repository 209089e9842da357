//! A checksum over the fields of a memory: SQLite has none, and a flipped bit in a text is a text too.

use aforesaid_core::{store::tables::number_of_kind, types::Record};
use crc32fast::Hasher;

/// Lists and objects of a memory as they are stored.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Json<'a> {
    pub(crate) tags: Option<&'a str>,
    pub(crate) source: Option<&'a str>,
    pub(crate) meta: Option<&'a str>,
}

/// CRC-32 of a memory's fields, its position and the names of its session and conversation among them.
///
/// It finds every change of up to 32 neighbouring bits, and of other changes all but one in four thousand million.
pub(crate) fn of(memory: &Record, json: Json<'_>) -> u32 {
    let mut sum = Hasher::new();
    number(&mut sum, memory.seq.0);
    number(&mut sum, number_of_kind(memory.kind) as u64);
    // SQLite keeps no negative zero.
    number(&mut sum, (memory.importance.value() + 0.0).to_bits());
    number(&mut sum, u64::from(bool::from(memory.sensitivity)));
    text(&mut sum, memory.said_at.map(|at| at.millis().to_string()).as_deref());
    text(&mut sum, Some(memory.id.as_str()));
    text(&mut sum, memory.conversation.as_ref().map(|name| name.as_str()));
    text(&mut sum, memory.session.as_ref().map(|name| name.as_str()));
    text(&mut sum, memory.speaker.as_deref());
    text(&mut sum, Some(&memory.text));
    text(&mut sum, memory.image_caption.as_deref());
    [json.tags, json.source, json.meta].into_iter().for_each(|field| text(&mut sum, field));
    sum.finalize()
}

/// CRC-32 of the title of a session: it belongs to no memory.
pub(crate) fn of_title(title: &str) -> u32 {
    crc32fast::hash(title.as_bytes())
}

fn number(sum: &mut Hasher, value: u64) {
    sum.update(&value.to_le_bytes());
}

/// A field with its length, so that nothing can move from one field to the next; an absent one is not an empty one.
fn text(sum: &mut Hasher, field: Option<&str>) {
    number(sum, field.map_or(0, |field| field.len() as u64 + 1));
    sum.update(field.unwrap_or_default().as_bytes());
}

#[cfg(test)]
mod tests {
    use aforesaid_core::types::{Importance, Kind, MemoryId, Sensitivity, Seq, Timestamp};

    use super::*;

    fn memory() -> Record {
        Record {
            seq: Seq(7),
            id: MemoryId::new("note:1").unwrap(),
            kind: Kind::Note,
            conversation: None,
            session: None,
            title: None,
            speaker: None,
            text: "likes kites".to_owned(),
            said_at: Some(Timestamp::from_millis(0).unwrap()),
            image_caption: None,
            importance: Importance::default(),
            tags: Vec::new(),
            sensitivity: Sensitivity::Ordinary,
            source: Vec::new(),
            meta: None,
        }
    }

    const NONE: Json<'static> = Json { tags: None, source: None, meta: None };

    #[test]
    fn every_field_counts() {
        let changes: [fn(&mut Record); 9] = [
            |memory| memory.seq = Seq(8),
            |memory| memory.id = MemoryId::new("note:2").unwrap(),
            |memory| memory.kind = Kind::Turn,
            |memory| memory.speaker = Some(String::new()),
            |memory| memory.text.push(' '),
            |memory| memory.said_at = None,
            |memory| memory.image_caption = Some(std::mem::take(&mut memory.text)),
            |memory| memory.importance = Importance::new(0.25).unwrap(),
            |memory| memory.sensitivity = Sensitivity::Sensitive,
        ];
        for (n, change) in changes.iter().enumerate() {
            let mut changed = memory();
            change(&mut changed);
            assert_ne!(of(&changed, NONE), of(&memory(), NONE), "change {n}");
        }
        for json in [Json { tags: Some("[]"), ..NONE }, Json { source: Some("[]"), ..NONE }] {
            assert_ne!(of(&memory(), json), of(&memory(), NONE), "{json:?}");
        }
    }

    #[test]
    fn zero_is_zero() {
        let with = |importance| Record { importance: Importance::new(importance).unwrap(), ..memory() };
        assert_eq!(of(&with(-0.0), NONE), of(&with(0.0), NONE));
    }
}
