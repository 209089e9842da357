//! Changing what is stored: tags, importance and the like of any memory, the text of a note.

use std::sync::Arc;

use aforesaid_core::{
    Encoder,
    store::{Audience, MemoryRef, MemoryUpdate, UpdateReport},
    types::{Draft, Importance, Kind, MemoryId, Namespace, Note, Record, Sensitivity},
};
use serde::Serialize;

use crate::{
    answer::Warning,
    encoding::{Parts, audience, encode_parts, set_of},
    error::Error,
    memory::Memory,
};

/// How often a change starts over because another process changed the same memory meanwhile.
const RETRIES: usize = 5;

/// What a change came to.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Updated {
    /// The memory as it is now.
    pub memory: Record,
    /// What changed.
    #[serde(flatten)]
    pub report: UpdateReport,
    /// What the user should know.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<Warning>,
}

/// What became of a note that was put in the place of another.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Upserted {
    /// Its id.
    pub ids: Vec<MemoryId>,
    /// 1 where it is new.
    pub added: usize,
    /// 1 where it took the place of another.
    pub updated: usize,
    /// 1 where it was there already.
    pub unchanged: usize,
    /// Fields that are not what they were.
    pub changed: Vec<&'static str>,
    /// What the user should know.
    pub warnings: Vec<Warning>,
}

/// The vectors of a text that changes, and what made them.
type NewVectors = Option<(Arc<dyn Encoder>, Vec<f32>)>;

impl Memory {
    /// Changes tags, importance, sensitivity and metadata of a memory, and text, time and source of a note. What was said
    /// by a turn does not change.
    ///
    /// The old text of a note goes as a forget has it go, with its vectors and cue questions. The new one is encoded.
    ///
    /// # Errors
    /// When the memory does not exist, cannot change so, or several conversations have the id and none was named; when the
    /// namespace's vectors are another encoder's; when the store fails.
    pub fn update(
        &self,
        namespace: &Namespace,
        memory_ref: &MemoryRef,
        update: &MemoryUpdate,
    ) -> Result<Updated, Error> {
        self.must_exist(namespace)?;
        for _ in 0..RETRIES {
            let old = self.one(namespace, memory_ref)?;
            if let Some(updated) = self.update_one(namespace, &old, update)? {
                return Ok(updated);
            }
        }
        self.one(namespace, memory_ref).and(Err(self.never_at_rest(namespace)))
    }

    /// Adds a note, or puts it in the place of the note that has its id: its text is then this one's, and its time where the text
    /// is another. Source, tags and importance are where this one states them, and what was sensitive stays so, as in an
    /// import; [`Memory::update`] takes marks away.
    ///
    /// # Errors
    /// As [`Memory::add`] and [`Memory::update`]; and when the note has no id.
    pub fn upsert_note(&self, namespace: &Namespace, note: Note) -> Result<Upserted, Error> {
        let Some(id) = note.id.clone() else { return Err(Error::NoteWithoutId) };
        let draft = Draft::Note(note.clone());
        draft.check()?;
        for _ in 0..RETRIES {
            let Some(old) = self.note_in_place(namespace, &id, &note)? else {
                match self.add(namespace, std::slice::from_ref(&draft), &mut |_| {}) {
                    // Another process was first.
                    Err(Error::Store(aforesaid_core::StoreError::Conflict { .. })) => continue,
                    added => {
                        let added = added?;
                        return Ok(Upserted {
                            ids: added.ids,
                            added: added.added,
                            unchanged: added.unchanged,
                            warnings: added.warnings,
                            ..Upserted::default()
                        });
                    }
                }
            };
            let update = MemoryUpdate {
                said_at: note.said_at.filter(|_| note.text != old.text),
                text: Some(note.text.clone()),
                source: Some(note.source.clone()).filter(|source| !source.is_empty()),
                importance: Some(note.importance).filter(|importance| *importance != Importance::default()),
                tags: Some(note.tags.clone()).filter(|tags| !tags.is_empty()),
                sensitivity: Some(note.sensitivity).filter(|of| *of == Sensitivity::Sensitive),
                meta: Vec::new(),
            };
            if let Some(updated) = self.update_one(namespace, &old, &update)? {
                let is_changed = !updated.report.changed.is_empty();
                return Ok(Upserted {
                    ids: vec![id],
                    added: 0,
                    updated: usize::from(is_changed),
                    unchanged: usize::from(!is_changed),
                    changed: updated.report.changed,
                    warnings: updated.warnings,
                });
            }
        }
        Err(self.never_at_rest(namespace))
    }

