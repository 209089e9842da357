//! Asking a model for cue questions, some requests at a time.

use std::{
    collections::VecDeque,
    iter,
    num::NonZeroUsize,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
        mpsc::{SyncSender, sync_channel},
    },
    thread,
};

use aforesaid_core::{
    store::Audience,
    types::{CueSource, Namespace, Record, Scope, Seq},
};
use aforesaid_llm::{Chat, CueSettings, CueSubject, LlmError, Written, write_cues};

use super::{
    add::CueIndexing,
    written::{CueWriter, WrittenCues},
};
use crate::{
    error::Error,
    ingest::Progress,
    memory::{Memory, Target},
};

/// Memories whose cues are written at a time at most, and that are read at a time.
const CHUNK: usize = 64;

/// Requests in a row that the server may refuse, each for itself, before it is not asked any more.
const REFUSALS: usize = 5;

/// How cues are asked for and kept.
#[derive(Debug, Clone, PartialEq)]
pub struct CueWriting {
    /// What is asked.
    pub settings: CueSettings,
    /// Requests at once.
    pub concurrency: NonZeroUsize,
    /// Which vectors are made.
    pub indexing: CueIndexing,
}

/// What came of one memory's request.
type Reply = (Record, Result<Written, LlmError>);

impl Memory {
    /// Has a model write cue questions for the memories of a scope that were never asked for any.
    ///
    /// A sensitive memory is never sent. What is answered is written while other requests run: a call that was
    /// stopped, or a process that was killed, loses only what was on its way, and the next call goes on from there.
    ///
    /// A memory whose replies cannot be read is skipped, and so is one whose request the server refuses (status
    /// 400, 413 or 422: it may be too long). A budget that is used up, a server that fails, or one that refuses
    /// several in a row ends it; requests under way are waited for, and [`WrittenCues::stopped`] says why.
    ///
    /// # Errors
    /// When the namespace or a named part of it does not exist, another encoder is active in it, a question
    /// cannot be encoded, or the store fails. What was written before stays.
    pub fn write_cues(
        &self,
        namespace: &Namespace,
        scope: &Scope,
        chat: &Chat,
        writing: &CueWriting,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<WrittenCues, Error> {
        self.must_exist(namespace)?;
        let scope = self.resolve_scope(namespace, scope)?;
        let total = self.count_uncued(namespace, &scope)?;
        if total == 0 {
            // A name that was mistyped is told from a scope that has all its cues.
            self.count(namespace, &Target::Within(scope.clone()))?;
        }
        let source =
            CueSource { model: chat.client().endpoint().model.clone(), prompt: writing.settings.prompt_of_source() };
        let mut writer = CueWriter::new(self, namespace, source, writing.indexing)?;
        let mut state = RunState::default();
        let feed = Mutex::new(Feed {
            memory: self,
            namespace,
            scope: &scope,
            settings: &writing.settings,
            after: Seq(0),
            page: VecDeque::new(),
        });
        let stop = AtomicBool::new(false);
        thread::scope(|threads| {
            let (answers, answered) = sync_channel(CHUNK);
            for _ in 0..writing.concurrency.get().min(total) {
                let answers = answers.clone();
                threads.spawn(|| ask(&feed, &stop, chat, &writing.settings, answers));
            }
            drop(answers);
            let mut done = 0;
            while let Ok(first) = answered.recv() {
                for answer in iter::once(first).chain(answered.try_iter()).take(CHUNK) {
                    let (memory, written) = answer?;
                    done += usize::from(state.follow(&mut writer, memory, written));
                }
                if state.stopped.is_some() {
                    stop.store(true, Ordering::Relaxed);
                }
                if writer.waiting() > 0 {
                    writer.write().inspect_err(|_| stop.store(true, Ordering::Relaxed))?;
                }
                progress(Progress { done, total: total.max(done) });
            }
            Ok::<_, Error>(())
        })?;
        let stopped = state.end();
        Ok(WrittenCues { stopped, ..writer.finish()? })
    }

    /// How many memories of a scope a model behind a network may be asked about.
    fn count_uncued(&self, namespace: &Namespace, scope: &Scope) -> Result<usize, Error> {
        let (mut after, mut count) = (Seq(0), 0);
        loop {
            let page = self.store.uncued(namespace, scope, Audience::AnyModel, after, CHUNK)?;
            let Some(last) = page.last() else { return Ok(count) };
            (after, count) = (last.seq, count + page.len());
        }
    }
}

/// Memories to ask about, in order of arrival, each once.
struct Feed<'f> {
    memory: &'f Memory,
    namespace: &'f Namespace,
    scope: &'f Scope,
    settings: &'f CueSettings,
    after: Seq,
    page: VecDeque<Record>,
}

impl Feed<'_> {
    fn next(&mut self) -> Result<Option<(Record, CueSubject)>, Error> {
        if self.page.is_empty() {
            let store = &self.memory.store;
            self.page = store.uncued(self.namespace, self.scope, Audience::AnyModel, self.after, CHUNK)?.into();
        }
        let Some(memory) = self.page.pop_front() else { return Ok(None) };
        self.after = memory.seq;
        let subject = self.memory.cue_subject(self.namespace, &memory, self.settings)?;
        Ok(Some((memory, subject)))
    }
}

/// Asks about one memory after the other until there is none, nobody listens, or `stop` says so.
fn ask(
    feed: &Mutex<Feed<'_>>,
    stop: &AtomicBool,
    chat: &Chat,
    settings: &CueSettings,
    answers: SyncSender<Result<Reply, Error>>,
) {
    while !stop.load(Ordering::Relaxed) {
        let next = feed.lock().unwrap_or_else(PoisonError::into_inner).next();
        let Some(next) = next.transpose() else { return };
        let answer = next.map(|(memory, subject)| {
            let written = write_cues(chat, settings, &subject);
            (memory, written)
        });
        let failed = match &answer {
            Ok((_, written)) => written.as_ref().is_err_and(|error| !is_refusal(error)),
            Err(_) => true,
        };
        if failed {
            // At once, so that nobody sends what would fail as well.
            stop.store(true, Ordering::Relaxed);
        }
        if answers.send(answer).is_err() {
            return;
        }
    }
}

/// Whether the server takes requests, only not this one.
fn is_refusal(error: &LlmError) -> bool {
    matches!(error, LlmError::Status { status: 400 | 413 | 422, .. })
}

/// How a run goes: whether to go on, and if not, why.
#[derive(Default)]
struct RunState {
    /// Some request was answered.
    answered: bool,
    /// Refusals since.
    refusals: Vec<LlmError>,
    stopped: Option<LlmError>,
}

impl RunState {
    /// Takes what came of a memory; says whether the memory is done with.
    fn follow(&mut self, writer: &mut CueWriter<'_>, memory: Record, written: Result<Written, LlmError>) -> bool {
        match written {
            Ok(written) => {
                writer.take(memory, written);
                self.answered = true;
                self.refusals.clear();
                true
            }
            // The first reason counts; those of requests that were under way follow from it.
            Err(_) if self.stopped.is_some() => false,
            Err(error) if is_refusal(&error) => {
                writer.skip(memory, "the server refused the request");
                self.refusals.push(error);
                if self.refusals.len() >= REFUSALS {
                    self.stopped = self.refusals.pop();
                }
                true
            }
            Err(error) => {
                self.stopped = Some(error);
                false
            }
        }
    }

    /// Why it ended before its time, if so. A server that took no request at all was not asked in its language.
    fn end(mut self) -> Option<LlmError> {
        self.stopped.or_else(|| self.refusals.pop().filter(|_| !self.answered))
    }
}
