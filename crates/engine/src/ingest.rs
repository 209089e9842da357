//! Adding memories: what is new is encoded first and then written at once.

use aforesaid_core::{
    Encoder, Locality,
    store::{Audience, Batch, Fate, Fingerprint, Staging},
    types::{Draft, EncoderId, MemoryId, Namespace, Note, Sensitivity, Seq, Turn},
};
use sha2::{Digest, Sha256};

use crate::{
    answer::Warning,
    error::Error,
    formats::{self, Format, Parsed, Skipped, Source},
    memory::Memory,
};

/// Passages encoded between two progress reports.
const CHUNK: usize = 256;

/// An addition larger than this keeps its vectors as it goes, so that it can resume.
const WORTH_STAGING: usize = 4 * CHUNK;

/// What an addition did.
#[derive(Debug, Clone, PartialEq, Default)]
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
#[derive(Debug, Clone, PartialEq)]
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

/// Vectors of the new drafts of an addition.
struct NewVectors {
    /// One a new draft; `None` for one that the encoder may not see.
    vectors: Vec<Option<Vec<f32>>>,
    /// Whether some were staged on the way.
    staging: Staging,
}

impl Memory {
    /// Adds turns; those already there are left as they are.
    ///
    /// # Errors
    /// When a turn cannot be kept or its id is taken by another text: then nothing was added.
    pub fn add_turns(&self, namespace: &Namespace, turns: Vec<Turn>) -> Result<Added, Error> {
        self.add(namespace, &turns.into_iter().map(Draft::Turn).collect::<Vec<_>>(), &mut |_| {})
    }

    /// Adds a note.
    ///
    /// # Errors
    /// When it cannot be kept or its id is taken by another text.
    pub fn add_note(&self, namespace: &Namespace, note: Note) -> Result<Added, Error> {
        self.add(namespace, &[Draft::Note(note)], &mut |_| {})
    }

    /// Adds turns and notes in one transaction.
    ///
    /// # Errors
    /// When one cannot be kept or its id is taken by another text: then nothing was added.
    pub fn add(
        &self,
        namespace: &Namespace,
        drafts: &[Draft],
        progress: &mut dyn FnMut(Progress),
    ) -> Result<Added, Error> {
        // Everything is checked before the first text is encoded: a bad file fails at once.
        let known = self.store.known(namespace, drafts)?;
        let new: Vec<usize> = (0..drafts.len()).filter(|&i| known[i].is_none()).collect();
        let mut added = Added::default();
        let mut batch = Batch::of(drafts);
        let made;
        let mut by_draft: Vec<Option<&[f32]>> = Vec::new();
        match self.encoder() {
            Ok(encoder) if !new.is_empty() => {
                made = self.encode_new(namespace, &**encoder, drafts, &new, progress)?;
                by_draft.resize(drafts.len(), None);
                for (&i, vector) in new.iter().zip(&made.vectors) {
                    by_draft[i] = vector.as_deref();
                }
                batch = Batch { drafts, encoder: Some(encoder.id()), vectors: &by_draft, staging: made.staging };
            }
            Ok(_) => {}
            Err(reason) => added.warnings.push(Warning::StoredWithoutVectors { reason }),
        }
        for fate in self.store.append(namespace, batch)? {
            match fate {
                Fate::Added(id) => {
                    added.added += 1;
                    added.ids.push(id);
                }
                Fate::Unchanged(id) => {
                    added.unchanged += 1;
                    added.ids.push(id);
                }
            }
        }
        Ok(added)
    }

