//! SQLite's own file system with a [`Disk`](crate::disk::Disk) between: the default of this process once installed.
//!
//! All calls go on to SQLite's `unix` file system and real files, but for syncs: the disk knows what they would have made
//! durable, and nobody pulls the plug of the machine below.
#![allow(unsafe_code, reason = "SQLite's file systems are tables of C functions")]

use std::{
    ffi::{CStr, OsStr, c_char, c_int, c_void},
    mem::size_of,
    os::unix::ffi::OsStrExt,
    path::Path,
    ptr::null_mut,
    sync::OnceLock,
};

use rusqlite::ffi::{self, sqlite3_file, sqlite3_int64, sqlite3_io_methods, sqlite3_vfs};

use crate::disk::{Call, Verdict, disk};

/// SQLite's own file system; it lives as long as the process.
struct Base(*mut sqlite3_vfs);
// SAFETY: SQLite registers its file systems once and never changes or frees them; their functions are thread-safe.
unsafe impl Send for Base {}
// SAFETY: as above.
unsafe impl Sync for Base {}

static BASE: OnceLock<Base> = OnceLock::new();

/// What SQLite allocates for an open file: this, and the file of the base behind it.
#[repr(C)]
struct Shim {
    methods: *const sqlite3_io_methods,
    /// The number the disk knows it by; 0 for what has no name and ends with the process.
    number: u64,
}

static METHODS: sqlite3_io_methods = sqlite3_io_methods {
    iVersion: 3,
    xClose: Some(close),
    xRead: Some(read),
    xWrite: Some(write),
    xTruncate: Some(truncate),
    xSync: Some(sync),
    xFileSize: Some(file_size),
    xLock: Some(lock),
    xUnlock: Some(unlock),
    xCheckReservedLock: Some(check_reserved_lock),
    xFileControl: Some(file_control),
    xSectorSize: Some(sector_size),
    xDeviceCharacteristics: Some(device_characteristics),
    xShmMap: Some(shm_map),
    xShmLock: Some(shm_lock),
    xShmBarrier: Some(shm_barrier),
    xShmUnmap: Some(shm_unmap),
    xFetch: Some(fetch),
    xUnfetch: Some(unfetch),
};

/// Makes the disk the default of everything that SQLite opens from now on in this process.
pub(crate) fn install() {
    BASE.get_or_init(|| {
        // SAFETY: the name ends with a zero; SQLite initialises itself and answers a pointer to a registered file system
        // or null, which is checked before it is read. The copy is leaked, so that it lives as long as the process.
        unsafe {
            let base = ffi::sqlite3_vfs_find(c"unix".as_ptr());
            assert!(!base.is_null(), "SQLite has no unix file system");
            let shim = Box::leak(Box::new(*base));
            shim.zName = c"faults".as_ptr();
            shim.pNext = null_mut();
            shim.szOsFile = (*base).szOsFile + size_of::<Shim>() as c_int;
            shim.xOpen = Some(open);
            shim.xDelete = Some(delete);
            shim.xAccess = Some(access);
            shim.xRandomness = Some(randomness);
            assert_eq!(ffi::sqlite3_vfs_register(shim, 1), ffi::SQLITE_OK);
            Base(base)
        }
    });
}

/// Has SQLite draw the same random numbers from now on as after every other call of this.
pub(crate) fn same_randomness() {
    // SAFETY: no bytes are asked for; SQLite then forgets its state and asks its file system for a new seed.
    unsafe { ffi::sqlite3_randomness(0, null_mut()) }
}

fn base() -> *mut sqlite3_vfs {
    BASE.get().map_or(null_mut(), |base| base.0)
}

/// The base's file behind a shim.
///
/// # Safety
/// `file` must be one that SQLite allocated for this file system: `szOsFile` bytes, the shim first.
unsafe fn real(file: *mut sqlite3_file) -> *mut sqlite3_file {
    // SAFETY: the base's part begins right behind the shim, which is a multiple of 8 bytes long.
    unsafe { file.cast::<u8>().add(size_of::<Shim>()).cast() }
}

/// The disk's number of an open file.
///
/// # Safety
/// As [`real`], and [`open`] must have succeeded for it.
unsafe fn number(file: *mut sqlite3_file) -> u64 {
    // SAFETY: `open` has written the shim.
    unsafe { (*file.cast::<Shim>()).number }
}

/// Calls a function of the base's file; one that a base of an older version lacks is an error.
macro_rules! pass {
    ($file:expr, $function:ident $(, $argument:expr)*) => {{
        let real = real($file);
        match (*(*real).pMethods).$function {
            Some(function) => function(real $(, $argument)*),
            None => ffi::SQLITE_ERROR,
        }
    }};
}

/// Leaves the function with an error where the disk refuses a call.
macro_rules! ask {
    ($call:expr) => {
        match disk().judge($call) {
            Verdict::Go => {}
            Verdict::Refuse(code) | Verdict::Half(code) | Verdict::Interrupted(code) => return code,
        }
    };
}

