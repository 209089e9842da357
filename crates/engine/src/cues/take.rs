//! Cue questions out of answers that are kept already, such as those of a batch file.

use aforesaid_core::types::{CueSource, Namespace, Scope};
use aforesaid_llm::{LlmError, ResponseCache, Written};

use serde::Serialize;

use super::{
    write::CueWriting,
    written::{CueWriter, WrittenCues},
};
use crate::{error::Error, ingest::Progress, memory::Memory};

/// Memories whose cues are written at a time.
const CHUNK: usize = 256;

/// What came of answers that were kept.
#[derive(Debug, Default, Serialize)]
pub struct TakenCues {
    /// What was written.
    #[serde(flatten)]
    pub written: WrittenCues,
    /// Memories with an answer that had cues already; they keep those.
    pub unchanged: usize,
    /// Memories that have neither cues nor an answer.
    pub unanswered: usize,
}

/// Why not all answers were taken.
enum Ended {
    /// The answers cannot be read any more; those taken before count.
    Cache(LlmError),
    Failed(Error),
}

impl From<LlmError> for Ended {
    fn from(error: LlmError) -> Self {
        Self::Cache(error)
    }
}

impl From<Error> for Ended {
    fn from(error: Error) -> Self {
        Self::Failed(error)
    }
}

impl Memory {
    /// Gives the memories of a scope that have no cues those of their request's answer in a cache, where there is one.
    ///
    /// `model` and the settings must be those the requests were made with. Nothing is sent.
    ///
    /// # Errors
    /// As [`Memory::write_cues`].
    pub fn take_cues(
        &self,
        namespace: &Namespace,
        scope: &Scope,
        (model, cache): (&str, &ResponseCache),
        writing: &CueWriting,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<TakenCues, Error> {
        let source = CueSource { model: model.to_owned(), prompt: writing.settings.prompt_of_source() };
        let mut writer = CueWriter::new(self, namespace, source, writing.indexing)?;
        self.must_exist(namespace)?;
        let resolved = self.resolve_scope(namespace, scope)?;
        let (mut taken, mut done) = (TakenCues::default(), 0);
        let total = self.store.count(namespace, &resolved)? as usize;
        let visited = self.visit_cue_requests(namespace, scope, &writing.settings, &mut |asked| {
            let kept = cache.get(&asked.request.key(model))?;
            let outcome = kept.map(|kept| kept.outcome(&asked.request.format)).filter(|found| found.is_complete());
            match outcome {
                Some(_) if asked.cued => taken.unchanged += 1,
                None if asked.cued => {}
                None => taken.unanswered += 1,
                Some(outcome) => {
                    let read = writing.settings.read(&outcome);
                    writer.take(asked.memory, read.map_or_else(Written::Skipped, Written::Questions));
                }
            }
            if writer.waiting() >= CHUNK {
                writer.write()?;
            }
            done += 1;
            progress(Progress { done, total: total.max(done) });
            Ok(())
        });
        let stopped = match visited {
            Ok(()) => None,
            Err(Ended::Cache(error)) => Some(error),
            Err(Ended::Failed(error)) => return Err(error),
        };
        taken.written = WrittenCues { stopped, ..writer.finish()? };
        Ok(taken)
    }
}
