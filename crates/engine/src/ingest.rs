//! Adding memories: what is new is encoded first and then written at once.

use std::{collections::HashSet, ops::ControlFlow};

use aforesaid_core::{
    Encoder, StoreError,
    store::{AppendOutcome, Audience, Batch, Fingerprint, NewVectors, OnConflict},
    types::{Draft, MemoryId, Namespace, Note, Sensitivity, Turn},
};
use serde::Serialize;
use sha2::{Digest, Sha256};

use crate::{
    answer::Warning,
    encoding::{self, CHUNK, Chunk, Parts, PassageVectors, audience, encode_parts, set_of},
    error::Error,
    formats::{self, Format, Parsed, Skipped, Source},
    memory::Memory,
};

/// How often an import starts over because another took staged vectors that it was waiting for.
const RETRIES: usize = 3;

/// What an addition did.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Added {
    /// Ids of the memories given, in their order.
    pub ids: Vec<MemoryId>,
    /// How many were new.
    pub added: usize,
    /// How many were there already, the same in every field.
    pub unchanged: usize,
    /// What the user should know.
    pub warnings: Vec<Warning>,
}

/// What an import did.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Imported {
    /// The format it was read as.
    pub format: Format,
    /// Conversations in the file.
    pub conversations: usize,
    /// Sessions in the file.
    pub sessions: usize,
    /// How many memories were new.
    pub added: usize,
    /// How many were there already.
    pub unchanged: usize,
    /// How many took the place of another text with their id: they were edited since.
    pub replaced: usize,
    /// How many were left out for another text with their id, which stays.
    pub kept: usize,
    /// How many were taken out, since they are on a branch of their conversation that is not shown any more.
    pub removed: usize,
    /// What was left out of the file, and why.
    pub skipped: Vec<Skipped>,
    /// What the user should know.
    pub warnings: Vec<Warning>,
}

/// How far a long call has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    /// Passages encoded.
    pub done: usize,
    /// Passages to encode.
    pub total: usize,
}

impl Memory {
    /// Adds turns; those already there are left as they are.
    ///
    /// # Errors
    /// As [`Memory::add`].
    pub fn add_turns(&self, namespace: &Namespace, turns: Vec<Turn>) -> Result<Added, Error> {
        self.add(namespace, &turns.into_iter().map(Draft::Turn).collect::<Vec<_>>(), &mut |_| {})
    }

    /// Adds a note.
    ///
    /// # Errors
    /// As [`Memory::add`].
    pub fn add_note(&self, namespace: &Namespace, note: Note) -> Result<Added, Error> {
        self.add(namespace, &[Draft::Note(note)], &mut |_| {})
    }

    /// Adds turns and notes in one transaction.
    ///
    /// # Errors
    /// When one cannot be kept, its id is taken by another text, or the namespace is served by vectors of
    /// another encoder: then nothing was added.
    pub fn add(
        &self,
        namespace: &Namespace,
        drafts: &[Draft],
        progress: &mut dyn FnMut(Progress),
    ) -> Result<Added, Error> {
        // Everything is checked before the first text is encoded: a bad file fails at once.
        let known = self.store.find_existing(namespace, drafts)?;
        let new: Vec<usize> = (0..drafts.len()).filter(|&i| known[i].is_none()).collect();
        let mut added = Added::default();
        let lazy = if new.is_empty() { None } else { Some(self.writing_encoder(namespace)?) };
        let encoder = match &lazy {
            None => Ok(None),
            Some(Err(reason)) => Err(reason.clone()),
            Some(Ok(encoder)) => encoder.get().map(Some),
        };
        let fates = match encoder {
            Ok(Some(encoder)) if new.len() > CHUNK => self.add_staged(namespace, &**encoder, drafts, &new, progress)?,
            Ok(Some(encoder)) => self.add_encoded(namespace, &**encoder, drafts, &new, progress)?,
            Ok(None) => self.store.append(namespace, Batch::of(drafts))?,
            Err(reason) => {
                added.warnings.push(Warning::StoredWithoutVectors { reason });
                self.store.append(namespace, Batch::of(drafts))?
            }
        };
        for fate in fates {
            match fate {
                AppendOutcome::Added(id) => {
                    added.added += 1;
                    added.ids.push(id);
                }
                // A batch with a conflict is refused, so that none is replaced or kept.
                AppendOutcome::Unchanged(id) | AppendOutcome::Replaced(id) | AppendOutcome::Kept(id) => {
                    added.unchanged += 1;
                    added.ids.push(id);
                }
            }
        }
        Ok(added)
    }