/// # Safety
/// `name` must be null or end with a zero.
unsafe fn path<'a>(name: *const c_char) -> Option<&'a Path> {
    // SAFETY: promised by the caller, and SQLite keeps a name while it is used.
    (!name.is_null()).then(|| Path::new(OsStr::from_bytes(unsafe { CStr::from_ptr(name) }.to_bytes())))
}

unsafe extern "C" fn open(
    _: *mut sqlite3_vfs,
    name: *const c_char,
    file: *mut sqlite3_file,
    flags: c_int,
    out: *mut c_int,
) -> c_int {
    // SAFETY: SQLite gives `szOsFile` bytes at `file`, and a name that is null or ends with a zero. A file whose
    // methods are null is never closed, so nothing is left behind on an error.
    unsafe {
        let shim = file.cast::<Shim>();
        shim.write(Shim { methods: std::ptr::null(), number: 0 });
        let path = path(name);
        if path.is_some() {
            ask!(Call::Open);
        }
        let existed = path.is_some_and(Path::exists);
        let Some(open) = (*base()).xOpen else { return ffi::SQLITE_ERROR };
        let code = open(base(), name, real(file), flags, out);
        if code != ffi::SQLITE_OK {
            return code;
        }
        if let Some(path) = path {
            let syncs_folder = flags & (ffi::SQLITE_OPEN_WAL | ffi::SQLITE_OPEN_MAIN_JOURNAL) != 0;
            (*shim).number = disk().opened(path, !existed, syncs_folder).unwrap_or_default();
        }
        (*shim).methods = &METHODS;
        code
    }
}

unsafe extern "C" fn delete(_: *mut sqlite3_vfs, name: *const c_char, sync: c_int) -> c_int {
    // SAFETY: SQLite gives a name that ends with a zero; the base is checked for the function.
    unsafe {
        let Some(path) = path(name) else { return ffi::SQLITE_ERROR };
        // Deleting what is not there changes nothing and is no place for a fault.
        let file = match path.exists() {
            true => {
                ask!(Call::Delete);
                disk().deleting(path)
            }
            false => None,
        };
        let Some(delete) = (*base()).xDelete else { return ffi::SQLITE_ERROR };
        let code = delete(base(), name, 0);
        if let (ffi::SQLITE_OK, Some(file)) = (code, file) {
            disk().deleted(path, file, sync != 0);
        }
        code
    }
}

unsafe extern "C" fn access(_: *mut sqlite3_vfs, name: *const c_char, flags: c_int, out: *mut c_int) -> c_int {
    if disk().is_off() {
        return ffi::SQLITE_IOERR_ACCESS;
    }
    // SAFETY: SQLite's own arguments go on as they are.
    unsafe {
        match (*base()).xAccess {
            Some(access) => access(base(), name, flags, out),
            None => ffi::SQLITE_ERROR,
        }
    }
}

unsafe extern "C" fn randomness(_: *mut sqlite3_vfs, n: c_int, out: *mut c_char) -> c_int {
    // SAFETY: SQLite gives `n` bytes at `out`.
    unsafe { out.write_bytes(0x5a, n as usize) };
    n
}

// SAFETY of all that follow: SQLite calls them with a file that `open` has made, and with arguments that are right for
// the base, to which they go on as they are.

unsafe extern "C" fn close(file: *mut sqlite3_file) -> c_int {
    // SAFETY: see above.
    unsafe { pass!(file, xClose) }
}

unsafe extern "C" fn read(file: *mut sqlite3_file, data: *mut c_void, n: c_int, at: sqlite3_int64) -> c_int {
    // SAFETY: see above.
    unsafe {
        ask!(Call::Read);
        pass!(file, xRead, data, n, at)
    }
}

unsafe extern "C" fn write(file: *mut sqlite3_file, data: *const c_void, n: c_int, at: sqlite3_int64) -> c_int {
    // SAFETY: see above; `data` holds `n` bytes, and half of them are fewer.
    unsafe {
        let number = number(file);
        let bytes = std::slice::from_raw_parts(data.cast::<u8>(), n as usize);
        let mut disk = disk();
        let (n, code) = match disk.judge(Call::Write) {
            Verdict::Go => (n, ffi::SQLITE_OK),
            Verdict::Half(code) => (n / 2, code),
            Verdict::Refuse(code) => return code,
            Verdict::Interrupted(code) => {
                disk.written(number, at as usize, bytes);
                return code;
            }
        };
        let written = pass!(file, xWrite, data, n, at);
        if written == ffi::SQLITE_OK {
            disk.written(number, at as usize, &bytes[..n as usize]);
        }
        if written == ffi::SQLITE_OK { code } else { written }
    }
}

