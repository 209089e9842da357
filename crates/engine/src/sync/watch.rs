//! Waits until logs change. The operating system says so: nothing is looked at in between.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
    sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel},
    time::{Duration, Instant, SystemTime},
};

use notify::{Event, EventKind, RecommendedWatcher, RecursiveMode, Watcher, event::ModifyKind};

use super::{Log, LogPlace, LogRoots, SyncError};
use crate::formats::agents::Agent;

/// How long changes are gathered before the first is told: an agent writes an answer in many lines.
const SHORTEST: Duration = Duration::from_millis(500);
/// How long they are gathered at most.
const LONGEST: Duration = Duration::from_secs(60);
/// How much longer they are gathered than the reader took for the last ones: reading takes at most about a tenth of a core.
const SHARE: u32 = 10;
/// How often the folders that are there are looked at again: one may be made while others are being watched.
const ATTEMPTS: usize = 8;

/// Tells when logs change.
pub struct LogWatch {
    places: Vec<Place>,
    watcher: RecommendedWatcher,
    /// Folders that are watched.
    folders: BTreeMap<PathBuf, RecursiveMode>,
    signals: Receiver<Signal>,
    sender: Sender<Signal>,
    /// What databases were like when they changed last.
    stamps: BTreeMap<PathBuf, [Option<(u64, SystemTime)>; 2]>,
}

impl std::fmt::Debug for LogWatch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("LogWatch").field("places", &self.places).field("folders", &self.folders).finish_non_exhaustive()
    }
}

/// Ends a wait from another thread.
#[derive(Debug, Clone)]
pub struct WatchStop(Sender<Signal>);

impl WatchStop {
    /// Has the present wait, or the next one, return nothing.
    pub fn stop(&self) {
        // Where nobody waits any more, nothing is left to be ended.
        let _ = self.0.send(Signal::Stop);
    }
}

#[derive(Debug)]
enum Signal {
    Event(notify::Result<Event>),
    Stop,
}

/// Where an agent has logs.
#[derive(Debug, Clone)]
struct Place {
    agent: Agent,
    path: PathBuf,
    /// The same without links, as some systems name what has changed.
    real: PathBuf,
    kind: PlaceKind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PlaceKind {
    /// A folder with files at any depth.
    Tree,
    /// A database, which another program writes.
    Database,
}

/// What has changed.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LogChanges {
    everything: bool,
    paths: BTreeMap<Agent, BTreeSet<PathBuf>>,
}

impl LogChanges {
    /// Everything, as far as anybody knows: some of what happened was not told.
    pub fn everything() -> Self {
        Self { everything: true, paths: BTreeMap::new() }
    }

    /// Whose logs changed, of some agents.
    pub fn agents(&self, of: &[Agent]) -> Vec<Agent> {
        of.iter().copied().filter(|agent| self.everything || self.paths.contains_key(agent)).collect()
    }

    /// Whether a log may have changed.
    pub fn concern(&self, log: &Log) -> bool {
        let Some(paths) = self.paths.get(&log.agent) else { return self.everything };
        match log.place {
            // A folder stands for all in it: it was moved there, or is new.
            LogPlace::Lines { .. } => self.everything || paths.iter().any(|path| log.path.starts_with(path)),
            LogPlace::OpenCode(_) | LogPlace::OpenCodeFiles { .. } | LogPlace::Cursor { .. } => true,
        }
    }

    fn is_empty(&self) -> bool {
        !self.everything && self.paths.is_empty()
    }
}