    /// Reads a file's bytes as conversations and adds them with their vectors in one transaction.
    ///
    /// [`Memory::import_texts`] stores the texts alone, so that they are found by their words at once.
    ///
    /// # Errors
    /// When the bytes are not of a known format, something in them cannot be kept, or an id is
    /// taken by another text: then nothing was added.
    pub fn import(
        &self,
        namespace: &Namespace,
        format: Option<Format>,
        bytes: &[u8],
        source: &Source<'_>,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<Imported, Error> {
        let format = match format {
            Some(format) => format,
            None => formats::detect(bytes, source.file)?,
        };
        self.import_parsed(namespace, format, formats::parse(format, bytes, source)?, progress)
    }

    /// Adds what a file was read as, in one transaction; see [`Memory::import`].
    ///
    /// # Errors
    /// When something cannot be kept, or an id is taken by another text: then nothing was added.
    pub fn import_parsed(
        &self,
        namespace: &Namespace,
        format: Format,
        parsed: Parsed,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<Imported, Error> {
        let (conversations, sessions) = groups(&parsed.drafts);
        let added = self.add(namespace, &parsed.drafts, progress)?;
        Ok(Imported {
            format,
            conversations,
            sessions,
            added: added.added,
            unchanged: added.unchanged,
            replaced: 0,
            kept: 0,
            removed: 0,
            skipped: parsed.skipped,
            warnings: added.warnings,
        })
    }

    /// Adds the texts of what a file was read as, in one transaction and without vectors: they are found by their words
    /// at once, and [`Memory::complete_vectors`] makes the vectors.
    ///
    /// Where `on_conflict` is [`OnConflict::Newest`], turns that an earlier import stored are then taken out if they are on a
    /// branch of their conversation that is not shown any more ([`Parsed::left`]).
    ///
    /// # Errors
    /// When something cannot be kept, an id is taken by another text and `on_conflict` refuses that, or the namespace is
    /// served by vectors of another encoder: then nothing was added.
    pub fn import_texts(
        &self,
        namespace: &Namespace,
        format: Format,
        parsed: Parsed,
        on_conflict: OnConflict,
    ) -> Result<Imported, Error> {
        let (conversations, sessions) = groups(&parsed.drafts);
        let encoder = self.writing_encoder(namespace)?;
        let outcomes = self.put_texts(namespace, &parsed.drafts, on_conflict)?;
        // After what came: an import that fails between the two is made whole by the next.
        let removed = match on_conflict {
            OnConflict::Newest => self.take_back(namespace, &parsed.left)?,
            OnConflict::Keep | OnConflict::Fail => 0,
        };
        let count = |is: fn(&AppendOutcome) -> bool| outcomes.iter().filter(|outcome| is(outcome)).count();
        let mut imported = Imported {
            format,
            conversations,
            sessions,
            added: count(|outcome| matches!(outcome, AppendOutcome::Added(_))),
            unchanged: count(|outcome| matches!(outcome, AppendOutcome::Unchanged(_))),
            replaced: count(|outcome| matches!(outcome, AppendOutcome::Replaced(_))),
            kept: count(|outcome| matches!(outcome, AppendOutcome::Kept(_))),
            removed,
            skipped: parsed.skipped,
            warnings: Vec::new(),
        };
        if imported.replaced + imported.removed > 0 {
            imported.warnings.extend(Warning::of_erasure(self.store.erasure()?));
        }
        if let (Err(reason), true) = (encoder, imported.added + imported.replaced > 0) {
            imported.warnings.push(Warning::StoredWithoutVectors { reason });
        }
        Ok(imported)
    }

    /// Adds texts in one transaction and without vectors; an index held here does not keep what was replaced.
    pub(crate) fn put_texts(
        &self,
        namespace: &Namespace,
        drafts: &[Draft],
        on_conflict: OnConflict,
    ) -> Result<Vec<AppendOutcome>, Error> {
        let outcomes = self.store.append_with(namespace, Batch::of(drafts), on_conflict)?;
        if outcomes.iter().any(|outcome| matches!(outcome, AppendOutcome::Replaced(_))) {
            self.indexes.take_out(&*self.store, namespace);
        }
        Ok(outcomes)
    }

    /// Encodes the new drafts at once and adds them with their vectors.
    fn add_encoded(
        &self,
        namespace: &Namespace,
        encoder: &dyn Encoder,
        drafts: &[Draft],
        new: &[usize],
        progress: &mut dyn FnMut(Progress),
    ) -> Result<Vec<AppendOutcome>, Error> {
        let seen: Vec<usize> = new.iter().copied().filter(|&i| may_see(encoder, &drafts[i])).collect();
        let passages: Vec<String> = seen.iter().map(|&i| drafts[i].passage()).collect();
        let made = encode_parts(encoder, Parts::Windows, &passages)?;
        progress(Progress { done: new.len(), total: new.len() });
        let mut vectors = vec![None; drafts.len()];
        for (&i, vector) in seen.iter().zip(made.iter()) {
            vectors[i] = Some(vector);
        }
        let vectors = NewVectors::Given { set: set_of(encoder), vectors: &vectors };
        Ok(self.store.append(namespace, Batch { drafts, vectors })?)
    }

    /// Encodes the new drafts chunk by chunk, leaving vectors with the store, and adds all once they are whole.
    fn add_staged(
        &self,
        namespace: &Namespace,
        encoder: &dyn Encoder,
        drafts: &[Draft],
        new: &[usize],
        progress: &mut dyn FnMut(Progress),
    ) -> Result<Vec<AppendOutcome>, Error> {
        let mut attempt = 1;
        loop {
            let fingerprints = self.stage(namespace, encoder, drafts, new, progress)?;
            let vectors = NewVectors::Staged { set: set_of(encoder), fingerprints: &fingerprints };
            match self.store.append(namespace, Batch { drafts, vectors }) {
                // An import of the same texts was faster; what it took is encoded again.
                Err(StoreError::Unstaged { .. }) if attempt < RETRIES => attempt += 1,
                appended => return Ok(appended?),
            }
        }
    }

    /// Stages a vector for every new draft that the encoder may see, and gives the fingerprints of these.
    ///
    /// What an interrupted import has left is taken as it is.
    fn stage(
        &self,
        namespace: &Namespace,
        encoder: &dyn Encoder,
        drafts: &[Draft],
        new: &[usize],
        progress: &mut dyn FnMut(Progress),
    ) -> Result<Vec<Option<Fingerprint>>, Error> {
        let mut fingerprints = vec![None; drafts.len()];
        let mut seen = HashSet::new();
        let mut blocks = new.chunks(CHUNK);
        let mut done = 0;
        let next = || {
            let mut chunk = Chunk { keys: Vec::new(), passages: Vec::new(), done };
            while chunk.keys.len() < CHUNK
                && let Some(block) = blocks.next()
            {
                chunk.done += block.len();
                let mut passages: Vec<(Fingerprint, String)> = Vec::with_capacity(block.len());
                for &i in block.iter().filter(|&&i| may_see(encoder, &drafts[i])) {
                    let passage = drafts[i].passage();
                    let print = fingerprint(&passage);
                    fingerprints[i] = Some(print);
                    if seen.insert(print) {
                        passages.push((print, passage));
                    }
                }
                let prints: Vec<Fingerprint> = passages.iter().map(|(print, _)| *print).collect();
                let staged = self.store.staged(namespace, encoder.id(), &prints)?;
                for ((print, passage), _) in passages.into_iter().zip(staged).filter(|(_, staged)| !staged) {
                    chunk.keys.push(print);
                    chunk.passages.push(passage);
                }
            }
            done = chunk.done;
            Ok((!chunk.keys.is_empty()).then_some(chunk))
        };
        let keep = |prints: &[Fingerprint], vectors: &PassageVectors| {
            let rows: Vec<(Fingerprint, &[f32])> = prints.iter().copied().zip(vectors.iter()).collect();
            Ok(self.store.stage(namespace, encoder.id(), &rows)?)
        };
        let total = new.len();
        encoding::run(encoder, Parts::Windows, next, keep, &mut |done| {
            progress(Progress { done, total });
            ControlFlow::Continue(())
        })?;
        Ok(fingerprints)
    }
}

fn may_see(encoder: &dyn Encoder, draft: &Draft) -> bool {
    audience(encoder) == Audience::LocalModels || draft.sensitivity() == Sensitivity::Ordinary
}

fn fingerprint(text: &str) -> Fingerprint {
    let digest = Sha256::digest(text.as_bytes());
    std::array::from_fn(|i| digest[i])
}

fn groups(drafts: &[Draft]) -> (usize, usize) {
    let mut conversations = std::collections::HashSet::new();
    let mut sessions = std::collections::HashSet::new();
    for draft in drafts {
        conversations.extend(draft.conversation());
        if let Draft::Turn(turn) = draft {
            sessions.insert((&turn.conversation, &turn.session));
        }
    }
    (conversations.len(), sessions.len())
}