unsafe extern "C" fn truncate(file: *mut sqlite3_file, length: sqlite3_int64) -> c_int {
    // SAFETY: see above.
    unsafe {
        let number = number(file);
        let mut disk = disk();
        match disk.judge(Call::Truncate) {
            Verdict::Go => {}
            Verdict::Refuse(code) | Verdict::Half(code) => return code,
            Verdict::Interrupted(code) => {
                disk.resized(number, length as usize);
                return code;
            }
        }
        let code = pass!(file, xTruncate, length);
        if code == ffi::SQLITE_OK {
            disk.resized(number, length as usize);
        }
        code
    }
}

unsafe extern "C" fn sync(file: *mut sqlite3_file, _: c_int) -> c_int {
    // SAFETY: see above.
    unsafe {
        let number = number(file);
        let mut disk = disk();
        match disk.judge(Call::Sync) {
            Verdict::Go => {
                disk.synced(number);
                ffi::SQLITE_OK
            }
            Verdict::Half(code) => {
                disk.sync_lost(number);
                code
            }
            Verdict::Refuse(code) | Verdict::Interrupted(code) => code,
        }
    }
}

unsafe extern "C" fn file_size(file: *mut sqlite3_file, size: *mut sqlite3_int64) -> c_int {
    // SAFETY: see above.
    unsafe {
        ask!(Call::Size);
        pass!(file, xFileSize, size)
    }
}

unsafe extern "C" fn lock(file: *mut sqlite3_file, level: c_int) -> c_int {
    // SAFETY: see above.
    unsafe {
        ask!(Call::Lock);
        pass!(file, xLock, level)
    }
}

unsafe extern "C" fn unlock(file: *mut sqlite3_file, level: c_int) -> c_int {
    // SAFETY: see above.
    unsafe { pass!(file, xUnlock, level) }
}

unsafe extern "C" fn check_reserved_lock(file: *mut sqlite3_file, out: *mut c_int) -> c_int {
    // SAFETY: see above.
    unsafe { pass!(file, xCheckReservedLock, out) }
}

unsafe extern "C" fn file_control(file: *mut sqlite3_file, operation: c_int, argument: *mut c_void) -> c_int {
    // SAFETY: see above; the sizes are written to a number of this function's.
    unsafe {
        if operation != ffi::SQLITE_FCNTL_SIZE_HINT {
            return pass!(file, xFileControl, operation, argument);
        }
        // The base makes a mapped file longer at once.
        if disk().is_off() {
            return ffi::SQLITE_IOERR_TRUNCATE;
        }
        let (mut before, mut after) = (0, 0);
        pass!(file, xFileSize, &mut before);
        let code = pass!(file, xFileControl, operation, argument);
        pass!(file, xFileSize, &mut after);
        if after != before {
            disk().resized(number(file), after as usize);
        }
        code
    }
}

unsafe extern "C" fn sector_size(file: *mut sqlite3_file) -> c_int {
    // SAFETY: see above.
    unsafe { pass!(file, xSectorSize) }
}

unsafe extern "C" fn device_characteristics(file: *mut sqlite3_file) -> c_int {
    // SAFETY: see above.
    unsafe { pass!(file, xDeviceCharacteristics) }
}

unsafe extern "C" fn shm_map(
    file: *mut sqlite3_file,
    page: c_int,
    size: c_int,
    extend: c_int,
    out: *mut *mut c_void,
) -> c_int {
    // SAFETY: see above.
    unsafe {
        ask!(Call::Map);
        pass!(file, xShmMap, page, size, extend, out)
    }
}

unsafe extern "C" fn shm_lock(file: *mut sqlite3_file, offset: c_int, n: c_int, flags: c_int) -> c_int {
    // SAFETY: see above.
    unsafe { pass!(file, xShmLock, offset, n, flags) }
}

unsafe extern "C" fn shm_barrier(file: *mut sqlite3_file) {
    // SAFETY: see above.
    unsafe {
        let real = real(file);
        if let Some(barrier) = (*(*real).pMethods).xShmBarrier {
            barrier(real);
        }
    }
}

unsafe extern "C" fn shm_unmap(file: *mut sqlite3_file, delete: c_int) -> c_int {
    // SAFETY: see above.
    unsafe { pass!(file, xShmUnmap, delete) }
}

unsafe extern "C" fn fetch(file: *mut sqlite3_file, at: sqlite3_int64, n: c_int, out: *mut *mut c_void) -> c_int {
    // SAFETY: see above; a null page tells SQLite to read it.
    unsafe {
        let disk = disk();
        if disk.is_off() || !disk.mapped {
            *out = null_mut();
            return ffi::SQLITE_OK;
        }
        drop(disk);
        pass!(file, xFetch, at, n, out)
    }
}

unsafe extern "C" fn unfetch(file: *mut sqlite3_file, at: sqlite3_int64, page: *mut c_void) -> c_int {
    // SAFETY: see above.
    unsafe { pass!(file, xUnfetch, at, page) }
}
