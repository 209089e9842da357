//! What a model is asked about a memory. Nothing of a sensitive one is ever part of it.

use aforesaid_core::types::{Namespace, Record, Scope, Sensitivity};
use aforesaid_llm::{ChatRequest, CuePrompt, CueSettings, CueSubject};

use crate::{calendar::calendar, error::Error, memory::Memory};

/// A memory and the request for its cue questions.
#[derive(Debug, Clone, PartialEq)]
pub struct CueRequest {
    /// The memory.
    pub memory: Record,
    /// The request.
    pub request: ChatRequest,
    /// Whether the memory has cues already, of whatever source.
    pub cued: bool,
}

impl Memory {
    /// The requests for the cue questions of a scope's memories, by conversation, session and order: what
    /// [`Memory::write_cues`] would send, and what may go into a batch file.
    ///
    /// # Errors
    /// When the namespace or a named part of it does not exist, or the store fails.
    pub fn cue_requests(
        &self,
        namespace: &Namespace,
        scope: &Scope,
        settings: &CueSettings,
    ) -> Result<Vec<CueRequest>, Error> {
        let mut requests = Vec::new();
        self.visit_cue_requests(namespace, scope, settings, &mut |request| {
            requests.push(request);
            Ok::<_, Error>(())
        })?;
        Ok(requests)
    }

    /// Visits what [`Memory::cue_requests`] returns, until `visit` fails. A few hundred requests are held at a time.
    ///
    /// # Errors
    /// As [`Memory::cue_requests`], and what `visit` answers.
    pub fn visit_cue_requests<E: From<Error>>(
        &self,
        namespace: &Namespace,
        scope: &Scope,
        settings: &CueSettings,
        visit: &mut dyn FnMut(CueRequest) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut count = 0;
        self.must_exist(namespace)?;
        self.try_visit_cues(namespace, scope, &mut |cued| {
            count += 1;
            if !may_leave(&cued.memory) {
                return Ok(());
            }
            let request = settings.request(&self.cue_subject(namespace, &cued.memory, settings)?);
            visit(CueRequest { memory: cued.memory, request, cued: cued.cues.is_some() })
        })?;
        self.some_of(namespace, scope, count)?;
        Ok(())
    }

    /// What the model is shown: the passage, and for a contextual prompt the turns before it in its session.
    pub(super) fn cue_subject(
        &self,
        namespace: &Namespace,
        memory: &Record,
        settings: &CueSettings,
    ) -> Result<CueSubject, Error> {
        let before = match settings.prompt {
            CuePrompt::Isolated => Vec::new(),
            CuePrompt::Contextual => {
                let count = u32::try_from(settings.before).unwrap_or(u32::MAX);
                self.store.around(namespace, memory.seq, count, 0)?
            }
        };
        let before = before.iter().filter(|turn| turn.seq != memory.seq && may_leave(turn));
        Ok(CueSubject {
            passage: memory.passage(),
            said_at: memory.said_at.map(calendar),
            before: before.map(Record::passage).collect(),
        })
    }
}

/// Whether a model behind a network may see a memory.
fn may_leave(memory: &Record) -> bool {
    memory.sensitivity == Sensitivity::Ordinary
}
