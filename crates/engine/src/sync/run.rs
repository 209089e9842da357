//! A run over some logs.

use std::{
    collections::{BTreeMap, BTreeSet},
    ops::ControlFlow,
    path::{Path, PathBuf},
};

use aforesaid_core::{
    store::{AppendOutcome, MemoryRef, OnConflict},
    types::{ConversationId, Draft, MemoryId, Namespace, Turn},
};

use super::{
    Cursors, FailedLog, ForgottenLogs, Log, StoredElsewhere, SyncError, SyncLock, SyncOptions, SyncProgress,
    SyncReport, bound,
    cursor::{Cursor, hash},
    elsewhere::Elsewhere,
    gather::{News, gather},
    projects::Projects,
    questions::Questions,
};
use crate::{error::Error, formats::agents::Agent, memory::Memory};

impl Memory {
    /// Stores what is new in some logs, each project's in its namespace, without vectors:
    /// [`Memory::complete_vectors`] makes them.
    ///
    /// A log that cannot be read is reported and does not stop the others. `progress` may end the run between two logs; what
    /// is stored by then stays, and the next run goes on from there.
    ///
    /// # Errors
    /// When the store fails, or a cursor cannot be written.
    pub fn sync(
        &self,
        logs: &[Log],
        cursors: &Cursors,
        _lock: &SyncLock,
        options: &SyncOptions,
        progress: &mut dyn FnMut(SyncProgress) -> ControlFlow<()>,
    ) -> Result<SyncReport, SyncError> {
        let mut run = Run {
            memory: self,
            cursors,
            options,
            projects: Projects::default(),
            questions: Questions::default(),
            elsewhere: Elsewhere::default(),
            conversations: BTreeMap::new(),
            report: SyncReport { logs: logs.len() as u64, ..SyncReport::default() },
        };
        for (done, log) in logs.iter().enumerate() {
            run.log(log)?;
            let progress = progress(SyncProgress { done: done + 1, total: logs.len(), agent: log.agent });
            if progress.is_break() {
                break;
            }
        }
        run.finish()
    }

    /// Forgets every turn that came from the logs of an agent, or from one log, and marks the cursors: what was forgotten is
    /// not read again, whatever a later run asks for. Turns that another log had first stay there, and it is told where.
    ///
    /// # Errors
    /// When the store fails, or a cursor cannot be read or written.
    pub fn forget_synced(
        &self,
        cursors: &Cursors,
        _lock: &SyncLock,
        is_meant: impl Fn(Agent, &Path) -> bool,
    ) -> Result<ForgottenLogs, SyncError> {
        let mut forgotten = ForgottenLogs::default();
        let mut meant = BTreeSet::new();
        let mut repeats = BTreeSet::new();
        for cursor in cursors.all()? {
            if let (Some(agent), Some(namespace)) = (cursor.agent, cursor.namespace.clone())
                && is_meant(agent, &cursor.path)
                && let Ok(conversation) = ConversationId::new(cursor.conversation.clone())
            {
                let others = cursor.repeats.iter().filter_map(|other| ConversationId::new(other.clone()).ok());
                repeats.extend(others.map(|other| (namespace.clone(), other)));
                // Before the turns are gone: a run that is interrupted here must not bring them back.
                cursors.write(agent, &Cursor { forgotten: true, ..cursor })?;
                meant.insert((namespace, conversation));
            }
        }
        for (namespace, conversation) in repeats.difference(&meant) {
            if self.store.has_conversation(namespace, conversation).map_err(Error::from)? {
                let (namespace, conversation) = (namespace.clone(), conversation.clone());
                forgotten.elsewhere.insert(StoredElsewhere { namespace, conversation });
            }
        }
        for (namespace, conversation) in meant {
            forgotten.turns += bound::forget_conversation(self, &namespace, conversation)?;
        }
        Ok(forgotten)
    }

    /// The files of the logs that were read, each with the agent that wrote it.
    ///
    /// # Errors
    /// When the folder of cursors cannot be read.
    pub fn synced_logs(&self, cursors: &Cursors) -> Result<Vec<(Agent, PathBuf)>, SyncError> {
        let all = cursors.all()?.into_iter();
        Ok(all.filter_map(|cursor| Some((cursor.agent?, cursor.path))).collect())
    }
}

struct Run<'a> {
    memory: &'a Memory,
    cursors: &'a Cursors,
    options: &'a SyncOptions,
    projects: Projects,
    questions: Questions,
    elsewhere: Elsewhere,
    conversations: BTreeMap<Namespace, BTreeSet<String>>,
    report: SyncReport,
}

