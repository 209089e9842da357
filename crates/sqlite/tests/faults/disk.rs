//! A disk that can fail, and that knows what a loss of power may leave of what was written to it.
//!
//! Every write and change of length is kept until a sync of its file makes it durable. After a loss of power a file holds
//! what was durable, and of the rest anything: nothing, all, the first part of it, or any of it with torn sectors. What
//! is created or deleted becomes durable when the folder is synced, in order. What a program does to the folder without
//! SQLite (a rename, a link) counts as durable at once.

use std::{
    collections::{HashMap, hash_map::Entry},
    fs::{self, File},
    io,
    os::unix::fs::MetadataExt,
    path::{Path, PathBuf},
    sync::{Mutex, MutexGuard, PoisonError},
};

use rusqlite::ffi;

use crate::chance::Chance;

/// Bytes that a disk writes whole.
const SECTOR: usize = 512;

/// Bytes that a system writes to the disk at once: a write to some of them has them all written again.
const BLOCK: usize = 4096;

/// What SQLite asks of a file system.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Call {
    Open,
    Read,
    Write,
    Truncate,
    Sync,
    Delete,
    Size,
    Lock,
    Map,
}

/// What goes wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Fault {
    /// Nothing works any more, and what was not synced may be lost.
    PowerLoss,
    ErrorOnce,
    /// Every call of this kind fails from now on.
    ErrorFromNowOn,
    DiskFullOnce,
    DiskFullFromNowOn,
    /// Half of it is written, and then the disk is full.
    ShortWrite,
    /// The sync fails, and what it should have made durable never becomes so, though later ones succeed.
    LostSync,
}

impl Call {
    /// What can go wrong with it. A loss of power at a call that changes nothing is one at the next.
    pub(crate) fn faults(self) -> &'static [Fault] {
        use Fault::*;
        match self {
            Call::Write => &[PowerLoss, ErrorOnce, ErrorFromNowOn, DiskFullOnce, DiskFullFromNowOn, ShortWrite],
            Call::Sync => &[PowerLoss, ErrorOnce, ErrorFromNowOn, LostSync],
            Call::Truncate | Call::Delete => &[PowerLoss, ErrorOnce, ErrorFromNowOn],
            Call::Open | Call::Read | Call::Size | Call::Lock | Call::Map => &[ErrorOnce, ErrorFromNowOn],
        }
    }

    /// How SQLite calls its failure.
    pub(crate) fn error(self) -> i32 {
        match self {
            Call::Open => ffi::SQLITE_CANTOPEN,
            Call::Read => ffi::SQLITE_IOERR_READ,
            Call::Write => ffi::SQLITE_IOERR_WRITE,
            Call::Truncate => ffi::SQLITE_IOERR_TRUNCATE,
            Call::Sync => ffi::SQLITE_IOERR_FSYNC,
            Call::Delete => ffi::SQLITE_IOERR_DELETE,
            Call::Size => ffi::SQLITE_IOERR_FSTAT,
            Call::Lock => ffi::SQLITE_IOERR_LOCK,
            Call::Map => ffi::SQLITE_IOERR_SHMMAP,
        }
    }
}

/// What becomes of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verdict {
    Go,
    Refuse(i32),
    /// Half of it is done.
    Half(i32),
    /// It is on its way when the power goes.
    Interrupted(i32),
}

/// What is left of what was not synced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Left {
    Nothing,
    /// As when the process is killed and the machine goes on.
    Everything,
    /// What came first.
    Beginning,
    /// Any of it, torn.
    Any,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Pending,
    Durable,
    /// A sync that should have made it durable failed.
    Lost,
}

#[derive(Debug)]
enum Change {
    Write { at: usize, data: Vec<u8> },
    Length(usize),
}

#[derive(Debug)]
struct Step {
    /// Its place among all that was done.
    order: u64,
    state: State,
    change: Change,
}

