//! A copy of the store as it is at one moment, compared with what should be in it before it gets its name.
//!
//! `VACUUM INTO` rather than SQLite's backup API: it reads in one transaction, so that writers neither wait nor make it
//! start over, and what it writes holds rows and nothing else, no byte of what was forgotten.

use std::{
    fs::{self, File},
    io,
    path::{Path, PathBuf},
    sync::{
        atomic::{AtomicBool, Ordering},
        mpsc::{RecvTimeoutError, channel},
    },
    thread,
    time::Duration,
};

use aforesaid_core::{
    StoreError,
    store::{BackedUp, CheckDepth, Existing, Gravity},
};
use rusqlite::{Connection, ErrorCode, OpenFlags, TransactionBehavior};
use tempfile::{TempDir, TempPath};

use crate::{
    check,
    errors::{Context, location_error},
    paths::{beside, folder_of},
};

/// What the name of a folder starts with in which a backup is made.
const PARTIAL: &str = ".aforesaid-backup-";

/// The file in such a folder that the process which makes it has locked.
const LOCK: &str = "lock";

/// A folder that cannot be locked, and is untouched for this long, belongs to a process that died.
const ABANDONED: Duration = Duration::from_secs(24 * 60 * 60);

/// How often somebody may ask to stop.
const LOOKED_AT: Duration = Duration::from_millis(20);

/// Copies the store behind `connection` to `file`; `store` is for errors about the store.
pub(crate) fn back_up(
    connection: &Connection,
    store: Context<'_>,
    file: &Path,
    existing: Existing,
    step: &mut dyn FnMut(&str),
    stop: &AtomicBool,
) -> Result<BackedUp, StoreError> {
    let shown = file.display().to_string();
    refuse(connection, file, existing)?;
    let folder = folder_of(file);
    let failed =
        |error: io::Error| location_error(&shown, format!("cannot be written ({})", error.kind()), "name another file");
    sweep(folder);
    // For its owner alone, and with whatever SQLite writes beside the copy in it.
    let partial = private_folder(folder).map_err(failed)?;
    let lock = File::create(partial.path().join(LOCK)).map_err(failed)?;
    // Some file systems know no locks; what is left there goes by its age.
    let _ = lock.try_lock();
    let copy = partial.path().join("store");
    step("copying");
    private(&copy).map_err(failed)?;
    let context = Context::new(&shown, "write the backup");
    let target = copy.to_str().ok_or_else(|| location_error(&shown, "is no Unicode", "name another file"))?;
    let stopped = || {
        location_error(
            &shown,
            "was not written, since the backup was told to stop",
            "back up again; nothing is left of it",
        )
    };
    let copied = until(stop, connection, || connection.execute("VACUUM INTO ?1", [target]));
    copied.map_err(|error| match error.sqlite_error_code() {
        Some(ErrorCode::OperationInterrupted) => stopped(),
        Some(ErrorCode::DatabaseCorrupt) => store.explain(error),
        _ => context.explain(error),
    })?;
    step("comparing");
    let backed_up = compared(&copy, store, stop);
    // What was read when it was interrupted says nothing of the copy.
    if stop.load(Ordering::SeqCst) {
        return Err(stopped());
    }
    let backed_up = backed_up?;
    File::open(&copy).and_then(|copy| copy.sync_all()).map_err(failed)?;
    install(partial, &copy, file, existing)?;
    // The name too must survive a crash of the machine; a folder that cannot be synced has it anyway.
    let _ = File::open(folder).and_then(|folder| folder.sync_all());
    Ok(backed_up)
}

/// Refuses places where a copy would destroy something.
fn refuse(connection: &Connection, file: &Path, existing: Existing) -> Result<(), StoreError> {
    let shown = file.display().to_string();
    let refused = |found: &str, next: &str| Err(location_error(&shown, found, next));
    if !folder_of(file).is_dir() {
        return refused("lies in a folder that does not exist", "make the folder, or name another file");
    }
    if file.is_dir() {
        return refused("is a directory", "name a file in it, such as backup.db");
    }
    let store = connection.path().map(PathBuf::from).unwrap_or_default();
    let same = |one: &Path| matches!((one.canonicalize(), file.canonicalize()), (Ok(one), Ok(file)) if one == file);
    let own = ["", "-wal", "-shm", "-journal"].map(|suffix| beside(&store, suffix));
    if own.iter().any(|own| same(own) || is_beside(own, file)) || same_file(&store, file) {
        return refused("is the store itself", "name another file");
    }
    // SQLite would take them for the copy's own, and write them into it.
    if ["-wal", "-journal"].iter().any(|suffix| beside(file, suffix).exists()) {
        return refused("has the log of another store beside it", "close that store, or name another file");
    }
    if existing == Existing::Kept && file.symlink_metadata().is_ok() {
        return Err(StoreError::FileExists { location: file.display().to_string(), found: "already exists" });
    }
    Ok(())
}

