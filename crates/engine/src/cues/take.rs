//! Cue questions out of answers that are kept already, such as those of a batch file.

use aforesaid_core::types::{CueSource, Namespace, Scope};
use aforesaid_llm::{ResponseCache, Written};

use super::{CueWriting, WrittenCues, written::CueWriter};
use crate::{error::Error, ingest::Progress, memory::Memory};

/// Memories whose cues are written at a time.
const CHUNK: usize = 256;

/// What came of answers that were kept.
#[derive(Debug, Default)]
pub struct TakenCues {
    /// What was written.
    pub written: WrittenCues,
    /// Memories with an answer that had cues already; they keep those.
    pub unchanged: usize,
    /// Memories that have neither cues nor an answer.
    pub unanswered: usize,
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
        let requests = self.cue_requests(namespace, scope, &writing.settings)?;
        let source = CueSource { model: model.to_owned(), prompt: writing.settings.prompt.id().to_owned() };
        let mut writer = CueWriter::new(self, namespace, source, writing.indexing)?;
        let (mut taken, total) = (TakenCues::default(), requests.len());
        let mut stopped = None;
        for (done, asked) in (1..).zip(requests) {
            let outcome = match cache.get(&asked.request.key(model)) {
                Ok(kept) => kept.map(|kept| kept.outcome(&asked.request.format)).filter(|found| found.is_complete()),
                Err(error) => {
                    stopped = Some(error);
                    break;
                }
            };
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
            progress(Progress { done, total });
        }
        taken.written = WrittenCues { stopped, ..writer.finish()? };
        Ok(taken)
    }
}