impl Run<'_> {
    fn log(&mut self, log: &Log) -> Result<(), SyncError> {
        let cursor = self.cursors.load(log);
        let (before, known) = (cursor.namespace.clone(), cursor.clone());
        let news = match gather(log, cursor, self.options) {
            Ok(Some(news)) => news,
            Ok(None) => return Ok(()),
            Err(error) => {
                self.report.failed.push(FailedLog { agent: log.agent, path: log.path.clone(), error });
                return Ok(());
            }
        };
        let Some((namespace, folder)) = self.place(log, &news, before.as_ref()) else {
            self.report.denied += 1;
            return Ok(());
        };
        // The project has another name now: all of the log belongs there.
        if before.as_ref().is_some_and(|before| *before != namespace) && news.next.offset > 0 && !news.next.forgotten {
            let fresh = Cursor { since: None, ..known.anew() };
            return match gather(log, fresh, self.options) {
                Ok(Some(news)) => self.take(log, news, namespace, folder),
                Ok(None) => Ok(()),
                Err(error) => {
                    self.report.failed.push(FailedLog { agent: log.agent, path: log.path.clone(), error });
                    Ok(())
                }
            };
        }
        self.take(log, news, namespace, folder)
    }

    /// The namespace of a log's turns; `None` where its project is not read.
    fn place(&mut self, log: &Log, news: &News, before: Option<&Namespace>) -> Option<(Namespace, Option<PathBuf>)> {
        let found = news.folder.as_deref().and_then(|folder| self.projects.find(folder, news.remote.as_deref()));
        let is_gone = news.folder.as_deref().is_some_and(|folder| !Path::new(folder).exists());
        let (namespace, folder) = match (found, before) {
            // Of a folder that is gone nothing new is known.
            (Some((_, folder)), Some(before)) if is_gone => (before.clone(), Some(folder)),
            (Some((namespace, folder)), _) => (namespace, Some(folder)),
            (None, Some(before)) => (before.clone(), None),
            (None, None) => {
                if !news.puts.is_empty() {
                    self.report.without_folder += 1;
                }
                (Namespace::new(log.agent.name()).ok()?, None)
            }
        };
        let admitted = self.options.rules.admit(&namespace, folder.as_deref());
        admitted.then(|| (self.options.namespace.clone().unwrap_or(namespace), folder))
    }

    fn take(&mut self, log: &Log, news: News, namespace: Namespace, folder: Option<PathBuf>) -> Result<(), SyncError> {
        let News { puts, removes, left_out, bytes, anew, mut next, .. } = news;
        let since = next.since;
        // Where what was stored of it is, or was: the project may have had another name.
        let stored_in = next.namespace.clone().unwrap_or_else(|| namespace.clone());
        for id in &removes {
            next.stored.remove(id.as_str());
        }
        let conversation = ConversationId::new(next.conversation.clone()).ok();
        let mut open = BTreeMap::new();
        let mut drafts = Vec::new();
        let mut cut = BTreeMap::new();
        for mut turn in puts {
            if turn.said_at.is_some_and(|at| since.is_some_and(|since| at < since)) {
                self.report.too_old += 1;
                continue;
            }
            let Some(id) = turn.id.clone() else { continue };
            if !next.stored.contains(id.as_str())
                && let Some(first) = self.elsewhere.conversation(self.cursors, log, &namespace, id.as_str())?
            {
                next.repeats.insert(first);
                self.report.repeated += 1;
                continue;
            }
            self.cut(&mut turn, &mut cut);
            let print = fingerprint(&turn);
            let before = next.open.get(id.as_str());
            if before == Some(&print) {
                open.insert(id.to_string(), print);
                continue;
            }
            // It was stored and is not there: somebody has forgotten it.
            if (before.is_some() || next.stored.contains(id.as_str()))
                && !has(self.memory, &stored_in, &of(&conversation, &id))?
            {
                self.report.forgotten += 1;
                // Nor is a hash of its text kept.
                next.stored.insert(id.as_str());
                continue;
            }
            open.insert(id.to_string(), print);
            let draft = Draft::Turn(turn);
            match draft.check() {
                Ok(()) => drafts.push(draft),
                Err(_) => self.report.too_long += 1,
            }
        }
        let removes: Vec<MemoryRef> = removes.iter().map(|id| of(&conversation, id)).collect();
        let removed = self.memory.take_back(&namespace, &removes)?;
        let outcomes = match drafts.is_empty() {
            true => Vec::new(),
            false => self.memory.put_texts(&namespace, &drafts, OnConflict::Newest)?,
        };
        self.count(&namespace, folder, log, &drafts, &outcomes, removed);
        // What was forgotten stays known, too.
        for id in drafts.iter().filter_map(Draft::id) {
            next.stored.insert(id.as_str());
        }
        // After the store: what is read again is there already.
        self.elsewhere.note(log, &namespace, &next);
        next.namespace = Some(namespace);
        next.open = match log.place {
            super::LogPlace::Lines { .. } => after(open, &next),
            _ => open,
        };
        self.cursors.save(log, next)?;
        self.report.read += 1;
        self.report.bytes += bytes;
        self.report.anew += u64::from(anew);
        for (kind, count) in cut {
            *self.report.cut.entry(kind).or_default() += count;
        }
        if !left_out.known.is_empty() || !left_out.unknown.is_empty() {
            self.report.left_out.entry(log.agent).or_default().add(&left_out);
        }
        if !left_out.unknown.is_empty() {
            self.report.unknown_in.entry(log.agent).or_insert_with(|| log.path.clone());
        }
        Ok(())
    }

    fn cut(&self, turn: &mut Turn, cut: &mut BTreeMap<String, u64>) {
        let texts = [Some(&mut turn.text), turn.title.as_mut()];
        for text in texts.into_iter().flatten() {
            let found = self.options.secrets.cut(text);
            if found.cut.is_empty() {
                continue;
            }
            for (kind, count) in &found.cut {
                *cut.entry(kind.clone()).or_default() += count;
            }
            *text = found.text.into_owned();
        }
    }

    fn count(
        &mut self,
        namespace: &Namespace,
        folder: Option<PathBuf>,
        log: &Log,
        drafts: &[Draft],
        outcomes: &[AppendOutcome],
        removed: usize,
    ) {
        let is_new = |outcome: &AppendOutcome| matches!(outcome, AppendOutcome::Added(_) | AppendOutcome::Replaced(_));
        if !outcomes.iter().any(is_new) && removed == 0 {
            return;
        }
        let project = self.report.projects.entry(namespace.clone()).or_default();
        project.folder = folder.or(project.folder.take());
        project.agents.insert(log.agent);
        project.removed += removed as u64;
        for (draft, outcome) in drafts.iter().zip(outcomes) {
            match outcome {
                AppendOutcome::Added(_) => project.added += 1,
                AppendOutcome::Replaced(_) => project.replaced += 1,
                AppendOutcome::Unchanged(_) | AppendOutcome::Kept(_) => continue,
            }
            if let Draft::Turn(turn) = draft {
                project.first = [project.first, turn.said_at].into_iter().flatten().min();
                project.last = project.last.max(turn.said_at);
                self.questions.see(namespace, turn);
            }
        }
        let sessions = self.conversations.entry(namespace.clone()).or_default();
        sessions.extend(drafts.iter().filter_map(|draft| draft.conversation().map(ToString::to_string)));
        project.sessions = sessions.len() as u64;
    }

    fn finish(mut self) -> Result<SyncReport, SyncError> {
        if let Some(most) = self.options.most_turns {
            for namespace in self.report.projects.keys() {
                self.report.dropped.extend(bound::keep_within(self.memory, namespace, most)?);
            }
        }
        if !self.report.dropped.is_empty() {
            self.questions.keep_where(|namespace, turn| has(self.memory, namespace, turn))?;
        }
        self.report.questions = self.questions.suggest();
        Ok(self.report)
    }
}

fn has(memory: &Memory, namespace: &Namespace, turn: &MemoryRef) -> Result<bool, SyncError> {
    Ok(!memory.store.find(namespace, turn).map_err(Error::from)?.is_empty())
}

fn of(conversation: &Option<ConversationId>, id: &MemoryId) -> MemoryRef {
    MemoryRef { id: id.clone(), conversation: conversation.clone() }
}

/// What tells whether a turn has changed; it cannot be turned back into the text.
fn fingerprint(turn: &Turn) -> String {
    let said_at = turn.said_at.map(|at| at.millis()).unwrap_or_default();
    let title = turn.title.as_deref().unwrap_or_default();
    hash(format!("{}\n{title}\n{said_at}\n{}\n{}", turn.session, turn.speaker, turn.text).as_bytes())
}

/// The hashes of the turns that will be read again.
fn after(open: BTreeMap<String, String>, next: &Cursor) -> BTreeMap<String, String> {
    if next.offset == next.seen { BTreeMap::new() } else { open }
}