    fn never_at_rest(&self, namespace: &Namespace) -> Error {
        Error::Store(aforesaid_core::StoreError::Outdated { namespace: namespace.clone() })
    }

    /// The memory that has the id of a note in its conversation, or among notes that have none.
    fn note_in_place(&self, namespace: &Namespace, id: &MemoryId, note: &Note) -> Result<Option<Record>, Error> {
        let memory_ref = MemoryRef { id: id.clone(), conversation: note.conversation.clone() };
        let found = self.store.find(namespace, &memory_ref)?;
        Ok(found.into_iter().find(|memory| memory.conversation == note.conversation))
    }

    /// Changes a memory; `None` where it is not there any more as it was.
    fn update_one(&self, namespace: &Namespace, old: &Record, update: &MemoryUpdate) -> Result<Option<Updated>, Error> {
        let mut warnings = Vec::new();
        let vectors = match encodes_anew(old, update) {
            true => self.vectors_of(namespace, old, update, &mut warnings)?,
            false => None,
        };
        let vectors = vectors.as_ref().map(|(encoder, vectors)| (set_of(&**encoder), vectors.as_slice()));
        let report = self.store.update(namespace, old.seq, update, vectors);
        // Also after an error: rows may be gone though the log could not be emptied.
        self.indexes.take_out(&*self.store, namespace);
        let Some(report) = report? else { return Ok(None) };
        let memory_ref = MemoryRef { id: old.id.clone(), conversation: old.conversation.clone() };
        let found = self.store.find(namespace, &memory_ref)?.into_iter();
        let memory = found.into_iter().find(|memory| memory.conversation == old.conversation);
        Ok(memory.map(|memory| Updated { memory, report, warnings }))
    }

    /// The vectors of a note as it will be, where there is an encoder that may see it.
    fn vectors_of(
        &self,
        namespace: &Namespace,
        old: &Record,
        update: &MemoryUpdate,
        warnings: &mut Vec<Warning>,
    ) -> Result<NewVectors, Error> {
        let lazy = self.writing_encoder(namespace)?;
        let encoder = match lazy.as_ref().map_err(Clone::clone).and_then(|lazy| lazy.get()) {
            Ok(encoder) => encoder,
            Err(reason) => {
                warnings.push(Warning::StoredWithoutVectors { reason });
                return Ok(None);
            }
        };
        let sensitivity = update.sensitivity.unwrap_or(old.sensitivity);
        if sensitivity == Sensitivity::Sensitive && audience(&**encoder) != Audience::LocalModels {
            return Ok(None);
        }
        let text = update.text.clone().unwrap_or_else(|| old.text.clone());
        let passage = Record { text, ..old.clone() }.passage();
        let vectors = encode_parts(&**encoder, Parts::Windows, &[passage])?;
        Ok(vectors.iter().next().map(|vectors| (Arc::clone(encoder), vectors.to_vec())))
    }
}

/// Whether a memory arrives anew by an update, so that it needs a vector.
fn encodes_anew(old: &Record, update: &MemoryUpdate) -> bool {
    let is_new_text = update.text.as_ref().is_some_and(|text| *text != old.text && !text.trim().is_empty());
    let is_new_time = update.said_at.is_some() && update.said_at != old.said_at;
    old.kind == Kind::Note && (is_new_text || is_new_time)
}
