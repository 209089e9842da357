//! Panics of a library, kept where they happen.

use std::{
    cell::Cell,
    panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook},
    sync::Once,
    thread,
};

thread_local! {
    /// How many guards this thread is in.
    static GUARDS: Cell<usize> = const { Cell::new(0) };
}

/// A library panicked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Panicked;

/// Does some work in which a panic becomes an error and is not reported: its message may hold what was read.
///
/// The work must be done on the thread that calls this, and what it changes must not be used after a panic. Where a
/// program is built to abort on panics, it still does.
pub(super) fn guarded<T>(work: impl FnOnce() -> T) -> Result<T, Panicked> {
    static QUIET: Once = Once::new();
    // The hook cannot be changed while a thread is panicking; then this one reports.
    if !thread::panicking() {
        QUIET.call_once(|| {
            let report = take_hook();
            set_hook(Box::new(move |info| {
                if GUARDS.get() == 0 {
                    report(info);
                }
            }));
        });
    }
    GUARDS.set(GUARDS.get() + 1);
    let result = catch_unwind(AssertUnwindSafe(work));
    GUARDS.set(GUARDS.get() - 1);
    result.map_err(|_| Panicked)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_becomes_an_error_and_the_guard_ends_with_its_work() {
        assert_eq!(guarded(|| 7), Ok(7));
        let index = std::hint::black_box(3);
        assert_eq!(guarded(|| [1, 2][index]), Err(Panicked));
        assert_eq!(guarded(|| guarded(|| [1, 2][index])), Ok(Err(Panicked)));
        assert_eq!(GUARDS.get(), 0);
    }
}
