//! Adding, visiting and dropping cue questions. They may come at any time; the next search uses them.

use aforesaid_core::{
    Encoder,
    store::{Audience, CueStats, CueVectors, DroppedCues, MemoryRef, NewCues},
    types::{ConversationId, CueSource, Cues, MemoryId, Namespace, Record, Scope, Sensitivity, Seq, cued_passage},
};

use serde::Serialize;

use crate::{
    answer::Warning,
    encoding::{audience, encode},
    error::Error,
    ingest::Progress,
    memory::Memory,
};

/// A memory and questions for it.
pub(super) type Questioned = (Record, Vec<String>);

/// Memories whose cues are encoded and written at a time.
const CHUNK: usize = 256;
/// Questions a memory may have.
pub const MAX_QUESTIONS: usize = 64;
/// Characters a question may have.
pub const MAX_QUESTION_CHARS: usize = 1_000;

/// Questions for one memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CueDraft {
    /// The memory.
    pub id: MemoryId,
    /// Its conversation; `None` where the id stands in one only.
    pub conversation: Option<ConversationId>,
    /// The questions; none where there is nothing to ask.
    pub questions: Vec<String>,
}

/// Which vectors of cues are made. Their words are indexed in any case.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CueIndexing {
    /// One a question (ROXY's multivec); the default pipeline compares them.
    pub questions: bool,
    /// One of the text with all its questions (ROXY's concat); for pipelines with `dense(concat)`.
    pub passage: bool,
}

impl Default for CueIndexing {
    fn default() -> Self {
        Self { questions: true, passage: false }
    }
}

/// What an addition of cues did.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct AddedCues {
    /// Memories that got cues, or others than they had.
    pub added: usize,
    /// Memories that have these already.
    pub unchanged: usize,
    /// Ids that no memory has.
    pub unknown: Vec<MemoryId>,
    /// What the user should know.
    pub warnings: Vec<Warning>,
}

/// A memory and its cues, if it was ever asked for any.
#[derive(Debug, Clone, PartialEq)]
pub struct CuedMemory {
    /// The memory.
    pub memory: Record,
    /// Its cues.
    pub cues: Option<Cues>,
}

impl Memory {
    /// Gives memories their cue questions, in the place of those they have.
    ///
    /// Written as they are encoded, a few hundred memories at a time: a call that was stopped goes on where it was.
    /// A remote encoder sees no question of a sensitive memory.
    ///
    /// # Errors
    /// When questions cannot be kept or an id stands in several conversations: then nothing was added. When another
    /// encoder's vectors serve the namespace, a question cannot be encoded, or the store fails: then what was
    /// written before stays.
    pub fn add_cues(
        &self,
        namespace: &Namespace,
        source: &CueSource,
        drafts: &[CueDraft],
        indexing: CueIndexing,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<AddedCues, Error> {
        self.must_exist(namespace)?;
        let mut added = AddedCues::default();
        let new = self.find_drafts(namespace, drafts, &mut added.unknown)?;
        self.add_found(namespace, &[(source.clone(), new)], indexing, progress, added)
    }

    /// The memories that drafts are for, with their questions.
    pub(super) fn find_drafts<'d>(
        &self,
        namespace: &Namespace,
        drafts: impl IntoIterator<Item = &'d CueDraft>,
        unknown: &mut Vec<MemoryId>,
    ) -> Result<Vec<Questioned>, Error> {
        let mut new = Vec::new();
        for draft in drafts {
            let questions = checked(&draft.questions).map_err(|(found, expected)| Error::InvalidCues {
                id: draft.id.clone(),
                found,
                expected,
            })?;
            let memory_ref = MemoryRef { id: draft.id.clone(), conversation: draft.conversation.clone() };
            match self.one(namespace, &memory_ref) {
                Ok(memory) => new.push((memory, questions)),
                Err(Error::UnknownMemory { .. }) => unknown.push(draft.id.clone()),
                Err(error) => return Err(error),
            }
        }
        Ok(new)
    }

    /// Adds what is new of cues by source.
    pub(super) fn add_found(
        &self,
        namespace: &Namespace,
        cues: &[(CueSource, Vec<Questioned>)],
        indexing: CueIndexing,
        progress: &mut dyn FnMut(Progress),
        mut added: AddedCues,
    ) -> Result<AddedCues, Error> {
        let mut changed = Vec::with_capacity(cues.len());
        for (source, new) in cues {
            let before = new.len();
            let new = self.changed(namespace, source, new)?;
            added.unchanged += before - new.len();
            changed.push((source, new));
        }
        let total = changed.iter().map(|(_, new)| new.len()).sum();
        for (source, new) in changed {
            for chunk in new.chunks(CHUNK) {
                added.warnings.extend(self.put_cues(namespace, source, chunk, indexing)?);
                added.added += chunk.len();
                progress(Progress { done: added.added, total });
            }
        }
        added.warnings.dedup();
        Ok(added)
    }

    /// Leaves out memories that have these cues already.
    fn changed(&self, namespace: &Namespace, source: &CueSource, new: &[Questioned]) -> Result<Vec<Questioned>, Error> {
        let places: Vec<Seq> = new.iter().map(|(memory, _)| memory.seq).collect();
        let stored = self.store.cues(namespace, &places)?;
        let is_new = |questions: &Vec<String>, stored: Option<Cues>| {
            stored.is_none_or(|stored| stored.source != *source || stored.questions != *questions)
        };
        let pairs = new.iter().zip(stored).filter(|((_, questions), stored)| is_new(questions, stored.clone()));
        Ok(pairs.map(|(new, _)| new.clone()).collect())
    }