/// A file as the disk has it.
struct Tracked {
    /// Keeps its number from being given to another file.
    _open: File,
    durable: Vec<u8>,
    steps: Vec<Step>,
    /// Its name becomes durable with its first sync.
    syncs_folder: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Naming {
    Created,
    Deleted,
}

struct Name {
    order: u64,
    durable: bool,
    naming: Naming,
    file: u64,
    path: PathBuf,
}

/// The disk below all of SQLite's files in this process.
pub(crate) struct Disk {
    /// Calls are counted, and fail where they are to.
    watching: bool,
    calls: Vec<Call>,
    plan: Vec<(usize, Fault)>,
    stuck: Option<(Call, i32)>,
    off: bool,
    /// Whether files may be read where they lie in memory.
    pub(crate) mapped: bool,
    files: HashMap<u64, Tracked>,
    names: Vec<Name>,
    clock: u64,
}

static DISK: Mutex<Option<Disk>> = Mutex::new(None);

/// The disk of this process.
pub(crate) fn disk() -> Guard {
    let mut guard = DISK.lock().unwrap_or_else(PoisonError::into_inner);
    guard.get_or_insert_with(|| Disk {
        watching: false,
        calls: Vec::new(),
        plan: Vec::new(),
        stuck: None,
        off: false,
        mapped: true,
        files: HashMap::new(),
        names: Vec::new(),
        clock: 0,
    });
    Guard(guard)
}

pub(crate) struct Guard(MutexGuard<'static, Option<Disk>>);

impl std::ops::Deref for Guard {
    type Target = Disk;
    fn deref(&self) -> &Disk {
        self.0.as_ref().unwrap()
    }
}

impl std::ops::DerefMut for Guard {
    fn deref_mut(&mut self) -> &mut Disk {
        self.0.as_mut().unwrap()
    }
}

impl Disk {
    /// Begins to watch, with what is to go wrong by number of the call.
    pub(crate) fn watch(&mut self, plan: Vec<(usize, Fault)>) {
        self.forget();
        self.plan = plan;
        self.watching = true;
    }

    /// Lets calls through uncounted, until [`Disk::resume`].
    pub(crate) fn pause(&mut self) {
        self.watching = false;
    }

    pub(crate) fn resume(&mut self) {
        self.watching = true;
    }

    /// Forgets all there was: what is on the disk counts as durable.
    pub(crate) fn forget(&mut self) {
        self.watching = false;
        self.calls.clear();
        self.plan.clear();
        self.stuck = None;
        self.off = false;
        self.files.clear();
        self.names.clear();
    }

    /// The calls made so far.
    pub(crate) fn calls(&self) -> &[Call] {
        &self.calls
    }

    /// Whether something has gone wrong that does not mend itself.
    pub(crate) fn is_broken(&self) -> bool {
        self.off || self.stuck.is_some()
    }

    /// Takes the power away between two calls.
    pub(crate) fn cut(&mut self) {
        self.off = true;
    }

    pub(crate) fn is_off(&self) -> bool {
        self.off
    }

    /// Says what becomes of the next call.
    pub(crate) fn judge(&mut self, call: Call) -> Verdict {
        if self.off {
            return Verdict::Refuse(call.error());
        }
        if !self.watching {
            return Verdict::Go;
        }
        let number = self.calls.len();
        self.calls.push(call);
        if let Some((stuck, code)) = self.stuck
            && stuck == call
        {
            return Verdict::Refuse(code);
        }
        let Some(at) = self.plan.iter().position(|(at, _)| *at == number) else { return Verdict::Go };
        let (_, fault) = self.plan.swap_remove(at);
        match fault {
            Fault::PowerLoss => {
                self.off = true;
                Verdict::Interrupted(call.error())
            }
            Fault::ErrorOnce => Verdict::Refuse(call.error()),
            Fault::ErrorFromNowOn => {
                self.stuck = Some((call, call.error()));
                Verdict::Refuse(call.error())
            }
            Fault::DiskFullOnce => Verdict::Refuse(ffi::SQLITE_FULL),
            Fault::DiskFullFromNowOn => {
                self.stuck = Some((call, ffi::SQLITE_FULL));
                Verdict::Refuse(ffi::SQLITE_FULL)
            }
            Fault::ShortWrite => Verdict::Half(ffi::SQLITE_FULL),
            Fault::LostSync => Verdict::Half(call.error()),
        }
    }

    fn tick(&mut self) -> u64 {
        self.clock += 1;
        self.clock
    }

    /// Takes note of a file that SQLite has opened, and gives its number.
    pub(crate) fn opened(&mut self, path: &Path, created: bool, syncs_folder: bool) -> io::Result<u64> {
        let number = fs::metadata(path)?.ino();
        if let Entry::Vacant(place) = self.files.entry(number) {
            place.insert(Tracked {
                _open: File::open(path)?,
                durable: fs::read(path)?,
                steps: Vec::new(),
                syncs_folder: false,
            });
        }
        if created {
            let order = self.tick();
            let naming = Naming::Created;
            self.names.push(Name { order, durable: false, naming, file: number, path: path.to_owned() });
            if let Some(file) = self.files.get_mut(&number) {
                file.syncs_folder = syncs_folder;
            }
        }
        Ok(number)
    }

    /// The number of the file that is about to be deleted, if there is one.
    pub(crate) fn deleting(&mut self, path: &Path) -> Option<u64> {
        self.opened(path, false, false).ok()
    }

    pub(crate) fn deleted(&mut self, path: &Path, file: u64, folder_synced: bool) {
        let order = self.tick();
        let naming = Naming::Deleted;
        self.names.push(Name { order, durable: false, naming, file, path: path.to_owned() });
        if folder_synced {
            self.names.iter_mut().for_each(|name| name.durable = true);
        }
    }

    pub(crate) fn written(&mut self, file: u64, at: usize, data: &[u8]) {
        let end = at + data.len();
        let mut start = at;
        while start < end {
            let block = start / BLOCK;
            let stop = end.min((block + 1) * BLOCK);
            if let Some(file) = self.files.get_mut(&file) {
                file.again(block);
            }
            self.change(file, Change::Write { at: start, data: data[start - at..stop - at].to_vec() });
            start = stop;
        }
    }

    pub(crate) fn resized(&mut self, file: u64, length: usize) {
        self.change(file, Change::Length(length));
    }

    fn change(&mut self, file: u64, change: Change) {
        let order = self.tick();
        if let Some(file) = self.files.get_mut(&file) {
            file.steps.push(Step { order, state: State::Pending, change });
        }
    }

    pub(crate) fn synced(&mut self, number: u64) {
        let Some(file) = self.files.get_mut(&number) else { return };
        for step in file.steps.iter_mut().filter(|step| step.state == State::Pending) {
            step.state = State::Durable;
        }
        if file.steps.iter().all(|step| step.state == State::Durable) {
            for step in std::mem::take(&mut file.steps) {
                apply(&mut file.durable, &step.change);
            }
        }
        if std::mem::take(&mut file.syncs_folder) {
            self.names.iter_mut().for_each(|name| name.durable = true);
        }
    }

    pub(crate) fn sync_lost(&mut self, number: u64) {
        let Some(file) = self.files.get_mut(&number) else { return };
        for step in file.steps.iter_mut().filter(|step| step.state == State::Pending) {
            step.state = State::Lost;
        }
    }

    /// Makes the files of a folder what they may be after the power was lost.
    pub(crate) fn lose_power(&mut self, folder: &Path, left: Left, chance: &mut Chance) {
        let first = self.clock.saturating_sub(self.undurable());
        let cut = first + chance.below((self.clock - first + 1) as usize) as u64;
        // The latest first, as if nothing had happened.
        for name in self.names.iter().rev().filter(|name| !name.durable) {
            let stays = match left {
                Left::Everything => true,
                Left::Nothing => false,
                Left::Beginning | Left::Any => name.order <= cut,
            };
            let is_there = fs::metadata(&name.path).is_ok_and(|found| found.ino() == name.file);
            match name.naming {
                Naming::Created if !stays && is_there => fs::remove_file(&name.path).unwrap(),
                Naming::Deleted if !stays && !name.path.exists() => {
                    if let Some(file) = self.files.get(&name.file) {
                        fs::write(&name.path, file.image(left, cut, chance)).unwrap();
                    }
                }
                _ => {}
            }
        }
        for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
            if entry.file_name().to_string_lossy().ends_with("-shm") {
                fs::remove_file(entry.path()).unwrap();
            } else if let Some(file) = self.files.get(&entry.metadata().unwrap().ino()) {
                let image = file.image(left, cut, chance);
                if left == Left::Everything && !self.off {
                    assert!(image == fs::read(entry.path()).unwrap(), "the disk has missed something");
                }
                fs::write(entry.path(), image).unwrap();
            }
        }
        self.forget();
    }

    /// How much happened since the first thing that is not durable.
    fn undurable(&self) -> u64 {
        let steps = self.files.values().flat_map(|file| &file.steps).filter(|step| step.state != State::Durable);
        let names = self.names.iter().filter(|name| !name.durable).map(|name| name.order);
        let first = steps.map(|step| step.order).chain(names).min();
        first.map_or(0, |first| self.clock - first + 1)
    }
}

impl Tracked {
    /// What a failed sync has lost of a block is written again with what is new in it.
    fn again(&mut self, block: usize) {
        for step in self.steps.iter_mut().filter(|step| step.state == State::Lost) {
            if matches!(step.change, Change::Write { at, .. } if at / BLOCK == block) {
                step.state = State::Pending;
            }
        }
    }