    /// Reads a file's bytes as conversations and adds them in one transaction.
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
            skipped: parsed.skipped,
            warnings: added.warnings,
        })
    }

    /// Gives a vector to every memory of a namespace that has none; returns how many.
    ///
    /// Stops and starts where it likes: each step is written as it is done.
    ///
    /// # Errors
    /// When no encoder can be had, the namespace does not exist, or the store fails.
    pub fn reembed(&self, namespace: &Namespace, progress: &mut dyn FnMut(Progress)) -> Result<usize, Error> {
        self.must_exist(namespace)?;
        let encoder = self.encoder().map_err(|reason| Error::NoEncoder { reason })?;
        let audience = audience(&**encoder);
        let stats = self.store.stats(namespace)?;
        let present = stats.vectors.get(encoder.id().as_str()).copied().unwrap_or(0);
        let total = (stats.turns + stats.notes).saturating_sub(present) as usize;
        let (mut done, mut after) = (0, Seq(0));
        loop {
            let missing = self.store.unembedded(namespace, encoder.id(), audience, after, WORTH_STAGING)?;
            let Some(last) = missing.last() else { break };
            after = last.seq;
            let passages: Vec<&str> = missing.iter().map(|memory| memory.passage.as_str()).collect();
            let mut made = Vec::with_capacity(passages.len());
            for chunk in passages.chunks(CHUNK) {
                made.extend(encode(&**encoder, chunk)?);
                progress(Progress { done: done + made.len(), total });
            }
            let vectors: Vec<(Seq, &[f32])> =
                missing.iter().zip(&made).map(|(memory, vector)| (memory.seq, vector.as_slice())).collect();
            self.store.embed(namespace, encoder.id(), &vectors)?;
            done += vectors.len();
        }
        Ok(done)
    }

    pub(crate) fn encoder(&self) -> Result<&std::sync::Arc<dyn Encoder>, String> {
        match &self.encoder {
            Ok(encoder) => encoder.get(),
            Err(reason) => Err(reason.clone()),
        }
    }

    /// Encodes the new drafts; those that the encoder may not see have no vector.
    fn encode_new(
        &self,
        namespace: &Namespace,
        encoder: &dyn Encoder,
        drafts: &[Draft],
        new: &[usize],
        progress: &mut dyn FnMut(Progress),
    ) -> Result<NewVectors, Error> {
        let visible =
            |draft: &Draft| audience(encoder) == Audience::LocalModels || draft.sensitivity() == Sensitivity::Ordinary;
        let staging = new.len() > WORTH_STAGING;
        let passages: Vec<Option<String>> =
            new.iter().map(|&i| visible(&drafts[i]).then(|| drafts[i].passage())).collect();
        let mut vectors: Vec<Option<Vec<f32>>> = Vec::with_capacity(new.len());
        for chunk in passages.chunks(CHUNK) {
            let texts: Vec<&str> = chunk.iter().flatten().map(String::as_str).collect();
            let made = if staging { self.encode_staged(namespace, encoder, &texts)? } else { encode(encoder, &texts)? };
            let mut made = made.into_iter();
            vectors.extend(chunk.iter().map(|passage| passage.as_ref().and_then(|_| made.next())));
            progress(Progress { done: vectors.len(), total: new.len() });
        }
        Ok(NewVectors { vectors, staging: if staging { Staging::Drop } else { Staging::Keep } })
    }

    /// Takes vectors that an interrupted import has left, and leaves those it makes.
    fn encode_staged(
        &self,
        namespace: &Namespace,
        encoder: &dyn Encoder,
        texts: &[&str],
    ) -> Result<Vec<Vec<f32>>, Error> {
        let prints: Vec<Fingerprint> = texts.iter().map(|text| fingerprint(text)).collect();
        let mut staged = self.store.staged(namespace, encoder.id(), &prints)?;
        let missing: Vec<usize> = (0..texts.len()).filter(|&i| staged[i].is_none()).collect();
        let made = encode(encoder, &missing.iter().map(|&i| texts[i]).collect::<Vec<_>>())?;
        let rows: Vec<(Fingerprint, &[f32])> =
            missing.iter().zip(&made).map(|(&i, vector)| (prints[i], vector.as_slice())).collect();
        if !rows.is_empty() {
            self.store.stage(namespace, encoder.id(), &rows)?;
        }
        for (i, vector) in missing.into_iter().zip(made) {
            staged[i] = Some(vector);
        }
        Ok(staged.into_iter().flatten().collect())
    }
}

fn audience(encoder: &dyn Encoder) -> Audience {
    match encoder.locality() {
        Locality::Local => Audience::LocalModels,
        Locality::Remote => Audience::AnyModel,
    }
}

/// One vector a text; a short answer from the encoder is an error, never a shift.
fn encode(encoder: &dyn Encoder, texts: &[&str]) -> Result<Vec<Vec<f32>>, Error> {
    if texts.is_empty() {
        return Ok(Vec::new());
    }
    let vectors = encoder.encode_passages(texts)?;
    if vectors.len() != texts.len() {
        return Err(Error::Encode(aforesaid_core::EncodeError {
            encoder: EncoderId::clone(encoder.id()),
            message: format!("{} texts went in and {} vectors came out", texts.len(), vectors.len()),
        }));
    }
    Ok(vectors.iter().map(<[f32]>::to_vec).collect())
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