    /// Encodes the cues of a few memories and writes them in one transaction.
    pub(crate) fn put_cues(
        &self,
        namespace: &Namespace,
        source: &CueSource,
        cues: &[Questioned],
        indexing: CueIndexing,
    ) -> Result<Option<Warning>, Error> {
        let wanted = indexing.questions || indexing.passage;
        let lazy = if wanted { Some(self.writing_encoder(namespace)?) } else { None };
        let encoder = match &lazy {
            None => Ok(None),
            Some(Err(reason)) => Err(reason.clone()),
            Some(Ok(encoder)) => encoder.get().map(Some),
        };
        let (encoder, warning) = match encoder {
            Ok(encoder) => (encoder, None),
            Err(reason) => (None, Some(Warning::StoredWithoutVectors { reason })),
        };
        let vectors = match encoder {
            Some(encoder) => encode_cues(&**encoder, cues, indexing)?,
            None => vec![CueVectors::default(); cues.len()],
        };
        let new = cues.iter().zip(vectors).map(|((memory, questions), vectors)| NewCues {
            seq: memory.seq,
            questions: questions.clone(),
            vectors,
        });
        let id = encoder.map(|encoder| encoder.id());
        self.store.put_cues(namespace, source, id, &new.collect::<Vec<_>>())?;
        Ok(warning)
    }

    /// Visits the memories of a scope with their cues, by conversation, session and order.
    ///
    /// # Errors
    /// When the namespace or a named part of it does not exist, or the store fails.
    pub fn visit_cues(
        &self,
        namespace: &Namespace,
        scope: &Scope,
        visit: &mut dyn FnMut(CuedMemory),
    ) -> Result<(), Error> {
        self.try_visit_cues(namespace, scope, &mut |cued| {
            visit(cued);
            Ok(())
        })
    }

    /// Like [`Memory::visit_cues`], until `visit` fails.
    ///
    /// A few hundred memories are read at a time, each time as they are then, so that a visitor may take its time and
    /// write: nothing is locked while it runs. What is forgotten meanwhile is left out.
    ///
    /// # Errors
    /// As [`Memory::visit_cues`], and what `visit` answers.
    pub fn try_visit_cues<E: From<Error>>(
        &self,
        namespace: &Namespace,
        scope: &Scope,
        visit: &mut dyn FnMut(CuedMemory) -> Result<(), E>,
    ) -> Result<(), E> {
        let scope = self.resolve_scope(namespace, scope)?;
        for chunk in self.store.positions(namespace, &scope).map_err(Error::from)?.chunks(CHUNK) {
            let memories = self.store.fetch(namespace, chunk).map_err(Error::from)?;
            let places: Vec<Seq> = memories.iter().map(|memory| memory.seq).collect();
            let cues = self.store.cues(namespace, &places).map_err(Error::from)?;
            for (memory, cues) in memories.into_iter().zip(cues) {
                visit(CuedMemory { memory, cues })?;
            }
        }
        Ok(())
    }

    /// Takes the cues of a scope away, free pages included; the memories stay.
    ///
    /// # Errors
    /// When the namespace or a named part of it does not exist, or the store fails.
    pub fn drop_cues(&self, namespace: &Namespace, scope: &Scope) -> Result<DroppedCues, Error> {
        self.must_exist(namespace)?;
        let scope = self.resolve_scope(namespace, scope)?;
        let dropped = self.store.drop_cues(namespace, &scope);
        self.indexes.take_out(&*self.store, namespace);
        Ok(dropped?)
    }

    /// How many cues a namespace holds.
    ///
    /// # Errors
    /// When it does not exist or the store fails.
    pub fn cue_stats(&self, namespace: &Namespace) -> Result<CueStats, Error> {
        Ok(self.store.cue_stats(namespace)?)
    }
}

/// Questions without what surrounds them; or what was found and expected, where one cannot be kept.
pub(super) fn checked(questions: &[String]) -> Result<Vec<String>, (String, String)> {
    if questions.len() > MAX_QUESTIONS {
        return Err((format!("{} questions", questions.len()), format!("at most {MAX_QUESTIONS}")));
    }
    let question = |question: &String| {
        let question = question.trim();
        let chars = question.chars().count();
        match chars {
            0 => Err(("an empty question".to_owned(), "some words".to_owned())),
            1..=MAX_QUESTION_CHARS => Ok(question.to_owned()),
            _ => Err((format!("a question of {chars} characters"), format!("at most {MAX_QUESTION_CHARS}"))),
        }
    };
    questions.iter().map(question).collect()
}

/// The vectors of some memories' cues; none of a memory that the encoder may not see.
fn encode_cues(encoder: &dyn Encoder, cues: &[Questioned], indexing: CueIndexing) -> Result<Vec<CueVectors>, Error> {
    let sees_all = audience(encoder) == Audience::LocalModels;
    let visible = |memory: &Record| sees_all || memory.sensitivity == Sensitivity::Ordinary;
    let mut texts = Vec::new();
    for (memory, questions) in cues.iter().filter(|(memory, _)| visible(memory)) {
        if indexing.questions {
            texts.extend(questions.iter().cloned());
        }
        if indexing.passage {
            texts.push(cued_passage(&memory.passage(), questions.iter().map(String::as_str)));
        }
    }
    let made = encode(encoder, &texts)?;
    let mut made = made.iter().map(<[f32]>::to_vec);
    let of_memory = |(memory, questions): &Questioned| match visible(memory) {
        false => CueVectors::default(),
        true => {
            let count = if indexing.questions { questions.len() } else { 0 };
            let questions = made.by_ref().take(count).collect();
            CueVectors { questions, passage: if indexing.passage { made.next() } else { None } }
        }
    };
    Ok(cues.iter().map(of_memory).collect())
}
