//! Rows of each kind, read as what they are.

use std::{collections::BTreeMap, ops::ControlFlow};

use super::{
    key::{Key, Row, StoredMemory},
    rows::{self, KeyedRows},
};
use crate::{
    error::StoreError,
    store::{
        lookup::Audience,
        tables::{ConversationRow, NamespaceState, SessionRow, StateTable},
    },
    types::{ConversationId, EncoderId, Record, Sensitivity, Seq, SessionId, Vectors},
};

/// Changes the row of a namespace.
pub(super) fn update<R: KeyedRows>(rows: &mut R, change: impl FnOnce(&mut NamespaceState)) -> Result<(), StoreError> {
    let mut state = rows.state()?;
    change(&mut state);
    rows.put(Key::State, Row::State(state))
}

/// The number under a key.
pub(super) fn number<R: KeyedRows>(rows: &R, key: &Key) -> Result<Option<u64>, StoreError> {
    rows::get(rows, key, |row| match *row {
        Row::Number(number) => Some(number),
        _ => None,
    })
}

/// A memory by position.
pub(super) fn memory<R: KeyedRows, T>(
    rows: &R,
    seq: Seq,
    read: impl FnOnce(&StoredMemory) -> T,
) -> Result<Option<T>, StoreError> {
    rows::get(rows, &Key::Memory(seq), |row| match &*row {
        Row::Memory(memory) => Some(read(memory)),
        _ => None,
    })
}

/// The title of a session by number.
pub(super) fn title<R: KeyedRows>(rows: &R, session: u64) -> Result<Option<String>, StoreError> {
    rows::get(rows, &Key::Title(session), |row| match row.into_owned() {
        Row::Title(title) => Some(title),
        _ => None,
    })
}

/// A memory by position, as it is given out.
pub(super) fn record<R: KeyedRows>(rows: &R, seq: Seq) -> Result<Option<Record>, StoreError> {
    let Some((record, session)) = memory(rows, seq, |memory| (memory.record.clone(), memory.session))? else {
        return Ok(None);
    };
    Ok(Some(Record { title: title(rows, session)?, ..record }))
}

/// Visits memories after a position, in order of arrival.
pub(super) fn each_memory<R: KeyedRows>(
    rows: &R,
    after: Seq,
    mut visit: impl FnMut(&StoredMemory) -> Result<ControlFlow<()>, StoreError>,
) -> Result<(), StoreError> {
    let is_memory = |key: &Key| matches!(key, Key::Memory(_)).then_some(());
    rows::each(rows, &Key::Memory(Seq(after.0.saturating_add(1))), is_memory, |(), row| match row {
        Row::Memory(memory) => visit(memory),
        _ => Ok(ControlFlow::Continue(())),
    })
}

/// Whether models of an audience may see a memory.
pub(super) fn is_visible(memory: &Record, audience: Audience) -> bool {
    audience == Audience::LocalModels || memory.sensitivity == Sensitivity::Ordinary
}

/// Conversations with their names, in order of arrival.
pub(super) fn conversations<R: KeyedRows>(rows: &R) -> Result<Vec<(ConversationId, ConversationRow)>, StoreError> {
    let mut found = Vec::new();
    let is_one = |key: &Key| matches!(key, Key::Conversation(_)).then_some(());
    rows::each(rows, &Key::Conversation(0), is_one, |(), row| {
        if let Row::Conversation(name, row) = row {
            found.push((name.clone(), *row));
        }
        Ok(ControlFlow::Continue(()))
    })?;
    Ok(found)
}

/// Sessions with their conversations and names, in order of arrival.
pub(super) fn sessions<R: KeyedRows>(rows: &R) -> Result<Vec<(u64, SessionId, SessionRow)>, StoreError> {
    let mut found = Vec::new();
    let is_one = |key: &Key| matches!(key, Key::Session(_)).then_some(());
    rows::each(rows, &Key::Session(0), is_one, |(), row| {
        if let Row::Session(conversation, name, row) = row {
            found.push((*conversation, name.clone(), *row));
        }
        Ok(ControlFlow::Continue(()))
    })?;
    Ok(found)
}

/// Encoders with their numbers and the components of their vectors.
pub(super) fn encoders<R: KeyedRows>(rows: &R) -> Result<Vec<(u64, EncoderId, usize)>, StoreError> {
    let mut found = Vec::new();
    let number = |key: &Key| match key {
        Key::Encoder(number) => Some(*number),
        _ => None,
    };
    rows::each(rows, &Key::Encoder(0), number, |number, row| {
        if let Row::Encoder { id, dim } = row {
            found.push((number, id.clone(), *dim));
        }
        Ok(ControlFlow::Continue(()))
    })?;
    Ok(found)
}

/// The number of an encoder, and the components of its vectors.
pub(super) fn encoder<R: KeyedRows>(rows: &R, id: &EncoderId) -> Result<Option<(u64, usize)>, StoreError> {
    let found = encoders(rows)?.into_iter().find(|(_, other, _)| other == id);
    Ok(found.map(|(number, _, dim)| (number, dim)))
}

/// The number of an encoder; one that no encoder has where it is not known.
pub(super) fn encoder_number<R: KeyedRows>(rows: &R, id: Option<&EncoderId>) -> Result<u64, StoreError> {
    let found = match id {
        Some(id) => encoder(rows, id)?,
        None => None,
    };
    Ok(found.map_or(0, |(number, _)| number))
}

/// The components of a vector.
pub(super) fn components(row: &Row) -> Option<&[f32]> {
    match row {
        Row::Vector(vector) => Some(vector),
        _ => None,
    }
}

/// Vectors by their keys and their places among those of the key; `None` where one is missing.
pub(super) fn vectors<R: KeyedRows>(
    rows: &R,
    dim: usize,
    places: impl Iterator<Item = (Key, usize)>,
) -> Result<Option<Vectors>, StoreError> {
    let mut data = Vec::new();
    for (key, place) in places {
        let Some(row) = rows.get(&key)? else { return Ok(None) };
        let vector = components(&row).and_then(|vectors| vectors.chunks_exact(dim.max(1)).nth(place));
        let Some(vector) = vector else { return Ok(None) };
        data.extend_from_slice(vector);
    }
    Ok(Vectors::new(dim, data))
}

/// How many vectors there are by encoder, by the number that a key has of one.
pub(super) fn count_by_encoder<R: KeyedRows>(
    rows: &R,
    first: &Key,
    encoder: impl Fn(&Key) -> Option<u64>,
) -> Result<BTreeMap<String, u64>, StoreError> {
    let names: BTreeMap<u64, String> =
        encoders(rows)?.into_iter().map(|(number, id, _)| (number, id.to_string())).collect();
    let mut counts = BTreeMap::new();
    for number in rows::keys(rows, first, encoder)? {
        if let Some(name) = names.get(&number) {
            *counts.entry(name.clone()).or_default() += 1;
        }
    }
    Ok(counts)
}

/// Keys of staged vectors.
pub(super) fn staged<R: KeyedRows>(rows: &R) -> Result<Vec<Key>, StoreError> {
    let staged = |key: &Key| matches!(key, Key::Staged(..)).then(|| key.clone());
    rows::keys(rows, &Key::Staged([0; 16], String::new()), staged)
}