impl LogWatch {
    /// Watches the folders of some agents. A folder that is not there yet is watched as soon as it is.
    ///
    /// # Errors
    /// When the operating system refuses.
    pub fn begin(roots: &LogRoots, agents: &[Agent]) -> Result<Self, SyncError> {
        let (sender, signals) = channel();
        let told = sender.clone();
        let watcher = notify::recommended_watcher(move |event: notify::Result<Event>| {
            // What a reader does is not told on: it would wake the one that reads.
            if !event.as_ref().is_ok_and(is_read) {
                let _ = told.send(Signal::Event(event));
            }
        });
        let watcher = watcher.map_err(|source| SyncError::Watch { path: PathBuf::from("."), source })?;
        let places = agents.iter().flat_map(|agent| places(roots, *agent)).collect();
        let (folders, stamps) = (BTreeMap::new(), BTreeMap::new());
        let mut watch = Self { places, watcher, folders, signals, sender, stamps };
        watch.cover()?;
        for place in watch.places.iter().filter(|place| place.kind == PlaceKind::Database) {
            watch.stamps.insert(place.path.clone(), stamp(&place.path));
        }
        Ok(watch)
    }

    /// What ends a wait.
    pub fn stop(&self) -> WatchStop {
        WatchStop(self.sender.clone())
    }

    /// Waits until something changes, gathers what else does for a moment, and tells it; `None` once it is to stop.
    ///
    /// `took` is how long the reader was busy with the last changes: the longer, the more are gathered.
    ///
    /// # Errors
    /// When a new folder cannot be watched.
    pub fn wait(&mut self, took: Duration) -> Result<Option<LogChanges>, SyncError> {
        let mut changes = LogChanges::default();
        while changes.is_empty() {
            match self.signals.recv() {
                Ok(Signal::Event(event)) => self.note(event, &mut changes),
                Ok(Signal::Stop) | Err(_) => return Ok(None),
            }
        }
        let end = Instant::now() + took.saturating_mul(SHARE).clamp(SHORTEST, LONGEST);
        loop {
            match self.signals.recv_timeout(end.saturating_duration_since(Instant::now())) {
                Ok(Signal::Event(event)) => self.note(event, &mut changes),
                Ok(Signal::Stop) | Err(RecvTimeoutError::Disconnected) => return Ok(None),
                Err(RecvTimeoutError::Timeout) => break,
            }
        }
        self.cover()?;
        Ok(Some(changes))
    }

    /// Watches the folders that are there now, and above the others the nearest that is.
    fn cover(&mut self) -> Result<(), SyncError> {
        for _ in 0..ATTEMPTS {
            for place in &mut self.places {
                place.real = fs::canonicalize(&place.path).unwrap_or_else(|_| place.path.clone());
            }
            let wanted = self.wanted();
            if wanted == self.folders {
                return Ok(());
            }
            let gone: Vec<PathBuf> =
                self.folders.keys().filter(|folder| !wanted.contains_key(*folder)).cloned().collect();
            for folder in gone {
                self.forget(&folder);
            }
            for (folder, mode) in wanted {
                if self.folders.get(&folder) == Some(&mode) {
                    continue;
                }
                self.forget(&folder);
                match self.watcher.watch(&folder, mode) {
                    Ok(()) => drop(self.folders.insert(folder, mode)),
                    // It went since it was looked for.
                    Err(_) if !folder.is_dir() => {}
                    Err(source) => return Err(SyncError::Watch { path: folder, source }),
                }
            }
        }
        Ok(())
    }

    /// The folders to be watched, and whether with all in them.
    fn wanted(&self) -> BTreeMap<PathBuf, RecursiveMode> {
        let mut wanted = BTreeMap::new();
        for place in &self.places {
            if place.kind == PlaceKind::Tree && place.path.is_dir() {
                wanted.insert(place.path.clone(), RecursiveMode::Recursive);
            } else if let Some(above) = place.path.ancestors().skip(1).find(|above| above.is_dir()) {
                wanted.entry(above.to_owned()).or_insert(RecursiveMode::NonRecursive);
            }
        }
        wanted
    }

    fn forget(&mut self, folder: &Path) {
        if self.folders.remove(folder).is_some() {
            // A folder that is gone is not watched any more.
            let _ = self.watcher.unwatch(folder);
        }
    }