    fn image(&self, left: Left, cut: u64, chance: &mut Chance) -> Vec<u8> {
        let mut image = self.durable.clone();
        for step in &self.steps {
            let whole = match (step.state, left) {
                (State::Durable, _) | (_, Left::Everything) => true,
                (_, Left::Nothing) => false,
                (_, Left::Beginning) => step.order <= cut,
                (_, Left::Any) => match (&step.change, chance.below(4)) {
                    (_, 0) => true,
                    (Change::Write { at, data }, 1 | 2) => {
                        tear(&mut image, *at, data, chance);
                        false
                    }
                    _ => false,
                },
            };
            if whole {
                apply(&mut image, &step.change);
            }
        }
        image
    }
}

fn apply(image: &mut Vec<u8>, change: &Change) {
    match change {
        Change::Write { at, data } => {
            let end = at + data.len();
            if image.len() < end {
                image.resize(end, 0);
            }
            image[*at..end].copy_from_slice(data);
        }
        Change::Length(length) => image.resize(*length, 0),
    }
}

/// Writes some sectors, leaves others as they were, and garbles some.
fn tear(image: &mut Vec<u8>, at: usize, data: &[u8], chance: &mut Chance) {
    let end = at + data.len();
    let mut start = at;
    while start < end {
        let stop = end.min((start / SECTOR + 1) * SECTOR);
        match chance.below(7) {
            0..3 => apply(image, &Change::Write { at: start, data: data[start - at..stop - at].to_vec() }),
            3..6 => {}
            // What is in a file's first sector says whose it is before any log is read: there it is old or new.
            _ if start < SECTOR => {}
            _ => {
                let garbage = (start..stop).map(|_| chance.next() as u8).collect();
                apply(image, &Change::Write { at: start, data: garbage });
            }
        }
        start = stop;
    }
}