/// Whether a name is that of one of the store's files, though there is none yet.
fn is_beside(own: &Path, file: &Path) -> bool {
    let folder = |path: &Path| folder_of(path).canonicalize().ok();
    own.file_name() == file.file_name() && folder(own).is_some() && folder(own) == folder(file)
}

#[cfg(unix)]
fn same_file(one: &Path, other: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let identity = |path: &Path| path.metadata().ok().map(|file| (file.dev(), file.ino()));
    identity(one).is_some() && identity(one) == identity(other)
}

#[cfg(not(unix))]
fn same_file(_: &Path, _: &Path) -> bool {
    false
}

/// Runs what goes through a connection, and interrupts it once `stop` is true.
fn until<T>(stop: &AtomicBool, connection: &Connection, run: impl FnOnce() -> T) -> T {
    let interrupt = connection.get_interrupt_handle();
    // Dropped when it has run, and when it panics: the other thread ends in any case.
    let (running, ended) = channel::<()>();
    thread::scope(|scope| {
        scope.spawn(move || {
            while ended.recv_timeout(LOOKED_AT) == Err(RecvTimeoutError::Timeout) {
                if stop.load(Ordering::SeqCst) {
                    interrupt.interrupt();
                }
            }
        });
        let result = run();
        drop(running);
        result
    })
}

/// A new folder in which a copy is made, for its owner alone.
fn private_folder(folder: &Path) -> io::Result<TempDir> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(PARTIAL);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(fs::Permissions::from_mode(0o700));
    }
    builder.tempdir_in(folder)
}

/// Makes an empty file for its owner alone; SQLite leaves its permissions as they are.
fn private(path: &Path) -> io::Result<()> {
    let mut options = fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        options.mode(0o600);
    }
    options.open(path).map(drop)
}

/// Checks the copy, and counts what is in it.
fn compared(copy: &Path, context: Context<'_>, stop: &AtomicBool) -> Result<BackedUp, StoreError> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut connection = context.run(Connection::open_with_flags(copy, flags))?;
    let transaction = context.run(connection.transaction_with_behavior(TransactionBehavior::Deferred))?;
    let check = || check::check(&transaction, context, CheckDepth::Quick, &mut |_| ());
    let findings = until(stop, &transaction, check)?;
    if let Some(finding) = findings.into_iter().find(|finding| finding.gravity == Gravity::Damage) {
        let found = format!("{} has {}, expected {}", finding.subject, finding.found, finding.expected);
        return Err(context.damaged(format!("the copy is not whole, and was not kept: {found}")));
    }
    let counted = "SELECT count(*), coalesce(sum(memories), 0) FROM namespace";
    let (namespaces, memories) =
        context.run(transaction.query_row(counted, [], |row| Ok((row.get(0)?, row.get(1)?))))?;
    let bytes = copy.metadata().map_or(0, |copy| copy.len());
    Ok(BackedUp { namespaces, memories, bytes })
}

/// Gives the copy its name.
fn install(partial: TempDir, copy: &Path, file: &Path, existing: Existing) -> Result<(), StoreError> {
    let shown = file.display().to_string();
    let failed = |error: io::Error| match error.kind() {
        io::ErrorKind::AlreadyExists => StoreError::FileExists { location: shown.clone(), found: "was made meanwhile" },
        _ => location_error(&shown, format!("cannot be written ({error})"), "name another file"),
    };
    let copy = TempPath::try_from_path(copy).map_err(failed)?;
    let installed = match existing {
        Existing::Kept => copy.persist_noclobber(file),
        Existing::Replaced => copy.persist(file),
    };
    installed.map_err(|error| failed(error.error))?;
    drop(partial);
    Ok(())
}

/// Removes what backups left that were killed; nothing depends on its success.
fn sweep(folder: &Path) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        if entry.file_name().to_string_lossy().starts_with(PARTIAL) && is_abandoned(&entry.path()) {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

/// Whether the process that made a folder for a copy is gone: nobody holds its lock. Where locks tell nothing, its age does.
fn is_abandoned(partial: &Path) -> bool {
    match File::open(partial.join(LOCK)).map(|lock| lock.try_lock()) {
        Ok(Ok(())) => true,
        Ok(Err(fs::TryLockError::WouldBlock)) => false,
        Ok(Err(fs::TryLockError::Error(_))) | Err(_) => {
            let modified = partial.metadata().and_then(|folder| folder.modified());
            modified.is_ok_and(|modified| modified.elapsed().is_ok_and(|age| age > ABANDONED))
        }
    }
}
