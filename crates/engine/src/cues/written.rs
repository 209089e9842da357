//! Answers on their way into the store, whether a server gave them now or a batch file did.

use std::mem;

use aforesaid_core::types::{ConversationId, CueSource, MemoryId, Namespace, Record, Seq};
use aforesaid_llm::{CueFault, LlmError, ReplyFault, Written};
use serde::{Serialize, Serializer};

use super::add::{CueIndexing, Questioned};
use crate::{answer::Warning, error::Error, memory::Memory};

/// Skipped memories that [`SkippedCues::first`] names at most.
pub const SHOWN_SKIPPED: usize = 5;

/// Memories that were asked about and have no cues now.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct SkippedCues {
    /// How many.
    pub count: usize,
    /// The first of them.
    pub first: Vec<SkippedMemory>,
}

/// A memory without a reply that could be read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SkippedMemory {
    /// Its id.
    pub id: MemoryId,
    /// Its conversation, if any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub conversation: Option<ConversationId>,
    /// What was wrong with the last reply, in words that hold nothing of it.
    pub why: &'static str,
}

/// What came of asking for cues.
#[derive(Debug, Default, Serialize)]
pub struct WrittenCues {
    /// Memories that have cues now, those with nothing to ask included.
    pub memories: usize,
    /// Their questions.
    pub questions: usize,
    /// Memories without a reply that could be read. They stay as they were, so that a later call asks again.
    pub skipped: SkippedCues,
    /// Why not all were asked; what was answered before is written.
    #[serde(serialize_with = "message")]
    pub stopped: Option<LlmError>,
    /// What the user should know.
    pub warnings: Vec<Warning>,
}

/// An error as its message.
fn message<S: Serializer>(error: &Option<LlmError>, serializer: S) -> Result<S::Ok, S::Error> {
    error.as_ref().map(ToString::to_string).serialize(serializer)
}

/// Takes what was read and writes it, a few memories at a time.
pub(super) struct CueWriter<'w> {
    memory: &'w Memory,
    namespace: &'w Namespace,
    source: CueSource,
    indexing: CueIndexing,
    waiting: Vec<Questioned>,
    done: WrittenCues,
}

impl<'w> CueWriter<'w> {
    /// A writer of cues by one source.
    ///
    /// # Errors
    /// When another encoder is active in the namespace, which is better known before anything is paid for.
    pub(super) fn new(
        memory: &'w Memory,
        namespace: &'w Namespace,
        source: CueSource,
        indexing: CueIndexing,
    ) -> Result<Self, Error> {
        if indexing.questions || indexing.passage {
            // A reason to go without vectors is a warning when the cues are written.
            let _reason = memory.writing_encoder(namespace)?.err();
        }
        Ok(Self { memory, namespace, source, indexing, waiting: Vec::new(), done: WrittenCues::default() })
    }

    /// Memories that wait to be written.
    pub(super) fn waiting(&self) -> usize {
        self.waiting.len()
    }

    /// Takes what came of a memory.
    pub(super) fn take(&mut self, memory: Record, written: Written) {
        match written {
            Written::Questions(questions) => self.waiting.push((memory, questions)),
            Written::Skipped(fault) => self.skip(memory, kind(&fault)),
        }
    }

    /// Counts a memory as skipped.
    pub(super) fn skip(&mut self, memory: Record, why: &'static str) {
        self.done.skipped.count += 1;
        if self.done.skipped.first.len() < SHOWN_SKIPPED {
            let Record { id, conversation, .. } = memory;
            self.done.skipped.first.push(SkippedMemory { id, conversation, why });
        }
    }

    /// Writes what waits, in one transaction. Where it cannot be encoded it is written without vectors: it was paid for.
    pub(super) fn write(&mut self) -> Result<(), Error> {
        let mut cues = mem::take(&mut self.waiting);
        // Answers take a while: what was forgotten meanwhile gets no cues, nor does what took its place.
        let places: Vec<Seq> = cues.iter().map(|(memory, _)| memory.seq).collect();
        let there = self.memory.store.fetch(self.namespace, &places)?;
        cues.retain(|(memory, _)| there.contains(memory));
        let put = |indexing| self.memory.put_cues(self.namespace, &self.source, &cues, indexing);
        let (warning, failed) = match put(self.indexing) {
            Err(error @ Error::Encode(_)) => (put(CueIndexing { questions: false, passage: false })?, Some(error)),
            put => (put?, None),
        };
        self.done.memories += cues.len();
        self.done.questions += cues.iter().map(|(_, questions)| questions.len()).sum::<usize>();
        self.done.warnings.extend(warning);
        self.done.warnings.dedup();
        failed.map_or(Ok(()), Err)
    }

    /// Writes what waits and says what was done.
    pub(super) fn finish(mut self) -> Result<WrittenCues, Error> {
        if !self.waiting.is_empty() {
            self.write()?;
        }
        Ok(self.done)
    }
}

/// A fault without anything of the reply.
fn kind(fault: &CueFault) -> &'static str {
    match fault {
        CueFault::Reply(ReplyFault::Refused(_)) => "the model declined",
        CueFault::Reply(ReplyFault::Cut) => "the reply is cut",
        CueFault::Reply(ReplyFault::Filtered) => "a filter stopped the reply",
        CueFault::Reply(ReplyFault::NoJson(_)) => "the reply is no JSON",
        CueFault::Reply(ReplyFault::Shape(_)) => "the reply is other JSON than asked for",
        CueFault::TooMany { .. } => "too many questions",
        CueFault::TooLong { .. } => "a question is too long",
        CueFault::ControlCharacter { .. } => "a question has a control character",
        _ => "the reply cannot be read",
    }
}