    fn note(&mut self, event: notify::Result<Event>, changes: &mut LogChanges) {
        let event = match event {
            Ok(event) if !event.need_rescan() => event,
            // Some events were lost.
            _ => {
                changes.everything = true;
                return;
            }
        };
        let is_gone = matches!(event.kind, EventKind::Remove(_) | EventKind::Modify(ModifyKind::Name(_)));
        for path in event.paths {
            if is_gone && self.folders.contains_key(&path) {
                self.forget(&path);
            }
            for place in &self.places {
                let Some(changed) = place.changed(&path) else { continue };
                if place.kind == PlaceKind::Database {
                    let stamp = stamp(&place.path);
                    if self.stamps.insert(place.path.clone(), stamp) == Some(stamp) {
                        continue;
                    }
                }
                changes.paths.entry(place.agent).or_default().insert(changed);
            }
        }
    }
}

impl Place {
    fn new(agent: Agent, path: PathBuf, kind: PlaceKind) -> Self {
        Self { agent, real: path.clone(), path, kind }
    }

    /// What of the place an event is about, if it is.
    fn changed(&self, path: &Path) -> Option<PathBuf> {
        if self.path.starts_with(path) || self.real.starts_with(path) {
            return Some(self.path.clone());
        }
        match self.kind {
            PlaceKind::Tree => {
                let below = path.strip_prefix(&self.path).or_else(|_| path.strip_prefix(&self.real)).ok()?;
                Some(self.path.join(below))
            }
            PlaceKind::Database => {
                let is_log = path == write_ahead_log(&self.path) || path == write_ahead_log(&self.real);
                is_log.then(|| self.path.clone())
            }
        }
    }
}

/// Where an agent has logs.
fn places(roots: &LogRoots, agent: Agent) -> Vec<Place> {
    let in_each = |roots: &[PathBuf], below: &[&str], kind: PlaceKind| {
        let one = |root: &PathBuf| {
            let root = root.clone();
            below.iter().map(move |name| Place::new(agent, root.join(name), kind)).collect::<Vec<_>>()
        };
        roots.iter().flat_map(one).collect::<Vec<_>>()
    };
    match agent {
        Agent::ClaudeCode => in_each(&roots.claude_code, &["projects"], PlaceKind::Tree),
        Agent::Codex => in_each(&roots.codex, &["sessions", "archived_sessions"], PlaceKind::Tree),
        Agent::GeminiCli => in_each(&roots.gemini_cli, &["tmp"], PlaceKind::Tree),
        Agent::OpenCode => {
            let mut all = in_each(&roots.opencode, &["storage"], PlaceKind::Tree);
            all.extend(in_each(&roots.opencode, &["opencode.db"], PlaceKind::Database));
            all
        }
        Agent::Cursor => in_each(&roots.cursor, &["globalStorage/state.vscdb"], PlaceKind::Database),
    }
}

/// Whether an event says no more than that something was read, or that its permissions changed.
fn is_read(event: &Event) -> bool {
    let is_plain = matches!(event.kind, EventKind::Access(_) | EventKind::Modify(ModifyKind::Metadata(_)));
    let is_shared_memory = |path: &PathBuf| path.as_os_str().to_string_lossy().ends_with("-shm");
    !event.need_rescan() && (is_plain || !event.paths.is_empty() && event.paths.iter().all(is_shared_memory))
}

fn write_ahead_log(database: &Path) -> PathBuf {
    let mut name = database.as_os_str().to_owned();
    name.push("-wal");
    name.into()
}

/// Length and change time of a database and of its log. A reader may make an empty log, or take it away.
fn stamp(database: &Path) -> [Option<(u64, SystemTime)>; 2] {
    let of = |path: &Path| {
        let found = fs::metadata(path).ok().filter(|found| found.len() > 0)?;
        Some((found.len(), found.modified().ok()?))
    };
    [of(database), of(&write_ahead_log(database))]
}
